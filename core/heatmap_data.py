"""What a browser is sent of a heatmap: a record a cell, as Arrow bytes, and what its clicks say.

User text (tokens, names of dimensions) is in here and in no spec. A label is its position and its name
("008 friend"), so that repeated tokens stay apart; the axes show the name alone.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.attention import Array
from core.caching import SMALL_SIDE, cached, cached_at_most
from core.digits import sum_text
from core.markdown import shortened
from core.matrices import rounded_text
from core.palette import DARK_INK, LIGHT_ABOVE, LIGHT_ABOVE_WEIGHT, LIGHT_BELOW, LIGHT_INK, MASKED_INK
from core.stages import ATTENTION, Stage, StageName
from core.tolerances import ROUNDING_OF_SUMS

Side = Literal["rows", "columns"]

MASKED_TWICE = "none, as both are masked"
SELECTED, WORKED, SYMPTOM = "selected", "worked", "symptom"  # why a cell is outlined
PICKED = "cell"  # the name of the selection that a click makes
SHADES_TOLD_APART = 4  # decimals
MOST_NUMBERS = 64 * 64  # cells; more are too small for numbers on any screen, and are drawn without


@dataclass(frozen=True, eq=False)
class Cells:
    """What is drawn of a stage.

    marked is the selected row and column, of which one may be None; worked is the cell whose number is worked
    out, outlined where nothing is selected. symptoms are cells to outline, and before is the stage as it was
    before an edit.
    """

    stage: Stage
    decimals: int
    sums_of: Side = "rows"
    marked: tuple[int | None, int | None] = (None, None)
    symptoms: NDArray[np.bool_] | None = None
    before: Stage | None = None
    worked: tuple[int, int] | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """Why each cell is outlined, row by row; empty where it is not."""
        marks = np.full((len(self.stage.rows), len(self.stage.columns)), "", object)
        if self.symptoms is not None:
            marks[self.symptoms] = SYMPTOM
        row, column = self.marked
        if self.marked != (None, None):
            marks[slice(None) if row is None else row, slice(None) if column is None else column] = SELECTED
        elif self.worked is not None and not marks[self.worked]:
            marks[self.worked] = WORKED
        return tuple(marks.ravel().tolist())


def cell_data(cells: Cells) -> bytes:
    """The records of cells, row by row, as an Arrow stream.

    For each cell: place, row and column (its labels), row_name and column_name, shade (from -1 to 1, or 0 to
    1 of weights), masked, mark (why it is outlined), description; text (its number), longest (letters of the
    widest one), ink (the colour of the number), precise (in ten digits); old and was (text and precise before
    the edit); sum (at the first cell of each row or column), and sum_wrong. Of very many cells only what
    _least() leaves.

    Streamlit sends bytes as they are. Of a table it would make the same bytes for everyone who looks, a
    tenth of what a toggle takes.
    """
    return _sent(cells.stage, cells.decimals, cells.sums_of, cells.before, cells.marks)


def look_of_cells(cells: Cells) -> str:
    """What one sees of these records: the columns that can change while cells stay in place, as JSON."""
    return _look_sent(cells.stage, cells.decimals, cells.sums_of, cells.before, cells.marks)


def another_drawing(sent: bytes, number: int) -> bytes:
    """The same records in other bytes than those of another drawing."""
    return sent.replace(_drawing(0), _drawing(number), 1)


def _drawing(number: int) -> bytes:
    return b"drawing %06d" % (number % 1_000_000)


def has_numbers(stage: Stage) -> bool:
    """Whether the cells of a stage are large enough for numbers."""
    return stage.values.size <= MOST_NUMBERS


def shows_old(stage: Stage, before: Stage, decimals: int) -> bool:
    """Whether a cell of a stage has the number that it held before above it, as that was another."""
    return has_numbers(stage) and _texts(before, decimals) != _texts(stage, decimals)


@cached_at_most(128)  # of some 20 kB each
def _sent(stage: Stage, decimals: int, sums_of: Side, before: Stage | None, marks: tuple[str, ...]) -> bytes:
    marked = marks if has_numbers(stage) else [mark or None for mark in marks]
    cells = pa.table(_numbers(stage, decimals, sums_of, before) | {"mark": marked})
    cells = cells.replace_schema_metadata({"drawing": _drawing(0)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, cells.schema) as stream:
        stream.write_table(cells)
    sent: bytes = sink.getvalue().to_pybytes()
    return sent


@cached_at_most(128)  # of some 5 kB each
def _look_sent(
    stage: Stage, decimals: int, sums_of: Side, before: Stage | None, marks: tuple[str, ...]
) -> str:
    look = _look(stage, decimals, sums_of, _old_texts(stage, before, decimals))
    shades = look.pop("shade").round(SHADES_TOLD_APART).tolist()
    columns = {name: _as_list(column) for name, column in look.items()}
    return json.dumps(columns | {"shade": shades, "mark": marks}, separators=(",", ":"))


def _as_list(column: Any) -> Any:
    """A column as JSON can have it; of words, many times as fast as Arrow's own way."""
    if isinstance(column, pa.DictionaryArray):
        return np.array(column.dictionary.to_pylist(), object)[column.indices.to_numpy()].tolist()
    return column.tolist() if isinstance(column, np.ndarray) else column


