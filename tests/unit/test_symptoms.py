"""What is said of a what-if is true of the page's own numbers, and the cells outlined show it."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from core.digits import MINUS
from core.matrices import rounded_text, set_matrix
from core.stages import attend, stage_names
from core.symptoms import symptom
from core.what_if import KINDS, WhatIf, attend_if, in_order_of, orders
from tests.unit.cases import (
    CASES,
    PRESETS,
    Case,
    as_defined,
    attention_of,
    cases_of,
    each,
    expected,
    expected_as_defined,
)
from tests.unit.hostile import HOSTILE, parted

MASKED = [case for case in CASES if case.causal or PRESETS[case.preset].unordered]
NOTHING_MASKED = "No key is masked: turn the causal mask on."


def symptom_of(case, name=None, decimals=2):
    right, wrong, name = as_defined(case), attention_of(case), name or KINDS[case.kind].look_at
    return symptom(right, wrong, name, case.what_if, *case.pair, decimals)


def sentence(case, decimals=2):
    return symptom_of(case, decimals=decimals).sentence


def bold(case):
    return re.findall(r"\*\*(.+?)\*\*", sentence(case))


def text(number, decimals=2):
    return rounded_text(float(number), decimals).replace("-", MINUS)


def difference_of(case):
    """The difference that should be 0, as it is said, which is 0 or has an exponent."""
    assert bold(case) == ["0"]
    return float(re.search(r"(\d\.\de-\d+|\*\*0\*\*)(, which is |\.)", sentence(case))[1].strip("*"))


def names(case):
    """The names of the queries and of the keys, in the order of the case."""
    return attention_of(case).query_names, attention_of(case).key_names


def pair_of(case):
    query, key = case.pair
    return f"`{names(case)[0][query]}` → `{names(case)[1][key]}`"


def of_pair(case, step):
    """A step's number of the pair in question, as defined and as changed."""
    now, (query, key) = getattr(expected(case), step), case.pair
    before = getattr(expected_as_defined(case), step)
    return before[case.what_if.query, case.what_if.key], now[query, key]


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (
            Case("animal_lookup", "softmax_over_queries", 1, True, False),
            "The weights of a query sum to between **1.99** and **3.01**. "
            "Those of a key, over all queries, sum to 1.",
        ),
        (
            Case("random_qkv", "masked_zero", 1, True, True),
            "`token 0` gives **0.71** of its weight to masked keys (framed).",
        ),
        (
            Case("emma_sentence", "mask_after", 1, True, True),
            "The weights of `hates` sum to **0.26**, not to 1.",
        ),
        (
            Case("three_tokens", "no_maximum", 1, True, False),
            "Nothing overflows yet: the largest score is 4.42. Raise the factor.",
        ),
        (
            Case("three_tokens", "sqrt_d_model", 1, True, True),
            "√5 instead of √4: the weight of `T2` → `T1` 0.72 → **0.69**.",
        ),
        (
            Case("i_love_coding", "sqrt_d_model", 1, True, False),
            "Here both are 3, so nothing changes: such an example hides the mistake. "
            "With another number of columns in W\\_query and W\\_key, it shows.",
        ),
        (
            Case("three_tokens", "sqrt_d_model", 1, False, True),
            "The scaling is off: turn it on.",
        ),
        (
            Case("random_qkv", "one_matrix", 1, True, True),
            "`token 2` → `token 1` scores **−1.14**, and `token 1` → `token 2` **−1.14**. "
            "As defined: 0.62 and 3.53.",
        ),
        (
            Case("animal_lookup", "temperature", 0.5, True, False),
            "T = 0.5: the largest weight of `mammal` goes 0.74 → **0.94**, "
            "its entropy is **0.38** bits of at most 2.32.",
        ),
        (
            Case("emma_sentence", "shuffled", 1, True, True),
            "**53** weights differ (framed), as other tokens come first now: "
            "the weight of `friend` → `Emma` 0.30 → **0.35**.",
        ),
        (
            Case("i_love_coding", "shuffled", 1, True, False),
            "Every weight went along with its query and key: largest difference **0**.",
        ),
        (
            Case("animal_lookup", "longer_key", 1, True, False),
            "`mammal` → `wolf` scores 93.66 → **187.32**; the weight of `mammal` → `wolf` 0.74 → **1.00**. "
            "Framed: that key.",
        ),
        (Case("emma_sentence", "blind_query", 1, True, False), "The weights of `friend` are **0** (framed)."),
        (
            Case("animal_lookup", "blind_query", 1, True, False),
            "The weights of `mammal` and its output are **0** (framed).",
        ),
    ],
    ids=str,
)  # fmt: skip
def test_a_symptom_is_said_in_the_words_and_numbers_of_the_page(case, says):
    assert sentence(case) == says


