"""A page inside that of a course: what is said stays in view, and what holds only outside is not said."""

import pytest
from playwright.sync_api import expect

from tests.browser import screen

COURSE = (
    '<h1>Course</h1><iframe src="{address}" width="{width}" height="{height}"></iframe>'
    '<p style="height: 500px">More of the course</p>'
)


@pytest.fixture
def open_in_frame(server, open_page):
    def open_framed(path, width, height):
        page = open_page("", wait=False, viewport={"width": 1280, "height": 720})
        course = COURSE.format(address=f"{server.url}/{path}", width=width, height=height)
        page.route("**/course", lambda route: route.fulfill(body=course, content_type="text/html"))
        page.goto(f"{server.url}/course")
        frame = page.locator("iframe").element_handle().content_frame()
        frame.wait_for_selector(f"{screen.HEATMAP}")
        expect(frame.locator("html.framed")).to_be_attached()
        return frame

    return open_framed


@pytest.mark.parametrize(("width", "height"), [(900, 900), (700, 600)])
def test_what_an_edit_did_and_what_cannot_be_used_is_in_view_beside_the_cells(open_in_frame, width, height):
    frame = open_in_frame("emma_sentence", width, height)
    for text, place, told in (("2", "effect", "Weights moved most:"), ("abc", "problems", "not a number")):
        screen.type_into(frame, "queries", 3, 0, text)
        message = frame.locator(f".st-key-{place}")
        expect(message).to_contain_text(told)
        expect(message).to_be_in_viewport(ratio=0.99)
        expect(screen.grid(frame, "queries")).to_be_in_viewport()


def test_share_offers_a_tab_of_its_own_and_does_not_speak_of_the_address_bar(open_in_frame, open_page):
    frame = open_in_frame("emma_sentence", 900, 900)
    screen.type_into(frame, "queries", 3, 0, "2")
    expect(frame.locator(".st-key-effect")).to_contain_text("Weights moved most:")
    screen.press(frame, "open-share")
    dialog = frame.get_by_test_id("stDialog")
    own_tab = dialog.get_by_role("link", name="Open in a tab of its own")
    expect(own_tab).to_have_attribute("href", dialog.locator("code").inner_text())
    expect(dialog.get_by_text("address bar")).to_be_hidden()
    page = open_page("emma_sentence")
    screen.press(page, "open-share")
    expect(page.get_by_test_id("stDialog").get_by_text("address bar")).to_be_visible()
    expect(page.get_by_role("link", name="Open in a tab of its own")).to_be_hidden()


def test_load_says_where_a_file_goes_that_a_browser_refuses_inside_another_page(open_in_frame):
    frame = open_in_frame("emma_sentence", 900, 900)
    screen.press(frame, "open-load")
    expect(frame.get_by_text("If your browser refuses a file here")).to_be_visible()
    expect(frame.get_by_role("link", name="Open in a tab of its own")).to_be_visible()
