"""Numbers at the edge: what overflows or underflows, is not in view, or is nothing divided by nothing."""

import math
import re

import numpy as np
import pytest

from core import explain, working
from core.comparison import comparable
from core.matrices import Axis, Inputs, Matrix, insert, rounded_text, set_cells, set_matrix
from core.script import script
from core.stages import attend, difference, stage
from core.symptoms import symptom
from core.what_if import WhatIf, attend_if, in_order_of, offered
from tests.unit.cases import PRESETS, attention_of, cases_of, expected, shares
from tests.unit.records import records
from tests.unit.test_script import assert_computes, assert_is_short, example_of
from tests.unit.test_symptoms import names, sentence, text


@pytest.mark.parametrize(
    "case", [case for case in cases_of("no_maximum") if case.preset == "three_tokens"], ids=str
)
def test_without_the_maximum_0_over_0_is_explained_as_the_not_a_number_that_it_is(case):
    attention = attention_of(case)
    for query, weights in enumerate(attention.steps.weights):
        np.testing.assert_array_equal(
            np.isnan(explain.softmax_of(attention, query, 0).softmax), np.isnan(weights)
        )
        for key, weight in enumerate(weights):
            share = explain.softmax_share(attention, query, key).share
            assert math.isnan(share) == math.isnan(weight)
            line = next(x for x in working.path(attention, query, key, 4) if x.startswith("**Weight**"))
            assert ("NaN" in line) == math.isnan(weight)
            assert "defined as" not in line


def test_an_output_that_is_not_a_number_has_no_colour_and_spoils_no_other():
    """Of one query the weights overflow, of the other they do not."""
    inputs = PRESETS["three_tokens"].inputs
    shown = stage(attend_if(inputs, WhatIf("no_maximum", 1000), scale=True, causal=False), "output")
    lost = np.isnan(shown.values).ravel()
    assert lost.any()
    assert math.isfinite(shown.bound)
    shades = records(shown, 2)["shade"].to_numpy()
    assert (shades[lost] == 0).all()
    assert np.isfinite(shades).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_downloaded_script_is_a_file_that_python_reads(preset):
    """PEP 263: "coding: the" in a comment of the first two lines would name the encoding of the file."""
    attention = attend(PRESETS[preset].inputs, scale=True, causal=False)
    compile(
        script(attention, f"{PRESETS[preset].title}: the numbers of the page").encode(), "script.py", "exec"
    )


@pytest.mark.parametrize("case", [case for case in cases_of("no_maximum") if case.amount > 1], ids=str)
def test_what_the_weight_is_with_the_maximum_subtracted_is_that_of_the_larger_scores(case):
    told = re.search(r"subtracted, `(.+)` → `(.+)` is (.+)\.$", sentence(case)).groups()
    query, key = (of.index(name) for of, name in zip(names(case), told, strict=False))
    right = shares(expected(case).masked[query].tolist())[key]
    assert told[2] == text(right)
    assert np.isnan(expected(case).weights[query, key])
    assert (query, key) == case.pair or not np.isnan(expected(case).weights[case.pair])


@pytest.mark.parametrize("projected", [True, False], ids=["embeddings", "queries"])
def test_the_script_of_every_what_if_is_as_short_for_every_number_of_tokens(projected):
    too_long = {}
    for width in (1, 3, 5):
        for tokens in range(1, 25):
            inputs = example_of(tokens, width, projected, np.random.default_rng(2))
            for kind in offered(inputs, unordered=False):
                lines = script(
                    attend_if(inputs, WhatIf(kind, 2.0), scale=True, causal=True), "T"
                ).splitlines()
                if len(lines) > 40:
                    too_long[tokens, width, kind] = len(lines)
    assert too_long == {}


def test_the_script_of_more_animals_is_as_short():
    inputs = PRESETS["animal_lookup"].inputs
    for place in range(2):
        inputs = insert(inputs, "keys", 5, f"key {place}")
    for place in range(4):
        inputs = insert(inputs, "queries", 2, f"query {place}")
    assert_is_short(script(attend_if(inputs, WhatIf("blind_query"), scale=True, causal=False), "Title"))


def test_a_stage_that_is_not_there_now_cannot_be_compared():
    before, now = (
        attend(PRESETS[name].inputs, scale=True, causal=False) for name in ("three_tokens", "emma_sentence")
    )
    assert not any(comparable(before, now, name) for name in ("queries", "keys", "values", "output"))


@pytest.mark.parametrize("sums_of", ["rows", "columns"])
def test_a_difference_of_a_masked_and_a_seen_score_has_a_shade_within_its_bounds(sums_of):
    inputs = PRESETS["random_qkv"].inputs
    inputs = set_matrix(inputs, "queries", inputs.matrices["queries"].values / 20)
    masked, seen, blind = (
        stage(attend(inputs, scale=True, causal=causal, blind_query=blind), "masked")
        for causal, blind in ((True, None), (False, None), (False, 1))
    )
    for now, before in ((masked, seen), (seen, masked), (masked, blind), (blind, masked)):
        data = records(difference(now, before), 2, sums_of)
        assert data["shade"].abs().max() <= 1


