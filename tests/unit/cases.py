"""Every what-if of every worked example, and the numbers that it should give, computed in plain loops."""

import itertools
import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from core.stages import attend
from core.what_if import WhatIf, attend_if, in_order_of, orders, shuffled
from tests.examples import PRESETS

# Written out, as the oracle for what_if.offered and so that no case is lost with it.
OFFERED = {
    "animal_lookup": (
        "softmax_over_queries", "no_maximum", "temperature", "shuffled", "longer_key", "blind_query",
        "equal_values",
    ),
    "emma_sentence": (
        "softmax_over_queries", "masked_zero", "mask_after", "mask_after_divided", "no_maximum",
        "one_matrix", "temperature", "shuffled", "longer_key", "blind_query",
    ),
    "i_love_coding": (
        "softmax_over_queries", "masked_zero", "mask_after", "mask_after_divided", "no_maximum",
        "sqrt_d_model", "one_matrix", "temperature", "shuffled", "blind_query",
    ),
    "random_qkv": (
        "softmax_over_queries", "masked_zero", "mask_after", "mask_after_divided", "no_maximum",
        "one_matrix", "temperature", "shuffled", "longer_key", "blind_query", "equal_values",
    ),
    "three_tokens": (
        "softmax_over_queries", "masked_zero", "mask_after", "mask_after_divided", "no_maximum",
        "sqrt_d_model", "one_matrix", "temperature", "shuffled", "blind_query",
    ),
}  # fmt: skip
AMOUNTS = {"temperature": (0.05, 0.5, 1.0, 20.0), "no_maximum": (1, 1000, 10000)}
ON_OFF = (True, False)


@dataclass(frozen=True)
class Case:
    """One what-if of one example, about the pair of tokens that the example talks about."""

    preset: str
    kind: str
    amount: float
    scale: bool
    causal: bool

    def __str__(self):
        toggles = f"{'scaled' if self.scale else 'unscaled'}-{'causal' if self.causal else 'unmasked'}"
        return f"{self.preset}-{self.kind}-{self.amount:g}-{toggles}"

    @property
    def inputs(self):
        return PRESETS[self.preset].inputs

    @property
    def what_if(self):
        start = PRESETS[self.preset].start
        return WhatIf(self.kind, self.amount, start.query, start.key)

    @property
    def pair(self):
        """The row and the column in which the pair of tokens stands."""
        queries, keys = orders(self.inputs, self.what_if)
        return queries.index(self.what_if.query), keys.index(self.what_if.key)


CASES = [
    Case(preset, kind, amount, scale, causal)
    for preset, kinds in OFFERED.items()
    for kind in kinds
    for amount in AMOUNTS.get(kind, (1.0,))
    for scale, causal in itertools.product(ON_OFF, (False,) if PRESETS[preset].unordered else ON_OFF)
]


def cases_of(*kinds):
    return [case for case in CASES if case.kind in kinds]


def each(cases):
    """Run a test for each of the cases, those of one example and kind together, and say which one fails."""
    groups = {}
    for case in cases:
        groups.setdefault(f"{case.preset}-{case.kind}", []).append(case)

    def decorate(test):
        @pytest.mark.parametrize("group", list(groups.values()), ids=list(groups))
        def test_of_group(group):
            for case in group:
                try:
                    test(case)
                except BaseException as failure:
                    failure.add_note(f"This was {case}.")
                    raise

        return test_of_group

    return decorate


@cache
def attention_of(case):
    """The case as the app computes it."""
    return attend_if(case.inputs, case.what_if, scale=case.scale, causal=case.causal)


@cache
def as_defined(case):
    """The same example and toggles with nothing changed, in the order of tokens that the case has."""
    attention = attend(case.inputs, scale=case.scale, causal=case.causal)
    return in_order_of(attention, case.inputs, case.what_if)


@dataclass(frozen=True, eq=False)
class Expected:
    """The steps of a case as plain loops give them; values and output are None where there are none."""

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray | None
    scores: np.ndarray
    scaled: np.ndarray
    hidden: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    output: np.ndarray | None


@cache
def expected(case):
    """The case computed from the numbers of the example alone."""
    queries, keys, values, d_model = _changed_matrices(case)
    count, other = len(queries), len(keys)
    scores = queries @ keys.T
    divisor = math.sqrt(d_model if case.kind == "sqrt_d_model" else queries.shape[1]) if case.scale else 1
    times = case.amount if case.kind == "no_maximum" else 1
    temperature = case.amount if case.kind == "temperature" else 1
    scaled = scores * times / divisor / temperature
    hidden = np.array([[case.causal and j > i for j in range(other)] for i in range(count)])
    if case.kind == "blind_query":
        hidden[case.what_if.query] = [True] * other
    masked = scaled.copy()
    if not case.kind.startswith("mask_after"):
        masked[hidden] = 0 if case.kind == "masked_zero" else -math.inf
    if case.kind == "softmax_over_queries":
        weights = np.array([shares(column) for column in masked.T.tolist()]).T
    else:
        weights = np.array([shares(row, case.kind != "no_maximum") for row in masked.tolist()])
    if case.kind.startswith("mask_after"):
        weights[hidden] = 0
    if case.kind == "mask_after_divided":
        weights = np.array([[weight / math.fsum(row) for weight in row] for row in weights.tolist()])
    output = None if values is None else np.array([mix(row, values.tolist()) for row in weights.tolist()])
    return Expected(queries, keys, values, scores, scaled, hidden, masked, weights, output)


def expected_as_defined(case):
    """The same example and toggles with nothing changed, its tokens in their own order."""
    return expected(replace(case, kind="temperature", amount=1.0))


def shares(numbers, subtract_largest=True):
    """The softmax of a list; without subtracting, NaN where e^x and its sum overflow or are all 0."""
    largest = max(numbers) if subtract_largest else 0.0
    if largest == -math.inf:
        return [0.0] * len(numbers)
    powers = [power(number - largest) for number in numbers]
    total = sum(powers)
    return [part / total if total else math.nan for part in powers]


def power(exponent):
    """e^exponent, infinite where a float cannot hold it."""
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf


def mix(weights, rows):
    """The rows, each times its weight, added up."""
    return [sum(w * row[c] for w, row in zip(weights, rows, strict=True)) for c in range(len(rows[0]))]


def _changed_matrices(case):
    """Queries, keys, values or None, and the width of an embedding, with what the case changes in them."""
    given = {name: matrix.values.copy() for name, matrix in case.inputs.matrices.items()}
    if case.kind == "one_matrix":
        query, key = ("W_query", "W_key") if "W_query" in given else ("queries", "keys")
        given[query] = given[key]
    if case.kind == "longer_key":
        given["keys"][case.what_if.key] = [2 * number for number in given["keys"][case.what_if.key]]
    if case.kind == "equal_values":
        given["values"] = np.array([given["values"][0]] * len(given["values"]))
    if case.kind == "shuffled":
        of_keys = {"embeddings"} if "embeddings" in given else {"keys", "values"}
        of_tokens = of_keys if PRESETS[case.preset].unordered else {*of_keys, "queries"}
        for name in of_tokens & set(given):
            given[name] = given[name][list(shuffled(len(given[name])))]
    if "embeddings" not in given:
        return given["queries"], given["keys"], given.get("values"), 0
    x = given["embeddings"]
    return x @ given["W_query"], x @ given["W_key"], x @ given["W_value"], x.shape[1]
