"""A headless Chromium, for the browser tests and for the bench."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tests.browser.get_chromium import find_chromium

FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextmanager
def chromium(patience: float = 30_000) -> Iterator[Browser]:
    """A browser that closes at the end; patience is in milliseconds, for its start."""
    sandbox = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS + sandbox, timeout=patience
        )
        try:
            yield browser
        finally:
            browser.close()
