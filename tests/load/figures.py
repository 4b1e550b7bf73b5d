"""The rows of the table that the measurements print, and what is known of the machine they ran on."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from dataclasses import asdict, dataclass
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


class Machine:
    """What ran, and how busy other programs kept the machine since this was made."""

    def __init__(self) -> None:
        self.load_before = psutil.getloadavg()[0]
        self.began, self.busy, self.own = time.monotonic(), _busy(), _own()

    def described(self) -> dict[str, str | int | float]:
        passed = time.monotonic() - self.began
        others = (_busy() - self.busy - (_own() - self.own)) / passed
        return {
            "python": platform.python_version(),
            "cores": os.cpu_count() or 1,
            "load before": round(self.load_before, 1),
            "cores that others kept busy": round(max(0.0, others), 2),
            "seconds": round(passed),
        }


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


def report(rows: list[Row], machine: Machine, notes: list[str], file: Path | None) -> None:
    """Print all, and keep it in a file."""
    described = machine.described()
    print(", ".join(f"{name} {value}" for name, value in described.items()))
    print(*notes, "", table(rows), sep="\n")
    if file:
        figures = [asdict(row) | {"ratio": row.ratio, "reached": row.reached} for row in rows]
        content = {"machine": described, "notes": notes, "figures": figures}
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
