"""Vectors whose dimensions mean something: what words look for, what they are, which dimension counts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core import experiment_charts
from core.attention import Array
from core.digits import counted, readable
from core.markdown import enumerated, verbatim
from core.stages import Attention
from core.ui.experiments.guide import guide
from core.ui.labels import dimension_names
from core.ui.page import Page

MOST_EXPLAINED = 3


def draw(page: Page, attention: Attention) -> None:
    """The profiles of all queries and keys, and the scores of one query, dimension by dimension."""
    query = page.query_of_experiment
    names, tokens, decimals = dimension_names(page.inputs), attention.query_titles, page.decimals
    products = attention.query[query] * attention.key  # (Lk, d_k)
    profiles, scores = st.container(key="profiles").columns(2, gap="medium")
    with profiles:
        word = verbatim(attention.query_titles[query])
        st.markdown(f"**Profiles in {counted(len(names), 'dimension')}**; queries other than {word} fade")
        st.vega_lite_chart(
            experiment_charts.profile_data(attention.query, tokens, names, decimals, query),
            experiment_charts.profile_spec("query"),
            alt="Bars: each query, dimension by dimension",
        )
        st.vega_lite_chart(
            experiment_charts.profile_data(attention.key, attention.key_titles, names, decimals, None),
            experiment_charts.profile_spec("key"),
            alt="Bars: each key, dimension by dimension",
        )
    with scores:
        st.markdown(f"**Scores of {word}**: what each dimension adds; the line is the sum")
        st.vega_lite_chart(
            experiment_charts.parts_data(products, attention.key_titles, names, decimals),
            experiment_charts.parts_spec(),
            alt="Stacked bars: what each dimension adds to the score of each key",
        )
    explained, edit = st.columns(2, gap="medium")
    with explained:
        for line in reasons(attention, products, names, query, decimals):
            st.markdown(line)
    with edit:
        guide(page, attention, query)


def reasons(
    attention: Attention, products: Array, names: tuple[str, ...], query: int, decimals: int
) -> list[str]:
    """For each of the keys that score most, the dimension that adds most to it, as Markdown."""
    scores = attention.steps.scores[query]
    if not products.any():
        return ["All numbers of this query are 0, or meet only zeros: it gives all it sees the same weight."]
    lines = []
    for key in np.argsort(-scores, kind="stable")[:MOST_EXPLAINED]:
        most = products[key].max()
        best = [
            verbatim(names[d]) for d in np.flatnonzero(np.isclose(products[key], most, rtol=1e-9, atol=0))
        ]
        part, whole = (readable(float(n), decimals) for n in (most, scores[key]))
        weight = f"Weight {readable(float(attention.steps.weights[query, key]), decimals)}."
        if attention.steps.hidden[query, key]:
            weight = "Masked: weight 0."
        adds, each = ("adds", "") if len(best) == 1 else ("add", " each")
        why = f"{enumerated(best)} {adds} most, {part}{each}" if most > 0 else "no dimension adds to it"
        lines.append(f"{verbatim(attention.key_titles[key])} scores **{whole}**: {why}. {weight}")
    return lines
