"""What is sent of a heatmap: a record a cell, with its text, its colour, its outline and its sum."""

import numpy as np
import pytest

from core.answer_charts import lines_data
from core.heatmap_data import Cells, cell_data
from core.recipes import Recipe, prepared
from core.stages import attend, difference, stage, stage_names
from core.what_if import WhatIf, attend_if
from tests.examples import PRESETS
from tests.unit.records import made, records, shown


def test_the_data_have_one_record_a_cell_row_by_row():
    data = records(shown("animal_lookup", "scores"), 2)
    assert data["row_name"].tolist() == ["mammal"] * 5 + ["reptile"] * 5
    assert data["column_name"].tolist() == ["kitten", "lizard", "salmon", "whale", "wolf"] * 2
    assert data["text"].tolist()[:5] == ["90.98", "42.50", "62.53", "90.20", "93.66"]
    assert not data["masked"].any()


def test_decimals_are_as_many_as_asked_for():
    view = shown("animal_lookup", "scores")
    assert records(view, 0)["text"].tolist()[0] == "91"
    assert records(view, 4)["text"].tolist()[0] == "90.9800"


def test_names_that_repeat_stay_apart_and_look_the_same():
    names = ("the", "cat", "the")
    data = records(made("scores", np.arange(9).reshape(3, 3), names, names), 2)
    for side in ("row", "column"):
        assert data[side].nunique() == 3
        assert sorted(data[side].unique()) == ["000 the", "001 cat", "002 the"]
        assert [label[4:] for label in data[side]] == data[f"{side}_name"].tolist()


def test_256_labels_sort_in_the_order_of_their_positions():
    names = tuple(f"token {256 - i}" for i in range(256))
    data = records(made("scores", np.zeros((256, 256)), names, names), 2)
    assert sorted(data["row"].unique()) == data["row"].unique().tolist()
    assert [label[4:] for label in data["column"][:256]] == list(names)


def test_numbers_are_coloured_by_their_share_of_the_bound():
    view = made("scores", [[2, -4], [0, 1]], ("a", "b"), ("c", "d"))
    assert records(view, 2)["shade"].tolist() == [0.5, -1, 0, 0.25]


def test_numbers_that_are_all_zero_are_coloured_as_zero():
    view = made("scores", np.zeros((2, 2)), ("a", "b"), ("c", "d"))
    assert records(view, 2)["shade"].tolist() == [0, 0, 0, 0]


def test_weights_are_coloured_by_themselves():
    view = shown("emma_sentence", "weights")
    assert records(view, 2)["shade"].tolist() == view.values.ravel().tolist()


@pytest.mark.parametrize(("name", "text"), [("masked", "-∞"), ("weights", "0")])
def test_masked_cells_are_flagged_and_say_so(name, text):
    view = shown("random_qkv", name, causal=True)
    data = records(view, 2)
    later = [j > i for i in range(4) for j in range(4)]
    assert data["masked"].tolist() == later
    assert data.loc[data["masked"], "text"].tolist() == [text] * 6
    assert data.loc[data["masked"], "shade"].tolist() == [0] * 6
    assert text not in data.loc[~data["masked"], "text"].tolist()


@pytest.mark.parametrize("preset", PRESETS)
def test_scores_scaled_and_masked_share_one_range_of_colours(preset):
    scores = shown(preset, "scores")
    assert scores.bound == np.abs(scores.values).max()
    assert {shown(preset, name).bound for name in ("scaled", "masked")} == {scores.bound}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("causal", [True, False])
def test_no_shade_is_infinite_or_missing(preset, causal):
    for name in stage_names(PRESETS[preset].inputs):
        shades = records(shown(preset, name, causal), 2)["shade"]
        assert np.isfinite(shades).all()
        assert shades.abs().max() <= 1


def sums(data) -> list[str]:
    """The sum that stands beside each cell, empty beside those but the first of their row or column."""
    return data["sum"].astype(object).fillna("").tolist()


def test_the_weights_of_a_query_have_their_sum_beside_them():
    assert sums(records(shown("animal_lookup", "weights"), 2)) == ["= 1.00", *[""] * 4] * 2


def test_with_tokens_in_columns_the_sum_is_that_of_the_column():
    view = made("weights", [[0.25, 0.5], [0.5, 0.5]], ("k0", "k1"), ("q0", "q1"))
    assert sums(records(view, 2, "columns")) == ["= 0.75", "= 1.00", "", ""]
    assert sums(records(view, 2, "rows")) == ["= 0.75", "", "= 1.00", ""]
    transposed = shown("animal_lookup", "weights").transposed()
    assert sums(records(transposed, 2, "columns")) == ["= 1.00"] * 2 + [""] * 8


def test_a_tiny_weight_is_not_written_as_zero():
    texts = records(shown("animal_lookup", "weights"), 2)["text"].tolist()
    assert texts[:3] == ["0.16", "1.1e-13", "1.2e-8"]