def test_a_masked_key_with_a_score_of_0_beside_huge_scores_is_not_said_to_get_weight():
    inputs = set_cells(PRESETS["i_love_coding"].inputs, {("embeddings", 0, 0): 1e6})
    right, wrong = (
        attend_if(inputs, kind, scale=False, causal=True)
        for kind in (WhatIf("temperature"), WhatIf("masked_zero"))
    )
    assert not wrong.steps.weights[wrong.steps.hidden].any()
    said = symptom(right, wrong, "weights", WhatIf("masked_zero"), 0, 0, 2).sentence
    assert said == "Masked keys get **0** all the same: 1 is too small beside the powers of these scores."


def test_sums_that_are_all_the_same_are_told_once():
    inputs = two_tokens([[1.0, 0.0]] * 2, [[1.0, 0.0]] * 2)
    said = "The weights of a query sum to **1.00**. Those of a key, over all queries, sum to 1."
    assert told(inputs, WhatIf("softmax_over_queries")).sentence == said


def test_where_all_weight_went_to_masked_keys_nothing_is_left_to_divide_by():
    """0 / 0 without a warning, and a sentence that does not call the difference a matter of rounding."""
    inputs, what_if = (
        set_cells(PRESETS["random_qkv"].inputs, {("keys", 1, 0): -50000.0}),
        WhatIf("mask_after_divided"),
    )
    right, wrong = (
        attend(inputs, scale=True, causal=True),
        attend_if(inputs, what_if, scale=True, causal=True),
    )
    assert np.isnan(wrong.steps.weights[0]).all()
    np.testing.assert_allclose(wrong.steps.weights[1:], right.steps.weights[1:], rtol=0, atol=1e-12)
    assert "rounding" not in symptom(right, wrong, "weights", what_if, 2, 1, 2).sentence
    assert working.worked(wrong, "weights", 0, 0, 0, 2).endswith(", then 0.00 / 0.00 left = **NaN**")


@pytest.mark.parametrize(("number", "text"), [(0.00045, "0.0005"), (0.00035, "0.0004"), (-0.0025, "-0.003")])
def test_half_a_unit_of_the_only_digit_is_rounded_away_from_0(number, text):
    assert rounded_text(number, 1 if abs(number) > 0.001 else 2) == text


def test_a_blind_query_that_is_not_in_view_is_not_said_of_another():
    inputs, what_if = PRESETS["animal_lookup"].inputs, WhatIf("blind_query", query=0)
    right = attend(inputs, scale=True, causal=False, only_query=1)
    wrong = attend_if(inputs, what_if, scale=True, causal=False, only_query=1)
    assert wrong.steps.weights.sum() == pytest.approx(1)
    said = symptom(right, wrong, "weights", what_if, 0, 0, 2).sentence
    assert "`reptile`" not in said or "are **0**" not in said


def two_tokens(queries, keys):
    axes = {name: Axis(name, names, (0, 1)) for name, names in (("t", ("a", "b")), ("d", ("x", "y")))}
    matrices = {"queries": Matrix(np.array(queries), "t", "d"), "keys": Matrix(np.array(keys), "t", "d")}
    return Inputs(axes, matrices)


def test_a_mask_after_the_softmax_that_takes_next_to_nothing_or_nothing_is_told_so():
    what_if = WhatIf("mask_after")
    for first, said in ((7.0, "The weights of `a` sum to **0.999**, not to 1."), (90.0, "Every sum is 1: ")):
        inputs = two_tokens([[first, 0.0], [0, 0]], [[1.0, 0.0], [0, 0]])
        right, wrong = (
            attend_if(inputs, kind, scale=False, causal=True) for kind in (WhatIf("temperature"), what_if)
        )
        assert symptom(right, wrong, "weights", what_if, 0, 0, 2).sentence.startswith(said)


def told(inputs, what_if, name="weights", causal=False):
    """What is seen at a stage of unscaled attention with one thing changed."""
    wrong = attend_if(inputs, what_if, scale=False, causal=causal)
    right = in_order_of(attend(inputs, scale=False, causal=causal), inputs, what_if)
    return symptom(right, wrong, name, what_if, 0, 0, 2)


def test_a_sum_that_overflows_is_told_though_each_of_its_powers_is_a_number():
    inputs, what_if = two_tokens([[1.0, 0.0]] * 2, [[709.5, 0.0]] * 2), WhatIf("no_maximum", 1)
    assert not attend_if(inputs, what_if, scale=False, causal=False).steps.weights.any()
    said = "The sum of `a` overflows: its powers add up to ∞, so its weights are **0**."
    assert told(inputs, what_if).sentence == said


@pytest.mark.parametrize(
    ("first", "times", "hint"), [(0.0, 1, False), (0.01, 10000, False), (0.01, 1, False), (0.1, 1, True)]
)
def test_a_factor_is_to_be_raised_only_where_that_can_overflow(first, times, hint):
    inputs = two_tokens([[first, 0.0]] * 2, [[1.0, 0.0]] * 2)
    said = told(inputs, WhatIf("no_maximum", times)).sentence
    assert said.startswith("Nothing overflows")
    assert said.endswith("Raise the factor.") is hint


