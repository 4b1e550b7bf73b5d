"""Each what-if changes one thing, computes what plain loops compute, and shows what it says it shows."""

import itertools
import math

import numpy as np
import pytest

from core import explain
from core.attention import entropy, softmax
from core.matrices import Axis, Inputs, Matrix, set_matrix
from core.recipes import Recipe, prepared
from core.rules import Rules, compute, plain_softmax
from core.stages import attend, stage, stage_names
from core.what_if import (
    KINDS,
    WhatIf,
    attend_if,
    in_order_of,
    offered,
    orders,
    shuffled,
    token_axes,
)
from tests.unit.cases import (
    CASES,
    OFFERED,
    ON_OFF,
    PRESETS,
    as_defined,
    attention_of,
    cases_of,
    each,
    expected,
    power,
)

STEPS = ("scores", "scaled", "masked", "weights")
OVERFLOWS_ABOVE = 709.782712893384


every_preset = pytest.mark.parametrize("preset", PRESETS)
with_longer_key = [name for name, kinds in OFFERED.items() if "longer_key" in kinds]


def numbers_of(inputs):
    return {name: matrix.values.tobytes() for name, matrix in inputs.matrices.items()}


def as_edited(inputs):
    """The inputs with arrays that could be written to, as those of a preset cannot be."""
    for name, matrix in inputs.matrices.items():
        inputs = set_matrix(inputs, name, matrix.values.copy())
    return inputs


