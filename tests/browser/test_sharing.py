"""Links, files and zips in a browser: what was typed is not lost, and a link gives back its screen."""

import re

import pytest
from playwright.sync_api import expect

from core.recipes import Recipe, content_of
from core.sharing import pack
from tests.browser import screen
from tests.browser.screen import press, shared_link
from tests.servers import APP, SLOW_START, serve

FRIEND, EMMA, WORDS = 8, 0, 9
BACK = """() => new Promise((isThere) => {
  addEventListener("popstate", () => isThere(), { once: true });
  history.back();
})"""


def friend_to_emma(page):
    return screen.number(page, FRIEND, EMMA, WORDS)


def test_edits_survive_a_restart_of_the_server(browser, watch):
    page = watch(browser.new_page(viewport={"width": 1280, "height": 720}))
    with serve(APP, SLOW_START) as first:
        page.goto(f"{first.url}/emma_sentence")
        for column, (text, score) in enumerate([("2", "3.62"), ("-1,5", "1.70"), (".25", "1.45")]):
            screen.type_into(page, "queries", FRIEND, column, text)
            expect(friend_to_emma(page)).to_have_text(score)
        screen.toggle(page, "causal")
        expect(page).to_have_url(re.compile("causal=true&edits=|edits=.*&causal=true"))
        address = page.url
    with serve(APP, SLOW_START, first.port):
        expect(screen.cell(page, "queries", FRIEND, 1)).to_have_text("-1.5", timeout=60_000)
        expect(page.locator(".st-key-edits")).to_contain_text("friend, Animal")
        expect(friend_to_emma(page)).to_have_text("1.45")
        expect(page.locator(".st-key-causal input")).to_be_checked()
        assert page.url == address
        screen.type_into(page, "queries", FRIEND, 0, "0")
        expect(friend_to_emma(page)).to_have_text("-0.95")
        page.close()


def test_back_takes_back_one_click_and_forward_brings_it_again(open_page):
    page = open_page("emma_sentence")
    score, old = screen.number(page, FRIEND, EMMA, columns=9), "3.62"
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(score).to_have_text(old)
    screen.toggle(page, "scale")
    expect(page).to_have_url(re.compile("scale=true"))
    screen.stage(page, "scaled")
    expect(score).to_have_text("1.81")
    page.go_back()
    expect(score).to_have_text(old)
    expect(page.get_by_label("Scale by")).to_be_checked()
    page.go_back()
    expect(page.get_by_label("Scale by")).not_to_be_checked()
    expect(score).to_have_text(old)
    page.go_back()
    expect(score).to_have_text("2.42")
    for _ in range(3):
        page.go_forward()
    expect(score).to_have_text("1.81")
    expect(page.get_by_label("Scale by")).to_be_checked()


@pytest.mark.parametrize("late", [0, 800])
def test_back_waits_for_what_was_just_typed_and_takes_back_that_alone(open_far_away, late):
    page = open_far_away("emma_sentence", late)
    screen.toggle(page, "scale")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 2")
    screen.type_into(page, "queries", FRIEND, 0, "3")
    page.evaluate(BACK)
    expect(page).to_have_url(re.compile("edits="))
    expect(page.locator(".st-key-edits")).to_have_text("Edited: queries, friend, Person: 1 → 2")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("2")
    expect(friend_to_emma(page)).to_have_text("3.62")
    page.evaluate(BACK)
    expect(page.locator(".st-key-edits")).to_have_count(0)
    expect(friend_to_emma(page)).to_have_text("2.42")
    expect(page.get_by_label("Scale by")).to_be_checked()


def test_reload_back_and_forward_show_the_numbers_of_their_links(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_to_emma(page)).to_have_text("3.62")
    screen.type_into(page, "queries", FRIEND, 0, "3")
    expect(friend_to_emma(page)).to_have_text("4.82")
    page.go_back()
    expect(friend_to_emma(page)).to_have_text("3.62")
    page.reload()
    expect(friend_to_emma(page)).to_have_text("3.62")
    expect(screen.cell(page, "queries", FRIEND, 0)).to_have_text("2")
    page.go_back()
    expect(friend_to_emma(page)).to_have_text("2.42")
    page.go_forward()
    expect(friend_to_emma(page)).to_have_text("3.62")


