"""Attention cut into heads: one head is the page's own, more are each an attention of their own columns."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import scaled_dot_product_attention
from core.heads import MOST_HEADS, attend_in_heads, joined, possible_heads, split
from core.matrices import set_cells
from core.recipes import Recipe, prepared
from core.stages import attend
from tests.unit.cases import PRESETS

STEPS = ("scores", "scaled", "masked", "weights")
WIDTHS = {
    "animal_lookup": (3, 4),
    "emma_sentence": (4, None),
    "i_love_coding": (3, 3),
    "random_qkv": (8, 8),
    "three_tokens": (4, 4),
}

every_preset = pytest.mark.parametrize("preset", PRESETS)
every_setting = pytest.mark.parametrize(
    ("scale", "causal"), [(True, True), (True, False), (False, True), (False, False)]
)


def own(d_k, d_v, projected=False):
    """An attention of six tokens with these widths, and numbers that were drawn."""
    inputs = prepared(Recipe(projected=projected, d_k=d_k, d_v=d_v), {}).inputs
    return attend(inputs, scale=True, causal=True)


def test_each_head_gets_its_own_run_of_columns():
    x = np.array([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]])
    np.testing.assert_array_equal(split(x, 2), [[[1, 2, 3], [7, 8, 9]], [[4, 5, 6], [10, 11, 12]]])
    np.testing.assert_array_equal(split(x, 3), [[[1, 2], [7, 8]], [[3, 4], [9, 10]], [[5, 6], [11, 12]]])
    np.testing.assert_array_equal(split(x, 1), [x])
    np.testing.assert_array_equal(split(x, 6)[4], [[5], [11]])


def test_outputs_of_heads_are_joined_side_by_side_the_first_head_s_first():
    heads = np.array([[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]])
    np.testing.assert_array_equal(joined(heads), [[1, 2, 7, 8], [3, 4, 9, 10], [5, 6, 11, 12]])


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 5), st.integers(1, 8), st.integers(1, 4), st.data())
def test_split_and_joined_undo_each_other(tokens, heads, width, data):
    x = data.draw(arrays(float, (tokens, heads * width), elements=st.floats(-10, 10)))
    cut = split(x, heads)
    assert cut.shape == (heads, tokens, width)
    np.testing.assert_array_equal(joined(cut), x)
    np.testing.assert_array_equal(split(joined(cut), heads), cut)


@pytest.mark.parametrize(
    ("d_k", "heads"),
    [
        (1, (1,)),
        (3, (1, 3)),
        (4, (1, 2, 4)),
        (7, (1, 7)),
        (11, (1,)),
        (12, (1, 2, 3, 4, 6)),
        (64, (1, 2, 4, 8)),
    ],
)
@pytest.mark.parametrize("d_v", [1, 6])
@pytest.mark.parametrize("projected", [False, True])
def test_heads_are_possible_that_split_queries_and_keys_evenly(d_k, heads, d_v, projected):
    assert possible_heads(own(d_k, d_v, projected)) == heads


@pytest.mark.parametrize("projected", [False, True])
def test_heads_that_cannot_share_the_values_have_weights_and_no_output(projected):
    attention = own(4, 3, projected)
    found, without = attend_in_heads(attention, 2), attend_in_heads(replace(attention, value=None), 2)
    assert found.output is None
    assert found.steps.output is None
    np.testing.assert_array_equal(found.steps.weights, without.steps.weights)
    assert attend_in_heads(attention, 1).output.shape == (len(attention.query), 3)


@pytest.mark.parametrize(
    ("preset", "heads"),
    [
        ("animal_lookup", (1, 3)),
        ("emma_sentence", (1, 2, 4)),
        ("i_love_coding", (1, 3)),
        ("random_qkv", (1, 2, 4, 8)),
        ("three_tokens", (1, 2, 4)),
    ],
)
def test_the_heads_that_an_example_can_have(preset, heads):
    attention = attend(PRESETS[preset].inputs, scale=True, causal=True)
    value_width = None if attention.value is None else attention.value.shape[1]
    assert (attention.query.shape[1], value_width) == WIDTHS[preset]
    assert possible_heads(attention) == heads
    assert max(heads) <= MOST_HEADS == 8


@every_preset
@every_setting
def test_one_head_is_the_attention_of_the_page(preset, scale, causal):
    attention = attend(PRESETS[preset].inputs, scale=scale, causal=causal)
    found = attend_in_heads(attention, 1)
    assert found.d_k == attention.query.shape[1]
    for name in STEPS:
        whole = getattr(found.steps, name)
        assert whole.shape == (1, *getattr(attention.steps, name).shape)
        np.testing.assert_allclose(whole[0], getattr(attention.steps, name), rtol=1e-15, atol=1e-15)
    assert (found.output is None) == (attention.value is None)
    if attention.value is not None:
        np.testing.assert_allclose(found.output, attention.steps.output, rtol=1e-15, atol=1e-15)


@every_preset
@every_setting
def test_each_head_is_an_attention_of_its_own_columns(preset, scale, causal):
    attention = attend(PRESETS[preset].inputs, scale=scale, causal=causal)
    for heads in possible_heads(attention):
        found = attend_in_heads(attention, heads)
        width = attention.query.shape[1] // heads
        assert found.d_k == width
        for head in range(heads):
            columns = slice(head * width, (head + 1) * width)
            alone = scaled_dot_product_attention(
                attention.query[:, columns],
                attention.key[:, columns],
                is_causal=causal,
                scale=1 / math.sqrt(width) if scale else 1.0,
            )
            for name in STEPS:
                np.testing.assert_allclose(
                    getattr(found.steps, name)[head], getattr(alone, name), rtol=1e-14, atol=1e-14
                )
            if attention.value is None or attention.value.shape[1] % heads:
                assert found.output is None
                continue
            value_width = attention.value.shape[1] // heads
            columns = slice(head * value_width, (head + 1) * value_width)
            np.testing.assert_allclose(
                found.output[:, columns], alone.weights @ attention.value[:, columns], rtol=1e-13, atol=1e-14
            )


@every_preset
def test_the_scores_of_all_heads_add_up_to_those_of_one(preset):
    attention = attend(PRESETS[preset].inputs, scale=True, causal=False)
    for heads in possible_heads(attention):
        total = attend_in_heads(attention, heads).steps.scores.sum(axis=0)
        np.testing.assert_allclose(total, attention.steps.scores, rtol=1e-13, atol=1e-13)


def test_two_heads_that_look_at_two_keys_are_those_worked_out_by_hand():
    """Each head scores one key log 9 and all others 0, so that its weight is 9 to their 1."""
    emma = PRESETS["emma_sentence"].inputs
    cells = {("queries", 0, column): number for column, number in enumerate((1, 0, 0, -1))}
    cells |= {("keys", row, column): 0 for row in range(9) for column in range(4)}
    cells |= {("keys", 1, 0): math.log(9), ("keys", 2, 3): -math.log(9)}
    attention = attend(set_cells(emma, cells), scale=False, causal=False)
    first, second = attend_in_heads(attention, 2).steps.weights[:, 0]
    np.testing.assert_allclose(first, np.array([1, 9, 1, 1, 1, 1, 1, 1, 1]) / 17, rtol=1e-14)
    np.testing.assert_allclose(second, np.array([1, 1, 9, 1, 1, 1, 1, 1, 1]) / 17, rtol=1e-14)


def test_an_edit_of_one_head_s_columns_leaves_the_other_heads_alone():
    inputs = PRESETS["random_qkv"].inputs
    edited = set_cells(inputs, {("queries", 2, 2): 3, ("keys", 1, 3): -2, ("values", 3, 2): 9})
    before, now = (attend_in_heads(attend(given, scale=True, causal=True), 4) for given in (inputs, edited))
    for head, same in enumerate((True, False, True, True)):
        assert np.array_equal(before.steps.weights[head], now.steps.weights[head]) is same
        columns = slice(2 * head, 2 * head + 2)
        assert np.array_equal(before.output[:, columns], now.output[:, columns]) is same


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_a_blind_query_is_blind_in_every_head(heads):
    attention = attend(PRESETS["random_qkv"].inputs, scale=True, causal=True, blind_query=2)
    found = attend_in_heads(attention, heads)
    np.testing.assert_array_equal(found.steps.weights[:, 2], 0)
    np.testing.assert_array_equal(found.output[2], 0)
    np.testing.assert_allclose(found.steps.weights[:, [0, 1, 3]].sum(axis=-1), 1, rtol=1e-14)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_one_query_in_view_has_its_row_in_every_head(heads):
    inputs = PRESETS["random_qkv"].inputs
    alone, whole = (
        attend_in_heads(attend(inputs, scale=True, causal=True, only_query=only), heads) for only in (1, None)
    )
    np.testing.assert_allclose(alone.steps.weights, whole.steps.weights[:, 1:2], rtol=1e-14)
    np.testing.assert_allclose(alone.output, whole.output[1:2], rtol=1e-14)


def test_heads_that_do_not_split_the_columns_are_refused():
    attention = attend(PRESETS["random_qkv"].inputs, scale=True, causal=True)
    with pytest.raises(ValueError, match="3 heads do not split 8 columns evenly"):
        attend_in_heads(attention, 3)
