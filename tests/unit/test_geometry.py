"""Arrows in a plane: what it keeps of them, where they lie in it, and what a longer key does."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import softmax
from core.geometry import best_plane, of_dimensions, stretched
from core.stages import attend
from tests.unit.cases import PRESETS

reproducible = settings(derandomize=True, deadline=None)
# Halves and quarters, so that no spread is so small that it is lost in rounding.
vectors = arrays(
    float, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(-40, 40).map(lambda n: n / 4)
)


def spread(x):
    """The share of the squared lengths along each direction of X^T X alone; largest first."""
    eigenvalues = np.linalg.eigvalsh(x.T @ x)[::-1]
    return eigenvalues / eigenvalues.sum()


def both(preset):
    """Queries and keys of an example, as one looks at them together."""
    attention = attend(PRESETS[preset].inputs, scale=True, causal=False)
    return np.vstack([attention.query, attention.key])


def test_a_plane_of_two_dimensions_shows_these_numbers():
    x = np.array([[1.0, 2, 3], [4, 5, 6], [0, 7, -1]])
    np.testing.assert_array_equal(of_dimensions(x, 0, 1).flat(x), x[:, [0, 1]])
    np.testing.assert_array_equal(of_dimensions(x, 2, 0).flat(x), x[:, [2, 0]])
    np.testing.assert_array_equal(of_dimensions(x, 2, 0).directions, [[0, 1], [0, 0], [1, 0]])


def test_a_plane_of_one_dimension_has_no_height():
    x = np.array([[1.0, 2], [4, 5]])
    plane = of_dimensions(x, 1, 1)
    np.testing.assert_array_equal(plane.directions, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(plane.flat(x), [[2, 0], [5, 0]])
    alone = of_dimensions(np.array([[3.0], [5]]), 0, 0)
    np.testing.assert_array_equal(alone.flat(np.array([[3.0], [5]])), [[3, 0], [5, 0]])
    assert alone.kept(np.array([[3.0], [5]])) == 1


def test_the_share_kept_by_two_dimensions_is_that_of_their_squares():
    x = np.array([[0.0, 0, 0], [2, 4, 6], [4, 2, 0]])  # sums of squares: 20, 20, 36
    assert of_dimensions(x, 0, 1).kept(x) == pytest.approx(40 / 76, rel=1e-15)
    assert of_dimensions(x, 2, 1).kept(x) == pytest.approx(56 / 76, rel=1e-15)
    assert of_dimensions(x, 2, 2).kept(x) == pytest.approx(36 / 76, rel=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1, 1e170, 1e300])
def test_the_share_kept_does_not_depend_on_how_large_all_numbers_are(size):
    vectors = np.array([[3.0, 0, 4], [0, 1, 2]])
    assert of_dimensions(vectors, 0, 1).kept(size * vectors) == pytest.approx(10 / 30)


def test_the_best_plane_of_arrows_far_from_the_origin_looks_along_them():
    x = np.array([[100.0, 0, 1], [100, 3, 1], [100, -3, 1]])
    plane = best_plane(x)
    np.testing.assert_allclose(plane.directions, [[1, 0], [0, 1], [0.01, 0]], atol=1e-4)
    assert plane.kept(x) == pytest.approx(1, abs=1e-12)


def test_the_best_plane_of_points_on_a_line_runs_along_it():
    x = np.array([[0.0, 0], [3, 4], [6, 8]])
    plane = best_plane(x)
    np.testing.assert_allclose(plane.directions[:, 0], [0.6, 0.8], rtol=1e-14)
    np.testing.assert_allclose(np.abs(plane.directions[:, 1]), [0.8, 0.6], rtol=1e-14)
    assert plane.kept(x) == pytest.approx(1, abs=1e-15)


def test_the_best_plane_looks_first_along_the_widest_spread_and_then_along_the_next():
    x = np.array([[0.0, 0, 5], [0, 0, -5], [1, 0, 0], [-1, 0, 0], [0, 3, 0], [0, -3, 0]])
    plane = best_plane(x)
    np.testing.assert_allclose(plane.directions, [[0, 0], [0, 1], [1, 0]], atol=1e-15)
    assert plane.kept(x) == pytest.approx(68 / 70, rel=1e-15)
    np.testing.assert_allclose(plane.flat(x)[:, 0], x[:, 2], atol=1e-15)


@pytest.mark.parametrize("times", [-1, 1])
def test_the_largest_entry_of_a_direction_is_positive(times):
    plane = best_plane(np.array([[-9.0, 1, 0], [9, -1, 0], [0, 0.1, -2], [0, 0, 2]]) * times)
    largest = np.abs(plane.directions).argmax(axis=0)
    np.testing.assert_array_equal(largest, [0, 2])
    assert plane.directions[0, 0] > 0.9
    assert plane.directions[2, 1] > 0.9


@reproducible
@given(vectors)
def test_the_directions_of_the_best_plane_have_length_1_and_a_right_angle(x):
    directions = best_plane(x).directions
    assert directions.shape == (x.shape[1], 2)
    wanted = np.eye(2) if x.shape[1] > 1 else [[1, 0], [0, 0]]
    np.testing.assert_allclose(directions.T @ directions, wanted, atol=1e-14)
    for direction in directions.T[: x.shape[1]]:
        assert direction[np.abs(direction).argmax()] > 0


@reproducible
@given(vectors)
def test_the_best_plane_keeps_the_two_largest_shares_and_no_other_plane_keeps_more(x):
    kept = best_plane(x).kept(x)
    if not x.any():
        assert kept == 1
        return
    assert kept == pytest.approx(spread(x)[:2].sum(), rel=1e-10)
    assert kept <= 1 + 1e-15
    for across in range(x.shape[1]):
        for up in range(x.shape[1]):
            assert of_dimensions(x, across, up).kept(x) <= kept + 1e-12


@reproducible
@given(vectors)
def test_a_plane_shows_the_squared_lengths_that_it_says_it_keeps(x):
    for plane in (best_plane(x), of_dimensions(x, 0, x.shape[1] - 1)):
        shown, total = (plane.flat(x) ** 2).sum(), (x**2).sum()
        assert shown == pytest.approx(plane.kept(x) * total, rel=1e-10, abs=1e-12)


@reproducible
@given(vectors)
def test_the_origin_stays_where_it_is_and_a_vector_twice_as_long_is_so_in_the_plane(x):
    plane = best_plane(x)
    np.testing.assert_array_equal(plane.flat(np.zeros((1, x.shape[1]))), [[0, 0]])
    np.testing.assert_allclose(plane.flat(2 * x), 2 * plane.flat(x), rtol=1e-14)


@pytest.mark.parametrize("preset", PRESETS)
def test_an_example_in_its_best_plane(preset):
    x = both(preset)
    plane = best_plane(x)
    assert plane.kept(x) == pytest.approx(spread(x)[:2].sum(), rel=1e-12)
    assert 0.3 < plane.kept(x) <= 1 + 1e-15
    np.testing.assert_array_equal(best_plane(x.copy()).directions, plane.directions)
    np.testing.assert_allclose(
        np.abs(best_plane(x[::-1]).directions), np.abs(plane.directions), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("count", [1, 3, 7])
@pytest.mark.parametrize("row", [[0.0, 0, 0], [1.0, 2, -3], [0.1, 0.2, 0.7], [1e6, 0.1, 1e-6]])
def test_of_vectors_that_are_all_the_same_nothing_is_lost(count, row):
    x = np.array([row] * count)
    assert best_plane(x).kept(x) == pytest.approx(1, abs=1e-15)
    directions = best_plane(x).directions
    np.testing.assert_allclose(directions.T @ directions, np.eye(2), atol=1e-15)


@pytest.mark.parametrize("x", [[[5.0]], [[1.0], [-2], [4]]])
def test_vectors_of_one_number_lie_on_a_line(x):
    plane = best_plane(np.array(x))
    np.testing.assert_array_equal(plane.directions, [[1, 0]])
    np.testing.assert_array_equal(plane.flat(np.array(x)), np.array([[row[0], 0] for row in x]))
    assert plane.kept(np.array(x)) == 1


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3, 1e6])
def test_the_best_plane_does_not_depend_on_how_large_all_numbers_are(size):
    x = both("three_tokens")
    plane, other = best_plane(x), best_plane(x * size)
    np.testing.assert_allclose(other.directions, plane.directions, rtol=1e-9, atol=1e-12)
    assert other.kept(x * size) == pytest.approx(plane.kept(x), rel=1e-12)


def row_of(scores, hidden=(), scale=1.0):
    """A row of scores, and the same masked."""
    scores = np.array(scores, float)
    masked = scores * scale
    masked[list(hidden)] = -np.inf
    return scores, masked


def test_a_key_three_times_as_long_has_three_times_its_score():
    scores, masked = row_of([math.log(2), 0, -1], scale=1.0)
    found = stretched(scores, masked, 1.0, 0, 3)
    np.testing.assert_array_equal(found.scores, [3 * math.log(2), 0, -1])
    np.testing.assert_array_equal(found.masked, found.scores)
    np.testing.assert_allclose(found.weights, np.array([8, 1, 1 / math.e]) / (9 + 1 / math.e), rtol=1e-14)


def test_the_score_of_a_longer_key_is_scaled_before_the_softmax():
    found = stretched(*row_of([4, 2], scale=0.5), 0.5, 1, 3)
    np.testing.assert_array_equal(found.scores, [4, 6])
    np.testing.assert_array_equal(found.masked, [2, 3])
    np.testing.assert_allclose(found.weights, [1 / (1 + math.e), math.e / (1 + math.e)], rtol=1e-14)


@pytest.mark.parametrize(("score", "grows"), [(2, True), (-2, False)])
def test_a_longer_key_gains_weight_where_its_score_is_positive_and_loses_it_where_negative(score, grows):
    row = row_of([score, 1, 0])
    weights = [stretched(*row, 1.0, 0, times).weights[0] for times in (0.5, 1, 2, 4)]
    assert (np.diff(weights) > 0).all() == grows
    assert (np.diff(weights) < 0).all() != grows


@pytest.mark.parametrize("times", [0, 0.5, 1, 3, 1000])
def test_a_score_of_zero_stays_whatever_the_length(times):
    row = row_of([0, 1, -3], scale=0.5)
    found = stretched(*row, 0.5, 0, times)
    np.testing.assert_array_equal(found.scores, row[0])
    np.testing.assert_array_equal(found.masked, row[1])
    np.testing.assert_array_equal(found.weights, softmax(row[1]))


@pytest.mark.parametrize("times", [0, 0.5, 1, 3, 1000])
def test_a_masked_key_stays_masked_though_its_score_grows(times):
    row = row_of([1, 2, 3], hidden=[1, 2])
    found = stretched(*row, 1.0, 2, times)
    np.testing.assert_array_equal(found.scores, [1, 2, 3 * times])
    np.testing.assert_array_equal(found.masked, [1, -np.inf, -np.inf])
    np.testing.assert_array_equal(found.weights, [1, 0, 0])


def test_a_query_that_may_see_no_key_has_no_weights_however_long_its_keys():
    found = stretched(*row_of([1, 2], hidden=[0, 1]), 1.0, 0, 5)
    np.testing.assert_array_equal(found.weights, [0, 0])


def test_a_key_of_no_length_scores_zero():
    found = stretched(*row_of([5, 1, 1]), 1.0, 0, 0)
    np.testing.assert_array_equal(found.scores, [0, 1, 1])
    assert found.weights[0] == pytest.approx(1 / (1 + 2 * math.e), rel=1e-14)


def test_a_score_that_has_become_very_large_takes_all_the_weight():
    found = stretched(*row_of([5, 1, 1]), 1.0, 0, 1e6)
    np.testing.assert_array_equal(found.weights, [1, 0, 0])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_once_as_long_changes_nothing_and_twice_as_long_is_what_the_page_would_compute(preset, scale, causal):
    attention = attend(PRESETS[preset].inputs, scale=scale, causal=causal)
    steps, factor = attention.steps, 1 / np.sqrt(attention.query.shape[1]) if scale else 1.0
    for query, key in np.ndindex(steps.scores.shape):
        rows = steps.scores[query], steps.masked[query]
        before = [row.copy() for row in rows]
        same, twice = (stretched(*rows, factor, key, times) for times in (1, 2))
        for name in ("scores", "masked", "weights"):
            np.testing.assert_array_equal(getattr(same, name), getattr(steps, name)[query])
        longer = attention.key.copy()
        longer[key] *= 2
        scores = longer @ attention.query[query]
        masked = np.where(np.isneginf(rows[1]), -np.inf, scores * factor)
        np.testing.assert_allclose(twice.scores, scores, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(twice.weights, softmax(masked), rtol=1e-11, atol=1e-15)
        for row, was in zip(rows, before, strict=True):
            np.testing.assert_array_equal(row, was)
