"""Several heads: queries, keys and values cut into groups of columns that attend on their own.

Source: Vaswani et al. (2017), section 3.2.2: MultiHead = Concat(head_1, ..., head_h) W^O, with
d_k = d_model / h for each head. Here W^O is left out, so that every number stays one that can be followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.attention import Array, AttentionSteps, scaled_dot_product_attention
from core.stages import Attention

MOST_HEADS = 8


def split(x: Array, heads: int) -> Array:
    """(T, heads * width) as (heads, T, width): each head gets its own run of columns.

    Raises ValueError where the columns cannot be shared out evenly.
    """
    return np.swapaxes(x.reshape(len(x), heads, -1), 0, 1)


def joined(x: Array) -> Array:
    """(heads, T, width) as (T, heads * width): the outputs side by side, the first head's first."""
    return np.swapaxes(x, 0, 1).reshape(x.shape[1], -1)


def possible_heads(attention: Attention) -> tuple[int, ...]:
    """The numbers of heads that split the columns of queries and keys evenly."""
    return tuple(h for h in range(1, MOST_HEADS + 1) if attention.query.shape[1] % h == 0)


@dataclass(frozen=True, eq=False)
class Heads:
    """Every step with a leading axis of heads, d_k of one head, and the outputs side by side (T, d_v).

    The outputs are None without values, and where the heads cannot share the columns of the values evenly.
    """

    steps: AttentionSteps
    d_k: int
    output: Array | None


def attend_in_heads(attention: Attention, heads: int) -> Heads:
    """The attention of a page as defined, cut into heads, with its mask and its choice of scaling.

    What a what-if changes beside these is left out. Raises ValueError where the heads do not split the
    columns of queries and keys evenly (possible_heads).
    """
    if attention.query.shape[1] % heads:
        raise ValueError(f"{heads} heads do not split {attention.query.shape[1]} columns evenly")
    query, key = split(attention.query, heads), split(attention.key, heads)
    value = attention.value
    if value is not None:
        value = split(value, heads) if value.shape[1] % heads == 0 else None
    steps = scaled_dot_product_attention(
        query, key, value, attn_mask=attention.steps.mask, scale=None if attention.scale else 1.0
    )
    return Heads(steps, query.shape[-1], None if steps.output is None else joined(steps.output))
