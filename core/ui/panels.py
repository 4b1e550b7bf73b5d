"""What only one page shows below its stages."""

from __future__ import annotations

import streamlit as st

from core.explain import variances
from core.matrices import rounded_text
from core.naive import naive_attention, running_average
from core.stages import Attention
from core.ui.state import Page
from core.ui.tables import number_table


def spread(page: Page, attention: Attention) -> None:
    """The variances of queries, keys and scores, before and after the division by sqrt(d_k)."""
    measured = variances(attention)
    width = attention.query.shape[1]
    q, k, scores, scaled = (
        rounded_text(measured[n], page.decimals) for n in ("queries", "keys", "scores", "scaled")
    )
    product = rounded_text(width * measured["queries"] * measured["keys"], page.decimals)
    st.markdown(
        f"**Variance** of all numbers in Q **{q}**, in K **{k}**, in the scores **{scores}**, "
        f"in the scores / √{width} **{scaled}**. For independent numbers around 0, the scores’ is about "
        f"dₖ times Q’s times K’s: {width} × {q} × {k} ≈ {product}."
    )


def before_attention(page: Page, attention: Attention) -> None:
    """Averages of the embeddings and naive attention, as one might try them before queries and keys."""
    panel = st.expander("Before queries and keys: averages and X Xᵀ", key="before", on_change="rerun")
    if not panel.open:
        return
    x = page.inputs.matrices["embeddings"].values
    tokens, dimensions = page.inputs.row_names("embeddings"), page.inputs.column_names("embeddings")
    scores, mix = naive_attention(x)
    with panel:
        st.markdown("**Plain average** of each token and all before it: every token counts the same.")
        number_table(running_average(x), tokens, dimensions, page.decimals, "up to")
        st.markdown("**Naive scores** $X X^\\top$, a row for each token: embeddings meet each other.")
        number_table(scores, tokens, tokens, page.decimals, "token")
        st.markdown(
            "**Naive mix** $X X^\\top X$: scores as weights, with no softmax and no mask. Vectors blow up."
        )
        number_table(mix, tokens, dimensions, page.decimals, "token")
