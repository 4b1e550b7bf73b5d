"""The charts of the answers: one query's weights as bars, its output as a blend, all weights as lines."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa

from core.attention import Array
from core.caching import made_once
from core.charts import Spec, layered_spec, named_axis
from core.heatmap_data import each, labels
from core.matrices import rounded_text
from core.palette import BAR, MARKED_EDGE

THINNEST_LINE, THICKEST_LINE = 0.75, 9.0  # pixels, of a weight near 0 and of a weight of 1


@made_once(most=64)
def bars_spec(count: int, title: str) -> Spec:
    """The spec of one softmax's weights as bars, a bar for each key, or for each query, as title says."""
    base = alt.Chart().encode(
        y=alt.Y("row:N", axis=named_axis(title, across=False)),
        x=alt.X("weight:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="weight", grid=False)),
        tooltip=[alt.Tooltip("row_name:N", title=title), alt.Tooltip("text:N", title="weight")],
    )
    colour = alt.condition("datum.marked", alt.value(MARKED_EDGE), alt.value(BAR))
    bars = base.mark_bar().encode(color=colour)
    texts = base.mark_text(align="left", dx=4, fontSize=12, color="gray").encode(text="text:N")
    return layered_spec(alt.layer(bars, texts), height=24 * count)


def bars_data(weights: Array, names: tuple[str, ...], decimals: int, marked: int | None) -> pa.Table:
    """One record a bar."""
    return pa.table(
        {
            "row": labels(names),
            "row_name": np.array(names, object),
            "weight": np.nan_to_num(weights),
            "text": [rounded_text(weight, decimals) for weight in weights.tolist()],
            "marked": [place == marked for place in range(len(names))],
        }
    )


@made_once(most=1)
def blend_spec() -> Spec:
    """The spec of an output as stacked parts, a stack for each value dimension; negative parts go below 0."""
    chart = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=alt.X("column:N", axis=named_axis("value dimension", across=True)),
            y=alt.Y("part:Q", stack="zero", axis=alt.Axis(title="weight x value")),
            color=alt.Color("row:N", legend=alt.Legend(title="value of", labelExpr="slice(datum.label, 4)")),
            order=alt.Order("row:N"),
            tooltip=[
                alt.Tooltip("row_name:N", title="value of"),
                alt.Tooltip("column_name:N", title="value dimension"),
                alt.Tooltip("text:N", title="weight x value"),
            ],
        )
    )
    return layered_spec(alt.layer(chart), height=220)


def blend_data(products: Array, rows: tuple[str, ...], columns: tuple[str, ...], decimals: int) -> pa.Table:
    """One record for each weight x value; products is (keys, value dimensions)."""
    row, column = np.divmod(np.arange(products.size), len(columns))
    return pa.table(
        {
            "row": each(labels(rows), row),
            "column": each(labels(columns), column),
            "row_name": each(np.array(rows, object), row),
            "column_name": each(np.array(columns, object), column),
            "part": np.nan_to_num(products.ravel()),
            "text": [rounded_text(part, decimals) for part in products.ravel().tolist()],
        }
    )


@made_once(most=64)
def lines_spec(tokens: int) -> Spec:
    """The spec of all weights as lines from the queries, on the left, to the keys, on the right."""
    hidden = alt.Axis(title=None, labels=False, ticks=False, domain=False, grid=False)
    across = alt.Scale(domain=[-0.35, 1.35], nice=False)
    height = alt.Scale(domain=[tokens - 0.5, -0.5], nice=False)
    base = alt.Chart()
    lines = base.mark_rule(strokeCap="round").encode(
        x=alt.X("left:Q", scale=across, axis=hidden),
        x2="right:Q",
        y=alt.Y("query:Q", scale=height, axis=hidden),
        y2="key:Q",
        strokeWidth=alt.StrokeWidth("width:Q", scale=None),
        opacity=alt.Opacity("strength:Q", scale=None),
        color=alt.condition("datum.marked", alt.value(MARKED_EDGE), alt.value(BAR)),
        tooltip=[
            alt.Tooltip("row_name:N", title="query"),
            alt.Tooltip("column_name:N", title="key"),
            alt.Tooltip("text:N", title="weight"),
        ],
    )
    text = base.encode(x=alt.X("left:Q", scale=across), y=alt.Y("query:Q", scale=height), text="row_name:N")
    look: dict[str, Any] = {"fontSize": 13, "color": "gray", "limit": 110}
    queries = text.transform_filter("datum.key == 0").mark_text(align="right", dx=-8, **look)
    keys = text.transform_filter("datum.query == 0").mark_text(align="left", dx=8, **look)
    keys = keys.encode(x="right:Q", y="key:Q", text="column_name:N")
    names = [queries, keys]
    return layered_spec(alt.layer(lines, *names), height=max(120, 30 * tokens))


def lines_data(
    weights: Array, queries: tuple[str, ...], keys: tuple[str, ...], decimals: int, marked: int | None
) -> pa.Table:
    """One record for each query and key; weights is (Lq, Lk). Unmarked lines fade beside a marked query's."""
    count = weights.size
    query, key = np.divmod(np.arange(count), len(keys))
    seen = np.nan_to_num(weights.ravel())
    alone, beside = 0.35 + 0.65 * seen, 0.3 + 0.35 * seen
    is_marked = query == (-1 if marked is None else marked)
    return pa.table(
        {
            "left": np.zeros(count),
            "right": np.ones(count),
            "query": query,
            "key": key,
            "row_name": each(np.array(queries, object), query),
            "column_name": each(np.array(keys, object), key),
            "weight": seen,
            "width": np.where(seen > 0, THINNEST_LINE + (THICKEST_LINE - THINNEST_LINE) * seen, 0),
            "strength": alone if marked is None else np.where(is_marked, 0.8 + 0.2 * seen, beside),
            "text": [rounded_text(weight, decimals) for weight in weights.ravel().tolist()],
            "marked": is_marked,
        }
    )
