"""Three ways to write the same scores, and how far apart their numbers are.

The paper stores a row for each token (T, C) and writes Q K^T; many lectures store a column for each token
(C, T) and write Q^T K, or name the axes: einsum('it,if->ft', K, Q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.attention import Array

PAPER, LECTURE, EINSUM = WRITINGS = ("Q Kᵀ", "Qᵀ K", "einsum")


@dataclass(frozen=True, eq=False)
class Writing:
    """One way to write the scores (Lq, Lk), and the line of NumPy that computes them from what is stored."""

    stored_query: Array
    stored_key: Array
    code: str
    scores: Array


def written(query: Array, key: Array) -> dict[str, Writing]:
    """All three ways; query is (Lq, d_k) and key (Lk, d_k), as the paper stores them."""
    q, k = np.ascontiguousarray(query.T), np.ascontiguousarray(key.T)  # (d_k, Lq), (d_k, Lk)
    return {
        PAPER: Writing(query, key, "scores = Q @ K.T", query @ key.T),
        LECTURE: Writing(q, k, "scores = Q.T @ K", q.T @ k),
        EINSUM: Writing(q, k, "scores = np.einsum('it,if->ft', K, Q)", np.einsum("it,if->ft", k, q)),
    }
