"""From an average to attention: every figure that the notebook prints on the way comes out of naive.mixes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import softmax
from core.naive import (
    ATTENTION,
    AVERAGE,
    DOT_PRODUCTS,
    QUERIES_AND_KEYS,
    SOFTMAX,
    WAYS,
    average_weights,
    lengths,
    mixes,
    naive_scores,
)
from core.stages import attend
from tests.unit.cases import PRESETS

REFERENCE = Path(__file__).parents[1] / "reference"
GIVEN = {
    name: json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))
    for name in ("three_tokens", "i_love_coding")
}
INPUTS = {"tokens", "note", "embeddings", "W_query", "W_key", "W_value"}

every_setting = pytest.mark.parametrize(
    ("scale", "causal"), [(True, True), (True, False), (False, True), (False, False)]
)


def mixed(name, scale, causal):
    """The mixes of an example, and the attention that they end at."""
    inputs = PRESETS[name].inputs
    attention = attend(inputs, scale=scale, causal=causal)
    return mixes(inputs.matrices["embeddings"].values, attention), attention


def three_tokens():
    """The figures of the notebook, each from the mixes, and what the last mix is made of."""
    ways, attention = mixed("three_tokens", scale=True, causal=True)
    return {
        "average_T0_T1": ways[AVERAGE].output[1],
        "average_all": ways[AVERAGE].output[2],
        "naive_scores": ways[DOT_PRODUCTS].weights,
        "naive_mix": ways[DOT_PRODUCTS].output,
        "queries": attention.query,
        "keys": attention.key,
        "scores": attention.steps.scores,
        "scaled": attention.steps.scaled,
        "masked": attention.steps.masked,
        "weights_scaled_causal": ways[ATTENTION].weights,
        "values": ways[ATTENTION].mixed,
        "output": ways[ATTENTION].output,
    }


@pytest.mark.parametrize("name", sorted(set(GIVEN["three_tokens"]) - INPUTS))
def test_every_figure_of_three_tokens_is_that_which_the_notebook_prints(name):
    printed = np.array(GIVEN["three_tokens"][name], float)  # "-inf" is read as negative infinity
    found = three_tokens()[name]
    assert found.shape == printed.shape
    np.testing.assert_allclose(found, printed, rtol=0, atol=5e-5)


def test_no_figure_of_three_tokens_is_left_out():
    assert set(three_tokens()) == set(GIVEN["three_tokens"]) - INPUTS


def test_the_first_average_is_the_first_embedding():
    ways, _ = mixed("three_tokens", scale=True, causal=True)
    np.testing.assert_array_equal(ways[AVERAGE].output[0], GIVEN["three_tokens"]["embeddings"][0])


def test_the_weights_of_three_tokens_in_between_follow_from_the_scores_that_are_printed():
    given, (ways, _) = GIVEN["three_tokens"], mixed("three_tokens", scale=True, causal=True)
    for way, scores in ((SOFTMAX, "naive_scores"), (QUERIES_AND_KEYS, "scores")):
        exponentials = np.exp(given[scores])
        wanted = exponentials / exponentials.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(ways[way].weights, wanted, rtol=0, atol=5e-5)
        np.testing.assert_allclose(ways[way].output, wanted @ given["embeddings"], rtol=0, atol=5e-4)


def test_what_love_looks_up_is_what_the_lecture_prints():
    given, (ways, attention) = GIVEN["i_love_coding"], mixed("i_love_coding", scale=False, causal=False)
    love = given["tokens"].index("love")
    np.testing.assert_array_equal(attention.steps.scores[love], [1, 0, 1])
    for way in (QUERIES_AND_KEYS, ATTENTION):
        np.testing.assert_allclose(
            ways[way].weights[love], [0.4223188, 0.1553624, 0.4223188], rtol=0, atol=1e-7
        )
    np.testing.assert_allclose(
        ways[ATTENTION].output[love], [1.68927519, 3.11159399, 0.8446376], rtol=0, atol=1e-7
    )
    assert given["weights"] == [0.4223188, 0.1553624, 0.4223188]
    assert given["output"] == [1.68927519, 3.11159399, 0.8446376]


def test_the_five_ways_come_in_the_order_of_the_lecture():
    assert WAYS == (AVERAGE, DOT_PRODUCTS, SOFTMAX, QUERIES_AND_KEYS, ATTENTION)
    assert WAYS == ("1 average", "2 dot products", "3 softmax", "4 queries and keys", "5 attention")
    assert tuple(mixed("three_tokens", True, True)[0]) == WAYS


def test_averages_of_integers_are_exact():
    np.testing.assert_array_equal(average_weights(1), [[1]])
    np.testing.assert_array_equal(
        average_weights(4), [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1 / 3] * 3 + [0], [0.25] * 4]
    )
    outputs = average_weights(3) @ np.array([[2, 4], [4, 0], [0, 2]])
    np.testing.assert_allclose(outputs, [[2, 4], [3, 2], [2, 2]], rtol=1e-15)


def test_naive_scores_and_mixes_of_integers_are_exact():
    x = [[1, 2], [0, 1]]
    np.testing.assert_array_equal(naive_scores(x), [[5, 2], [2, 1]])
    attention = attend(PRESETS["i_love_coding"].inputs, scale=True, causal=True)
    mix = mixes(x, attention)[DOT_PRODUCTS]
    np.testing.assert_array_equal(mix.weights, [[5, 2], [2, 1]])
    np.testing.assert_array_equal(mix.output, [[5, 12], [2, 5]])


@pytest.mark.parametrize("name", ["three_tokens", "i_love_coding"])
@every_setting
def test_all_but_the_last_way_mix_embeddings_and_do_not_depend_on_the_toggles(name, scale, causal):
    ways, attention = mixed(name, scale, causal)
    plain, _ = mixed(name, scale=False, causal=False)
    x = GIVEN[name]["embeddings"]
    for way in WAYS[:-1]:
        np.testing.assert_array_equal(ways[way].mixed, x)
        np.testing.assert_array_equal(ways[way].weights, plain[way].weights)
    np.testing.assert_array_equal(ways[SOFTMAX].weights, softmax(naive_scores(x)))
    np.testing.assert_array_equal(ways[QUERIES_AND_KEYS].weights, softmax(attention.steps.scores))


@pytest.mark.parametrize("name", ["three_tokens", "i_love_coding"])
@every_setting
def test_the_last_way_is_the_attention_of_the_page(name, scale, causal):
    ways, attention = mixed(name, scale, causal)
    np.testing.assert_array_equal(ways[ATTENTION].weights, attention.steps.weights)
    np.testing.assert_array_equal(ways[ATTENTION].mixed, attention.value)
    np.testing.assert_array_equal(ways[ATTENTION].output, attention.steps.output)


def test_attention_without_scaling_and_mask_has_the_weights_of_the_way_before():
    ways, _ = mixed("three_tokens", scale=False, causal=False)
    np.testing.assert_array_equal(ways[ATTENTION].weights, ways[QUERIES_AND_KEYS].weights)


def test_attention_without_values_is_refused():
    emma = attend(PRESETS["emma_sentence"].inputs, scale=True, causal=False)
    with pytest.raises(ValueError, match="without values"):
        mixes(np.eye(9), emma)


@settings(derandomize=True, deadline=None)
@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.floats(-100, 100)))
def test_an_average_is_that_of_the_tokens_up_to_it_and_scores_are_dot_products(x):
    averages, scores = average_weights(len(x)) @ x, naive_scores(x)
    for i in range(len(x)):
        wanted = [math.fsum(column) / (i + 1) for column in x[: i + 1].T]
        np.testing.assert_allclose(averages[i], wanted, rtol=1e-13, atol=1e-12)
        for j in range(len(x)):
            dot = math.fsum(a * b for a, b in zip(x[i], x[j], strict=True))
            assert scores[i, j] == pytest.approx(dot, rel=1e-12, abs=1e-10)


def test_a_length_is_the_root_of_the_sum_of_squares_of_a_row():
    np.testing.assert_array_equal(lengths([[3, 4], [0, 0], [-5, 12]]), [5, 0, 13])
    np.testing.assert_array_equal(lengths([[-2], [0.5]]), [2, 0.5])


@pytest.mark.parametrize("name", ["three_tokens", "i_love_coding"])
def test_the_squared_length_of_a_token_is_its_score_with_itself(name):
    x = GIVEN[name]["embeddings"]
    np.testing.assert_allclose(lengths(x) ** 2, np.diag(naive_scores(x)), rtol=1e-14)
