"""ONNX's own test cases of its Attention operator, all those within what core.attention offers."""

import warnings

import numpy as np
import pytest
from onnx import TensorProto
from onnx.backend.test.case.node import collect_testcases
from onnx.helper import get_attribute_value

from core.attention import scaled_dot_product_attention


def collect_attention_cases():
    """The cases by name, without those that ONNX repeats with the operator expanded into others."""
    with warnings.catch_warnings():
        # collecting runs the generators of every operator, and some divide by zero on purpose
        warnings.simplefilter("ignore", RuntimeWarning)
        cases = collect_testcases("Attention")
    return {case.name: case for case in cases if "_expanded" not in case.name}


def attributes_of(case):
    return {a.name: get_attribute_value(a) for a in case.model.graph.node[0].attribute}


def inputs_of(case):
    names = [name for name in case.model.graph.node[0].input if name]
    return dict(zip(names, case.data_sets[0][0], strict=True))


def outputs_of(case):
    names = [name for name in case.model.graph.node[0].output if name]
    return dict(zip(names, case.data_sets[0][1], strict=True))


def why_left_out(case):
    attributes, inputs = attributes_of(case), inputs_of(case)
    reasons = []
    if "past_key" in inputs:
        reasons.append("KV cache")
    if "nonpad_kv_seqlen" in inputs:
        reasons.append("external KV cache")
    if case.model.graph.input[0].type.tensor_type.elem_type == TensorProto.BFLOAT16:
        reasons.append("bfloat16")
    if max(attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)) >= 0:
        reasons.append("local window")
    return ", ".join(reasons)


def split_heads(x, heads):
    """(batch, tokens, heads * width) to (batch, heads, tokens, width)."""
    batch, tokens, width = x.shape
    return x.reshape(batch, tokens, heads, width // heads).swapaxes(1, 2)


def join_heads(x):
    batch, heads, tokens, width = x.shape
    return x.swapaxes(1, 2).reshape(batch, tokens, heads * width)


def run(case):
    inputs, attributes = inputs_of(case), attributes_of(case)
    query, key, value = inputs["Q"], inputs["K"], inputs["V"]
    if query.ndim == 3:
        query = split_heads(query, attributes["q_num_heads"])
        key, value = (split_heads(x, attributes["kv_num_heads"]) for x in (key, value))
    return scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=inputs.get("attn_mask"),
        is_causal=bool(attributes.get("is_causal", 0)),
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap", 0.0),
    )


def assert_agrees(actual, expected, case):
    """Equal within the case's own tolerances.

    For float16 cases ONNX rounds to float16 after every step, core.attention computes in float32.
    Its result is rounded to float16 once, here, as that is all the precision the expected one has.
    """
    assert actual.dtype == (np.float32 if expected.dtype == np.float16 else expected.dtype)
    rounded = actual.astype(expected.dtype).astype(np.float64)
    np.testing.assert_allclose(rounded, expected.astype(np.float64), rtol=case.rtol, atol=case.atol)


ALL = collect_attention_cases()
LEFT_OUT = {name: why_left_out(case) for name, case in ALL.items() if why_left_out(case)}
RUN = [name for name in ALL if name not in LEFT_OUT]
WITH_QK_MATMUL = [name for name in RUN if "qk_matmul_output" in outputs_of(ALL[name])]


@pytest.mark.parametrize("name", RUN)
def test_the_output_is_that_of_the_onnx_case(name):
    expected = outputs_of(ALL[name])["Y"]
    output = run(ALL[name]).output
    assert_agrees(join_heads(output) if expected.ndim == 3 else output, expected, ALL[name])


@pytest.mark.parametrize("name", WITH_QK_MATMUL)
def test_the_step_before_the_output_is_that_of_the_onnx_case(name):
    case, steps = ALL[name], run(ALL[name])
    mode = attributes_of(case).get("qk_matmul_output_mode", 0)
    if mode == 0:
        scale = attributes_of(case).get("scale", inputs_of(case)["Q"].shape[-1] ** -0.5)
        step = steps.scores * np.float32(scale)
    else:
        step = {1: steps.scaled, 2: steps.masked, 3: steps.weights}[mode]
    assert_agrees(step, outputs_of(case)["qk_matmul_output"], case)


def test_the_onnx_cases_check_every_step():
    modes = {attributes_of(ALL[name]).get("qk_matmul_output_mode", 0) for name in WITH_QK_MATMUL}
    assert modes == {0, 1, 2, 3}


def test_every_onnx_case_either_runs_or_is_left_out_for_a_reason(capsys):
    with capsys.disabled():
        print(f"\nONNX Attention cases: {len(ALL)}, of which {len(RUN)} run and {len(LEFT_OUT)} are left out")
        for name, reason in LEFT_OUT.items():
            print(f"  left out: {name}: {reason}")
    assert len(RUN) >= 43
    assert len(RUN) + len(LEFT_OUT) == len(ALL)
    known = {"KV cache", "external KV cache", "bfloat16", "local window"}
    assert {part for reason in LEFT_OUT.values() for part in reason.split(", ")} == known
