"""How an attention is computed: by the paper's rules, or by others that one might take for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.attention import Array, AttentionSteps, scaled_dot_product_attention, softmax

Masking = Literal["minus infinity", "zero", "after", "after, divided again"]


@dataclass(frozen=True)
class Rules:
    """As they are by default, with divide_by = d_k, these are the rules of the paper's equation 1.

    The scores are multiplied by times, and divided by the square root of divide_by (1 for no scaling), which
    divisor names, and by the temperature. masking is what a masked score becomes: minus infinity, or 0; or
    the mask comes after the softmax, whose rows may then be divided again by what is left of them.
    """

    divide_by: int
    divisor: Literal["d_k", "d_model"] = "d_k"
    times: float = 1.0
    temperature: float = 1.0
    softmax_over: Literal["keys", "queries"] = "keys"
    subtract_largest: bool = True
    masking: Masking = "minus infinity"

    @property
    def has_paper_softmax(self) -> bool:
        """Whether scores become weights as in the paper, whatever they were divided by."""
        return self.softmax_over == "keys" and self.subtract_largest and self.masking == "minus infinity"

    @property
    def masks_after_softmax(self) -> bool:
        return self.masking in ("after", "after, divided again")


def compute(
    query: Array, key: Array, value: Array | None, hidden: NDArray[np.bool_], rules: Rules
) -> AttentionSteps:
    """Every step by these rules, for query (Lq, d_k), key (Lk, d_k) and value (Lk, d_v) or None.

    hidden (Lq, Lk) is True where a query may not look. Raises ValueError for shapes that do not fit.
    """
    scale = rules.times / np.sqrt(rules.divide_by)
    right = scaled_dot_product_attention(
        query, key, value, attn_mask=~hidden, scale=scale, temperature=rules.temperature
    )
    if rules.has_paper_softmax:
        return right
    masked = {
        "minus infinity": right.masked,
        "zero": np.where(hidden, 0.0, right.scaled),
        "after": right.scaled,
        "after, divided again": right.scaled,
    }[rules.masking]  # (Lq, Lk)
    axis = -1 if rules.softmax_over == "keys" else -2
    weights = softmax(masked, axis) if rules.subtract_largest else plain_softmax(masked, axis)  # (Lq, Lk)
    if rules.masks_after_softmax:
        weights = np.where(hidden, 0.0, weights)
    if rules.masking == "after, divided again":
        with np.errstate(invalid="ignore"):  # 0 / 0 where all the weight went to masked keys
            weights = weights / weights.sum(axis=-1, keepdims=True)
    output = None if value is None else weights @ value  # (Lq, d_v)
    return AttentionSteps(right.scores, right.scaled, right.mask, masked, weights, output)


def plain_softmax(x: Array, axis: int = -1) -> Array:
    """e^x over its sum along axis, with no maximum subtracted. Same shape as x, (Lq, Lk).

    NaN where e^x overflows (x above 709.78), and where each e^x of a sum is too small for a number (x below
    -745.13): infinity over infinity, and 0 over 0, are none. 0 where the sum alone overflows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(x)
        shares: Array = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return shares
