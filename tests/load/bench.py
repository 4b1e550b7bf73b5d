"""What a toggle costs on each page, beside what it costs on an empty Streamlit page. `make bench` runs this.

Page and empty page are measured in turns, so that other work on the machine slows both alike: trust the
ratios more than the times. Painting comes in frames of 17 ms, so click to paint moves in steps of that.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

sys.path.append(str(Path(__file__).parents[2]))

from tests.browser.chromium import chromium
from tests.load.clicks import PATIENCE, Clicker
from tests.load.session import Session
from tests.servers import Server, serve

APP, EMPTY_APP = "streamlit_app.py", "tests/load/empty_page/streamlit_app.py"
EMMA = "emma_sentence"
PAGES = (EMMA, "random_qkv", "word_embeddings", "animal_lookup")
STAGE = {"stage": "scaled"}
TOGGLE = ".st-key-scale label"
FRIEND_AND_EMMA = '.st-key-heatmap text[aria-label*="query: friend; key: Emma;"]'
EMPTY_PAGE_TEXT = "[data-testid=stText]"
MOST_CPU, MOST_PAINT = 2.5, 2.0  # times the empty page

LONGEST = 150  # seconds for all of it
WARM_UP = 10  # toggles
PAUSE = 0.06  # seconds, as nobody clicks faster: within 40 ms, the kernel would begin to hold back its ACKs


@dataclass(frozen=True)
class Row:
    """One figure of a page and of the empty page, in milliseconds."""

    page: str
    figure: str
    on_page: float
    on_empty_page: float
    most: float | None = None  # target, in times the empty page

    @property
    def ratio(self) -> float:
        return self.on_page / self.on_empty_page


def in_turns(
    page: Callable[[], float], empty: Callable[[], float], times: int, stop: threading.Event
) -> tuple[list[float], list[float]]:
    """Measure both, one after the other, many times."""
    on_page, on_empty_page = [], []
    for _ in range(times):
        if stop.is_set():
            sys.exit(f"Stopped: interrupted, or not done in {LONGEST} s. See --toggles and --clicks.")
        on_empty_page.append(empty())
        on_page.append(page())
        time.sleep(PAUSE)
    return on_page, on_empty_page


def server_rows(app: Server, empty: Server, page: str, toggles: int, stop: threading.Event) -> list[Row]:
    """From sending a toggle to the end of the run that it caused, and what that took of the processor."""
    with Session(app.port, page, STAGE) as page_session, Session(empty.port) as empty_session:
        turns = (lambda: page_session.toggle("scale"), lambda: empty_session.toggle("scale"))
        in_turns(*turns, WARM_UP, stop)
        before = app.cpu(), empty.cpu()
        times = in_turns(*turns, toggles, stop)
        cpu = (app.cpu() - before[0]) / toggles, (empty.cpu() - before[1]) / toggles
    return [
        Row(page, "server, median", *map(statistics.median, times)),
        Row(page, "server, p95", *map(_p95, times)),
        Row(page, "server CPU", *cpu, MOST_CPU if page == EMMA else None),
    ]


def click_rows(app: Server, empty: Server, clicks: int, stop: threading.Event) -> list[Row]:
    """From a click to the painted number, in a browser."""
    query = "&".join(f"{name}={value}" for name, value in STAGE.items())
    with chromium(PATIENCE) as browser:
        page = Clicker(browser, f"{app.url}/{EMMA}?{query}", TOGGLE, FRIEND_AND_EMMA)
        empty_page = Clicker(browser, empty.url, TOGGLE, EMPTY_PAGE_TEXT)
        in_turns(page.click, empty_page.click, WARM_UP, stop)
        times = in_turns(page.click, empty_page.click, clicks, stop)
    return [
        Row(EMMA, "click to paint, median", *map(statistics.median, times), MOST_PAINT),
        Row(EMMA, "click to paint, p95", *map(_p95, times)),
    ]


def _p95(milliseconds: list[float]) -> float:
    return statistics.quantiles(milliseconds, n=20, method="inclusive")[-1]


def table(rows: list[Row]) -> str:
    lines = [f"{'one toggle':<17}{'figure':<24}{'page':>9}{'empty page':>13}{'ratio':>8}  target"]
    for row in rows:
        numbers = f"{row.on_page:>6.1f} ms{row.on_empty_page:>10.1f} ms{row.ratio:>8.2f}"
        target = f"  at most {row.most}" if row.most else ""
        lines.append(f"{row.page:<17}{row.figure:<24}{numbers}{target}")
    return "\n".join(lines)


def measure(toggles: int, clicks: int, stop: threading.Event) -> list[Row]:
    with serve(APP) as app, serve(EMPTY_APP) as empty:
        rows = [row for page in PAGES for row in server_rows(app, empty, page, toggles, stop)]
        return rows + click_rows(app, empty, clicks, stop)


def stopper() -> threading.Event:
    """Set by Ctrl-C, by a request to end, and after LONGEST; in_turns() then leaves, and all is stopped."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    timer = threading.Timer(LONGEST, stop.set)
    timer.daemon = True
    timer.start()
    return stop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--toggles", type=int, default=100, help="toggles on each page (100)")
    parser.add_argument("--clicks", type=int, default=30, help="clicks in the browser (30)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    options = parser.parse_args()
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load before": round(psutil.getloadavg()[0], 1),
    }
    rows = measure(options.toggles, options.clicks, stopper())
    print(f"Python {machine['python']}, {machine['cores']} cores, load before {machine['load before']}")
    print(f"{options.toggles} toggles a page, {options.clicks} clicks\n\n{table(rows)}")
    if options.json:
        figures = [asdict(row) | {"ratio": row.ratio} for row in rows]
        options.json.write_text(json.dumps(machine | {"milliseconds": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
