"""A freshly started server and a headless Chromium. Every page must end without an error of ours."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chromium import chromium
from tests.servers import SLOW_START, Server, serve

expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def server():
    with serve("streamlit_app.py", SLOW_START) as running:
        yield running


@pytest.fixture(scope="session")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def context(browser):
    """A function that gives a browser context with these options, the same to all tests, for its cache."""
    contexts = {}

    def context_with(**options) -> BrowserContext:
        name = repr(sorted(options.items()))
        if name not in contexts:
            contexts[name] = browser.new_context(**options)
        return contexts[name]

    yield context_with
    for opened in contexts.values():
        opened.close()


@pytest.fixture
def open_page(context, server):
    """A function that opens a path of the app, with options of a browser context, and watches it."""
    pages, complaints = [], []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(f"error in the page: {error}"))
        page.on("console", lambda message: _note(message, complaints))
        page.on("request", lambda request: _note_request(request, server, complaints))

    def open_path(path: str, wait: bool = True, **options) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 720})
        page = context(**options).new_page()
        pages.append(page)
        watch(page)
        page.goto(f"{server.url}/{path}")
        if wait:
            margin = "32px" if options["viewport"]["width"] > 640 else "16px"
            expect(page.get_by_test_id("stMainBlockContainer")).to_have_css("padding-left", margin)
            expect(page.get_by_test_id("stVegaLiteChart").first.locator("svg, canvas").first).to_be_visible()
        return page

    yield open_path
    shown = [page.get_by_test_id("stException").count() for page in pages]
    for page in pages:
        page.close()
    assert not any(shown), "an exception was on screen"
    assert not complaints, complaints


def _note(message, complaints: list[str]) -> None:
    # On a link straight to a page, Streamlit first looks for its own server below that page and finds a 404.
    own_detour = "/_stcore/" in message.location.get("url", "") and "404" in message.text
    if message.type == "error" and not own_detour:
        complaints.append(f"in the console: {message.text} {message.location.get('url', '')}")


def _note_request(request, server: Server, complaints: list[str]) -> None:
    if not request.url.startswith((server.url, "data:", "blob:", server.url.replace("http", "ws"))):
        complaints.append(f"a request to another host: {request.url}")