def test_each_press_of_back_takes_one_step_through_clicks_edits_and_pages(open_page):
    page = open_page("emma_sentence")
    expect(friend_to_emma(page)).to_have_text("2.42")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_to_emma(page)).to_have_text("3.62")
    screen.type_into(page, "queries", FRIEND, 0, "3")
    expect(friend_to_emma(page)).to_have_text("4.82")
    screen.stage(page, "scaled")
    expect(page).to_have_url(re.compile("stage=scaled"))
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    screen.type_into(page, "queries", 0, 0, "1")
    expect(page.locator(".st-key-edits")).to_contain_text("→ 1")
    screen.go_to(page, "Emma sentence")
    expect(screen.words(page)).to_contain_text("Scaled.")
    page.go_back()
    expect(page.locator(".st-key-edits")).to_contain_text("→ 1")
    page.go_back()
    expect(screen.words(page)).to_contain_text("token 2")
    expect(page.locator(".st-key-edits")).to_have_count(0)
    page.go_back()
    expect(screen.words(page)).to_contain_text("Scaled.")
    expect(friend_to_emma(page)).to_have_text("4.82")
    for score in ("4.82", "3.62", "2.42"):
        page.go_back()
        expect(screen.words(page)).to_contain_text("Scores.")
        expect(friend_to_emma(page)).to_have_text(score)
    expect(page).to_have_url(re.compile("emma_sentence$"))
    page.go_forward()
    expect(friend_to_emma(page)).to_have_text("3.62")


def test_a_step_is_kept_though_the_next_click_leads_to_another_page(open_far_away):
    page = open_far_away("emma_sentence")
    screen.stage(page, "scaled")
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    screen.go_to(page, "Emma sentence")
    expect(screen.words(page)).to_contain_text("Scaled.")
    page.get_by_role("button", name="Next").click()
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    page.go_back()
    expect(screen.words(page)).to_contain_text("Masked.")


@pytest.mark.parametrize("chosen", [["Word embeddings"], ["Word embeddings", "Your vectors"]])
def test_of_pages_chosen_before_the_first_has_come_the_last_comes(open_far_away, chosen):
    """Its link is drawn anew with the first; the old one would have the browser load all anew."""
    page = open_far_away("emma_sentence")
    page.evaluate("window.isSame = true")
    for title in "Random QKV", *chosen:
        screen.go_to(page, title)
    expect(page.locator("h1")).to_contain_text(chosen[-1])
    assert page.evaluate("window.isSame") is True


def test_a_step_by_key_is_kept_though_the_next_key_leads_to_another_page(open_far_away):
    page = open_far_away("emma_sentence")
    for role, name in ("button", "Next"), ("link", "Random QKV"):
        page.get_by_role(role, name=name).focus()
        page.keyboard.press("Enter")
    expect(screen.words(page)).to_contain_text("token 2")
    page.go_back()
    expect(screen.words(page)).to_contain_text("Scaled.")


def test_back_takes_forgetting_a_back(open_page):
    page = open_page("emma_sentence")
    press(page, "keep")
    expect(page).to_have_url(re.compile("a="))
    press(page, "forget")
    expect(page).not_to_have_url(re.compile("a="))
    page.go_back()
    expect(page.get_by_role("button", name="Forget A")).to_be_visible()
    expect(page).to_have_url(re.compile("a="))


def test_back_takes_a_dialog_along(open_page):
    page = open_page("emma_sentence")
    screen.stage(page, "weights")
    expect(screen.words(page)).to_contain_text("Weights.")
    press(page, "open-save")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(screen.words(page)).to_contain_text("Scores.")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_edits_that_are_too_many_for_a_link_outlast_back(open_page):
    recipe = Recipe(tokens=tuple(f"token{i}" for i in range(64)), d_k=64, random=False)
    page = open_page(f"your_vectors?edits={pack({'start': content_of(recipe)})}")
    numbers = "\n".join(
        ",".join(f"{(row * 64 + column) ** 0.5}" for column in range(64)) for row in range(64)
    )
    press(page, "open-load")
    file = {"name": "queries.csv", "mimeType": "text/csv", "buffer": numbers.encode()}
    page.locator("input[type=file]").set_input_files(file)
    press(page, "use")
    expect(page.get_by_text("too many edits for a link")).to_be_visible()
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    page.go_back()
    expect(page.get_by_text("too many edits for a link")).to_be_visible()
    expect(screen.cell(page, "queries", 1, 0)).to_have_text("8")


