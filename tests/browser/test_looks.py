"""What a hall sees: nothing moves from stage to stage, and every number can be read on every screen."""

import contextlib
import re

import pytest
from playwright.sync_api import TimeoutError, expect

from core.recipes import Recipe, content_of
from core.sharing import pack
from tests.browser import screen
from tests.browser.screen import PHONE
from tests.examples import tokens_in_link
from tests.servers import PAGES

CELLS = f"{screen.CHART} svg g.mark-rect.role-mark"
ON_ITS_SIDE = {"width": 844, "height": 390}  # a phone
TABLET = {"width": 820, "height": 1180}  # upright
ENLARGED = {"width": 911, "height": 512}  # a laptop's window at one and a half times its size


BOX = """selector => {
  const cells = [...document.querySelectorAll(selector + ' path')];
  const boxes = cells.map(cell => cell.getBoundingClientRect());
  return {left: Math.round(Math.min(...boxes.map(b => b.left))),
          right: Math.round(Math.max(...boxes.map(b => b.right))),
          top: Math.round(Math.min(...boxes.map(b => b.top))),
          bottom: Math.round(Math.max(...boxes.map(b => b.bottom)))}
}"""


SIZES = """selector => [...document.querySelectorAll(selector)].map(
  e => parseFloat(getComputedStyle(e).fontSize))"""


WORDS = {
    "names beside the cells": ".role-axis-label text",
    "titles beside the cells": ".role-axis-title text",
    "captions": "[data-testid=stCaptionContainer] p",
    "the stage in view": ".st-key-stage [data-selected] p",
    "what is off in the formula": ".katex [style*=gray]",
}
CONTRAST = """e => {  // https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
  const canvas = document.createElement('canvas').getContext('2d');
  const paint = (colour, alpha) => {
    canvas.globalAlpha = alpha; canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  };
  const luminance = () => {
    const linear = c => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const line = [];
  for (let at = e; at; at = at.parentElement) line.unshift(getComputedStyle(at));
  line.forEach(style => paint(style.backgroundColor, 1));
  const behind = luminance(), own = line.at(-1), isDrawn = e instanceof SVGElement;
  const opacity = line.reduce((product, style) => product * style.opacity, isDrawn ? own.fillOpacity : 1);
  paint(isDrawn ? own.fill : own.color, opacity);
  const [less, more] = [behind, luminance()].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}"""


def cells_box(page) -> dict[str, int]:
    """Where the cells of the heatmap are, masked or not."""
    expect(page.locator(f"{CELLS} path").first).to_be_visible()
    return page.evaluate(BOX, CELLS)


def expect_cells_at(page, **sides: int) -> None:
    """Wait until the cells are there; a heatmap is away for a moment while it is drawn anew."""
    with contextlib.suppress(TimeoutError):  # what was seen instead says more
        page.wait_for_function(
            f"([selector, sides]) => {{"
            f" const box = ({BOX})(selector);"
            f" return Object.keys(sides).every(side => box[side] === sides[side]) }}",
            arg=[CELLS, sides],
        )
    box = page.evaluate(BOX, CELLS)
    assert {side: box[side] for side in sides} == sides


def test_a_title_has_its_size_before_the_style_is_there(open_page):
    page = open_page("emma_sentence", wait=False)
    main, title = page.get_by_test_id("stMainBlockContainer"), page.get_by_role("heading", level=1)
    with screen.reloaded_without(page, "**/Html.*.js"):  # which brings the style
        expect(title).to_have_css("font-size", "24px")
        expect(main).to_have_css("padding-left", "80px")
    expect(main).to_have_css("padding-left", "32px")
    expect(title).to_have_css("font-size", "24px")


def test_the_overviews_title_is_larger_than_those_of_its_pages(open_page):
    expect(open_page("").get_by_role("heading", level=1)).to_have_css("font-size", "36px")


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_cards_of_the_overview_stay_in_place_when_its_heatmaps_are_drawn(open_page, width):
    page = open_page("", viewport={"width": width, "height": 1080})
    cards, heatmaps = page.locator("[class*=st-key-card-]"), page.locator(".st-key-pipeline svg.marks")
    with screen.reloaded_without(page, "**/ArrowVegaLiteChart.*.js"):
        expect(cards).to_have_count(5)
        expect(page.locator(".katex-display")).to_be_visible()
        expect(page.get_by_text("Every number in this classroom")).to_be_attached()
        page.evaluate("() => document.fonts.ready")
        assert heatmaps.count() == 0
        before = [card.bounding_box() for card in cards.all()]
    expect(heatmaps).to_have_count(5)
    screen.wait_for_rest(page)
    assert [card.bounding_box() for card in cards.all()] == before


@pytest.mark.parametrize("path", ["emma_sentence", "animal_lookup", "random_qkv"])
def test_all_matrices_of_an_example_are_in_view_on_a_projector(open_page, path):
    page = open_page(path)
    grids = page.get_by_test_id("stDataFrame")
    expect(grids).to_have_count(2 if path == "emma_sentence" else 3)
    for grid in grids.all():
        box = grid.bounding_box()
        assert box["y"] + box["height"] <= 720


