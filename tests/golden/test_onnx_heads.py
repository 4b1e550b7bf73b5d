"""ONNX's own cases of multi-head attention in three dimensions, as oracle of core.heads."""

import numpy as np
import pytest

from core.attention import scaled_dot_product_attention
from core.heads import attend_in_heads, joined, possible_heads, split
from core.matrices import Axis, Inputs, Matrix
from core.stages import attend
from tests.golden.test_onnx_cases import ALL, attributes_of, inputs_of, outputs_of, why_left_out


def is_of_plain_heads(case):
    """Whether queries, keys and values come uncut, as many key heads as query heads, with no softcap."""
    attributes = attributes_of(case)
    return (
        not why_left_out(case)
        and inputs_of(case)["Q"].ndim == 3
        and attributes["q_num_heads"] == attributes["kv_num_heads"]
        and not attributes.get("softcap", 0.0)
    )


def is_that_of_a_page(case):
    """Whether its mask and its scale are among those that a page can choose."""
    return "attn_mask" not in inputs_of(case) and attributes_of(case).get("scale", 1.0) == 1


HEADS = [name for name, case in ALL.items() if is_of_plain_heads(case)]
OF_PAGES = [name for name in HEADS if is_that_of_a_page(ALL[name])]


def batches(case):
    """Query, key, value and expected output of each batch element, each (tokens, heads * width)."""
    given = inputs_of(case)
    return zip(given["Q"], given["K"], given["V"], outputs_of(case)["Y"], strict=True)


def assert_agrees(output, expected, case):
    assert output.shape == expected.shape
    np.testing.assert_allclose(output, expected, rtol=case.rtol, atol=case.atol)


def inputs_from(query, key, value):
    axes = {
        name: Axis(name, tuple(f"{name} {i}" for i in range(count)), tuple(range(count)))
        for name, count in (
            ("query", len(query)),
            ("key", len(key)),
            ("dimension", query.shape[1]),
            ("value dimension", value.shape[1]),
        )
    }
    matrices = {
        "queries": Matrix(query.astype(float), "query", "dimension"),
        "keys": Matrix(key.astype(float), "key", "dimension"),
        "values": Matrix(value.astype(float), "key", "value dimension"),
    }
    return Inputs(axes, matrices)


@pytest.mark.parametrize("name", HEADS)
def test_split_attended_and_joined_is_the_output_of_the_onnx_case(name):
    case, attributes = ALL[name], attributes_of(ALL[name])
    mask = inputs_of(case).get("attn_mask")
    assert mask is None or mask.ndim == 2  # one for all heads and batch elements
    for query, key, value, expected in batches(case):
        steps = scaled_dot_product_attention(
            *(split(x, attributes["q_num_heads"]) for x in (query, key, value)),
            attn_mask=mask,
            is_causal=bool(attributes.get("is_causal", 0)),
            scale=attributes.get("scale"),
        )
        assert_agrees(joined(steps.output), expected, case)


@pytest.mark.parametrize("name", OF_PAGES)
def test_a_page_s_attention_in_heads_is_the_output_of_the_onnx_case(name):
    case, attributes = ALL[name], attributes_of(ALL[name])
    for query, key, value, expected in batches(case):
        attention = attend(
            inputs_from(query, key, value),
            scale="scale" not in attributes,
            causal=bool(attributes.get("is_causal", 0)),
        )
        assert attributes["q_num_heads"] in possible_heads(attention)
        found = attend_in_heads(attention, attributes["q_num_heads"])
        assert found.d_k == query.shape[1] // attributes["q_num_heads"]
        assert_agrees(found.output, expected, case)


def test_the_onnx_cases_have_several_heads_masks_and_values_of_another_width():
    assert len(HEADS) >= 9
    assert len(OF_PAGES) >= 5
    assert all(attributes_of(ALL[name])["q_num_heads"] > 1 for name in HEADS)
    for names in (HEADS, OF_PAGES):
        assert {bool(attributes_of(ALL[name]).get("is_causal", 0)) for name in names} == {True, False}
        assert any(inputs_of(ALL[name])["V"].shape != inputs_of(ALL[name])["K"].shape for name in names)
    assert any("attn_mask" in inputs_of(ALL[name]) for name in HEADS)