@each(CASES)
def test_every_kind_has_a_sentence_with_a_number_or_advice(case):
    said = sentence(case)
    assert said.endswith(".")
    assert bold(case) or "turn" in said or "nothing changes" in said or "Raise the factor" in said


@each(cases_of("masked_zero", "mask_after", "mask_after_divided"))
def test_where_nothing_is_masked_the_advice_is_to_turn_the_mask_on(case):
    assert (sentence(case) == NOTHING_MASKED) == (not case.causal)


@each(cases_of("softmax_over_queries"))
def test_the_sums_of_the_queries_are_the_smallest_and_the_largest(case):
    sums = [math.fsum(row) for row in expected(case).weights]
    assert bold(case) == list(dict.fromkeys([text(min(sums)), text(max(sums))]))


@each([case for case in cases_of("masked_zero") if case.causal])
def test_the_query_that_leaks_most_is_named_with_what_it_leaks(case):
    wanted = expected(case)
    leaks = [math.fsum(row[out]) for row, out in zip(wanted.weights, wanted.hidden, strict=True)]
    name = names(case)[0][leaks.index(max(leaks))]
    assert sentence(case) == f"`{name}` gives **{text(max(leaks))}** of its weight to masked keys (framed)."


@each([case for case in cases_of("mask_after") if case.causal])
def test_the_query_that_keeps_least_is_named_with_what_it_keeps(case):
    sums = [math.fsum(row) for row in expected(case).weights]
    name = names(case)[0][sums.index(min(sums))]
    total = text(min(sums)) if text(min(sums)) != "1.00" else f"{min(sums):.3f}"
    assert sentence(case) == f"The weights of `{name}` sum to **{total}**, not to 1."


@each([case for case in cases_of("mask_after_divided") if case.causal])
def test_masking_after_and_dividing_again_differs_by_rounding_alone(case):
    assert sentence(case).startswith("Largest difference from the weights of masking before: ")
    assert 0 <= difference_of(case) < 1e-15


@each(cases_of("no_maximum"))
def test_the_weights_that_are_not_numbers_are_counted(case):
    wanted = expected(case)
    lost = int(np.isnan(wanted.weights).sum())
    if lost:
        assert bold(case) == [f"{lost} of {wanted.weights.size}"]
        if np.isnan(wanted.weights[case.pair]):
            assert f"{pair_of(case)} is " in sentence(case)
    else:
        largest = text(wanted.masked.max())
        assert sentence(case) == f"Nothing overflows yet: the largest score is {largest}. Raise the factor."


@pytest.mark.parametrize(
    ("query", "key"), [(1, 5), (1, 1), (3, 0)], ids=["masked", "a number", "in a row of numbers"]
)
def test_a_weight_that_stayed_a_number_is_not_told_of_as_lost(query, key):
    case = Case("emma_sentence", "no_maximum", 1000, False, True)
    right, wrong = as_defined(case), attention_of(case)
    assert not np.isnan(wrong.steps.weights[query, key])
    told = symptom(right, wrong, "weights", case.what_if, query, key, 2).sentence
    assert told == (
        "**11 of 81** weights are not numbers (framed). With the maximum subtracted, `Emma` → `Emma` is 1.00."
    )


@each([case for case in cases_of("sqrt_d_model") if case.scale and case.preset == "three_tokens"])
def test_another_width_moves_the_weight_of_the_pair(case):
    before, now = map(text, of_pair(case, "weights"))
    assert sentence(case) == f"√5 instead of √4: the weight of {pair_of(case)} {before} → **{now}**."


@each(cases_of("one_matrix"))
def test_one_matrix_gives_both_ways_the_same_score_and_says_what_they_were(case):
    query, key = case.pair
    now, before = expected(case).scores, expected_as_defined(case).scores
    assert bold(case) == [text(now[query, key]), text(now[key, query])]
    assert bold(case)[0] == bold(case)[1]
    assert sentence(case).endswith(f": {text(before[query, key])} and {text(before[key, query])}.")


