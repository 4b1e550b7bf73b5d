"""What only one page shows below its stages."""

from __future__ import annotations

import streamlit as st

from core.explain import variances
from core.matrices import rounded_text
from core.stages import Attention
from core.ui.state import Page


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
