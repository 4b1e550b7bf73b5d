"""Whatever a name says, it is shown as it is: it makes nothing, asks for nothing, and breaks no layout.

The fixture that opens pages fails on dialogs, errors, and requests to other hosts.
"""

import ast
import csv
import io
import re
import zipfile
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from core.csv_files import csv_text
from core.matrices import set_names
from core.sharing import edits_of, pack
from tests.browser import screen
from tests.browser.hostile_names import DIMENSIONS, FOUND, TOKENS, example, expect_text_alone, link, renamed
from tests.browser.screen import press, shared_link

FILE_NAME = "<img src=x onerror=alert('pwn')> **pwn** [pwn](x) $pwn$ :red[pwn].csv"
EMMA = ("emma_sentence", "")
THREE = ("word_embeddings", "three_tokens")
ANIMALS = ("animal_lookup", "")
VISITS = {  # what stands on the page when it has been drawn, and the page
    "Score": (*EMMA, {"ask": "this number", "what_if": "key twice as long"}),
    "The softmax of": (*THREE, {"ask": "softmax"}),
    "The output of": (*ANIMALS, {"ask": "blend of values", "stage": "output"}),
    "A line joins a query": (*EMMA, {"ask": "lines", "what_if": "tokens shuffled"}),
    "masked": (*EMMA, {"stage": "all"}),
    "comes from": (*EMMA, {"present": "true", "stage": "explanation"}),
    "Three ways": (*EMMA, {"experiment": "three ways"}),
    "A space of meaning": (*EMMA, {"experiment": "meaning space"}),
    "Arrows": (*EMMA, {"experiment": "arrows"}),
    "Why divide": ("random_qkv", "", {"experiment": "why √d_k"}),
    "From an average": (*THREE, {"experiment": "from average", "way": "5 attention"}),
    "One word": (*THREE, {"experiment": "one word"}),
    "Several heads": (*THREE, {"experiment": "heads"}),
    "your query": (*ANIMALS, {"experiment": "soft lookup", "source": "your own"}),
    "the blend": (*ANIMALS, {"experiment": "soft lookup", "source": "a blend of two"}),
}


def test_names_of_a_link_are_text_on_every_page_and_in_every_experiment(open_page, server):
    page = open_page(link(*EMMA))
    for words, (name, preset, settings) in VISITS.items():
        page.goto(f"{server.url}/{link(name, preset, **settings)}")
        chart = page.get_by_test_id("stVegaLiteChart").locator("svg.marks").first
        expect(page.locator(".st-key-explanation") if "present" in settings else chart).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(page.get_by_text(words).first).to_be_attached()
        expect(page.get_by_text("pwn").first).to_be_attached()
        expect_text_alone(page, words)


def test_names_that_are_typed_and_loaded_are_text_in_lists_dialogs_and_files(open_page, tmp_path):
    page = open_page("emma_sentence?ask=this+number")
    width = screen.heatmap_place(page)["width"]
    rename(page, TOKENS[1])
    expect(screen.cell(page, "keys", 8, -1)).to_have_text(TOKENS[1])
    load(page, FILE_NAME, "Person,Animal,Noun,Adjective\nx,0,0,0\n" * 2)
    expect(page.get_by_test_id("stDialog")).to_contain_text(f"{FILE_NAME}, ")
    expect_text_alone(page, "a file that cannot be used")
    names = renamed(example("emma_sentence"))
    table = csv_text(names.matrices["queries"].values, TOKENS, names.column_names("queries"))
    load(page, FILE_NAME, table.replace("W" * 64, "W" * 10_000))
    expect(page.get_by_test_id("stDialog")).to_contain_text("the cell has 10000 characters; at most 64 fit")
    load(page, FILE_NAME, table)
    expect(page.get_by_test_id("stDialog")).to_contain_text("Names change")
    expect_text_alone(page, "the names of a file")
    press(page, "use")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(screen.cell(page, "keys", 0, -1)).to_have_text(TOKENS[0])
    expect(page.locator(".st-key-edits")).to_contain_text(TOKENS[8])
    assert screen.heatmap_place(page)["width"] == width
    lists_and_tooltips(page)
    panels_and_dialogs(page, tmp_path)


def rename(page: Page, name: str) -> None:
    """Give the last token another name, but none that is too long."""
    page.get_by_role("button", name="Names and sizes").click()
    field = page.get_by_label("New name")
    field.fill("x" * 10_000)
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_text("The name has 10,000 characters; at most 64 fit.")).to_be_visible()
    field.fill(name)
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".st-key-edits")).to_contain_text(name)
    page.keyboard.press("Escape")