def test_the_longest_ordinary_number_sets_the_size_of_all():
    assert set(records(shown("emma_sentence", "scores"), 2)["longest"]) == {len("-0.45")}
    data = records(shown("animal_lookup", "weights"), 2)
    ordinary = data["text"].str.len() <= len("0.16")
    assert set(data.loc[ordinary, "longest"]) == {len("0.16")}
    assert data.loc[~ordinary, "longest"].tolist() == data.loc[~ordinary, "text"].str.len().tolist()


def cells(*places, shape=(2, 3)):
    """Booleans that are True at these places."""
    found = np.zeros(shape, bool)
    for place in places:
        found[place] = True
    return found


NAMED = made("scores", [[1, 2, 3], [4, 5, 6]], ("a", "b"), ("c", "d", "e"))


@pytest.mark.parametrize(
    ("marked", "symptoms", "marks"),
    [
        ((None, None), None, ["", "", "", "", "", ""]),
        ((None, None), cells(), ["", "", "", "", "", ""]),
        ((None, None), cells((0, 2), (1, 0)), ["", "", "symptom", "symptom", "", ""]),
        ((0, 1), cells((0, 2), (1, 0)), ["", "selected", "symptom", "symptom", "", ""]),
        ((0, 2), cells((0, 2), (1, 0)), ["", "", "selected", "symptom", "", ""]),
        ((1, None), cells((0, 0), (1, 0)), ["symptom", "", "", "selected", "selected", "selected"]),
        ((None, 0), cells((0, 0), (1, 1)), ["selected", "", "", "selected", "symptom", ""]),
    ],
)
def test_a_symptom_is_marked_unless_the_cell_is_selected(marked, symptoms, marks):
    assert records(NAMED, 2, marked=marked, symptoms=symptoms)["mark"].tolist() == marks


@pytest.mark.parametrize(
    ("marked", "symptoms", "marks"),
    [
        ((None, None), None, ["", "", "", "", "", "worked"]),
        ((None, None), cells((0, 2)), ["", "", "symptom", "", "", "worked"]),
        ((None, None), cells((1, 2)), ["", "", "", "", "", "symptom"]),
        ((0, 0), None, ["selected", "", "", "", "", ""]),
        ((1, 2), None, ["", "", "", "", "", "selected"]),
        ((None, 0), None, ["selected", "", "", "selected", "", ""]),
    ],
)
def test_the_cell_that_is_worked_out_is_marked_where_nothing_is_selected(marked, symptoms, marks):
    data = records(NAMED, 2, marked=marked, symptoms=symptoms, worked=(1, 2))
    assert data["mark"].tolist() == marks


@pytest.mark.parametrize(
    ("total", "decimals", "text"),
    [
        (1.0, 2, "= 1.00"),
        (1 - 1e-12, 2, "= 1.00"),
        (0.998, 2, "= 0.998"),
        (1.0004, 2, "= 1.0004"),
        (0.998, 0, "= 0.998"),
        (0.9, 0, "= 0.9"),
        (0.99998, 2, "= 0.99998"),
        (0.25, 2, "= 0.25"),
        (2.0, 0, "= 2"),
    ],
)
def test_a_sum_that_is_not_1_is_not_written_as_1(total, decimals, text):
    data = records(made("weights", [[total / 2, total / 2]], ("q",), ("a", "b")), decimals)
    assert sums(data) == [text, ""]
    assert set(data["sum_wrong"]) == {abs(total - 1) > 1e-6}


def test_a_tiny_number_with_more_digits_does_not_make_all_numbers_smaller():
    data = records(made("scores", [[0.5, 0.003], [-1, 1e-9]], ("a", "b"), ("c", "d")), 2)
    assert data["text"].tolist() == ["0.50", "0.003", "-1.00", "1.0e-9"]
    assert data["longest"].tolist() == [5, 5, 5, len("1.0e-9")]


def test_symptoms_of_tokens_in_columns_are_turned_with_the_stage():
    symptoms = cells((0, 2))
    data = records(NAMED.transposed(), 2, symptoms=symptoms.T)
    place = data[data["mark"] == "symptom"]
    assert place[["row_name", "column_name"]].to_numpy().tolist() == [["e", "a"]]


def test_the_old_number_is_there_only_where_what_is_written_differs():
    before = made("scores", [[1, 2.5, 3], [4.001, -5, 6]], ("a", "b"), ("c", "d", "e"))
    assert records(NAMED, 2, before=before)["old"].tolist() == ["", "2.50", "", "", "-5.00", ""]
    assert records(NAMED, 3, before=before)["old"].tolist() == ["", "2.500", "", "4.001", "-5.000", ""]
    assert records(NAMED, 0, before=NAMED)["old"].tolist() == [""] * 6
    assert records(NAMED, 2)["old"].tolist() == [""] * 6


