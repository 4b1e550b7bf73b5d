"""Another page or view is seen when it is drawn, and what was there before until then."""

import re

import pytest
from playwright.sync_api import expect

from core.experiments import ARROWS, TITLES
from tests.browser import screen

LONGEST_HOLD = 2000  # milliseconds, as in core/ui/holding.js
LONGEST_WAIT = 3000  # for an answer, as in core/ui/answers.js
PARTS = "[data-testid=stVegaLiteChart], .stDataFrame, .stMarkdown, [role=radio]"
LOOK = f"""() => [...document.querySelectorAll("{PARTS}")]
  .filter((part) => part.checkVisibility())
  .map((part) => [part, part.querySelector(".marks, canvas") ?? part])
  .map(([part, drawn]) => [drawn, drawn.matches("canvas") || part.textContent, drawn.getBoundingClientRect()])
  .map(([drawn, text, place]) => [drawn.tagName, drawn.ariaChecked, text, place])
  .filter(([,,, place]) => place.bottom > 0 && place.top < innerHeight)
  .map((part) => JSON.stringify(part)).join("\\n")"""
NOTE = f"""() => {{
  const start = document.startViewTransition;
  window.held = [];
  document.startViewTransition = function () {{
    const before = ({LOOK})(), from = performance.now(), picture = start.call(document);
    picture.finished.then(() => held.push([before, ({LOOK})(), performance.now() - from]));
    return picture;
  }};
}}"""
HOLD_LONGER = f"""() => {{
  const later = setTimeout;
  const longer = (wait) => wait === {LONGEST_HOLD} ? 60_000 : wait;
  window.setTimeout = (then, wait, ...given) => later(then, longer(wait), ...given);
}}"""
HELD = "() => document.documentElement.matches(':active-view-transition')"
SETTLED = """async () => {
  for (let frame = 0; frame < 60; frame++) await new Promise(requestAnimationFrame);
}"""


def next_step(page):
    page.locator(".st-key-next button").click()


def to_all(page):
    screen.stage(page, "all")


def from_all(page):
    screen.stage(page, "masked")


def present(page):
    screen.press(page, "present")


def leave(page):
    page.keyboard.press("Escape")


def step_back_by_clicker(page):
    page.keyboard.press("PageUp")


def go_on_by_clicker(page):
    page.keyboard.press("PageDown")


def to_stages(page):
    screen.press(page, "back")


def to_experiment(page):
    screen.pick(page, "Experiments", ARROWS)


def to_another_page(page):
    screen.go_to(page, "Random QKV")


@pytest.mark.parametrize(
    ("link", "act", "seen"),
    [
        ("emma_sentence", to_all, "all"),
        ("emma_sentence?stage=weights", next_step, "all"),
        ("emma_sentence?stage=all", from_all, "masked"),
        ("emma_sentence", present, "scores"),
        ("emma_sentence?present=true", leave, "scores"),
        ("emma_sentence?present=true", step_back_by_clicker, "inputs"),
        ("emma_sentence?present=true&stage=weights", go_on_by_clicker, "explanation"),
        ("emma_sentence?experiment=arrows", to_stages, "scores"),
        ("emma_sentence?stage=scaled", to_experiment, TITLES[ARROWS]),
        ("emma_sentence?stage=scaled", to_another_page, "scores"),
    ],
)  # fmt: skip
def test_what_comes_is_seen_whole(open_page, link, act, seen):
    page = open_page(link)
    page.evaluate(SETTLED)
    began = page.evaluate(LOOK)
    page.evaluate(NOTE)
    act(page)
    page.wait_for_function("() => held.length")
    expect(page.get_by_text(seen, exact=True).first).to_be_visible()
    page.evaluate(SETTLED)
    ((before, after, lasted),) = page.evaluate("held")
    assert before == began
    now = page.evaluate(LOOK)
    assert now != before
    assert after == now or lasted >= LONGEST_HOLD  # as on a machine that is busy with other tests


def test_back_shows_the_page_before_when_it_is_drawn(open_page):
    page = open_page("emma_sentence?stage=scaled")
    page.evaluate(SETTLED)
    began = page.evaluate(LOOK)
    screen.go_to(page, "Random QKV")
    expect(page.get_by_role("radio", name="scores")).to_be_checked()
    screen.wait_for_rest(page)
    page.evaluate(NOTE)
    page.go_back(wait_until="commit")
    page.wait_for_function("() => held.length")
    ((_, after, lasted),) = page.evaluate("held")
    assert after == began or lasted >= LONGEST_HOLD


def test_a_page_that_is_not_answered_holds_its_picture_for_two_seconds(open_far_away):
    page = open_far_away("emma_sentence", 3 * LONGEST_HOLD)
    page.evaluate(NOTE)
    present(page)
    page.wait_for_function("() => held.length")
    ((before, after, lasted),) = page.evaluate("held")
    assert before == after
    assert lasted >= LONGEST_HOLD


def test_who_scrolls_sees_it_at_once(open_far_away):
    page = open_far_away("emma_sentence", 3 * LONGEST_HOLD)
    page.evaluate(NOTE)
    page.evaluate(HOLD_LONGER)
    present(page)
    page.wait_for_function(HELD)
    page.mouse.wheel(0, 100)
    page.wait_for_function("() => held.length")
    ((_, _, lasted),) = page.evaluate("held")
    assert lasted < LONGEST_WAIT


def test_a_click_on_the_picture_counts_where_what_it_shows_is_still_there(open_far_away):
    page = open_far_away("emma_sentence?stage=weights", viewport={"width": 1280, "height": 720})
    place = page.locator(".st-key-previous button").bounding_box()
    screen.stage(page, "all")
    page.wait_for_function(HELD)
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page).to_have_url(re.compile("stage=masked|stage=weights"))
    expect(page.get_by_role("radio", name="all")).not_to_be_checked()


def test_a_list_that_a_key_closes_is_gone_at_once(open_page):
    page = open_page("emma_sentence?present=true")
    page.evaluate(NOTE)
    page.get_by_label("Experiments", exact=True).click()
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    assert page.evaluate("held") == []
    assert not page.evaluate(HELD)


def test_a_stage_that_changes_nothing_but_the_cells_is_seen_at_once(open_page):
    page = open_page("emma_sentence")
    page.evaluate(NOTE)
    next_step(page)
    expect(page.get_by_role("radio", name="scaled")).to_be_checked()
    screen.toggle(page, "scale")
    expect(screen.number(page, 8, 0, 9)).to_have_text("1.21")
    assert page.evaluate("held") == []
