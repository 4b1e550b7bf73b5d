"""From a click to the painted number, by the clock of a headless Chromium, without Playwright's own time."""

from __future__ import annotations

from playwright.sync_api import Browser

REST = 150  # milliseconds for a page to come to rest after a click
PATIENCE = 10_000  # milliseconds

# What an animation frame posts arrives when that frame has been painted.
WATCH = """([selector, patience]) => {
    const before = document.querySelector(selector).textContent
    window.painted = new Promise((resolve, reject) => {
        let clicked
        addEventListener("click", event => { clicked = event.timeStamp }, {capture: true, once: true})
        const frame = new MessageChannel()
        frame.port1.onmessage = () => resolve(performance.now() - clicked)
        const observer = new MutationObserver(() => {
            const text = document.querySelector(selector)?.textContent
            if (!text || text === before) return
            observer.disconnect()
            requestAnimationFrame(() => frame.port2.postMessage("painted"))
        })
        observer.observe(document.body, {subtree: true, childList: true, characterData: true})
        setTimeout(() => reject(new Error("the click changed no number")), patience)
    })
}"""


class Clicker:
    """A page in a window of its own, the toggle to click there, and the number that changes."""

    def __init__(self, browser: Browser, url: str, toggle: str, number: str) -> None:
        self.page = browser.new_page(viewport={"width": 1280, "height": 720})
        self.page.set_default_timeout(PATIENCE)
        self.toggle, self.number = self.page.locator(toggle), number
        self.page.goto(url)
        self.page.locator(number).wait_for()
        self.page.wait_for_timeout(REST)

    def click(self) -> float:
        """Milliseconds from the click until the frame with the new number has been painted."""
        self.page.bring_to_front()
        self.page.evaluate(WATCH, [self.number, PATIENCE])
        self.toggle.click()
        milliseconds: float = self.page.evaluate("() => window.painted")
        self.page.wait_for_timeout(REST)
        return milliseconds
