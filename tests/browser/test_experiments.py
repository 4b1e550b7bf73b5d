"""Experiments as people use them: opened when asked for, set by hand, shared, and left again."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.experiments import (
    ARROWS,
    BLEND,
    EXPERIMENTS,
    MEANING,
    ONE_WORD,
    OWN,
    SOFT_LOOKUP,
    TITLES,
    WHY_SCALE,
)
from core.stages import stage_names
from tests.browser import screen
from tests.examples import PRESETS

PHONE, PROJECTOR = {"width": 390, "height": 844}, {"width": 1280, "height": 720}
HALL = {"width": 1920, "height": 1080}
NOTHING_BESIDE = "width => document.querySelector('.stMain').scrollWidth <= width"
HEIGHTS = """selector => [...document.querySelectorAll(selector)]
  .map((text) => text.getBoundingClientRect().height).filter((height) => height > 0)"""
FITS = "() => (main => main.scrollHeight <= main.clientHeight)(document.querySelector('.stMain'))"


def link(page: str, experiment: str, **settings: str) -> str:
    parts = "".join(f"&{name}={text}" for name, text in settings.items())
    return f"{page}?experiment={experiment}{parts}".replace(" ", "+")


def view(page: Page):
    return page.locator(".st-key-experiment-view")


def expect_charts_within(page: Page, width: int) -> None:
    """Wait until all charts are there and end within the screen; those of another experiment go first."""
    page.wait_for_function(
        """width => {
          const charts = [...document.querySelectorAll('.st-key-experiment-view svg.marks')];
          return charts.length && charts.every(chart => chart.getBoundingClientRect().right <= width);
        }""",
        arg=width,
    )


def test_an_experiment_opens_when_asked_for_and_the_stages_come_back(open_page):
    page = open_page("emma_sentence?stage=weights&query=9+friend")
    assert view(page).count() == 0
    screen.pick(page, "Experiments", "meaning space")
    expect(view(page)).to_contain_text("Emma scores 2.42: Person adds most, 1.20. Weight 0.58.")
    expect(page).to_have_url(re.compile(r"experiment=meaning\+space"))
    expect(page.locator(screen.CHART)).to_have_count(0)
    expect(page.locator(".st-key-stage:visible")).to_have_count(0)
    expect(page.locator(".st-key-message")).to_contain_text("which dimension makes it look where it looks?")
    page.get_by_role("button", name="Stages").click()
    expect(screen.words(page)).to_contain_text("Weights.")
    expect(page.locator(".st-key-stage:visible")).to_have_count(1)
    expect(page.get_by_text("A space of meaning", exact=True)).to_have_count(0)
    expect(view(page)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("experiment"))
    expect(page).to_have_url(re.compile(r"query=9\+friend"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_fits_a_phone(open_page, name):
    page = open_page(link(name, EXPERIMENTS[name][0]), viewport=PHONE)
    for experiment in EXPERIMENTS[name]:
        if experiment != EXPERIMENTS[name][0]:
            screen.pick(page, "Experiments", experiment)
        expect(page.get_by_text(TITLES[experiment], exact=True)).to_be_visible()
        expect(view(page).locator("svg.marks").last).to_be_visible()
        page.wait_for_function(NOTHING_BESIDE, arg=PHONE["width"])
        expect_charts_within(page, PHONE["width"])


@pytest.mark.parametrize(
    "experiment", dict.fromkeys(name for names in EXPERIMENTS.values() for name in names)
)
@pytest.mark.parametrize("way", [{}, {"present": "true"}], ids=["page", "presenter"])
def test_the_head_of_an_experiment_takes_one_line_of_a_projector(open_page, experiment, way):
    name = next(name for name, names in EXPERIMENTS.items() if experiment in names)
    page = open_page(link(name, experiment, **way), viewport=PROJECTOR)
    expect(view(page).locator("svg.marks").first).to_be_visible()
    line = page.locator(".st-key-back").get_by_role("button").bounding_box()
    shown = [page.get_by_text(TITLES[experiment], exact=True)]
    shown += page.locator(".st-key-asking :is(input, button):visible").all()
    shown += [page.get_by_role("button", name="Leave")] if way else []
    for place in (element.bounding_box() for element in shown):
        middle = place["y"] + place["height"] / 2
        assert line["y"] < middle < line["y"] + line["height"]
        assert place["x"] + place["width"] <= PROJECTOR["width"]


@pytest.mark.parametrize("viewport", [PROJECTOR, HALL], ids=str)
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "your_vectors"])
def test_every_experiment_fits_the_screen_of_a_hall_before_and_after_its_edit(open_page, name, viewport):
    page = open_page(link(name, EXPERIMENTS[name][0], present="true"), viewport=viewport)
    for experiment in EXPERIMENTS[name]:
        if experiment != EXPERIMENTS[name][0]:
            screen.pick(page, "Experiments", experiment)
        expect(page.get_by_text(TITLES[experiment], exact=True)).to_be_visible()
        expect(view(page).locator("svg.marks").last).to_be_visible()
        page.wait_for_function(FITS)
        if experiment in (MEANING, ONE_WORD):
            page.get_by_role("button", name="Make this edit").click()
            expect(page.locator(".st-key-effect")).to_contain_text("Edit:")
            page.wait_for_function(FITS)


@pytest.mark.parametrize("viewport", [PROJECTOR, HALL], ids=str)
@pytest.mark.parametrize("name", PRESETS)
def test_the_inputs_and_every_answer_fit_the_screen_of_a_hall(open_page, server, name, viewport):
    inputs = PRESETS[name].inputs
    page_of = f"{PRESETS[name].page}?preset={name.replace('_', '+')}&present=true"
    page = open_page(f"{page_of}&stage=inputs", viewport=viewport)
    expect(view(page).locator("svg.marks")).to_have_count(len(inputs.matrices))
    page.wait_for_function(FITS)
    assert min(page.evaluate(HEIGHTS, "svg.marks text")) > 16
    asked = {"softmax": "softmax", "lines": "lines", "variance": "variance"}
    blend = {"values": "blend+of+values"} if "output" in stage_names(inputs) else {}
    for answer, label in (asked | blend).items():
        page.goto(f"{server.url}/{page_of}&stage=explanation&ask={label}")
        expect(page.locator(f".st-key-large-{answer}")).to_be_visible()
        if answer != "variance":  # which has no chart
            expect(view(page).locator("svg.marks, canvas").last).to_be_visible()
        page.wait_for_function(FITS)


LONGEST = {"stretch": "1.5", "scale": "true", "causal": "true"}


@pytest.mark.parametrize("viewport", [PROJECTOR, HALL], ids=str)
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if ARROWS in EXPERIMENTS[name]])
def test_the_best_view_of_arrows_fits_the_screen_of_a_hall(open_page, name, viewport):
    page = open_page(link(name, ARROWS, present="true"), viewport=viewport)
    plot = view(page).locator(".st-key-chart-arrows svg.marks")
    top = plot.bounding_box()["y"]
    view(page).get_by_role("radio", name="best view").click()
    expect(view(page)).to_contain_text("PCA")
    page.wait_for_function(FITS)
    assert plot.bounding_box()["y"] == pytest.approx(top, abs=1)
    page = open_page(link(name, ARROWS, present="true", look_along="best view", **LONGEST), viewport=viewport)
    expect(view(page)).to_contain_text("before the key was made longer")
    page.wait_for_function(FITS)


@pytest.mark.parametrize("viewport", [PROJECTOR, HALL], ids=str)
def test_a_lookup_fits_the_screen_of_a_hall_whatever_asks(open_page, viewport):
    page = open_page(link("animal_lookup", SOFT_LOOKUP, present="true"), viewport=viewport)
    for source, who in ((BLEND, "the blend"), (OWN, "your query")):
        view(page).get_by_role("radio", name=source).click()
        expect(view(page)).to_contain_text(f"{who} is q =")
        expect(view(page).locator("svg.marks")).to_have_count(3)
        page.wait_for_function(FITS)


PLOTS = """() => {
  const of = name => document.querySelector(`.st-key-chart-${name} svg.marks`);
  const height = element => element.getBoundingClientRect().height;
  const shares = ["variance", "largest", "scores", "entropy"].map((name) => {
    const plot = of(name)?.querySelector(".mark-group.role-frame.root > g > path.background");
    return plot ? height(plot) / height(of(name)) : 0;
  });
  return Math.min(...shares) > 0.5;
}"""


def test_the_draws_have_more_room_for_what_is_drawn_than_for_words(open_page):
    """The axes' titles stood so far off that what they told of was 65 pixels high on a projector."""
    page = open_page(link("random_qkv", WHY_SCALE, present="true"), viewport=PROJECTOR)
    page.wait_for_function(PLOTS)