def test_a_pasted_table_is_still_there_after_a_click_beside_the_dialog_until_it_is_used(open_page):
    page = open_page("emma_sentence")
    table = "\n".join(["Person;Animal;Noun;Adjective", *["1;2;3;x"] * 9])
    press(page, "open-load")
    page.get_by_role("radio", name="pasted text").click()
    page.get_by_role("dialog").locator("textarea").fill(table)
    press(page, "load-read")
    expect(page.get_by_role("dialog")).to_contain_text("'x' is not a number")
    page.mouse.click(5, 300)
    expect(page.get_by_role("dialog")).to_have_count(0)
    press(page, "open-load")
    field = page.get_by_role("dialog").locator("textarea")
    expect(field).to_have_value(table)
    field.fill(table.replace("x", "4"))
    press(page, "load-read")
    press(page, "use")
    expect(page.get_by_role("dialog")).to_have_count(0)
    press(page, "open-load")
    expect(page.get_by_role("dialog").locator("input[type=file]")).to_be_attached()


def test_edits_come_back_with_their_page_by_the_sidebar_and_by_back(open_page):
    page = open_page("emma_sentence?causal=true")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_to_emma(page)).to_have_text("3.62")
    address = page.url
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    assert "edits" not in page.url
    page.go_back()
    expect(friend_to_emma(page)).to_have_text("3.62")
    expect(page.locator(".st-key-causal input")).to_be_checked()
    screen.go_to(page, "Random QKV")
    expect(screen.words(page)).to_contain_text("token 2")
    screen.go_to(page, "Emma sentence")
    expect(friend_to_emma(page)).to_have_text("3.62")
    expect(page).to_have_url(re.compile("edits="))
    assert sorted(page.url.partition("?")[2].split("&")) == sorted(address.partition("?")[2].split("&"))
    page.go_back()
    expect(page.locator(".st-key-message")).not_to_contain_text("cannot be used")


def test_a_link_shows_the_same_screen_in_another_browser(open_page, browser, server, watch):
    page = open_page("emma_sentence?stage=weights")
    press(page, "keep")
    expect(page.get_by_role("button", name="Forget A")).to_be_visible()
    screen.type_into(page, "queries", FRIEND, 3, "3")
    expect(friend_to_emma(page)).to_have_text("0.30")
    page.locator(".st-key-compare").get_by_role("radio", name="B − A").click()
    expect(friend_to_emma(page)).to_have_text("-0.29")
    screen.click_cell(page, FRIEND, EMMA, WORDS)
    expect(page.locator(".st-key-answer")).to_contain_text("friend")
    numbers = page.locator(screen.HEATMAP).text_content()
    link = shared_link(page)
    assert link.startswith(f"{server.url}/emma_sentence?")
    other = watch(browser.new_page(viewport={"width": 1280, "height": 720}))
    other.goto(link)
    expect(other.locator(".st-key-answer")).to_contain_text("friend")
    expect(other.locator(".st-key-comparing")).to_contain_text("“Emma hates games but she is a great friend”")
    expect(other.locator(".st-key-edits")).to_contain_text("friend, Adjective: 1 → 3")
    expect(other.locator(".st-key-message")).to_contain_text("Since A")
    expect(other.locator(".st-key-compare").get_by_role("radio", name="B − A")).to_be_checked()
    assert other.locator(screen.HEATMAP).text_content() == numbers
    other.close()


