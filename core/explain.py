"""Where one number comes from: the sums behind it, term by term, in the numbers that were used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.attention import Array
from core.stages import WEIGHT_OF, Attention, StageName


@dataclass(frozen=True)
class Term:
    """left times right, and what the two have in common: a dimension, or a token."""

    name: str
    left: float
    right: float

    @property
    def product(self) -> float:
        return self.left * self.right


@dataclass(frozen=True)
class SumOfProducts:
    """A sum of products, and the total that the matrices hold."""

    terms: tuple[Term, ...]
    total: float


def score(attention: Attention, query: int, key: int) -> SumOfProducts:
    """The dot product q . k of one query and one key, dimension by dimension (equation 1, Q K^T)."""
    names = attention.inputs.column_names("W_query" if "W_query" in attention.inputs.matrices else "queries")
    return _sum(names, attention.query[query], attention.key[key], attention.steps.scores[query, key])


def projection(attention: Attention, name: StageName, row: int, column: int) -> SumOfProducts:
    """One entry of a query, key or value: an embedding times a column of its W."""
    matrices = attention.inputs.matrices
    made = {"queries": attention.query, "keys": attention.key, "values": attention.value}[name]
    if made is None:
        raise ValueError(f"there are no {name}")
    names = attention.inputs.column_names("embeddings")
    weight = matrices[WEIGHT_OF[name]].values
    token = row + (attention.first_query if name == "queries" else 0)
    return _sum(names, matrices["embeddings"].values[token], weight[:, column], made[row, column])


def output(attention: Attention, query: int, column: int) -> SumOfProducts:
    """One entry of the output: each weight of the query's row times that entry of the key's value."""
    if attention.value is None or attention.steps.output is None:
        raise ValueError("there is no output without values")
    weights, column_of_values = attention.steps.weights[query], attention.value[:, column]
    return _sum(attention.key_names, weights, column_of_values, attention.steps.output[query, column])


@dataclass(frozen=True)
class SoftmaxShare:
    """e^(masked score) and its share of the row's sum.

    Where e^largest is too large or too small to be held, it is divided out of both.
    """

    masked: float
    exponential: float
    row_sum: float
    weight: float
    largest_subtracted: float


def softmax_share(attention: Attention, query: int, key: int) -> SoftmaxShare:
    """How a masked score became a weight: its exponential over the sum of its row."""
    row = attention.steps.masked[query]
    largest = float(row.max())
    subtracted = 0.0 if -300 <= largest <= 700 or np.isinf(largest) else largest
    exponentials = np.exp(row - subtracted)
    return SoftmaxShare(
        masked=float(row[key]),
        exponential=float(exponentials[key]),
        row_sum=float(exponentials.sum()),
        weight=float(attention.steps.weights[query, key]),
        largest_subtracted=subtracted,
    )


@dataclass(frozen=True, eq=False)
class SoftmaxRow:
    """The softmax of one query, key by key: every array is (Lk,).

    shifted is masked minus its largest; exponential is e^shifted; share is exponential over total.
    """

    score: Array
    scaled: Array
    masked: Array
    shifted: Array
    exponential: Array
    total: float
    share: Array


def softmax_row(attention: Attention, query: int) -> SoftmaxRow:
    """How one query's scores become its weights, as core.attention.softmax computes it."""
    steps = attention.steps
    masked = steps.masked[query]
    shifted = masked - masked.max()
    exponential = np.exp(shifted)
    return SoftmaxRow(
        score=steps.scores[query],
        scaled=steps.scaled[query],
        masked=masked,
        shifted=shifted,
        exponential=exponential,
        total=float(exponential.sum()),
        share=steps.weights[query],
    )


@dataclass(frozen=True, eq=False)
class Blend:
    """One query's output as a blend: weights (Lk,), products weight x value row (Lk, d_v), output (d_v,)."""

    weights: Array
    products: Array
    output: Array


def blend(attention: Attention, query: int) -> Blend:
    """Each weight of the query's row times the whole value of its key; the sum is the query's output."""
    if attention.value is None or attention.steps.output is None:
        raise ValueError("there is no output without values")
    weights = attention.steps.weights[query]
    return Blend(weights, weights[:, None] * attention.value, attention.steps.output[query])


def _sum(names: tuple[str, ...], left: Array, right: Array, total: float) -> SumOfProducts:
    terms = tuple(Term(name, float(a), float(b)) for name, a, b in zip(names, left, right, strict=True))
    return SumOfProducts(terms, float(total))


def variances(attention: Attention) -> dict[str, float]:
    """The variance of all numbers in queries, keys, scores, and scores / sqrt(d_k).

    For independent entries of mean 0 and variance 1, q . k has variance d_k (the paper's footnote 4).
    """
    scores = attention.steps.scores
    measured = {
        "queries": attention.query,
        "keys": attention.key,
        "scores": scores,
        "scaled": scores / np.sqrt(attention.query.shape[1]),
    }
    return {name: float(np.var(numbers)) for name, numbers in measured.items()}
