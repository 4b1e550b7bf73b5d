"""What only one page shows below its stages."""

from __future__ import annotations

import math

import streamlit as st

from core.digits import in_enough_digits, readable
from core.explain import variances
from core.stages import Attention
from core.ui.page import Page


def spread(page: Page, attention: Attention) -> float:
    """The variances of queries, keys and scores, before and after the division by sqrt(d_k).

    Returns the scores' over what it is for independent numbers, NaN where that is 0.
    """
    measured = variances(attention)
    width = attention.query.shape[1]
    q, k, scores, scaled = (
        readable(measured[n], page.decimals) for n in ("queries", "keys", "scores", "scaled")
    )
    variance_q, variance_k = measured["queries"], measured["keys"]
    expected = width * variance_q * variance_k
    product = readable(expected, page.decimals)
    factors = in_enough_digits((variance_q, variance_k), (q, k), lambda a, b: [width * a * b], [product])
    st.markdown(
        f"**Variance** of all numbers: **{q}** in Q, **{k}** in K, **{scores}** in the scores, and "
        f"**{scaled}** in the scores divided by √{width}. For independent numbers around 0, that of the "
        f"scores is about dₖ times Q’s times K’s: {' × '.join([str(width), *factors])} ≈ {product}."
    )
    return measured["scores"] / expected if expected else math.nan
