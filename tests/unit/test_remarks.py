"""What is remarked at a stage, held against the numbers that it is of."""

import numpy as np
import pytest

from core.matrices import remove, rename, set_cells, set_matrix
from core.remarks import remark
from core.stages import attend, stage
from tests.examples import PRESETS

EMMA = PRESETS["emma_sentence"].inputs
BUT_AND_IS = [3, 5]


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_queries_of_zeros_score_nothing_and_look_at_all_that_they_see_alike(scale, causal):
    attention = attend(EMMA, scale=scale, causal=causal)
    assert remark(attention, "scores").startswith("`but` and `is` have a query of zeros:")
    assert not stage(attention, "scores").values[BUT_AND_IS].any()
    assert remark(attention, "weights").startswith("`but` and `is` give all they see the same weight.")
    weights = stage(attention, "weights").values[BUT_AND_IS]
    for row, sees in zip(weights, (4, 6) if causal else (9, 9), strict=True):
        np.testing.assert_allclose(row[:sees], 1 / sees, rtol=1e-15)
        assert not row[sees:].any()


@pytest.mark.parametrize("name", ["i_love_coding", "random_qkv"])
def test_the_last_query_is_said_to_keep_its_weights_where_the_mask_is_on(name):
    inputs = PRESETS[name].inputs
    free, masked = (attend(inputs, scale=True, causal=causal) for causal in (False, True))
    said = f"`{masked.query_titles[-1]}` comes last and sees every key"
    assert remark(masked, "weights").startswith(said)
    np.testing.assert_array_equal(masked.steps.weights[-1], free.steps.weights[-1])
    assert (masked.steps.weights[:-1] != free.steps.weights[:-1]).any(axis=1).all()
    assert said not in remark(free, "weights")


def test_more_queries_of_zeros_than_a_line_has_room_for_are_counted():
    values = EMMA.matrices["queries"].values.copy()
    values[0] = 0
    attention = attend(set_matrix(EMMA, "queries", values), scale=True, causal=False)
    assert remark(attention, "scores").startswith("3 rows have a query of zeros:")


def test_one_query_of_zeros_is_told_by_its_name_cut_and_shown_as_it_is():
    inputs = rename(set_cells(EMMA, {("queries", 3, 0): 1.0}), "tokens", 5, "<b>*is*</b> and more")
    attention = attend(inputs, scale=True, causal=False)
    assert remark(attention, "scores").startswith("`<b>*is*</b>…` has a query of zeros: it looks for nothing")
    assert remark(attention, "weights").startswith("`<b>*is*</b>…` gives all it sees the same weight.")


def test_where_there_are_no_values_the_weights_are_the_end():
    ends = "Without values, it ends here."
    assert {id for id, preset in PRESETS.items() if _of_weights(preset).endswith(ends)} == {"emma_sentence"}


def _of_weights(preset):
    return remark(attend(preset.inputs, scale=True, causal=False), "weights")


def test_why_a_step_is_taken_is_said_where_it_is_taken():
    assert (
        remark(attend(EMMA, scale=True, causal=False), "scaled")
        == "Undivided, random vectors of a large dₖ give one key nearly all weight."
    )
    assert remark(attend(EMMA, scale=False, causal=False), "scaled") == ""
    assert "a score of −∞ gets weight 0" in remark(attend(EMMA, scale=False, causal=True), "masked")
    assert remark(attend(EMMA, scale=False, causal=False), "masked") == ""


def test_a_query_of_one_number_is_said_to_be_divided_by_1():
    inputs = EMMA
    for dimension in (3, 2, 1):
        inputs = remove(inputs, "dimensions", dimension)
    attention = attend(inputs, scale=True, causal=False)
    assert remark(attention, "scaled") == "With dₖ = 1 nothing changes: √1 = 1."
    np.testing.assert_array_equal(attention.steps.scaled, attention.steps.scores)
    assert remark(attend(EMMA, scale=True, causal=False), "scaled") != remark(attention, "scaled")
