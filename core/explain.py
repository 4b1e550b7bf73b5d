"""Where one number comes from: the sums behind it, term by term, in the numbers that were used."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.attention import Array
from core.stages import WEIGHT_OF, Attention, StageName, column_names
from core.tolerances import ROUNDING


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
    names = column_names(attention.inputs, "queries")
    return _sum(names, attention.query[query], attention.key[key], attention.steps.scores[query, key])


def projection(attention: Attention, name: StageName, row: int, column: int) -> SumOfProducts:
    """One entry of a query, key or value: an embedding times a column of its W.

    Raises ValueError where there are no such vectors.
    """
    matrices = attention.inputs.matrices
    made = {"queries": attention.query, "keys": attention.key, "values": attention.value}[name]
    if made is None:
        raise ValueError(f"there are no {name}")
    names = attention.inputs.column_names("embeddings")
    weight = matrices[WEIGHT_OF[name]].values
    token = row + (attention.first_query if name == "queries" else 0)
    return _sum(names, matrices["embeddings"].values[token], weight[:, column], made[row, column])


def output(attention: Attention, query: int, column: int) -> SumOfProducts:
    """One entry of the output: each weight of the query's row times that entry of the key's value.

    Raises ValueError where there are no values.
    """
    if attention.value is None or attention.steps.output is None:
        raise ValueError("there is no output without values")
    weights, column_of_values = attention.steps.weights[query], attention.value[:, column]
    return _sum(attention.key_titles, weights, column_of_values, attention.steps.output[query, column])


@dataclass(frozen=True)
class SoftmaxShare:
    """e^(masked score), and its share of the sum over all keys (of the query), or what a what-if makes of it.

    summands are the exponentials that total adds up, and place says which of them is this one. Where
    e^largest is too large or too small to be held, it is divided out of all of them. share is what the
    softmax gives and weight what comes of it, another number only where a mask comes after the softmax; kept
    is then what it leaves of the row. is_exact says that all summands are e^0 or e^(minus infinity), 1 or 0
    without rounding.
    """

    masked: float
    summands: tuple[float, ...]
    place: int
    total: float
    share: float
    kept: float
    weight: float
    largest_subtracted: float
    is_exact: bool

    @property
    def exponential(self) -> float:
        return self.summands[self.place]

    @property
    def is_masked(self) -> bool:
        """Whether it is e^(minus infinity) of a sum that is not 0: no rounding, but 0."""
        return self.masked == -math.inf and self.total > 0 and self.share == 0


def softmax_share(attention: Attention, query: int, key: int) -> SoftmaxShare:
    """How a masked score became a weight: its exponential over the sum of those it shares with.

    The largest is subtracted only where the exponential could not be written otherwise, as one thing less to
    explain; softmax_of() shows it always, as the softmax does it.
    """
    masked, hidden = attention.steps.masked, attention.steps.hidden
    over_queries = attention.rules.softmax_over == "queries"
    along, place = (masked[:, key], query) if over_queries else (masked[query], key)
    largest = float(along.max())
    fits = -300 <= largest <= 700 or np.isinf(largest) or not attention.rules.subtract_largest
    subtracted = 0.0 if fits else largest
    exponentials = exponential(along - subtracted)
    total = float(exponentials.sum())
    shares = _divided(exponentials, np.asarray(total), attention.rules.subtract_largest)
    return SoftmaxShare(
        masked=float(masked[query, key]),
        summands=tuple(exponentials.tolist()),
        place=place,
        total=total,
        share=float(shares[place]),
        kept=float(np.where(hidden[query], 0, shares).sum()) if not over_queries else 1.0,
        weight=float(attention.steps.weights[query, key]),
        largest_subtracted=subtracted,
        is_exact=bool(((along == 0) | np.isneginf(along)).all()),
    )


@dataclass(frozen=True, eq=False)
class Softmax:
    """One softmax, step by step: every array is (Lk,), of one query; or (Lq,), of one key.

    shifted is masked minus the largest, where that is subtracted; exponential is e^shifted; softmax is
    exponential over the sum of all of them; weight is the same unless a mask comes after it. hidden is True
    where a query may not look at a key.
    """

    score: Array
    scaled: Array
    masked: Array
    shifted: Array
    exponential: Array
    softmax: Array
    weight: Array
    hidden: NDArray[np.bool_]


def softmax_of(attention: Attention, query: int, key: int) -> Softmax:
    """The softmax that makes a weight, as the rules compute it: over all keys, or over all queries."""
    steps, rules = attention.steps, attention.rules
    along = np.s_[:, key] if rules.softmax_over == "queries" else np.s_[query, :]
    masked = steps.masked[along]
    largest = masked.max() if rules.subtract_largest else 0.0
    shifted = masked - (0.0 if np.isinf(largest) else largest)
    exponentials = exponential(shifted)
    return Softmax(
        score=steps.scores[along],
        scaled=steps.scaled[along],
        masked=masked,
        shifted=shifted,
        exponential=exponentials,
        softmax=_divided(exponentials, exponentials.sum(), rules.subtract_largest),
        weight=steps.weights[along],
        hidden=steps.hidden[along],
    )


def exponential(x: Array) -> Array:
    """e^x, which is infinite above 709.78."""
    with np.errstate(over="ignore"):
        powers: Array = np.exp(x)
    return powers


def _divided(exponentials: Array, total: Array, defined: bool) -> Array:
    """Shares of a total: NaN where both are infinite, or both 0 unless that is defined as 0."""
    with np.errstate(invalid="ignore"):
        shares: Array = exponentials / np.where(defined & (total == 0), 1, total)
    return shares


SMALLEST_PRODUCT = 1e-290  # of two lengths; below, a dot product loses digits


@dataclass(frozen=True, eq=False)
class LengthsAndAngle:
    """A dot product as lengths and an angle: |q| |k| cosine. cosine is NaN where a length is 0."""

    query: float
    key: float
    cosine: float


def lengths(attention: Attention, query: int, key: int) -> LengthsAndAngle:
    """How long a query and a key are, and the cosine of the angle between them."""
    q, k = attention.query[query], attention.key[key]
    long_q, long_k = math.hypot(*q), math.hypot(*k)  # no square of which is 0 or infinite
    cosine = math.nan
    if long_q * long_k > SMALLEST_PRODUCT:
        cosine = float(attention.steps.scores[query, key]) / (long_q * long_k)
    elif long_q and long_k:
        cosine = float((q / long_q) @ (k / long_k))
    return LengthsAndAngle(long_q, long_k, cosine)


@dataclass(frozen=True, eq=False)
class Blend:
    """One query's output as a blend: weights (Lk,), products weight x value row (Lk, d_v), output (d_v,)."""

    weights: Array
    products: Array
    output: Array


def blend(attention: Attention, query: int) -> Blend:
    """Each weight of the query's row times the whole value of its key; the sum is the query's output.

    Raises ValueError where there are no values.
    """
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
    return {name: variance(numbers) for name, numbers in measured.items()}


def variance(numbers: Array) -> float:
    """The variance of all numbers of an array, 0 where they are equal but for roundings."""
    is_one_number = np.ptp(numbers) <= ROUNDING * np.abs(numbers).max()
    return 0.0 if is_one_number else float(np.var(numbers))
