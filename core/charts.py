"""Heatmaps of the stages: Altair specs, built once, that wait for the records of core/heatmap_data.py."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt

from core.caching import made_once
from core.heatmap_data import (
    PICKED,
    SYMPTOM,
    WORKED,
    Cells,
    Side,
    another_drawing,
    cell_data,
    has_numbers,
)
from core.palette import DIVERGING, MARKED_EDGE, MASKED_EDGE, MASKED_FILL, SEQUENTIAL, SYMPTOM_EDGE, ZERO

Spec = dict[str, Any]

PADDING = {"left": 2, "top": 2, "right": 2, "bottom": 4}
OUTLINE = f"min(datum.mark == '{WORKED}' ? 1.5 : 3, cell_width / 3)"
# To be seen from the back.
LARGE_OUTLINE = f"min(datum.mark == '{WORKED}' ? 4 : 6, cell_width / 6, cell_height / 6)"
SCALE = alt.Scale(padding=0.03)
DENSE = alt.Scale(padding=0)  # a gap of less than a pixel only dims colours
SMALLEST_NAME = 5  # pixels of a row or a column
TWO_FIT = "cell_width * 0.95 / datum.longest >= largest"  # there is room for two numbers in a line
FITTING = "min(largest, cell_width * 1.7 / datum.longest)"
SIZE = f"({FITTING} >= smallest ? {FITTING} : 0)"  # of a number
SMALLEST = "windowSize()[0] < 640 ? 5 : 7"  # pixels of a number: a phone has finer ones, and is held closer
CELLS = "cells"  # the name of the data of a heatmap

# Whether names of columns need a slant. Of the whole chart's width, as that of a cell is not settled when a
# chart is laid out, and room for slanted names must be made then; BESIDE is for names and sums of rows.
NARROW = "(containerSize()[0] - {beside}) / length(domain('x')) < {least}"
BESIDE = 150
NARROWEST_SUM = 20  # pixels of a column, for its sum to lie below it

# In a hall, all grows with the screen; names and sums with the rows, too: 20 pixels where a row has 40, and
# more where columns are wide. On a phone they leave the room to the numbers, however wide the columns are:
# larger ones make columns narrower, and what was laid out before that ends beyond the edge.
LARGE = (
    "min(max(28, containerSize()[0] / 44),"
    " containerSize()[0] < 640 ? containerSize()[0] / 28 : max(20, bandwidth('x') * 0.33),"
    " max(bandwidth('y') * 0.48, min(20, bandwidth('y') * 0.95)))"
)
LARGE_NUMBER, LARGE_OLD_NUMBER = "max(40, containerSize()[0] / 32)", "max(18, containerSize()[0] / 70)"
LARGE_TITLE = "max(20, containerSize()[0] / 64)"
LARGE_LIMIT = "(containerSize()[0] < 640 ? 100 : 200)"  # pixels of a name

CELL, SMALLEST_CELL, TALLEST = 32, 9, 620  # pixels


def heatmap(cells: Cells, clickable: bool = False, large: bool = False) -> Spec:
    """Cells of a stage as a chart, with one record a cell, row by row, as a data set named CELLS.

    clickable and large are as in heatmap_spec().
    """
    stage = cells.stage
    spec = heatmap_spec(
        len(stage.rows),
        stage.are_shares,
        stage.row_title,
        stage.column_title,
        cells.sums_of,
        clickable,
        with_old=cells.before is not None,
        large=large,
        with_numbers=has_numbers(stage),
    )
    return spec | {"data": {"name": CELLS}, "datasets": {CELLS: cell_data(cells)}}


def as_drawing(drawn: Spec, number: int) -> Spec:
    """A heatmap whose data are other bytes than those of another drawing, but the same numbers."""
    return drawn | {"datasets": {CELLS: another_drawing(drawn["datasets"][CELLS], number)}}


def heatmap_spec(
    rows: int,
    is_weights: bool,
    row_title: str,
    column_title: str,
    sums_of: Side = "rows",
    clickable: bool = False,
    with_old: bool = False,
    large: bool = False,
    with_numbers: bool = True,
) -> Spec:
    """The Vega-Lite spec of a heatmap, without data. Titles are words of the app, not of a user.

    Weights are coloured from 0 to 1, the same in every chart, with the sums of the softmax beside them;
    all other stages around 0. Those keep the same room free, so that cells stay in place between stages.
    In a clickable one, a click selects the row and the column of a cell, under the name PICKED. with_old
    writes the number that a cell held before above the one it holds. A large one is for a hall: as high as
    its place, to be read from the back. Without numbers there are colours, sums, and what a pointer is told.
    """
    spec = _spec_of_a_row(
        is_weights, row_title, column_title, sums_of, clickable, with_old, large, with_numbers
    )
    return spec if large else spec | {"height": rows * _cell(rows)}


@made_once(most=128)
def _spec_of_a_row(
    is_weights: bool,
    row_title: str,
    column_title: str,
    sums_of: Side,
    clickable: bool,
    with_old: bool,
    large: bool,
    with_numbers: bool,
) -> Spec:
    """heatmap_spec() of a single row: making it takes twenty times as long as drawing a page's stage."""
    cells = _coloured(is_weights, clickable)
    if with_numbers:
        cells = _told_by_name(cells, is_weights, row_title, column_title, with_old)
    inked = alt.Chart().encode(fill=alt.Fill("ink:N", scale=None, legend=None))
    numbers = inked.mark_text(**_number(with_old)).encode(text="text:N", description="description:N")
    layers = [cells, _sums(sums_of, is_weights, large), _marked(large)]
    if with_numbers:
        layers.insert(1, numbers)
    if with_numbers and with_old:
        moved = inked.transform_filter("datum.old")
        layers.append(moved.mark_text(**_old_number(large)).encode(text="old:N"))
    chart = alt.layer(*layers).add_params(
        alt.param(name="cell_width", expr="bandwidth('x')"),
        alt.param(name="cell_height", expr="bandwidth('y')"),
        alt.param(
            name="largest",
            expr=f"min({LARGE_NUMBER if large else 17}, cell_height * {0.56 if with_old else 0.6})",
        ),
        alt.param(name="smallest", expr=SMALLEST),
    )
    scale = SCALE if with_numbers else DENSE
    if not with_numbers:  # where cells have parts of pixels, what is behind them shines through
        chart = chart.properties(view=alt.ViewBackground(fill=SEQUENTIAL[0] if is_weights else ZERO))
    chart.encoding = alt.FacetedEncoding(  # of every layer
        x=alt.X("column:N", axis=named_axis(column_title, across=True, large=large), scale=scale),
        y=alt.Y("row:N", axis=named_axis(row_title, across=False, large=large), scale=scale),
        key=alt.Key("place:Q"),  # by which Vega knows a cell again, and keeps it when its number changes
    )
    return layered_spec(chart, height="container" if large else CELL)


