"""The app asks nobody but its own server, which proves something only if another host would be noticed."""

import pytest
from playwright.sync_api import expect

from tests.browser.watching import watch_page
from tests.servers import PAGES

EVERY_PAGE = ("", *PAGES)


def test_every_page_asks_only_its_own_server_for_fonts_and_all_else(watch, browser, server):
    page = watch(browser.new_page())  # of a browser that has nothing of it in its cache
    kinds, sockets = set(), []
    page.on("request", lambda request: kinds.add(request.resource_type))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    for path in EVERY_PAGE:
        page.goto(f"{server.url}/{path}")
        expect(page.get_by_test_id("stVegaLiteChart").first.locator("svg.marks")).to_be_visible()
    assert {"document", "script", "stylesheet", "font", "fetch"} <= kinds
    assert len(sockets) >= len(EVERY_PAGE)
    assert {cookie["name"] for cookie in page.context.cookies()} <= {"_streamlit_xsrf"}


@pytest.mark.parametrize(
    ("code", "event", "complaint"),
    [
        (
            "fetch('http://other.invalid/x').catch(() => 0)",
            "request",
            "a request to another host: http://other.invalid/x",
        ),
        (
            "new FontFace('x', 'url(http://other.invalid/x.woff2)').load().catch(() => 0)",
            "request",
            "a request to another host: http://other.invalid/x.woff2",
        ),
        (
            "new WebSocket('ws://other.invalid/x').url",
            "websocket",
            "a websocket to another host: ws://other.invalid/x",
        ),
        ("alert('hello')", "dialog", "a dialog opened: hello"),
        ("window.open('about:blank') && 0", "popup", "a window opened: about:blank"),
        ("setTimeout(() => { throw Error('x') })", "pageerror", "error in the page: x"),
        ("setTimeout(() => console.error('y'))", "console", "in the console: y "),
    ],
)
def test_what_a_page_may_not_do_is_noticed(browser, server, code, event, complaint):
    complaints = []
    with browser.new_context(bypass_csp=True) as own:  # which would hold back what goes to another host
        page = own.new_page()
        page.goto(f"{server.url}/_stcore/health")
        watch_page(page, complaints)
        with page.expect_event(event):
            page.evaluate(code)
    assert complaint in complaints
