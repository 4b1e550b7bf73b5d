"""What one might try before queries and keys: the embeddings mixed by a plain average, or by themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.attention import Array


def running_average(x: ArrayLike) -> Array:
    """(T, d): row i is the plain average of tokens 0 to i, in which each of them counts the same."""
    x = np.asarray(x, float)
    counts = np.arange(1, len(x) + 1)[:, None]  # (T, 1)
    average: Array = np.cumsum(x, axis=0) / counts  # (T, d)
    return average


def naive_attention(x: ArrayLike) -> tuple[Array, Array]:
    """The scores X X^T (T, T) used as weights as they are, without a softmax, and the mix X X^T X (T, d)."""
    x = np.asarray(x, float)
    scores: Array = x @ x.T
    return scores, scores @ x
