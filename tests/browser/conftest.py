"""A freshly started server, and pages of it in a browser. Every page must end without an error of ours."""

from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.tabs import Tabs
from tests.browser.watching import watch_page
from tests.servers import CLASS_APP, SLOW_START, serve

expect.set_options(timeout=15_000)

# Our style, a chart and our script are there: asked at every frame, where expect() asks twice a second.
READY = """margin => {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  const chart = document.querySelector("[data-testid=stVegaLiteChart] :is(svg, canvas)");
  const styled = main && getComputedStyle(main).paddingLeft === margin;
  return styled && chart?.checkVisibility() && document.getElementById("in-browser") !== null;
}"""


@pytest.fixture(scope="session")
def server():
    with serve(CLASS_APP, SLOW_START) as running:
        yield running


@pytest.fixture(scope="session")
def tabs(browser):
    tabs = Tabs(browser)
    yield tabs
    tabs.close()


@pytest.fixture
def watch(tabs):
    """A function that watches a page, for the test to fail on what watching.py complains of."""
    unwatch, complaints = {}, []

    def watched(page: Page) -> Page:
        unwatch[page] = watch_page(page, complaints)
        return page

    yield watched
    shown = [page.get_by_test_id("stException").count() for page in unwatch if not page.is_closed()]
    for page, end in unwatch.items():
        end()
        tabs.give_back(page)
    assert not any(shown), "an exception was on screen"
    assert not complaints, complaints


@pytest.fixture
def open_page(tabs, server, watch):
    """A function that opens a path of the app, with options of a browser context, and watches it."""

    def open_path(path: str, wait: bool = True, **options) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 720})
        page = watch(tabs.borrow(**options))
        page.goto(f"{server.url}/{path}")
        if wait:
            _wait_until_ready(page)
        return page

    return open_path


@pytest.fixture
def open_far_away(browser, server, watch):
    """A function that opens a path of the app, where all that the page sends arrives milliseconds later."""
    with ExitStack() as contexts:

        def open_path(path: str, late: int = 800, **options) -> Page:
            page = watch(contexts.enter_context(browser.new_context(**options)).new_page())
            screen.have_clicks_arrive_late(page, late)
            page.goto(f"{server.url}/{path}")
            _wait_until_ready(page)
            return page

        yield open_path


def _wait_until_ready(page: Page) -> None:
    page.wait_for_function(READY, arg=_margin(page.viewport_size["width"]))


def _margin(width: int) -> str:
    """The margin that style.css gives a page in a window of this width."""
    if width <= 640:
        return "16px"
    return "14px" if 1000 < width < 1200 else "32px"
