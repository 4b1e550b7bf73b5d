"""The rows of the table that the measurements print, and what else is to be known of their run."""

from __future__ import annotations

import json
import os
import platform
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import psutil


@dataclass(frozen=True)
class Row:
    """One figure of the app and of the floor, which was measured in turns with it."""

    what: str
    figure: str
    app: float
    floor: float | None = None
    unit: Literal["ms", "MB", ""] = "ms"
    most: float | None = None  # target
    most_of: Literal["app", "ratio"] = "app"

    @property
    def ratio(self) -> float | None:
        return self.app / self.floor if self.floor else None

    @property
    def reached(self) -> bool | None:
        found = self.app if self.most_of == "app" else self.ratio
        return None if self.most is None or found is None else found <= self.most


def of_times(what: str, app: list[float], floor: list[float], **targets: float) -> list[Row]:
    """Median, p95 and maximum of milliseconds; targets by these names, for the app."""
    measures = {"median": statistics.median, "p95": p95, "max": max}
    return [
        Row(what, name, measure(app), measure(floor), most=targets.get(name))
        for name, measure in measures.items()
    ]


def p95(milliseconds: list[float]) -> float:
    return statistics.quantiles(milliseconds, n=20, method="inclusive")[-1]


def table(rows: list[Row]) -> str:
    cells = [("", "", "app", "floor", "ratio", "target", "reached"), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def _cells(row: Row) -> tuple[str, ...]:
    target = "" if row.most is None else _number(row.most, row.unit if row.most_of == "app" else "times")
    return (
        row.what,
        row.figure,
        _number(row.app, row.unit),
        "" if row.floor is None else _number(row.floor, row.unit),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        target,
        {None: "", True: "yes", False: "NO"}[row.reached],
    )


def _number(number: float, unit: str) -> str:
    digits = f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.1f}"
    return f"{digits} {unit}".rstrip()


@dataclass
class Run:
    """One run of the measurements: when it has to stop, what it has found, and what else is to be known."""

    stop: threading.Event
    load_before: float = field(default_factory=lambda: psutil.getloadavg()[0])
    others: dict[str, float] = field(default_factory=dict)  # cores that other programs kept busy, by part
    notes: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """A part of it, in which all that it measures runs from the beginning to the end."""
        began, busy, own = time.monotonic(), _busy(), _own()
        yield
        others = _busy() - busy - (_own() - own)
        self.others[name] = max(0.0, others / (time.monotonic() - began))

    def show(self) -> None:
        """Print all that has been measured."""
        others = ", ".join(f"{busy:.2f} ({name})" for name, busy in self.others.items())
        print(
            f"Python {platform.python_version()}, {os.cpu_count()} cores, load before {self.load_before:.1f}"
        )
        print(f"Other programs kept busy, in cores: {others}", *self.notes, "", table(self.rows), sep="\n")

    def keep(self, file: Path) -> None:
        content = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load before": self.load_before,
            "cores that others kept busy": self.others,
            "notes": self.notes,
            "figures": [asdict(row) | {"ratio": row.ratio, "reached": row.reached} for row in self.rows],
        }
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _busy() -> float:
    """Seconds of processor time that the whole machine has spent."""
    times = psutil.cpu_times()
    return sum(times[:8]) - times.idle - getattr(times, "iowait", 0.0)


def _own() -> float:
    """Seconds that this program has spent, with all that it has started."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue  # it has ended since it was listed
    return total
