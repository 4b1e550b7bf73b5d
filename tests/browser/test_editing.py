"""What is typed into a cell is what is used, or the page says why not."""

import re

import pytest
from playwright.sync_api import expect

from core.recipes import Recipe, content_of
from core.sharing import pack
from core.ui.in_browser import CELL_EDITOR
from tests.browser import screen
from tests.browser.screen import PHONE

FRIEND, EMMA, GREAT = 8, 0, 7
NAMES = -1  # the column before the numbers
NOT_A_NUMBER = (
    "queries, row 'friend', column 'Person': 'abc' is not a number; write one like 0.5, -2, 1e-3 or 1/3. "
    "The last good number, 1.5, stays."
)


def friend_looks_at_emma(page):
    return screen.number(page, FRIEND, EMMA, columns=9)


CLIPBOARD = ["clipboard-read", "clipboard-write"]


def test_every_typed_number_is_the_number_used(open_page):
    page = open_page("emma_sentence")
    expect(friend_looks_at_emma(page)).to_have_text("2.42")
    scores = {".07": "1.30", "1,5": "3.02", "-.5": "0.62", "1/3": "1.62", "1e-3": "1.22", "-1e3": "-1198.78"}
    for typed, score in scores.items():
        screen.type_into(page, "queries", FRIEND, 0, typed)
        expect(friend_looks_at_emma(page)).to_have_text(score)
        expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text(typed)


def test_the_first_typed_number_is_whole_however_slow_the_network(open_page):
    page = open_page("emma_sentence")
    loaded = "name => performance.getEntriesByType('resource').some(it => it.name.includes(name))"
    page.wait_for_function(loaded, arg=CELL_EDITOR)
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    screen.select_cell(page, "queries", FRIEND, 0)
    page.keyboard.type("-0.75", delay=60)
    page.keyboard.press("Enter")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("-0.75")
    assert not [address for address in addresses if CELL_EDITOR in address]