def _coloured(is_weights: bool, clickable: bool) -> alt.Chart:
    """The rectangles, which a click selects and which tell their number when one points at them."""
    ends, colours = ([0, 1], SEQUENTIAL) if is_weights else ([-1, 1], DIVERGING)
    scale = alt.Scale(domain=ends, range=colours, interpolate="lab", clamp=True)
    shade = alt.Color("shade:Q", scale=scale, legend=None)
    cells = (
        alt.Chart()
        .mark_rect(aria=False, cursor="pointer" if clickable else "default")
        .encode(
            color=alt.condition("datum.masked", alt.value(MASKED_FILL), shade),
            tooltip="description:N",
        )
    )
    # Numbers lie above the cells. Beside a selection, Vega-Lite has them let the pointer through.
    coloured: alt.Chart = cells.add_params(
        alt.selection_point(name=PICKED, fields=["row", "column"], toggle=False)
    )
    return coloured


def _told_by_name(
    cells: alt.Chart, is_weights: bool, row_title: str, column_title: str, with_old: bool
) -> alt.Chart:
    """Cells with a table for the pointer, and an edge where they are masked. Too much work for very many."""
    tooltip = [
        alt.Tooltip("row_name:N", title=row_title),
        alt.Tooltip("column_name:N", title=column_title),
        alt.Tooltip("precise:N", title="weight" if is_weights else "number"),
    ]
    told: alt.Chart = cells.encode(
        tooltip=[*tooltip, alt.Tooltip("was:N", title="before")] if with_old else tooltip,
        stroke=alt.condition("datum.masked", alt.value(MASKED_EDGE), alt.value("transparent")),
        strokeWidth=alt.value(alt.ExprRef("cell_width < 14 ? 0 : 1")),
    )
    return told


def _marked(large: bool) -> alt.Chart:
    """The outlines of cells, clipped, as one beyond the edge would have the whole chart drawn smaller."""
    marked: alt.Chart = (
        alt.Chart()
        .transform_filter("datum.mark")
        .mark_rect(
            fillOpacity=0,
            fill="white",
            aria=False,
            clip=True,
            strokeWidth=alt.ExprRef(LARGE_OUTLINE if large else OUTLINE),
        )
        .encode(
            stroke=alt.condition(
                f"datum.mark == '{SYMPTOM}'", alt.value(SYMPTOM_EDGE), alt.value(MARKED_EDGE)
            ),
        )
    )
    return marked


def layered_spec(chart: alt.LayerChart | alt.FacetChart, height: int | Literal["container"]) -> Spec:
    """A chart as wide as its place on the page, and as high if told so, as a dict that waits for data."""
    fit = alt.AutoSizeParams(type="fit" if height == "container" else "fit-x", contains="padding")
    spec: Spec = chart.properties(width="container", height=height, autosize=fit, padding=PADDING).to_dict()
    spec.pop("datasets", None)  # Altair puts in an empty data set; the page gives the data to the whole chart
    for part in (spec, *spec["layer"]):
        part.pop("data", None)
    return spec


