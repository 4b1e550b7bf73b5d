"""A dictionary that is asked softly: every key answers, as much as it fits. Or hard: the best key alone."""

from __future__ import annotations

import numpy as np

from core.attention import Array
from core.tolerances import ROUNDING


def hard_weights(scores: Array) -> Array:
    """1 for the best key of each row of scores (..., Lk), 0 for all others; equally good ones share the 1.

    What the softmax becomes as its temperature goes to 0. Scores that differ by a rounding are equally good.
    A row of nothing but -inf gives zeros.
    """
    rounding = ROUNDING * np.abs(scores, where=np.isfinite(scores), out=np.zeros_like(scores))
    least = scores.max(axis=-1, keepdims=True) - rounding.max(axis=-1, keepdims=True)
    best = (scores >= least) & ~np.isneginf(scores)
    weights: Array = best / np.maximum(best.sum(axis=-1, keepdims=True), 1)
    return weights


def blended(one: Array, other: Array, share: float) -> Array:
    """A query between two others: share 0 is the one, share 1 the other."""
    between: Array = (1 - share) * one + share * other
    return between


def all_equal(values: Array) -> Array:
    """Values (Lk, d_v) that are all the same row: the mean of what they were."""
    return np.broadcast_to(values.mean(axis=0), values.shape)