def cosine(one, other):
    """The cosine of the angle between two lists, NaN where one of them is all zeros."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else math.nan


@every_preset
def test_an_example_offers_exactly_the_kinds_that_have_a_meaning_for_it(preset):
    assert offered(PRESETS[preset].inputs, bool(PRESETS[preset].unordered)) == OFFERED[preset]


def test_every_kind_is_offered_by_an_example():
    assert {kind for kinds in OFFERED.values() for kind in kinds} == set(KINDS)


def test_without_a_causal_mask_no_kind_is_offered_that_needs_one():
    without = offered(PRESETS["random_qkv"].inputs, unordered=True)
    gone = {"masked_zero", "mask_after", "mask_after_divided"}
    assert without == tuple(kind for kind in OFFERED["random_qkv"] if kind not in gone)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_names_stages_and_toggles_that_there_are(kind):
    about = KINDS[kind]
    for preset, kinds in OFFERED.items():
        if kind in kinds:
            assert {about.stage, about.look_at} <= set(stage_names(PRESETS[preset].inputs))
    assert about.needs in ("", "causal", "scale")


@pytest.mark.parametrize("kind", KINDS)
def test_an_explanation_takes_up_names_as_they_are(kind):
    said = f"{KINDS[kind].change} {KINDS[kind].why}".format(query="{key}", key="{query}", amount="")
    assert ("{key}" in said) == (kind == "blind_query")
    assert ("{query}" in said) == (kind == "longer_key")


@each(CASES)
def test_every_step_is_what_plain_loops_give(case):
    steps, wanted = attention_of(case).steps, expected(case)
    np.testing.assert_array_equal(np.isneginf(steps.mask), wanted.hidden)
    for name in STEPS:
        np.testing.assert_allclose(getattr(steps, name), getattr(wanted, name), rtol=1e-12, atol=1e-12)
    assert (steps.output is None) == (wanted.output is None)
    if wanted.output is not None:
        np.testing.assert_allclose(steps.output, wanted.output, rtol=1e-12, atol=1e-11)


@each(CASES)
def test_nothing_that_goes_in_is_changed(case):
    inputs = as_edited(case.inputs)
    attend_if(inputs, case.what_if, scale=case.scale, causal=case.causal)
    assert numbers_of(inputs) == numbers_of(case.inputs)
    assert inputs.axes == case.inputs.axes


@each(CASES)
def test_the_attention_says_what_was_changed_and_keeps_its_toggles(case):
    attention = attention_of(case)
    assert attention.what_if == case.kind
    assert (attention.scale, attention.causal) == (case.scale, case.causal)
    assert attention.blind_query == (case.what_if.query if case.kind == "blind_query" else None)
    given, order = expected(case), orders(case.inputs, case.what_if)
    np.testing.assert_array_equal(attention.query, given.queries)
    np.testing.assert_array_equal(attention.key, given.keys)
    axes = token_axes(case.inputs)
    for names, axis, places in zip((attention.query_names, attention.key_names), axes, order, strict=True):
        assert names == tuple(case.inputs.axes[axis].names[place] for place in places)


@each(CASES)
def test_no_step_of_attention_changes_before_the_stage_that_a_kind_names(case):
    now, before = attention_of(case).steps, as_defined(case).steps
    for name in itertools.takewhile(lambda name: name != KINDS[case.kind].stage, (*STEPS, "output")):
        np.testing.assert_allclose(getattr(now, name), getattr(before, name), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_stage_that_a_kind_names_does_change(kind):
    is_changed = []
    for case in cases_of(kind):
        plain = attend(case.inputs, scale=case.scale, causal=case.causal)
        one, other = (getattr(found.steps, KINDS[kind].stage) for found in (plain, attention_of(case)))
        is_changed.append(not np.array_equal(one, other))
    assert any(is_changed)


@each([case for case in CASES if KINDS[case.kind].needs and not getattr(case, KINDS[case.kind].needs)])
def test_without_the_toggle_that_a_kind_needs_nothing_shows(case):
    now, defined = attention_of(case).steps, as_defined(case).steps
    for name in STEPS:
        np.testing.assert_allclose(getattr(now, name), getattr(defined, name), rtol=0, atol=1e-12)


def test_attention_as_defined_has_the_rules_of_the_paper():
    for preset, scale, width in (
        ("random_qkv", True, 8),
        ("random_qkv", False, 1),
        ("three_tokens", True, 4),
    ):
        attention = attend(PRESETS[preset].inputs, scale=scale, causal=True)
        assert attention.rules == Rules(divide_by=width)
        assert attention.rules.has_paper_softmax
        assert (attention.what_if, attention.blind_query) == ("", None)


@pytest.mark.parametrize(
    ("rules", "has_paper_softmax"),
    [
        (Rules(4), True),
        (Rules(4, times=10, temperature=0.5), True),
        (Rules(4, softmax_over="queries"), False),
        (Rules(4, subtract_largest=False), False),
        (Rules(4, masking="zero"), False),
        (Rules(4, masking="after"), False),
        (Rules(4, masking="after, divided again"), False),
    ],
)
def test_rules_know_whether_scores_become_weights_as_in_the_paper(rules, has_paper_softmax):
    assert rules.has_paper_softmax is has_paper_softmax


def test_rules_can_be_combined():
    """Scores 0, ln 2, ln 4 and 0, ln 3, 0 times 2, over 2 and T = 0.5: squared before the softmax."""
    q, k = np.eye(2), np.log([[1.0, 1], [2, 3], [4, 1]])
    hidden = np.array([[False, True, False], [False, False, False]])
    rules = Rules(divide_by=4, times=2, temperature=0.5, softmax_over="queries", masking="after")
    steps = compute(q, k, k, hidden, rules)
    np.testing.assert_allclose(steps.masked, np.log([[1, 4, 16], [1, 9, 1]]), atol=1e-15)
    np.testing.assert_allclose(steps.weights, [[1 / 2, 0, 16 / 17], [1 / 2, 9 / 13, 1 / 17]], rtol=1e-14)
    np.testing.assert_allclose(steps.output, steps.weights @ k, rtol=1e-14)


def test_a_plain_softmax_is_the_softmax_until_it_overflows():
    numbers = np.array([[1.0, 2, 3], [709, 708, -np.inf], [-np.inf, 0, 0]])
    np.testing.assert_allclose(plain_softmax(numbers), softmax(numbers), rtol=1e-14)
    np.testing.assert_array_equal(plain_softmax(np.array([[709.79, 700, 0]])), [[np.nan, 0, 0]])
    np.testing.assert_array_equal(plain_softmax(np.array([[-800.0, -900]])), [[np.nan, np.nan]])
    assert np.isfinite(plain_softmax(np.array([[709.78, 0]]))).all()


@each(cases_of("softmax_over_queries"))
def test_a_softmax_over_the_queries_shares_out_every_key(case):
    weights = attention_of(case).steps.weights
    np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=0, atol=1e-12)
    assert np.abs(weights.sum(axis=1) - 1).max() > 0.05


@each(cases_of("masked_zero"))
def test_a_masked_score_of_0_still_gets_a_weight(case):
    steps, hidden = attention_of(case).steps, expected(case).hidden
    assert hidden.any() == case.causal
    assert (steps.masked[hidden] == 0).all()
    assert (steps.weights[hidden] > 0).all()
    np.testing.assert_array_equal(steps.masked[~hidden], steps.scaled[~hidden])
    np.testing.assert_allclose(steps.weights.sum(axis=1), 1, atol=1e-12)


@each(cases_of("mask_after"))
def test_a_mask_after_the_softmax_leaves_less_than_1(case):
    steps, hidden = attention_of(case).steps, expected(case).hidden
    unmasked = attend(case.inputs, scale=case.scale, causal=False).steps.weights
    left = [math.fsum(row[~out]) for row, out in zip(unmasked, hidden, strict=True)]
    np.testing.assert_allclose(steps.weights.sum(axis=1), left, rtol=0, atol=1e-12)
    some = hidden.any(axis=1)
    assert (steps.weights.sum(axis=1)[some] < 1 - 1e-6).all()
    assert (steps.weights[hidden] == 0).all()


@each(cases_of("mask_after_divided"))
def test_a_mask_after_the_softmax_divided_again_is_a_mask_before(case):
    defined = attend(case.inputs, scale=case.scale, causal=case.causal).steps
    steps = attention_of(case).steps
    np.testing.assert_allclose(steps.weights, defined.weights, rtol=0, atol=1e-12)
    if defined.output is not None:
        np.testing.assert_allclose(steps.output, defined.output, rtol=0, atol=1e-12)


def with_scores_times(inputs, factor):
    """The inputs with queries that are longer by a factor."""
    name = "W_query" if "W_query" in inputs.matrices else "queries"
    return set_matrix(inputs, name, inputs.matrices[name].values * factor)


@each(cases_of("no_maximum", "temperature"))
def test_the_colours_reach_as_far_as_the_largest_score_before_and_after_scaling(case):
    largest = max(np.abs(step).max() for step in (expected(case).scores, expected(case).scaled))
    for name in ("scores", "scaled", "masked"):
        assert stage(attention_of(case), name).bound == pytest.approx(largest, rel=1e-14)


@each(cases_of("no_maximum"))
def test_without_the_maximum_weights_are_right_until_they_overflow(case):
    """In a row that overflows, e^x / infinity is 0 where e^x is finite, and infinity / infinity is NaN."""
    steps = attention_of(case).steps
    longer = with_scores_times(case.inputs, case.amount)
    right = attend(longer, scale=case.scale, causal=case.causal).steps.weights
    for x, weights, wanted in zip(steps.masked, steps.weights, right, strict=True):
        too_large, underflows = x > OVERFLOWS_ABOVE, max(map(power, x)) == 0
        if too_large.any():
            np.testing.assert_array_equal(weights, np.where(too_large, np.nan, 0))
        elif underflows:
            assert np.isnan(weights).all()
        else:
            np.testing.assert_allclose(weights, wanted, rtol=0, atol=1e-12)


@each([case for case in cases_of("no_maximum") if case.amount == 1])
def test_without_the_maximum_and_a_factor_of_1_nothing_is_other_than_defined(case):
    now, defined = attention_of(case).steps, as_defined(case).steps
    for name in STEPS:
        np.testing.assert_allclose(getattr(now, name), getattr(defined, name), rtol=0, atol=1e-12)


def test_a_large_factor_overflows_in_every_example():
    for case in cases_of("no_maximum"):
        assert np.isnan(attention_of(case).steps.weights).any() == (case.amount > 1)


@each(cases_of("sqrt_d_model"))
def test_scores_are_divided_by_the_root_of_the_width_of_an_embedding(case):
    steps = attention_of(case).steps
    width = len(case.inputs.column_names("embeddings"))
    assert width == {"i_love_coding": 3, "three_tokens": 5}[case.preset]
    divisor = math.sqrt(width) if case.scale else 1
    np.testing.assert_allclose(steps.scaled, steps.scores / divisor, rtol=1e-15)
    is_other = case.scale and case.preset == "three_tokens"
    assert np.array_equal(steps.weights, as_defined(case).steps.weights) == (not is_other)


@each(cases_of("one_matrix"))
def test_one_matrix_makes_the_scores_symmetric(case):
    attention = attention_of(case)
    np.testing.assert_array_equal(attention.query, attention.key)
    np.testing.assert_array_equal(attention.key, as_defined(case).key)
    np.testing.assert_allclose(attention.steps.scores, attention.steps.scores.T, rtol=0, atol=1e-13)
    defined = as_defined(case).steps.scores
    assert not np.allclose(defined, defined.T)


def bits(weights):
    """The entropy of a list of weights."""
    return -math.fsum(weight * math.log2(weight) for weight in weights if weight > 0)


@each([case for case in cases_of("temperature") if case.amount == 1])
def test_a_temperature_of_1_is_attention_as_defined(case):
    now, defined = attention_of(case).steps, as_defined(case).steps
    for name in STEPS:
        np.testing.assert_array_equal(getattr(now, name), getattr(defined, name))


@each([case for case in cases_of("temperature") if case.amount == 1])
def test_the_entropy_of_every_query_rises_with_the_temperature(case):
    """Strictly, unless all keys in sight have the same score; from 0 towards that of equal weights."""
    temperatures = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
    of_each = [
        attend_if(case.inputs, WhatIf("temperature", t), scale=case.scale, causal=case.causal).steps.weights
        for t in temperatures
    ]
    scores, seen = as_defined(case).steps.scores, ~expected(case).hidden
    for query in range(len(scores)):
        rising = [float(entropy(weights[query])) for weights in of_each]
        most = math.log2(seen[query].sum())
        assert all(0 <= number <= most + 1e-12 for number in rising)
        if np.ptp(scores[query, seen[query]]) > 0:
            assert all(np.diff(rising) > -1e-12)
            assert rising[0] < rising[3] < rising[-1]
        else:
            assert rising == pytest.approx([most] * len(rising), abs=1e-12)


@each(cases_of("temperature"))
def test_the_entropy_is_that_of_the_weights(case):
    weights = attention_of(case).steps.weights
    assert entropy(weights).tolist() == pytest.approx(list(map(bits, weights.tolist())), abs=1e-12)


@pytest.mark.parametrize("count", range(66))
def test_a_shuffle_is_another_order_and_always_the_same(count):
    order = shuffled(count)
    assert sorted(order) == list(range(count))
    assert (order != tuple(range(count))) == (count > 1)
    assert shuffled(count) == order
    assert all(type(place) is int for place in order)


@each(cases_of("shuffled"))
def test_without_a_mask_every_weight_goes_along_with_its_pair(case):
    """And with a causal mask, a query sees the keys that come first in the new order."""
    queries, keys = orders(case.inputs, case.what_if)
    attention = attention_of(case)
    plain = attend(case.inputs, scale=case.scale, causal=False).steps
    if not case.causal:
        moved = plain.weights[np.ix_(queries, keys)]
        np.testing.assert_allclose(attention.steps.weights, moved, rtol=0, atol=1e-12)
        if plain.output is not None:
            moved = plain.output[list(queries)]
            np.testing.assert_allclose(attention.steps.output, moved, rtol=0, atol=1e-12)
        return
    for row, query in enumerate(queries):
        powers = [math.exp(plain.scaled[query, key] - plain.scaled[query].max()) for key in keys[: row + 1]]
        wanted = [number / math.fsum(powers) for number in powers] + [0] * (len(keys) - row - 1)
        np.testing.assert_allclose(attention.steps.weights[row], wanted, rtol=0, atol=1e-12)


def test_a_shuffle_moves_the_tokens_and_all_that_belongs_to_them():
    inputs, order = PRESETS["random_qkv"].inputs, list(shuffled(4))
    attention = attend_if(inputs, WhatIf("shuffled"), scale=True, causal=True)
    names = tuple(f"token {place}" for place in order)
    assert attention.query_names == attention.key_names == attention.value_titles == names
    for made, name in ((attention.query, "queries"), (attention.key, "keys"), (attention.value, "values")):
        np.testing.assert_array_equal(made, inputs.matrices[name].values[order])


def test_a_shuffle_of_keys_takes_their_values_along_and_leaves_the_queries():
    inputs, order = PRESETS["animal_lookup"].inputs, list(shuffled(5))
    attention = attend_if(inputs, WhatIf("shuffled"), scale=True, causal=False)
    keys = ("kitten", "lizard", "salmon", "whale", "wolf")
    values = ("furry", "scaly", "slippery", "huge", "ferocious")
    assert attention.query_names == ("mammal", "reptile")
    assert attention.key_names == tuple(keys[place] for place in order)
    assert attention.value_titles == tuple(values[place] for place in order)
    np.testing.assert_array_equal(attention.query, inputs.matrices["queries"].values)
    np.testing.assert_array_equal(attention.value, inputs.matrices["values"].values[order])


@every_preset
def test_only_a_shuffle_has_another_order(preset):
    inputs = PRESETS[preset].inputs
    queries, keys = (len(inputs.axes[axis].names) for axis in token_axes(inputs))
    plain = (tuple(range(queries)), tuple(range(keys)))
    assert orders(inputs, None) == plain
    for kind in KINDS:
        if kind != "shuffled":
            assert orders(inputs, WhatIf(kind)) == plain
    moved = tuple(range(queries)) if PRESETS[preset].unordered else shuffled(queries)
    assert orders(inputs, WhatIf("shuffled")) == (moved, shuffled(keys))


@pytest.mark.parametrize(
    ("preset", "axes"),
    [
        ("animal_lookup", ("queries", "keys")),
        ("emma_sentence", ("tokens", "tokens")),
        ("i_love_coding", ("tokens", "tokens")),
    ],
)
def test_queries_and_keys_are_named_by_their_axes(preset, axes):
    assert token_axes(PRESETS[preset].inputs) == axes


@every_preset
@pytest.mark.parametrize("causal", ON_OFF)
def test_an_attention_put_in_order_has_every_number_under_its_names(preset, causal):
    inputs, what_if = PRESETS[preset].inputs, WhatIf("shuffled")
    plain = attend(inputs, scale=True, causal=causal)
    moved = in_order_of(plain, inputs, what_if)
    queries, keys = orders(inputs, what_if)
    for name in stage_names(inputs):
        before, now = stage(plain, name), stage(moved, name)
        rows = {"queries": queries, "output": queries, "keys": keys, "values": keys}.get(name, queries)
        columns = keys if name in STEPS else range(len(before.columns))
        for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
            assert now.values[i, j] == before.values[row, column]
            assert now.hidden[i, j] == before.hidden[row, column]
            assert now.columns[j] == before.columns[column]
    assert moved.query_names == tuple(plain.query_names[i] for i in queries)
    assert moved.value_titles == tuple(plain.value_titles[i] for i in keys[: len(plain.value_titles)])


def test_a_word_that_repeats_keeps_its_number_when_tokens_are_shuffled():
    inputs, what_if = repeating("the", "cat", "on", "the", "mat"), WhatIf("shuffled")
    titles = ("1 the", "cat", "on", "4 the", "mat")
    plain = attend(inputs, scale=True, causal=False)
    assert plain.query_titles == plain.key_titles == titles
    order, _ = orders(inputs, what_if)
    assert order != tuple(range(5))
    wrong = attend_if(inputs, what_if, scale=True, causal=False)
    for found in (wrong, in_order_of(plain, inputs, what_if)):
        assert found.query_titles == found.key_titles == tuple(titles[place] for place in order)
    assert attend_if(inputs, WhatIf("temperature", 2.0), scale=True, causal=False).key_titles == titles


def repeating(*words):
    """Queries and keys of these words, each a vector of its place."""
    places = tuple(range(len(words)))
    axes = {"tokens": Axis("token", words, places), "dimensions": Axis("dimension", ("d1",), (0,))}
    matrix = Matrix(np.array(places, float)[:, None], "tokens", "dimensions")
    return Inputs(axes, {"queries": matrix, "keys": matrix})


def test_one_query_alone_stays_where_it_is_when_keys_are_put_in_order():
    inputs, what_if = PRESETS["animal_lookup"].inputs, WhatIf("shuffled")
    alone = in_order_of(attend(inputs, scale=True, causal=False, only_query=1), inputs, what_if)
    wrong = attend_if(inputs, what_if, scale=True, causal=False, only_query=1)
    assert alone.query_names == wrong.query_names == ("reptile",)
    assert alone.key_names == wrong.key_names
    np.testing.assert_allclose(wrong.steps.weights, alone.steps.weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("preset", "scale"), list(itertools.product(with_longer_key, ON_OFF)))
def test_a_key_twice_as_long_has_twice_the_scores_at_the_same_angles(preset, scale):
    inputs = PRESETS[preset].inputs
    defined = attend(inputs, scale=scale, causal=False)
    for key in range(len(defined.key_names)):
        longer = attend_if(inputs, WhatIf("longer_key", key=key), scale=scale, causal=False)
        twice = defined.steps.scores.copy()
        twice[:, key] *= 2
        np.testing.assert_allclose(longer.steps.scores, twice, rtol=1e-14, atol=1e-14)
        np.testing.assert_array_equal(longer.query, defined.query)
        for query in range(len(defined.query_names)):
            before, now = (explain.lengths(found, query, key) for found in (defined, longer))
            wanted = cosine(defined.query[query].tolist(), defined.key[key].tolist())
            np.testing.assert_allclose([before.cosine, now.cosine], wanted, rtol=0, atol=1e-14)
            assert now.key == pytest.approx(2 * before.key, rel=1e-15)


@pytest.mark.parametrize(("preset", "scale", "causal"), list(itertools.product(PRESETS, ON_OFF, ON_OFF)))
def test_a_query_that_may_see_nothing_gets_nothing_and_touches_no_other(preset, scale, causal):
    inputs, causal = PRESETS[preset].inputs, causal and not PRESETS[preset].unordered
    defined = attend(inputs, scale=scale, causal=causal).steps
    for query in range(len(defined.scores)):
        steps = attend_if(inputs, WhatIf("blind_query", query=query), scale=scale, causal=causal).steps
        others = np.arange(len(defined.scores)) != query
        assert np.isneginf(steps.masked[query]).all()
        assert (steps.weights[query] == 0).all()
        assert not any(np.isnan(getattr(steps, name)).any() for name in STEPS)
        for name in STEPS:
            np.testing.assert_array_equal(getattr(steps, name)[others], getattr(defined, name)[others])
        if steps.output is not None:
            assert (steps.output[query] == 0).all()
            np.testing.assert_allclose(steps.output[others], defined.output[others], rtol=0, atol=1e-14)


@each(cases_of("equal_values"))
def test_equal_values_give_every_query_the_same_output(case):
    steps = attention_of(case).steps
    first = case.inputs.matrices["values"].values[0]
    np.testing.assert_allclose(steps.output, [first] * len(steps.output), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(steps.weights, as_defined(case).steps.weights)


@pytest.mark.parametrize(
    "kind", [kind for kind in OFFERED["animal_lookup"] if kind != "softmax_over_queries"]
)
@pytest.mark.parametrize("query", [0, 1])
def test_one_query_alone_has_its_row_of_the_what_if(kind, query):
    inputs, what_if = PRESETS["animal_lookup"].inputs, WhatIf(kind, 5.0, query=1, key=2)
    full = attend_if(inputs, what_if, scale=True, causal=False)
    alone = attend_if(inputs, what_if, scale=True, causal=False, only_query=query)
    assert (alone.query_names, alone.key_names) == (full.query_names[query : query + 1], full.key_names)
    for name in (*STEPS, "output"):
        row = getattr(full.steps, name)[query : query + 1]
        np.testing.assert_allclose(getattr(alone.steps, name), row, rtol=1e-12, atol=1e-12)


def test_a_smaller_example_has_no_other_order_and_still_every_kind():
    """One token alone: nothing to shuffle, nothing to mask, one weight of 1."""
    axes = {name: Axis(name, (name,), (0,)) for name in ("token", "d")}
    matrices = {name: Matrix(np.ones((1, 1)), "token", "d") for name in ("queries", "keys", "values")}
    for kind in offered(Inputs(axes, matrices), unordered=False):
        steps = attend_if(Inputs(axes, matrices), WhatIf(kind), scale=True, causal=True).steps
        assert steps.weights.tolist() == [[0.0 if kind == "blind_query" else 1.0]]


def test_keys_and_values_made_from_repeating_words_have_the_numbers_of_their_queries_when_shuffled():
    recipe = Recipe(tokens=("the", "cat", "the", "mat"), projected=True)
    inputs = prepared(recipe, PRESETS).inputs
    wrong = attend_if(inputs, WhatIf("shuffled"), scale=True, causal=False)
    rows = {stage(wrong, name).rows for name in ("queries", "keys", "values", "output")}
    assert rows == {wrong.query_titles}
    assert wrong.value_titles == wrong.key_titles == wrong.query_titles != ("1 the", "cat", "3 the", "mat")


def test_one_token_has_no_other_with_which_to_share_a_matrix():
    inputs = prepared(Recipe(tokens=("a",)), PRESETS).inputs
    assert "one_matrix" not in offered(inputs, unordered=False)
    assert "one_matrix" in offered(prepared(Recipe(tokens=("a", "b")), PRESETS).inputs, unordered=False)