def _cell(rows: int) -> int:
    """Pixels from one row to the next."""
    return max(SMALLEST_CELL, min(CELL, TALLEST // rows))


def named_axis(title: str, across: bool, large: bool = False, beside: int = BESIDE) -> alt.Axis:
    """An axis of labels() along the top, or down the left side, that shows the names alone.

    beside is how many pixels of the width are not for its names.
    """
    band = f"bandwidth('{'x' if across else 'y'}')"
    size = f"min({LARGE if large else 13}, {band} * 0.95)"
    longest = LARGE_LIMIT if large else "100"
    look: dict[str, Any] = {
        "title": title,
        "titleFontSize": alt.ExprRef(LARGE_TITLE) if large else 14,
        "titlePadding": 20 if large and not across else 8,
        "labelExpr": "slice(datum.label, 4)",
        "labelFontSize": alt.ExprRef(f"{band} < {SMALLEST_NAME} ? 0 : {size}"),
        "labelLimit": alt.ExprRef(longest),
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
        "domain": False,
        "ticks": False,
        "grid": False,
    }
    if across:
        narrow = NARROW.format(beside=beside, least="(containerSize()[0] < 640 ? 96 : 64)" if large else 42)
        gap = 2 if large else 6  # pixels, between two names that are cut
        limit = f"max(40, {band} * 1.03 - {gap})"
        look |= {
            "orient": "top",
            "labelAngle": alt.ExprRef(f"{narrow} ? -60 : 0"),
            "labelAlign": alt.ExprRef(f"{narrow} ? 'left' : 'center'"),
            "labelLimit": alt.ExprRef(f"{narrow} ? {longest} : {limit}"),
        }
    return alt.Axis(**look)


def _number(with_old: bool) -> dict[str, Any]:
    """How a number is written: all ordinary ones in one size, or none of them.

    Where the number before stands beside it, it moves to the right, and down where that stands above it.
    """
    look: dict[str, Any] = {"baseline": "middle", "fontSize": alt.ExprRef(SIZE)}
    if with_old:
        look["dx"] = alt.ExprRef(f"datum.old && {TWO_FIT} ? cell_width * 0.2 : 0")
        look["dy"] = alt.ExprRef(f"datum.old && !({TWO_FIT}) ? cell_height * 0.17 : 0")
    return look


def _old_number(large: bool) -> dict[str, Any]:
    """How the number before is written, if the one that holds is: small and slanted, before or above it."""
    height, width = "cell_height * 0.33", "cell_width * 1.7 / max(3, length(datum.old) + 2)"
    above = f"min({LARGE_OLD_NUMBER if large else 11}, {height}, {width})"
    size = f"({TWO_FIT} ? min(largest * 0.8, cell_width * 0.7 / length(datum.old)) : {above})"
    return {
        "baseline": "middle",
        "fontSize": alt.ExprRef(f"{SIZE} && {size} >= smallest - 1 ? {size} : 0"),
        "fontStyle": "italic",
        "dx": alt.ExprRef(f"{TWO_FIT} ? cell_width * -0.27 : 0"),
        "dy": alt.ExprRef(f"{TWO_FIT} ? 0 : cell_height * -0.28"),
        "opacity": 0.8,
        "aria": False,
    }


def _sums(sums_of: Side, shown: bool, large: bool) -> alt.Chart:
    most = LARGE if large else 13
    if sums_of == "rows":
        size, place = "cell_height * 0.95", {"x": alt.value(alt.ExprRef("width + 8"))}
        look: dict[str, Any] = {"align": "left", "baseline": "middle"}
    else:  # upright, where there are so many columns that they would be too small to be read otherwise
        upright = NARROW.format(beside=BESIDE, least=NARROWEST_SUM)
        flat = "cell_width * min(1 / 3, 1.9 / length(datum.sum))"
        size = f"({upright} ? (cell_width < {SMALLEST_NAME} ? 0 : cell_width * 0.95) : {flat})"
        place = {"y": alt.value(alt.ExprRef("height + 6"))}
        look = {
            "angle": alt.ExprRef(f"{upright} ? 270 : 0"),
            "align": alt.ExprRef(f"{upright} ? 'right' : 'center'"),
            "baseline": alt.ExprRef(f"{upright} ? 'middle' : 'top'"),
        }
    sums: alt.Chart = (
        alt.Chart()
        .transform_filter("datum.sum")
        .mark_text(fontSize=alt.ExprRef(f"min({most}, {size})"), opacity=int(shown), aria=shown, **look)
        .encode(
            text="sum:N",
            color=alt.condition("datum.sum_wrong", alt.value(SYMPTOM_EDGE), alt.value("gray")),
            **place,
        )
    )
    return sums
