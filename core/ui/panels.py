"""What only one page shows below its stages."""

from __future__ import annotations

import streamlit as st

from core.explain import variances
from core.matrices import rounded_text
from core.naive import naive_attention, running_average
from core.stages import Attention
from core.ui.stage_view import number_table
from core.ui.state import Page


def spread(page: Page, attention: Attention) -> None:
    """The variances of queries, keys and scores, before and after the division by sqrt(d_k)."""
    measured = variances(attention)
    width = attention.query.shape[1]
    st.markdown(
        f"**Variance** of all numbers in Q {_bold(measured['queries'], page)}, "
        f"in K {_bold(measured['keys'], page)}, in the scores {_bold(measured['scores'], page)}, "
        f"in scores / √{width} {_bold(measured['scaled'], page)}."
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
        st.markdown("**Naive scores** $X X^\\top$: embeddings meet each other, with no queries and keys.")
        number_table(scores, tokens, tokens, page.decimals, "token")
        st.markdown("**Naive mix** $X X^\\top X$: scores as weights, with no softmax. The vectors blow up.")
        number_table(mix, tokens, dimensions, page.decimals, "token")


def _bold(number: float, page: Page) -> str:
    return f"**{rounded_text(number, page.decimals)}**"
