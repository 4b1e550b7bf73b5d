"""A person on the hosted app: nothing of it breaks on the headers that it is sent with."""

import csv
import io

from playwright.sync_api import expect

from tests.browser import screen
from tests.browser.screen import press

FRIEND, EMMA, WORDS = 8, 0, 9


def close_dialog(page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)


def test_a_visit_from_a_link_to_an_upload(classroom, open_page, tmp_path):
    page = open_page(f"{classroom.url}/emma_sentence?causal=true")
    expect(page.locator(".st-key-causal input")).to_be_checked()
    expect(screen.number(page, FRIEND, EMMA, WORDS)).to_have_text("2.42")
    expect(page.locator(".katex").first).to_be_visible()
    screen.pick(page, "Experiments", "meaning space")
    expect(page.locator(".st-key-experiment-view svg.marks").first).to_be_visible()
    page.goto(f"{classroom.url}/emma_sentence")
    _share(page, classroom)
    _save_picture(page)
    _load(page, _template(page, tmp_path))


def _share(page, classroom) -> None:
    press(page, "open-share")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{classroom.url}/emma_sentence"
    close_dialog(page)


def _save_picture(page) -> None:
    page.locator(screen.HEATMAP).hover()  # the button is there as long as the page keeps still
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as PNG").dispatch_event("click")
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def _template(page, folder):
    press(page, "open-load")
    with page.expect_download() as download:
        page.get_by_role("button", name="Template, 1.5").click()
    text = download.value.path().read_text("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[-1] == ["friend", "1", "0.9", "0.5", "1"]
    file = folder / "queries.csv"
    file.write_text(text.replace('"friend",1,', '"friend",2,'), "utf-8")
    return file


def _load(page, file) -> None:
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("stDialog")).to_contain_text("9 rows and 4 columns of numbers")
    press(page, "use")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(screen.number(page, FRIEND, EMMA, WORDS)).to_have_text("3.62")
    press(page, "open-save")
    with page.expect_download() as download:
        press(page, "save-zip")
    assert download.value.path().read_bytes().startswith(b"PK")