def _numbers(stage: Stage, decimals: int, sums_of: Side, before: Stage | None) -> dict[str, Any]:
    """The columns of the records, beside their marks."""
    precise = _written(stage, _precise, MASKED_TWICE)
    old = _old_texts(stage, before, decimals)
    cells = {
        **_places(Sides(stage.rows, stage.columns, _sign(stage.name)), sums_of, decimals),
        "description": _descriptions(stage, precise, old),
        **_look(stage, decimals, sums_of, old),
    }
    if not has_numbers(stage):
        return _least(cells, stage.are_shares)
    was = precise if before is None else _written(before, _precise, MASKED_TWICE)
    return cells | {"precise": precise, "was": was}


def _least(cells: dict[str, Any], are_shares: bool) -> dict[str, Any]:
    """The columns that a browser needs of very many cells: each takes it long to read, and nothing none."""
    unused = ("row_name", "column_name", *(() if are_shares else ("sum_wrong",)))
    return {name: column for name, column in cells.items() if name not in unused}


def _look(stage: Stage, decimals: int, sums_of: Side, old: list[str]) -> dict[str, Any]:
    """The columns that one sees, beside marks: what its numbers make of a cell that stays where it is.

    old is what was written before.
    """
    hidden = stage.hidden.ravel()
    bound = stage.bound or 1.0
    seen = np.where(hidden, 0.0, stage.values.ravel())
    shades = np.nan_to_num(seen, posinf=bound, neginf=-bound) / bound
    look = {"shade": shades, "masked": hidden}
    if stage.are_shares:
        look |= _sum_columns(stage, decimals, sums_of)
    if not has_numbers(stage):
        return look
    texts = _texts(stage, decimals)
    longest = max(3, _longest(texts, decimals))
    return look | {
        "text": texts,
        "longest": [max(longest, len(text)) for text in texts],
        "old": old,
        "ink": inks(shades, stage.are_shares, hidden),
    }


@dataclass(frozen=True)
class Sides:
    """What stands along the sides of a heatmap, the same whatever numbers are in it; sign as of _sign()."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    sign: str

    @property
    def is_small(self) -> bool:
        return max(len(self.rows), len(self.columns)) <= SMALL_SIDE


@cached_at_most(64)
def _places(sides: Sides, sums_of: Side, decimals: int) -> dict[str, pa.Array]:
    """Where each cell is, and where sums go: beside weights they are seen, beside others there is room."""
    place = np.arange(len(sides.rows) * len(sides.columns))
    row, column = _of_each_cell(len(sides.rows), len(sides.columns))
    lines = len(sides.rows if sums_of == "rows" else sides.columns)
    return {
        "place": pa.array(place),
        "row": each(labels(sides.rows, sides.sign), row),
        "column": each(labels(sides.columns), column),
        "row_name": each(np.array(sides.rows, object), row),
        "column_name": each(np.array(sides.columns, object), column),
        "sum": pa.array(_sum_texts(np.ones(lines), len(place), sums_of, decimals)),
        "sum_wrong": pa.array(place < 0),
    }


def _written(stage: Stage, write: Callable[[float], str], masked_twice: str) -> list[str]:
    """Every number as it is written; a difference of masked scores has none where both are -inf."""
    numbers = stage.values.ravel().tolist()
    if stage.name != "masked":
        return [write(number) for number in numbers]
    hidden = stage.hidden.ravel().tolist()
    return [
        masked_twice if is_hidden and math.isnan(number) else write(number)
        for number, is_hidden in zip(numbers, hidden, strict=True)
    ]


def _precise(number: float) -> str:
    return f"{number:.10g}" if math.isfinite(number) else rounded_text(number, 0)


def each(words: NDArray[np.object_], which: NDArray[np.int_]) -> pa.DictionaryArray:
    """One of a few words for each cell; a browser reads each word once."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words.tolist()))}
    place = np.array([numbers[word] for word in words.tolist()], np.int32)
    return pa.DictionaryArray.from_arrays(place[which], pa.array(list(numbers)))