SIZES = """() => {
  const all = selector => [...document.querySelectorAll(`.st-key-experiment-view ${selector}`)];
  const place = element => element.getBoundingClientRect();
  const within = element => place(element).right <= place(element.closest(".stElementContainer")).right + 1;
  const drawn = [...all("svg.marks"), ...all("[data-testid=data-grid-canvas]")];
  const measured = ["code", "svg.marks .role-axis-label text", "[data-testid=data-grid-canvas]"].map(all);
  if (!drawn.every(within) || !measured.every(found => found.length)) return null;
  return measured.map(([first]) => place(first).height);
}"""


def test_on_a_larger_screen_all_of_an_experiment_is_as_much_larger(open_page):
    sizes = []
    for viewport in (PROJECTOR, HALL):
        page = open_page(link("emma_sentence", "arrows", present="true"), viewport=viewport)
        page.wait_for_function(SIZES)
        screen.wait_for_rest(page)
        sizes.append(page.evaluate(SIZES))
    for small, large in zip(*sizes, strict=True):
        assert 1.4 <= large / small <= 1.6


def test_a_single_head_and_its_output_are_seen_at_once(open_page):
    page = open_page(link("your_vectors", "heads"), viewport=PROJECTOR)
    charts = view(page).locator("svg.marks")
    expect(charts).to_have_count(2)
    for place in (chart.bounding_box() for chart in charts.all()):
        assert place["y"] + place["height"] <= PROJECTOR["height"]


