"""Three ways to write the scores: each stores what it says, and its line of NumPy gives its scores."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.digits import apart
from core.stages import attend
from core.writings import EINSUM, LECTURE, PAPER, WRITINGS, written
from tests.unit.cases import PRESETS

REFERENCE = Path(__file__).parents[1] / "reference"
# Other lengths of every axis, so that none can be taken for another.
QUERY = np.array([[1.0, 2, 3], [0, -1, 4]])
KEY = np.array([[2.0, 0, 1], [1, 1, 1], [0, 5, -2], [3, 0, 0]])
SCORES = [[5, 6, 4, 3], [4, 3, -13, 0]]

every_writing = pytest.mark.parametrize("name", WRITINGS)


def reference(name):
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))


def test_there_are_the_paper_the_lecture_and_einsum_in_this_order():
    assert (PAPER, LECTURE, EINSUM) == WRITINGS == ("Q Kᵀ", "Qᵀ K", "einsum")
    assert tuple(written(QUERY, KEY)) == WRITINGS


@every_writing
def test_scores_of_small_integers_are_exact_in_every_writing(name):
    np.testing.assert_array_equal(written(QUERY, KEY)[name].scores, SCORES)


def test_the_paper_stores_a_row_for_each_token():
    paper = written(QUERY, KEY)[PAPER]
    np.testing.assert_array_equal(paper.stored_query, QUERY)
    np.testing.assert_array_equal(paper.stored_key, KEY)


@pytest.mark.parametrize("name", [LECTURE, EINSUM])
def test_the_lecture_stores_a_column_for_each_token(name):
    lecture = written(QUERY, KEY)[name]
    for stored, rows in ((lecture.stored_query, QUERY), (lecture.stored_key, KEY)):
        np.testing.assert_array_equal(stored, rows.T)
        assert stored.flags.c_contiguous


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (PAPER, "scores = Q @ K.T"),
        (LECTURE, "scores = Q.T @ K"),
        (EINSUM, "scores = np.einsum('it,if->ft', K, Q)"),
    ],
)
def test_the_line_of_code_gives_the_scores_from_what_is_stored(name, line):
    writing = written(QUERY, KEY)[name]
    assert writing.code == line
    names = {"np": np, "Q": writing.stored_query, "K": writing.stored_key}
    exec(writing.code, names)
    np.testing.assert_array_equal(names["scores"], writing.scores)


@every_writing
def test_the_scores_of_emma_are_those_of_the_lecture(name):
    emma = reference("emma_sentence")
    found = written(np.array(emma["queries"]), np.array(emma["keys"]))[name].scores
    np.testing.assert_allclose(found, emma["scores"], rtol=0, atol=1e-12)


@every_writing
def test_the_random_scores_are_those_that_the_notebook_prints(name):
    drawn = reference("random_qkv")
    found = written(np.array(drawn["q"]), np.array(drawn["k"]))[name].scores
    np.testing.assert_allclose(found, drawn["scores"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_paper_s_way_is_that_of_the_page(preset):
    attention = attend(PRESETS[preset].inputs, scale=True, causal=True)
    ways = written(attention.query, attention.key)
    np.testing.assert_array_equal(ways[PAPER].scores, attention.steps.scores)
    for way in ways.values():
        assert np.abs(way.scores - attention.steps.scores).max() <= 1e-13


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8), st.data())
def test_all_writings_agree_to_the_last_digits(queries, keys, d_k, data):
    numbers = st.floats(-1e6, 1e6)
    query, key = (data.draw(arrays(float, (rows, d_k), elements=numbers)) for rows in (queries, keys))
    ways = written(query, key)
    largest = np.abs(query).max() * np.abs(key).max() * d_k
    for way in ways.values():
        assert way.scores.shape == (queries, keys)
        assert np.abs(way.scores - ways[PAPER].scores).max() <= 1e-14 * largest


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], "0, to the last digit"),
        ([[1, 2], [3, 4]], [[1, 2.5], [0, 4]], "3.0e+00"),
        ([[1.0]], [[1 - 2**-52]], "2.2e-16, a rounding in the last digit"),
        ([[1e6]], [[1e6 + 2**-33]], "1.2e-10, a rounding in the last digit"),
        ([[1e-20]], [[-1e-16]], "1.0e-16"),
    ],
)
def test_a_difference_is_called_a_rounding_where_it_is_one(one, other, text):
    assert apart(np.array(one, float), np.array(other, float)) == text
    assert apart(np.array(other, float), np.array(one, float)) == text
