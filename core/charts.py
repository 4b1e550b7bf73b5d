"""Heatmaps of the stages: Altair specs built once, data made each time, as Arrow, which is what is sent.

User text (tokens, names of dimensions) travels only as data values. A label is its position and its
name ("08 friend"), so that repeated tokens stay apart; the axes show the name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.attention import Array
from core.matrices import rounded_text
from core.stages import Stage

Spec = dict[str, Any]
Side = Literal["rows", "columns"]

DIVERGING = ["#08519c", "#4292c6", "#c6dbef", "#f7f7f7", "#fdd0a2", "#f16913", "#a63603"]
SEQUENTIAL = ["#f7fcf5", "#c7e9c0", "#74c476", "#238b45", "#00441b"]
MASKED_FILL, MASKED_EDGE, MASKED_INK = "#d4d4d4", "#8c8c8c", "#4a4a4a"
PADDING = {"left": 2, "top": 2, "right": 2, "bottom": 4}
DARK_INK, LIGHT_INK = "#000000", "#ffffff"  # each where its contrast with the fill is at least 4.5
MARKED_EDGE = "#d6007a"
PICKED = "cell"  # the name of the selection that a click makes

# Whether names of columns need a slant. Of the whole chart's width, as that of a cell is not settled when a
# chart is laid out, and room for slanted names must be made then; 150 pixels are for names and sums of rows.
NARROW = "(containerSize()[0] - 150) / length(domain('x')) < 42"

CELL, SMALLEST_CELL, TALLEST = 32, 9, 620  # pixels


@lru_cache(maxsize=64)
def heatmap_spec(
    rows: int,
    is_weights: bool,
    row_title: str,
    column_title: str,
    sums_of: Side = "rows",
    clickable: bool = False,
) -> Spec:
    """The Vega-Lite spec of one kind of heatmap, without data. Titles are words of the app, not of a user.

    Weights are coloured from 0 to 1, the same in every chart, with the sums of the softmax beside them;
    all other stages around 0. Those keep the same room free, so that cells stay in place between stages.
    In a clickable one, a click selects the row and the column of a cell, under the name PICKED.
    """
    base = alt.Chart().encode(
        x=alt.X("column:N", axis=named_axis(column_title, across=True), scale=alt.Scale(padding=0.03)),
        y=alt.Y("row:N", axis=named_axis(row_title, across=False), scale=alt.Scale(padding=0.03)),
    )
    cells = base.encode(
        tooltip=[
            alt.Tooltip("row_name:N", title=row_title),
            alt.Tooltip("column_name:N", title=column_title),
            alt.Tooltip("precise:N", title="weight" if is_weights else "number"),
        ]
    )
    seen, masked = cells.transform_filter("!datum.masked"), cells.transform_filter("datum.masked")
    ends, colours = ([0, 1], SEQUENTIAL) if is_weights else ([-1, 1], DIVERGING)
    dark_fill = "datum.shade > 0.76" if is_weights else "datum.shade > 0.835 || datum.shade < -0.785"
    colour = alt.Color("shade:Q", scale=alt.Scale(domain=ends, range=colours, interpolate="lab"), legend=None)
    ink = alt.condition(dark_fill, alt.value(LIGHT_INK), alt.value(DARK_INK))
    filled = seen.mark_rect().encode(color=colour)
    if clickable:
        picked = alt.selection_point(name=PICKED, fields=["row", "column"], toggle=False)
        filled = seen.mark_rect(cursor="pointer").encode(color=colour).add_params(picked)
    layers = [
        filled,
        masked.mark_rect(
            fill=MASKED_FILL,
            stroke=MASKED_EDGE,
            strokeDash=[3, 2],
            strokeWidth=alt.ExprRef("bandwidth('x') < 14 ? 0 : 1"),
        ),
        seen.mark_text(baseline="middle", fontSize=_number_size()).encode(text="text:N", color=ink),
        masked.mark_text(baseline="middle", fontSize=_number_size(), fill=MASKED_INK).encode(text="text:N"),
    ]
    layers.append(_sums(base, sums_of, shown=is_weights))
    marked = base.transform_filter("datum.marked")
    layers.append(marked.mark_rect(fillOpacity=0, fill="white", stroke=MARKED_EDGE, strokeWidth=3))
    return layered_spec(alt.layer(*layers), height=_cell(rows) * rows)


def heatmap_data(
    stage: Stage, decimals: int, sums_of: Side = "rows", marked: tuple[int | None, int | None] = (None, None)
) -> pa.Table:
    """One record a cell, row by row. marked is the selected row and column, of which one may be None."""
    is_weights = stage.name == "weights"
    values, hidden = stage.values.ravel(), stage.hidden.ravel()
    shades = np.where(hidden, 0.0, values) / (stage.bound or 1.0)
    texts = [rounded_text(number, decimals) for number in values.tolist()]
    if is_weights:
        texts = ["0" if masked else text for text, masked in zip(texts, hidden.tolist(), strict=True)]
    rows, columns = len(stage.rows), len(stage.columns)
    axis = 1 if sums_of == "rows" else 0
    sums = _sum_texts(
        stage.values.sum(axis=axis) if is_weights else np.ones(stage.values.shape[1 - axis]), decimals
    )
    return pa.table(
        {
            "row": np.repeat(labels(stage.rows), columns),
            "column": np.tile(labels(stage.columns), rows),
            "row_name": np.repeat(np.array(stage.rows, object), columns),
            "column_name": np.tile(np.array(stage.columns, object), rows),
            "shade": shades,
            "text": texts,
            "precise": [f"{number:.10g}" for number in values.tolist()],
            "masked": hidden,
            "marked": _marked(rows, columns, *marked),
            "longest": [max((len(text) for text in texts if "e" not in text), default=0)] * len(texts),
            "sum": np.repeat(sums, columns) if sums_of == "rows" else np.tile(sums, rows),
        }
    )


def layered_spec(chart: alt.LayerChart | alt.FacetChart, height: int) -> Spec:
    """A chart as wide as its place on the page, as a dict that waits for data."""
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    spec: Spec = chart.properties(width="container", height=height, autosize=fit, padding=PADDING).to_dict()
    spec.pop("datasets", None)  # Altair puts in an empty data set; the page gives the data to the whole chart
    for part in (spec, *spec["layer"]):
        part.pop("data", None)
    return spec


def _cell(rows: int) -> int:
    """Pixels from one row to the next."""
    return max(SMALLEST_CELL, min(CELL, TALLEST // rows))


def named_axis(title: str, across: bool) -> alt.Axis:
    """An axis of labels() along the top, or down the left side, that shows the names alone."""
    side = "x" if across else "y"
    look: dict[str, Any] = {
        "title": title,
        "titleFontSize": 14,
        "titlePadding": 8,
        "labelExpr": "slice(datum.label, 3)",
        "labelFontSize": alt.ExprRef(f"min(13, bandwidth('{side}') * 0.95)"),
        "labelLimit": 100,
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
        "domain": False,
        "ticks": False,
        "grid": False,
    }
    if across:
        look |= {
            "orient": "top",
            "labelAngle": alt.ExprRef(f"{NARROW} ? -60 : 0"),
            "labelAlign": alt.ExprRef(f"{NARROW} ? 'left' : 'center'"),
        }
    return alt.Axis(**look)


def _number_size() -> alt.ExprRef:
    """One size for all ordinary numbers; in small cells, each that can be read at all; else none."""
    height = "bandwidth('y') * 0.6"
    one_size = f"min(17, {height}, bandwidth('x') * 1.7 / max(3, datum.longest, length(datum.text)))"
    own_size = f"min(9, {height}, bandwidth('x') * 1.7 / max(3, length(datum.text)))"
    return alt.ExprRef(f"{one_size} >= 7 ? {one_size} : {own_size} >= 7 ? {own_size} : 0")


def _sums(base: alt.Chart, sums_of: Side, shown: bool) -> alt.Chart:
    look: dict[str, Any] = {"color": "gray", "opacity": 1 if shown else 0, "aria": shown}
    if sums_of == "rows":
        first = base.transform_filter("slice(datum.column, 0, 2) == '00'")
        size = alt.ExprRef("min(13, bandwidth('y') * 0.95)")
        text = first.mark_text(align="left", baseline="middle", fontSize=size, **look)
        beside: alt.Chart = text.encode(x=alt.value(alt.ExprRef("width + 8")), text="sum:N")
        return beside
    first = base.transform_filter("slice(datum.row, 0, 2) == '00'")
    text = first.mark_text(baseline="top", fontSize=alt.ExprRef("min(13, bandwidth('x') / 3)"), **look)
    below: alt.Chart = text.encode(y=alt.value(alt.ExprRef("height + 6")), text="sum:N")
    return below


def _marked(rows: int, columns: int, row: int | None, column: int | None) -> NDArray[np.bool_]:
    marked = np.zeros((rows, columns), bool)
    if row is not None or column is not None:
        marked[slice(None) if row is None else row, slice(None) if column is None else column] = True
    return marked.ravel()


def picked_cell(selection: Mapping[str, Any]) -> tuple[int, int] | None:
    """The row and the column of a click, None where it hit no cell; the browser may send anything."""
    points = selection.get(PICKED) or [{}]
    try:
        return int(str(points[0]["row"])[:2]), int(str(points[0]["column"])[:2])
    except (KeyError, ValueError, TypeError, IndexError):
        return None


def _sum_texts(sums: Array, decimals: int) -> NDArray[np.object_]:
    return np.array([f"= {rounded_text(total, decimals)}" for total in sums.tolist()], object)


def labels(names: tuple[str, ...]) -> NDArray[np.object_]:
    """Each name behind its position, by which equal names stay apart and in order."""
    return np.array([f"{position:02d} {name}" for position, name in enumerate(names)], object)
