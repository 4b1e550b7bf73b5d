"""Three ways to write the same scores: which row meets which column, and that the numbers are the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from core import experiment_charts, heatmap_data, working
from core.digits import apart
from core.formulas import shaped
from core.markdown import verbatim
from core.stages import Attention
from core.ui import clicks, fragments
from core.ui.experiments.controls import choose
from core.ui.labels import dimension_names
from core.ui.page import Page
from core.writings import EINSUM, LECTURE, PAPER, WRITINGS, Writing, written


def draw(page: Page, attention: Attention) -> None:
    """The product with its two factors, and beside it how it is written."""
    query, key = page.pair()
    ways = written(attention.query, attention.key)
    product, words = st.container(key="product").columns([7, 5], gap="medium")
    with words:
        writing = choose("writing", "How to write it", WRITINGS)
        st.markdown(f"$\\displaystyle {_formula(attention, writing)}$")
        st.markdown(_meeting(attention, writing, query, key))
        st.markdown(working.worked(attention, "scores", query, key, 0, page.decimals))
        st.code(ways[writing].code, language="python")
        st.markdown("\n".join(_difference(way, ways) for way in (LECTURE, EINSUM)))
        st.caption("Scaling and the causal mask come after the scores, and change nothing here.")
    with product:
        _product(page, attention, writing, (query, key))


def _product(page: Page, attention: Attention, writing: str, pair: tuple[int, int]) -> None:
    left, above = {PAPER: ("Q", "Kᵀ"), LECTURE: ("Qᵀ", "K"), EINSUM: ("Q[i, f]", "K[i, t]")}[writing]
    turned = ", turned" if writing == EINSUM else ""
    count = attention.steps.scores.size
    met = "the score" if count == 1 else f"one of the {count} scores"
    told = f"Left **{left}**{turned}, above **{above}**; where they meet, {met}."
    with st.container(gap=None):
        st.markdown(told)
        with st.container(key="turn-the-phone"):  # style.css shows it where there is no room for the numbers
            st.caption("Held sideways, a phone has room for the numbers.")
    names = (dimension_names(page.inputs), attention.query_titles, attention.key_titles)
    chart = clicks.key_of_chart("product", partial(_selected_by, len(names[0]) + 1))
    st.vega_lite_chart(
        experiment_charts.product_data(
            attention.query, attention.key.T, attention.steps.scores, names, pair, page.decimals
        ),
        experiment_charts.product_spec(len(names[0]) + 1 + len(names[1])),
        key=chart,
        on_select=lambda: _picked(len(names[0]) + 1, chart),
        alt="The queries on the left, the keys above, and the score of every query with every key",
    )


def _picked(apart: int, chart: str) -> None:
    if selected := _selected_by(apart, clicks.last_click(chart)):
        clicks.click(**selected)
        fragments.redraw_selection()


def _selected_by(apart: int, click: Mapping[str, Any]) -> dict[str, int]:
    """The query of a clicked row and the key of a clicked column; a click on a factor is on one of them."""
    place = heatmap_data.picked_cell(click)
    if place is None:
        return {}
    row, column = (position - apart if position >= apart else None for position in place)
    return clicks.number_at(row, column)


def _formula(attention: Attention, writing: str) -> str:
    (queries, keys), width = attention.steps.scores.shape, attention.query.shape[1]
    scores = shaped(r"\text{scores}", queries, keys)
    if writing != EINSUM:
        left, above = ("Q", r"K^{\top}") if writing == PAPER else (r"Q^{\top}", "K")
        return rf"{scores} = {shaped(left, queries, width)}\;{shaped(above, width, keys)}"
    entry = rf"\text{{scores}}[f, t] = \sum_{{i=1}}^{{{width}}} K[i, t]\; Q[i, f]"
    return rf"{entry} \qquad {shaped('K', width, keys)} \quad {shaped('Q', width, queries)}"


def _meeting(attention: Attention, writing: str, query: int, key: int) -> str:
    """Which row meets which column, with the names of the pair."""
    q = f"{query + 1} ({verbatim(attention.query_names[query])})"
    k = f"{key + 1} ({verbatim(attention.key_names[key])})"
    if writing == PAPER:
        return (
            "The paper keeps a **row** for each token. "
            f"Row {q} of Q meets column {k} of Kᵀ, which is row {key + 1} of K."
        )
    if writing == LECTURE:
        return (
            "This writing keeps a **column** for each token. "
            f"Row {q} of Qᵀ, which is column {query + 1} of Q, meets column {k} of K."
        )
    return (
        "Q and K hold a column for each token here. No transposing: axes have names, i for the dimension, "
        "t for the key, f for the query; i is on both sides of the comma and not in the result, so it is "
        f"summed. Here f = {q} and t = {k}."
    )


def _difference(way: str, ways: dict[str, Writing]) -> str:
    return f"- {way} and {PAPER}: largest difference **{apart(ways[way].scores, ways[PAPER].scores)}**"
