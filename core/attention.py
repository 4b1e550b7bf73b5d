"""Scaled dot-product attention, one named step at a time.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, equation 1:

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

Names and meanings are those of PyTorch's function of the same name, but for softcap, which is ONNX's,
and temperature. Other than there, grouped queries need no enable_gqa, attn_mask and is_causal may be given
together, and what is masked contributes nothing even where it is no number. The last two axes of every
array are (tokens, width); any axes before them (batch, heads) broadcast. Nothing passed in is changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class AttentionSteps:
    """Every step of one attention, in the order in which it is computed.

    With Lq queries and Lk keys of width d_k, and values of width d_v:
    scores, scaled, masked and weights are (..., Lq, Lk); mask broadcasts to that and is what equation 1 adds,
    0 or -inf where it was boolean; output is (..., Lq, d_v), or None without values.
    """

    scores: Array
    scaled: Array
    mask: Array
    masked: Array
    weights: Array
    output: Array | None

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """True where a query may not look; of the shape of the mask."""
        return np.isneginf(self.mask)


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike | None = None,
    *,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float = 0.0,
    temperature: float = 1.0,
) -> AttentionSteps:
    """Let every query look at every key it may see, and mix the values by what it finds.

    query is (..., Lq, d_k), key (..., Lk, d_k), value (..., Lk, d_v). Fewer key heads than query
    heads (axis -3) are grouped queries: each key head serves a run of neighbouring query heads.
    A boolean attn_mask is True where a query may look, a float one is added; is_causal masks every
    key after the query. scale=None is 1/sqrt(d_k); softcap=c bends the scaled scores to
    c tanh(s/c), as in ONNX; temperature divides them.

    A query with every key masked has weights 0 and output 0. A masked place contributes nothing,
    even where it holds NaN or infinity.

    Raises ValueError where the shapes do not fit each other, naming them, where temperature is not above 0
    or softcap not a finite number from 0 on, and where a mask is neither boolean nor float.
    """
    q, k = _floats(query, key)
    v = None if value is None else _floats(value)[0]
    _check_shapes(q, k, v)
    k, v = _repeat_heads(k, q), None if v is None else _repeat_heads(v, q)
    if scale is None:
        scale = 1 / np.sqrt(q.shape[-1])
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, not {temperature}")
    if not 0 <= softcap < np.inf:
        raise ValueError(f"softcap must be a finite number from 0 on, not {softcap}")

    with np.errstate(invalid="ignore", over="ignore"):
        scores = q @ np.swapaxes(k, -1, -2)  # (..., Lq, Lk)
        scaled = scores * q.dtype.type(scale)  # (..., Lq, Lk)
        if softcap:
            scaled = float(softcap) * np.tanh(scaled / float(softcap))
        if temperature != 1:
            scaled = scaled / float(temperature)
        mask = _additive_mask(scores, attn_mask, is_causal)  # broadcasts to (..., Lq, Lk)
        masked = scaled  # (..., Lq, Lk)
        if attn_mask is not None or is_causal:
            masked = np.where(np.isneginf(mask), -np.inf, scaled + mask)
        weights = softmax(masked)  # (..., Lq, Lk), rows sum to 1
        output = None if v is None else _blend(weights, v, mask)  # (..., Lq, d_v)
    return AttentionSteps(scores, scaled, mask, masked, weights, output)


def softmax(x: ArrayLike, axis: int = -1) -> Array:
    """e^x divided by the sum of e^x along `axis`, with the largest x subtracted first.

    Subtracting changes no result, as e^(x-c) / sum e^(x-c) = e^x / sum e^x, but keeps e^x from
    overflowing. A row of nothing but -inf gives zeros, one that holds +inf or NaN gives NaN. Same shape as x.
    """
    (x,) = _floats(x)
    largest = x.max(axis=axis, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):  # inf - inf
        powers = x - np.where(np.isneginf(largest), 0, largest)
    np.exp(powers, out=powers)
    total = powers.sum(axis=axis, keepdims=True)
    powers /= np.where(total == 0, 1, total)
    return powers


def entropy(weights: Array) -> Array:
    """How far the weights of each query are spread, in bits (Shannon 1948, section 6).

    (..., Lq, Lk) gives (..., Lq): 0 where one key has all the weight, log2(Lk) where all keys have the same.
    """
    logarithms = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    bits: Array = np.abs((weights * logarithms).sum(axis=-1))
    return bits


def causal_mask(queries: int, keys: int | None = None) -> NDArray[np.bool_]:
    """(queries, keys) of booleans: query i may look at key j where j <= i."""
    return np.tri(queries, queries if keys is None else keys, dtype=bool)


def project(x: ArrayLike, weight: ArrayLike) -> Array:
    """X W: each row of x (..., T, d_in) turned into a query, key or value by weight (..., d_in, d_out).

    Section 3.2.2 of the paper. Raises ValueError, naming the shapes, where d_in differs.
    """
    x, weight = _floats(x, weight)
    if x.ndim < 2 or weight.ndim < 2 or x.shape[-1] != weight.shape[-2]:
        raise ValueError(
            f"X {x.shape} and W {weight.shape} cannot be multiplied: W needs one row for each column of X"
        )
    return x @ weight  # (..., T, d_out)


def _floats(*arrays: ArrayLike) -> tuple[Array, ...]:
    """The arrays as floats of one precision, at least single."""
    given = [np.asarray(array) for array in arrays]
    dtype = np.result_type(np.float32, *given)
    return tuple(array.astype(dtype, copy=False) for array in given)


def _check_shapes(q: Array, k: Array, v: Array | None) -> None:
    for name, array in (("query", q), ("key", k), ("value", v)):
        if array is not None and array.ndim < 2:
            raise ValueError(f"{name} {array.shape} needs two axes: tokens and width")
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(
            f"query {q.shape} and key {k.shape} need the same width d_k, at least 1, as their last axis"
        )
    if v is not None and k.shape[-2] != v.shape[-2]:
        raise ValueError(f"key {k.shape} and value {v.shape} need the same number of tokens")
    arrays = {"query": q, "key": k} | ({} if v is None else {"value": v})
    try:
        np.broadcast_shapes(*(_repeat_heads(array, q).shape[:-2] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"the axes before the last two do not fit each other: {shapes}") from None


def _repeat_heads(array: Array, q: Array) -> Array:
    """Repeat each of fewer key (or value) heads for its group of query heads, where there are groups."""
    heads, groups = (array.shape[-3:-2] or (1,))[0], (q.shape[-3:-2] or (1,))[0]
    if heads <= 1 or groups <= heads or groups % heads:
        return array
    return np.repeat(array, groups // heads, axis=-3)


def _additive_mask(scores: Array, attn_mask: ArrayLike | None, is_causal: bool) -> Array:
    mask: Array = np.broadcast_to(scores.dtype.type(0), scores.shape[-2:])  # takes no room
    if attn_mask is not None:
        given = np.asarray(attn_mask)
        if given.dtype != bool and not np.issubdtype(given.dtype, np.floating):
            raise ValueError(f"attn_mask must be boolean or float, not {given.dtype}")
        try:
            fits = np.broadcast_shapes(given.shape, scores.shape) == scores.shape
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"attn_mask {given.shape} does not fit scores {scores.shape}")
        mask = mask + _as_added(given, mask.dtype)
    if is_causal:
        mask = np.where(causal_mask(*scores.shape[-2:]), mask, -np.inf)
    return mask


def _as_added(given: NDArray[Any], dtype: np.dtype[Any]) -> Array:
    """A mask as what is added: a boolean one is 0 or -inf, a float one stays finite in this precision."""
    if given.dtype == bool:
        return np.where(given, 0, -np.inf).astype(dtype)
    limits = np.finfo(dtype)
    return np.where(np.isfinite(given), np.clip(given, limits.min, limits.max), given).astype(dtype)


def _blend(weights: Array, v: Array, mask: Array) -> Array:
    """weights V, (..., Lq, d_v), in which a masked value counts for nothing."""
    if np.isfinite(v).all():
        return weights @ v
    terms = weights[..., None] * v[..., None, :, :]  # (..., Lq, Lk, d_v)
    blended: Array = np.where(np.isneginf(mask)[..., None], 0, terms).sum(axis=-2)
    return blended
