"""The answers: where a number comes from, its softmax, its blend, all weights as lines, the variance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core import answer_charts, explain, working
from core.attention import Array
from core.digits import in_enough_digits, readable
from core.markdown import verbatim
from core.rules import Rules
from core.stages import ATTENTION, Attention, column_names, is_projected, place_of
from core.ui import comparing
from core.ui.page import STEPS_BESIDE_STAGES, Page
from core.ui.sights import worked_pair
from core.ui.tables import number_table

BEFORE = "All of it before rounding."
AS_EXPECTED = 1.5  # times as large or as small, a variance of so few numbers is as expected
CLICK_ANOTHER = (  # said above an answer, in its first paragraph's element: one more would move all others
    ":gray[:small[Of the outlined number. Click another in the heatmap, or choose a query and a key above.]]"
)


def _number(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    """From two vectors to the number; of a difference, both numbers that it is of."""
    lines, pair = _path(page, attention, query, key), (query, key)
    if not lines:
        pair = worked_pair(page, attention)
        lines = [CLICK_ANOTHER, *_path(page, attention, *pair)]
    if kept := comparing.subtracted(page):
        lines += [f":gray[:small[Of {comparing.OF_A}:]]", *_path(page, kept, *pair)]
    with st.container(key="answer"):
        st.markdown("\n\n".join(lines))


def _path(page: Page, attention: Attention, query: int | None, key: int | None) -> list[str]:
    """The number clicked in the stage in view; or from two vectors to what they give; or a whole row."""
    name = page.stage
    made = None if name in STEPS_BESIDE_STAGES or name in ATTENTION else name
    column = None if made is None else page.column(made)
    if column is None and query is not None and key is not None:
        projected = is_projected(attention.inputs)
        vectors = working.vectors(attention, query, key, page.decimals, page.last_stage) if projected else []
        return [*vectors, *working.path(attention, query, key, page.decimals, page.last_stage)]
    row = None if made is None else place_of(made, query, key)[0]
    return [] if made is None or row is None else working.row_of(attention, made, row, page.decimals, column)


def _softmax(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    """Over all keys the softmax of a query; or over all queries that of a key."""
    over_keys = attention.rules.softmax_over == "keys"
    of, another = query if over_keys else key, ""
    if of is None:
        query, key = worked_pair(page, attention)
        of, another = query if over_keys else key, CLICK_ANOTHER
    if over_keys:
        found, title, names, place = explain.softmax_of(attention, of, 0), "key", attention.key_titles, key
        whose = f"query {verbatim(attention.query_titles[of])}"
    else:
        found, title, names, place = (
            explain.softmax_of(attention, 0, of),
            "query",
            attention.query_titles,
            query,
        )
        whose = f"key {verbatim(attention.key_titles[of])}"
    st.markdown(f"{another}\n\n{_how_it_goes(attention.rules, whose, found, page.decimals)}")
    columns = _softmax_columns(found, attention.rules)
    totals = np.ma.masked_array(
        [numbers.sum() for numbers in columns.values()],
        [column not in ("e to that", "softmax", "weight") for column in columns],
    )
    table, bars = st.columns([3, 2]) if page.presenting else (st.container(), st.container())
    with table:
        number_table(
            np.ma.vstack([np.column_stack(list(columns.values())), totals]),
            (*names, "sum"),
            tuple(columns),
            page.decimals,
            title,
            (place, None),
            _rows_of(found.hidden, len(columns)),
        )
    bars.vega_lite_chart(
        answer_charts.bars_data(found.weight, names, page.decimals, place),
        answer_charts.bars_spec(len(names), title),
        alt=f"Bar chart of the weights of one softmax, a bar for each {title}",
    )


def _how_it_goes(rules: Rules, of: str, found: explain.Softmax, decimals: int) -> str:
    """How a softmax is computed, and what it does to the powers where the largest is subtracted."""
    if rules.subtract_largest and np.isneginf(found.masked).all():
        return (
            f"The softmax of the {of}: all is masked, so that each power and their sum are 0. "
            f"0 / 0 is no number; it is defined as weights of 0. {BEFORE}"
        )
    subtracted, power = "", "each number"
    if rules.subtract_largest:
        largest = float(found.masked.max())
        smaller = f": all powers are $e^{{{readable(largest, decimals)}}}$ times smaller, and so is their sum"
        subtracted = (
            "the largest is subtracted, so that no power overflows. "
            f"That changes no weight{smaller if largest > 0 else ''}. Then "
        )
        power = "what is left"
    return (
        f"The softmax of the {of}: {subtracted}e is raised to {power}, and each power is divided by the sum "
        f"of all. {BEFORE}"
    )


def _softmax_columns(found: explain.Softmax, rules: Rules) -> dict[str, Array]:
    columns = {"score": found.score, "scaled": found.scaled, "masked": found.masked}
    if rules.subtract_largest:
        columns["minus largest"] = found.shifted
    columns["e to that"] = found.exponential
    if rules.masks_after_softmax:
        columns["softmax"] = found.softmax
    columns["weight"] = found.weight
    return columns


def _rows_of(hidden: NDArray[np.bool_], columns: int) -> NDArray[np.bool_]:
    """Which rows are hidden, for every cell of a table with so many columns and a last row of sums."""
    return np.repeat(np.append(hidden, False)[:, np.newaxis], columns, axis=1)


def _values(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    another = ""
    if query is None:
        query, key = worked_pair(page, attention)
        another = CLICK_ANOTHER
    blend = explain.blend(attention, query)
    names = attention.value_titles
    columns = column_names(attention.inputs, "values")
    name = verbatim(attention.query_titles[query])
    st.markdown(
        f"{another}\n\nThe output of {name}: each weight times the value vector of its key, added up. "
        f"{BEFORE}"
    )
    parts = np.column_stack([blend.weights, blend.products])
    total = np.concatenate([[blend.weights.sum()], blend.output])
    number_table(
        np.vstack([parts, total]),
        (*names, "output"),
        ("weight", *columns),
        page.decimals,
        "value of",
        (key, None),
        _rows_of(attention.steps.hidden[query], 1 + len(columns)),
    )
    st.vega_lite_chart(
        answer_charts.blend_data(blend.products, names, columns, page.decimals),
        answer_charts.blend_spec(),
        alt="Stacked bars: what each value adds to each number of the output, below 0 where it takes away",
    )


def _lines(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    st.markdown(
        "A line joins a query, on the left, and a key, on the right: the thicker, the larger the weight."
    )
    st.vega_lite_chart(
        answer_charts.lines_data(
            attention.steps.weights, attention.query_titles, attention.key_titles, page.decimals, query
        ),
        answer_charts.lines_spec(max(len(attention.query_titles), len(attention.key_titles))),
        alt="Lines from each query to each key, as strong as the weight",
    )


def spread(page: Page, attention: Attention) -> float:
    """The variances of queries, keys and scores, before and after the division by sqrt(d_k).

    Returns the scores' over what it is for independent numbers, NaN where that is 0.
    """
    measured = explain.variances(attention)
    width = attention.query.shape[1]
    q, k, scores, scaled = (
        readable(measured[n], page.decimals) for n in ("queries", "keys", "scores", "scaled")
    )
    variance_q, variance_k = measured["queries"], measured["keys"]
    expected = width * variance_q * variance_k
    product = readable(expected, page.decimals)
    factors = in_enough_digits((variance_q, variance_k), (q, k), lambda a, b: [width * a * b], [product])
    st.markdown(
        f"**Variance** of all numbers: **{q}** in Q, **{k}** in K, **{scores}** in the scores, and "
        f"**{scaled}** in the scores divided by √{width}. For independent numbers around 0, that of the "
        f"scores is about dₖ times Q’s times K’s: {' × '.join([str(width), *factors])} ≈ {product}."
    )
    return measured["scores"] / expected if expected else math.nan


def spread_below(page: Page, attention: Attention) -> None:
    """How scores spread, below the heatmaps, where a lesson goes as far as the scaling."""
    if page.reaches("scaled"):
        spread(page, attention)


def _variance(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    ratio = spread(page, attention)
    if math.isnan(ratio):
        return
    measured = f"The variance of the scores is about **{readable(ratio, 1)}** times that"
    if 1 / AS_EXPECTED <= ratio <= AS_EXPECTED:
        removed = "dividing by √dₖ takes the factor dₖ out"
        st.markdown(f"{measured}: they spread as those of random numbers would, and {removed}.")
    else:
        st.markdown(
            f"{measured}, not equal to it: these queries and keys are not independent, do not lie "
            "around 0, or are too few to tell."
        )


Answer = Callable[[Page, Attention, int | None, int | None], None]  # of a row and a column in view, if chosen
ANSWERS: dict[str, Answer] = {
    "number": _number,
    "softmax": _softmax,
    "values": _values,
    "lines": _lines,
    "variance": _variance,
}