def test_a_pointer_is_told_what_every_number_was_before_an_edit_as_exactly_as_what_it_is():
    before = made("scores", [[1, 2.5, 3], [4.001, -5, 6]], ("a", "b"), ("c", "d", "e"))
    data = records(NAMED, 2, before=before)
    assert data["was"].tolist() == ["1", "2.5", "3", "4.001", "-5", "6"]
    assert data["precise"][1] != "2.5"


def test_the_old_number_of_a_masked_weight_is_written_as_0():
    now, before = (shown("random_qkv", "weights", causal=causal) for causal in (False, True))
    old = records(now, 2, before=before)["old"].to_numpy().reshape(4, 4)
    assert set(old[np.triu_indices(4, k=1)]) == {"0"}
    old = records(before, 2, before=now)["old"].to_numpy().reshape(4, 4)
    assert old[0, 1:].tolist() == [f"{weight:.2f}" for weight in now.values[0, 1:]]


def changed(kind, name="weights", preset="random_qkv", causal=True, amount=1.0):
    return stage(attend_if(PRESETS[preset].inputs, WhatIf(kind, amount), scale=True, causal=causal), name)


def test_a_sum_of_weights_that_is_not_1_is_wrong():
    assert not records(shown("random_qkv", "weights", causal=True), 2)["sum_wrong"].any()
    after = records(changed("mask_after"), 2)
    assert after["sum_wrong"].tolist() == [True] * 12 + [False] * 4
    assert sums(after)[::4] == [f"= {total:.2f}" for total in changed("mask_after").values.sum(axis=1)]


def test_the_sums_of_a_softmax_over_the_queries_are_wrong_for_queries_and_right_for_keys():
    view = changed("softmax_over_queries", causal=False)
    assert records(view, 2, "rows")["sum_wrong"].all()
    assert not records(view, 2, "columns")["sum_wrong"].any()
    assert records(view.transposed(), 2, "columns")["sum_wrong"].all()


@pytest.mark.parametrize("name", ["scores", "scaled", "masked", "output"])
def test_only_weights_have_sums_that_can_be_wrong(name):
    assert not records(shown("random_qkv", name, causal=True), 2)["sum_wrong"].any()


def test_a_difference_of_weights_has_no_sums():
    moved = difference(changed("mask_after"), shown("random_qkv", "weights", causal=True))
    data = records(moved, 2)
    assert not data["sum_wrong"].any()
    assert sums(data) == ["= 1.00", "", "", ""] * 4


def test_the_sum_of_what_is_not_a_number_is_wrong():
    data = records(changed("no_maximum", causal=False, amount=1000), 2)
    assert set(sums(data)) == {"= NaN", "= 1.00", ""}
    assert data.loc[data["sum"] == "= NaN", "sum_wrong"].all()


def test_a_weight_that_is_not_a_number_says_so_and_has_no_colour():
    view = changed("no_maximum", causal=False, amount=1000)
    data, lost = records(view, 2), np.isnan(view.values).ravel()
    assert lost.sum() == 2
    assert set(data.loc[lost, "text"]) == {"NaN"}
    assert data.loc[lost, "shade"].tolist() == [0, 0]
    assert data.loc[~lost, "shade"].tolist() == view.values.ravel()[~lost].tolist()
    assert not data["masked"].any()
    assert "NaN" not in set(data.loc[~lost, "text"])


def test_a_weight_that_leaks_to_a_masked_key_is_written_as_it_is():
    data = records(changed("masked_zero"), 2)
    assert data.loc[data["masked"], "text"].tolist()[0] == f"{changed('masked_zero').values[0, 1]:.2f}"
    assert set(records(changed("masked_zero", "masked"), 2).query("masked")["text"]) == {"0.00"}
    assert (data.loc[data["masked"], "shade"] == 0).all()


HALF_A_MESSAGE = 10_000_000  # bytes, of .streamlit/config.toml; the rest of a page has the other half


@pytest.mark.parametrize("tokens", [64, 256])
@pytest.mark.parametrize(
    "token", ["\U0001f469\U0001f3fd" * 32, "語" * 64, "x" * 64], ids=["emoji", "Chinese", "x"]
)
def test_long_names_leave_what_a_browser_is_sent_below_what_a_message_may_hold(tokens, token):
    inputs = prepared(Recipe(tokens=(token,) * tokens, d_k=2, d_v=2), {}).inputs
    attention = attend(inputs, scale=True, causal=True)
    for name in ("scores", "weights"):
        assert len(cell_data(Cells(stage(attention, name), decimals=4))) < HALF_A_MESSAGE
    names = attention.query_titles, attention.key_titles
    lines = lines_data(attention.steps.weights, *names, decimals=4, marked=None)
    assert lines.nbytes < HALF_A_MESSAGE