def test_one_matrix_with_a_token_and_itself_shows_two_tokens():
    """The score of a token with itself is the same both ways in any case."""
    inputs, what_if = PRESETS["three_tokens"].inputs, WhatIf("one_matrix", query=1, key=1)
    right = attend(inputs, scale=True, causal=False)
    wrong = attend_if(inputs, what_if, scale=True, causal=False)
    said, shown = parted(symptom(right, wrong, "scores", what_if, 1, 1, 2).sentence)
    assert len(set(shown)) == 2
    assert shown == [*shown[:2], *shown[1::-1]]
    there, back = re.findall(r"\*\*(.+?)\*\*", said)
    assert there == back


@each(cases_of("temperature"))
def test_the_temperature_comes_with_the_largest_weight_and_the_entropy(case):
    row = expected(case).weights[case.pair[0]].tolist()
    entropy = -math.fsum(weight * math.log2(weight) for weight in row if weight > 0)
    assert bold(case) == [text(max(row)), text(entropy)]
    old, new = (text(of(case).weights[case.pair[0]].max()) for of in (expected_as_defined, expected))
    change = f" goes {old} → **{new}**, its" if old != new else f" is **{new}**, its"
    assert sentence(case).startswith(f"T = {case.amount:g}: the largest weight of `")
    assert change in sentence(case)
    if not case.causal:
        assert sentence(case).endswith(f" bits of at most {text(math.log2(len(row)))}.")


def moved_cells(case, step):
    """Where a step of shuffled tokens is another than that of the same tokens in their own order."""
    queries, keys = orders(case.inputs, case.what_if)
    before = getattr(expected_as_defined(case), step)
    before = before[np.ix_(queries, keys)] if step == "weights" else before[list(queries)]
    return np.abs(getattr(expected(case), step) - before) > 1e-9


@each(cases_of("shuffled"))
def test_the_weights_that_a_shuffle_changes_are_counted(case):
    moved = int(moved_cells(case, "weights").sum())
    assert (moved > 0) == case.causal
    if moved:
        before, now = map(text, of_pair(case, "weights"))
        assert bold(case) == [str(moved), now]
        assert sentence(case).endswith(f"the weight of {pair_of(case)} {before} → **{now}**.")
    else:
        assert sentence(case).startswith("Every weight went along with its query and key: ")
        assert 0 <= difference_of(case) < 1e-15


def test_the_weight_by_which_a_shuffle_is_shown_is_one_that_it_changed():
    case = Case("emma_sentence", "shuffled", 1, True, True)
    right, wrong = as_defined(case), attention_of(case)
    moved = np.abs(wrong.steps.weights - right.steps.weights) > 1e-9
    assert not moved.all()
    for pair in np.ndindex(moved.shape):
        said = symptom(right, wrong, "weights", case.what_if, *pair, 2).sentence
        query, key = re.search("the weight of `(.+?)` → `(.+?)`", said).groups()
        place = right.query_titles.index(query), right.key_titles.index(key)
        assert place == pair if moved[pair] else moved[place]


@each(cases_of("longer_key"))
def test_a_longer_key_comes_with_its_score_and_its_weight(case):
    score, twice = of_pair(case, "scores")
    before, now = map(text, of_pair(case, "weights"))
    assert twice == pytest.approx(2 * score)
    assert sentence(case) == (
        f"{pair_of(case)} scores {text(score)} → **{text(twice)}**; "
        f"the weight of {pair_of(case)} {before} → **{now}**. Framed: that key."
    )


@each(cases_of("blind_query"))
def test_a_blind_query_is_named_with_its_output_where_there_is_one(case):
    ends = "" if expected(case).output is None else " and its output"
    name = names(case)[0][case.what_if.query]
    assert sentence(case) == f"The weights of `{name}`{ends} are **0** (framed)."


@each(cases_of("equal_values"))
def test_equal_values_leave_a_difference_of_rounding_alone(case):
    assert 0 <= difference_of(case) < 1e-14


