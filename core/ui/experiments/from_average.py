"""From an average to attention: five ways to mix the same tokens, each one step further."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.attention import Array
from core.digits import readable
from core.naive import (
    ATTENTION,
    AVERAGE,
    DOT_PRODUCTS,
    QUERIES_AND_KEYS,
    SOFTMAX,
    WAYS,
    lengths,
    mixes,
    naive_scores,
)
from core.stages import Attention, Stage, stage
from core.ui import matrix_view
from core.ui.experiments.controls import choose
from core.ui.labels import dimension_names
from core.ui.page import Page
from core.ui.tables import number_table

SAYS = {
    AVERAGE: "Every token before it, and itself, counts the same: row i is the plain average of "
    "the first i tokens. No word can matter more than another.",
    DOT_PRODUCTS: "Let all embeddings meet each other, later ones too: long vectors that point the same "
    "way get a large number. Used as weights as they are, these sum to anything, and "
    "**vectors grow or shrink** with it.",
    SOFTMAX: "A softmax makes each row sum to 1: the lengths are tame again. But what a token looks for and "
    "what it is are still the same vector.",
    QUERIES_AND_KEYS: "What a token looks for (Q = X W_query) may now be something other than what it "
    "is found by (K = X W_key). What it looks at can be learned.",
    ATTENTION: "Scaled and masked as the toggles above say, and what is mixed is the values V = X W_value: "
    "this is the attention of the page.",
}
FORMULAS = {
    AVERAGE: r"\text{row } i:\ \tfrac{1}{i} \text{ for each of the first } i \text{ tokens} "
    r"\qquad \text{output} = \text{weights}\; X",
    DOT_PRODUCTS: r"\text{weights} = X X^{\top} \qquad \text{output} = X X^{\top} X",
    SOFTMAX: r"\text{weights} = \operatorname{softmax}(X X^{\top}) \qquad \text{output} = \text{weights}\; X",
    QUERIES_AND_KEYS: r"\text{weights} = \operatorname{softmax}(Q K^{\top}) "
    r"\qquad \text{output} = \text{weights}\; X",
}

AS_HIGH = r"\vphantom{\sqrt{d_k}}"  # as the highest of them, so that nothing below moves


def draw(page: Page, attention: Attention) -> None:
    """One of the five ways: its weights, what comes of them, and how long the vectors become."""
    way = choose("way", "Way to mix", WAYS)
    later = "" if way == ATTENTION else " The toggles above count only in step 5."
    with st.container(key="way-says"):
        st.markdown(SAYS[way].replace("W_", "W\\_") + later)
    st.markdown(rf"$\displaystyle {AS_HIGH}{FORMULAS.get(way) or _formula(attention)}$")
    x, tokens = page.inputs.matrices["embeddings"].values, attention.query_titles
    mix, are_shares = mixes(x, attention)[way], way != DOT_PRODUCTS
    values = page.inputs.column_names("W_value" if way == ATTENTION else "embeddings")
    seen = matrix_view.weights if are_shares else matrix_view.scores
    weights = stage(attention, "weights") if way == ATTENTION else seen(mix.weights, tokens, tokens)
    mixed, output = (matrix_view.vectors(of, tokens, values, "token") for of in (mix.mixed, mix.output))
    with st.grid(min_column_width=300, gap="small"):
        # What all ways have comes first, so that it stays in place.
        _matrix(page, "Weights", weights)
        _matrix(page, "Output", output)
        with st.container(gap="xxsmall"):
            _lengths(page, mix.mixed, mix.output, tokens, "value" if way == ATTENTION else "embedding")
        for title, matrix in _made_from(page, attention, way, mixed).items():
            _matrix(page, title, matrix)


def _made_from(page: Page, attention: Attention, way: str, mixed: Stage) -> dict[str, Stage]:
    """What the weights and the output of a way are computed from; mixed is what it mixes."""
    tokens, names = attention.query_titles, dimension_names(page.inputs)
    if way == ATTENTION:
        scaled = {name.capitalize(): stage(attention, name) for name in ("scaled", "masked")}
        return scaled | {"Values V": mixed}
    if way == QUERIES_AND_KEYS:
        return {
            "Q": matrix_view.vectors(attention.query, tokens, names, "token"),
            "K": matrix_view.vectors(attention.key, tokens, names, "token"),
            "Scores Q Kᵀ": matrix_view.scores(attention.steps.scores, tokens, tokens),
        }
    if way == SOFTMAX:
        products = matrix_view.scores(naive_scores(mixed.values), tokens, tokens)
        return {"Dot products X Xᵀ": products, "Embeddings X": mixed}
    return {"Embeddings X": mixed}


def _matrix(page: Page, title: str, matrix: Stage) -> None:
    with st.container(gap="xxsmall"):
        st.markdown(f"**{title}**")
        matrix_view.heatmap(page, title, matrix)


def _formula(attention: Attention) -> str:
    scale = r" / \sqrt{d_k}" if attention.scale else ""
    mask = " + M" if attention.causal else ""
    return (
        rf"\text{{weights}} = \operatorname{{softmax}}(Q K^{{\top}}{scale}{mask}) "
        r"\qquad \text{output} = \text{weights}\; V"
    )


def _lengths(page: Page, mixed: Array, output: Array, tokens: tuple[str, ...], what: str) -> None:
    """How long each vector was and has become."""
    before, after = lengths(mixed), lengths(output)
    most = readable(float(after.max()), page.decimals)
    st.markdown(
        f"**Lengths.** The longest output is {most}, the longest {what} "
        f"{readable(float(before.max()), page.decimals)}."
    )
    number_table(np.column_stack([before, after]), tokens, (what, "output"), page.decimals, "length of")