def test_the_link_is_copied_with_one_click(open_page):
    page = open_page("emma_sentence", permissions=["clipboard-read", "clipboard-write"])
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(friend_to_emma(page)).to_have_text("3.62")
    link = shared_link(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link == page.url


def test_the_link_is_copied_with_the_keyboard(open_page):
    page = open_page("emma_sentence", permissions=["clipboard-read", "clipboard-write"])
    link = shared_link(page)
    copy = page.get_by_role("button", name="Copy link")
    expect(copy).to_be_visible()
    page.get_by_test_id("stDialog").get_by_role("button", name="Close").focus()
    page.keyboard.press("Tab")
    expect(copy).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link


def test_a_lesson_link_is_built_and_hides_what_it_names(open_page, server):
    page = open_page("emma_sentence?stage=weights")
    press(page, "open-share")
    page.get_by_text("For a lesson").click()
    stages = page.locator(".st-key-lesson-stages")
    expect(stages).to_be_visible()
    place = stages.bounding_box()
    names = ["reset", "answers", "what if"]
    pressed = page.locator(".st-key-lesson-hidden [aria-pressed=true]")
    for count, name in enumerate(names, start=1):
        page.get_by_role("button", name=name, exact=True).click()
        expect(pressed).to_have_text(names[:count])
    stages.get_by_role("button", name="weights", exact=True).click()
    code = page.get_by_test_id("stDialog").locator("code")
    expect(code).to_contain_text("hide=reset%2Canswers%2Cwhat+if&stages=weights")
    assert stages.bounding_box() == place
    lesson = open_page(code.inner_text().removeprefix(f"{server.url}/"))
    expect(lesson.locator(".st-key-undo")).to_be_visible()
    for name in ("reset", "asked", "what-if"):
        expect(lesson.locator(f".st-key-{name}")).to_be_hidden()
    expect(lesson.locator(".st-key-stepper")).to_be_hidden()
    expect(screen.words(page).locator("p")).to_have_count(3)
    expect(screen.words(lesson).locator("p")).to_have_count(2)
    expect(screen.words(lesson)).not_to_contain_text("0.58")
    expect(screen.number(lesson, FRIEND, EMMA, WORDS)).to_have_text("0.58")


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_a_lesson_without_answers_says_on_the_first_screen_what_cannot_be_used(open_page, size):
    page = open_page(
        "emma_sentence?hide=answers&edits=1nonsense.", viewport={"width": size[0], "height": size[1]}
    )
    expect(page.get_by_text("The edits in this link cannot be used")).to_be_in_viewport(ratio=0.9)
    screen.type_into(page, "queries", 0, 0, "1e999")
    problem = page.get_by_text("'1e999' is too large").locator("visible=true").first
    expect(problem).to_be_in_viewport(ratio=0.5)
    screen.type_into(page, "queries", 0, 0, "5")
    expect(screen.number(page, 0, 0, WORDS)).to_have_text("7.46")
    expect(page.get_by_text("Edit:").locator("visible=true")).to_have_count(0)


def test_a_template_is_downloaded_filled_in_and_loaded(open_page, tmp_path):
    page = open_page("emma_sentence")
    press(page, "open-load")
    with page.expect_download() as download:
        page.get_by_role("button", name="Template, 1.5").click()
    template = tmp_path / download.value.suggested_filename
    download.value.save_as(template)
    assert template.name == "template_queries.csv"
    text = template.read_text("utf-8-sig")
    assert text.splitlines()[0] == ',"Person","Animal","Noun","Adjective"'
    assert text.splitlines()[-1] == '"friend",1,0.9,0.5,1'
    template.write_text(text.replace('"friend",1,', '"friend",2,'), "utf-8")
    page.locator("input[type=file]").set_input_files(template)
    expect(page.get_by_test_id("stDialog")).to_contain_text(
        "9 rows and 4 columns of numbers; comma between cells"
    )
    press(page, "use")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(friend_to_emma(page)).to_have_text("3.62")
    expect(page.locator(".st-key-message")).to_contain_text("queries friend Person 1 → 2")


def test_a_table_is_pasted_and_a_bad_one_is_refused_with_its_place(open_page):
    page = open_page("emma_sentence")
    press(page, "open-load")
    page.get_by_role("radio", name="pasted text").click()
    text = page.get_by_label("Paste a table")
    text.fill("Person;Animal;Noun;Adjective\n" + "1,5;0;0;0\n" * 8 + "1,5;x;0;0\n")
    press(page, "load-read")
    dialog = page.get_by_test_id("stDialog")
    expect(dialog).to_contain_text("The pasted text, row 10, column 2: 'x' is not a number")
    text.fill("Person;Animal;Noun;Adjective\n" + "1,5;0;0;0\n" * 9)
    press(page, "load-read")
    expect(dialog).to_contain_text("semicolon between cells; decimal comma")
    press(page, "use")
    expect(friend_to_emma(page)).to_have_text("1.80")


def saved_table(page, tmp_path):
    """The name of the file in the dialog that is open, and its text."""
    with page.expect_download() as download:
        press(page, "save-csv")
    saved = tmp_path / "table.csv"
    download.value.save_as(saved)
    return download.value.suggested_filename, saved.read_text("utf-8-sig")


def test_a_saved_table_is_the_one_on_screen_and_says_whose_it_is(open_page, tmp_path):
    page = open_page("emma_sentence?stage=scores")
    press(page, "keep")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    page.get_by_role("radio", name="B − A").click()
    expect(friend_to_emma(page)).to_have_text("1.20")
    press(page, "open-save")
    dialog = page.get_by_test_id("stDialog")
    expect(dialog).to_contain_text("The table is of B − A, as on screen")
    name, text = saved_table(page, tmp_path)
    assert name == "emma_sentence_scores_B-A.csv"
    assert float(text.splitlines()[-1].split(",")[1]) == pytest.approx(1.2)
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("radio", name="B", exact=True).click()
    expect(friend_to_emma(page)).to_have_text("3.62")
    press(page, "open-save")
    expect(dialog).not_to_contain_text("The table is of")
    name, text = saved_table(page, tmp_path)
    assert name == "emma_sentence_scores.csv"
    assert text.splitlines()[-1].startswith('"friend",3.62,')


def test_who_loads_decimal_commas_saves_them_too(open_page, tmp_path):
    page = open_page("emma_sentence?stage=scores")
    press(page, "open-load")
    rows = "\n".join(["1,2;0,8;1;0"] * 9)
    file = {"name": "queries.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    page.locator("input[type=file]").set_input_files(file)
    press(page, "use")
    expect(friend_to_emma(page)).to_have_text("3.08")
    press(page, "open-save")
    _, text = saved_table(page, tmp_path)
    assert text.splitlines()[-1].startswith('"friend";3,08')


def test_a_zip_opens_the_page_again_from_another_page(open_page, tmp_path):
    page = open_page("emma_sentence?stage=weights")
    screen.type_into(page, "queries", FRIEND, 0, "2")
    expect(page.locator(".st-key-edits")).to_contain_text("friend, Person")
    expect(friend_to_emma(page)).to_have_text("0.79")
    press(page, "open-save")
    with page.expect_download() as download:
        press(page, "save-zip")
    saved = tmp_path / "page.zip"
    download.value.save_as(saved)
    other = open_page("animal_lookup?experiment=arrows&stretch=2")  # settings that are not the zip's
    press(other, "open-load")
    other.locator("input[type=file]").set_input_files(saved)
    press(other, "open-zip")
    expect(other.get_by_role("heading", level=1)).to_contain_text("Emma sentence")
    expect(other.locator(".st-key-edits")).to_contain_text("friend, Person: 1 → 2")
    expect(other).to_have_url(re.compile(r"/emma_sentence\?(?=.*edits=)(?=.*stage=weights)"))
    expect(other).not_to_have_url(re.compile("experiment|stretch"))
    expect(friend_to_emma(other)).to_have_text("0.79")


def test_ones_own_sentence_is_typed_and_is_in_the_link(open_page):
    page = open_page("your_vectors")
    press(page, "open-start-anew")
    page.get_by_label("Your sentence").fill("I have 2 cats")
    press(page, "start")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(screen.cell(page, "queries", 3, -1)).to_have_text("cats")
    score = screen.number(page, 3, 0, 4).text_content()
    page.reload()
    expect(screen.number(page, 3, 0, 4)).to_have_text(score)
    expect(screen.cell(page, "keys", 2, -1)).to_have_text("2")


def test_a_width_that_cannot_be_is_told_and_not_used(open_page):
    page = open_page("your_vectors")
    press(page, "open-start-anew")
    width = page.get_by_label("dₖ, width of a query and a key")
    width.fill("600")
    press(page, "start")
    expect(page.get_by_test_id("stDialog")).to_contain_text("The width dₖ is 600; it may be any whole number")
    expect(width).to_have_value("600")
    width.fill("5")
    press(page, "start")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(page.locator(".st-key-editor-queries")).to_contain_text("6 tokens × 5 dimensions")


def test_an_edit_and_a_toggle_in_one_breath_are_both_in_the_link(open_page):
    page = open_page("emma_sentence?stage=scaled")
    screen.type_into(page, "queries", 8, 0, "0")
    screen.toggle(page, "scale")
    expect(screen.number(page, 8, 0, columns=9)).to_have_text("0.61")
    expect(page).to_have_url(re.compile(r"(?=.*scale=true)(?=.*edits=1)"))
