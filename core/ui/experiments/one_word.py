"""One word looks up the others: its query against every key, and what its word becomes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.digits import listed
from core.markdown import verbatim
from core.stages import Attention, column_names, stage
from core.ui import matrix_view
from core.ui.experiments.guide import guide
from core.ui.labels import dimension_names
from core.ui.page import Page
from core.ui.tables import number_table


def draw(page: Page, attention: Attention) -> None:
    """One query, its weights and its output; the same within the whole matrices; and an edit to try."""
    query = page.query_of_experiment
    word = verbatim(attention.query_titles[query])
    keys = attention.key_titles
    steps, decimals = attention.steps, page.decimals
    lookup, whole = st.columns(2, gap="medium")
    with lookup:
        st.markdown(
            f"**{word} looks for** q = {listed(attention.query[query], decimals)}, "
            f"its embedding {listed(page.inputs.matrices['embeddings'].values[query], decimals)} times "
            "W\\_query"
        )
        st.markdown(f"It meets every key: scores **{listed(steps.scores[query], decimals)}**")
        if attention.scale:
            scaled = listed(steps.scaled[query], decimals)
            st.markdown(f"Divided by √{attention.query.shape[1]}, as scaling is on: {scaled}")
        if attention.causal:
            st.markdown(f"With the causal mask, which is on: {listed(steps.masked[query], decimals)}")
        st.markdown(f"The softmax makes weights: **{listed(steps.weights[query], decimals)}**")
        if steps.output is not None:
            st.markdown(
                f"The values, each times its weight, add up to **{listed(steps.output[query], decimals)}**"
            )
        _table(page, attention, query)
        _word_before_and_after(page, attention, query)
        guide(page, attention, query)
    at_once = f" of all {len(keys)} at once: the same numbers are the row of {word}"
    of_all = "" if len(keys) == 1 else at_once
    with whole:
        for name in ("scores", "weights", "output"):
            with st.container(gap="xxsmall"):
                st.markdown(f"**{name.capitalize()}**{of_all if name == 'scores' else ''}")
                matrix_view.heatmap(page, name, stage(attention, name), (query, None))


def _table(page: Page, attention: Attention, query: int) -> None:
    """The dictionary: each key with what the softmax takes of it, its weight, and the value that it gives."""
    values = np.zeros((len(attention.key), 0)) if attention.value is None else attention.value
    steps = attention.steps  # without mask or scaling, the masked scores are those of the step before
    title = "masked" if attention.causal else "scaled" if attention.scale else "score"
    columns = (
        *(f"k {n}" for n in dimension_names(page.inputs)),
        title,
        "weight",
        *column_names(page.inputs, "values"),
    )
    number_table(
        np.column_stack([attention.key, steps.masked[query], steps.weights[query], values]),
        attention.key_titles,
        columns,
        page.decimals,
        "key",
    )


def _word_before_and_after(page: Page, attention: Attention, query: int) -> None:
    """The word alone, and the word in its context."""
    if attention.steps.output is None or attention.value is None:
        return
    embedding, value = page.inputs.matrices["embeddings"].values[query], attention.value[query]
    alone, after = (listed(vector, page.decimals) for vector in (value, attention.steps.output[query]))
    word = verbatim(attention.query_titles[query])
    rounding = 1e-9 * np.abs(attention.value[attention.steps.weights[query] > 0]).max(initial=0)
    is_changed = bool((np.abs(value - attention.steps.output[query]) > rounding).any())
    title = "The context changes the word." if is_changed else "Here the context does not change the word."
    in_context = f"; among the others, **{after}**" if len(attention.key) > 1 else ""
    st.markdown(f"**{title}** Alone, {word} becomes its own value, {alone}{in_context}.")
    if len(embedding) != len(value):
        shape = f"W\\_value is {len(embedding)} × {len(value)}"
        st.caption(f"The embedding has {len(embedding)} numbers and a value {len(value)}, as {shape}.")
