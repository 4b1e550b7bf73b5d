"""Asking a number where it comes from: by a click, by the lists, by a link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import screen
from tests.examples import tokens_in_link

FRIEND, EMMA = 8, 0
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_a_click_selects_a_pair_and_works_it_out(open_page):
    page = open_page("emma_sentence")
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("2.42")
    screen.click_cell(page, FRIEND, EMMA, columns=9)
    answer = page.locator(".st-key-answer")
    expect(answer).to_contain_text(
        "Person 1 × 1.2 + Animal 0.9 × 0.8 + Noun 0.5 × 1 + Adjective 1 × 0 = 2.42"
    )
    expect(answer).to_contain_text("Weight 11.25 / 19.29 ≈ 0.58")
    expect(screen.marked(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(r"query=9\+friend&key=1\+Emma&ask=this\+number"))


@pytest.mark.parametrize("is_mobile", [True, False])
def test_a_tap_on_one_of_very_many_cells_selects_it_and_leaves_nothing_over_them(open_page, is_mobile):
    phone = {**PHONE, "is_mobile": is_mobile}
    page = open_page(f"your_vectors?stage=weights&edits={tokens_in_link(70)}", **phone)
    cells = page.get_by_test_id("stVegaLiteChart").locator("canvas")
    cells.scroll_into_view_if_needed()
    screen.wait_for_rest(page)
    asked = []
    for part in (0.6, 0.4):
        box = cells.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] * part, box["y"] + box["height"] * part)
        expect(page).to_have_url(re.compile("[?&]key="))
        if asked:
            expect(page).not_to_have_url(asked[-1])
        screen.wait_for_rest(page)
        asked.append(page.url)
        expect(page.locator("#vg-tooltip-element.visible")).to_have_count(0)


def test_the_table_of_a_number_does_not_stay_when_a_swipe_takes_its_cell_away(open_page):
    page = open_page("emma_sentence", **PHONE)
    heatmap, table = page.locator(screen.HEATMAP), page.locator("#vg-tooltip-element.visible")
    heatmap.evaluate("chart => chart.scrollIntoView({ block: 'center' })")
    screen.wait_for_rest(page)
    box = heatmap.bounding_box()
    finger = {"x": box["x"] + 0.6 * box["width"], "y": box["y"] + 0.6 * box["height"]}
    fingers = page.context.new_cdp_session(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    for moved in range(0, 250, 10):
        to = {**finger, "y": finger["y"] - moved}
        fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [to]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(
        "([chart, top]) => document.querySelector(chart).getBoundingClientRect().top < top - 100",
        arg=[screen.HEATMAP, box["y"]],
    )
    screen.wait_for_rest(page)
    expect(table).to_have_count(0)


def test_a_click_on_a_number_of_the_output_works_out_that_number(open_page):
    page = open_page("word_embeddings?stage=output")
    editor = page.locator(".st-key-editor-embeddings")
    expect(screen.number(page, 0, 2, columns=3)).to_have_text("0.99")
    top = editor.bounding_box()
    screen.click_cell(page, 0, 2, columns=3)
    expect(screen.words(page)).to_contain_text("I, v3: 0.12 × 1 + 0.01 × 0 + 0.88 × 1 ≈ 0.99")
    expect(page.locator(".st-key-answer")).to_contain_text("I, v3 I 0.12 × 1 + love 0.01 × 0")
    expect(screen.marked(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(r"query=1\+I&column=3&ask=this\+number"))
    assert editor.bounding_box() == top
    other = open_page(page.url.partition(page.url.split("/")[2] + "/")[2])
    expect(screen.words(other)).to_contain_text("I, v3: ")
    expect(screen.marked(other)).to_have_count(1)
    screen.stage(page, "weights")
    expect(screen.number(page, 1, 1, columns=3)).to_have_text("0.16")
    screen.click_cell(page, 1, 1, columns=3)
    expect(page).not_to_have_url(re.compile("column"))


def test_what_appears_beside_a_heatmap_under_the_pointer_does_not_cover_the_worked_number(open_page):
    page = open_page("emma_sentence?stage=weights")
    page.locator(screen.CHART).hover()
    toolbar = page.locator(f"{screen.CHART} .stElementToolbar")
    expect(toolbar).to_have_css("opacity", "1")
    words = screen.words(page).locator("p").last.bounding_box()
    buttons = toolbar.get_by_test_id("stElementToolbarButtonContainer")
    expect(buttons).to_be_visible()
    assert buttons.bounding_box()["y"] >= words["y"] + words["height"]


def test_what_appears_beside_a_chart_under_the_pointer_covers_no_number_of_the_table_above(open_page):
    page = open_page("animal_lookup?stage=weights&query=1+mammal&key=1+kitten&ask=softmax")
    asked = page.locator(".st-key-asked")
    chart, table = asked.get_by_test_id("stVegaLiteChart"), asked.get_by_test_id("stDataFrame")
    chart.hover()
    beside = asked.get_by_test_id("stElementToolbar").filter(has=page.get_by_label("Download as PNG"))
    expect(beside).to_have_css("opacity", "1")
    assert beside.bounding_box()["y"] > table.bounding_box()["y"] + table.bounding_box()["height"]


def test_the_selection_stays_through_stages_toggles_edits_and_layout(open_page):
    page = open_page("emma_sentence?query=9+friend&key=1+Emma&ask=this+number")
    answer = page.locator(".st-key-answer")
    expect(screen.marked(page)).to_have_count(1)
    for stage in ("scaled", "masked", "weights"):
        screen.stage(page, stage)
        expect(screen.words(page)).to_contain_text(stage.capitalize())
        expect(screen.marked(page)).to_have_count(1)
    screen.toggle(page, "scale")
    expect(answer).to_contain_text("Scaled 2.42 / √4 = 1.21")
    screen.type_into(page, "keys", EMMA, 0, "3")
    expect(answer).to_contain_text("Person 1 × 3 +")
    expect(answer).to_contain_text("4.22")
    page.locator(".st-key-layout").get_by_role("radio", name="C x T").click()
    expect(screen.marked(page)).to_have_count(1)
    expect(answer).to_contain_text("Person 1 × 3 +")


def test_clear_ends_the_selection_and_the_same_cell_can_be_clicked_again(open_page):
    page = open_page("emma_sentence")
    expect(screen.number(page, 0, 0, columns=9)).to_have_text("2.78")
    screen.click_cell(page, 0, 0, columns=9)
    expect(screen.marked(page)).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    expect(screen.marked(page)).to_have_count(0)
    expect(page.get_by_text("Click another in the heatmap")).to_be_visible()
    expect(screen.number(page, 0, 0, columns=9)).to_have_text("2.78")
    screen.click_cell(page, 0, 0, columns=9)
    expect(screen.marked(page)).to_have_count(1)


def test_a_cell_can_be_clicked_at_the_place_that_was_clicked_in_another_stage(open_page):
    page = open_page("word_embeddings?stage=queries")
    expect(screen.number(page, 1, 1, columns=3)).to_have_text("1.00")
    screen.click_cell(page, 1, 1, columns=3)
    expect(page).to_have_url(re.compile(r"query=2\+love&column=2"))
    screen.stage(page, "keys")
    expect(screen.number(page, 1, 1, columns=3)).to_have_text("0.00")  # no more that of the query, 1.00
    screen.click_cell(page, 1, 1, columns=3)
    expect(page).to_have_url(re.compile(r"key=2\+love"))


def test_the_cell_that_was_clicked_last_can_be_clicked_again_once_the_browser_went_back(open_page):
    page = open_page("emma_sentence")
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("2.42")
    screen.click_cell(page, FRIEND, EMMA, columns=9)
    expect(page).to_have_url(re.compile(r"query=9\+friend&key=1\+Emma&ask"))
    screen.click_cell(page, 7, 1, columns=9)
    expect(page).to_have_url(re.compile(r"query=8\+great&key=2\+hates"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"query=9\+friend&key=1\+Emma"))
    expect(page.locator(".st-key-answer")).to_contain_text("Person 1 × 1.2 +")
    screen.click_cell(page, 7, 1, columns=9)
    expect(page).to_have_url(re.compile(r"query=8\+great&key=2\+hates"))


def test_a_selection_reopens_from_its_link(open_page):
    page = open_page("word_embeddings?stage=output&query=2+love&key=3+coding&ask=blend+of+values")
    expect(screen.marked(page)).to_have_count(3)
    expect(page.get_by_text("The output of love")).to_be_visible()
    table = page.get_by_test_id("stDataFrame").first
    expect(table.get_by_test_id("glide-cell-0-3")).to_have_text("output")
    expect(table.get_by_test_id("glide-cell-2-3")).to_have_text("1.69")


def test_the_lists_select_without_a_mouse(open_page):
    page = open_page("random_qkv?ask=softmax")
    expect(page.get_by_text("Click another in the heatmap")).to_be_visible()
    screen.pick(page, "Query", "3 token 2")
    expect(page.get_by_text("The softmax of the query token 2")).to_be_visible()


def test_a_removed_token_takes_its_selection_along(open_page):
    page = open_page("emma_sentence?query=9+friend&key=1+Emma")
    expect(screen.marked(page)).to_have_count(1)
    page.get_by_role("button", name="Names and sizes").click()
    page.get_by_role("button", name="Remove").click()
    expect(screen.marked(page)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"emma_sentence\?key=1\+Emma&edits=[\w-]+$"))


def test_the_lines_bring_out_the_selected_query(open_page):
    page = open_page("emma_sentence?ask=lines&query=9+friend")
    lines = page.locator("svg g.mark-rule.role-mark line")
    expect(lines).to_have_count(81)
    assert lines.last.get_attribute("stroke") == "#d6007a"
    assert lines.first.get_attribute("stroke") != "#d6007a"