@pytest.mark.parametrize("path", ["emma_sentence", "emma_sentence?scale=true&causal=true"])
def test_the_cells_stay_in_place_from_stage_to_stage(open_page, path):
    page = open_page(path)
    first = cells_box(page)
    previous, following = (page.get_by_role("button", name=name) for name in ("Previous", "Next"))
    buttons, asked = (previous.bounding_box(), following.bounding_box()), page.locator(".st-key-asked")
    below = asked.bounding_box()["y"]
    for name in ("Scaled.", "Masked.", "Weights."):
        following.click()
        expect(screen.words(page)).to_contain_text(name)
        expect_cells_at(page, **first)
        assert (previous.bounding_box(), following.bounding_box()) == buttons
        assert asked.bounding_box()["y"] == pytest.approx(below, abs=1)


BEFORE_AN_EDIT = """selector => {
  const texts = [...document.querySelectorAll(selector + " text")].filter((e) => e.getBBox().width > 0);
  const isBefore = (e) => getComputedStyle(e).fontStyle === "italic";
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return texts.filter(isBefore).map((e) => {
    const box = e.getBoundingClientRect();
    const isFree = texts.every((other) => other === e || !meet(box, other.getBoundingClientRect()));
    return [e.textContent, parseFloat(getComputedStyle(e).fontSize), isFree];
  });
}"""


def test_a_hall_can_read_the_number_before_an_edit_beside_the_one_that_holds(open_page):
    page = open_page("emma_sentence?stage=weights")
    screen.type_into(page, "queries", 8, 0, "3")
    expect(page.locator(".st-key-effect")).to_contain_text("0.58 → 0.90")
    page.get_by_role("button", name="Present").click()
    expect(screen.words(page)).to_contain_text("Sums are of the weights before rounding")
    page.wait_for_function(f"selector => ({BEFORE_AN_EDIT})(selector).length === 8", arg=screen.HEATMAP)
    old = page.evaluate(BEFORE_AN_EDIT, screen.HEATMAP)
    assert [text for text, _, _ in old] == ["0.58", "0.04", "0.03", "0.03", "0.04", "0.03", "0.10", "0.09"]
    assert min(size for _, size, _ in old) > 14
    assert all(is_free for _, _, is_free in old)


