"""A toggle shows its numbers with the click, and what the server answers then stands."""

import pytest
from playwright.sync_api import expect

from tests.browser import screen

FRIEND, EMMA, TOKENS = 8, 0, 9
PLAIN, SCALED = "2.42", "1.21"
WITHOUT_SCALING = "Scaling is off"  # above the heatmap, as the server has it
LATE = 2000  # milliseconds, in which a click is not answered


def score(page, turned=False):
    row, column = (EMMA, FRIEND) if turned else (FRIEND, EMMA)
    return screen.number(page, row, column, TOKENS)


def turn_by_click(page):
    screen.toggle(page, "scale")


def turn_by_key(page):
    page.locator(".st-key-scale input").focus()
    page.keyboard.press("Space")


def turn_in_hall(page):
    page.locator(".st-key-switches").get_by_role("button", name="Scale").click()


@pytest.mark.parametrize(
    ("link", "turn"),
    [
        ("emma_sentence?stage=scaled", turn_by_click),
        ("emma_sentence?stage=scaled", turn_by_key),
        ("emma_sentence?stage=scaled&layout=C+x+T", turn_by_click),
        ("emma_sentence?stage=scaled&present=true", turn_in_hall),
    ],
)
def test_a_toggle_shows_its_numbers_before_the_server_has_answered(open_far_away, link, turn):
    page = open_far_away(link, LATE)
    shown = score(page, turned="layout" in link)
    expect(shown).to_have_text(PLAIN)
    turn(page)
    expect(shown).to_have_text(SCALED, timeout=LATE / 2)
    expect(screen.words(page)).to_contain_text(WITHOUT_SCALING)
    expect(screen.words(page)).not_to_contain_text(WITHOUT_SCALING)
    expect(shown).to_have_text(SCALED)
    turn(page)
    expect(shown).to_have_text(PLAIN, timeout=LATE / 2)
    expect(screen.words(page)).not_to_contain_text(WITHOUT_SCALING)
    expect(screen.words(page)).to_contain_text(WITHOUT_SCALING)
    expect(shown).to_have_text(PLAIN)


def test_a_toggle_turned_on_and_off_in_one_breath_leaves_the_numbers_as_they_were(open_page):
    page = open_page("emma_sentence?stage=scaled")
    page.evaluate("""() => {
        const scale = document.querySelector(".st-key-scale input");
        scale.click();
        scale.click();
    }""")
    expect(page.locator(".st-key-ahead")).to_have_count(1)
    expect(score(page)).to_have_text(PLAIN)
    expect(screen.words(page)).to_contain_text(WITHOUT_SCALING)


def test_a_toggle_turned_back_before_the_server_has_answered_shows_what_was_there(open_far_away):
    page = open_far_away("emma_sentence?stage=scaled", LATE)
    expect(score(page)).to_have_text(PLAIN)
    for shown in (SCALED, PLAIN, SCALED):
        turn_by_click(page)
        expect(score(page)).to_have_text(shown, timeout=LATE / 4)
    expect(screen.words(page)).not_to_contain_text(WITHOUT_SCALING)
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
    expect(score(page)).to_have_text(SCALED)
