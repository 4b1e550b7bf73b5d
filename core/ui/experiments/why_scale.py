"""Why scores are divided by sqrt(d_k): how far they spread as d_k grows, and what a softmax makes of it."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from core import draws, experiment_charts, explain
from core.attention import Array, softmax
from core.digits import counted, in_enough_digits, readable
from core.draws import MOST_DRAWN, MOST_WIDTH, Drawn, sharpness
from core.experiments import CONTROLS, NUMBERS_FROM, SEEDED
from core.markdown import verbatim
from core.recipes import LARGEST_SEED
from core.stages import Attention
from core.tolerances import ROUNDING
from core.ui.experiments.controls import choose, whole_number
from core.ui.page import Page
from core.ui.tables import number_table

MOST_SHOWN = 12  # columns of a drawn matrix


def draw(page: Page, attention: Attention) -> None:
    """The draw in question: its variances, its softmax, and beside them many draws of all widths."""
    with st.container(key="draws", gap="small"):
        _draw(page, attention)


def _draw(page: Page, attention: Attention) -> None:
    choice = st.container(
        key="draw-choice",
        horizontal=True,
        vertical_alignment="bottom" if page.presenting else "center",
        gap="small",
    )
    with choice:
        is_seeded = choose("draw", "Which numbers", NUMBERS_FROM) == SEEDED
        if is_seeded and not page.presenting:
            st.caption("Drawn for this experiment: the matrices of the page, at its end, stay as they are.")
    if is_seeded:
        fields = choice if page.presenting else st.container(horizontal=True, vertical_alignment="bottom")
        with fields:
            size = _size(page)
            st.button("Redraw", icon=":material/casino:", key="redraw", on_click=_redraw)
        found, seed = draws.drawn(**size), size["seed"]
        names = tuple(f"row {row}" for row in range(1, len(found.query) + 1))
    else:
        found = Drawn(attention.query, attention.key, attention.value)
        seed = int(CONTROLS["seed"].first)
        names = attention.query_titles
    scores = found.query @ found.key.T
    numbers, charts = st.columns([5, 7], gap="medium")
    with numbers:
        _variances(page, found, scores)
        _rows(page, scores, found.query.shape[1], names)
    with charts:
        _charts(scores, found.query.shape[1], seed)
    _numbers(page, found, size if is_seeded else None)


def _size(page: Page) -> dict[str, int]:
    """What a draw is made with; in the presenter view beside the choice, as there is room for that."""
    short = {name: label.partition(",")[0] for name, label in FIELDS.items()}
    labels, width = (short, 115) if page.presenting else (FIELDS, None)
    return {name: whole_number(name, label, width) for name, label in labels.items()}


FIELDS = {
    "tokens": f"Tokens L, up to {MOST_DRAWN}",
    "d_k": f"dₖ of Q and K, up to {MOST_WIDTH}",
    "d_v": f"dᵥ of V, up to {MOST_WIDTH}",
    "seed": "Seed",
}


def _redraw() -> None:
    st.session_state["seed"] = (st.session_state.get("seed", 0) + 1) % (LARGEST_SEED + 1)


def _variances(page: Page, found: Drawn, scores: Array) -> None:
    """Each measured variance beside the one to expect."""
    tokens, d_k = found.query.shape
    scaled = scores / math.sqrt(d_k)
    rows = {
        "Q": (found.query, 1.0),
        "K": (found.key, 1.0),
        "scores": (scores, float(d_k)),
        "scores / √dₖ": (scaled, 1.0),
    }
    if (
        found.value is not None and not page.presenting
    ):  # a hall would have to be told what a weighted average is
        weights = softmax(scaled)
        rows["V"] = found.value, 1.0
        rows["output"] = weights @ found.value, float((weights**2).sum(axis=1).mean())
    if page.presenting:
        why = f"Dividing it by √{d_k} divides its variance by {d_k}."
        st.markdown(f"**Variance.** A score adds up dₖ = {counted(d_k, 'product')}. {why}")
    else:
        of = "query and key" if tokens == 1 else "queries and keys"
        st.markdown(
            f"**Variance** of {tokens} {of} with dₖ = {d_k}. Each query sees every key, whatever the toggles."
        )
    number_table(
        np.array([[explain.variance(numbers), expected] for numbers, expected in rows.values()]),
        tuple(rows),
        ("measured", "expected if random"),
        page.decimals,
        "variance of",
    )
    of_few = (
        "The variance of a single score is 0."
        if tokens == 1
        else f"Measured around their own mean, {tokens**2} scores spread less, by 1/{tokens**2} on average."
    )
    of_output = " An output is a weighted average and spreads less: by the mean of Σ weight²."
    st.caption(
        "Expected of independent numbers around 0 with variance 1: a score adds up dₖ products, each of "
        f"variance 1. Dividing by √dₖ divides a variance by dₖ. {of_few}"
        f"{of_output if 'output' in rows else ''}"
    )


def _rows(page: Page, scores: Array, d_k: int, names: tuple[str, ...]) -> None:
    """How much the softmax of each row decides."""
    plain, scaled = sharpness(scores), sharpness(scores / math.sqrt(d_k))
    st.markdown(
        "**Softmax of each row, over all keys**: largest weight, and entropy in bits (0: one key has all)."
    )
    number_table(
        np.column_stack([plain.largest, scaled.largest, plain.entropy, scaled.entropy]),
        names,
        ("largest", "largest, scaled", "bits", "bits, scaled"),
        page.decimals,
        "query",
    )
    row = int(plain.largest.argmax())
    unscaled, divided = (_slope(float(s.largest[row]), page.decimals) for s in (plain, scaled))
    st.caption(
        f"The slope of a weight w, as the number in its softmax grows, is w × (1 − w). For the largest of "
        f"{verbatim(names[row])} that is {unscaled}, and scaled {divided}. Where it is near 0, other numbers "
        "give almost the same weights, "
        "and training, which follows these slopes, hardly moves (section 3.2.1 of the paper)."
    )


def _slope(weight: float, decimals: int) -> str:
    """How much a weight grows with its own score, with the numbers put in."""
    slope = weight * (1 - weight)
    shown = readable(slope if slope > ROUNDING else 0.0, decimals)
    (text,) = in_enough_digits([weight], [readable(weight, decimals)], lambda w: [w * (1 - w)], [shown])
    return f"{text} × (1 − {text}) ≈ **{shown}**"


def _charts(scores: Array, d_k: int, seed: int) -> None:
    tokens = min(max(len(scores), 2), MOST_DRAWN)
    spreads = draws.spreads(tokens, seed)
    beside_each_other = st.container(key="spreads").grid(min_column_width=260, gap="small")
    with beside_each_other.container(key="chart-variance", gap="xxsmall"):
        st.markdown("**Random draws**: variance ≈ dₖ, scaled ≈ 1")
        st.vega_lite_chart(
            experiment_charts.variance_data(spreads),
            experiment_charts.variance_spec(),
            height="stretch",
            alt="Variance of the scores against d_k: unscaled along d_k, scaled along 1",
        )
    with beside_each_other.container(key="chart-largest", gap="xxsmall"):
        st.markdown("**Random draws**: largest weight, mean")
        st.vega_lite_chart(
            experiment_charts.sharpness_data(spreads, "largest"),
            experiment_charts.sharpness_spec("largest weight", 1.0),
            height="stretch",
            alt="Mean largest weight of a row against d_k, unscaled and scaled",
        )
    with beside_each_other.container(key="chart-scores", gap="xxsmall"):
        these = "This score" if scores.size == 1 else f"These {scores.size} scores"
        st.markdown(f"**{these}**, and scaled")
        st.vega_lite_chart(
            experiment_charts.histogram_data(draws.histogram(scores, d_k)),
            experiment_charts.histogram_spec(),
            height="stretch",
            alt="Histogram of the scores, before and after scaling",
        )
    with beside_each_other.container(key="chart-entropy", gap="xxsmall"):
        st.markdown(f"**Random draws**: entropy, at most log₂ {tokens}")
        st.vega_lite_chart(
            experiment_charts.sharpness_data(spreads, "entropy"),
            experiment_charts.sharpness_spec("bits", math.log2(tokens)),
            height="stretch",
            alt="Mean entropy of a row in bits against d_k, unscaled and scaled",
        )
    st.caption(
        f"The charts over dₖ are of {draws.DRAWS} draws of {tokens} tokens for each width, with seed {seed}: "
        "a mark is the variance in one draw, a line what to expect of many tokens; the others are means of "
        "all rows."
    )


def _numbers(page: Page, found: Drawn, size: dict[str, int] | None) -> None:
    """The numbers behind it all, and how to draw the same ones."""
    panel = st.expander("The numbers drawn", key="drawn", bind="query-params")
    if not panel.open:
        return
    with panel:
        if size is None:
            st.markdown("These are the matrices of the page, with what you edited in them.")
        else:
            st.code(CODE.format(**size), language="python")
        for name, matrix in (("Q", found.query), ("K", found.key), ("V", found.value)):
            if matrix is None:
                continue
            width = matrix.shape[1]
            more = f", the first {MOST_SHOWN} of {width} columns" if width > MOST_SHOWN else ""
            st.markdown(f"**{name}**, {len(matrix)} × {width}{more}")
            number_table(
                matrix[:, :MOST_SHOWN],
                tuple(f"row {row}" for row in range(1, len(matrix) + 1)),
                tuple(f"{column}" for column in range(1, min(width, MOST_SHOWN) + 1)),
                page.decimals,
                "token",
            )


CODE = """rng = np.random.default_rng({seed})
Q = rng.standard_normal(({tokens}, {d_k}))
K = rng.standard_normal(({tokens}, {d_k}))
V = rng.standard_normal(({tokens}, {d_v}))"""