@pytest.mark.parametrize("viewport", [PROJECTOR, HALL], ids=str)
@pytest.mark.parametrize(
    ("name", "heads"),
    [("word_embeddings", "1 head"), ("your_vectors", "1 head"), ("your_vectors", "2 heads")],
)
def test_two_heatmaps_of_heads_are_read_from_the_back_and_fit_the_screen_of_a_hall(
    open_page, name, heads, viewport
):
    page = open_page(link(name, "heads", present="true", heads=heads), viewport=viewport)
    expect(view(page).locator("svg.marks")).to_have_count(2)
    page.wait_for_function(FITS)
    assert min(page.evaluate(HEIGHTS, "svg.marks text")) > 16


@pytest.mark.parametrize(("viewport", "settings"), [(PROJECTOR, {}), (HALL, {"present": "true"})], ids=str)
def test_a_click_on_a_product_chooses_the_pair_in_all_three_writings(open_page, viewport, settings):
    page = open_page(link("emma_sentence", "three ways", **settings), viewport=viewport)
    expect(view(page)).to_contain_text("Row 9 (friend) of Q meets column 1 (Emma) of Kᵀ")
    cells = view(page).locator("g.mark-text.layer_1_marks text")
    games_looks_at_she = cells.nth((5 + 2) * 14 + 5 + 4)  # 4 dimensions and a gap come before both
    expect(games_looks_at_she).to_have_text("0.00")
    games_looks_at_she.click(force=True)
    expect(view(page)).to_contain_text("Row 3 (games) of Q meets column 5 (she) of Kᵀ")
    expect(page).to_have_url(re.compile(r"query=3\+games&key=5\+she"))
    view(page).get_by_role("radio", name="einsum").click()
    expect(view(page)).to_contain_text("f = 3 (games) and t = 5 (she)")
    page.reload()
    expect(view(page)).to_contain_text("f = 3 (games) and t = 5 (she)")
    expect(view(page)).to_contain_text("einsum and Q Kᵀ: largest difference")


def test_friend_is_made_to_look_at_games_shared_and_taken_back(open_page):
    page = open_page(link("emma_sentence", "meaning space"))
    expect(view(page)).to_contain_text(
        "In the query, no single number tried is enough; two are: "
        "Q friend, Person: 1 → −0.5; Q friend, Adjective: 1 → −0.5."
    )
    page.get_by_role("button", name="Make this edit").click()
    expect(view(page)).to_contain_text("games scores 1.00: Noun and Adjective add most, 0.50 each.")
    expect(view(page)).to_contain_text("friend looks at games already")
    expect(page.locator(".st-key-message")).to_contain_text(
        "Edit: queries friend Person 1 → −0.5 and 1 more."
    )
    expect(page).to_have_url(re.compile("edits="))
    expect(screen.cell(page, "queries", 8, 0)).to_have_text("-0.5")
    other = open_page(page.url.partition("/emma")[1].lstrip("/") + page.url.partition("/emma")[2])
    expect(view(other)).to_contain_text("games scores 1.00: Noun and Adjective add most, 0.50 each.")
    page.get_by_role("button", name="Undo").click()
    expect(view(page)).to_contain_text("Emma scores 2.42")


