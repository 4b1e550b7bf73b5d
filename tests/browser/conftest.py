"""A freshly started server and a headless Chromium. Every page must end without an error of ours."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.get_chromium import find_chromium

PROJECT = Path(__file__).parents[2]
FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
expect.set_options(timeout=15_000)


class Server:
    """The app on a port of its own, started as its users start it."""

    def __init__(self, folder: Path = PROJECT) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", f"--server.port={self.port}"]
        options = ["--server.address=127.0.0.1", "--server.headless=true", "--server.fileWatcherType=none"]
        self.process = subprocess.Popen(
            command + options, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).read()
                return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.05)
        raise TimeoutError("the server did not start within a minute")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser():
    sandbox = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS + sandbox)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, server):
    """A function that opens a path of the app, with options of a browser context, and watches it."""
    contexts, complaints = [], []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(f"error in the page: {error}"))
        page.on("console", lambda message: _note(message, complaints))
        page.on("request", lambda request: _note_request(request, server, complaints))

    def open_path(path: str, wait: bool = True, **options) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 720})
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        watch(page)
        page.goto(f"{server.url}/{path}")
        if wait:
            margin = "32px" if options["viewport"]["width"] > 640 else "16px"
            expect(page.get_by_test_id("stMainBlockContainer")).to_have_css("padding-left", margin)
            expect(page.get_by_test_id("stVegaLiteChart").first.locator("svg, canvas").first).to_be_visible()
        return page

    yield open_path
    shown = [page.get_by_test_id("stException").count() for context in contexts for page in context.pages]
    for context in contexts:
        context.close()
    assert not any(shown), "an exception was on screen"
    assert not complaints, complaints


def _note(message, complaints: list[str]) -> None:
    # On a link straight to a page, Streamlit first looks for its own server below that page and finds a 404.
    own_detour = "/_stcore/" in message.location.get("url", "") and "404" in message.text
    if message.type == "error" and not own_detour:
        complaints.append(f"in the console: {message.text}")


def _note_request(request, server: Server, complaints: list[str]) -> None:
    if not request.url.startswith((server.url, "data:", "blob:", server.url.replace("http", "ws"))):
        complaints.append(f"a request to another host: {request.url}")
