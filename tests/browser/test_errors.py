"""An exception that nobody expected, in a copy of the project with three faults put in."""

import re
import shutil
from contextlib import contextmanager
from urllib.parse import urlencode

from playwright.sync_api import expect

from core.matrices import set_cells
from core.presets import load_presets
from core.sharing import edits_of, pack
from tests.browser import screen
from tests.servers import PROJECT, SLOW_START, serve

FAULTS = {
    "pages/random_qkv.py": (
        "    if page:\n",
        '    if page:\n        raise RuntimeError("fault of a page")\n',
    ),
    "core/ui/stage_view.py": (
        "    if name == ALL_STAGES:\n        _all_stages",
        '    if page.causal:\n        raise RuntimeError("fault of a fragment")\n'
        "    if name == ALL_STAGES:\n        _all_stages",
    ),
    "core/ui/comparing.py": (
        "    keep(page.snapshot)  # taken now",
        '    raise RuntimeError("fault of a callback")  # taken now',
    ),
}
SENTENCE = "Something went wrong here. Your edits are safe in the address of this page: reload it."
AFTER = "e => getComputedStyle(e, '::after').content"


def edited_link(page: str) -> str:
    """A page whose first query has 7 as its first number."""
    example = load_presets(PROJECT / "data")[0][page].inputs
    edits = edits_of(example, set_cells(example, {("queries", 0, 0): 7.0}))
    return f"{page}?{urlencode({'scale': 'false', 'causal': 'false', 'edits': pack(edits)})}"


@contextmanager
def broken_copy(folder):
    for name in ("core", "pages", "data", ".streamlit", "streamlit_app.py"):
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, folder / name)
    for name, (right, wrong) in FAULTS.items():
        text = (folder / name).read_text("utf-8")
        assert text.count(right) == 1
        (folder / name).write_text(text.replace(right, wrong), "utf-8")
    with serve("streamlit_app.py", SLOW_START, folder=folder, log=folder / "log") as server:
        yield server


def expect_the_sentence(page) -> None:
    alert = page.get_by_test_id("stException").get_by_test_id("stAlertContentError")
    expect(alert).to_be_visible()
    page.wait_for_function(f"e => ({AFTER})(e).includes('wrong')", arg=alert.element_handle())
    assert alert.evaluate(AFTER).strip('"').startswith(SENTENCE)
    assert alert.bounding_box()["height"] >= 24, "the sentence has no room"
    shown = page.locator("body").inner_text()
    assert not re.search("Traceback|RuntimeError|fault of|redacted|Ask Google", shown)
    expect(page).to_have_url(re.compile("edits="))


def test_every_exception_shows_the_sentence_is_logged_once_and_leaves_the_edits(tabs, watch, tmp_path):
    page = watch(tabs.borrow(viewport={"width": 1280, "height": 720}, color_scheme="dark"))
    with broken_copy(tmp_path) as broken:
        page.goto(f"{broken.url}/{edited_link('random_qkv')}")
        expect_the_sentence(page)
        page.goto(f"{broken.url}/{edited_link('emma_sentence')}")
        expect(screen.cell(page, "queries", 0, 0)).to_have_text("7")
        page.get_by_role("button", name="Keep as A").click()
        expect_the_sentence(page)
        page.reload()
        expect(screen.cell(page, "queries", 0, 0)).to_have_text("7")
        screen.toggle(page, "causal")
        expect_the_sentence(page)
        expect(screen.cell(page, "queries", 0, 0)).to_have_text("7")
    log = (tmp_path / "log").read_text("utf-8")
    for place in ("page", "fragment", "callback"):
        assert log.count(f"\nRuntimeError: fault of a {place}") == 1
    assert log.count("Traceback") == 3
    with serve("streamlit_app.py", SLOW_START, broken.port):
        page.reload()
        expect(screen.words(page)).to_be_visible()
        expect(page.locator(".st-key-causal input")).to_be_checked()
        expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, Emma, Person: 1.1 → 7")
