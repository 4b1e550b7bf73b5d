"""Every cell of every what-if is explained by the numbers that were used: sums, shares, blends and paths."""

import math
import re
from functools import partial

import numpy as np

from core import explain, working
from core.digits import MINUS
from core.matrices import rounded_text
from core.stages import attend, is_projected
from tests.unit.cases import CASES, PRESETS, attention_of, each, expected, power


def powers(exponents):
    return np.array([list(map(power, row)) for row in exponents.tolist()])


every_case = each(CASES)
every_case_with_output = each(case for case in CASES if case.inputs.matrices.keys() & {"values", "W_value"})
COLUMNS = {"score": "scores", "scaled": "scaled", "masked": "masked", "weight": "weights"}


def after_the_mask(shares, hidden, kind):
    """What a mask after the softmax leaves of the shares, (Lq, Lk), where a kind has one."""
    if not kind.startswith("mask_after"):
        return shares
    left = np.where(hidden, 0, shares)
    return left / left.sum(axis=1, keepdims=True) if kind == "mask_after_divided" else left


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def per_cell(find, names, shape):
    """An array (Lq, Lk) for each of the names, of what find says of a query and a key."""
    found = [[find(query, key) for key in range(shape[1])] for query in range(shape[0])]
    return {name: np.array([[getattr(cell, name) for cell in row] for row in found]) for name in names}


def spread(case, numbers, over):
    """What numbers (Lq, Lk) give for each group that shares a softmax, in every cell of the group."""
    along = 0 if case.kind == "softmax_over_queries" else 1
    return np.repeat(over(numbers, axis=along, keepdims=True), numbers.shape[along], axis=along)


def shares_of(case, exponentials, totals):
    """Exponentials over totals: NaN where both are 0 or infinite, and 0 for a query that sees no key."""
    with np.errstate(invalid="ignore"):
        shares = exponentials / totals
    if case.kind == "blind_query":
        shares[case.what_if.query] = 0
    return shares


@every_case
def test_every_softmax_gives_its_weights_from_its_own_columns(case):
    attention, wanted = attention_of(case), expected(case)
    columns = (*COLUMNS, "shifted", "exponential", "softmax", "hidden")
    queries, keys = attention.steps.weights.shape
    if case.kind == "softmax_over_queries":
        each_softmax = [explain.softmax_of(attention, 0, key) for key in range(keys)]
    else:
        each_softmax = [explain.softmax_of(attention, query, 0) for query in range(queries)]
    found = {name: np.array([getattr(one, name) for one in each_softmax]) for name in columns}
    if case.kind == "softmax_over_queries":
        found = {name: numbers.T for name, numbers in found.items()}
    for name, step in COLUMNS.items():
        np.testing.assert_array_equal(found[name], getattr(attention.steps, step))
    largest = spread(case, wanted.masked, np.max)
    largest[np.isinf(largest) | (case.kind == "no_maximum")] = 0
    np.testing.assert_allclose(found["shifted"], wanted.masked - largest, rtol=1e-12, atol=1e-11)
    same(found["exponential"], powers(found["shifted"]))
    same(found["softmax"], shares_of(case, found["exponential"], spread(case, found["exponential"], np.sum)))
    np.testing.assert_array_equal(found["hidden"], wanted.hidden)
    same(found["weight"], after_the_mask(found["softmax"], wanted.hidden, case.kind))


@every_case
def test_every_share_of_the_softmax_gives_its_weight(case):
    attention, wanted = attention_of(case), expected(case)
    steps = attention.steps
    names = ("masked", "exponential", "total", "share", "kept", "weight", "largest_subtracted")
    found = per_cell(partial(explain.softmax_share, attention), names, steps.weights.shape)
    np.testing.assert_array_equal(found["masked"], steps.masked)
    np.testing.assert_array_equal(found["weight"], steps.weights)
    largest = spread(case, steps.masked, np.max)
    fits = np.isinf(largest) | ((largest >= -300) & (largest <= 700)) | (case.kind == "no_maximum")
    np.testing.assert_array_equal(found["largest_subtracted"], np.where(fits, 0, largest))
    same(found["exponential"], powers(steps.masked - found["largest_subtracted"]))
    same(found["total"], spread(case, found["exponential"], np.sum))
    same(found["share"], shares_of(case, found["exponential"], found["total"]))
    same(found["weight"], after_the_mask(found["share"], wanted.hidden, case.kind))
    kept = np.where(wanted.hidden, 0, found["share"]).sum(axis=1, keepdims=True)
    same(found["kept"], np.ones(largest.shape) if case.kind == "softmax_over_queries" else kept + 0 * fits)