def test_a_difference_that_lost_digits_make_is_not_called_a_rounding():
    names = ("a", "b", "c")
    axes = {"t": Axis("t", names, (0, 1, 2)), "d": Axis("d", ("x",), (0,))}
    matrices = {
        "queries": Matrix(np.ones((3, 1)), "t", "d"),
        "keys": Matrix(np.array([[-739.5], [-741], [0]]), "t", "d"),
    }
    said = told(Inputs(axes, matrices), WhatIf("mask_after_divided"), causal=True).sentence
    assert "but for the rounding" not in said
    assert "lose digits" in said


def test_no_output_is_framed_for_a_rounding_of_large_numbers():
    inputs = PRESETS["i_love_coding"].inputs
    large = set_matrix(inputs, "W_value", inputs.matrices["W_value"].values * 1.1e8 / 3)
    right, wrong = (
        attend_if(large, what_if, scale=True, causal=False)
        for what_if in (WhatIf("temperature"), WhatIf("shuffled"))
    )
    right = in_order_of(right, large, WhatIf("shuffled"))
    assert (right.steps.output != wrong.steps.output).any()
    assert not symptom(right, wrong, "output", WhatIf("shuffled"), 0, 0, 2).cells.any()


def test_vectors_whose_squares_are_0_have_a_length_and_a_direction():
    inputs = two_tokens([[3.0, 4.0], [0, 0]], [[3e-170, 4e-170], [1, 1]])
    attention = attend(inputs, scale=False, causal=False)
    found = explain.lengths(attention, 0, 0)
    assert (found.query, found.key) == pytest.approx((5, 5e-170))
    assert found.cosine == pytest.approx(1)
    assert not any("vector of zeros" in line for line in working.path(attention, 0, 0, 2))
    assert math.isnan(explain.lengths(attention, 1, 0).cosine)
    inputs = two_tokens([[3e-200, 4e-200], [0, 0]], [[3e-200, 4e-200], [1, 1]])
    assert explain.lengths(attend(inputs, scale=False, causal=False), 0, 0).cosine == pytest.approx(1)


def test_one_token_alone_is_not_shuffled():
    axes = {name: Axis(name, (name,), (0,)) for name in "td"}
    one = Matrix(np.ones((1, 1)), "t", "d")
    assert "shuffled" not in offered(Inputs(axes, {"queries": one, "keys": one}), unordered=False)


def test_one_token_is_told_no_more_to_turn_on_the_causal_mask_that_is_on():
    axes = {name: Axis(name, (name,), (0,)) for name in "td"}
    one = Matrix(np.ones((1, 1)), "t", "d")
    inputs, what_if = Inputs(axes, {"queries": one, "keys": one}), WhatIf("masked_zero")
    wrong = attend_if(inputs, what_if, scale=True, causal=True)
    said = symptom(wrong, wrong, "weights", what_if, 0, 0, 2).sentence
    assert said == "No key is masked: every query sees all keys."


def test_the_script_of_the_root_of_d_model_says_what_it_divides_by():
    attention = attend_if(PRESETS["three_tokens"].inputs, WhatIf("sqrt_d_model"), scale=True, causal=False)
    line = next(x for x in script(attention, "T").splitlines() if x.startswith("scaled = "))
    assert line == "scaled = scores / np.sqrt(5)  # d_model, and not the d_k = 4 numbers in each query"


def test_the_same_what_if_is_computed_once():
    inputs, what_if = PRESETS["emma_sentence"].inputs, WhatIf("longer_key", key=7)
    first, again = (attend_if(inputs, what_if, scale=True, causal=False) for _ in range(2))
    assert first is again


def test_the_script_of_a_softmax_over_queries_gives_0_to_a_key_that_no_query_may_see():
    axes = {name: Axis(name, tuple("abc"[:n]), tuple(range(n))) for name, n in (("q", 2), ("k", 3), ("d", 1))}
    matrices = {"queries": Matrix(np.ones((2, 1)), "q", "d"), "keys": Matrix(np.ones((3, 1)), "k", "d")}
    attention = attend_if(Inputs(axes, matrices), WhatIf("softmax_over_queries"), scale=True, causal=True)
    assert attention.steps.weights[:, 2].tolist() == [0, 0]
    assert_computes(script(attention, "Title"), attention)


@pytest.mark.parametrize("case", [case for case in cases_of("no_maximum") if case.amount > 1], ids=str)
def test_a_rounded_quotient_has_no_equals_sign(case):
    attention = attention_of(case)
    for query, key in np.ndindex(attention.steps.weights.shape):
        said = working.worked(attention, "weights", query, key, 0, 2)
        assert "= 0.00 / " not in said


@pytest.mark.parametrize("case", [case for case in cases_of("temperature") if case.causal], ids=str)
def test_the_most_bits_are_those_of_the_keys_in_sight(case):
    seen = int((~expected(case).hidden[case.pair[0]]).sum())
    assert sentence(case).endswith(f" bits of at most {text(math.log2(seen))}.")
