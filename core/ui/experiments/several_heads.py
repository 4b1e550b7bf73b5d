"""Several heads: the columns of Q, K and V in groups, each of which attends on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from core.digits import apart
from core.heads import MOST_HEADS, Heads, attend_in_heads, joined, possible_heads
from core.markdown import verbatim
from core.matrices import MOST_COLUMNS
from core.stages import Attention, Stage, column_axis, column_names
from core.ui import matrix_view
from core.ui.experiments.controls import pick
from core.ui.labels import dimension_names, heads_label
from core.ui.page import Page

MOST_NAMED = 4
MOST_ROWS_LARGE = 6  # of a heatmap that a slide shows larger
THEN = " The paper then multiplies the outputs, side by side, by one more matrix W_O; this page has none."


def draw(page: Page, attention: Attention) -> None:
    """The number of heads, the weights of each, and their outputs side by side."""
    options = list(possible_heads(attention))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = pick("heads", "Heads h", options, heads_label, options[0])
        found = attend_in_heads(attention, heads)
        st.markdown(_formula(attention, found, heads), width="content")
    if missing := _missing(page, attention, options, heads):
        st.markdown(missing)
    with st.container(key="heads-large" if _has_room(attention, found, heads) else None, gap="small"):
        beside_each_other = st.grid(min_column_width=300, gap="small")
        for head in range(heads):
            with beside_each_other.container(gap="xxsmall"):
                st.markdown(_columns(page, attention, found, head))
                matrix_view.heatmap(page, f"weights of head {head + 1}", _weights_of(attention, found, head))
        if found.output is not None:
            with beside_each_other if heads == 1 else st.grid(min_column_width=400):
                _outputs(page, attention, found, heads)
    one = attend_in_heads(attention, 1)
    same = apart(joined(one.steps.weights), attention.steps.weights)
    st.caption(
        f"One head is the attention of this page: computed both ways, its weights differ by {same}."
        + ("" if found.output is None else THEN)
    )


def _has_room(attention: Attention, found: Heads, heads: int) -> bool:
    """Whether a slide has room for larger heatmaps: two at most, beside each other, of few rows."""
    drawn = heads if found.output is None else 2 * heads
    return drawn <= 2 and len(attention.query) <= MOST_ROWS_LARGE


def _formula(attention: Attention, found: Heads, heads: int) -> str:
    d_k = attention.query.shape[1]
    root = rf" / \sqrt{{{found.d_k}}}" if attention.scale else ""
    mask = " + M" if attention.causal else ""
    made, value = ("weights", "") if found.output is None else ("head", r"\; V_i")
    latex = rf"\text{{{made}}}_i = \operatorname{{softmax}}(Q_i K_i^{{\top}}{root}{mask}){value}"
    return (
        f"${latex}$ &emsp; dₖ, the columns of Q and K that a head has, is {d_k} / {heads} = **{found.d_k}**."
    )


def _missing(page: Page, attention: Attention, options: list[int], heads: int) -> str:
    """Why there is only one head to choose, or no output."""
    d_k, value = attention.query.shape[1], attention.value
    if len(options) == 1:
        columns = "one column" if d_k == 1 else f"{d_k} columns"
        several = f"Q and K have {columns}, which 2 to {MOST_HEADS} heads cannot share evenly."
        return several if page.presenting else f"{several} Names and sizes adds some."
    if value is not None and (rest := value.shape[1] % heads):
        more, fewer = value.shape[1] + heads - rest, value.shape[1] - rest
        where = "" if page.presenting else ", set under Names and sizes"
        there_are = "there is one" if value.shape[1] == 1 else f"there are {value.shape[1]}"
        return (
            f"{heads} heads cannot share the columns of V evenly, as {there_are}: "
            "these are their weights, without an output. "
            f"If V had {more if more <= MOST_COLUMNS else fewer} columns{where}, there would be one."
        )
    return ""


def _columns(page: Page, attention: Attention, found: Heads, head: int) -> str:
    """Which columns a head has."""
    of_keys = _named(dimension_names(page.inputs), found.d_k, head)
    if found.steps.output is None:
        return f"**Head {head + 1}**: {of_keys}"
    values = column_names(page.inputs, "values")
    of_values = _named(values, found.steps.output.shape[-1], head)
    return f"**Head {head + 1}**: {of_keys} of Q and K, {of_values} of V"


def _named(names: tuple[str, ...], width: int, head: int) -> str:
    own = names[head * width : (head + 1) * width]
    shown = own if len(own) <= MOST_NAMED else (own[0], "…", own[-1])
    return ", ".join("…" if name == "…" else verbatim(name) for name in shown)


def _weights_of(attention: Attention, found: Heads, head: int) -> Stage:
    hidden = np.broadcast_to(found.steps.hidden, attention.steps.weights.shape)
    names = attention.query_titles, attention.key_titles
    return Stage("weights", found.steps.weights[head], *names, "query", "key", hidden, 1.0, are_shares=True)


def _outputs(page: Page, attention: Attention, found: Heads, heads: int) -> None:
    """What the heads give, side by side, and what one head would give."""
    values = column_axis(page.inputs, "values")
    outputs = {"**Output of one head**, as in the stages of this page": attention.steps.output}
    if heads > 1:
        outputs = {f"**Output of {heads} heads**, side by side": found.output} | outputs
    shown = {
        title: matrix_view.vectors(output, attention.query_titles, values.names, "query", values.title)
        for title, output in outputs.items()
        if output is not None
    }
    bound = max(matrix.bound for matrix in shown.values())
    for title, matrix in shown.items():
        with st.container(gap="xxsmall"):
            st.markdown(title)
            matrix_view.heatmap(page, title.replace("*", ""), replace(matrix, bound=bound))
