"""Random queries, keys and values, and how far their scores spread as d_k grows.

Source: Vaswani et al. (2017), footnote 4: for independent components of mean 0 and variance 1, q . k has
variance d_k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention import Array, entropy, softmax
from core.caching import made_once
from core.stages import magnitude

MOST_DRAWN, MOST_WIDTH = 64, 512
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
DRAWS = 20  # for each width
BINS = 48


@dataclass(frozen=True, eq=False)
class Drawn:
    """Standard normal queries and keys (L, d_k), and values (L, d_v), where there are any."""

    query: Array
    key: Array
    value: Array | None


@lru_cache(maxsize=16)
def drawn(tokens: int, d_k: int, d_v: int, seed: int) -> Drawn:
    """The numbers of a seed, always the same: Q, then K, then V, from NumPy's default_rng."""
    rng = np.random.default_rng(seed)
    made = [rng.standard_normal((tokens, width)) for width in (d_k, d_k, d_v)]
    for numbers in made:
        numbers.flags.writeable = False
    return Drawn(*made)


@dataclass(frozen=True, eq=False)
class Sharpness:
    """How much a softmax decides: the largest weight of each row, and its entropy in bits; each (..., L)."""

    largest: Array
    entropy: Array


def sharpness(scores: Array) -> Sharpness:
    """How sharp the softmax over the last axis of scores (..., L, L) is, for each row."""
    weights = softmax(scores)
    return Sharpness(weights.max(axis=-1), entropy(weights))


@dataclass(frozen=True, eq=False)
class Spread:
    """Many draws of one width: the variance of the scores of each, (draws,), and means over all their rows.

    The means are (2,): of the scores as they are, and divided by sqrt(d_k).
    """

    width: int
    variances: Array
    scaled_variances: Array
    largest: tuple[float, float]
    entropy: tuple[float, float]


@made_once(most=16)
def spreads(tokens: int, seed: int) -> tuple[Spread, ...]:
    """DRAWS draws of L tokens for each of WIDTHS, from the draws of one seed."""
    rng = np.random.default_rng(seed)
    return tuple(_spread(rng, tokens, width) for width in WIDTHS)


def _spread(rng: np.random.Generator, tokens: int, width: int) -> Spread:
    scores = _scores(rng, tokens, width, DRAWS)  # (draws, L, L)
    scaled = scores / np.sqrt(width)
    sharp = [sharpness(scores), sharpness(scaled)]
    variances = scores.var(axis=(1, 2)), scaled.var(axis=(1, 2))
    for numbers in variances:
        numbers.flags.writeable = False
    return Spread(
        width,
        *variances,
        (float(sharp[0].largest.mean()), float(sharp[1].largest.mean())),
        (float(sharp[0].entropy.mean()), float(sharp[1].entropy.mean())),
    )


def _scores(rng: np.random.Generator, tokens: int, width: int, draws: int) -> Array:
    query, key = rng.standard_normal((2, draws, tokens, width))
    scores: Array = query @ np.swapaxes(key, 1, 2)  # (draws, L, L)
    return scores


@dataclass(frozen=True, eq=False)
class Histogram:
    """The middles of bins (BINS,), and the shares of scores within each, as they are and scaled."""

    middles: Array
    shares: Array
    scaled_shares: Array


def histogram(scores: Array, d_k: int) -> Histogram:
    """How often which score comes up, before and after dividing by sqrt(d_k), in the same bins."""
    largest = magnitude(scores) or 1.0
    edges = np.linspace(-largest, largest, BINS + 1)
    before, after = (np.histogram(s, edges)[0] / s.size for s in (scores, scores / np.sqrt(d_k)))
    return Histogram((edges[:-1] + edges[1:]) / 2, before, after)