def test_decimals_are_as_many_as_asked_for():
    case = Case("random_qkv", "longer_key", 1, True, False)
    numbers = [number for step in ("scores", "weights") for number in of_pair(case, step)]
    for decimals, count in ((4, 4), (0, 3)):  # three are less than 1, and read neither as 0 nor as 1
        told = re.findall(r"\d+\.\d+", sentence(case, decimals=decimals))
        assert told == [n for n in (text(number, decimals) for number in numbers) if "." in n]
        assert len(told) == count


def outlined(case, name):
    """The cells that show a what-if at a stage, found in the steps that plain loops give."""
    wanted, kind = expected(case), case.kind
    if name == "output":
        nothing = np.zeros(wanted.output.shape, bool)
    elif name in ("queries", "keys", "values"):
        return np.zeros(getattr(wanted, name).shape, bool)
    else:
        nothing = np.zeros(wanted.scores.shape, bool)
    if kind == "masked_zero" and name in ("masked", "weights"):
        return wanted.hidden
    if kind == "no_maximum" and name in ("weights", "output"):
        return np.isnan(getattr(wanted, name))
    if kind == "blind_query" and name in ("masked", "weights", "output"):
        nothing[case.what_if.query] = True
    if kind == "longer_key" and name in ("scores", "scaled", "masked", "weights"):
        before, key = getattr(expected_as_defined(case), name), case.what_if.key
        nothing[:, key] = getattr(wanted, name)[:, key] != before[:, key]
    if kind == "shuffled" and name in ("weights", "output"):
        return moved_cells(case, name)
    return nothing


@each(CASES)
def test_the_cells_outlined_are_those_that_show_it(case):
    for name in stage_names(case.inputs):
        np.testing.assert_array_equal(symptom_of(case, name).cells, outlined(case, name))


def test_cells_that_stand_for_a_few_symptoms_by_hand():
    def places(case, name):
        return [tuple(place) for place in np.argwhere(symptom_of(case, name).cells).tolist()]

    leaks = Case("i_love_coding", "masked_zero", 1, True, True)
    assert places(leaks, "weights") == [(0, 1), (0, 2), (1, 2)]
    assert places(leaks, "scaled") == []
    blind = Case("three_tokens", "blind_query", 1, True, True)
    assert places(blind, "weights") == [(2, 0), (2, 1), (2, 2)]
    assert places(blind, "output") == [(2, 0), (2, 1), (2, 2), (2, 3)]
    longer = Case("animal_lookup", "longer_key", 1, True, False)
    assert places(longer, "scores") == [(0, 4), (1, 4)]
    assert places(longer, "output") == []


@each([case for case in MASKED if case.scale and case.amount in (1, 1000)])
def test_hostile_names_stay_within_code_spans(case):
    plain, spans = parted(sentence(case))
    for hostile in HOSTILE:
        axes = {
            name: replace(axis, names=tuple(f"{hostile}{i}" for i in range(len(axis.names))))
            for name, axis in case.inputs.axes.items()
        }
        inputs = replace(case.inputs, axes=axes)
        toggles = {"scale": case.scale, "causal": case.causal}
        right = in_order_of(attend(inputs, **toggles), inputs, case.what_if)
        wrong = attend_if(inputs, case.what_if, **toggles)
        said = symptom(right, wrong, KINDS[case.kind].look_at, case.what_if, *case.pair, 2).sentence
        rest, shown = parted(said)
        assert rest == plain
        assert len(shown) == len(spans)
        assert set(shown) <= {*right.query_names, *right.key_names}


def test_a_query_that_gave_all_its_weight_to_masked_keys_has_nothing_left_to_divide_by():
    queries = np.array(PRESETS["emma_sentence"].inputs.matrices["queries"].values)
    keys = np.array(PRESETS["emma_sentence"].inputs.matrices["keys"].values)
    queries[1], keys[8] = (1000, 0, 0, 0), (1000, 0, 0, 0)
    inputs = set_matrix(set_matrix(PRESETS["emma_sentence"].inputs, "queries", queries), "keys", keys)
    what_if = WhatIf("mask_after_divided")
    defined = attend(inputs, scale=False, causal=True)
    changed = attend_if(inputs, what_if, scale=False, causal=True)
    assert np.isnan(changed.steps.weights[:2]).any(axis=1).all()
    assert symptom(defined, changed, "weights", what_if, 1, 0, 2).sentence == (
        "All the weight of `Emma` went to masked keys. Nothing is left to divide by, and **0 / 0** is not a "
        "number."
    )
