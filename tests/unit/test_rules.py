"""The rules that the stages of a page are computed by, each beside plain arithmetic."""

import numpy as np
import pytest

from core.rules import Rules, compute, plain_softmax

QUERY, KEY, VALUE = np.array([[1.0, 2, 0, -1], [0, 1, 1, 3]]), np.eye(4)[:3] * 2, np.array([[1.0], [2], [4]])
SEEN = np.zeros((2, 3), bool)


def steps_by(**rules):
    return compute(QUERY, KEY, VALUE, SEEN, Rules(divide_by=4, **rules))


def test_the_paper_divides_the_scores_by_the_root_of_d_k():
    steps = steps_by()
    np.testing.assert_array_equal(steps.scores, [[2, 4, 0], [0, 2, 2]])
    np.testing.assert_array_equal(steps.scaled, [[1, 2, 0], [0, 1, 1]])


def test_without_scaling_the_scores_stay_as_they_are():
    steps = compute(QUERY, KEY, VALUE, SEEN, Rules(divide_by=1))
    np.testing.assert_array_equal(steps.scaled, steps.scores)


def test_the_weights_are_a_softmax_over_the_keys_and_the_output_their_mean_of_the_values():
    steps = steps_by()
    shares = np.exp([[1.0, 2, 0], [0, 1, 1]])
    weights = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(steps.weights, weights, rtol=1e-14)
    np.testing.assert_allclose(steps.output, weights @ VALUE, rtol=1e-14)


@pytest.mark.parametrize(("rules", "scaled"), [({"times": 3.0}, 3), ({"temperature": 0.5}, 2)])
def test_times_multiplies_the_scaled_scores_and_the_temperature_divides_them(rules, scaled):
    steps = steps_by(**rules)
    np.testing.assert_allclose(steps.scaled, scaled * np.array([[1, 2, 0], [0, 1, 1]]), rtol=1e-15)


@pytest.mark.parametrize("subtract_largest", [True, False])
def test_a_softmax_over_the_queries_sums_to_1_for_each_key_whether_or_not_it_subtracts_the_largest(
    subtract_largest,
):
    steps = steps_by(softmax_over="queries", subtract_largest=subtract_largest)
    shares = np.exp([[1.0, 2, 0], [0, 1, 1]])
    np.testing.assert_allclose(steps.weights, shares / shares.sum(axis=0), rtol=1e-14)


def test_a_plain_softmax_along_columns_is_that_of_the_rows_of_the_other_way_round():
    numbers = np.array([[1.0, -2, 0.5], [3, 0, -1]])
    np.testing.assert_array_equal(plain_softmax(numbers, axis=-2), plain_softmax(numbers.T).T)
