"""The softmax of a row, the blend of values, the path of a number and the charts of the answers."""

import itertools
import json
import math
import re
from decimal import Decimal

import numpy as np
import pytest

from core import answer_charts, explain, heatmap_data, working
from core.digits import MINUS, readable
from core.stages import ATTENTION, attend, stage, stage_names
from tests.examples import PRESETS
from tests.unit.records import records

CASES = list(itertools.product(PRESETS, (True, False), (True, False)))


def attention_of(preset, scale, causal):
    return attend(PRESETS[preset].inputs, scale=scale, causal=causal and not PRESETS[preset].unordered)


@pytest.mark.parametrize(("preset", "scale", "causal"), CASES)
def test_every_softmax_row_gives_the_weights_from_what_it_shows(preset, scale, causal):
    attention = attention_of(preset, scale, causal)
    for query in range(len(attention.query_names)):
        row = explain.softmax_of(attention, query, 0)
        assert row.shifted.max() == 0
        np.testing.assert_allclose(row.exponential, np.exp(row.masked - row.masked.max()), rtol=0, atol=0)
        np.testing.assert_allclose(row.exponential / math.fsum(row.exponential), row.softmax, rtol=1e-12)
        np.testing.assert_allclose(row.softmax, row.weight, rtol=1e-12)
        assert row.weight.sum() == pytest.approx(1, abs=1e-12)
        for column, step in (
            ("score", "scores"),
            ("scaled", "scaled"),
            ("masked", "masked"),
            ("weight", "weights"),
        ):
            np.testing.assert_array_equal(getattr(row, column), getattr(attention.steps, step)[query])