def test_nothing_moves_once_the_stage_is_there_that_follows_the_matrices_or_an_answer(open_page):
    page = open_page("emma_sentence?present=true&ask=softmax")
    words = screen.words(page)
    expect(words).to_contain_text("Scores.")
    first = words.bounding_box()["y"]
    page.keyboard.press("PageUp")
    expect(page.locator(".st-key-inputs")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(words).to_contain_text("Scores.")
    assert words.bounding_box()["y"] == first
    screen.stage(page, "explanation")
    expect(page.locator(".st-key-large-softmax")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(words).to_contain_text("Weights.")
    assert words.bounding_box()["y"] == first


@pytest.mark.parametrize(
    ("path", "width"),
    [
        ("random_qkv", 1280),
        ("animal_lookup", 1280),
        ("word_embeddings?preset=three+tokens&stage=scores", 1280),
        ("word_embeddings", 1280),
        ("emma_sentence", 1024),
        ("word_embeddings", 1024),
        ("animal_lookup", 1152),
        ("emma_sentence", 900),
    ],
)
def test_the_cells_begin_at_the_same_height_at_every_stage_and_no_word_is_cut_off(open_page, path, width):
    page = open_page(path, viewport={"width": width, "height": 768})
    top = cells_box(page)["top"]
    following = page.get_by_role("button", name="Next")
    stages = page.locator(".st-key-stage").get_by_role("radio").all_text_contents()
    begin = stages.index("scores") if "stage=scores" in path else 0
    for name in stages[begin + 1 : -1]:
        following.click()
        expect(screen.words(page)).to_contain_text(f"{name.capitalize()}.")
        expect_cells_at(page, top=top)
        assert screen.words(page).evaluate("e => e.scrollHeight <= e.clientHeight"), f"{name} is cut off"


@pytest.mark.parametrize("path", ["emma_sentence", "emma_sentence?present=true"])
@pytest.mark.parametrize("viewport", [TABLET, {"width": 768, "height": 1024}, {"width": 1024, "height": 768}])
def test_on_a_tablet_every_number_of_a_heatmap_and_every_name_can_be_read(open_page, path, viewport):
    page = open_page(path, viewport=viewport)
    names = page.locator(f"{screen.HEATMAP} .role-axis-label text").all_text_contents()
    assert names == 2 * ["Emma", "hates", "games", "but", "she", "is", "a", "great", "friend"]
    assert min(page.evaluate(SIZES, f"{screen.HEATMAP} g.mark-text.layer_1_marks text")) > 8


BOTH_FIT = """() => {
  const grids = [...document.querySelectorAll(".dvn-scroller")];  // which come after the heatmap
  return grids.length === 2 && grids.every(e => e.scrollWidth - e.clientWidth <= 1);
}"""


def test_on_a_tablet_all_columns_of_a_matrix_are_in_view_whether_or_not_pages_are_listed(open_page):
    page = open_page("emma_sentence", viewport=TABLET, has_touch=True)
    page.wait_for_function(BOTH_FIT)
    page.get_by_text("The dot product of every query").tap()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").tap()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    screen.wait_for_rest(page)
    assert page.evaluate(BOTH_FIT)
    page.set_viewport_size({"width": 1180, "height": 820})
    page.get_by_test_id("stExpandSidebarButton").tap()
    screen.wait_for_rest(page)
    assert page.evaluate(BOTH_FIT)


def test_where_the_list_of_pages_is_closed_nothing_begins_lower_and_all_columns_are_in_view(open_page):
    page = open_page("emma_sentence", viewport={"width": 1024, "height": 768})
    top = top_of(page, "h1")
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    screen.wait_for_rest(page)
    assert top_of(page, "h1") == top
    assert page.locator(".dvn-scroller").evaluate_all(
        "all => all.every(e => e.scrollWidth - e.clientWidth <= 1)"
    )
    expect(page.locator(screen.HEATMAP)).to_be_in_viewport(ratio=1)
    left = page.get_by_test_id("stExpandSidebarButton").bounding_box()
    assert left["x"] + left["width"] <= page.locator("h1 span").first.bounding_box()["x"]
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")


def test_on_a_tablet_the_numbers_before_an_edit_can_be_read(open_page):
    page = open_page("emma_sentence", viewport=TABLET)
    screen.type_into(page, "queries", 8, 3, "3")
    old = page.locator(f"{screen.HEATMAP} text[font-style=italic]")
    expect(old).to_have_text(["-0.50", "0.00", "0.70"])
    assert min(page.evaluate(SIZES, f"{screen.HEATMAP} text[font-style=italic]")) > 8


def test_the_whole_heatmap_of_nine_tokens_fits_a_projector(open_page):
    page = open_page("emma_sentence?stage=weights")
    box = cells_box(page)
    assert box["bottom"] <= 720
    assert box["right"] <= 1280


def test_beside_a_scroll_bar_there_is_room_for_all_stages_and_the_experiments(open_page):
    page = open_page("word_embeddings", viewport={"width": 1280 - 17, "height": 720})
    tops = [page.locator(f".st-key-{key}").bounding_box()["y"] for key in ("previous", "next", "experiment")]
    assert len(set(tops)) == 1


@pytest.mark.parametrize(("name", "scheme"), [*((name, "light") for name in PAGES), ("random_qkv", "dark")])
def test_a_phone_shows_the_page_without_scrolling_sideways(open_page, name, scheme):
    page = open_page(name, viewport=PHONE, color_scheme=scheme)
    box = cells_box(page)
    assert box["left"] >= 0
    assert box["right"] <= PHONE["width"]
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE["width"]


def top_of(page, selector):
    """How far below the page's top the element is, in pixels; it may have yet to come."""
    return page.locator(selector).first.evaluate(
        "element => document.querySelector('.stMain').scrollTop + element.getBoundingClientRect().top"
    )


@pytest.mark.parametrize("viewport", [PHONE, TABLET, ENLARGED])
def test_on_a_small_screen_the_heatmap_stays_where_it_is_at_every_stage_and_edit(open_page, viewport):
    page = open_page("emma_sentence", viewport=viewport)
    top = top_of(page, screen.CHART)
    for name in ("Scaled.", "Masked.", "Weights."):
        page.get_by_role("button", name="Next").click()
        expect(screen.words(page)).to_contain_text(name)
        assert top_of(page, screen.CHART) == top
    for text, told in (("2", "Weights moved most:"), ("two", "is not a number")):
        screen.type_into(page, "queries", 8, 0, text)
        expect(page.locator(".st-key-message")).to_contain_text(told)
        assert top_of(page, screen.CHART) == top


def test_on_a_phone_the_toggles_stay_in_view_with_the_whole_heatmap(open_page):
    page = open_page("emma_sentence?stage=weights", viewport=PHONE)
    toggles = page.locator(".st-key-switchboard")
    before = toggles.bounding_box()
    page.locator(screen.CHART).evaluate("chart => chart.scrollIntoView({block: 'end'})")
    expect(page.locator(screen.CHART)).to_be_in_viewport(ratio=1)
    assert toggles.bounding_box() == before
    assert before["x"] + before["width"] <= PHONE["width"]
    screen.toggle(page, "causal")
    expect(screen.number(page, 0, 1, columns=9)).to_have_text("0")
    expect(page.locator(screen.CHART)).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_heatmap_begins_on_the_first_screen_of_every_page(open_page):
    for name in PAGES:
        page = open_page(name, viewport=PHONE)
        assert cells_box(page)["top"] < 0.85 * PHONE["height"]


def test_on_a_phone_the_toggles_make_room_for_the_list_of_pages_and_nothing_else_moves(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    toggles, top = page.locator(".st-key-switchboard"), top_of(page, "h1")
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(toggles).to_be_hidden()
    screen.wait_for_rest(page)
    assert top_of(page, "h1") == top
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()  # a browser remembers it
    expect(toggles).to_be_visible()
    screen.toggle(page, "scale")
    expect(page).to_have_url(re.compile("scale=true"))


def test_on_a_phone_the_list_of_pages_closes_when_one_is_chosen(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    sidebar = page.get_by_test_id("stSidebar")
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    screen.go_to(page, "Animal lookup")
    expect(page).to_have_url(re.compile("/animal_lookup"))
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    expect(page.locator(".st-key-switchboard")).to_be_visible()


def test_on_a_phone_the_list_of_pages_closes_however_early_one_is_chosen(open_page):
    page = open_page("emma_sentence", viewport=PHONE, wait=False)
    sidebar = page.get_by_test_id("stSidebar")
    with screen.reloaded_without(page, "**/BidiComponent.*.js"):  # which brings our script
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar).to_have_attribute("data-collapsed", "false")
        screen.go_to(page, "Animal lookup")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Animal lookup")
    expect(sidebar).to_have_attribute("data-collapsed", "true")


SCROLLED = "() => document.querySelector('[data-testid=stMain]').scrollTop"


def test_on_a_phone_another_stage_stays_where_one_looks_at_it(open_page):
    page = open_page("word_embeddings", viewport=PHONE)
    assert page.evaluate(SCROLLED) == 0
    for name in ("keys", "values", "queries"):
        screen.stage(page, name)
        weight = f"W_{name.replace('queries', 'query').removesuffix('s')}"
        expect(page.get_by_role("tab", name=weight)).to_have_attribute("aria-selected", "true")
        expect(screen.words(page)).to_contain_text(f"{name.capitalize()}.")
        screen.wait_for_rest(page)
        assert page.evaluate(SCROLLED) == 0


def test_on_a_phone_another_page_begins_at_its_top(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    page.locator(".st-key-names-and-sizes").scroll_into_view_if_needed()
    assert page.evaluate(SCROLLED) > 500
    page.get_by_test_id("stExpandSidebarButton").click()
    screen.go_to(page, "Word embeddings")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Word embeddings")
    expect(page.locator(screen.CHART)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_on_a_phone_the_list_of_pages_closes_behind_a_dialog(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    sidebar = page.get_by_test_id("stSidebar")
    for button in ("open-share", "open-save"):
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        screen.wait_for_rest(page)
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar).to_have_attribute("data-collapsed", "false")
        screen.press(page, button)
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_on_a_phone_the_list_of_pages_closes_when_a_is_kept_or_compared(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    sidebar = page.get_by_test_id("stSidebar")
    for choose in (
        lambda: page.get_by_role("button", name="Keep as A").click(),
        lambda: page.locator(".st-key-compare").get_by_role("radio", name="B − A").click(),
    ):
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        screen.wait_for_rest(page)
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar).to_have_attribute("data-collapsed", "false")
        choose()
        expect(sidebar).to_have_attribute("data-collapsed", "true")
    expect(screen.words(page)).to_contain_text("B − A, scores")


def test_on_a_phone_a_what_if_is_explained_where_it_is_seen(open_page):
    explained = "A small T leaves all weight to the best key, or to those that tie;"
    for viewport, is_phone in ((PHONE, True), ({"width": 1280, "height": 720}, False)):
        page = open_page("emma_sentence?what_if=temperature", viewport=viewport)
        place = page.locator(".st-key-on-a-phone")
        expect(place).to_contain_text(
            f"{explained} a large T lets all keys count the same. “Temperature T” is set in the menu."
        )
        assert place.is_visible() == is_phone


@pytest.mark.parametrize("viewport", [PHONE, {"width": 700, "height": 900}])
def test_the_list_of_pages_closes_where_it_covers_what_a_what_if_does(open_page, viewport):
    page = open_page("emma_sentence", viewport=viewport)
    sidebar = page.get_by_test_id("stSidebar")
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    screen.wait_for_rest(page)
    screen.pick(page, "What if", "mask after softmax")
    expect(page.locator(".st-key-verdict")).to_contain_text("mask after softmax")
    expect(sidebar).to_have_attribute("data-collapsed", "true")


def test_the_name_of_every_what_if_fits_its_list(open_page):
    page = open_page("word_embeddings?what_if=softmax+over+queries")
    chosen = page.get_by_label("What if", exact=True)
    expect(chosen).to_have_value("softmax over queries")
    assert chosen.evaluate("list => list.scrollWidth <= list.clientWidth")


def test_on_a_phone_no_toolbar_covers_the_words_above_a_table(open_page):
    page = open_page("emma_sentence?ask=softmax", viewport=PHONE)
    table = page.locator(".st-key-asked").get_by_test_id("stDataFrame")
    table.click()
    expect(table).to_be_visible()
    for toolbar in page.locator(".st-key-asked").get_by_test_id("stElementToolbar").all():
        expect(toolbar).to_be_hidden()


@pytest.mark.parametrize("width", [330, 360, 390])
def test_what_is_above_the_heatmap_fits_any_phone(open_page, width):
    page = open_page("random_qkv", viewport={"width": width, "height": 740})
    expect(page.locator(".st-key-switchboard")).to_have_css("position", "fixed")
    toggles = page.locator(".st-key-switchboard").bounding_box()
    button = page.get_by_test_id("stExpandSidebarButton").bounding_box()
    assert button["x"] + button["width"] <= toggles["x"]
    assert toggles["x"] + toggles["width"] <= width


@pytest.mark.parametrize("path", ["random_qkv", "animal_lookup?stage=output", "emma_sentence?stage=weights"])
def test_words_above_the_heatmap_are_whole_on_any_phone_and_take_the_same_room(open_page, path):
    page = open_page(path, viewport=PHONE)
    for width, room in ((390, 15.25), (360, 16), (330, 16)):
        page.set_viewport_size({"width": width, "height": 740})
        heights = "words => [words.scrollHeight, words.clientHeight]"
        assert screen.words(page).evaluate(heights) == [16 * room, 16 * room]


def test_a_wide_screen_keeps_its_list_of_pages(open_page):
    page = open_page("emma_sentence")
    screen.go_to(page, "Animal lookup")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Animal lookup")
    screen.press(page, "open-share")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")


def test_a_card_is_a_link_as_a_whole(open_page):
    page = open_page("")
    card = page.locator(".st-key-card-animal_lookup")
    box = card.bounding_box()
    card.click(position={"x": box["width"] - 8, "y": box["height"] - 8})
    expect(page).to_have_url(re.compile("/animal_lookup"))


def assert_at_the_bottom(told):
    expect(told).to_be_in_viewport(ratio=1)
    assert told.bounding_box()["y"] > 0.8 * told.page.viewport_size["height"]


@pytest.mark.parametrize("viewport", [PHONE, TABLET])
def test_on_a_small_screen_what_cannot_be_used_is_told_where_it_was_typed(open_page, viewport):
    page = open_page("emma_sentence", viewport=viewport)
    screen.type_into(page, "queries", 8, 0, "two")
    problems = page.locator(".st-key-problems")
    expect(problems).to_contain_text("row 'friend', column 'Person': 'two' is not a number")
    assert_at_the_bottom(problems)
    screen.type_into(page, "queries", 8, 0, "2")
    expect(problems).to_have_count(0)


@pytest.mark.parametrize("viewport", [PHONE, TABLET])
def test_on_a_small_screen_what_an_edit_did_is_told_where_it_was_typed_until_hidden(open_page, viewport):
    page = open_page("emma_sentence", viewport=viewport)
    screen.type_into(page, "keys", 8, 1, "2.5")
    effect = page.locator(".st-key-effect")
    expect(effect).to_contain_text("Weights moved most: friend → friend 0.09 → 0.47")
    assert_at_the_bottom(effect)
    expect(hint(page)).to_be_visible()
    effect.get_by_role("button", name="Hide").click()
    expect(effect).to_have_count(0)


def test_beside_what_an_edit_did_there_is_no_hint_on_a_wide_screen(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "keys", 8, 1, "2.5")
    expect(page.locator(".st-key-effect")).to_contain_text("Weights moved most:")
    expect(hint(page)).to_have_count(1)
    expect(hint(page)).to_be_hidden()


def test_what_has_no_label_says_under_the_pointer_what_it_is(open_page):
    page = open_page("animal_lookup")
    hints = {
        "only": "All queries as one matrix, or one of them alone: the same numbers.",
        "layout": "T x C: a row for each token, as in the paper. C x T: a column for each token.",
        "decimals": "Decimals shown. Inside, every number keeps its full precision.",
    }
    for key, hint in hints.items():
        page.locator(f".st-key-{key}").hover()
        expect(page.locator(f".st-key-{key}")).to_have_attribute("title", hint)
    page = open_page("word_embeddings")
    page.locator(".st-key-preset").hover()
    expect(page.locator(".st-key-preset")).to_have_attribute("title", re.compile("^The worked example"))


def test_an_edit_leaves_names_and_sizes_where_they_are(open_page):
    page = open_page("emma_sentence")
    top = top_of(page, ".st-key-names-and-sizes")
    screen.type_into(page, "keys", 8, 1, "2.5")
    expect(page.locator(".st-key-edits")).to_contain_text("keys, friend, Animal: 0 → 2.5")
    assert top_of(page, ".st-key-names-and-sizes") == top


@pytest.mark.parametrize("line", ["effect", "verdict"])
@pytest.mark.parametrize("width", [1024, 1160, 1280, 1600])
def test_a_weight_that_an_edit_moved_is_told_whole_or_not_at_all(open_page, width, line):
    page = open_page("emma_sentence", viewport={"width": width, "height": 768})
    if line == "verdict":  # of what moved since A
        screen.press(page, "keep")
        expect(page.locator(".st-key-verdict")).to_contain_text("A is kept.")
    screen.type_into(page, "keys", 8, 1, "2.5")
    told = page.locator(f".st-key-{line} p").first
    expect(told.locator("strong")).to_have_count(5)
    ends = told.evaluate(
        """line => {
            const box = line.getBoundingClientRect();
            const ends = [...line.querySelectorAll("strong")].map((bold) => bold.getBoundingClientRect());
            const isWhole = (end) => end.bottom <= box.bottom && end.right <= box.right;
            return ends.map((end) => [end.top > box.bottom - 1, isWhole(end)]);
        }"""
    )
    assert ends[:3] == [[False, True]] * 3
    assert all(is_below != is_whole for is_below, is_whole in ends), ends


@pytest.mark.parametrize("width", [800, 1024, 1160, 1280])
def test_a_chosen_query_leaves_the_matrices_where_they_are(open_page, width):
    page = open_page("emma_sentence", viewport={"width": width, "height": 768})
    top = top_of(page, ".st-key-editor-keys canvas")
    screen.pick(page, "Query", "9 friend")
    expect(page.locator(".st-key-editor-queries")).to_contain_text("Queries Q, 9 × 4; chosen: row friend")
    assert top_of(page, ".st-key-editor-keys canvas") == top


def test_a_draw_with_a_seed_is_chosen_where_one_presses(open_page):
    page = open_page("random_qkv?experiment=why+√d_k")
    top = top_of(page, ".st-key-draw")
    page.get_by_role("radio", name="a draw with a seed").click()
    expect(page.locator(".st-key-redraw")).to_be_visible()
    assert top_of(page, ".st-key-draw") == top


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_on_an_old_projector_all_rows_of_the_heatmap_and_all_columns_of_a_matrix_are_in_view(
    open_page, stage
):
    page = open_page(f"emma_sentence?stage={stage}", viewport={"width": 1024, "height": 768})
    assert cells_box(page)["bottom"] <= 768
    page.wait_for_function(BOTH_FIT)
    names = page.locator(".st-key-pages .stPageLink p")
    assert names.evaluate_all("all => all.length === 6 && all.every(e => e.scrollWidth <= e.clientWidth)")


def test_what_an_edit_did_takes_one_line_on_a_small_projector(open_page):
    page = open_page("emma_sentence", viewport={"width": 1024, "height": 768})
    screen.type_into(page, "queries", 8, 0, "3")
    said = page.locator(".st-key-effect p").first
    expect(said).to_contain_text("Weights moved most:")
    assert said.bounding_box()["height"] < 30


@pytest.mark.parametrize("width", [1024, 1280])
def test_what_cannot_be_used_takes_one_line_however_long_it_is(open_page, width):
    page = open_page("word_embeddings", viewport={"width": width, "height": 720})
    screen.type_into(page, "embeddings", 0, 0, "a number of more characters than one line can hold")
    line = page.locator(".st-key-refused")
    expect(line).to_contain_text("is not a number; write one like")
    text = line.get_by_test_id("stText").bounding_box()
    assert text["height"] < 30
    assert text["x"] + text["width"] <= width
    expect(line.get_by_text("Not used")).to_be_in_viewport(ratio=0.9)
    expect(line.get_by_test_id("stText")).to_be_in_viewport(ratio=0.9)


def test_the_hint_is_back_when_a_number_that_cannot_be_used_is_as_it_was(open_page):
    page = open_page("emma_sentence")
    expect(hint(page)).to_be_visible()
    screen.type_into(page, "queries", 8, 3, "one")
    expect(page.locator(".st-key-refused")).to_contain_text("'one' is not a number")
    expect(hint(page)).to_be_hidden()
    screen.type_into(page, "queries", 8, 3, "1")
    expect(page.locator(".st-key-refused")).to_have_count(0)
    expect(hint(page)).to_be_visible()


def hint(page):
    return page.locator(".st-key-message").get_by_text("Try it.")


def test_on_a_phone_a_menu_that_is_closed_takes_no_focus(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    expect(sidebar.get_by_role("link")).to_have_count(0)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar.get_by_role("link")).to_have_count(6)


OPACITIES = """() => {
  const parts = ":is(.role-axis-label, .role-legend-label, .role-mark)";
  const texts = [...document.querySelectorAll(`svg.marks ${parts} text`)];
  const found = (isSeen, name) => {
    const some = texts.filter((text) => (text.getAttribute("opacity") !== "0") === isSeen);
    return [...new Set(some.map((text) => getComputedStyle(text)[name]))].sort();
  };
  return [found(true, "fillOpacity"), found(false, "opacity")];
}"""


@pytest.mark.parametrize(("contrast", "opacities"), [("no-preference", ["0.75", "1"]), ("more", ["1"])])
def test_words_of_a_chart_fade_unless_more_contrast_is_asked_for(open_page, contrast, opacities):
    page = open_page("emma_sentence?stage=scores", contrast=contrast)
    seen, unseen = page.evaluate(OPACITIES)
    assert seen == opacities
    assert unseen == ["0"]  # the sums, which only weights have


def test_high_contrast_shows_what_is_chosen_and_what_is_on(open_page):
    page = open_page("emma_sentence?stage=weights&causal=true", forced_colors="active")
    stages = page.locator(".st-key-stage").get_by_role("radio")
    expect(stages.and_(page.locator("[aria-checked=true]"))).to_have_css("outline-style", "solid")
    expect(stages.first).to_have_css("outline-style", "none")
    tracks = [page.locator(f".st-key-{toggle} label > span + div") for toggle in ("scale", "causal")]
    off, on = (track.evaluate("e => getComputedStyle(e).backgroundColor") for track in tracks)
    assert off != on


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_on_what_is_behind_them(open_page, scheme):
    page = open_page("emma_sentence?stage=weights", color_scheme=scheme)
    found = {name: page.locator(f".stMain {words}").first.evaluate(CONTRAST) for name, words in WORDS.items()}
    screen.press(page, "keep")
    beside = page.locator(".st-key-comparing [data-testid=stCaptionContainer] p")
    expect(beside).to_contain_text("A:")
    found["captions in the sidebar"] = beside.evaluate(CONTRAST)
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}


def test_the_dark_theme_keeps_the_numbers_dark_on_light_cells(open_page):
    page = open_page("emma_sentence?stage=weights", color_scheme="dark")
    background = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    assert all(int(part) < 60 for part in re.findall(r"\d+", background)[:3])
    expect(screen.number(page, 8, 1, columns=9)).to_have_attribute("fill", "#000000")
    expect(screen.number(page, 0, 0, columns=9)).to_have_text("0.61")


def test_masked_cells_show_minus_infinity(open_page):
    page = open_page("emma_sentence?causal=true&stage=masked")
    masked = page.locator(f"{screen.CHART} svg g.mark-text.layer_1_marks text[fill='#4a4a4a']")
    expect(masked).to_have_count(36)
    assert set(masked.all_text_contents()) == {"-∞"}


def test_sums_stand_beside_the_weights_and_nowhere_else(open_page):
    page = open_page("emma_sentence?stage=weights")
    sums = page.locator(f"{screen.CHART} svg g.mark-text.layer_2_marks text")
    expect(sums).to_have_text(["= 1.00"] * 9)
    expect(sums.first).to_have_css("opacity", "1")
    page.get_by_role("button", name="Previous").click()
    expect(screen.words(page)).to_contain_text("Masked.")
    expect(sums.first).to_have_css("opacity", "0")


@pytest.mark.parametrize(("tokens", "viewport"), [(30, {"width": 1280, "height": 720}), (16, PHONE)])
def test_sums_below_narrow_columns_stand_upright_and_can_be_read(open_page, tokens, viewport):
    path = f"your_vectors?stage=weights&layout=C+x+T&edits={tokens_in_link(tokens)}"
    page = open_page(path, viewport=viewport)
    sums = page.locator(f"{screen.CHART} svg text").get_by_text("= 1.00")
    expect(sums).to_have_count(tokens)
    for number in (0, tokens - 1):
        expect(sums.nth(number)).to_have_attribute("transform", re.compile(r"rotate\(270\)"))
        size = sums.nth(number).evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
        assert size >= 10
        heatmap, place = page.locator(screen.HEATMAP).bounding_box(), sums.nth(number).bounding_box()
        assert place["y"] + place["height"] <= heatmap["y"] + heatmap["height"]
        assert place["x"] + place["width"] <= heatmap["x"] + heatmap["width"]


def test_animals_have_no_causal_mask_and_say_why(open_page):
    page = open_page("animal_lookup?stage=weights")
    expect(page.locator(".st-key-causal input")).to_be_disabled()
    expect(screen.number(page, 0, 1, columns=5)).to_have_text("1.1e-13")
    screen.stage(page, "masked")
    expect(screen.words(page)).to_contain_text("no key comes before or after a query")


def test_one_query_of_the_animals_can_be_in_view(open_page):
    page = open_page("animal_lookup?stage=weights")
    expect(screen.number(page, 1, 1, columns=5)).to_have_text("1.00")
    screen.pick(page, "Query in view", "mammal")
    texts = page.locator(f"{screen.CHART} svg g.mark-text.layer_1_marks text")
    expect(texts).to_have_text(["0.16", "1.1e-13", "1.2e-8", "0.10", "0.74"])


def test_the_table_holds_the_numbers_of_the_heatmap(open_page):
    page = open_page("emma_sentence?stage=weights")
    page.locator(".st-key-table").get_by_text("The same numbers as a table").click()
    table = page.locator(".st-key-table").get_by_test_id("stDataFrame")
    expect(table.get_by_test_id("glide-cell-0-8")).to_have_text("friend")
    expect(table.get_by_test_id("glide-cell-1-8")).to_have_text("0.58")
    page.get_by_role("button", name="Previous").click()
    expect(table.get_by_test_id("glide-cell-1-8")).to_have_text("2.42")


@pytest.mark.parametrize("name", PAGES)
def test_all_stages_stand_side_by_side(open_page, name):
    page = open_page(f"{name}?stage=all", viewport={"width": 1920, "height": 1080})
    charts = page.locator("[class*=st-key-heatmap-]")
    expect(charts).to_have_count({"emma_sentence": 4, "word_embeddings": 8}.get(name, 5))
    first, second = charts.nth(0).bounding_box(), charts.nth(1).bounding_box()
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]


def test_hostile_names_are_shown_as_text(open_page):
    page = open_page("emma_sentence")
    hostile = "<b>x</b> $y$ **z** `c` :red[w]"
    page.get_by_role("button", name="Names and sizes").click()
    page.get_by_label("New name").fill(hostile)
    page.get_by_role("button", name="Rename").click()
    expect(screen.cell(page, "keys", 8, -1)).to_have_text(hostile)
    expect(screen.words(page).locator("p").last.locator("code").first).to_have_text(hostile)
    expect(page.locator(screen.HEATMAP)).to_contain_text("<b>x</b>")
    expect(page.locator(".st-key-edits")).to_contain_text(hostile)
    page.keyboard.press("Escape")
    page.get_by_label("Query", exact=True).click()
    expect(page.get_by_role("option", name=f"9 {hostile}", exact=True)).to_be_visible()


def test_a_chosen_button_is_as_easy_to_read_beneath_a_pointer(open_page):
    page = open_page("emma_sentence", color_scheme="dark")
    chosen = page.get_by_role("radio", name="weights")
    chosen.click()
    expect(chosen).to_have_attribute("aria-checked", "true")
    expect(chosen).to_have_attribute("data-hovered", "true")
    look = "e => getComputedStyle(e).color"
    beneath_pointer = chosen.evaluate(look)
    page.mouse.move(5, 5)
    expect(chosen).not_to_have_attribute("data-hovered", "true")
    assert chosen.evaluate(look) == beneath_pointer


TWELVE = ["Über", "den", "Wolken", "muss", "die", "Freiheit", "wohl", "so", "sein", "sagte", "der", "Müller"]
TWELVE_TOKENS = pack({"start": content_of(Recipe(tokens=tuple(TWELVE)))})
NUMBERS = "[class*=st-key-cells] svg g.mark-text.layer_1_marks text"
OLD_NUMBERS = "[class*=st-key-cells] svg g.mark-text.layer_4_marks text"


@pytest.mark.parametrize("width", [390, 360])
@pytest.mark.parametrize("stage", ["scores", "weights"])
def test_on_a_phone_twelve_tokens_have_all_their_numbers_in_one_size(open_page, width, stage):
    page = open_page(f"your_vectors?stage={stage}&edits={TWELVE_TOKENS}", viewport={**PHONE, "width": width})
    expect(page.locator(NUMBERS)).to_have_count(12 * 12)
    sizes = set(page.evaluate(SIZES, NUMBERS))
    assert len(sizes) == 1
    assert min(sizes) >= 5


def test_on_a_phone_no_number_from_before_an_edit_stands_alone(open_page):
    page = open_page("emma_sentence", viewport=PHONE)
    screen.type_into(page, "keys", 2, 0, "1000")
    expect(page.locator(OLD_NUMBERS).first).to_be_attached()
    assert 0 not in page.evaluate(SIZES, NUMBERS)


def test_sideways_the_cards_have_their_whole_titles(open_page):
    page = open_page("", viewport={"width": 844, "height": 390})
    for title in page.locator("[class*=st-key-card-] a p").all():
        assert title.evaluate("p => p.scrollWidth <= p.clientWidth"), title.text_content()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_switch_that_is_turned_off_is_seen_while_the_pointer_is_still_on_it(open_page, theme):
    page = open_page("emma_sentence?causal=true", color_scheme=theme)
    switch = page.locator(".st-key-causal label")
    track = switch.locator("> span + div")
    alpha = "e => Number(getComputedStyle(e).backgroundColor.match(/([\\d.]+)\\)$/)[1])"
    switch.click()
    expect(switch.locator("input")).not_to_be_checked()
    page.wait_for_function(f"e => ({alpha})(e) === 0.3", arg=track.element_handle())
    page.mouse.move(5, 300)
    page.wait_for_function(f"e => ({alpha})(e) === 0.2", arg=track.element_handle())


@pytest.mark.parametrize("opens", ["open-load", "open-save"])
def test_the_labels_of_a_dialog_stand_in_one_line_and_what_is_behind_it_grows_darker(open_page, opens):
    page = open_page("emma_sentence", color_scheme="dark")
    page.locator(f".st-key-{opens} button").click()
    dialog = page.get_by_test_id("stDialog")
    labels = dialog.locator(".st-key-labelled-row").get_by_test_id("stWidgetLabel")
    expect(labels).to_have_count(2)
    one, other = (label.evaluate("e => e.getBoundingClientRect().top") for label in labels.all())
    assert one == pytest.approx(other, abs=1)
    expect(dialog).to_have_css("background-color", "rgba(0, 0, 0, 0.45)")


@pytest.mark.parametrize("title", sorted(PAGES))
def test_a_phone_on_its_side_has_all_controls_and_the_menus_button_beside_the_words(open_page, title):
    page = open_page(title, viewport=ON_ITS_SIDE)
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    menu = page.get_by_test_id("stExpandSidebarButton")
    expect(menu).to_be_visible()
    page.wait_for_function("wide => document.querySelector('.stMain').clientWidth === wide", arg=844)
    assert page.locator(".stMain").evaluate("e => e.scrollWidth") == 844
    place, words = menu.bounding_box(), page.locator(".st-key-message").bounding_box()
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= words["x"]
