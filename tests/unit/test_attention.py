"""Every function of core.attention against a loop that spells out the formula, and at its edges."""

import dataclasses
import math

import numpy as np
import pytest
import scipy.special

from core.attention import causal_mask, entropy, project, scaled_dot_product_attention, softmax

INF = math.inf
NAN = math.nan


def attention_by_loops(query, key, value, mask, scale=None, softcap=0.0, temperature=1.0):
    """Weights and output of lists, one number at a time; mask is the number added to each score."""
    d_k, d_v = len(query[0]), len(value[0])
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    weights, output = [], []
    for i in range(len(query)):
        row = []
        for j in range(len(key)):
            score = scale * sum(query[i][d] * key[j][d] for d in range(d_k))
            if softcap:
                score = softcap * math.tanh(score / softcap)
            row.append(score / temperature + mask[i][j])
        exps = [math.exp(score - max(row)) if score > -INF else 0.0 for score in row]
        weights.append([e / sum(exps) if e else 0.0 for e in exps])
        output.append([sum(w * v[d] for w, v in zip(weights[i], value, strict=True)) for d in range(d_v)])
    return weights, output


def assert_close(actual, expected, tolerance=1e-12):
    expected = np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape
    difference = np.abs(actual - expected)
    within = (difference <= tolerance * np.maximum(1, np.abs(expected))).all()
    assert within, f"largest difference {difference.max():.3g}, mean difference {difference.mean():.3g}"


def random_qkv(queries, keys, d_k, d_v, leading=(), seed=0):
    draw = np.random.default_rng(seed).normal
    return (
        draw(size=(*leading, queries, d_k)),
        draw(size=(*leading, keys, d_k)),
        draw(size=(*leading, keys, d_v)),
    )


