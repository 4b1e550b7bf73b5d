"""A dictionary asked hard or softly: the best keys share, and the softmax comes to it as it is sharpened."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import scaled_dot_product_attention, softmax
from core.lookup import all_equal, blended, hard_weights
from tests.unit.cases import PRESETS

reproducible = settings(derandomize=True, deadline=None)
ANIMALS = json.loads((Path(__file__).parents[1] / "reference" / "animal_lookup.json").read_text("utf-8"))
# Small integers, of which some are equal.
integers = st.integers(-4, 4).map(float)


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([[3, 1, 2]], [[1, 0, 0]]),
        ([[1, 2, 2]], [[0, 0.5, 0.5]]),
        ([[0, 0, 0, 0]], [[0.25] * 4]),
        ([[-5, -6], [-6, -5]], [[1, 0], [0, 1]]),
        ([[7]], [[1]]),
        ([[0.1 + 0.2, 0.3, 0.2]], [[0.5, 0.5, 0]]),  # which differ by a rounding
        ([[-np.inf, -1e6, -np.inf]], [[0, 1, 0]]),
        ([1, 3, 2], [0, 1, 0]),
        ([[[1, 0], [0, 1]], [[2, 2], [1, 3]]], [[[1, 0], [0, 1]], [[0.5, 0.5], [0, 1]]]),
    ],
)
def test_the_best_keys_of_a_row_share_all_of_it(scores, weights):
    np.testing.assert_array_equal(hard_weights(np.array(scores, float)), weights)


def test_the_mammal_finds_the_wolf_and_the_reptile_the_lizard():
    query, key, value = (np.array(ANIMALS[name]) for name in ("queries", "keys", "values"))
    weights = hard_weights(query @ key.T)
    found = [ANIMALS["key_names"][place] for place in weights.argmax(axis=1)]
    assert found == ["wolf", "lizard"]
    np.testing.assert_array_equal(weights.sum(axis=1), 1)
    np.testing.assert_array_equal(weights @ value, [ANIMALS["values"][4], ANIMALS["values"][1]])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_hard_row_is_shared_by_the_keys_that_have_the_largest_weight(preset):
    matrices = {name: matrix.values for name, matrix in PRESETS[preset].inputs.matrices.items()}
    query, key = (matrices.get(name, matrices.get("embeddings")) for name in ("queries", "keys"))
    scores = query @ key.T
    for row, hard in zip(scores.tolist(), hard_weights(scores), strict=True):
        best = [number == max(row) for number in row]
        np.testing.assert_array_equal(hard, np.array(best) / sum(best))


@reproducible
@given(arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=integers), st.data())
def test_they_are_what_the_softmax_becomes_as_its_temperature_goes_to_0(scores, data):
    hidden = data.draw(arrays(bool, scores.shape))
    hidden[:, data.draw(st.integers(0, scores.shape[1] - 1))] = False  # each query sees at least one key
    masked = np.where(hidden, -np.inf, scores)
    np.testing.assert_allclose(hard_weights(masked), softmax(masked / 1e-3), rtol=1e-15, atol=1e-300)


def test_a_query_that_may_see_no_key_has_no_best_one():
    """As in the softmax, of which this is the limit: the weights of such a query are 0."""
    masked = np.array([[-np.inf, -np.inf], [0, -np.inf]])
    np.testing.assert_array_equal(softmax(masked), [[0, 0], [1, 0]])
    np.testing.assert_array_equal(hard_weights(masked), [[0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("share", "query"),
    [(0, [8.7, 3.2, 4.1]), (1, [2.1, 9.9, 1.6]), (0.5, [5.4, 6.55, 2.85]), (0.25, [7.05, 4.875, 3.475])],
)
def test_a_blend_of_mammal_and_reptile_goes_from_the_one_to_the_other(share, query):
    mammal, reptile = np.array(ANIMALS["queries"])
    np.testing.assert_allclose(blended(mammal, reptile, share), query, rtol=1e-15)


@reproducible
@given(arrays(float, (2, 3), elements=st.floats(-1e6, 1e6)), st.floats(0, 1))
def test_a_blend_ends_exactly_at_both_and_is_the_same_from_the_other_side(pair, share):
    one, other = pair
    np.testing.assert_array_equal(blended(one, other, 0.0), one)
    np.testing.assert_array_equal(blended(one, other, 1.0), other)
    np.testing.assert_allclose(
        blended(one, other, share), blended(other, one, 1 - share), rtol=1e-12, atol=1e-8
    )


def test_the_scores_of_a_blend_are_the_blend_of_the_scores():
    mammal, reptile = np.array(ANIMALS["queries"])
    key = np.array(ANIMALS["keys"])
    wanted = 0.75 * (mammal @ key.T) + 0.25 * (reptile @ key.T)
    np.testing.assert_allclose(blended(mammal, reptile, 0.25) @ key.T, wanted, rtol=1e-15)


def test_values_that_are_all_equal_are_the_mean_of_what_they_were():
    values = np.array([[1.0, 2], [3, 4], [8, -3]])
    before = values.copy()
    np.testing.assert_array_equal(all_equal(values), [[4, 1]] * 3)
    np.testing.assert_array_equal(values, before)


def test_of_equal_values_every_query_gets_the_same_whatever_its_weights():
    query, key, value = (np.array(ANIMALS[name]) for name in ("queries", "keys", "values"))
    output = scaled_dot_product_attention(query, key, all_equal(value)).output
    mean = [4.6, 5.16, 5.08, 2.92]
    np.testing.assert_allclose(output, [mean, mean], rtol=1e-14)
