"""Tabs that one test after another borrows: one that has shown the app shows it again in half the time."""

from __future__ import annotations

from collections import Counter
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

MOST_TESTS = 10  # of a tab, as what it has shown stays in its memory, and slows it down in the end


class Tabs:
    """The tabs of one browser: those of any size share a context, and so its cache."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: dict[str, BrowserContext] = {}
        self.idle: dict[BrowserContext, list[Page]] = {}
        self.tests: Counter[Page] = Counter()

    def borrow(self, viewport: ViewportSize, **options: Any) -> Page:
        """An empty tab of a context with these options, in front of all others."""
        name = repr(sorted(options.items()))
        if name not in self.contexts:
            self.contexts[name] = self.browser.new_context(viewport=viewport, **options)
            self.idle[self.contexts[name]] = []
        idle = self.idle[self.contexts[name]]
        page = idle.pop() if idle else self.contexts[name].new_page()
        page.set_viewport_size(viewport)  # which is another than in the last test
        page.bring_to_front()
        return page

    def give_back(self, page: Page) -> None:
        """Keep it, emptied, for the next test; or close it, where it is used up or of another context."""
        if page.is_closed():
            return
        if page.url.startswith("http"):
            page.evaluate("() => localStorage.clear()")  # it knows whether the list of pages was open
        self.tests[page] += 1
        if page.context not in self.idle or self.tests[page] == MOST_TESTS:
            page.close()
            return
        page.goto("about:blank")
        self.idle[page.context].append(page)

    def close(self) -> None:
        for context in self.contexts.values():
            context.close()