SHAPES = [(1, 1, 1, 1), (1, 6, 4, 2), (3, 5, 4, 2), (5, 3, 2, 6), (9, 9, 16, 8), (2, 40, 64, 3)]
OPTIONS = [
    {},
    {"scale": 1.0},
    {"scale": 0.3},
    {"softcap": 0.7},
    {"temperature": 0.2},
    {"temperature": 5.0},
    {"scale": 1.5, "softcap": 2.0, "temperature": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("masking", ["none", "boolean", "float", "causal", "boolean and causal"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention_agrees_with_a_loop_over_single_numbers(shape, masking, options):
    query, key, value = random_qkv(*shape)
    queries, keys = shape[:2]
    rng = np.random.default_rng(1)
    attn_mask, added = None, np.zeros((queries, keys))
    if "boolean" in masking:
        attn_mask = rng.random((queries, keys)) < 0.6
        added = np.where(attn_mask, 0, -INF)
    if masking == "float":
        attn_mask = added = rng.normal(size=(queries, keys))
    if "causal" in masking:
        added = [[added[i][j] if j <= i else -INF for j in range(keys)] for i in range(queries)]

    steps = scaled_dot_product_attention(
        query, key, value, attn_mask=attn_mask, is_causal="causal" in masking, **options
    )

    lists = query.tolist(), key.tolist(), value.tolist(), np.array(added).tolist()
    weights, output = attention_by_loops(*lists, **options)
    assert_close(steps.weights, weights)
    assert_close(steps.output, output)
    np.testing.assert_array_equal(steps.mask, added)


def test_each_step_of_a_small_example_has_the_value_worked_out_by_hand():
    steps = scaled_dot_product_attention(
        [[1.0, 0, 0, 0], [0, 2, 0, 0]],
        [[2 * math.log(3), 0, 0, 0], [0, 1, 0, 0]],
        [[4.0], [8]],
        attn_mask=[[True, True], [False, True]],
    )
    assert_close(steps.scores, [[2 * math.log(3), 0], [0, 2]])
    assert_close(steps.scaled, [[math.log(3), 0], [0, 1]])
    np.testing.assert_array_equal(steps.mask, [[0, 0], [-INF, 0]])
    np.testing.assert_array_equal(steps.masked[1], [-INF, 1])
    assert_close(steps.weights, [[0.75, 0.25], [0, 1]])
    assert_close(steps.output, [[5], [8]])


def test_the_scores_are_divided_by_the_root_of_d_k_by_default():
    query, key, _ = random_qkv(3, 5, 16, 1)
    by_default = scaled_dot_product_attention(query, key)
    np.testing.assert_array_equal(by_default.scaled, by_default.scores * 0.25)
    given = scaled_dot_product_attention(query, key, scale=0.25)
    np.testing.assert_array_equal(given.weights, by_default.weights)


def test_a_scale_of_one_leaves_the_scores_as_they_are():
    query, key, _ = random_qkv(3, 5, 4, 1)
    steps = scaled_dot_product_attention(query, key, scale=1.0)
    assert_close(steps.scores, [[sum(q * k) for k in key] for q in query])
    np.testing.assert_array_equal(steps.scaled, steps.scores)
    np.testing.assert_array_equal(steps.masked, steps.scores)


def test_a_scale_of_zero_spreads_the_weights_evenly():
    query, key, _ = random_qkv(3, 5, 4, 1)
    np.testing.assert_array_equal(scaled_dot_product_attention(query, key, scale=0.0).weights, 0.2)


def test_scale_comes_before_softcap_and_softcap_before_temperature_and_mask():
    steps = scaled_dot_product_attention(
        [[2.0]], [[3.0]], scale=0.5, softcap=2.0, temperature=4.0, attn_mask=[[10.0]]
    )
    assert_close(steps.scores, [[6]])
    assert_close(steps.scaled, [[2 * math.tanh(1.5) / 4]])
    assert_close(steps.masked, [[2 * math.tanh(1.5) / 4 + 10]])


def test_softcap_keeps_every_scaled_score_between_minus_c_and_c():
    query, key, _ = random_qkv(6, 7, 8, 1)
    steps = scaled_dot_product_attention(100 * query, key, softcap=5.0)
    assert np.abs(steps.scores).max() > 100
    assert np.abs(steps.scaled).max() <= 5


def test_softcap_does_not_uncover_a_masked_place():
    query, key, value = random_qkv(4, 4, 8, 2)
    steps = scaled_dot_product_attention(query, key, value, is_causal=True, softcap=0.5)
    np.testing.assert_array_equal(steps.masked == -INF, ~causal_mask(4))
    np.testing.assert_array_equal(steps.weights[~causal_mask(4)], 0)


def test_a_low_temperature_sharpens_the_weights_and_a_high_one_flattens_them():
    def largest(temperature):
        return scaled_dot_product_attention([[1.0]], [[1.0], [2.0]], temperature=temperature).weights.max()

    assert largest(0.01) > 0.999
    assert_close(largest(1.0), math.e / (1 + math.e))
    assert_close(largest(1000.0), 0.5, tolerance=1e-3)


def test_without_values_there_is_no_output():
    query, key, value = random_qkv(3, 5, 4, 2)
    without = scaled_dot_product_attention(query, key)
    assert without.output is None
    np.testing.assert_array_equal(without.weights, scaled_dot_product_attention(query, key, value).weights)


def test_the_steps_are_frozen():
    steps = scaled_dot_product_attention([[1.0]], [[1.0]], [[1.0]])
    for field in ("scores", "scaled", "mask", "masked", "weights", "output"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(steps, field, None)


def test_the_steps_come_in_the_order_in_which_they_are_computed():
    steps = scaled_dot_product_attention([[1.0]], [[1.0]], [[1.0]])
    names = [field.name for field in dataclasses.fields(steps)]
    assert names == ["scores", "scaled", "mask", "masked", "weights", "output"]


# Masks


def test_a_boolean_mask_means_the_same_as_a_float_mask_of_zero_and_minus_infinity():
    query, key, value = random_qkv(4, 6, 3, 2)
    allowed = np.random.default_rng(2).random((4, 6)) < 0.5
    boolean = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    added = scaled_dot_product_attention(query, key, value, attn_mask=np.where(allowed, 0, -INF))
    np.testing.assert_array_equal(boolean.mask, np.where(allowed, 0, -INF))
    for field in ("mask", "masked", "weights", "output"):
        np.testing.assert_array_equal(getattr(boolean, field), getattr(added, field))


def test_true_in_a_boolean_mask_means_may_look():
    steps = scaled_dot_product_attention([[1.0]], [[5.0], [1.0]], [[10.0], [20.0]], attn_mask=[[False, True]])
    np.testing.assert_array_equal(steps.weights, [[0, 1]])
    np.testing.assert_array_equal(steps.output, [[20]])


def test_a_finite_float_mask_is_added_to_the_scaled_scores():
    query, key, _ = random_qkv(2, 3, 4, 1)
    bias = np.array([[0.5, -1.0, 2.0], [0.0, 3.0, -4.0]])
    steps = scaled_dot_product_attention(query, key, attn_mask=bias)
    np.testing.assert_array_equal(steps.mask, bias)
    np.testing.assert_array_equal(steps.masked, steps.scaled + bias)


@pytest.mark.parametrize("mask_shape", [(6,), (1, 6), (4, 1), (4, 6), (3, 1, 6), (1, 1, 4, 6), (2, 1, 1, 1)])
def test_a_mask_is_broadcast_over_the_axes_it_lacks(mask_shape):
    query, key, value = random_qkv(4, 6, 5, 2, leading=(2, 3))
    allowed = np.random.default_rng(3).random(mask_shape) < 0.6
    steps = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    full = scaled_dot_product_attention(query, key, value, attn_mask=np.broadcast_to(allowed, (2, 3, 4, 6)))
    assert np.broadcast_shapes(steps.mask.shape, (2, 3, 4, 6)) == (2, 3, 4, 6)
    np.testing.assert_array_equal(steps.weights, full.weights)
    assert_close(steps.output, full.output)


def test_is_causal_and_a_mask_together_hide_what_either_hides():
    query, key, _ = random_qkv(4, 4, 3, 1)
    allowed = np.random.default_rng(4).random((4, 4)) < 0.5
    both = scaled_dot_product_attention(query, key, attn_mask=allowed, is_causal=True)
    joined = scaled_dot_product_attention(query, key, attn_mask=allowed & causal_mask(4))
    np.testing.assert_array_equal(both.weights, joined.weights)


def test_is_causal_keeps_the_float_mask_where_a_query_may_look():
    bias = np.arange(9.0).reshape(3, 3)
    steps = scaled_dot_product_attention(np.ones((3, 2)), np.ones((3, 2)), attn_mask=bias, is_causal=True)
    np.testing.assert_array_equal(steps.mask, [[0, -INF, -INF], [3, 4, -INF], [6, 7, 8]])


def test_a_nan_in_a_float_mask_is_hidden_where_the_causal_mask_hides():
    bias = [[0.0, NAN], [0.0, 0.0]]
    steps = scaled_dot_product_attention(np.ones((2, 2)), np.ones((2, 2)), attn_mask=bias, is_causal=True)
    np.testing.assert_array_equal(steps.weights, [[1, 0], [0.5, 0.5]])


def test_the_causal_mask_shows_query_i_the_keys_up_to_i():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    np.testing.assert_array_equal(causal_mask(3), expected)
    assert causal_mask(3).dtype == bool


def test_a_causal_mask_with_more_or_fewer_keys_starts_at_the_first_key():
    wide = [[True, False, False, False], [True, True, False, False]]
    tall = [[True, False], [True, True], [True, True], [True, True]]
    np.testing.assert_array_equal(causal_mask(2, 4), wide)
    np.testing.assert_array_equal(causal_mask(4, 2), tall)
    assert causal_mask(3, 0).shape == (3, 0)


def test_is_causal_is_the_causal_mask():
    query, key, value = random_qkv(4, 6, 3, 2)
    flag = scaled_dot_product_attention(query, key, value, is_causal=True)
    mask = scaled_dot_product_attention(query, key, value, attn_mask=causal_mask(4, 6))
    np.testing.assert_array_equal(flag.mask, mask.mask)
    np.testing.assert_array_equal(flag.output, mask.output)


# Nothing to look at, and NaN or infinity out of sight


@pytest.mark.parametrize("mask_type", [bool, float])
def test_a_fully_masked_query_gets_zeros(mask_type):
    query, key, value = random_qkv(3, 5, 4, 2)
    allowed = np.ones((3, 5), dtype=bool)
    allowed[1] = False
    attn_mask = allowed if mask_type is bool else np.where(allowed, 0, -INF)
    steps = scaled_dot_product_attention(query, key, value, attn_mask=attn_mask)
    unmasked = scaled_dot_product_attention(query, key, value)
    np.testing.assert_array_equal(steps.masked[1], -INF)
    np.testing.assert_array_equal(steps.weights[1], 0)
    np.testing.assert_array_equal(steps.output[1], 0)
    assert_close(steps.output[[0, 2]], unmasked.output[[0, 2]])


def test_a_fully_masked_query_full_of_nan_gets_zeros():
    query, key, value = random_qkv(2, 3, 4, 2)
    query[0] = NAN
    steps = scaled_dot_product_attention(query, key, value, attn_mask=[[False], [True]])
    np.testing.assert_array_equal(steps.weights[0], 0)
    np.testing.assert_array_equal(steps.output[0], 0)
    assert np.isfinite(steps.output).all()


def test_no_keys_at_all_give_an_output_of_zeros():
    steps = scaled_dot_product_attention(np.ones((3, 4)), np.ones((0, 4)), np.ones((0, 2)))
    assert steps.weights.shape == (3, 0)
    np.testing.assert_array_equal(steps.output, np.zeros((3, 2)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("poison", [NAN, INF, -INF])
@pytest.mark.parametrize("poisoned", ["key", "value", "key and value"])
@pytest.mark.parametrize("masking", ["boolean", "float", "causal"])
def test_nan_or_infinity_in_a_masked_place_does_not_leak(poison, poisoned, masking):
    query, key, value = random_qkv(4, 5, 3, 2, leading=(2,))
    allowed = causal_mask(4, 5) if masking == "causal" else np.array([True, True, False, True, False])
    attn_mask = {"boolean": allowed, "float": np.where(allowed, 0, -INF), "causal": None}[masking]
    options = {"attn_mask": attn_mask, "is_causal": masking == "causal"}
    clean = scaled_dot_product_attention(query, key, value, **options)

    hidden = 4 if masking == "causal" else [2, 4]
    if "key" in poisoned:
        key[:, hidden] = poison
    if "value" in poisoned:
        value[:, hidden] = poison
    steps = scaled_dot_product_attention(query, key, value, **options)

    np.testing.assert_array_equal(steps.masked, clean.masked)
    np.testing.assert_array_equal(steps.weights, clean.weights)
    assert_close(steps.output, clean.output)


@pytest.mark.parametrize("poisoned", ["key", "value"])
def test_nan_reaches_only_the_queries_that_see_it(poisoned):
    query, key, value = random_qkv(4, 4, 3, 2)
    clean = scaled_dot_product_attention(query, key, value, is_causal=True)
    {"key": key, "value": value}[poisoned][2] = NAN
    steps = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert_close(steps.output[:2], clean.output[:2])
    assert np.isnan(steps.output[2:]).all()


def test_a_visible_nan_reaches_the_output_even_where_its_weight_rounds_to_zero():
    steps = scaled_dot_product_attention([[1.0]], [[0.0], [1000.0]], [[NAN], [2.0]])
    np.testing.assert_array_equal(steps.weights, [[0, 1]])
    assert np.isnan(steps.output).all()


def test_a_nan_in_one_column_of_the_values_leaves_the_other_columns_alone():
    query, key, value = random_qkv(2, 3, 4, 2)
    clean = scaled_dot_product_attention(query, key, value)
    value[1, 0] = NAN
    steps = scaled_dot_product_attention(query, key, value)
    assert np.isnan(steps.output[:, 0]).all()
    assert_close(steps.output[:, 1], clean.output[:, 1])


# Leading axes and grouped queries


def test_each_batch_and_head_is_an_attention_of_its_own():
    query, key, value = random_qkv(4, 6, 5, 3, leading=(2, 3))
    steps = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert steps.scores.shape == steps.scaled.shape == steps.masked.shape == (2, 3, 4, 6)
    assert steps.weights.shape == (2, 3, 4, 6)
    assert steps.output.shape == (2, 3, 4, 3)
    for at in np.ndindex(2, 3):
        alone = scaled_dot_product_attention(query[at], key[at], value[at], is_causal=True)
        assert_close(steps.weights[at], alone.weights)
        assert_close(steps.output[at], alone.output)


@pytest.mark.parametrize(
    ("query_axes", "key_axes", "value_axes", "expected_axes"),
    [
        ((2, 3), (), (), (2, 3)),
        ((), (2, 3), (2, 3), (2, 3)),
        ((2, 3), (3,), (1,), (2, 3)),
        ((2, 1), (3,), (3,), (2, 3)),
        ((1, 3), (2, 1), (2, 3), (2, 3)),
        ((3,), (2, 3), (3,), (2, 3)),
    ],
)
def test_leading_axes_broadcast(query_axes, key_axes, value_axes, expected_axes):
    draw = np.random.default_rng(5).normal
    query, key = draw(size=(*query_axes, 4, 5)), draw(size=(*key_axes, 6, 5))
    value = draw(size=(*value_axes, 6, 2))
    steps = scaled_dot_product_attention(query, key, value)
    full = scaled_dot_product_attention(
        np.broadcast_to(query, (*expected_axes, 4, 5)),
        np.broadcast_to(key, (*expected_axes, 6, 5)),
        np.broadcast_to(value, (*expected_axes, 6, 2)),
    )
    assert steps.output.shape == (*expected_axes, 4, 2)
    assert_close(np.broadcast_to(steps.weights, full.weights.shape), full.weights)
    assert_close(steps.output, full.output)


@pytest.mark.parametrize(("key_heads", "value_heads"), [(2, 2), (3, 3), (1, 1), (2, 3), (2, 6), (6, 3)])
@pytest.mark.parametrize("leading", [(), (2,)])
def test_grouped_queries_equal_key_heads_repeated_by_hand(leading, key_heads, value_heads):
    draw = np.random.default_rng(6).normal
    query, key = draw(size=(*leading, 6, 4, 5)), draw(size=(*leading, key_heads, 7, 5))
    value = draw(size=(*leading, value_heads, 7, 3))
    key_of = [head * key_heads // 6 for head in range(6)]
    value_of = [head * value_heads // 6 for head in range(6)]
    grouped = scaled_dot_product_attention(query, key, value)
    repeated = scaled_dot_product_attention(query, key[..., key_of, :, :], value[..., value_of, :, :])
    assert_close(grouped.scores, repeated.scores)
    assert_close(grouped.output, repeated.output)


def test_neighbouring_query_heads_share_a_key_head():
    query = np.ones((4, 1, 1))
    key = np.array([[[1.0]], [[2.0]]])
    scores = scaled_dot_product_attention(query, key).scores
    assert scores.ravel().tolist() == [1, 1, 2, 2]


# What goes in


def attend_to(query, key, value, attn_mask):
    return scaled_dot_product_attention(
        query, key, value, attn_mask=attn_mask, is_causal=True, softcap=2.0, temperature=0.5
    )


@pytest.mark.parametrize("mask_type", [bool, float])
@pytest.mark.parametrize("value_at_the_end", [1.0, NAN])
def test_no_input_is_changed_and_read_only_ones_work(mask_type, value_at_the_end):
    query, key, value = random_qkv(4, 4, 3, 2, leading=(2,))
    value[:, -1] = value_at_the_end
    attn_mask = np.ones((4, 4)).astype(mask_type)
    inputs = query, key, value, attn_mask
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    steps = attend_to(*inputs)
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(steps.output, attend_to(*before).output)


def test_no_step_shares_its_memory_with_an_input():
    query, key, value = random_qkv(3, 3, 3, 3)
    inputs = query, key, value, np.zeros((3, 3))
    steps = scaled_dot_product_attention(*inputs[:3], attn_mask=inputs[3], scale=1.0)
    for field in dataclasses.fields(steps):
        for array in inputs:
            assert not np.shares_memory(getattr(steps, field.name), array)


def test_softmax_and_project_leave_their_inputs_alone_and_take_read_only_ones():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    weight = x.T
    weights, queries = softmax(x), project(x, weight)
    np.testing.assert_array_equal(x, [[0, 1, 2], [3, 4, 5]])
    assert not np.shares_memory(weights, x)
    assert not np.shares_memory(queries, x)


def test_integers_and_lists_give_what_floats_give():
    query, key, value = [[1, 2], [3, 4]], [[0, 1], [2, 1], [1, 1]], [[1], [2], [3]]
    of_lists = scaled_dot_product_attention(query, key, value)
    of_integers = scaled_dot_product_attention(*(np.array(x) for x in (query, key, value)))
    of_floats = scaled_dot_product_attention(*(np.array(x, float) for x in (query, key, value)))
    for field in dataclasses.fields(of_floats):
        expected = getattr(of_floats, field.name)
        np.testing.assert_array_equal(getattr(of_lists, field.name), expected)
        np.testing.assert_array_equal(getattr(of_integers, field.name), expected)
    assert of_lists.scores.tolist() == [[2, 4, 3], [4, 10, 7]]


@pytest.mark.parametrize("given", [np.float32, np.float64])
@pytest.mark.parametrize("mask_type", [None, bool, np.float32, np.float64])
def test_every_step_keeps_the_precision_of_the_inputs(given, mask_type):
    query, key, value = (array.astype(given) for array in random_qkv(3, 3, 4, 2))
    attn_mask = None if mask_type is None else np.ones((3, 3), mask_type)
    steps = attend_to(query, key, value, attn_mask)
    for field in dataclasses.fields(steps):
        assert getattr(steps, field.name).dtype == given, field.name
    assert softmax(query).dtype == project(query, key.T).dtype == given


def test_half_precision_is_computed_in_single_precision():
    query, key, value = (array.astype(np.float16) for array in random_qkv(3, 3, 4, 2))
    steps = scaled_dot_product_attention(query, key, value)
    assert steps.scores.dtype == steps.weights.dtype == steps.output.dtype == np.float32


def test_single_precision_agrees_with_double_precision():
    query, key, value = random_qkv(9, 9, 16, 8)
    single = scaled_dot_product_attention(*(array.astype(np.float32) for array in (query, key, value)))
    double = scaled_dot_product_attention(query, key, value)
    assert_close(single.weights, double.weights, tolerance=1e-6)
    assert_close(single.output, double.output, tolerance=1e-5)


# Shapes that do not fit


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        pytest.param((3, 4), (5, 2), None, id="widths differ"),
        pytest.param((2, 3, 4), (2, 5, 1), None, id="a width of one is not broadcast"),
        pytest.param((3, 0), (5, 0), None, id="no width"),
        pytest.param((2, 1, 3, 4), (3, 1, 5, 4), None, id="batches differ"),
        pytest.param((4, 3, 4), (3, 5, 4), None, id="key heads do not divide query heads"),
        pytest.param((2, 3, 4), (4, 5, 4), None, id="more key heads than query heads"),
        pytest.param((2, 3, 4), (0, 5, 4), None, id="no key heads"),
    ],
)
def test_a_query_and_a_key_that_do_not_fit_are_both_named(query, key, value):
    with pytest.raises(ValueError) as error:
        scaled_dot_product_attention(np.ones(query), np.ones(key))
    assert f"query {query}" in str(error.value)
    assert f"key {key}" in str(error.value)


@pytest.mark.parametrize("value", [(4, 2), (6, 2), (1, 2), (2, 6, 2)])
def test_a_key_and_a_value_of_different_lengths_are_both_named(value):
    with pytest.raises(ValueError) as error:
        scaled_dot_product_attention(np.ones((3, 4)), np.ones((5, 4)), np.ones(value))
    assert "key (5, 4)" in str(error.value)
    assert f"value {value}" in str(error.value)


@pytest.mark.parametrize("value", [(4, 5, 2), (5, 5, 2), (0, 5, 2), (3, 6, 5, 2)])
def test_a_query_and_a_value_whose_leading_axes_do_not_fit_are_both_named(value):
    with pytest.raises(ValueError) as error:
        scaled_dot_product_attention(np.ones((2, 6, 3, 4)), np.ones((2, 6, 5, 4)), np.ones(value))
    assert "query (2, 6, 3, 4)" in str(error.value)
    assert f"value {value}" in str(error.value)


@pytest.mark.parametrize("mask", [(3, 4), (5,), (2, 4), (1, 2, 3), (0, 3), (2, 2, 3), (2, 1, 1)])
@pytest.mark.parametrize("mask_type", [bool, float])
def test_a_mask_and_the_scores_it_does_not_fit_are_both_named(mask, mask_type):
    with pytest.raises(ValueError) as error:
        scaled_dot_product_attention(np.ones((2, 4)), np.ones((3, 4)), attn_mask=np.ones(mask, mask_type))
    assert f"attn_mask {mask}" in str(error.value)
    assert "scores (2, 3)" in str(error.value)


@pytest.mark.parametrize("flat", ["query", "key", "value"])
def test_an_input_without_a_token_axis_is_named(flat):
    inputs = {"query": np.ones((3, 4)), "key": np.ones((5, 4)), "value": np.ones((5, 2))}
    inputs[flat] = np.ones(4)
    with pytest.raises(ValueError) as error:
        scaled_dot_product_attention(**inputs)
    assert f"{flat} (4,)" in str(error.value)


@pytest.mark.parametrize("dtype", [int, np.uint8, complex])
def test_a_mask_that_is_neither_boolean_nor_float_is_refused(dtype):
    with pytest.raises(ValueError, match=f"boolean or float, not {np.dtype(dtype)}"):
        scaled_dot_product_attention([[1.0]], [[1.0]], attn_mask=np.ones((1, 1), dtype))


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, NAN])
def test_a_temperature_that_is_not_above_zero_is_refused(temperature):
    with pytest.raises(ValueError, match=f"above 0, not {temperature}"):
        scaled_dot_product_attention([[1.0]], [[1.0]], temperature=temperature)


@pytest.mark.parametrize("softcap", [-1.0, np.inf, NAN])
def test_a_softcap_that_bends_nothing_to_a_finite_number_is_refused(softcap):
    with pytest.raises(ValueError, match=f"from 0 on, not {softcap}"):
        scaled_dot_product_attention([[1.0]], [[1.0]], softcap=softcap)


# Softmax


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4), (2, 1, 3, 5)])
def test_softmax_agrees_with_scipy_along_every_axis(shape):
    x = 10 * np.random.default_rng(7).normal(size=shape)
    for axis in range(-len(shape), len(shape)):
        assert_close(softmax(x, axis=axis), scipy.special.softmax(x, axis=axis), tolerance=1e-14)
    np.testing.assert_array_equal(softmax(x), softmax(x, axis=-1))


def test_softmax_of_integers_agrees_with_scipy():
    assert_close(softmax([1, 2, 3]), scipy.special.softmax([1, 2, 3]), tolerance=1e-15)


def test_softmax_gives_minus_infinity_no_weight():
    assert_close(softmax([0.0, -INF, math.log(3)]), [0.25, 0, 0.75])


@pytest.mark.filterwarnings("error")
def test_softmax_of_nothing_but_minus_infinity_gives_zeros():
    np.testing.assert_array_equal(softmax([[-INF, -INF], [0, 0]]), [[0, 0], [0.5, 0.5]])
    np.testing.assert_array_equal(softmax([[-INF, 0], [-INF, 0]], axis=0), [[0, 0.5], [0, 0.5]])


@pytest.mark.filterwarnings("error")
def test_softmax_of_infinity_or_no_number_gives_no_numbers_in_its_row_alone_and_does_not_warn():
    rows = [[np.inf, 1.0], [np.nan, 1.0], [0.0, 0.0]]
    np.testing.assert_array_equal(softmax(rows), [[np.nan] * 2, [np.nan] * 2, [0.5, 0.5]])


def test_softmax_of_huge_numbers_neither_overflows_nor_warns():
    np.testing.assert_array_equal(softmax([1e300, 1e300]), [0.5, 0.5])
    np.testing.assert_array_equal(softmax([-1e300, 0, -1e300]), [0, 1, 0])
    assert_close(softmax([1000.0, 1000 + math.log(3)]), [0.25, 0.75])


# Projection


def test_project_multiplies_each_row_of_x_by_the_weight():
    np.testing.assert_array_equal(
        project([[1, 2], [3, 4], [5, 6]], [[1, 0, -1], [2, 1, 0]]),
        [[5, 2, -1], [11, 4, -3], [17, 6, -5]],
    )


def test_project_keeps_the_leading_axes_and_broadcasts_those_of_the_weight():
    x, weight = np.random.default_rng(8).normal(size=(2, 1, 4, 3)), np.arange(30.0).reshape(5, 3, 2)
    result = project(x, weight)
    assert result.shape == (2, 5, 4, 2)
    for batch, head in np.ndindex(2, 5):
        assert_close(result[batch, head], project(x[batch, 0], weight[head]))


@pytest.mark.parametrize(
    ("x", "weight"), [((3, 5), (4, 2)), ((3, 5), (2, 5)), ((5,), (5, 2)), ((3, 5), (5,)), ((), (5, 2))]
)
def test_project_names_both_shapes_where_they_do_not_fit(x, weight):
    with pytest.raises(ValueError) as error:
        project(np.ones(x), np.ones(weight))
    assert f"X {x}" in str(error.value)
    assert f"W {weight}" in str(error.value)


def test_a_finite_mask_beyond_the_precision_of_the_scores_does_not_become_infinite():
    query, key = np.ones((2, 4), np.float32), np.ones((3, 4), np.float32)
    steps = scaled_dot_product_attention(query, key, attn_mask=np.full((2, 3), np.finfo(np.float64).min))
    assert steps.masked.dtype == np.float32
    np.testing.assert_allclose(steps.weights, 1 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [((3, 4), (2, 5, 4), (3, 5, 4)), ((1, 1, 3, 4), (2, 1, 5, 4), (3, 1, 5, 4))],
)
def test_leading_axes_of_key_and_value_that_do_not_fit_each_other_are_named(query, key, value):
    with pytest.raises(ValueError, match="do not fit") as error:
        scaled_dot_product_attention(np.ones(query), np.ones(key), np.ones(value))
    assert str(key) in str(error.value)
    assert str(value) in str(error.value)


@pytest.mark.parametrize(
    ("weights", "number"),
    [([1, 0, 0], 0), ([0.25] * 4, 2), ([0.5, 0.25, 0.25, 0], 1.5), ([1 / 64] * 64, 6), ([1], 0), ([0, 0], 0)],
)
def test_the_entropy_of_known_weights(weights, number):
    found = entropy(np.array(weights, float))
    assert found == pytest.approx(number, abs=1e-12)
    assert math.copysign(1, found) == 1
