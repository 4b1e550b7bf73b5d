"""From a click to the painted answer, by the clock of a headless Chromium, without Playwright's own time."""

from __future__ import annotations

from playwright.sync_api import Browser

REST = 150  # milliseconds for a page to come to rest after a click
PATIENCE = 30_000  # milliseconds

# A text is what it says; a drawing is some of its pixels, or how many marks each of its groups has. To write
# out all pixels of a large drawing in each frame took 0.7 of the 2 seconds that it was to measure. What an
# animation frame posts arrives when that frame has been painted.
WATCH = """([selector, patience]) => {
    const side = 64, some = new OffscreenCanvas(side, side).getContext("2d", {willReadFrequently: true})
    some.imageSmoothingEnabled = false
    const look = () => {
        const seen = document.querySelector(selector)
        if (seen?.matches("canvas")) {
            some.clearRect(0, 0, side, side)
            some.drawImage(seen, 0, 0, side, side)
            return some.getImageData(0, 0, side, side).data.join()
        }
        if (!seen?.matches("svg")) return seen?.textContent
        const pictures = [...seen.querySelectorAll("image")].map(image => image.getAttribute("href"))
        return [...pictures, ...[...seen.querySelectorAll("g")].map(group => group.childElementCount)].join()
    }
    const before = look()
    window.painted = new Promise((resolve, reject) => {
        let clicked
        addEventListener("click", event => { clicked = event.timeStamp }, {capture: true, once: true})
        const frame = new MessageChannel()
        frame.port1.onmessage = () => resolve(performance.now() - clicked)
        const late = setTimeout(() => reject(new Error("the click changed nothing")), patience)
        const watch = () => {
            const now = look()
            if (!now || now === before) return requestAnimationFrame(watch)
            clearTimeout(late)
            frame.port2.postMessage("painted")
        }
        requestAnimationFrame(watch)
    })
}"""


class Clicker:
    """A page in a window of its own, the toggle to click there, and the text or drawing that changes."""

    def __init__(
        self, browser: Browser, url: str, toggle: str, answer: str, patience: float = PATIENCE
    ) -> None:
        self.page = browser.new_page(viewport={"width": 1280, "height": 720})
        self.page.set_default_timeout(patience)
        self.toggle, self.answer, self.patience = self.page.locator(toggle), answer, patience
        self.page.goto(url)
        self.page.locator(answer).first.wait_for()
        self.page.wait_for_timeout(REST)

    def click(self) -> float:
        """Milliseconds from the click until the frame with the answer has been painted."""
        self.page.bring_to_front()
        self.page.evaluate(WATCH, [self.answer, self.patience])
        self.toggle.click()
        milliseconds: float = self.page.evaluate("() => window.painted")
        self.page.wait_for_timeout(REST)
        return milliseconds
