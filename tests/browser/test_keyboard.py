"""Who has no mouse: where the focus is, and that it can be seen."""

import pytest
from playwright.sync_api import expect

from tests.browser import screen

IN_FRONT = """(e, marked) => {
  const place = e.closest(marked), {x, y, width, height} = place.getBoundingClientRect();
  return place.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def usable(page, key):
    which = "[data-selected]" if key in ("compare", "stage") else ":is(button, input):not([aria-label^=Help])"
    return page.locator(f".st-key-{key} {which}").locator("visible=true").first


def press(page, key):
    expect(usable(page, key)).to_be_enabled()
    usable(page, key).press("Enter")


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        (
            "emma_sentence?query=9+friend",
            [
                ("clear", "query"),
                *[("next", "next")] * 3,
                ("next", "stage"),
                *[("previous", "previous")] * 3,
                ("previous", "stage"),
                ("keep", "compare"),
                ("forget", "keep"),
                ("present", "next"),
                ("leave", "present"),
            ],
        ),
        ("emma_sentence?what_if=temperature", [("end", "what_if")]),
        ("emma_sentence?experiment=arrows", [("back", "experiment")]),
        ("emma_sentence?experiment=meaning+space", [("make-edit", "undo")]),
    ],
)
def test_the_focus_stays_where_a_key_was_pressed(open_page, path, steps):
    page = open_page(path)
    for pressed, goes_to in steps:
        before = page.url
        press(page, pressed)
        expect(page).not_to_have_url(before)
        expect(usable(page, goes_to)).to_be_focused()


def test_in_a_narrow_window_the_focus_goes_into_the_menu_and_back_to_its_button(open_page):
    page = open_page("emma_sentence", viewport={"width": 640, "height": 360})
    menu = page.get_by_test_id("stExpandSidebarButton")
    expect(menu).to_have_accessible_name("Menu")
    inside = page.get_by_test_id("stSidebarCollapseButton").get_by_role("button")
    for pressed in ("open-share", "keep"):
        menu.press("Enter")
        expect(inside).to_be_focused()
        press(page, pressed)
        if pressed == "open-share":
            expect(page.get_by_role("dialog")).to_be_focused()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
        expect(menu).to_be_focused()


def test_the_focus_stays_though_the_browser_is_late_to_take_it_from_what_is_disabled(open_page):
    page = open_page("emma_sentence?experiment=arrows")
    usable(page, "back").press("Shift")
    usable(page, "back").evaluate("""async (button) => {
        await new Promise((settled) => {  // for any other change would be asked after, too
            let waits = setTimeout(settled, 500);
            const waitOn = () => { clearTimeout(waits); waits = setTimeout(settled, 500); };
            const everything = { subtree: true, childList: true, characterData: true };
            new MutationObserver(waitOn).observe(document.body, everything);
        });
        window.requestAnimationFrame = queueMicrotask;
        button.disabled = true;
    }""")
    expect(usable(page, "experiment")).to_be_focused()


def test_the_focus_goes_on_from_the_last_undo(open_page):
    page = open_page("emma_sentence")
    screen.type_into(page, "queries", 8, 3, "3")
    press(page, "undo")
    expect(page.locator(".st-key-edits")).to_have_count(0)
    expect(usable(page, "decimals")).to_be_focused()


def test_what_is_said_of_a_stage_is_read_out_when_it_is_chosen_and_not_when_the_page_opens(open_page):
    page = open_page("emma_sentence?stage=scores")
    told = page.locator("#told")
    expect(screen.words(page)).to_contain_text("The dot product of every query with every key.")
    expect(told).to_have_text("")
    press(page, "next")
    expect(told).to_contain_text("Scaled. Scaling is off, so the scores stay as they are.")
    screen.type_into(page, "queries", 8, 3, "3")
    expect(told).to_contain_text("Edit: queries friend Adjective 1 → 3")
    press(page, "undo")
    expect(told).to_contain_text("Scaled. Scaling is off")


def test_what_has_the_focus_is_not_below_the_line_that_tells_of_an_edit(open_page):
    page = open_page("emma_sentence", viewport={"width": 640, "height": 360})
    screen.type_into(page, "queries", 8, 3, "3")
    line = page.locator(".st-key-effect")
    expect(line).to_be_visible()
    page.get_by_text("softmax", exact=True).first.focus()
    for _ in range(6):
        page.keyboard.press("Tab")
        inside = page.evaluate("""() => {
            const place = document.activeElement.getBoundingClientRect();
            return place.bottom <= document.querySelector(".st-key-effect").getBoundingClientRect().top + 1;
        }""")
        assert inside, page.evaluate("() => document.activeElement.outerHTML.slice(0, 200)")


def test_the_focus_stays_on_the_link_to_a_page(open_page):
    page = open_page("emma_sentence")
    link = page.get_by_test_id("stSidebar").get_by_role("link", name="Random QKV")
    link.press("Enter")
    expect(page.locator("h1")).to_contain_text("Why divide the scores by √dₖ?")
    expect(link).to_be_focused()


def test_a_mouse_leaves_the_focus_alone(open_page):
    page = open_page("emma_sentence?stage=scaled")
    usable(page, "previous").click()
    expect(screen.words(page)).to_contain_text("Scores.")
    expect(page.locator(":focus")).to_have_count(0)


def test_the_focus_can_be_seen_on_links_switches_and_what_stands_above_a_chart(open_page):
    page = open_page("emma_sentence")
    sidebar = page.get_by_test_id("stSidebar")
    toolbar = page.locator(screen.CHART).get_by_test_id("stElementToolbarButton").locator("visible=true")
    places = {
        "a link": (sidebar.get_by_role("link", name="Random QKV"), "a"),
        "a switch": (page.get_by_role("switch").first, "label"),
        "a chart's full screen": (toolbar.get_by_role("button", name="Fullscreen"), "button"),
    }
    page.keyboard.press("Tab")  # the first key, from which on the focus is to be seen
    for name, (place, outlined) in places.items():
        place.focus()
        outline = place.evaluate("(e, marked) => getComputedStyle(e.closest(marked)).outline", outlined)
        assert "solid 2px" in outline, name
        assert place.evaluate(
            "e => e.closest('label, a, button').checkVisibility({opacityProperty: true})"
        ), name
        assert place.evaluate(IN_FRONT, outlined), name


def test_a_chart_offers_no_records_of_ours(open_page):
    page = open_page("emma_sentence")
    page.locator(screen.CHART).hover()
    names = page.locator(screen.CHART).get_by_test_id("stElementToolbarButton").get_by_role("button")
    expect(names).to_have_count(2)
    told = [name.get_attribute("aria-label").partition(":")[0] for name in names.all()]
    assert told == ["Download as PNG", "Fullscreen"]


def test_escape_closes_a_dialog_from_which_the_focus_has_gone_with_its_button(open_page):
    page = open_page("emma_sentence")
    file = {"name": "keys.csv", "mimeType": "text/csv", "buffer": b"a,b,c,d\n" + b"1,0,0,0.5\n" * 9}
    dialog = page.get_by_role("dialog")
    for _ in range(4):  # as the focus goes to the dialog, or nowhere
        usable(page, "open-load").click()
        expect(dialog).to_be_visible()
        dialog.get_by_test_id("stFileUploaderDropzone").locator("button").first.focus()
        dialog.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_text("Understood:")).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
