"""What the app costs, beside a floor that was measured in turns with it. `make bench` runs this.

The floor is an empty Streamlit page, where nothing else is named. In turns, other work on the machine slows
both alike: trust the ratios more than the times. Painting comes in frames of 17 ms, so click to paint moves
in steps of that.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import Error as PlaywrightError
from scipy.special import softmax

sys.path.append(str(Path(__file__).parents[2]))

from core.attention import scaled_dot_product_attention
from tests.browser.chromium import chromium
from tests.browser.screen import CHART
from tests.examples import tokens_in_link
from tests.load import load
from tests.load.clicks import PATIENCE, Clicker
from tests.load.figures import Row, Run, of_times
from tests.load.session import Session
from tests.load.stopping import stopper
from tests.servers import (
    CLASS_APP,
    EMPTY_APP,
    LEAST_APP,
    PAGES,
    PROJECT,
    SLOW_START,
    Server,
    free_port,
    serve,
    started,
)

EMMA, OWN = "emma_sentence", "your_vectors"
CLICKED = (EMMA, *(page for page in PAGES if page not in (EMMA, OWN)))
SIZES = (9, 32, 64, 128, 256)  # tokens
STAGE = {"stage": "scaled"}
LONG, WIDE, PRODUCTS = 1024, 64, 20  # tokens, d_k, and how often

TOGGLE = ".st-key-scale label"
FRIEND_AND_EMMA = '[data-testid=stVegaLiteChart] text[aria-label*="query: friend; key: Emma;"]'
SENTENCE = ".st-key-one-stage [data-testid=stMarkdown]"
EMPTY_PAGE_TEXT = "[data-testid=stText]"
DASH = PROJECT / ".venv-dash/bin/gunicorn"
DASH_TOGGLE, DASH_NUMBER = "#scale label", ".heatmap-label text"
CAUSAL, HEATMAP = ".st-key-causal label", f"{CHART} :is(svg, canvas).marks"

# Times the empty page, times the empty page, milliseconds, and times plain NumPy.
MOST_CPU, MOST_PAINT, MOST_LARGE, MOST_CORE = 2.5, 1.6, 2000, 1.1
MOST_OF = {"Dash": 1.0}  # times another page

LONGEST = 360  # seconds for all of it
WARM_UP = 10  # toggles
LARGE_CLICKS, LARGE_PATIENCE = 2, 40_000  # on the largest page, and milliseconds for each
PAUSE = 0.06  # seconds, as nobody clicks faster: within 40 ms, the kernel would begin to hold back its ACKs

Measure = Callable[[], float]


@dataclass(frozen=True)
class Plan:
    """How often."""

    toggles: int = 40
    clicks: int = 30
    of_class: load.Plan = field(default_factory=lambda: load.Plan(acts=("toggle", "edit"), seconds=6))


QUICK = Plan(toggles=15, clicks=5, of_class=load.Plan(students=50, seconds=3))


def in_turns(measures: list[Measure], times: int, run: Run) -> list[list[float]]:
    """Measure all, one after the other, many times. Each goes first as often, as that one is slower."""
    found: list[list[float]] = [[] for _ in measures]
    pairs = list(zip(measures, found, strict=True))
    for _ in range(times):
        if run.stop.is_set():
            raise InterruptedError
        for measure, numbers in pairs:
            numbers.append(measure())
        pairs.append(pairs.pop(0))
        time.sleep(PAUSE)
    return found


def toggling(
    app: Server, empty: Server, page: str, query: dict[str, str], toggles: int, run: Run
) -> tuple[list[list[float]], tuple[float, float]]:
    """Milliseconds from each toggle to the end of the run that it caused, and of the processor for one."""
    with Session(app.port, page, query) as page_session, Session(empty.port) as empty_session:
        measures: list[Measure] = [
            lambda: page_session.toggle("scale"),
            lambda: empty_session.toggle("scale"),
        ]
        in_turns(measures, WARM_UP, run)
        before = app.cpu(), empty.cpu()
        times = in_turns(measures, toggles, run)
        return times, ((app.cpu() - before[0]) / toggles, (empty.cpu() - before[1]) / toggles)


def page_rows(app: Server, empty: Server, toggles: int, run: Run) -> list[Row]:
    """One student on each page."""
    rows = []
    for page in CLICKED:
        times, cpu = toggling(app, empty, page, STAGE, toggles, run)
        rows.append(Row(f"1 on {page}: toggle", "median", *map(statistics.median, times)))
        most = MOST_CPU if page == EMMA else None
        rows.append(Row(f"1 on {page}: toggle", "server CPU", *cpu, most=most, most_of="ratio"))
    return rows


def growth_rows(app: Server, empty: Server, toggles: int, run: Run) -> list[Row]:
    """A toggle on pages of more and more tokens: each may cost as many times more as it has more cells."""
    rows: list[Row] = []
    for size in SIZES:
        _, cpu = toggling(app, empty, OWN, {**STAGE, "edits": tokens_in_link(size)}, toggles, run)
        most = rows[-1].app * (size / SIZES[len(rows) - 1]) ** 2 if rows else None
        rows.append(Row(f"{size} tokens: toggle", "server CPU", *cpu, most=most))
    return rows


def click_rows(app: Server, empty: Server, clicks: int, run: Run) -> list[Row]:
    """From a click to the painted number, and to the sentence above it, which the server says."""
    with ExitStack() as stack:
        browser = stack.enter_context(chromium(PATIENCE))
        least = stack.enter_context(serve(LEAST_APP))
        emma = f"{app.url}/{EMMA}?stage={STAGE['stage']}"
        clickers = {
            "app": Clicker(browser, emma, TOGGLE, FRIEND_AND_EMMA),
            "sentence": Clicker(browser, emma, TOGGLE, SENTENCE),
            "empty": Clicker(browser, empty.url, TOGGLE, EMPTY_PAGE_TEXT),
            "least page": Clicker(browser, least.url, TOGGLE, FRIEND_AND_EMMA),
        }
        if DASH.exists():
            dash = stack.enter_context(serve_dash())
            clickers["Dash"] = Clicker(browser, dash.url, DASH_TOGGLE, DASH_NUMBER)
        measures: list[Measure] = [clicker.click for clicker in clickers.values()]
        with run.part("clicks"):
            in_turns(measures, WARM_UP, run)
            times = dict(zip(clickers, in_turns(measures, clicks, run), strict=True))
    what = f"1 on {EMMA}: click to paint"
    on_app, of_sentence, on_empty = (times.pop(name) for name in ("app", "sentence", "empty"))
    median = statistics.median(on_app)
    return [
        Row(what, "median", median, statistics.median(on_empty), most=MOST_PAINT, most_of="ratio"),
        *of_times(what, on_app, on_empty)[1:],
        *(
            Row(
                what,
                f"median; floor: {name}",
                median,
                statistics.median(on),
                most=MOST_OF.get(name),
                most_of="ratio",
            )
            for name, on in times.items()
        ),
        *of_times(f"1 on {EMMA}: click to its answer", of_sentence, on_empty)[:1],
    ]


def serve_dash() -> AbstractContextManager[Server]:
    port = free_port()
    options = [f"--bind=127.0.0.1:{port}", "--threads=4", "--keep-alive=60", "--no-control-socket"]
    return started([str(DASH), *options, "tests.load.dash_page.app:server"], port, "")


def large_rows(app: Server, run: Run) -> list[Row]:
    """The same on the largest page, on which a causal mask hides half of the cells."""
    what, url = f"{SIZES[-1]} tokens: click to paint", f"{app.url}/{OWN}?stage=masked&edits="
    with chromium(PATIENCE) as browser:
        try:
            clicker = Clicker(browser, url + tokens_in_link(SIZES[-1]), CAUSAL, HEATMAP, LARGE_PATIENCE)
            with run.part("large clicks"):
                (times,) = in_turns([clicker.click], LARGE_CLICKS, run)
        except PlaywrightError:
            if run.stop.is_set():
                raise
            return [Row(what, "not in this time", LARGE_PATIENCE, most=MOST_LARGE)]
    return [Row(what, f"max of {LARGE_CLICKS}", max(times), most=MOST_LARGE)]


def core_rows(run: Run) -> list[Row]:
    """The mechanism alone, beside the same in as few words of NumPy and SciPy."""
    draw = np.random.default_rng(1)
    q, k, v = (draw.normal(size=(LONG, WIDE)) for _ in range(3))

    def plain() -> None:
        softmax(q @ k.T / np.sqrt(WIDE), axis=-1) @ v

    measures: list[Measure] = [
        lambda: timed(lambda: scaled_dot_product_attention(q, k, v)),
        lambda: timed(plain),
    ]
    in_turns(measures, 3, run)
    medians = map(statistics.median, in_turns(measures, PRODUCTS, run))
    what = f"core.attention, {LONG} x {WIDE}"
    return [Row(what, "median; floor: NumPy", *medians, most=MOST_CORE, most_of="ratio")]


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begin)


def measure(plan: Plan, run: Run) -> None:
    run.notes.append(f"{plan.toggles} toggles of 1 student on each page, {plan.clicks} clicks")
    if not DASH.exists():
        run.notes.append("Not compared with Dash, which `make bench` installs into .venv-dash")
    load.measure(plan.of_class, run)
    with run.part("core"):
        run.rows += core_rows(run)
    with serve(CLASS_APP, SLOW_START) as app, serve(EMPTY_APP) as empty:
        run.rows += click_rows(app, empty, plan.clicks, run)
        with run.part("toggles"):
            run.rows += page_rows(app, empty, plan.toggles, run)
            run.rows += growth_rows(app, empty, plan.toggles // 2, run)
        run.rows += large_rows(app, run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small class and few clicks, for a look")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", default=PROJECT / "bench.json", help="also here (bench.json)"
    )
    options = parser.parse_args()
    with stopper(LONGEST) as stop:
        run = Run(stop)
        try:
            measure(QUICK if options.quick else Plan(), run)
        finally:
            run.show()
        run.keep(options.json)


if __name__ == "__main__":
    main()
