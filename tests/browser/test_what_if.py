"""What-ifs, edits and comparisons as they are done and seen in a browser."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from core.matrices import remove
from core.sharing import edits_of, pack
from core.snapshots import Snapshot, content_of_snapshot
from core.what_if import KINDS, offered
from tests.browser import screen
from tests.examples import PRESETS

FRIEND, EMMA = 8, 0


@pytest.mark.parametrize("preset", ["emma_sentence", "random_qkv", "i_love_coding", "animal_lookup"])
def test_every_what_if_is_one_choice_and_one_click_ends_it_and_nothing_moves(open_page, preset):
    page = open_page(PRESETS[preset].page)
    banner, stepper = page.locator(".st-key-message"), page.locator(".st-key-stage")
    expect(banner).to_contain_text("Try it.")
    place = stepper.bounding_box()
    for kind in offered(PRESETS[preset].inputs, bool(PRESETS[preset].unordered)):
        title = KINDS[kind].title
        screen.pick(page, "What if", title)
        expect(banner).to_contain_text(f"{title}. {KINDS[kind].verdict}")
        expect(stepper.get_by_role("radio", name=KINDS[kind].look_at)).to_be_checked()
        assert stepper.bounding_box() == place
        assert banner.locator("p").nth(1).bounding_box()["height"] < 30, (
            f"two lines in the room of one: {title}"
        )
        assert page.get_by_test_id("stException").count() == 0
        expect(page.locator(screen.HEATMAP)).to_be_visible()
    banner.get_by_role("button", name="End").click()
    expect(banner).not_to_contain_text("Not attention")
    expect(page).not_to_have_url(re.compile("what_if"))


def test_what_was_before_a_what_if_that_back_has_ended_is_forgotten(open_page):
    page = open_page("emma_sentence")
    screen.pick(page, "What if", "masked scores = 0")
    expect(page.locator(".st-key-message")).to_contain_text("masked scores = 0.")
    page.go_back()
    expect(page.locator(".st-key-message")).not_to_contain_text("masked scores")
    screen.toggle(page, "causal")
    screen.stage(page, "weights")
    expect(page).to_have_url(re.compile("stage=weights"))
    screen.pick(page, "What if", "softmax over queries")
    expect(page.locator(".st-key-message")).to_contain_text("softmax over queries.")
    page.locator(".st-key-message").get_by_role("button", name="End").click()
    expect(page).not_to_have_url(re.compile("what_if"))
    expect(page.locator(".st-key-stage").get_by_role("radio", name="weights")).to_be_checked()
    expect(page.get_by_label("Causal mask")).to_be_checked()


def test_a_what_if_is_in_the_link(open_page):
    page = open_page("emma_sentence")
    screen.pick(page, "What if", "masked scores = 0")
    expect(page).to_have_url(re.compile(r"what_if=masked\+scores\+%3D\+0"))
    expect(page).to_have_url(re.compile("causal=true"))
    expect(page).to_have_url(re.compile("stage=weights"))
    again = open_page(page.url.split("/")[-1])
    expect(screen.words(again)).to_contain_text("hates gives 0.68 of its weight to masked keys")
    expect(screen.marked(again)).to_have_count(36)


def test_sums_that_are_not_1_stand_out(open_page):
    page = open_page("emma_sentence?stage=weights&what_if=softmax+over+queries")
    sums = page.locator(f"{screen.CHART} svg g.mark-text.layer_2_marks text")
    expect(sums).to_have_count(9)
    expect(sums.first).to_have_attribute("fill", "#d32f2f")


def test_an_edit_is_told_in_a_sentence_and_in_the_cells(open_page):
    page = open_page("emma_sentence?stage=weights")
    height = height_of_head(page)
    screen.type_into(page, "keys", EMMA, 0, "3")
    message = page.locator(".st-key-message")
    expect(message).to_contain_text("Edit: keys Emma Person 1.2 → 3.")
    expect(message).to_contain_text("friend → Emma 0.58 → 0.89")
    assert height_of_head(page) == height
    old = page.locator(f"{screen.CHART} svg g.mark-text.layer_4_marks text")
    expect(old.first).to_have_text("0.61")
    screen.toggle(page, "scale")
    expect(message).to_contain_text("friend → Emma 0.30 → 0.51")
    message.get_by_role("button", name="Hide").click()
    expect(message).to_contain_text("Try it.")
    expect(old).to_have_count(0)


def height_of_head(page: Page) -> float:
    """From the title to the stepper, wherever the page is scrolled to."""
    title = page.get_by_role("heading", level=1).bounding_box()
    return page.locator(".st-key-stage").bounding_box()["y"] - title["y"]


def test_a_is_kept_and_compared_through_edits_and_other_pages(open_page):
    page = open_page("emma_sentence?stage=weights")
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("0.58")
    page.get_by_role("button", name="Keep as A").click()
    compare = page.locator(".st-key-compare")
    expect(compare).to_be_visible()
    screen.go_to(page, "Animal lookup")
    expect(page.get_by_text("A does not have the tokens of this page")).to_be_visible()
    screen.go_to(page, "Emma sentence")
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("0.58")
    screen.toggle(page, "scale")
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("0.30")
    place = screen.heatmap_place(page)
    for view, number in (("A", "0.58"), ("B − A", "-0.28"), ("B", "0.30")):
        compare.get_by_role("radio", name=view, exact=True).click()
        expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text(number)
        screen.expect_heatmap_at(page, place)
    page.get_by_role("button", name="Forget A").click()
    expect(page.get_by_role("button", name="Keep as A")).to_be_visible()


def test_an_editor_says_at_each_stage_whether_it_holds_the_numbers_that_are_shown(open_page):
    """Of an A with one key more, the output alone can be compared."""
    preset = PRESETS["animal_lookup"]
    kept = Snapshot(preset, None, preset.inputs, True, False, None, None)
    link = {
        "a": pack(content_of_snapshot(kept)),
        "edits": pack(edits_of(preset.inputs, remove(preset.inputs, "keys", 4))),
        "compare": "A",
    }
    page = open_page(f"animal_lookup?{urlencode(link)}")
    keys, told = page.locator(".st-key-editor-keys"), "these are B’s; A was kept with others"
    expect(keys).to_contain_text("what can be found")
    screen.stage(page, "output")
    expect(keys).to_contain_text(told)
    screen.stage(page, "weights")
    expect(keys).to_contain_text("what can be found")


def test_the_selection_is_marked_in_captions_and_tables(open_page):
    page = open_page("emma_sentence?stage=weights")
    queries = page.locator(".st-key-editor-queries")
    top = queries.bounding_box()
    expect(screen.number(page, FRIEND, EMMA, columns=9)).to_have_text("0.58")
    screen.click_cell(page, FRIEND, EMMA, columns=9)
    expect(queries).to_contain_text(", 9 × 4; chosen: row friend")
    expect(page.locator(".st-key-editor-keys")).to_contain_text(", 9 × 4; chosen: row Emma")
    assert queries.bounding_box() == top
    page.get_by_role("button", name="Clear").click()
    expect(queries).to_contain_text("what is looked for")


def test_the_code_behind_a_page_can_be_read_and_downloaded(open_page):
    page = open_page("emma_sentence?stage=weights")
    page.get_by_text("The code behind it").click()
    expect(page.get_by_test_id("stCode")).to_contain_text("scores = queries @ keys.T")
    screen.wait_for_rest(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    assert download.value.suggested_filename == "emma_sentence.py"
    script = download.value.path().read_text("utf-8")
    assert "[1, 0.9, 0.5, 1]], float)" in script
    found: dict = {}
    exec(script, found)
    assert round(float(found["weights"][FRIEND, EMMA]), 2) == 0.58


def test_the_words_on_a_what_if_tell_how_much_of_it_there_is_now(open_page):
    page = open_page("emma_sentence?what_if=no+max+subtracted&stage=scaled")
    told = page.locator(".st-key-what-if")
    expect(told).to_contain_text("The scores are multiplied by 1000,")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("The scores are multiplied by 10000,")
    expect(screen.words(page)).to_contain_text("multiplied by 10000")


def test_an_a_that_another_query_in_view_rules_out_is_told_to_be_so(open_page):
    page = open_page("animal_lookup?stage=weights")
    screen.press(page, "keep")
    difference = page.locator(".st-key-compare").get_by_role("radio", name="B − A")
    expect(difference).to_be_enabled()
    screen.pick_in(page.locator(".st-key-only input"), "reptile")
    expect(page.locator(".st-key-comparing")).to_contain_text("A was kept with other queries in view")
    expect(difference).to_be_disabled()
