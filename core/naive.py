"""From an average to attention: five ways to mix tokens, each with its weights and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.attention import Array, softmax
from core.stages import Attention

AVERAGE, DOT_PRODUCTS, SOFTMAX, QUERIES_AND_KEYS, ATTENTION = WAYS = (
    "1 average",
    "2 dot products",
    "3 softmax",
    "4 queries and keys",
    "5 attention",
)


@dataclass(frozen=True, eq=False)
class Mix:
    """weights (T, T), what they mix (T, d), and the output weights @ mixed (T, d)."""

    weights: Array
    mixed: Array

    @property
    def output(self) -> Array:
        output: Array = self.weights @ self.mixed
        return output


def average_weights(tokens: int) -> Array:
    """(T, T): row i gives each of the tokens 0 to i the same, and later ones nothing."""
    allowed = np.tri(tokens)
    weights: Array = allowed / allowed.sum(axis=1, keepdims=True)
    return weights


def naive_scores(x: ArrayLike) -> Array:
    """X X^T (T, T): the dot product of every two embeddings."""
    x = np.asarray(x, float)
    scores: Array = x @ x.T
    return scores


def mixes(x: ArrayLike, attention: Attention) -> dict[str, Mix]:
    """All of WAYS, for embeddings X (T, d_model) and the attention that is made of them.

    The last one is the attention itself, with its scaling, its mask and its values; the one before has
    neither, and still mixes embeddings. Raises ValueError where there are no values.
    """
    x = np.asarray(x, float)
    if attention.value is None:
        raise ValueError("there is no attention without values to end at")
    return {
        AVERAGE: Mix(average_weights(len(x)), x),
        DOT_PRODUCTS: Mix(naive_scores(x), x),
        SOFTMAX: Mix(softmax(naive_scores(x)), x),
        QUERIES_AND_KEYS: Mix(softmax(attention.steps.scores), x),
        ATTENTION: Mix(attention.steps.weights, attention.value),
    }


def lengths(vectors: ArrayLike) -> Array:
    """The length (Euclidean norm) of each row, (T,)."""
    norms: Array = np.linalg.norm(np.asarray(vectors, float), axis=1)
    return norms