@every_case
def test_the_terms_of_every_score_add_up_to_it(case):
    attention, wanted = attention_of(case), expected(case)
    names = case.inputs.column_names("W_query" if is_projected(case.inputs) else "queries")
    added = np.zeros(wanted.scores.shape)
    for query, key in np.ndindex(added.shape):
        found = explain.score(attention, query, key)
        assert tuple(term.name for term in found.terms) == names
        assert [term.left for term in found.terms] == wanted.queries[query].tolist()
        assert [term.right for term in found.terms] == wanted.keys[key].tolist()
        assert found.total == attention.steps.scores[query, key]
        added[query, key] = math.fsum(term.product for term in found.terms)
    np.testing.assert_allclose(added, attention.steps.scores, rtol=1e-12, atol=1e-13)


@every_case
def test_both_lengths_and_the_cosine_multiply_to_the_score(case):
    attention, wanted = attention_of(case), expected(case)
    names = ("query", "key", "cosine")
    found = per_cell(partial(explain.lengths, attention), names, wanted.scores.shape)
    queries, keys = ([math.hypot(*row) for row in matrix] for matrix in (wanted.queries, wanted.keys))
    same(found["query"], np.repeat(np.array(queries)[:, None], len(keys), axis=1))
    same(found["key"], np.repeat(np.array(keys)[None, :], len(queries), axis=0))
    no_direction = (found["query"] == 0) | (found["key"] == 0)
    np.testing.assert_array_equal(np.isnan(found["cosine"]), no_direction)
    assert (wanted.scores[no_direction] == 0).all()
    assert np.abs(found["cosine"][~no_direction]).max() <= 1 + 1e-12
    product = found["query"] * found["key"] * np.nan_to_num(found["cosine"])
    np.testing.assert_allclose(product, wanted.scores, rtol=1e-12, atol=1e-13)


def test_a_query_of_zeros_has_no_angle():
    attention = attend(PRESETS["emma_sentence"].inputs, scale=True, causal=False)
    lengths = {name: explain.lengths(attention, i, 0) for i, name in enumerate(attention.query_names)}
    assert [name for name, found in lengths.items() if found.query == 0] == ["but", "is"]
    assert [name for name, found in lengths.items() if math.isnan(found.cosine)] == ["but", "is"]


@every_case_with_output
def test_every_blend_and_the_terms_of_every_output_add_up_to_it(case):
    attention, wanted = attention_of(case), expected(case)
    for query, weights in enumerate(attention.steps.weights):
        blend = explain.blend(attention, query)
        np.testing.assert_array_equal(blend.weights, weights)
        products = [weight * row for weight, row in zip(weights, wanted.values, strict=True)]
        np.testing.assert_array_equal(blend.products, products)
        np.testing.assert_array_equal(blend.output, attention.steps.output[query])
        np.testing.assert_allclose(blend.products.sum(axis=0), wanted.output[query], rtol=1e-12, atol=1e-11)
        for column, total in enumerate(blend.output):
            found = explain.output(attention, query, column)
            np.testing.assert_array_equal([term.product for term in found.terms], blend.products[:, column])
            np.testing.assert_array_equal(found.total, total)


def number(text):
    return float(text.replace(MINUS, "-").replace("∞", "inf"))


def is_written(text, wanted, decimals=4):
    """Whether a text is a number as it is written: in full, rounded to decimals, or as 1.1e-13."""
    if not math.isfinite(wanted):
        return text.replace(MINUS, "-") == rounded_text(wanted, decimals)
    rounding = 0.06 * abs(wanted) if "e" in text else 0.51 * 10**-decimals
    return abs(number(text) - wanted) <= rounding


def last_bold(line):
    return re.findall(r"\*\*([^*]+)\*\*", line)[-1]


@every_case
def test_the_path_of_every_cell_ends_in_the_numbers_of_its_steps(case):
    attention, values = attention_of(case), expected(case).values
    steps = attention.steps
    for query, key in np.ndindex(steps.scores.shape):
        lines = {line.split("**")[1]: line for line in working.path(attention, query, key, 4)}
        found = {name: last_bold(line) for name, line in lines.items()}
        share = explain.softmax_share(attention, query, key)
        wanted = {
            "Score": steps.scores[query, key],
            "As two lengths and an angle": steps.scores[query, key],
            "Scaled": steps.scaled[query, key],
            "Masked": steps.masked[query, key],
            "Exponential": share.exponential,
            "Sum": share.total,
            "Weight": steps.weights[query, key],
        }
        assert {name: found[name] for name in wanted if not is_written(found[name], wanted[name])} == {}
        is_pair = query != key and attention.query_names == attention.key_names
        assert ("The other way round" in lines) == is_pair
        if is_pair:
            back = lines["The other way round"].rpartition(" scores ")[2].removesuffix(".")
            assert is_written(back, steps.scores[key, query])
        assert ("Into the output" in lines) == (values is not None)
        if values is not None:
            parts = found["Into the output"].strip("()").split(", ")
            products = (steps.weights[query, key] * values[key]).tolist()
            assert all(is_written(part, product) for part, product in zip(parts, products, strict=True))