def load(page: Page, name: str, text: str) -> None:
    """Choose a file in the dialog, which may be open already with another file."""
    if not page.get_by_test_id("stDialog").count():
        press(page, "open-load")
    delete = page.get_by_test_id("stFileUploaderDeleteBtn").get_by_role("button")
    if delete.count():
        delete.click()
        expect(delete).to_have_count(0)
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)


def lists_and_tooltips(page: Page) -> None:
    screen.pick(page, "Query", f"1 {TOKENS[0]}")
    screen.pick(page, "Key", f"2 {TOKENS[1]}")
    expect(page.locator(".st-key-answer code").first).to_have_text(DIMENSIONS[0])
    for column, name in enumerate(TOKENS):
        screen.number(page, 4, column, columns=9).hover(force=True)  # the cell below it has the tooltip
        expect(page.locator("#vg-tooltip-element")).to_contain_text(name)
    expect_text_alone(page, "tooltips")


def panels_and_dialogs(page: Page, folder) -> None:
    for name, title in (("table", "The same numbers as a table"), ("code", "The code behind it")):
        page.locator(f".st-key-{name}").get_by_text(title).click()
    table = page.locator(".st-key-table").get_by_test_id("stDataFrame")
    expect(table.get_by_test_id("glide-cell-0-2")).to_have_text(TOKENS[2])
    expect(page.locator(".st-key-code code")).to_contain_text(TOKENS[0])
    expect_text_alone(page, "table and code")
    assert re.fullmatch(r"http://127[^ <>\"'()]*", shared_link(page))
    expect_text_alone(page, "Share")
    page.keyboard.press("Escape")
    press(page, "open-save")
    with page.expect_download() as download:
        press(page, "save-zip")
    saved = folder / "page.zip"
    download.value.save_as(saved)
    page.keyboard.press("Escape")
    of_a_zip(saved)
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".st-key-edits")).to_have_count(0)
    press(page, "open-load")
    page.locator("input[type=file]").set_input_files(saved)
    press(page, "open-zip")
    expect(screen.cell(page, "keys", 7, -1)).to_have_text(TOKENS[7])
    expect_text_alone(page, "the names of a zip")


def of_a_zip(saved) -> None:
    """Names stand in comments of the script, and in no cell that a spreadsheet would compute."""
    with zipfile.ZipFile(saved) as archive:
        files = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    script = files["attention.py"]
    assert "pwn" not in ast.unparse(ast.parse(script))
    assert "pwn" in script
    assert not any(
        cell.startswith(("=", "@")) for row in rows_of(files["stages/1_scores.csv"]) for cell in row
    )
    assert f"'{TOKENS[7]}" in rows_of(files["stages/1_scores.csv"])[0]


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_link_with_a_name_of_ten_thousand_signs_opens_the_example(open_page):
    inputs = example("emma_sentence")
    content = edits_of(inputs, set_names(inputs, "tokens", ["<b>" * 3_333, *TOKENS[1:]]))
    page = open_page(f"emma_sentence?edits={pack(content)}")
    expect(page.locator(".st-key-message")).to_contain_text("it was cut or changed on its way")
    expect(screen.cell(page, "keys", 0, -1)).to_have_text("Emma")
    expect_text_alone(page, "a refused link")


def test_what_a_name_could_make_would_be_found(browser):
    page = browser.new_page()
    for made in (
        "<img src=pwn>",
        "<p></p><script>'pwn'</script>",
        "<i onclick=x></i>",
        "<a href='javascript:x'>x</a>",
        "<p><em>pwn</em></p>",
        "<span data-testid=stIconMaterial>skull</span>",
    ):
        page.set_content(made)
        assert page.evaluate(FOUND), made
    page.set_content("<strong><code>pwn</code></strong><p>pwn</p>")
    assert page.evaluate(FOUND) == []
    page.close()


def test_names_from_right_to_left_turn_no_number_and_no_arrow_around(open_page):
    start = pack({"start": {"tokens": ["שלום", "עולם"], "seed": 3}})
    page = open_page(f"your_vectors?{urlencode({'edits': start})}")
    line = screen.words(page).locator("p").last
    expect(line.locator("code")).to_have_text(["עולם", "שלום"])
    query, key = (line.locator("code").nth(place).bounding_box()["x"] for place in (0, 1))
    assert query < key
