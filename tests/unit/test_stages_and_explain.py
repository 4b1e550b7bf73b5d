"""What each stage shows, and that the terms behind every number on screen add up to that number."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core import explain
from core.attention import scaled_dot_product_attention
from core.matrices import Axis, Inputs, Matrix, insert
from core.recipes import Recipe, prepared
from core.rules import Rules
from core.stages import WEIGHT_OF, attend, is_projected, stage, stage_names
from tests.examples import PRESETS

ROOT = Path(__file__).parents[2]
AFTER_SCORES = ("scores", "scaled", "masked", "weights")


def each(presets):
    return pytest.mark.parametrize("preset", presets, ids=lambda preset: preset.id)


every_preset = each(list(PRESETS.values()))
every_preset_with_weights = each([p for p in PRESETS.values() if is_projected(p.inputs)])
every_preset_with_output = each([p for p in PRESETS.values() if "output" in stage_names(p.inputs)])
every_setting = pytest.mark.parametrize(
    ("scale", "causal"), [(True, True), (True, False), (False, True), (False, False)]
)


def reference(name):
    return json.loads((ROOT / "tests" / "reference" / f"{name}.json").read_text("utf-8"))


def one_query(*scores):
    """Inputs whose scores are these: a query of 1, and keys of one number each."""
    names = tuple(f"key {j}" for j in range(len(scores)))
    axes = {
        "queries": Axis("query", ("q",), (0,)),
        "keys": Axis("key", names, tuple(range(len(scores)))),
        "dimensions": Axis("dimension", ("d",), (0,)),
    }
    keys = np.array(scores, float)[:, None]
    matrices = {
        "queries": Matrix(np.ones((1, 1)), "queries", "dimensions"),
        "keys": Matrix(keys, "keys", "dimensions"),
    }
    return Inputs(axes, matrices)


def matrices_of(inputs):
    """Query, key and value of an example, computed from its inputs alone."""
    given = {name: matrix.values for name, matrix in inputs.matrices.items()}
    if "embeddings" in given:
        return [given["embeddings"] @ given[weight] for weight in ("W_query", "W_key", "W_value")]
    return [given["queries"], given["keys"], given.get("values")]


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("emma_sentence", AFTER_SCORES),
        ("animal_lookup", (*AFTER_SCORES, "output")),
        ("random_qkv", (*AFTER_SCORES, "output")),
        ("i_love_coding", ("queries", "keys", "values", *AFTER_SCORES, "output")),
        ("three_tokens", ("queries", "keys", "values", *AFTER_SCORES, "output")),
    ],
)
def test_an_example_has_its_stages_in_the_order_of_the_computation(name, stages):
    assert stage_names(PRESETS[name].inputs) == stages


@every_preset
@every_setting
def test_attend_is_scaled_dot_product_attention_on_the_matrices_of_the_example(preset, scale, causal):
    query, key, value = matrices_of(preset.inputs)
    attention = attend(preset.inputs, scale=scale, causal=causal)
    expected = scaled_dot_product_attention(
        query, key, value, is_causal=causal, scale=1 / math.sqrt(query.shape[1]) if scale else 1.0
    )
    for name in ("scores", "scaled", "mask", "masked", "weights"):
        np.testing.assert_array_equal(getattr(attention.steps, name), getattr(expected, name))
    assert (attention.steps.output is None) == (value is None)
    if value is not None:
        np.testing.assert_array_equal(attention.steps.output, expected.output)


@every_preset
@every_setting
def test_a_stage_shows_its_step_with_the_names_of_its_tokens(preset, scale, causal):
    attention = attend(preset.inputs, scale=scale, causal=causal)
    for name in AFTER_SCORES:
        shown = stage(attention, name)
        assert shown.name == name
        assert (shown.rows, shown.columns) == (attention.query_names, attention.key_names)
        assert (shown.row_title, shown.column_title) == ("query", "key")
        np.testing.assert_array_equal(shown.values, getattr(attention.steps, name))


@every_preset_with_weights
def test_a_projection_has_a_row_for_each_token_and_a_column_for_each_dimension(preset):
    attention = attend(preset.inputs, scale=True, causal=False)
    arrays = dict(zip(WEIGHT_OF, matrices_of(preset.inputs), strict=True))
    for name in WEIGHT_OF:
        shown = stage(attention, name)
        assert shown.rows == preset.inputs.row_names("embeddings")
        assert shown.columns == preset.inputs.column_names(WEIGHT_OF[name])
        np.testing.assert_array_equal(shown.values, arrays[name])


def test_the_output_has_a_row_for_each_query_and_a_column_for_each_value_dimension():
    shown = stage(attend(PRESETS["animal_lookup"].inputs, scale=True, causal=False), "output")
    assert (shown.rows, shown.columns) == (("mammal", "reptile"), ("v1", "v2", "v3", "v4"))
    assert (shown.row_title, shown.column_title) == ("query", "value dimension")
    assert shown.values.shape == (2, 4)


def test_there_is_no_output_and_no_value_without_values():
    attention = attend(PRESETS["emma_sentence"].inputs, scale=True, causal=False)
    with pytest.raises(ValueError, match="no output"):
        stage(attention, "output")
    with pytest.raises(ValueError, match="no values"):
        stage(attention, "values")
    with pytest.raises(ValueError, match="no output"):
        explain.output(attention, 0, 0)


def test_attention_without_queries_is_refused():
    emma = PRESETS["emma_sentence"].inputs
    with pytest.raises(ValueError, match="queries and keys"):
        attend(Inputs(emma.axes, {"keys": emma.matrices["keys"]}), scale=True, causal=False)


@every_preset
def test_the_causal_mask_hides_later_keys_in_masked_and_in_weights_alone(preset):
    attention = attend(preset.inputs, scale=True, causal=True)
    queries, keys = attention.steps.scores.shape
    later = [[j > i for j in range(keys)] for i in range(queries)]
    for name in stage_names(preset.inputs):
        shown = stage(attention, name)
        expected = later if name in ("masked", "weights") else np.zeros(shown.values.shape, bool)
        np.testing.assert_array_equal(shown.hidden, expected)


@every_preset
def test_without_a_mask_nothing_is_hidden(preset):
    attention = attend(preset.inputs, scale=True, causal=False)
    for name in stage_names(preset.inputs):
        assert not stage(attention, name).hidden.any()


@every_preset
@every_setting
def test_one_query_alone_has_its_row_of_the_full_result(preset, scale, causal):
    full = attend(preset.inputs, scale=scale, causal=causal)
    after_projections = [name for name in stage_names(preset.inputs) if name not in WEIGHT_OF]
    for query, token in enumerate(full.query_names):
        alone = attend(preset.inputs, scale=scale, causal=causal, only_query=query)
        assert alone.query_names == (token,)
        for name in after_projections:
            row, rows = stage(alone, name), stage(full, name)
            assert row.rows == (token,)
            np.testing.assert_allclose(row.values, rows.values[query : query + 1], rtol=1e-12, atol=1e-15)
            np.testing.assert_array_equal(row.hidden, rows.hidden[query : query + 1])


@pytest.mark.parametrize("name", ["queries", "keys", "values"])
def test_one_query_alone_keeps_rows_and_names_of_a_projection_together(name):
    attention = attend(PRESETS["three_tokens"].inputs, scale=True, causal=False, only_query=1)
    shown = stage(attention, name)
    assert len(shown.values) == len(shown.rows)


@every_preset
@pytest.mark.parametrize("name", ["scores", "masked", "weights"])
def test_a_transposed_stage_has_values_names_and_mask_across(preset, name):
    shown = stage(attend(preset.inputs, scale=True, causal=True), name)
    turned = shown.transposed()
    np.testing.assert_array_equal(turned.values, shown.values.T)
    np.testing.assert_array_equal(turned.hidden, shown.hidden.T)
    assert (turned.rows, turned.columns) == (shown.columns, shown.rows)
    assert (turned.row_title, turned.column_title) == ("key", "query")
    assert turned.name == name


def test_a_stage_transposed_twice_is_the_stage():
    shown = stage(attend(PRESETS["animal_lookup"].inputs, scale=True, causal=True), "output")
    twice = shown.transposed().transposed()
    np.testing.assert_array_equal(twice.values, shown.values)
    assert (twice.rows, twice.columns, twice.row_title) == (shown.rows, shown.columns, shown.row_title)


def test_a_new_token_with_zeros_looks_at_every_token_alike():
    grown = insert(PRESETS["emma_sentence"].inputs, "tokens", 9, "too")
    attention = attend(grown, scale=True, causal=False)
    np.testing.assert_allclose(attention.steps.weights[9], 0.1, rtol=1e-15)


def test_other_rules_are_those_that_it_is_computed_by():
    inputs = PRESETS["random_qkv"].inputs
    rules = Rules(divide_by=2, times=3, temperature=0.5, masking="after")
    attention = attend(inputs, scale=True, causal=True, rules=rules)
    scores = matrices_of(inputs)[0] @ matrices_of(inputs)[1].T
    assert attention.rules is rules
    np.testing.assert_allclose(attention.steps.scaled, scores * 3 / math.sqrt(2) / 0.5, rtol=1e-14)
    np.testing.assert_array_equal(attention.steps.masked, attention.steps.scaled)


@every_preset
@every_setting
def test_a_blind_query_is_masked_whole_and_the_others_as_ever(preset, scale, causal):
    plain = attend(preset.inputs, scale=scale, causal=causal)
    last = len(plain.query_names) - 1
    attention = attend(preset.inputs, scale=scale, causal=causal, blind_query=last)
    assert (attention.blind_query, plain.blind_query) == (last, None)
    for name in ("masked", "weights"):
        before, now = stage(plain, name), stage(attention, name)
        assert now.hidden[last].all()
        np.testing.assert_array_equal(now.hidden[:last], before.hidden[:last])
        np.testing.assert_array_equal(now.values[:last], before.values[:last])
    assert (attention.steps.weights[last] == 0).all()


@pytest.mark.parametrize("only", [0, 1])
def test_a_blind_query_is_counted_among_all_where_one_alone_is_in_view(only):
    inputs = PRESETS["animal_lookup"].inputs
    attention = attend(inputs, scale=True, causal=False, only_query=only, blind_query=1)
    assert (attention.steps.weights == 0).all() == (only == 1)
    assert (attention.first_query, attention.blind_query) == (only, 1)


@every_preset
def test_weights_alone_are_shares_and_go_up_to_1(preset):
    attention = attend(preset.inputs, scale=True, causal=True)
    for name in stage_names(preset.inputs):
        shown = stage(attention, name)
        assert shown.are_shares == (name == "weights")
        assert shown.transposed().are_shares == shown.are_shares
    assert stage(attention, "weights").bound == 1


def assert_adds_up(found, names, left, right, total):
    """The terms are those numbers, under those names, and their products add up to that total."""
    assert tuple(term.name for term in found.terms) == names
    assert [term.left for term in found.terms] == list(left)
    assert [term.right for term in found.terms] == list(right)
    assert found.total == total
    products = [term.product for term in found.terms]
    assert products == [a * b for a, b in zip(left, right, strict=True)]
    assert abs(math.fsum(products) - total) <= 1e-12 * max(1, sum(map(abs, products)))


@every_preset
@every_setting
def test_the_terms_of_every_score_add_up_to_it(preset, scale, causal):
    query, key, _ = matrices_of(preset.inputs)
    attention = attend(preset.inputs, scale=scale, causal=causal)
    names = preset.inputs.column_names("W_query" if is_projected(preset.inputs) else "queries")
    for i, j in np.ndindex(len(query), len(key)):
        found = explain.score(attention, i, j)
        assert_adds_up(found, names, query[i], key[j], attention.steps.scores[i, j])


@every_preset_with_weights
def test_the_terms_of_every_projection_add_up_to_it(preset):
    attention = attend(preset.inputs, scale=True, causal=True)
    arrays = dict(zip(WEIGHT_OF, matrices_of(preset.inputs), strict=True))
    for name in WEIGHT_OF:
        x, weight = (preset.inputs.matrices[given].values for given in ("embeddings", WEIGHT_OF[name]))
        names = preset.inputs.column_names("embeddings")
        for row, column in np.ndindex(arrays[name].shape):
            found = explain.projection(attention, name, row, column)
            assert_adds_up(found, names, x[row], weight[:, column], arrays[name][row, column])


@every_preset_with_output
@every_setting
def test_the_terms_of_every_output_add_up_to_it(preset, scale, causal):
    value = matrices_of(preset.inputs)[2]
    attention = attend(preset.inputs, scale=scale, causal=causal)
    steps = attention.steps
    for i, column in np.ndindex(steps.output.shape):
        found = explain.output(attention, i, column)
        assert_adds_up(
            found, attention.key_names, steps.weights[i], value[:, column], steps.output[i, column]
        )


def assert_share_is_the_weight(attention, query, key):
    share = explain.softmax_share(attention, query, key)
    assert share.masked == attention.steps.masked[query, key]
    assert share.weight == attention.steps.weights[query, key]
    assert share.exponential == pytest.approx(math.exp(share.masked - share.largest_subtracted), rel=1e-12)
    assert 0 < share.total < math.inf
    assert share.exponential / share.total == pytest.approx(share.weight, rel=1e-12, abs=0)
    assert share.share == pytest.approx(share.weight, rel=1e-12, abs=0)
    assert share.kept == pytest.approx(1, abs=1e-12)
    return share


@every_preset
@every_setting
def test_the_share_of_every_exponential_is_its_weight(preset, scale, causal):
    attention = attend(preset.inputs, scale=scale, causal=causal)
    for query, key in np.ndindex(attention.steps.weights.shape):
        assert assert_share_is_the_weight(attention, query, key).largest_subtracted == 0


@pytest.mark.parametrize(
    ("scores", "subtracted"),
    [
        ((0, 0), 0),
        ((700, 699), 0),
        ((701, 700, 0), 701),
        ((-701, -702), -701),
        ((800, -800), 800),
        ((-800, -850), -800),
        ((1e6, 1e6 - 1, -1e6), 1e6),
        ((-1e6, -1e6 + 0.5), -1e6 + 0.5),
        ((700,) * 64, 0),
    ],
)
def test_of_large_scores_the_largest_is_divided_out(scores, subtracted):
    attention = attend(one_query(*scores), scale=False, causal=False)
    for key in range(len(scores)):
        assert assert_share_is_the_weight(attention, 0, key).largest_subtracted == subtracted


@pytest.mark.parametrize("scores", [(-690, -720), (-699, -735), (-690, -744)])
def test_the_share_of_a_small_exponential_is_its_weight(scores):
    attention = attend(one_query(*scores), scale=False, causal=False)
    for key in range(len(scores)):
        assert_share_is_the_weight(attention, 0, key)


def test_a_masked_exponential_is_zero():
    attention = attend(PRESETS["emma_sentence"].inputs, scale=False, causal=True)
    share = explain.softmax_share(attention, 0, 8)
    assert (share.masked, share.exponential, share.weight) == (-math.inf, 0, 0)


def test_the_variances_are_those_that_the_notebook_prints():
    given = reference("random_qkv")
    measured = explain.variances(attend(PRESETS["random_qkv"].inputs, scale=True, causal=True))
    assert measured == pytest.approx(
        {
            "queries": given["variance_unscaled"]["q"],
            "keys": given["variance_unscaled"]["k"],
            "scores": given["variance_unscaled"]["scores"],
            "scaled": given["variance_scaled"],
        },
        abs=1e-7,
    )


@every_setting
def test_the_variances_do_not_depend_on_the_toggles(scale, causal):
    inputs = PRESETS["random_qkv"].inputs
    plain = explain.variances(attend(inputs, scale=True, causal=False))
    assert explain.variances(attend(inputs, scale=scale, causal=causal)) == plain


def test_a_word_that_repeats_has_one_name_in_every_stage_and_every_sentence():
    inputs = prepared(Recipe(), PRESETS).inputs
    attention = attend(inputs, scale=True, causal=False)
    assert attention.query_titles == attention.key_titles == ("1 the", "cat", "sat", "on", "5 the", "mat")
    for name in stage_names(inputs):
        assert stage(attention, name).rows == attention.query_titles
    assert stage(attention, "weights").columns == attention.key_titles
    alone = attend(inputs, scale=True, causal=False, only_query=4)
    assert stage(alone, "scores").rows == ("5 the",)