@pytest.mark.parametrize(("preset", "scale", "causal"), CASES)
def test_every_blend_adds_up_to_the_output(preset, scale, causal):
    attention = attention_of(preset, scale, causal)
    if attention.value is None:
        with pytest.raises(ValueError, match="no output without values"):
            explain.blend(attention, 0)
        return
    for query in range(len(attention.query_names)):
        blend = explain.blend(attention, query)
        np.testing.assert_allclose(blend.products.sum(axis=0), blend.output, rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(blend.output, attention.steps.output[query])


@pytest.mark.parametrize(("preset", "scale", "causal"), CASES)
def test_the_path_of_every_cell_ends_in_its_weight(preset, scale, causal):
    attention = attention_of(preset, scale, causal)
    steps = attention.steps
    for query, key in np.ndindex(steps.scores.shape):
        lines = working.path(attention, query, key, 4)
        results = {line.split("**")[1]: re.findall(r"\*\*([^*]+)\*\*", line)[-1] for line in lines}
        assert number(results["Score"]) == pytest.approx(steps.scores[query, key], abs=6e-5, rel=0.06)
        assert number(results["Masked"]) == pytest.approx(steps.masked[query, key], abs=6e-5, rel=0.06)
        assert number(results["Weight"]) == pytest.approx(steps.weights[query, key], abs=6e-5, rel=0.06)


def number(text: str) -> float:
    return float(text.replace(MINUS, "-").replace("∞", "inf"))


def test_the_path_of_friend_and_emma():
    lines = working.path(attention_of("emma_sentence", True, True), 8, 0, 2)
    assert lines == [
        "**Score** `Person` 1 × 1.2 + `Animal` 0.9 × 0.8 + `Noun` 0.5 × 1 + `Adjective` 1 × 0 = **2.42**",
        "**As two lengths and an angle** length × length × cosine = 1.749 × 1.755 × 0.7883 ≈ **2.42**",
        "**Scaled** 2.42 / √4 = **1.21**",
        "**Masked** 1.21 + 0 = **1.21**",
        "**Exponential** $e^{1.21}$ ≈ **3.353**",
        "**Sum** of the exponentials over all keys, for the query `friend`: 3.353 + 0.8825 + 0.7788 + 0.7788 "
        "+ 1 + 0.8825 + 0.7788 + 1.419 + 1.284 ≈ **11.16**",
        "**Weight** 3.353 / 11.16 ≈ **0.30**",
        "**The other way round** `Emma` → `friend` scores 0.90.",
    ]


def test_the_path_of_an_animal_goes_into_the_output():
    part_of_key, whole = working.path(attention_of("animal_lookup", True, False), 0, 4, 2)[-2:]
    value, part = "(2.2, 9.4, 8.7, 1.1)", "**(1.63, 6.97, 6.45, 0.82)**"
    assert part_of_key == f"**Into the output** of `mammal`: 0.7416 × value of `wolf` {value} ≈ {part}"
    assert whole == "**Output** of `mammal`, that of all keys added up: **(2.33, 8.02, 7.51, 2.70)**"


def test_the_vectors_of_love_are_made_from_its_embedding():
    lines = working.vectors(attention_of("i_love_coding", False, False), 1, 0, 2)
    assert lines[1] == "**Query, `d2`** `e1` 0 × 0 + `e2` 1 × 1 + `e3` 0 × 1 = **1.00**"
    assert lines[5] == "**Key, `d3`** `e1` 1 × 1 + `e2` 0 × 0 + `e3` 1 × 1 = **2.00**"


def test_the_value_is_made_from_its_embedding_where_the_path_goes_on_to_the_output():
    attention = attention_of("i_love_coding", False, False)
    lines = working.vectors(attention, 1, 2, 2)
    assert lines[7] == "**Value, `v2`** `e1` 1 × 2 + `e2` 1 × 1 + `e3` 1 × 1 = **4.00**"
    assert "× value of `coding` (2, 4, 1) ≈" in working.path(attention, 1, 2, 2)[-3]
    assert working.vectors(attention, 1, 2, 2, "weights") == lines[:6]


@pytest.mark.parametrize(
    ("selection", "place"),
    [
        ({"cell": [{"row": "008 friend", "column": "000 Emma"}]}, (8, 0)),
        ({"cell": []}, None),
        ({}, None),
        ({"cell": [{"row": "x", "column": "00 a"}]}, None),
        ({"cell": [{"row": "00 a"}]}, None),
        ({"cell": "nonsense"}, None),
        ({"cell": [{"row": "-01 a", "column": "000 b"}]}, None),
        ({"cell": [{"row": "001qlove", "column": "001 q2"}]}, None),
    ],
)
def test_a_click_is_read_or_else_nothing(selection, place):
    assert heatmap_data.picked_cell(selection) == place


def test_the_same_place_is_another_cell_in_queries_keys_and_scores_and_the_same_from_scores_to_weights():
    attention = attention_of("i_love_coding", False, False)
    names = stage_names(attention.inputs)
    first = {name: records(stage(attention, name), 2)["row"][0] for name in names}
    assert first["queries"] == "000qI"
    assert first["keys"] == "000kI"
    assert {first[name] for name in ATTENTION} == {"000 I"}
    click = {"cell": [{"row": first["keys"], "column": "002 k3"}]}
    assert heatmap_data.picked_cell(click, "keys") == (0, 2)
    assert heatmap_data.picked_cell(click, "queries") is None


def test_marks_are_a_cell_or_a_whole_row_or_column():
    attention = attention_of("animal_lookup", True, False)
    shown = stage(attention, "weights")

    def places(mark):
        assert set(mark) <= {"", "selected"}
        return np.flatnonzero(mark == "selected").tolist()

    assert places(records(shown, 2, marked=(1, 3))["mark"]) == [8]
    assert places(records(shown, 2, marked=(1, None))["mark"]) == [5, 6, 7, 8, 9]
    assert places(records(shown, 2, marked=(None, 2))["mark"]) == [2, 7]
    assert set(records(shown, 2)["mark"]) == {""}


def test_bars_blend_and_lines_hold_the_numbers_of_the_row():
    attention = attention_of("animal_lookup", True, False)
    weights, names = attention.steps.weights, attention.key_names
    bars = answer_charts.bars_data(weights[0], names, 2, marked=4).to_pandas()
    assert bars["weight"].tolist() == weights[0].tolist()
    assert bars["text"].tolist() == ["0.16", "1.1e-13", "1.2e-8", "0.10", "0.74"]
    assert bars["marked"].tolist() == [False] * 4 + [True]
    blend = explain.blend(attention, 0)
    parts = answer_charts.blend_data(
        blend.products, attention.value_titles, ("v1", "v2", "v3", "v4"), 2
    ).to_pandas()
    assert sum(map(Decimal, parts["text"][:4])) == Decimal("2.36")
    assert parts["part"].to_numpy().reshape(5, 4).sum(axis=0) == pytest.approx(blend.output)
    lines = answer_charts.lines_data(weights, attention.query_names, names, 2, marked=1).to_pandas()
    assert lines["weight"].tolist() == weights.ravel().tolist()
    assert lines["marked"].tolist() == [False] * 5 + [True] * 5
    assert lines["strength"][5:].min() >= 0.7  # thin lines, too, stand out from a dark page


def test_what_is_not_a_number_is_drawn_as_0_and_says_so():
    weights = np.array([[math.nan, 0.25], [0.5, 0.5]])
    bars = answer_charts.bars_data(weights[0], ("a", "b"), 2, marked=1).to_pandas()
    assert bars["weight"].tolist() == [0, 0.25]
    assert bars["text"].tolist() == ["NaN", "0.25"]
    parts = answer_charts.blend_data(weights, ("a", "b"), ("v1", "v2"), 2).to_pandas()
    assert parts["part"].tolist() == [0, 0.25, 0.5, 0.5]
    assert parts["text"].tolist() == ["NaN", "0.25", "0.50", "0.50"]
    lines = answer_charts.lines_data(weights, ("q", "r"), ("a", "b"), 2, marked=None).to_pandas()
    assert lines["weight"].tolist() == [0, 0.25, 0.5, 0.5]
    assert lines["text"].tolist() == ["NaN", "0.25", "0.50", "0.50"]
    assert np.isfinite(lines["strength"]).all()


def test_answers_are_drawn_from_specs_without_users_words():
    specs = (answer_charts.bars_spec(5, "key"), answer_charts.blend_spec(), answer_charts.lines_spec(9))
    for spec in specs:
        assert "data" not in spec
        assert "kitten" not in json.dumps(spec)
        assert answer_charts.bars_spec(5, "key") is specs[0]


@pytest.mark.parametrize("name", ["output", "queries", "values"])
def test_every_number_of_a_row_is_a_sum_with_the_names_of_its_products(name):
    attention = attention_of("i_love_coding", False, False)
    lines = working.row_of(attention, name, 1, 4)
    shown = stage(attention, name)
    assert len(lines) == len(shown.columns)
    for line, column, number in zip(lines, shown.columns, shown.values[1], strict=True):
        assert line.startswith(f"**`love`, `{column}`** ")
        assert f" **{readable(number, 4)}**" in line
    products = (
        ("`I` 0.4223 ×", "`love` 0.1554 ×", "`coding` 0.4223 ×") if name == "output" else ("`e1` ", "`e3` ")
    )
    assert all(product in line for product in products for line in lines)


LINES = {"keys": 0, "scores": 2, "scaled": 3, "masked": 4, "weights": 7, "output": 9}


@pytest.mark.parametrize(("last", "count"), LINES.items(), ids=LINES)
def test_a_path_ends_where_a_lesson_does(last, count):
    attention = attention_of("random_qkv", True, False)
    lines = working.path(attention, 0, 0, 2)
    assert working.path(attention, 0, 0, 2, last) == lines[:count]
    assert len(lines) == 9
