"""The charts of the experiments: Altair specs built once, and their data as Arrow.

Colours of roles are the same as above the matrices: queries violet, keys orange. User text travels as data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import pyarrow as pa

from core.attention import Array
from core.caching import made_once
from core.charts import SCALE, Spec, layered_spec, named_axis
from core.draws import Histogram, Spread
from core.heatmap_data import PICKED, inks, labels
from core.matrices import rounded_text
from core.palette import BAR, DIVERGING, MARKED_EDGE
from core.stages import magnitude

QUERY_COLOUR, KEY_COLOUR = "#8f6ad8", "#e07b1a"
BEFORE_COLOUR, AFTER_COLOUR = "#d9730d", "#2a78c2"  # unscaled and scaled
# The first four as dark as no other; what else differs by colour, differs by its lines, too.
DIMENSION_COLOURS = ["#2a78c2", "#f2b13c", "#43a867", "#7d3478", "#b39ddb", "#8a4b2a", "#00838f", "#c0ca33"]
WHOLE, DASHED = [1, 0], [5, 3]
UNSCALED, SCALED = "scores", "scores / √dₖ"
QUIET = "gray"  # of words, which style.css has in the colour of the page
SMALLEST_BOUND = 1e-300
ABOVE: dict[str, Any] = {"title": None, "orient": "top", "offset": 4, "padding": 0}
LEGEND = alt.Legend(**ABOVE)
LEGEND_OF_LINES = alt.Legend(**ABOVE, symbolType="stroke", symbolStrokeWidth=2, symbolSize=400)
PARTS = 225  # pixels, the height of what the dimensions add; the sums stand below it
LONGEST_LABEL = 110  # pixels, as a longer one would take the room of the arrows


@made_once(most=16)
def product_spec(rows: int) -> Spec:
    """The spec of a product of two matrices: one on the left, one above, and what comes of them between.

    rows is how many rows there are in all. A click reports a row and a column, as in a heatmap.
    """
    base = alt.Chart().encode(
        x=alt.X("column:N", axis=named_axis("", across=True), scale=SCALE),
        y=alt.Y("row:N", axis=named_axis("", across=False), scale=SCALE),
    )
    picked = alt.selection_point(name=PICKED, fields=["row", "column"], toggle=False)
    colour = alt.Color(
        "shade:Q",
        scale=alt.Scale(domain=[-1, 1], range=DIVERGING, interpolate="lab", clamp=True),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("row_name:N", title="row"),
        alt.Tooltip("column_name:N", title="column"),
        alt.Tooltip("text:N", title="number"),
    ]
    size = "min(15, bandwidth('y') * 0.6, bandwidth('x') * 1.7 / max(4, datum.longest))"
    cells = (
        base.transform_filter("datum.text != ''")
        .mark_rect(cursor="pointer")
        .encode(color=colour, tooltip=tooltip)
        .add_params(picked)
    )
    text = base.mark_text(baseline="middle", fontSize=alt.ExprRef(f"{size} >= 6 ? {size} : 0")).encode(
        text="text:N", fill=alt.Fill("ink:N", scale=None, legend=None)
    )
    marked = base.transform_filter("datum.marked").mark_rect(
        fillOpacity=0, fill="white", stroke=MARKED_EDGE, strokeWidth=alt.ExprRef("datum.result ? 3 : 1.5")
    )
    return layered_spec(alt.layer(cells, text, marked), height=max(9, min(24, 560 // rows)) * rows)


def product_data(
    left: Array,
    above: Array,
    result: Array,
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    pair: tuple[int, int],
    decimals: int,
) -> pa.Table:
    """left (Lq, d), above (d, Lk) and result (Lq, Lk) in one table; names are those of d, Lq and Lk.

    Row and column d are left free between them; pair is the query and the key that are marked.
    """
    dimensions, queries, keys = names
    rows, columns, apart = (*dimensions, "", *queries), (*dimensions, "", *keys), len(dimensions) + 1
    query, key = apart + pair[0], apart + pair[1]
    whole = np.full((len(rows), len(columns)), np.nan)
    whole[: apart - 1, apart:], whole[apart:, : apart - 1], whole[apart:, apart:] = above, left, result
    bounds = np.full(whole.shape, max(magnitude(left), magnitude(above)) or 1.0)
    bounds[apart:, apart:] = magnitude(result) or 1.0
    marked, is_result = np.zeros(whole.shape, bool), np.zeros(whole.shape, bool)
    marked[: apart - 1, key] = marked[query, : apart - 1] = marked[query, key] = True
    is_result[apart:, apart:] = True
    shades = np.nan_to_num(whole / bounds).ravel()
    texts = ["" if np.isnan(n) else rounded_text(n, decimals) for n in whole.ravel().tolist()]
    return pa.table(
        {
            "row": np.repeat(labels(rows), len(columns)),
            "column": np.tile(labels(columns), len(rows)),
            "row_name": np.repeat(np.array(rows, object), len(columns)),
            "column_name": np.tile(np.array(columns, object), len(rows)),
            "shade": shades,
            "text": texts,
            "ink": inks(shades),
            "marked": marked.ravel(),
            "result": is_result.ravel(),
            "longest": [max(map(len, texts))] * len(texts),
        }
    )


@made_once(most=4)
def profile_spec(role: Literal["query", "key"]) -> Spec:
    """The spec of vectors as profiles: for each token a bar for each dimension."""
    title = "what each word looks for (query)" if role == "query" else "what each word is (key)"
    bars = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=alt.X("token:N", axis=named_axis("", across=True, beside=70)),
            xOffset=alt.XOffset("dimension:N"),
            y=alt.Y("value:Q", axis=alt.Axis(title=title, tickCount=4, titleFontSize=12, format="~g")),
            color=_by_dimension(legend=False),
            opacity=alt.condition("datum.marked", alt.value(1), alt.value(0.45)),
            tooltip=[
                alt.Tooltip("token_name:N", title="word"),
                alt.Tooltip("dimension_name:N", title="dimension"),
                alt.Tooltip("text:N", title="number"),
            ],
        )
    )
    return layered_spec(alt.layer(bars), height=105)


def profile_data(
    vectors: Array, tokens: tuple[str, ...], dimensions: tuple[str, ...], decimals: int, marked: int | None
) -> pa.Table:
    """One record for each token and dimension of vectors (T, d); None marks all tokens."""
    token, dimension = (place.ravel() for place in np.indices(vectors.shape))
    return pa.table(
        {
            "token": labels(tokens)[token],
            "dimension": labels(dimensions)[dimension],
            "token_name": np.array(tokens, object)[token],
            "dimension_name": np.array(dimensions, object)[dimension],
            "value": vectors.ravel(),
            "text": [rounded_text(number, decimals) for number in vectors.ravel().tolist()],
            "marked": (token == marked) | (marked is None),
        }
    )


@made_once(most=4)
def parts_spec() -> Spec:
    """The spec of scores as stacked parts: for each key what each dimension adds, and a line at the sum."""
    x = alt.X("token:N", axis=named_axis("", across=True, beside=70))
    base = alt.Chart()
    bars = base.mark_bar(stroke="white", strokeWidth=1).encode(
        x=x,
        y=alt.Y(
            "part:Q",
            stack="zero",
            axis=alt.Axis(title="query × key, added up", titleFontSize=12, format="~g"),
        ),
        color=_by_dimension(legend=True),
        order=alt.Order("dimension:N"),
        tooltip=[
            alt.Tooltip("token_name:N", title="key"),
            alt.Tooltip("dimension_name:N", title="dimension"),
            alt.Tooltip("text:N", title="query × key"),
        ],
    )
    firsts = base.transform_filter("datum.first")
    levels = firsts.mark_tick(thickness=6, color=MARKED_EDGE, stroke="white", strokeWidth=1).encode(
        x=x, y="total:Q"
    )
    size = alt.ExprRef("min(13, bandwidth('x') * 1.9 / max(5, length(datum.sum)))")
    sums = firsts.mark_text(baseline="top", fontSize=size, fontWeight="bold", color=QUIET).encode(
        x=x, y=alt.value(PARTS + 6), text="sum:N"
    )
    return layered_spec(alt.layer(bars, levels, sums), height=PARTS)


def parts_data(
    products: Array, keys: tuple[str, ...], dimensions: tuple[str, ...], decimals: int
) -> pa.Table:
    """One record for each key and dimension of products (Lk, d)."""
    key, dimension = (place.ravel() for place in np.indices(products.shape))
    sums = [rounded_text(total, decimals) for total in products.sum(axis=1).tolist()]
    return pa.table(
        {
            "token": labels(keys)[key],
            "dimension": labels(dimensions)[dimension],
            "token_name": np.array(keys, object)[key],
            "dimension_name": np.array(dimensions, object)[dimension],
            "part": products.ravel(),
            "text": [rounded_text(number, decimals) for number in products.ravel().tolist()],
            "sum": np.array(sums, object)[key],
            "total": products.sum(axis=1)[key],
            "first": dimension == 0,
        }
    )


def _by_dimension(legend: bool) -> alt.Color:
    shown = alt.Legend(
        title=None, orient="bottom", labelExpr="slice(datum.label, 4)", labelFontSize=13, symbolStrokeWidth=0
    )
    return alt.Color(
        "dimension:N", scale=alt.Scale(range=DIMENSION_COLOURS), legend=shown if legend else None
    )


@made_once(most=32)
def arrows_spec(frame: Frame) -> Spec:
    """The spec of arrows from the origin, as far as a frame reaches, across and up in the same measure."""
    x, y = _same_measure(frame)
    base = alt.Chart().encode(
        color=alt.Color(
            "role:N",
            scale=alt.Scale(domain=["query", "key"], range=[QUERY_COLOUR, KEY_COLOUR]),
            legend=LEGEND_OF_LINES,
        ),
        opacity=alt.condition("datum.marked", alt.value(1), alt.value(0.5)),
        tooltip=[
            alt.Tooltip("name:N", title="of"),
            alt.Tooltip("role:N"),
            alt.Tooltip("across:N"),
            alt.Tooltip("up:N"),
        ],
    )
    thick = alt.condition("datum.marked", alt.value(3), alt.value(1.5))
    base = base.transform_filter("datum.role != 'axis'")
    shafts = base.mark_rule().encode(
        x=x, y=y, x2="x0:Q", y2="y0:Q", strokeWidth=thick, strokeDash=_dashed("role", "query", "key")
    )
    heads = base.mark_point(shape="triangle", filled=True, size=90).encode(
        x=x, y=y, angle=alt.Angle("angle:Q", scale=None)
    )
    named = base.encode(
        x=x,
        y=y,
        text="label:N",
        color=alt.value(QUIET),
        opacity=alt.condition("datum.marked", alt.value(1), alt.value(0.9)),
    )
    texts = [  # of queries above the tip, of keys below it
        named.transform_filter(f"datum.label != '' && datum.role == '{role}'").mark_text(
            fontSize=13, dy=dy, limit=LONGEST_LABEL
        )
        for role, dy in (("query", -12), ("key", 16))
    ]
    zero: dict[str, Any] = {"color": QUIET, "opacity": 0.6, "aria": False}
    lines = [
        alt.Chart().mark_rule(**zero).encode(x=alt.datum(0)),
        alt.Chart().mark_rule(**zero).encode(y=alt.datum(0)),
    ]
    return layered_spec(
        alt.layer(*lines, _names_of_directions(x, y), shafts, heads, *texts), height="container"
    )


def _names_of_directions(x: alt.X, y: alt.Y) -> alt.Chart:
    named: alt.Chart = (
        alt.Chart()
        .transform_filter("datum.role == 'axis'")
        .mark_text(
            fontSize=14,
            fontWeight="bold",
            color=QUIET,
            limit=LONGEST_LABEL,
            align=alt.ExprRef("datum.x > datum.y ? 'right' : 'left'"),
        )
        .encode(x=x, y=y, text="name:N")
    )
    return named


def _same_measure(frame: Frame) -> tuple[alt.X, alt.Y]:
    """Across and up, as far as the frame and further along the longer side, so that angles are true."""
    across, up = (
        alt.Scale(
            domainMin=alt.ExprRef(f"{middle} - {frame.reach} * max(1, {ratio})"),
            domainMax=alt.ExprRef(f"{middle} + {frame.reach} * max(1, {ratio})"),
            nice=False,
        )
        for middle, ratio in ((frame.across, "width / height"), (frame.up, "height / width"))
    )
    axis = alt.Axis(title=None, grid=True, tickCount=6)
    return alt.X("x:Q", scale=across, axis=axis), alt.Y("y:Q", scale=up, axis=axis)


@dataclass(frozen=True)
class Frame:
    """The part of a plane that is in view: its middle, and how far it reaches from there to each side."""

    across: float
    up: float
    reach: float


def frame_of(points: Array) -> Frame:
    """A round frame around the origin and all points (n, 2), with room for their names."""
    lowest, highest = points.min(axis=0, initial=0), points.max(axis=0, initial=0)
    least = float((highest - lowest).max()) / 2 * 1.15
    if least < SMALLEST_BOUND:
        return Frame(0.0, 0.0, 1.0)
    power = 10.0 ** np.floor(np.log10(least))
    reach = next(power * step for step in (1, 1.5, 2, 3, 5, 7, 10) if power * step >= least)
    middle = np.round((lowest / 2 + highest / 2) / reach * 10) / 10 * reach + 0.0
    return Frame(*(float(f"{number:.12g}") for number in (*middle.tolist(), reach)))


def arrows_data(
    points: tuple[Array, Array],
    names: tuple[tuple[str, ...], tuple[str, ...]],
    marked: tuple[int, int],
    directions: tuple[str, str],
    frame: Frame,
    decimals: int,
) -> pa.Table:
    """One record for each arrow: queries (Lq, 2), then keys (Lk, 2); equal ones share one, with all names.

    marked is one query and one key, which stand out and come last, above the others. A name that would cover
    another one is left to the tooltip, as is one at the origin. directions are what across and up are called;
    frame is that of the spec.
    """
    records = []
    digits = min(9 - math.floor(math.log10(frame.reach)), 300)
    for role, tips, of, chosen in zip(("query", "key"), points, names, marked, strict=True):
        tops: dict[tuple[float, float], list[int]] = {}
        for position, tip in enumerate(np.round(tips, digits).tolist()):
            tops.setdefault((tip[0] + 0.0, tip[1] + 0.0), []).append(position)
        for tip, positions in tops.items():
            is_marked = chosen in positions
            shown = [chosen] if is_marked else []
            shown += [position for position in positions if position != chosen]
            name = ", ".join(of[p] for p in shown[:3]) + (" …" if len(shown) > 3 else "")
            records.append(_arrow(role, name, tip, is_marked, decimals))
    records.sort(key=lambda record: bool(record["marked"]))
    labelled: list[dict[str, Any]] = []
    for record in reversed(records):
        is_free = all(_is_apart(record, other, frame.reach) for other in labelled)
        if record["marked"] or (is_free and (record["x"] or record["y"])):
            record["label"] = record["name"]
            labelled.append(record)
    reach = frame.reach
    places = (frame.across + 0.98 * reach, -0.06 * reach), (0.03 * reach, frame.up + 0.95 * reach)
    axes = [
        _arrow("axis", name, place, False, decimals) for name, place in zip(directions, places, strict=True)
    ]
    return pa.Table.from_pylist([*records, *axes])


def _arrow(role: str, name: str, tip: tuple[float, float], is_marked: bool, decimals: int) -> dict[str, Any]:
    x, y = tip
    return {
        "role": role,
        "x": x,
        "y": y,
        "x0": 0.0,
        "y0": 0.0,
        "angle": float(np.degrees(np.arctan2(x, y))),
        "name": name,
        "across": rounded_text(x, decimals),
        "up": rounded_text(y, decimals),
        "marked": is_marked,
        "label": "",
    }


def _is_apart(one: dict[str, Any], other: dict[str, Any], reach: float) -> bool:
    """Whether there is room for both names."""
    apart = abs(one["x"] - other["x"]), abs(one["y"] - other["y"])
    return bool(apart[0] > 0.3 * reach or apart[1] > 0.1 * reach)


def _axis(title: str, **look: Any) -> alt.Axis:
    """An axis with its title near it, which leaves the room to what is drawn."""
    return alt.Axis(title=title, titlePadding=5, labelSeparation=8, **look)


@made_once(most=1)
def variance_spec() -> Spec:
    """The spec of the variance of scores against d_k: a dot for each draw, and the lines d_k and 1."""
    base = alt.Chart()
    x = alt.X("width:Q", scale=alt.Scale(type="log", base=2), axis=_axis("dₖ", grid=False))
    y = alt.Y(
        "variance:Q",
        scale=alt.Scale(type="log", base=10),
        axis=_axis("variance of the scores", values=[0.01, 0.1, 1, 10, 100, 1000]),
    )
    colour = _before_or_after(LEGEND)
    shapes = alt.Scale(domain=[UNSCALED, SCALED], range=["circle", "triangle-up"])
    dots = base.mark_point(size=18, opacity=0.45, filled=True).encode(
        x=x, y=y, color=colour, shape=alt.Shape("which:N", scale=shapes, legend=LEGEND)
    )
    lines = base.mark_line().encode(
        x=x, y="expected:Q", color=colour, strokeDash=_dashed("which", UNSCALED, SCALED, None)
    )
    return layered_spec(alt.layer(dots, lines), height="container")


def variance_data(spreads: tuple[Spread, ...]) -> pa.Table:
    """One record for each draw of each width, as it is and scaled."""
    return pa.Table.from_pylist(
        [
            {"width": s.width, "variance": variance, "expected": expected, "which": which}
            for s in spreads
            for which, variances, expected in (
                (UNSCALED, s.variances, float(s.width)),
                (SCALED, s.scaled_variances, 1.0),
            )
            for variance in variances.tolist()
        ]
    )


@made_once(most=2)
def histogram_spec() -> Spec:
    """The spec of how often which score comes up, before and after scaling."""
    base = alt.Chart().encode(
        x=alt.X("middle:Q", axis=_axis("score", grid=False)),
        y=alt.Y("share:Q", stack=None, axis=_axis("share of the scores", format="%")),
        color=_before_or_after(),
    )
    areas = base.mark_area(opacity=0.4, interpolate="step")
    edges = base.mark_line(interpolate="step", strokeWidth=1.5).encode(
        strokeDash=_dashed("which", UNSCALED, SCALED)
    )
    return layered_spec(alt.layer(areas, edges), height="container")


def histogram_data(found: Histogram) -> pa.Table:
    """One record for each bin, before and after, and for an empty one at each end, where steps end."""
    beyond = found.middles[1] - found.middles[0]
    middles = np.concatenate([found.middles[:1] - beyond, found.middles, found.middles[-1:] + beyond])
    return pa.table(
        {
            "middle": np.tile(middles, 2),
            "share": np.concatenate([np.pad(found.shares, 1), np.pad(found.scaled_shares, 1)]),
            "which": [UNSCALED] * len(middles) + [SCALED] * len(middles),
        }
    )


@made_once(most=4)
def sharpness_spec(title: str, most: float) -> Spec:
    """The spec of a measure of the softmax against d_k, for scores as they are and scaled."""
    lines = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=alt.X("width:Q", scale=alt.Scale(type="log", base=2), axis=_axis("dₖ", grid=False)),
            y=alt.Y("measure:Q", scale=alt.Scale(domain=[0, most]), axis=_axis(title)),
            color=_before_or_after(),
            strokeDash=_dashed("which", UNSCALED, SCALED),
        )
    )
    return layered_spec(alt.layer(lines), height="container")


def sharpness_data(spreads: tuple[Spread, ...], measure: Literal["largest", "entropy"]) -> pa.Table:
    """One record for each width, before and after scaling."""
    return pa.Table.from_pylist(
        [
            {"width": s.width, "measure": value, "which": which}
            for s in spreads
            for which, value in zip((UNSCALED, SCALED), getattr(s, measure), strict=True)
        ]
    )


def _before_or_after(legend: alt.Legend = LEGEND_OF_LINES) -> alt.Color:
    return alt.Color(
        "which:N",
        scale=alt.Scale(domain=[UNSCALED, SCALED], range=[BEFORE_COLOUR, AFTER_COLOUR]),
        legend=legend,
    )


def _dashed(
    field: str, whole: str, dashed: str, legend: alt.Legend | None = LEGEND_OF_LINES
) -> alt.StrokeDash:
    """What a line is of, by dashes, in one legend with its colour."""
    scale = alt.Scale(domain=[whole, dashed], range=[WHOLE, DASHED])
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=legend)


@made_once(most=16)
def lookup_spec(keys: int) -> Spec:
    """The spec of a hard and a soft lookup: for each key two bars."""
    base = alt.Chart().encode(
        y=alt.Y("row:N", axis=named_axis("", across=False)),
        yOffset=alt.YOffset("which:N", sort=["hard", "soft"]),
        x=alt.X("weight:Q", scale=alt.Scale(domain=[0, 1]), axis=_axis("weight", grid=False)),
        tooltip=[
            alt.Tooltip("row_name:N", title="key"),
            alt.Tooltip("which:N", title="lookup"),
            alt.Tooltip("text:N", title="weight"),
        ],
    )
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=["hard", "soft"], range=["#9e9e9e", BAR]),
        legend=LEGEND,
    )
    texts = base.mark_text(align="left", dx=4, fontSize=12, color=QUIET).encode(text="text:N")
    return layered_spec(alt.layer(base.mark_bar().encode(color=colour), texts), height=38 * keys)


def lookup_data(hard: Array, soft: Array, keys: tuple[str, ...], decimals: int) -> pa.Table:
    """Two records for each key; hard and soft are (Lk,)."""
    weights = np.concatenate([hard, soft])
    return pa.table(
        {
            "row": np.tile(labels(keys), 2),
            "row_name": np.tile(np.array(keys, object), 2),
            "which": ["hard"] * len(keys) + ["soft"] * len(keys),
            "weight": weights,
            "text": [rounded_text(weight, decimals) for weight in weights.tolist()],
        }
    )