def test_toggles_redraw_an_experiment_that_is_open(open_page):
    page = open_page(link("emma_sentence", "meaning space"))
    expect(view(page)).to_contain_text("1.20. Weight 0.58.")
    screen.toggle(page, "scale")
    expect(view(page)).to_contain_text("1.20. Weight 0.30.")
    screen.toggle(page, "causal")
    expect(view(page)).to_contain_text("1.20. Weight 0.30.")
    screen.pick(page, "Query", "1 Emma")
    expect(view(page)).to_contain_text("Weight 1.00.")


def test_arrows_turn_and_grow_and_come_back_by_link(open_page):
    page = open_page(link("emma_sentence", "arrows"))
    expect(view(page)).to_contain_text("1.749 × 1.755 × 0.7883 (38°) ≈ 2.42")
    screen.pick(page, "Up", "Adjective")
    expect(page).to_have_url(re.compile("up=Adjective"))
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(view(page)).to_contain_text("1.75 × 3.51 × 0.7883 (38°) ≈ 4.84")
    expect(view(page)).to_contain_text("Weight 0.58 → 0.94.")
    expect(page).to_have_url(re.compile("stretch=2"))
    view(page).get_by_role("radio", name="best view").click()
    expect(view(page)).to_contain_text("80.5 % of the squared lengths")
    page.reload()
    expect(view(page)).to_contain_text("80.5 % of the squared lengths")
    expect(view(page)).to_contain_text("Weight 0.58 → 0.94.")


def test_a_draw_is_typed_redrawn_and_shared_and_the_notebooks_own_returns(open_page):
    page = open_page(link("random_qkv", "why √d_k"))
    table = view(page).get_by_test_id("stDataFrame").first
    scores = table.get_by_test_id("glide-cell-1-2")
    expect(scores).to_have_text("7.71")
    view(page).get_by_role("radio", name="a draw with a seed").click()
    width = page.get_by_label("dₖ of Q and K, up to 512", exact=True)
    width.fill("512")
    width.press("Enter")
    expect(view(page)).to_contain_text("4 queries and keys with dₖ = 512")
    expect(table.get_by_test_id("glide-cell-2-2")).to_have_text("512.00")
    drawn = scores.text_content()
    page.get_by_role("button", name="Redraw").click()
    expect(page).to_have_url(re.compile("seed=2"))
    expect(scores).not_to_have_text(drawn)
    redrawn = scores.text_content()
    view(page).get_by_text("The numbers drawn").click()
    expect(page).to_have_url(re.compile("drawn=true"))
    page.reload()
    expect(view(page)).to_contain_text("4 queries and keys with dₖ = 512")
    expect(scores).to_have_text(redrawn)
    expect(view(page)).to_contain_text("Q, 4 × 512, the first 12 of 512 columns")
    view(page).get_by_role("radio", name="this page’s numbers").click()
    expect(scores).to_have_text("7.71")


def test_the_list_of_queries_takes_a_lookup_back_to_the_page(open_page):
    page = open_page(link("animal_lookup", "soft lookup", present="true", source="a blend of two"))
    expect(view(page)).to_contain_text("the blend is q =")
    screen.pick(page, "Query", "2 reptile")
    expect(view(page)).to_contain_text("reptile is q = [2.10, 9.90, 1.60]")
    expect(view(page).get_by_role("radio", name="a query of the page")).to_be_checked()
    expect(page).not_to_have_url(re.compile("source="))
    expect(page).to_have_url(re.compile(r"query=2\+reptile"))


def test_a_query_of_ones_own_is_drawn_by_sliders(open_page):
    page = open_page(link("animal_lookup", "soft lookup"))
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")
    view(page).get_by_role("radio", name="your own").click()
    expect(view(page)).to_contain_text("your query is q = [8.70, 3.20, 4.10]")
    page.get_by_role("slider").first.focus()
    page.keyboard.press("Home")
    expect(view(page)).to_contain_text("your query is q = [−12.00, 3.20, 4.10]")
    expect(view(page)).to_contain_text("only the best key counts, lizard:")
    expect(page).to_have_url(re.compile("own_1=-12"))
    page.reload()
    expect(view(page)).to_contain_text("your query is q = [−12.00, 3.20, 4.10]")