def test_a_digit_typed_after_a_double_click_is_used_whatever_was_typed_before(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", EMMA, 3, "1.5")
    for digit, score in (("3", "3.10"), ("4", "4.30")):
        screen.double_click_in_last_column(page, "queries", FRIEND, 3)
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(digit, delay=30)
        page.keyboard.press("Enter")
        expect(screen.cell(page, "queries", FRIEND, 3)).to_have_text(digit)
        expect(screen.number(page, FRIEND, GREAT, columns=9)).to_have_text(score)


@pytest.mark.parametrize("times_slower", [1, 6])
def test_a_column_typed_faster_than_the_browser_draws_is_all_there(open_page, times_slower):
    page = open_page("emma_sentence")
    screen.select_cell(page, "queries", 0, 0)
    keys = ("2", "Enter", "3", "Enter", *".46", "Backspace", "5", "Enter", *"-1", "Tab", "7", "Enter")
    column = ("2.58", "5.95", "6", "3.26")
    with screen.slowed_down(page, times_slower):
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("ArrowLeft")
        for typed in column:
            page.keyboard.type(typed, delay=80)
            page.keyboard.press("Enter")
    expect(screen.cell(page, "queries", 3, 1)).to_have_text("7")
    for row, typed in enumerate(("2", "3", ".45", "-1", *column)):
        expect(screen.cell(page, "queries", row, 0)).to_have_text(typed)
    expect(friend_looks_at_emma(page)).to_have_text("2.42")
    expect(screen.number(page, 0, EMMA, columns=9)).to_have_text("3.86")


def test_a_number_typed_at_once_after_the_arrow_keys_is_whole(open_page):
    page = open_page("emma_sentence")
    screen.select_cell(page, "queries", 3, -1)
    with screen.slowed_down(page, 6):
        for key in ("ArrowRight", "ArrowRight", *"0.45", "Enter", *"-.5", "Enter"):
            page.keyboard.press(key)
    expect(screen.cell(page, "queries", 3, 1)).to_have_text("0.45")
    expect(screen.cell(page, "queries", 4, 1)).to_have_text("-.5")


@pytest.mark.parametrize("times_slower", [1, 6])
def test_an_arrow_leaves_a_cell_that_one_began_to_type_into(open_page, times_slower):
    page = open_page("emma_sentence")
    screen.select_cell(page, "queries", FRIEND, 1)
    around = ("1", "ArrowUp", *".25", "ArrowRight", "3", "ArrowUp", "4", "ArrowLeft", "5", "ArrowDown")
    with screen.slowed_down(page, times_slower):
        for key in around:
            page.keyboard.press(key)
    expect(screen.cell(page, "queries", GREAT, 1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    cell_editor = page.locator(screen.CELL_EDITOR)
    for key, text in (
        ("6", "6"),
        ("ArrowLeft", "6"),
        ("7", "76"),
    ):  # where Enter opened it, an arrow stays within it
        page.keyboard.press(key)
        expect(cell_editor).to_have_value(text)
    page.keyboard.press("Enter")
    for row, column, typed in (
        (FRIEND, 1, "1"),
        (GREAT, 1, "76"),
        (GREAT, 2, "3"),
        (GREAT - 1, 2, "4"),
        (GREAT - 1, 1, "5"),
    ):
        expect(screen.cell(page, "queries", row, column)).to_have_text(typed)


def test_a_click_on_the_name_of_a_column_sorts_no_rows(open_page):
    page = open_page("emma_sentence")
    screen.select_cell(page, "queries", 0, 0)
    editor = screen.grid(page, "queries")
    for _ in range(2):
        editor.click(position={"x": 110, "y": screen.HEADER // 2}, force=True)
    screen.type_into(page, "queries", 1, 0, "2")
    for row, number in enumerate(("1.1", "2", "0", "0", "1.1")):
        expect(screen.cell(page, "queries", row, 0)).to_have_text(number)
    expect(screen.number(page, 1, EMMA, columns=9)).to_have_text("3.40")
    expect(page.get_by_label("Show/hide columns: Editable matrix: queries")).to_be_hidden()
    editor.hover()
    page.get_by_label("Search: Editable matrix: queries").click()
    search = editor.get_by_role("textbox")
    search.fill("2")
    editor.get_by_label("Close Search").click()
    expect(search).to_be_hidden()


def test_cell_after_cell_is_edited_by_finger(open_page):
    page = open_page("emma_sentence", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    editor = screen.grid(page, "queries")
    editor.scroll_into_view_if_needed()
    for row, number in ((1, "2"), (3, "3"), (5, "4")):
        for _ in range(2):
            editor.tap(position={"x": 150, "y": screen.HEADER + screen.ROW * row + 10}, force=True)
            screen.wait_for_rest(page)
        cell_editor = page.locator(screen.CELL_EDITOR)
        expect(cell_editor).to_be_focused()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(number)
        page.keyboard.press("Enter")
        cell_editor.wait_for(state="detached")
    edits = page.locator(".st-key-edits")
    for name, number in (("hates", "2"), ("but", "3"), ("is", "4")):
        expect(edits).to_contain_text(f"queries, {name}, Animal: 0 → {number}")


def test_a_number_typed_at_once_after_a_click_elsewhere_and_one_on_a_cell_is_whole(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", EMMA, 0, "1")
    screen.slow_down_frames(page)
    screen.toggle(page, "causal")
    expect(page.get_by_label("Causal mask")).to_be_checked()
    screen.click_in_last_column(page, "queries", FRIEND)
    page.keyboard.type("-1.9", delay=60)
    page.keyboard.press("Enter")
    expect(screen.cell(page, "queries", FRIEND, 3)).to_have_text("-1.9")


def test_keys_of_a_cell_that_cannot_be_edited_hold_up_no_others(open_page):
    page = open_page("emma_sentence")
    screen.select_cell(page, "queries", FRIEND, 0)
    page.keyboard.press("ArrowLeft")
    expect(screen.cell(page, "queries", FRIEND, -1)).to_be_focused()
    page.keyboard.press("5")
    page.keyboard.press("ArrowRight")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("4")


def test_what_is_not_a_number_is_named_and_the_last_good_number_stays(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", FRIEND, 0, "1,5")
    expect(friend_looks_at_emma(page)).to_have_text("3.02")
    screen.type_into(page, "queries", FRIEND, 0, "abc")
    expect(page.get_by_text(NOT_A_NUMBER).first).to_be_visible()
    expect(friend_looks_at_emma(page)).to_have_text("3.02")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_looks_at_emma(page)).to_have_text("3.62")
    expect(page.get_by_text("is not a number")).to_have_count(0)


def test_a_screen_reader_is_told_what_an_edit_did_and_why_it_cannot_be_used(open_page):
    page = open_page("emma_sentence")
    told = page.locator("#told")
    expect(told).to_have_attribute("role", "status")
    expect(told).to_have_text("")
    screen.type_into(page, "queries", FRIEND, 3, "3")
    expect(told).to_have_text(re.compile(r"^Edit: queries friend Adjective 1 → 3\. Weights moved most: "))
    screen.type_into(page, "queries", FRIEND, 3, "abc")
    expect(told).to_have_text(re.compile("^queries, row 'friend', column 'Adjective': 'abc' is not a number"))
    screen.press(page, "reset")
    expect(told).to_have_text(re.compile("^Scores. The dot product of every query with every key"))


def test_undo_can_be_pressed_where_there_is_something_to_undo(open_page):
    page = open_page("emma_sentence")
    undo = page.locator(".st-key-undo").get_by_role("button")
    expect(undo).to_be_disabled()
    screen.type_into(page, "queries", FRIEND, 0, "abc")
    expect(undo).to_be_enabled()
    screen.type_into(page, "queries", FRIEND, 0, "1")
    expect(undo).to_be_disabled()
    for typed, score in (("2", "3.62"), ("3", "4.82")):
        screen.type_into(page, "queries", FRIEND, 0, typed)
        expect(friend_looks_at_emma(page)).to_have_text(score)
        expect(undo).to_be_enabled()
    for score in ("3.62", "2.42"):
        undo.click()
        expect(friend_looks_at_emma(page)).to_have_text(score)
    expect(undo).to_be_disabled()


@pytest.mark.parametrize("key", ["Delete", "Backspace"])
def test_an_emptied_cell_is_named(open_page, key):
    page = open_page("emma_sentence")
    screen.select_cell(page, "keys", EMMA, 1)
    page.keyboard.press(key)
    expect(page.get_by_text("keys, row 'Emma', column 'Animal': the cell is empty").first).to_be_visible()
    expect(friend_looks_at_emma(page)).to_have_text("2.42")


def test_a_block_pasted_from_a_spreadsheet_is_used_cell_by_cell(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "queries", 1, 0, "1\t2,5\n-3\tabc\n")
    expect(screen.number(page, 1, EMMA, columns=9)).to_have_text("4.20")
    expect(screen.number(page, 2, EMMA, columns=9)).to_have_text("-2.60")
    refused = "queries, row 'games', column 'Animal': 'abc' is not a number"
    expect(page.get_by_text(refused).first).to_be_visible()


def test_empty_cells_behind_a_pasted_block_are_not_missed(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "keys", GREAT, 2, "3\t5\t\r\n2\t6\t\r\n\t\t\r\n")
    expect(page.locator(".st-key-effect")).to_contain_text("Edit: keys great Noun")
    expect(page.get_by_text("pasted block")).to_have_count(0)


def test_a_block_that_does_not_fit_is_told_of_with_what_was_used(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "keys", GREAT, 3, "3\t5\r\n2\t6\r\n9\t9\r\n")
    cut = (
        "keys: of a pasted block of 3 × 2 cells, 2 × 1 went in at row 'great', column 'Adjective'. "
        "The rest was not used."
    )
    expect(screen.number(page, FRIEND, GREAT, columns=9)).to_have_text("2.50")
    expect(screen.number(page, FRIEND, FRIEND, columns=9)).to_have_text("2.50")
    expect(page.get_by_text(cut).first).to_be_visible()
    screen.type_into(page, "keys", FRIEND, 3, "0")
    expect(page.get_by_text("pasted block")).to_have_count(0)
    screen.paste(page, "keys", GREAT, NAMES, '"a\tb"\t7\nfriend\t8\n')
    over_names = (
        "keys: of a pasted block of 2 × 2 cells, 2 × 1 went in at row 'great', column 'Person'. "
        "Its first column lies on the names, which are changed under Names and sizes."
    )
    expect(page.get_by_text(over_names).first).to_be_visible()
    expect(page.locator(".st-key-edits")).to_contain_text("keys, great, Person: 0 → 7;")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, friend, Person: 0 → 8")


def test_a_block_pasted_at_once_where_a_key_has_led_is_told_of_as_pasted_there(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.copy(page, "7\n8\n9\n")
    screen.select_cell(page, "keys", FRIEND, 3)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Control+v")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, great, Adjective: 1.2 → 7")
    went_in = "keys: of a pasted block of 3 × 1 cells, 2 × 1 went in at row 'great'"
    expect(page.locator(".st-key-refused")).to_contain_text(went_in)
    screen.type_into(page, "keys", EMMA, 0, "2")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, Emma, Person: 1.2 → 2")
    expect(page.locator(".st-key-refused")).to_have_count(0)


def test_a_block_with_its_names_is_told_of_and_taken_back_by_one_undo(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "queries", 0, 0, "\tPerson\tAnimal\nEmma\t3\t4\nhates\t5\t6\n")
    expect(page.locator(".st-key-refused")).to_contain_text("a pasted block of 3 × 3 cells begins with names")
    expect(page.locator(".st-key-edits")).to_contain_text("queries, hates, Animal: 0 → 3")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".st-key-edits")).to_have_count(0)
    expect(page.locator(".st-key-refused")).to_have_count(0)


def test_a_block_with_an_empty_cell_is_not_taken_for_one_with_names(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "keys", 0, 0, "1\t2\n\t4\n")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, hates, Animal: 0 → 4")
    expect(page.get_by_text("keys, row 'hates', column 'Person': the cell is empty").first).to_be_visible()
    expect(page.get_by_text("begins with names")).to_have_count(0)


def test_signs_that_are_not_seen_make_no_names_of_numbers(open_page):
    page = open_page("emma_sentence", permissions=CLIPBOARD)
    screen.paste(page, "keys", 0, 0, "\u200b1\t\u200b2\n3\t4\n")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, hates, Animal: 0 → 4")
    expect(page.locator(".st-key-refused")).to_have_count(0)


def test_without_a_connection_no_editor_shows_the_numbers_before_its_edits(open_page):
    page = open_page("emma_sentence")
    screen.note_socket(page)
    screen.type_into(page, "queries", FRIEND, 0, "2.5")
    expect(friend_looks_at_emma(page)).to_have_text("4.22")
    page.route("**/_stcore/health", lambda route: route.abort())
    page.evaluate("() => window.socket.close()")
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "PINGING_SERVER")
    for matrix in ("queries", "keys"):
        expect(screen.grid(page, matrix)).not_to_be_visible()
    expect(friend_looks_at_emma(page)).to_have_text("4.22")
    page.unroute("**/_stcore/health")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(screen.grid(page, "queries")).to_be_visible()
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("2.5")


def test_edits_are_listed_old_to_new_and_survive_a_change_of_page(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", FRIEND, 0, ".07")
    screen.type_into(page, "keys", EMMA, 1, "2")
    edits = page.locator(".st-key-edits")
    edited = "Edited: queries, friend, Person: 1 → 0.07; keys, Emma, Animal: 0.8 → 2"
    expect(edits).to_have_text(edited)
    expect(friend_looks_at_emma(page)).to_have_text("2.38")
    screen.go_to(page, "Animal lookup")
    expect(screen.words(page)).to_contain_text("mammal")
    screen.go_to(page, "Overview")
    expect(page.get_by_text("How attention works")).to_be_visible()
    screen.go_to(page, "Emma sentence")
    expect(edits).to_have_text(edited)
    expect(friend_looks_at_emma(page)).to_have_text("2.38")
    expect(screen.cell(page, "keys", EMMA, 1)).to_have_text("2")


def type_slowly(page, row, column, text):
    """Type into a cell of the queries, key by key, and leave its editor open."""
    screen.select_cell(page, "queries", row, column)
    page.keyboard.type(text, delay=30)
    expect(page.locator(screen.CELL_EDITOR)).to_have_value(text)


@pytest.mark.parametrize("end", ["", "Enter"])
@pytest.mark.parametrize("late", [0, 800])
def test_a_number_is_used_though_the_next_click_leads_to_another_page(open_far_away, end, late):
    page = open_far_away("emma_sentence", late)
    type_slowly(page, FRIEND, 0, "2.5")
    if end:
        page.keyboard.press(end)
    screen.go_to(page, "Animal lookup")
    expect(screen.words(page)).to_contain_text("mammal")
    page.go_back()
    expect(friend_looks_at_emma(page)).to_have_text("4.22")
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 2.5")


def type_and_press(page, row, column, text, pressed):
    """Type into a cell, and click something as a finger does, which presses and lets go in one moment."""
    type_slowly(page, row, column, text)
    place = pressed.bounding_box()
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)


def test_a_number_is_used_though_the_next_click_turns_the_grid(open_page):
    page = open_page("emma_sentence")
    type_and_press(page, FRIEND, 0, "2.5", page.locator(".st-key-layout").get_by_role("radio", name="C x T"))
    expect(screen.number(page, EMMA, FRIEND, columns=9)).to_have_text("4.22")
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 2.5")


def test_a_number_is_used_and_shared_though_the_next_click_is_on_share(open_page):
    page = open_page("emma_sentence")
    type_and_press(page, FRIEND, 0, "2.5", page.locator(".st-key-open-share button"))
    expect(page.get_by_test_id("stDialog").locator("code")).to_contain_text("edits=")
    expect(friend_looks_at_emma(page)).to_have_text("4.22")


@pytest.mark.parametrize("stage", ["scores", "weights"])
def test_a_toggle_clicked_after_a_number_is_turned_once(open_page, stage):
    page = open_page(f"emma_sentence?stage={stage}")
    type_and_press(page, FRIEND, 0, "2.5", page.locator(".st-key-causal label").first)
    expect(page.get_by_label("Causal mask")).to_be_checked()
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 2.5")
    expect(page).to_have_url(re.compile("(?=.*causal=true)(?=.*edits=)"))
    page.locator(".st-key-undo button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-edits")).to_have_count(0)


@pytest.mark.parametrize("end", ["", "Enter"])
def test_a_browser_asks_before_a_reload_would_lose_what_was_just_typed(browser, server, end):
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    with browser.new_context() as context:
        page = context.new_page()
        page.on("dialog", stay)
        page.goto(f"{server.url}/emma_sentence")
        type_slowly(page, FRIEND, 0, "2.5")
        if end:
            page.keyboard.press(end)
        page.evaluate("() => location.reload()")
        if not end:
            page.keyboard.press("Enter")
        expect(friend_looks_at_emma(page)).to_have_text("4.22")
        expect(page).to_have_url(re.compile("edits="))
        assert asked == ["beforeunload"]


def test_undo_takes_edits_back_one_by_one_and_reset_all_of_them(open_page):
    page = open_page("emma_sentence")
    for typed, score in (("2", "3.62"), ("3", "4.82"), ("4", "6.02")):
        screen.type_into(page, "queries", FRIEND, 0, typed)
        expect(friend_looks_at_emma(page)).to_have_text(score)
    page.get_by_role("button", name="Undo").click()
    expect(friend_looks_at_emma(page)).to_have_text("4.82")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("3")
    page.get_by_role("button", name="Reset").click()
    expect(friend_looks_at_emma(page)).to_have_text("2.42")
    expect(page.locator(".st-key-edits")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(friend_looks_at_emma(page)).to_have_text("4.82")


def test_an_edit_stays_with_its_preset(open_page):
    page = open_page("word_embeddings?stage=scores")
    screen.type_into(page, "W_query", 1, 2, "1")
    expect(screen.number(page, 1, 0, columns=3)).to_have_text("3.00")
    screen.pick(page, "Example", "three tokens")
    expect(screen.cell(page, "W_query", 1, 2)).to_have_text("-0.60206831")
    expect(page.locator(".st-key-edits")).to_have_count(0)
    screen.pick(page, "Example", "i love coding")
    expect(screen.cell(page, "W_query", 1, 2)).to_have_text("1")
    expect(page.locator(".st-key-edits")).to_have_text("Edited: W_query, e2, d3: 0 → 1")


def test_an_edit_stays_in_its_cell_when_the_layout_turns(open_page):
    page = open_page("emma_sentence")
    hates = 1
    screen.type_into(page, "queries", hates, 0, "2")
    expect(screen.number(page, hates, EMMA, columns=9)).to_have_text("3.40")
    page.locator(".st-key-layout").get_by_role("radio", name="C x T").click()
    expect(screen.number(page, EMMA, hates, columns=9)).to_have_text("3.40")
    expect(screen.cell(page, "queries", 0, hates)).to_have_text("2")
    screen.type_into(page, "queries", 1, hates, "10")
    expect(screen.number(page, EMMA, hates, columns=9)).to_have_text("11.40")
    expect(page.locator(".st-key-edits")).to_contain_text("queries, hates, Animal: 0 → 10")


def test_a_number_is_used_though_the_layout_is_clicked_before_the_grid_has_opened_its_cell(open_page):
    words = tuple(f"w{place}" for place in range(150))  # of which a page takes its time
    page = open_page(f"your_vectors?edits={pack({'start': content_of(Recipe(tokens=words))})}")
    turned = page.get_by_role("radio", name="C x T")
    screen.select_cell(page, "queries", 0, 0)
    place = page.locator(".st-key-layout").get_by_text("C x T").bounding_box()  # now that it has scrolled
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.mouse.click(place["x"] + 5, place["y"] + 5)
    expect(turned).to_have_attribute("aria-checked", "true")
    expect(page.locator(".st-key-edits")).to_contain_text("→ 7")
    expect(screen.cell(page, "queries", 0, 0)).to_have_text("7")


def test_a_token_more_adds_a_row_to_queries_and_keys(open_page):
    page = open_page("emma_sentence")
    page.get_by_role("button", name="Names and sizes").click()
    page.get_by_label("New name").fill("today")
    page.get_by_role("button", name="Add after").click()
    expect(screen.cell(page, "queries", 9, -1)).to_have_text("today")
    expect(screen.cell(page, "keys", 9, -1)).to_have_text("today")
    page.keyboard.press("Escape")
    screen.type_into(page, "keys", 9, 0, "2")
    expect(screen.number(page, FRIEND, 9, columns=10)).to_have_text("2.00")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(friend_looks_at_emma(page)).to_have_text("2.42")
    expect(page.locator(".st-key-edits")).to_have_count(0)


def test_edits_go_on_in_the_view_of_all_stages(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_looks_at_emma(page)).to_have_text("3.62")
    screen.stage(page, "all")
    expect(page.locator("[class*=st-key-heatmap-]")).to_have_count(4)
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("2")
    expect(page.locator(".st-key-heatmap-weights svg g.role-mark")).not_to_have_count(0)
    screen.type_into(page, "queries", FRIEND, 0, "3")
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 3")
    screen.stage(page, "scores")
    expect(friend_looks_at_emma(page)).to_have_text("4.82")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("3")


def width_of_columns(table):
    """How wide what can be scrolled to is, of a grid."""
    return table.locator(".dvn-scroller").evaluate("e => e.scrollWidth")


def wait_until_wider(page, table, before):
    page.wait_for_function(
        """([table, before]) => table.querySelector(".dvn-scroller").scrollWidth > before""",
        arg=[table.element_handle(), before],
    )


def test_columns_get_wider_for_longer_numbers(open_page):
    """A grid has measured them before, and would cut off the minus and the first digits."""
    page = open_page("your_vectors?stage=weights&ask=softmax", viewport=PHONE)
    table = page.locator(".st-key-asked").get_by_test_id("stDataFrame").first
    before = width_of_columns(table)
    screen.type_into(page, "keys", 5, 0, "900000")
    expect(table.get_by_test_id("glide-cell-1-5")).to_have_text(re.compile(r"\d{4,}\.\d\d"))
    wait_until_wider(page, table, before)


def test_a_column_gets_wider_for_a_long_number_that_is_typed(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    editor = screen.grid(page, "queries")
    before = width_of_columns(editor)
    screen.type_into(page, "queries", 1, 1, "-12345.67891")
    wait_until_wider(page, editor, before)
    expect(screen.cell(page, "queries", 1, 1)).to_have_text("-12345.67891")
    screen.type_into(page, "queries", 2, 1, "5")
    expect(screen.cell(page, "queries", 2, 1)).to_have_text("5")
