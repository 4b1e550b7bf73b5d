"""Links: straight to a page of a server that has just started, and back to where one was."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import screen
from tests.servers import CLASS_APP, SLOW_START, serve

LINKS = [
    ("emma_sentence?scale=true&causal=true&stage=weights&decimals=4+decimals", "friend → Emma", "0.3005"),
    ("random_qkv?scale=false&causal=false&stage=scores", "token 2 → token 1", "0.62"),
    ("word_embeddings?preset=three+tokens&stage=weights&decimals=4+decimals", "T2 → T1", "0.7156"),
    ("animal_lookup?stage=scaled&layout=C+x+T", "mammal → wolf", "54.07"),
]


def settings(page) -> dict[str, bool]:
    return {name: page.locator(f".st-key-{name} input").is_checked() for name in ("scale", "causal")}


@pytest.mark.parametrize(("link", "place", "number"), LINKS)
def test_a_link_opens_the_page_stage_and_toggles_it_names(open_page, link, place, number):
    page = open_page(link)
    worked = screen.words(page)
    expect(worked).to_contain_text(place)
    expect(worked.locator("strong").last).to_have_text(number)


def test_the_first_visit_to_a_fresh_server_may_be_any_page(browser, watch):
    with serve(CLASS_APP, SLOW_START) as fresh:
        page = watch(browser.new_page())
        page.goto(f"{fresh.url}/animal_lookup?scale=false&stage=scaled")
        expect(screen.words(page)).to_contain_text("Scaling is off")
        expect(page.get_by_test_id("stSidebar").get_by_role("link")).to_have_count(6)
        assert page.get_by_test_id("stException").count() == 0
        page.close()


def test_a_link_with_nonsense_in_it_opens_the_page_as_it_is(open_page):
    page = open_page("word_embeddings?preset=../etc&stage=<script>&scale=maybe&layout=diagonal&decimals=99")
    expect(screen.words(page)).to_contain_text("Each embedding times W_query")
    assert settings(page) == {"scale": False, "causal": False}


def test_the_address_follows_toggles_stages_and_reset(open_page):
    page = open_page("emma_sentence")
    screen.toggle(page, "causal")
    expect(page).to_have_url(re.compile(r"emma_sentence\?causal=true$"))
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile(r"\?causal=true&stage=scaled$"))
    page.reload()
    expect(screen.words(page)).to_contain_text("Scaled.")
    assert settings(page) == {"scale": False, "causal": True}
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"emma_sentence\?stage=scaled$"))


def test_every_page_keeps_its_own_toggles(open_page):
    page = open_page("emma_sentence")
    screen.toggle(page, "causal")
    expect(page).to_have_url(re.compile("causal=true"))
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    assert settings(page) == {"scale": True, "causal": True}
    screen.toggle(page, "scale")
    expect(page).to_have_url(re.compile(r"random_qkv\?scale=false$"))
    screen.go_to(page, "Emma sentence")
    expect(page).to_have_url(re.compile(r"emma_sentence\?causal=true$"))
    assert settings(page) == {"scale": False, "causal": True}
    screen.go_to(page, "Random QKV")
    expect(page).to_have_url(re.compile(r"random_qkv\?scale=false$"))
    assert settings(page) == {"scale": False, "causal": True}


def test_back_gives_the_page_before_with_its_toggles(open_page):
    page = open_page("emma_sentence")
    screen.toggle(page, "causal")
    expect(page).to_have_url(re.compile("causal=true"))
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    page.go_back()
    expect(page).to_have_url(re.compile(r"emma_sentence\?causal=true$"))
    expect(page.locator(".st-key-causal input")).to_be_checked()
    expect(screen.words(page)).to_contain_text("friend")


def test_back_opens_an_experiment_again(open_page):
    page = open_page("word_embeddings")
    screen.pick(page, "Experiments", "from average")
    expect(page.locator(".st-key-back")).to_be_visible()
    page.locator(".st-key-back").get_by_role("button").click()
    expect(page.locator(".st-key-back")).to_have_count(0)
    page.go_back()
    expect(page).to_have_url(re.compile("experiment=from"))
    expect(page.locator(".st-key-back")).to_be_visible()
    expect(page.locator(".st-key-experiment-view")).to_be_visible()


def test_back_takes_a_switch_of_the_presenter_view_along(open_page):
    page = open_page("emma_sentence?present=true&stage=weights")
    scale = page.locator(".st-key-switches").get_by_role("button", name="Scale")
    first = screen.number(page, 8, 0, columns=9)
    scale.click()
    expect(first).to_have_text("0.30")
    expect(page).to_have_url(re.compile("scale=true"))
    page.go_back()
    expect(first).to_have_text("0.58")
    expect(scale).to_have_attribute("aria-pressed", "false")
    scale.click()
    expect(first).to_have_text("0.30")
    expect(page).to_have_url(re.compile("scale=true"))


def test_the_boxes_below_the_heatmap_are_in_the_address_and_back_closes_them(open_page):
    page = open_page("emma_sentence?stage=weights")
    table = page.locator(".st-key-table")
    for name, title in (("table", "The same numbers as a table"), ("code", "The code behind it")):
        page.get_by_text(title).click()
        expect(page).to_have_url(re.compile(f"{name}=true"))
    expect(table.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_text("import numpy")).to_be_visible()
    page.reload()
    expect(table.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_text("import numpy")).to_be_visible()
    screen.go_to(page, "Animal lookup")
    expect(screen.words(page)).to_contain_text("mammal")
    expect(page).to_have_url(re.compile("animal_lookup$"))
    screen.go_to(page, "Emma sentence")
    expect(page).to_have_url(re.compile("(?=.*table=true)(?=.*code=true)(?=.*stage=weights)"))
    expect(table.get_by_test_id("stDataFrame")).to_be_visible()
    page.get_by_text("The same numbers as a table").click()
    expect(page).not_to_have_url(re.compile("table=true"))
    expect(table.get_by_test_id("stDataFrame")).to_have_count(0)
    page.go_back()
    expect(page).to_have_url(re.compile("table=true"))
    expect(table.get_by_test_id("stDataFrame")).to_be_visible()


def test_all_stages_keep_the_selection_in_the_address(open_page):
    page = open_page("emma_sentence")
    screen.click_cell(page, 0, 3, columns=9)
    expect(page).to_have_url(re.compile("(?=.*query=1)(?=.*key=4)(?=.*ask=this)"))
    page.locator(".st-key-stage").get_by_role("radio", name="all").click()
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(4)
    expect(page).to_have_url(re.compile("(?=.*query=1)(?=.*key=4)(?=.*ask=this)(?=.*stage=all)"))


def test_another_preset_brings_its_own_toggles(open_page):
    page = open_page("word_embeddings")
    screen.pick(page, "Example", "three tokens")
    expect(page.locator(".st-key-scale input")).to_be_checked()
    expect(page.locator(".st-key-causal input")).to_be_checked()
    expect(page).to_have_url(re.compile(r"word_embeddings\?preset=three(\+|%20)tokens$"))


def test_the_overview_leads_to_every_page_and_back(open_page):
    page = open_page("")
    for title in ("Emma sentence", "Random QKV", "Word embeddings", "Animal lookup", "Your vectors"):
        page.get_by_test_id("stMain").get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("How attention works")


def test_back_takes_back_what_was_clicked_before_a_was_kept(open_page):
    page = open_page("emma_sentence")
    screen.stage(page, "weights")
    expect(page).to_have_url(re.compile("stage=weights"))
    page.get_by_role("button", name="Keep as A").click()
    expect(page).to_have_url(re.compile(r"[?&]a=1"))
    page.go_back()
    expect(screen.words(page)).to_contain_text("Scores.")
    expect(page).not_to_have_url(re.compile("stage="))
    expect(page).to_have_url(re.compile(r"[?&]a=1"))
    expect(page.get_by_role("button", name="Forget A")).to_be_visible()
