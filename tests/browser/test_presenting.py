"""The presenter view: a clicker, a hall, and the way back."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.recipes import Recipe, content_of
from core.sharing import pack
from core.what_if import KINDS, offered
from core.writings import EINSUM, LECTURE
from tests.browser import screen
from tests.examples import PRESETS

STEPS = {
    "emma_sentence": ["scores", "scaled", "masked", "weights"],
    "random_qkv": ["scores", "scaled", "masked", "weights", "output"],
    "animal_lookup": ["scores", "scaled", "masked", "weights", "output"],
    "word_embeddings": ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "output"],
}
FIXED = (".st-key-next", ".st-key-previous", ".st-key-stage", ".st-key-switches", ".st-key-leave")


def boxes(page: Page, *selectors: str) -> list[dict]:
    return [page.locator(selector).bounding_box() for selector in selectors]


SCROLLS = "() => (main => main.scrollHeight > main.clientHeight + 1)(document.querySelector('.stMain'))"


def scrolls(page: Page) -> bool:
    return page.evaluate(SCROLLS)


@pytest.mark.parametrize("name", STEPS)
def test_a_clicker_walks_there_and_back_and_nothing_moves(open_page, name):
    page = open_page(f"{name}?present=true")
    formula = screen.words(page)
    expect(formula).to_contain_text(f"{STEPS[name][0].capitalize()}.")
    controls, place = boxes(page, *FIXED), screen.heatmap_place(page)
    for stage in STEPS[name][1:]:
        page.keyboard.press("PageDown")
        expect(formula).to_contain_text(f"{stage.capitalize()}.")
        expect(page).to_have_url(re.compile(f"stage={stage}"))
        screen.expect_heatmap_at(page, place)
        assert boxes(page, *FIXED) == controls
        assert not scrolls(page)
        assert formula.evaluate("e => e.scrollHeight <= e.clientHeight"), f"{stage}: the text is cut off"
    page.keyboard.press("PageDown")
    explanation = page.locator(".st-key-explanation")
    expect(explanation).to_contain_text("Weight")
    assert not scrolls(page)
    assert boxes(page, *FIXED) == controls
    for stage in reversed(STEPS[name]):
        page.keyboard.press("PageUp")
        expect(formula).to_contain_text(f"{stage.capitalize()}.")
        screen.expect_heatmap_at(page, place)


@pytest.mark.parametrize(
    ("end", "there", "back", "words"),
    [("scores", "PageDown", "PageUp", "Scores."), ("explanation", "PageUp", "PageDown", "Where the number")],
)
def test_a_step_from_either_end_and_back_in_one_breath_leads_to_that_end(open_page, end, there, back, words):
    page = open_page("emma_sentence?present=true")
    screen.stage(page, end)
    shown = page.locator(".st-key-one-stage")
    expect(shown).to_contain_text(words)
    page.keyboard.press(there)
    page.keyboard.press(back)
    page.locator(".st-key-switches").get_by_role("button", name="Scale").click()
    expect(page).to_have_url(re.compile("scale=true"))  # so that both keys have been answered, too
    expect(shown).to_contain_text(words)


def test_every_key_of_a_clicker_counts_however_fast_they_come(open_page):
    page = open_page("word_embeddings?present=true")
    expect(screen.words(page)).to_contain_text("Queries.")
    for keys, stage in (("DDUDUDDUDUD", "scores"), ("DDDDD", "explanation"), ("UUDUUDUU", "scaled")):
        for key in keys:
            page.keyboard.press("PageDown" if key == "D" else "PageUp")
        expect(page).to_have_url(re.compile(f"stage={stage}"))
        page.locator(".st-key-switches").get_by_role("button", name="Scale").click()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(page).to_have_url(re.compile(f"stage={stage}"))


def test_a_clicker_goes_on_after_an_experiment_and_after_a_list_that_was_closed(open_page):
    page = open_page("random_qkv?present=true")
    screen.pick(page, "Experiments", "why √d_k")
    page.get_by_role("button", name="Stages").click()
    expect(screen.words(page)).to_contain_text("Scores.")
    for stage in ("Scaled.", "Masked.", "Weights."):
        page.keyboard.press("PageDown")
        expect(screen.words(page)).to_contain_text(stage)
    page.get_by_label("Experiments", exact=True).click()
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    for stage in ("Masked.", "Scaled."):
        page.keyboard.press("PageUp")
        expect(screen.words(page)).to_contain_text(stage)


def test_all_grows_with_the_screen_of_a_hall(open_page):
    sizes = []
    for width, height in ((1280, 720), (1920, 1080)):
        page = open_page("random_qkv?present=true", viewport={"width": width, "height": height})
        number = screen.number(page, 3, 0, columns=4)
        expect(number).to_be_visible()
        step = page.get_by_role("radio", name="scaled").locator("p")
        sizes.append([float(e.evaluate("e => getComputedStyle(e).fontSize")[:-2]) for e in (number, step)])
    assert [large / small for small, large in zip(*sizes, strict=True)] == pytest.approx([1.5, 1.5], rel=0.1)


def test_numbers_can_be_read_from_the_last_row(open_page):
    page = open_page("emma_sentence?present=true", viewport={"width": 1280, "height": 720})
    for stage in STEPS["emma_sentence"]:
        screen.stage(page, stage)
        expect(screen.words(page)).to_contain_text(f"{stage.capitalize()}.")
        number = screen.number(page, 8, 0, columns=9)
        expect(number).to_be_visible()
        assert float(number.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 20
    box = screen.heatmap_place(page)
    assert box["y"] + box["height"] <= 720


def test_the_presenter_view_is_full_on_a_large_screen(open_page):
    page = open_page("emma_sentence?present=true", viewport={"width": 1920, "height": 1080})
    box = screen.heatmap_place(page)
    assert 980 < box["y"] + box["height"] <= 1080
    assert box["width"] > 1800
    assert page.get_by_test_id("stSidebar").count() == 0


def test_the_button_presents_and_leaving_gives_the_page_back(open_page):
    page = open_page("emma_sentence?layout=C+x+T&query=9+friend&key=1+Emma&stage=scaled")
    screen.type_into(page, "keys", 0, 0, "3")
    expect(page.locator(".st-key-edits")).to_contain_text("1.2 → 3")
    page.get_by_role("button", name="Present").click()
    expect(page.locator(".st-key-leave")).to_be_visible()
    expect(page).to_have_url(re.compile("present=true"))
    expect(page.locator(".st-key-layout")).to_have_count(1)
    expect(page.locator(".st-key-layout")).to_be_hidden()
    page.locator(".st-key-switches").get_by_role("button", name="Scale").click()
    expect(screen.words(page)).to_contain_text("2.11")
    page.keyboard.press("PageDown")
    expect(screen.words(page)).to_contain_text("Masked.")
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(".st-key-edits")).to_contain_text("1.2 → 3")
    expect(page).not_to_have_url(re.compile("present"))
    expect(page).to_have_url(re.compile("stage=masked"))
    expect(page.locator(".st-key-scale input")).to_be_checked()
    expect(page.locator(".st-key-layout").get_by_role("radio", name="C x T")).to_be_checked()
    expect(screen.marked(page)).to_have_count(1)
    expect(screen.cell(page, "keys", 0, 0)).to_have_text("3")


def test_leaving_the_explanation_leads_to_the_same_number(open_page):
    link = "emma_sentence?present=true&stage=explanation&query=9+friend&key=1+Emma"
    page = open_page(link, wait=False)
    expect(page.locator(".st-key-explanation")).to_contain_text("1 × 1.2 + Animal 0.9 × 0.8")
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(".st-key-answer")).to_contain_text("Weight 11.25 / 19.29 ≈ 0.58")
    expect(page).to_have_url(re.compile("stage=weights"))


def test_a_click_selects_in_the_presenter_view_too_and_is_explained(open_page):
    page = open_page("emma_sentence?present=true&stage=weights")
    expect(screen.number(page, 4, 0, columns=9)).to_have_text("0.19")
    screen.click_cell(page, 4, 0, columns=9)
    expect(screen.marked(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(r"query=5\+she&key=1\+Emma"))
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-explanation")).to_contain_text("Where the number of she → Emma comes from")


def test_a_what_if_is_seen_and_read_in_the_presenter_view(open_page):
    page = open_page("emma_sentence?present=true&stage=weights&what_if=temperature&temperature=20")
    expect(page.locator(".st-key-message")).to_contain_text(
        "temperature. Not attention as defined. The scores"
    )
    expect(screen.words(page)).to_contain_text("T = 20")
    assert not scrolls(page)
    page.get_by_role("button", name="Less").click()
    expect(screen.words(page)).to_contain_text("T = 10")
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile("stage=masked"))


@pytest.mark.parametrize(
    ("preset", "width", "height"),
    [
        ("emma_sentence", 1280, 720),
        ("emma_sentence", 1024, 768),
        ("random_qkv", 1280, 720),
        ("i_love_coding", 1280, 720),
        ("animal_lookup", 1280, 720),
    ],
)
def test_the_heatmap_stays_where_it_is_whatever_is_said_above_it(open_page, preset, width, height):
    page = open_page(f"{PRESETS[preset].page}?present=true", viewport={"width": width, "height": height})
    said, place = page.locator(".st-key-message"), screen.heatmap_place(page)
    assert place["height"] >= height / 2
    for kind in offered(PRESETS[preset].inputs, bool(PRESETS[preset].unordered)):
        page.locator(".st-key-what-if-menu button").first.click()
        page.get_by_role("menuitem", name=KINDS[kind].title, exact=True).click()
        expect(said).to_contain_text(f"{KINDS[kind].title}. {KINDS[kind].verdict}")
        screen.expect_heatmap_at(page, place)
    said.get_by_role("button", name="End").click()
    expect(said).to_have_text("")
    screen.expect_heatmap_at(page, place)


def test_the_menu_of_what_ifs_leads_back_to_attention_as_defined(open_page):
    page = open_page("emma_sentence?present=true&stage=scores")
    menu, said = page.locator(".st-key-what-if-menu button").first, page.locator(".st-key-message")
    menu.click()
    expect(page.get_by_role("menuitem", name="as defined")).to_have_count(0)
    page.get_by_role("menuitem", name="temperature").click()
    expect(said).to_contain_text("temperature. Not attention as defined.")
    menu.click()
    page.get_by_role("menuitem", name="as defined").click()
    expect(said).to_have_text("")
    expect(page).to_have_url(re.compile(r"emma_sentence\?present=true$"))


def test_an_experiment_which_shows_attention_as_defined_offers_no_what_if(open_page):
    page = open_page("emma_sentence?present=true&experiment=arrows")
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    expect(page.locator(".st-key-what-if-menu")).to_have_count(0)
    page.get_by_role("button", name="Stages").click()
    expect(page.locator(".st-key-what-if-menu")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_an_edit_that_is_told_of_hidden_or_compared_moves_nothing(open_page, width, height):
    size = {"viewport": {"width": width, "height": height}}
    page = open_page("emma_sentence?stage=weights", **size)
    screen.type_into(page, "queries", 8, 3, "3")
    expect(page).to_have_url(re.compile("edits="))
    page = open_page(f"{page.url.split('/')[-1]}&present=true", **size)
    said, place = page.locator(".st-key-message"), screen.heatmap_place(page)
    expect(said).to_contain_text("Edit: queries friend Adjective 1 → 3. Weights moved most:")
    assert place["y"] + place["height"] <= height
    page.locator(".st-key-switches").get_by_role("button", name="Scale").click()
    expect(screen.number(page, 8, 0, columns=9)).to_have_text("0.25")
    screen.expect_heatmap_at(page, place)
    said.get_by_role("button", name="Hide").click()
    expect(said).to_have_text("")
    screen.expect_heatmap_at(page, place)
    page.locator(".st-key-leave button").click()
    page.get_by_role("button", name="Keep as A").click()
    page.get_by_role("button", name="Present").click()
    expect(said.get_by_role("radio", name="B − A")).to_be_visible()
    screen.expect_heatmap_at(page, place)
    page.locator(".st-key-what-if-menu button").first.click()
    page.get_by_role("menuitem", name="temperature").click()
    expect(said).to_contain_text("Not attention as defined.")
    expect(said.get_by_role("radio", name="B − A")).to_be_visible()
    screen.expect_heatmap_at(page, place)


def test_on_a_phone_every_switch_and_the_way_out_can_be_reached(open_page):
    page = open_page("emma_sentence?present=true&stage=weights", viewport={"width": 390, "height": 844})
    for selector in (*FIXED, ".st-key-what-if-menu"):
        box = page.locator(selector).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
    page.locator(".st-key-leave button").click()
    expect(page.locator(".st-key-leave")).to_have_count(0)
    expect(page.locator(".st-key-reset:visible")).to_have_count(1)


@pytest.mark.parametrize("name", ["word_embeddings", "animal_lookup", "random_qkv", "emma_sentence"])
def test_on_a_phone_sums_and_titles_are_within_the_heatmap(open_page, name):
    page = open_page(f"{name}?present=true&stage=weights", viewport={"width": 390, "height": 844})
    expect(page.locator(f"{screen.CHART} svg text", has_text="= 1.00").first).to_be_visible()
    beyond = page.evaluate(
        """chart => {
          const svg = document.querySelector(chart), edge = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent);
          const places = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
          const margin = 5;  // above and below its letters, a text has some room that is empty
          const isBeyond = ({ left, right, top }) =>
            right > edge.right || left < edge.left - margin || top < edge.top - margin;
          return places.filter(([, place]) => isBeyond(place)).map(([text]) => text);
        }""",
        screen.HEATMAP,
    )
    assert beyond == []


def test_on_a_phone_the_names_of_columns_are_whole_and_beside_each_other(open_page):
    page = open_page("word_embeddings?present=true&stage=scores", viewport={"width": 390, "height": 844})
    names = page.locator(f"{screen.HEATMAP} .role-axis-label").first.locator("text")
    expect(names).to_have_text(["I", "love", "coding"])
    expect(names.last).to_have_attribute("transform", re.compile("rotate"))


@pytest.mark.parametrize(
    ("path", "width", "height"),
    [
        ("word_embeddings?stage=weights", 1024, 768),
        ("word_embeddings?stage=weights", 1100, 700),
        ("emma_sentence?stage=weights", 1024, 576),
        ("emma_sentence?stage=weights", 853, 480),
        ("word_embeddings?stage=weights", 683, 384),
    ],
)
def test_a_small_projector_or_an_enlarged_window_has_all_of_it(open_page, path, width, height):
    page = open_page(f"{path}&present=true", viewport={"width": width, "height": height})
    for selector in (*FIXED, ".st-key-what-if-menu"):
        box = page.locator(selector).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    first, last = screen.number(page, 0, 0, columns=9), page.locator(f"{screen.HEATMAP} .role-mark text").last
    assert first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") > 10
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def test_an_enlarged_window_shows_all_rows_at_every_stage(open_page):
    page = open_page("emma_sentence?present=true", viewport={"width": 911, "height": 512})
    for said in ("Scores.", "Scaled.", "Masked.", "Weights."):
        expect(screen.words(page)).to_contain_text(said)
        expect(page.locator(screen.HEATMAP)).to_be_in_viewport(ratio=1)
        page.keyboard.press("PageDown")


def test_escape_closes_a_list_before_it_leaves(open_page):
    page = open_page("emma_sentence?present=true")
    page.locator(".st-key-experiment input").press("ArrowDown")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.locator(".st-key-next").get_by_role("button").click()
    expect(screen.words(page)).to_contain_text("Scaled.")
    expect(page).to_have_url(re.compile("present=true"))
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-leave")).to_have_count(0)


@pytest.mark.parametrize("menu", [".st-key-experiment input", ".st-key-what-if-menu button"])
def test_a_clicker_goes_on_where_a_menu_is_open(open_page, menu):
    page = open_page("emma_sentence?present=true")
    open_menu = (
        page.get_by_role("listbox").or_(page.get_by_role("menu")).or_(page.get_by_test_id("stPopoverBody"))
    )
    for stage in ("Scaled.", "Masked."):
        page.locator(menu).first.click()
        expect(open_menu).to_be_visible()
        page.keyboard.press("PageDown")
        expect(screen.words(page)).to_contain_text(stage)
        expect(open_menu).to_have_count(0)
    expect(page).to_have_url(re.compile("present=true"))


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_a_draw_with_a_seed_leaves_all_in_place_and_fits_the_screen(open_page, width, height):
    link = "random_qkv?present=true&experiment=why+√d_k"
    page = open_page(link, viewport={"width": width, "height": height})
    places = (page.locator(".st-key-draw"), page.get_by_test_id("stVegaLiteChart").first)
    expect(page.locator(".st-key-draws canvas")).not_to_have_count(0)
    before = [place.bounding_box() for place in places]
    page.keyboard.press("PageDown")
    expect(page.get_by_role("button", name="Redraw")).to_be_visible()
    assert [place.bounding_box() for place in places] == before
    assert not scrolls(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-experiment-view")).to_have_count(0)


def test_a_clicker_leads_from_an_experiment_back_to_the_stage_and_on(open_page):
    page = open_page("emma_sentence?present=true&stage=scaled&experiment=meaning+space")
    view, formula = page.locator(".st-key-experiment-view"), screen.words(page)
    expect(view).to_contain_text("Profiles in 4 dimensions")
    page.keyboard.press("PageDown")
    expect(formula).to_contain_text("Scaled.")
    expect(view).to_have_count(0)
    expect(page).not_to_have_url(re.compile("experiment="))
    page.keyboard.press("PageDown")
    expect(formula).to_contain_text("Masked.")
    expect(page).to_have_url(re.compile("stage=masked"))


def test_a_clicker_goes_through_an_experiment_there_and_back(open_page):
    page = open_page("word_embeddings?present=true&experiment=from+average&stage=weights")
    view = page.locator(".st-key-experiment-view")
    ways = (
        "Every token before it",
        "Let all embeddings meet",
        "A softmax makes",
        "What a token looks for",
        "Scaled and masked",
    )
    steps = [("PageDown", way) for way in ways[1:]] + [("PageUp", way) for way in ways[-2::-1]]
    expect(view).to_contain_text(ways[0])
    for key, way in (*steps, *steps[: len(ways) - 1]):
        page.keyboard.press(key)
        expect(view).to_contain_text(way)
    page.keyboard.press("PageDown")
    expect(view).to_have_count(0)
    expect(screen.words(page)).to_contain_text("Weights.")


def test_a_clicker_that_goes_back_before_an_experiment_goes_on_back_through_the_stages(open_page):
    page = open_page("animal_lookup?present=true&stage=weights&experiment=soft+lookup")
    view, words = page.locator(".st-key-experiment-view"), screen.words(page)
    expect(view).to_contain_text("Hard:")
    for key, stage in (("PageUp", "Weights."), ("PageUp", "Masked.")):
        page.keyboard.press(key)
        expect(words).to_contain_text(stage)
    expect(view).to_have_count(0)
    screen.pick(page, "Experiments", "soft lookup")
    expect(view).to_contain_text("Hard:")
    page.keyboard.press("PageDown")
    expect(words).to_contain_text("Masked.")
    page.keyboard.press("PageUp")
    expect(view).to_contain_text("Hard:")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(words).to_contain_text("Scaled.")


def test_the_lines_that_were_asked_for_are_shown_large_and_a_clicker_leads_from_them_to_the_heatmap(
    open_page,
):
    page = open_page("emma_sentence?present=true&ask=lines")
    screen.stage(page, "explanation")
    lines = page.locator(".st-key-large-lines svg.marks")
    expect(lines).to_be_in_viewport(ratio=1)
    assert lines.bounding_box()["height"] > 350
    page.keyboard.press("PageUp")
    expect(screen.words(page)).to_contain_text("Weights.")
    expect(page.locator(screen.HEATMAP)).to_be_in_viewport(ratio=1)
    page.keyboard.press("PageDown")
    expect(lines).to_be_in_viewport(ratio=1)


def test_a_clicker_at_an_answer_leads_into_no_experiment_that_was_left_before(open_page):
    link = "emma_sentence?present=true&experiment=arrows&look_along=best+view&ask=lines"
    page = open_page(link, viewport={"width": 1920, "height": 1080})  # all of it is on the screen
    words, lines = screen.words(page), page.locator(".st-key-large-lines svg.marks")
    expect(page.locator(".st-key-experiment-view")).to_contain_text("Weight 0.58")
    page.keyboard.press("PageDown")
    for stage in ("Scores.", "Scaled.", "Masked.", "Weights."):
        expect(words).to_contain_text(stage)
        page.keyboard.press("PageDown")
    expect(lines).to_be_visible()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    expect(words).to_contain_text("Weights.")
    expect(page.locator(".st-key-back")).to_have_count(0)


def test_a_clicker_goes_back_into_the_experiment_that_its_last_key_left_as_it_was(open_page):
    link = "emma_sentence?present=true&stage=scaled&experiment=arrows&look_along=best+view&stretch=2"
    page = open_page(link, viewport={"width": 1920, "height": 1080})  # all of it is on the screen
    view, words = page.locator(".st-key-experiment-view"), screen.words(page)
    for _ in range(2):
        expect(view).to_contain_text("Weight 0.58 → 0.94")
        page.keyboard.press("PageDown")
        expect(words).to_contain_text("Scaled.")
        page.keyboard.press("PageUp")
    expect(view.get_by_role("radio", name="best view")).to_be_checked()
    for said in ("experiment=arrows", "look_along=best+view", "stretch=2"):
        expect(page).to_have_url(re.compile(re.escape(said)))
    page.keyboard.press("PageDown")
    expect(words).to_contain_text("Scaled.")
    for key, stage in (("PageDown", "Masked."), ("PageUp", "Scaled."), ("PageUp", "Scores.")):
        page.keyboard.press(key)
        expect(words).to_contain_text(stage)


def test_a_clicker_goes_on_from_where_its_last_key_led_though_a_late_answer_sets_that_back(open_page):
    page = open_page("word_embeddings?present=true&experiment=from+average")
    view, ways = page.locator(".st-key-experiment-view"), page.locator(".st-key-way").get_by_role("radio")
    for way in ("Let all embeddings meet", "A softmax makes"):
        page.keyboard.press("PageDown")
        expect(view).to_contain_text(way)
    ways.nth(1).evaluate("way => way.click()")  # by nobody, as a late answer
    expect(ways.nth(1)).to_be_checked()
    page.keyboard.press("PageDown")
    expect(view).to_contain_text("What a token looks for")
    ways.nth(1).click()
    expect(view).to_contain_text("Let all embeddings meet")
    page.keyboard.press("PageDown")
    expect(view).to_contain_text("A softmax makes")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_the_name_of_an_experiment_is_whole_in_its_list_and_all_beside_it_in_one_line(
    open_page, width, height
):
    link = "present=true&experiment=from+average"
    page = open_page(f"word_embeddings?{link}", viewport={"width": width, "height": height})
    chosen = page.locator(".st-key-experiment input")
    expect(chosen).to_have_value("from average")
    assert chosen.evaluate("e => e.scrollWidth <= e.clientWidth")
    page = open_page("word_embeddings?present=true", viewport={"width": width, "height": height})
    places = [page.locator(f".st-key-{key}").bounding_box() for key in ("next", "experiment", "leave")]
    middles = [place["y"] + place["height"] / 2 for place in places]
    assert max(middles) - min(middles) < 4
    assert places[2]["x"] + places[2]["width"] <= width


@pytest.mark.parametrize(("experiment", "choices"), [("three ways", "writing"), ("arrows", "look_along")])
def test_a_clicker_goes_through_all_that_an_experiment_has_side_by_side(open_page, experiment, choices):
    page = open_page(f"emma_sentence?present=true&experiment={experiment.replace(' ', '+')}")
    options = page.locator(f".st-key-{choices}").get_by_role("radio")
    last = options.count() - 1
    assert last > 0
    there = [("PageDown", place) for place in range(1, last + 1)]
    back = [("PageUp", place) for place in reversed(range(last))]
    for key, place in (*there, *back, *there):
        page.keyboard.press(key)
        expect(options.nth(place)).to_be_checked()


def test_a_key_does_not_show_what_the_way_before_had_below_the_screen(open_far_away):
    link = f"emma_sentence?present=true&experiment=three+ways&writing={LECTURE.replace(' ', '+')}"
    page = open_far_away(link, viewport={"width": 1280, "height": 680})
    last = page.get_by_role("radio", name=EINSUM)
    expect(page.get_by_role("radio", name=LECTURE)).to_be_checked()
    assert not scrolls(page)
    page.keyboard.press("PageDown")
    expect(last).to_be_checked()
    page.wait_for_function(SCROLLS)
    page.keyboard.press("PageUp")
    expect(last).not_to_be_checked()
    page.keyboard.press("PageDown")
    expect(last).to_be_checked()


def test_a_clicker_shows_what_is_below_the_screen_before_it_leads_back(open_page):
    page = open_page("your_vectors?present=true&experiment=heads&heads=4+heads")
    last, top = page.get_by_text("computed both ways"), page.get_by_label("Heads h")
    expect(page.locator(".st-key-experiment-view svg.marks")).to_have_count(4)
    expect(last).not_to_be_in_viewport()
    page.keyboard.press("PageDown")
    expect(last).to_be_in_viewport()
    page.keyboard.press("PageUp")
    expect(top).to_be_in_viewport()
    page.keyboard.press("PageDown")
    expect(last).to_be_in_viewport()
    page.keyboard.press("PageDown")
    expect(screen.words(page)).to_contain_text("Scores.")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_the_heatmaps_of_an_experiment_take_the_width_of_the_screen(open_page, width, height):
    viewport = {"width": width, "height": height}
    page = open_page("your_vectors?present=true&experiment=heads&heads=2+heads", viewport=viewport)
    charts = page.locator(".st-key-experiment-view svg.marks")
    expect(charts).to_have_count(2)
    boxes = [chart.bounding_box() for chart in charts.all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[1]["x"] + boxes[1]["width"] > 0.9 * width


def test_the_title_is_there_for_who_does_not_see_the_screen(open_page):
    page = open_page("emma_sentence?present=true")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Emma sentence")


def test_two_switches_and_a_step_in_one_breath_are_all_there_and_in_the_link(open_page):
    page = open_page("emma_sentence?present=true")
    switches = page.locator(".st-key-switches")
    switches.get_by_role("button", name="Scale").click()
    switches.get_by_role("button", name="Causal mask").click()
    page.keyboard.press("PageDown")
    expect(screen.words(page)).to_contain_text("Scaled. Every score is divided")
    expect(page).to_have_url(re.compile("(?=.*scale=true)(?=.*causal=true)(?=.*stage=scaled)"))


@pytest.mark.parametrize("path", ["word_embeddings", "emma_sentence", "animal_lookup?stage=weights"])
def test_every_button_of_the_line_above_is_in_view(open_page, path):
    page = open_page(f"{path}{'&' if '?' in path else '?'}present=true")
    leave = page.get_by_role("button", name="Leave")
    expect(leave).to_be_in_viewport(ratio=1)
    assert leave.bounding_box()["x"] + leave.bounding_box()["width"] <= 1280 - 32


def test_a_clicked_number_of_the_output_is_the_one_that_is_explained(open_page):
    page = open_page("word_embeddings?present=true&stage=output")
    expect(screen.number(page, 1, 1, columns=3)).to_have_text("3.11")
    screen.click_cell(page, 1, 1, columns=3)
    expect(page).to_have_url(re.compile("column=2"))
    page.keyboard.press("PageDown")
    explained = page.locator(".st-key-explanation")
    expect(explained).to_contain_text("Where the number of love, v2 comes from")
    expect(explained).to_contain_text("love, v2 I 0.42 × 3 + love 0.16 × 1 + coding 0.42 × 4 ≈ 3.11")
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(".st-key-answer")).to_contain_text("love, v2 I 0.42 × 3")
    expect(page).to_have_url(re.compile("stage=output"))


@pytest.mark.parametrize(
    ("link", "control", "key", "number"),
    [
        (
            "animal_lookup?present=true&experiment=soft+lookup&source=a+blend+of+two",
            "blend",
            "ArrowRight",
            "0.55",
        ),
        ("animal_lookup?present=true&experiment=soft+lookup", "hardness", "ArrowLeft", "0.5"),
        ("random_qkv?present=true&experiment=why+√d_k&draw=a+draw+with+a+seed", "d_k", "9", "89"),
    ],
)
def test_a_clicker_goes_on_after_a_slider_or_a_number_was_set(open_page, link, control, key, number):
    page = open_page(link, wait=False)
    field = page.locator(f".st-key-{control} :is(input, [role=slider])").last
    expect(field).to_be_visible()
    field.focus()
    page.keyboard.press(key)
    if control != "d_k":  # of which the key of a clicker takes up what was typed
        expect(page).to_have_url(re.compile(f"[?&]{control}="))
    page.locator(".stMain").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-one-stage")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile(f"[?&]{control}={number}(&|$)"))


def test_a_key_makes_the_screen_of_a_hall_black_and_any_brings_it_back(open_page):
    page = open_page("emma_sentence?present=true")
    black = page.locator("#black")
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(black).to_be_visible()
        assert black.bounding_box() == {"x": 0, "y": 0, **page.viewport_size}
        page.keyboard.press(key)
        expect(black).to_have_count(0)
    page.keyboard.press("b")
    page.keyboard.press("PageDown")
    expect(black).to_have_count(0)
    expect(screen.words(page)).to_contain_text("Scaled.")
    page.keyboard.press("b")
    page.mouse.click(640, 360)
    expect(black).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-leave")).to_have_count(0)
    page.keyboard.press("b")
    expect(black).to_have_count(0)


def test_a_clicker_that_sends_arrows_goes_on_and_back_where_no_arrow_sets_anything(open_page):
    page = open_page("emma_sentence?present=true")
    expect(screen.words(page)).to_contain_text("Scores.")
    page.locator(".st-key-switches").get_by_role("button", name="Scale").click()
    expect(page).to_have_url(re.compile("scale=true"))
    for key, stage in (("ArrowRight", "Scaled."), ("ArrowRight", "Masked."), ("ArrowLeft", "Scaled.")):
        page.keyboard.press(key)
        expect(screen.words(page)).to_contain_text(stage)
    page.keyboard.press("b")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#black")).to_have_count(0)
    expect(screen.words(page)).to_contain_text("Masked.")


def test_an_arrow_goes_from_button_to_button_for_who_has_no_mouse(open_page):
    page = open_page("emma_sentence?present=true")
    expect(screen.words(page)).to_contain_text("Scores.")
    switches = page.locator(".st-key-switches")
    page.get_by_label("Experiments", exact=True).focus()
    while not switches.locator(":focus").count():
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(switches.get_by_role("button", name="Causal mask")).to_be_focused()
    expect(screen.words(page)).to_contain_text("Scores.")


@pytest.mark.parametrize(
    "viewport", [{"width": 1280, "height": 720}, {"width": 1920, "height": 1080}], ids=str
)
def test_a_hall_can_ask_on_the_slide_of_the_explanation(open_page, viewport):
    page = open_page("random_qkv?present=true&stage=weights", viewport=viewport)
    ask = page.get_by_role("radiogroup", name="Ask about")
    expect(ask).to_be_hidden()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-explanation")).to_contain_text("Where the number of token 2 → token 1")
    place = ask.bounding_box()
    for question, said in (
        ("softmax", "The softmax of the query token 2"),
        ("blend of values", "The output of token 2"),
        ("lines", "A line joins a query, on the left, and a key"),
        ("variance", "of all numbers: 1.19 in Q"),
        ("this number", "Where the number of token 2 → token 1"),
    ):
        ask.get_by_role("radio", name=question).click()
        expect(page.locator(".st-key-one-stage")).to_contain_text(said)
        expect(page).to_have_url(re.compile(f"ask={question.replace(' ', '[+]')}"))
        assert ask.bounding_box() == place
        fits = "e => e.getBoundingClientRect().bottom <= innerHeight + 1"
        expect(page.locator(".st-key-one-stage")).to_be_visible()
        assert page.locator(".st-key-one-stage").evaluate(fits)
    page.keyboard.press("PageUp")
    expect(ask).to_be_hidden()
    expect(screen.words(page)).to_contain_text("Output.")


NUMBERS_AND_NAMES = """() => {
  const texts = [...document.querySelectorAll(".st-key-one-stage svg.marks text")];
  const box = (text) => text.getBoundingClientRect();
  const numbers = texts.filter(({ textContent }) => /^0\\.\\d\\d$/.test(textContent));
  const title = texts.find(({ textContent }) => textContent === "query");
  const isCutBeside = (text) => text.textContent.endsWith("…") && box(text).right < box(numbers[0]).left;
  const rows = texts.filter(isCutBeside);
  return numbers.length && rows.length && title && {
    number: Math.min(...numbers.map((number) => box(number).height)),
    room: Math.min(...rows.map((row) => box(row).left)) - box(title).right,
  };
}"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
@pytest.mark.parametrize("long", ["Rindfleischetikettierung", "x" * 64])
def test_long_names_leave_the_numbers_their_room_and_lie_beside_the_title(open_page, long, width, height):
    recipe = Recipe(tokens=("the", long), d_k=2, random=True)
    path = f"your_vectors?present=true&stage=weights&edits={pack({'start': content_of(recipe)})}"
    page = open_page(path, viewport={"width": width, "height": height})
    page.wait_for_function(f"() => ({NUMBERS_AND_NAMES})()?.number >= 12")
    assert page.evaluate(NUMBERS_AND_NAMES)["room"] >= 2
