"""Queries and keys as arrows in a plane, and what becomes of a weight when its key grows longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.attention import Array, softmax


@dataclass(frozen=True, eq=False)
class Plane:
    """Two directions (d_k, 2) of length 1 to look along."""

    directions: Array

    def kept(self, vectors: Array) -> float:
        """The share of the squared lengths of vectors (n, d_k) that is in it; of zeros, nothing is lost."""
        largest = np.abs(vectors).max(initial=0)
        if not largest:
            return 1.0
        vectors = vectors / largest  # squares of numbers near the ends of float64 would be 0 or infinity
        return float((self.flat(vectors) ** 2).sum() / (vectors**2).sum())

    def flat(self, vectors: Array) -> Array:
        """(n, d_k) as they look in the plane, (n, 2). The origin stays where it is."""
        return vectors @ self.directions


def of_dimensions(vectors: Array, across: int, up: int) -> Plane:
    """The plane of two dimensions of vectors (n, d_k); of one alone, it has no height."""
    directions = np.zeros((vectors.shape[1], 2))
    directions[across, 0] = 1
    if up != across:
        directions[up, 1] = 1
    return Plane(directions)


def best_plane(vectors: Array) -> Plane:
    """The plane through the origin that keeps the most of the squared lengths of vectors (n, d_k).

    Its directions are the first two right singular vectors, each turned so that its largest entry is
    positive. Nothing is centred, as arrows begin at the origin, and so do dot products. Source: Eckart and
    Young (1936), "The approximation of one matrix by another of lower rank".
    """
    components = np.linalg.svd(vectors, full_matrices=True)[2][:2]  # (2, d_k), or (1, 1) where d_k = 1
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1, keepdims=True), axis=1)
    directions = np.zeros((vectors.shape[1], 2))
    directions[:, : len(components)] = (components * np.where(largest < 0, -1, 1)).T
    return Plane(directions)


@dataclass(frozen=True, eq=False)
class Stretched:
    """A query's row with one key made longer: its scores, masked scores and weights, each (Lk,)."""

    scores: Array
    masked: Array
    weights: Array


def stretched(scores: Array, masked: Array, scale: float, key: int, times: float) -> Stretched:
    """One query's row (Lk,) after its key has become `times` as long at the same angle: so does its score.

    scale is what scores are multiplied by before the softmax; a masked score of -inf stays.
    """
    new, new_masked = scores.copy(), masked.copy()
    new[key] = scores[key] * times
    if np.isfinite(masked[key]):
        new_masked[key] = new[key] * scale
    return Stretched(new, new_masked, softmax(new_masked))