WAYS_SAY = {
    "1 average": "row i is the plain average of the first i tokens",
    "2 dot products": "The longest output is 15.45",
    "3 softmax": "the lengths are tame again",
    "4 queries and keys": "What a token looks for",
    "5 attention": "this is the attention of the page",
}
TOPS = """() => [...document.querySelectorAll(".st-key-experiment-view p strong")]
  .filter((title) => ["Weights", "Output"].includes(title.textContent))
  .map((title) => Math.round(title.getBoundingClientRect().top))"""


def test_five_ways_lead_from_an_average_to_attention(open_page):
    page = open_page(link("word_embeddings", "from average", preset="three tokens"))
    for way, says in WAYS_SAY.items():
        view(page).get_by_role("radio", name=way).click()
        expect(view(page)).to_contain_text(says)
    screen.pick(page, "Experiments", "heads")
    expect(view(page)).to_contain_text("is 4 / 1 = 4.")
    screen.pick(page, "Heads h", "4 heads")
    expect(view(page)).to_contain_text("is 4 / 4 = 1.")
    expect(view(page).locator("svg.marks")).to_have_count(6)


def test_weights_and_output_stay_where_they_are_on_the_way_to_attention(open_page):
    page = open_page(link("word_embeddings", "from average", preset="three tokens", present="true"))
    expect(view(page)).to_contain_text(WAYS_SAY["1 average"])
    page.wait_for_function(f"() => ({TOPS})().length === 2")
    places = page.evaluate(TOPS)
    for way, says in WAYS_SAY.items():
        view(page).get_by_role("radio", name=way).click()
        expect(view(page)).to_contain_text(says)
        page.wait_for_function(
            f"(places) => ({TOPS})().every((top, i) => Math.abs(top - places[i]) < 2)", arg=places
        )
        page.wait_for_function(FITS)


def test_an_experiment_waits_for_its_page_and_is_presented(open_page):
    page = open_page(link("animal_lookup", "soft lookup", hardness="0.05"))
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")
    screen.go_to(page, "Emma sentence")
    expect(screen.words(page)).to_contain_text("Scores.")
    assert view(page).count() == 0
    screen.go_to(page, "Animal lookup")
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")
    expect(page).to_have_url(re.compile("hardness=0.05"))
    page.get_by_role("button", name="Present").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")
    expect_charts_within(page, 1280)
    words = view(page).get_by_text("only the best key counts")
    assert words.evaluate("e => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom") >= 20
    page.get_by_role("button", name="Stages").click()
    expect(page.locator(screen.HEATMAP)).to_be_visible()
    screen.pick(page, "Experiments", "soft lookup")
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(view(page)).to_contain_text("Hard: only the best key counts, wolf:")


def test_love_is_made_to_look_at_itself(open_page):
    page = open_page(link("word_embeddings", "one word"))
    expect(view(page)).to_contain_text("The softmax makes weights: [0.42, 0.16, 0.42]")
    expect(view(page)).to_contain_text("add up to [1.69, 3.11, 0.84]")
    screen.pick_in(page.locator(".st-key-look_at").get_by_role("combobox"), "2 love")
    expect(view(page)).to_contain_text(
        "love → love. In the query, one number is enough: W_query e2, d3: 0 → −1."
    )
    page.get_by_role("button", name="Make this edit").click()
    expect(view(page)).to_contain_text("love looks at love already")
    expect(page.locator(".st-key-message")).to_contain_text("Edit: W_query e2 d3 0 → −1.")
    expect(page).to_have_url(re.compile("edits="))


@pytest.mark.parametrize(
    ("width", "height", "is_small"), [(390, 844, True), (844, 390, False), (1280, 720, False)]
)
def test_a_phone_is_told_how_it_has_room_for_the_numbers_of_a_product(open_page, width, height, is_small):
    page = open_page(
        "emma_sentence?experiment=three+ways", wait=False, viewport={"width": width, "height": height}
    )
    expect(page.locator(".st-key-product")).to_contain_text("one of the 81 scores")
    expect(page.get_by_text("Held sideways, a phone has room")).to_be_visible(visible=is_small)
