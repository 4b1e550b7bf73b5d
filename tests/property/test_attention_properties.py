"""What holds for every attention, whatever the numbers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import causal_mask, scaled_dot_product_attention, softmax

# The same examples on every run and every machine.
reproducible = settings(derandomize=True, deadline=None, max_examples=200)

lengths = st.integers(1, 6)
widths = st.integers(1, 4)
anything = st.floats(width=64)


def matrices(rows, columns, largest=10.0):
    return arrays(float, (rows, columns), elements=st.floats(-largest, largest))


@st.composite
def attentions(draw, same_length=False):
    """Query, key and value that fit each other."""
    queries, d_k, d_v = draw(lengths), draw(widths), draw(widths)
    keys = queries if same_length else draw(lengths)
    return draw(matrices(queries, d_k)), draw(matrices(keys, d_k)), draw(matrices(keys, d_v))


@st.composite
def masked_attentions(draw):
    """Query, key, value and a boolean mask, in which whole rows may be False."""
    query, key, value = draw(attentions())
    return query, key, value, draw(arrays(bool, (len(query), len(key))))


@reproducible
@given(masked_attentions())
def test_weights_of_a_query_sum_to_one_or_if_fully_masked_to_zero(inputs):
    query, key, value, allowed = inputs
    steps = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    assert (steps.weights >= 0).all()
    np.testing.assert_allclose(steps.weights.sum(axis=-1), allowed.any(axis=-1), rtol=1e-14)
    np.testing.assert_array_equal(steps.weights[~allowed], 0)
    np.testing.assert_array_equal(steps.output[~allowed.any(axis=-1)], 0)


@reproducible
@given(matrices(3, 4, largest=100), st.integers(-(2**20), 2**20), st.sampled_from([0, 1]))
def test_softmax_does_not_change_when_every_number_is_shifted_alike(x, shift, axis):
    # multiples of 1/1024, so that adding the shift rounds nothing away
    x = np.round(x * 1024) / 1024
    np.testing.assert_array_equal(softmax(x + shift, axis=axis), softmax(x, axis=axis))


@reproducible
@given(matrices(1, 5, largest=1e4))
def test_softmax_keeps_the_order_of_the_numbers(x):
    order = np.argsort(x[0])
    assert (np.diff(softmax(x)[0, order]) >= 0).all()


@reproducible
@given(attentions(), st.data())
def test_permuting_the_keys_with_their_values_changes_no_output(inputs, data):
    query, key, value = inputs
    order = data.draw(st.permutations(range(len(key))))
    steps = scaled_dot_product_attention(query, key, value)
    permuted = scaled_dot_product_attention(query, key[order], value[order])
    np.testing.assert_allclose(permuted.weights, steps.weights[:, order], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(permuted.output, steps.output, rtol=1e-9, atol=1e-11)


@reproducible
@given(attentions(same_length=True), st.data())
def test_permuting_the_tokens_permutes_the_outputs_where_nothing_is_masked(inputs, data):
    query, key, value = inputs
    order = data.draw(st.permutations(range(len(query))))
    output = scaled_dot_product_attention(query, key, value).output
    permuted = scaled_dot_product_attention(query[order], key[order], value[order]).output
    np.testing.assert_allclose(permuted, output[order], rtol=1e-9, atol=1e-11)


@reproducible
@given(attentions(same_length=True), st.data())
def test_under_a_causal_mask_a_query_ignores_whatever_comes_after_it(inputs, data):
    query, key, value = inputs
    i = data.draw(st.integers(0, len(query) - 1))
    before = scaled_dot_product_attention(query, key, value, is_causal=True)
    for array in inputs:
        later = array[i + 1 :]
        later[...] = data.draw(arrays(float, later.shape, elements=anything))
    with np.errstate(over="ignore"):
        after = scaled_dot_product_attention(query, key, value, is_causal=True)
    np.testing.assert_allclose(after.weights[: i + 1], before.weights[: i + 1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(after.output[: i + 1], before.output[: i + 1], rtol=1e-12, atol=1e-12)


@reproducible
@given(attentions(same_length=True), st.data())
def test_under_a_causal_mask_a_query_ignores_nan_after_it(inputs, data):
    query, key, value = inputs
    i = data.draw(st.integers(0, len(query) - 1))
    before = scaled_dot_product_attention(query, key, value, is_causal=True).output
    for array in inputs:
        array[i + 1 :] = np.nan
    after = scaled_dot_product_attention(query, key, value, is_causal=True).output
    np.testing.assert_allclose(after[: i + 1], before[: i + 1], rtol=1e-12, atol=1e-12)
    assert np.isnan(after[i + 1 :]).all()


@reproducible
@given(masked_attentions())
def test_whatever_stands_in_a_masked_place_changes_nothing(inputs):
    query, key, value, allowed = inputs
    seen = allowed.any(axis=0)
    before = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    key[~seen], value[~seen] = np.inf, np.nan
    after = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    np.testing.assert_allclose(after.weights, before.weights, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(after.output, before.output, rtol=1e-12, atol=1e-12)


@reproducible
@given(masked_attentions())
def test_an_output_lies_within_the_range_of_the_visible_values(inputs):
    query, key, value, allowed = inputs
    output = scaled_dot_product_attention(query, key, value, attn_mask=allowed).output
    for i in np.flatnonzero(allowed.any(axis=-1)):
        visible = value[allowed[i]]
        assert (output[i] >= visible.min(axis=0) - 1e-13).all()
        assert (output[i] <= visible.max(axis=0) + 1e-13).all()


@reproducible
@given(
    matrices(4, 4, largest=1e4),
    matrices(4, 2),
    st.booleans(),
    st.sampled_from([0.0, 1.0, 50.0]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.sampled_from([np.float32, np.float64]),
)
def test_scores_up_to_ten_thousand_give_neither_nan_nor_overflow(
    scores, value, is_causal, softcap, temperature, precision
):
    query, key, value = (array.astype(precision) for array in (scores, np.eye(4), value))
    # e^x may underflow to zero: that is what a weight too small to write down is
    with np.errstate(all="raise", under="ignore"):
        steps = scaled_dot_product_attention(
            query, key, value, scale=1.0, is_causal=is_causal, softcap=softcap, temperature=temperature
        )
    np.testing.assert_array_equal(steps.scores, query)
    visible = causal_mask(4) if is_causal else np.ones((4, 4), dtype=bool)
    assert np.isfinite(steps.masked[visible]).all()
    assert np.isfinite(steps.output).all()
    np.testing.assert_allclose(steps.weights.sum(axis=-1), 1, rtol=1e-6)


@reproducible
@given(attentions(), st.floats(0.1, 10))
def test_temperature_does_what_dividing_the_scale_by_it_does(inputs, temperature):
    query, key, _ = inputs
    heated = scaled_dot_product_attention(query, key, scale=1.0, temperature=temperature)
    rescaled = scaled_dot_product_attention(query, key, scale=1 / temperature)
    np.testing.assert_allclose(heated.weights, rescaled.weights, rtol=1e-9, atol=1e-12)