def _descriptions(stage: Stage, precise: list[str], old: list[str]) -> list[str]:
    """What a screen reader says of each number, and a pointer of a cell without one.

    Of very many cells with their names cut: in full, long ones take more than a message may.
    """
    kind = "weight" if stage.are_shares else "number"
    rows, columns = stage.rows, stage.columns
    if not has_numbers(stage):
        rows, columns = tuple(map(shortened, rows)), tuple(map(shortened, columns))
    names = (
        f"{stage.row_title}: {row}; {stage.column_title}: {column}; {kind}: "
        for row in rows
        for column in columns
    )
    return [
        f"{name}{number}; before: {before}" if before else f"{name}{number}"
        for name, number, before in zip(names, precise, old, strict=True)
    ]


def inks(
    shades: Array, are_shares: bool = False, hidden: NDArray[np.bool_] | None = None
) -> pa.DictionaryArray:
    """The colour of each number, that can be read on its cell."""
    is_dark = shades > LIGHT_ABOVE_WEIGHT if are_shares else (shades > LIGHT_ABOVE) | (shades < LIGHT_BELOW)
    which = is_dark.astype(np.int8)
    if hidden is not None:
        which[hidden] = 2
    return pa.DictionaryArray.from_arrays(which, pa.array((DARK_INK, LIGHT_INK, MASKED_INK)))


def _sum_columns(stage: Stage, decimals: int, sums_of: Side) -> dict[str, Any]:
    """The sum of each row or column, at its first cell, and for each cell whether its sum is wrong."""
    side = 0 if sums_of == "rows" else 1
    line = _of_each_cell(*stage.values.shape)[side]
    sums = stage.values.sum(axis=1 - side)
    return {
        "sum": _sum_texts(sums, stage.values.size, sums_of, decimals),
        "sum_wrong": ~(abs(sums - 1) <= ROUNDING_OF_SUMS)[line],
    }


def _of_each_cell(rows: int, columns: int) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The row and the column of each cell, row by row."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    return row, column


@cached
def _texts(stage: Stage, decimals: int) -> tuple[str, ...]:
    """The numbers as they are written; a masked weight of 0 is a plain 0. What many hold is kept once."""
    texts = tuple(map(sys.intern, _written(stage, lambda number: rounded_text(number, decimals), "")))
    if not stage.are_shares:
        return texts
    nothing = (stage.hidden & (stage.values == 0)).ravel().tolist()
    return tuple("0" if is_nothing else text for text, is_nothing in zip(texts, nothing, strict=True))


def _longest(texts: tuple[str, ...], decimals: int) -> int:
    """The length of the longest ordinary number; tiny ones have more digits, and may be written smaller."""
    ordinary = (text for text in texts if "e" not in text and len(text.partition(".")[2]) <= decimals)
    return max(map(len, ordinary), default=0)


def _old_texts(stage: Stage, before: Stage | None, decimals: int) -> list[str]:
    """What was written before, where that is not what is written now."""
    if before is None:
        return [""] * stage.values.size
    now, then = _texts(stage, decimals), _texts(before, decimals)
    return ["" if text == old else old for text, old in zip(now, then, strict=True)]


def picked_cell(click: Mapping[str, Any], name: StageName = "scores") -> tuple[int, int] | None:
    """The row and the column of a click, None where it hit no cell of such a stage.

    A browser may send anything.
    """
    points = click.get(PICKED) or [{}]
    try:
        row, column = str(points[0]["row"]), str(points[0]["column"])
        place = int(row[:3]), int(column[:3])
    except (KeyError, ValueError, TypeError, IndexError):
        return None
    return place if min(place) >= 0 and row[3:4] == _sign(name) else None


def _sign(name: StageName) -> str:
    """What sets the rows of a stage apart; those of scores to weights hold the same pairs.

    A chart tells of no click on what was clicked last, and with another sign the same place is another one.
    """
    return " " if name in ATTENTION else name[0]


def _sum_texts(sums: Array, cells: int, sums_of: Side, decimals: int) -> list[str | None]:
    """For each of so many cells the sum beside it: beside the first of each row, or of each column."""
    texts: list[str | None] = [None] * cells
    first = slice(0, None, cells // len(sums)) if sums_of == "rows" else slice(len(sums))
    texts[first] = [f"= {sum_text(total, decimals)}" for total in sums.tolist()]
    return texts


def labels(names: tuple[str, ...], sign: str = " ") -> NDArray[np.object_]:
    """Each name behind its position and a sign, by which equal names stay apart and in order."""
    return np.array([f"{position:03d}{sign}{name}" for position, name in enumerate(names)], object)
