"""What no page may do: fail, open a dialog or a window of the browser, or ask another host for anything."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Page

AWAY = ("ERR_CONNECTION_REFUSED", "server is not responding", "No response received")
OWN = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


def watch_page(page: Page, complaints: list[str], may_lose_server: bool = True) -> Callable[[], None]:
    """Add a sentence to complaints whenever the page does so, until the function that this gives is called.

    A page that may lose its server, as its test starts that again, may say in the console that it is away.
    """
    watchers: dict[Any, Callable[[Any], None]] = {
        "pageerror": lambda error: complaints.append(f"error in the page: {error}"),
        "console": lambda message: _note(message, complaints, may_lose_server),
        "dialog": lambda dialog: _note_dialog(dialog, complaints),
        "popup": lambda popup: complaints.append(f"a window opened: {popup.url}"),
        "request": lambda request: _note_address("request", request.url, complaints),
        "websocket": lambda socket: _note_address("websocket", socket.url, complaints),
    }
    for event, watcher in watchers.items():
        page.on(event, watcher)

    def unwatch() -> None:
        for event, watcher in watchers.items():
            page.remove_listener(event, watcher)

    return unwatch


def _note(message: ConsoleMessage, complaints: list[str], may_lose_server: bool) -> None:
    # On a link straight to a page, Streamlit first looks for its own server below that page and finds a 404.
    address = message.location.get("url", "")
    own_detour = "/_stcore/" in address and "404" in message.text
    # It looks for the file of every download that it draws; one that was drawn anew at once is gone by then.
    is_download = "/media/" in address and urlsplit(address).path.endswith((".zip", ".csv", ".py"))
    drawn_anew = "404" in message.text and (is_download or "Download Button source error" in message.text)
    is_away = any(words in message.text for words in AWAY)
    excused = own_detour or drawn_anew or (may_lose_server and is_away)
    if message.type == "error" and not excused:
        complaints.append(f"in the console: {message.text} {address}")


def _note_dialog(dialog: Dialog, complaints: list[str]) -> None:
    if (
        dialog.type == "beforeunload"
    ):  # the browser's own question, before a number is lost that was just typed
        dialog.accept()
        return
    complaints.append(f"a dialog opened: {dialog.message}")
    dialog.dismiss()


def _note_address(what: str, address: str, complaints: list[str]) -> None:
    """Pages, scripts, fonts and pictures alike come from the server of the test."""
    if not address.startswith(OWN):
        complaints.append(f"a {what} to another host: {address}")
