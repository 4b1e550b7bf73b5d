"""What an edit moved, and whether two attentions can be held against each other, cell by cell."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.comparison import (
    Move,
    comparable,
    moved_alone,
    moved_cells,
    moved_names,
    moved_numbers,
    moved_outputs,
    moved_weights,
    same_sizes,
)
from core.matrices import Axis, Inputs, Matrix, insert, remove, rename, reorder, set_cells, set_matrix
from core.recipes import Recipe, prepared
from core.stages import attend, difference, stage, stage_names
from core.what_if import WhatIf, attend_if
from tests.unit.cases import PRESETS

EMMA, ANIMALS, RANDOM = (PRESETS[name].inputs for name in ("emma_sentence", "animal_lookup", "random_qkv"))
ON_OFF = (True, False)


def attention_of(inputs, scale=True, causal=False, **options):
    return attend(inputs, scale=scale, causal=causal, **options)


def with_steps(weights, output=None):
    """An attention of queries q0, q1, ... and keys k0, k1, ... with these weights and this output."""
    weights = np.array(weights, float)
    axes = {
        letter: Axis(letter, tuple(f"{letter}{i}" for i in range(count)), tuple(range(count)))
        for letter, count in zip("qk", weights.shape, strict=True)
    } | {"d": Axis("d", ("d0",), (0,))}
    matrices = {
        name: Matrix(np.zeros((count, 1)), letter, "d")
        for name, letter, count in zip(("queries", "keys"), "qk", weights.shape, strict=True)
    }
    attention = attend(Inputs(axes, matrices), scale=False, causal=False)
    output = None if output is None else np.array(output, float)
    return replace(attention, steps=replace(attention.steps, weights=weights, output=output))


def test_the_weights_that_moved_most_come_first():
    before = with_steps([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    now = with_steps([[0.45, 0.3, 0.25], [0.6, 0.2, 0.2]])
    assert moved_weights(before, now) == [
        Move("q1", "k2", 0.8, 0.2),
        Move("q1", "k0", 0.1, 0.6),
        Move("q1", "k1", 0.1, 0.2),
    ]


@pytest.mark.parametrize("most", [0, 1, 2, 3, 10])
def test_no_more_weights_are_given_than_asked_for_and_none_that_stayed(most):
    before, now = with_steps([[0.25, 0.75, 0], [0, 0, 1]]), with_steps([[0.5, 0.25, 0.25], [0, 0, 1]])
    wanted = [Move("q0", "k1", 0.75, 0.25), Move("q0", "k0", 0.25, 0.5), Move("q0", "k2", 0, 0.25)]
    assert moved_weights(before, now, most) == wanted[:most]


def test_weights_that_moved_alike_come_row_by_row():
    before, now = with_steps([[0.5, 0.5], [0.5, 0.5]]), with_steps([[0.25, 0.75], [0.75, 0.25]])
    assert [(move.row, move.column) for move in moved_weights(before, now, 4)] == [
        ("q0", "k0"), ("q0", "k1"), ("q1", "k0"), ("q1", "k1"),
    ]  # fmt: skip


def test_many_weights_that_moved_alike_come_row_by_row_too():
    moves = np.tile([0.25, 0.5], 72).reshape(12, 12)
    found = moved_weights(with_steps(np.zeros((12, 12))), with_steps(moves), 144)
    large, small = ([(f"q{i}", f"k{j}") for i in range(12) for j in range(k, 12, 2)] for k in (1, 0))
    assert [(move.row, move.column) for move in found] == [*large, *small]


@pytest.mark.parametrize(("change", "count"), [(0, 0), (1e-10, 0), (1e-8, 1), (-1e-8, 1)])
def test_a_change_that_rounding_could_make_is_none(change, count):
    assert len(moved_weights(with_steps([[0.5]]), with_steps([[0.5 + change]]))) == count


def test_a_weight_that_is_or_was_not_a_number_moved_most():
    before, now = with_steps([[0.5, math.nan, 0.2, math.nan]]), with_steps([[math.nan, 0.5, 0.3, math.nan]])
    moves = moved_weights(before, now)
    assert [(move.column, str(move.before), str(move.now)) for move in moves] == [
        ("k0", "0.5", "nan"),
        ("k1", "nan", "0.5"),
        ("k2", "0.2", "0.3"),
    ]


def test_setting_d1_of_mammal_to_0_moves_its_weights_from_wolf_to_salmon():
    edited = set_cells(ANIMALS, {("queries", 0, 0): 0})
    first, second, third = moved_weights(attention_of(ANIMALS), attention_of(edited))
    names = [(move.row, move.column) for move in (first, second, third)]
    assert names == [("mammal", "salmon"), ("mammal", "wolf"), ("mammal", "kitten")]
    weights = attention_of(edited).steps.weights
    assert (first.before, first.now) == (attention_of(ANIMALS).steps.weights[0, 2], weights[0, 2])
    assert all(type(number) is float for number in (first.before, first.now))


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ([[1.0, 2]], [[1.0, 2]], False),
        ([[1.0, 2]], [[1.0, 2 + 1e-10]], False),
        ([[1.0, 2]], [[1.0, 2 - 1e-8]], True),
        ([[2.3e-9, 0]], [[2.9e-9, 0]], True),
        ([[1e5, 2]], [[1e5, 2 + 1e-8]], False),
        (None, [[1.0, 2]], False),
        ([[1.0, 2]], None, False),
        (None, None, False),
    ],
)
def test_whether_an_output_moved(old, new, moved):
    assert moved_outputs(with_steps([[1]], old), with_steps([[1]], new)) is moved


def test_an_edit_of_a_value_moves_the_output_and_no_weight():
    edited = set_cells(ANIMALS, {("values", 4, 3): 5})
    before, now = attention_of(ANIMALS), attention_of(edited)
    assert moved_weights(before, now) == []
    assert moved_outputs(before, now)


def test_the_cells_that_were_edited_are_given_with_their_matrix_and_names():
    edited = set_cells(ANIMALS, {("values", 4, 3): 5, ("keys", 0, 1): -2.5, ("queries", 1, 2): 1.6})
    assert moved_cells(ANIMALS, edited) == [
        ("keys", Move("kitten", "d2", 1, -2.5)),
        ("values", Move("ferocious", "v4", 1.1, 5)),
    ]
    assert moved_cells(ANIMALS, ANIMALS) == []


def test_a_name_that_was_edited_is_the_one_that_a_cell_is_given_with():
    edited = rename(set_cells(EMMA, {("keys", 8, 0): 2}), "tokens", 8, "enemy")
    assert moved_cells(EMMA, edited) == [("keys", Move("enemy", "Person", 0, 2))]


def test_every_cell_of_a_matrix_can_move():
    edited = set_matrix(EMMA, "queries", EMMA.matrices["queries"].values + 1)
    found = moved_cells(EMMA, edited)
    assert [name for name, _ in found] == ["queries"] * 36
    assert all(move.now == move.before + 1 for _, move in found)
    assert len({(move.row, move.column) for _, move in found}) == 36


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (EMMA, True),
        (set_cells(EMMA, {("keys", 0, 0): 9}), True),
        (rename(EMMA, "tokens", 0, "Ada"), True),
        (insert(EMMA, "tokens", 9, "too"), False),
        (remove(EMMA, "tokens", 0), False),
        (insert(EMMA, "dimensions", 0, "Verb"), False),
        (ANIMALS, False),
        (Inputs(EMMA.axes, {"queries": EMMA.matrices["queries"]}), False),
    ],
)
def test_sizes_are_the_same_where_every_matrix_has_its_shape(other, same):
    assert same_sizes(EMMA, other) is same
    assert same_sizes(other, EMMA) is same


def test_attentions_over_the_same_tokens_can_be_compared_at_every_stage():
    edited = set_cells(ANIMALS, {("keys", 0, 0): 9})
    for name in stage_names(ANIMALS):
        assert comparable(attention_of(ANIMALS, scale=False), attention_of(edited), name)


@pytest.mark.parametrize(
    ("other", "stages"),
    [
        (rename(ANIMALS, "keys", 0, "cat"), ("output",)),
        (rename(ANIMALS, "queries", 0, "bird"), ()),
        (rename(ANIMALS, "value_dimensions", 0, "w"), ("scores", "scaled", "masked", "weights")),
        (insert(ANIMALS, "keys", 5, "cat"), ("output",)),
        (insert(ANIMALS, "dimensions", 3, "d4"), ("scores", "scaled", "masked", "weights", "output")),
        (reorder(ANIMALS, "keys", (4, 3, 2, 1, 0)), ("output",)),
        (RANDOM, ()),
    ],
)
def test_a_stage_with_other_rows_or_columns_cannot_be_compared(other, stages):
    found = [
        name for name in stage_names(ANIMALS) if comparable(attention_of(other), attention_of(ANIMALS), name)
    ]
    assert tuple(found) == stages


def test_a_stage_that_was_not_there_before_cannot_be_compared():
    before, now = attention_of(EMMA), attention_of(PRESETS["three_tokens"].inputs)
    assert not any(comparable(before, now, name) for name in ("queries", "keys", "values", "output"))


def test_one_query_alone_cannot_be_compared_with_all_of_them():
    alone, full = attention_of(ANIMALS, only_query=0), attention_of(ANIMALS)
    assert not comparable(alone, full, "scores")
    assert comparable(alone, attention_of(ANIMALS, only_query=0), "scores")


def test_shuffled_tokens_cannot_be_compared_with_those_in_order():
    shuffled = attend_if(EMMA, WhatIf("shuffled"), scale=True, causal=True)
    assert not comparable(attention_of(EMMA, causal=True), shuffled, "weights")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("causal", ON_OFF)
def test_a_difference_is_now_less_before_cell_by_cell(preset, causal):
    inputs = PRESETS[preset].inputs
    before, now = (attention_of(inputs, scale, causal) for scale in (True, False))
    for name in stage_names(inputs):
        old, new = stage(before, name), stage(now, name)
        moved = difference(new, old)
        for cell in np.ndindex(moved.values.shape):
            both_masked = name in ("masked", "weights") and causal and cell[1] > cell[0]
            if both_masked and name == "masked":
                assert np.isnan(moved.values[cell])  # -inf - -inf
            else:
                assert moved.values[cell] == new.values[cell] - old.values[cell]
            assert moved.hidden[cell] == both_masked
        assert moved.bound == max(old.bound, new.bound, np.nanmax(np.abs(moved.values)))
        assert not moved.are_shares
        assert (moved.name, moved.rows, moved.columns) == (name, new.rows, new.columns)


@pytest.mark.parametrize("name", ["masked", "weights"])
def test_a_cell_that_only_one_of_both_masks_is_not_hidden(name):
    masked, seen = (stage(attention_of(RANDOM, causal=causal), name) for causal in (True, False))
    later = np.triu(np.ones((4, 4), bool), k=1)
    for now, before, sign in ((masked, seen, -1), (seen, masked, 1)):
        moved = difference(now, before)
        assert not moved.hidden.any()
        wanted = np.where(later, sign * np.inf, 0) if name == "masked" else now.values - before.values
        np.testing.assert_array_equal(moved.values, wanted)
        assert math.isfinite(moved.bound)


def test_the_bound_of_a_difference_holds_all_three_stages():
    """So that A, B and B - A can be shown in the same colours."""
    shown = stage(attention_of(RANDOM), "scores")
    small, large = (replace(shown, values=shown.values * times, bound=times) for times in (-2.0, 3.0))
    small = replace(small, bound=2.0)
    largest = float(np.abs(shown.values * 5).max())
    assert difference(large, small).bound == largest > 3
    assert difference(large, large).bound == 3
    assert difference(shown, replace(shown, bound=100.0)).bound == 100


def test_what_is_not_a_number_differs_by_what_is_not_a_number():
    plain = attention_of(RANDOM)
    broken = attend_if(RANDOM, WhatIf("no_maximum", 1000), scale=True, causal=False)
    moved = difference(stage(broken, "weights"), stage(plain, "weights"))
    np.testing.assert_array_equal(np.isnan(moved.values), np.isnan(broken.steps.weights))
    assert np.isnan(moved.values).sum() == 2
    assert moved.bound == 1


@pytest.mark.parametrize(
    ("causal", "matrix", "row", "alone"),
    [
        (True, "queries", 0, "token 0"),
        (True, "queries", 1, None),
        (False, "queries", 0, None),
        (True, "keys", 0, None),
        (True, "values", 0, None),
    ],
)
def test_a_query_moves_alone_where_it_sees_one_key_and_no_other_score_changed(causal, matrix, row, alone):
    edited = set_cells(RANDOM, {(matrix, row, 0): 2.5})
    assert moved_alone(attention_of(RANDOM, causal=causal), attention_of(edited, causal=causal)) == alone


def test_beside_names_that_changed_a_number_counts_that_is_another_or_new():
    before = PRESETS["emma_sentence"].inputs
    now = remove(insert(before, "tokens", 3, "hates"), "tokens", 1)
    assert moved_numbers(before, now) == 0
    assert moved_numbers(before, set_cells(now, {("keys", 0, 0): 7.0, ("queries", 2, 0): 7.0})) == 2


THE_TWICE = prepared(Recipe(), PRESETS).inputs  # "the cat sat on the mat"


@pytest.mark.parametrize(
    ("now", "gone", "come"),
    [
        (remove(THE_TWICE, "tokens", 4), ("5 the",), ()),
        (remove(THE_TWICE, "tokens", 1), ("cat",), ()),
        (rename(THE_TWICE, "tokens", 4, "a"), ("5 the",), ("a",)),
        (rename(THE_TWICE, "tokens", 1, "mat"), ("cat",), ("2 mat",)),
        (insert(THE_TWICE, "tokens", 6, "the"), (), ("7 the",)),
        (insert(THE_TWICE, "tokens", 6, "dog"), (), ("dog",)),
    ],
    ids=["one of two removed", "removed", "one of two renamed", "renamed like another", "a third", "added"],
)
def test_of_a_name_that_several_have_the_one_that_moved_is_told(now, gone, come):
    (moved,) = moved_names(THE_TWICE, now)
    assert (moved.gone, moved.come) == (gone, come)
