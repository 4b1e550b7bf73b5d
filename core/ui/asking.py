"""Where a number comes from: the selected query and key, and four ways to ask about them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core import charts, explain, formulas
from core.stages import Attention, is_projected
from core.ui import state
from core.ui.state import NOTHING, QUESTIONS, Page, token_label
from core.ui.tables import number_table

CLICK_FIRST = "Click a cell of the heatmap, or choose a query and a key above."


def choose(page: Page, attention: Attention) -> None:
    """The lists of queries and keys, and the questions; drawn before what they mark."""
    with st.container(key="asking", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Where from?**", width="content")
        _list("Query", "query", page.query_names)
        _list("Key", "key", page.key_names)
        st.button(
            "Clear", key="clear", on_click=state.clear_selection, disabled=page.selection == (None, None)
        )
    questions = [q for q in QUESTIONS if q != "values" or attention.value is not None]
    st.segmented_control(
        "Ask about",
        questions,
        format_func=QUESTIONS.__getitem__,
        key="ask",
        bind="query-params",
        label_visibility="collapsed",
    )


def answer(page: Page, attention: Attention) -> None:
    """The answer to the question that is asked."""
    asked = st.session_state.get("ask")
    if asked in QUESTIONS and (asked != "values" or attention.value is not None):
        query, key = _in_view(page)
        {"number": _number, "softmax": _softmax, "values": _values, "lines": _lines}[asked](
            page, attention, query, key
        )


def _list(label: str, name: str, names: tuple[str, ...]) -> None:
    options = [NOTHING, *range(len(names))]
    if st.session_state.get(name, NOTHING) not in options:
        st.session_state[name] = NOTHING
    st.selectbox(
        label,
        options,
        format_func=lambda position: label.lower() if position == NOTHING else token_label(names, position),
        key=name,
        bind="query-params",
        label_visibility="collapsed",
        width=128,
    )


def _in_view(page: Page) -> tuple[int | None, int | None]:
    """The selected query, by its row in the stages, and the selected key."""
    query, key = page.selection
    if page.only_query is None:
        return query, key
    return (0 if query == page.only_query else None), key


def _number(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if query is None or key is None:
        st.info(CLICK_FIRST)
        return
    with st.container(key="answer", gap="xxsmall"):
        if is_projected(attention.inputs):
            for line in formulas.vectors(attention, query, key, page.decimals):
                st.markdown(line)
        for line in formulas.path(attention, query, key, page.decimals):
            st.markdown(line)


def _softmax(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if query is None:
        st.info(CLICK_FIRST)
        return
    row = explain.softmax_row(attention, query)
    name = formulas.verbatim(attention.query_names[query])
    st.markdown(f"The softmax of {name}: the row’s largest is subtracted, then e to that power, then shares.")
    columns = np.column_stack([row.score, row.scaled, row.masked, row.shifted, row.exponential, row.share])
    total = np.array([[np.nan, np.nan, np.nan, np.nan, row.total, row.share.sum()]])
    number_table(
        np.vstack([columns, total]),
        (*attention.key_names, "sum"),
        ("score", "scaled", "masked", "minus largest", "e to that", "share"),
        page.decimals,
        "key",
    )
    st.vega_lite_chart(
        charts.bars_data(row.share, attention.key_names, page.decimals, key),
        charts.bars_spec(len(attention.key_names)),
        alt="Bar chart of the weights of one query, a bar for each key",
    )


def _values(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if query is None:
        st.info(CLICK_FIRST)
        return
    blend = explain.blend(attention, query)
    names = attention.value_names
    columns = attention.inputs.column_names("W_value" if is_projected(attention.inputs) else "values")
    name = formulas.verbatim(attention.query_names[query])
    st.markdown(f"The output of {name}: each weight times the value row of its key, added up.")
    parts = np.column_stack([blend.weights, blend.products])
    total = np.concatenate([[blend.weights.sum()], blend.output])
    number_table(
        np.vstack([parts, total]), (*names, "output"), ("weight", *columns), page.decimals, "value of"
    )
    st.vega_lite_chart(
        charts.blend_data(blend.products, names, columns, page.decimals),
        charts.blend_spec(),
        alt="Stacked bars: what each value adds to each number of the output, below 0 where it takes away",
    )


def _lines(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    st.markdown("Each query on the left looks at the keys on the right, as strongly as its weight.")
    st.vega_lite_chart(
        charts.lines_data(
            attention.steps.weights, attention.query_names, attention.key_names, page.decimals, query
        ),
        charts.lines_spec(max(len(attention.query_names), len(attention.key_names))),
        alt="Lines from each query to each key, as strong as the weight",
    )
