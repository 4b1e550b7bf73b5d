"""The least edit of a query really makes the key it is asked for the best, and there is no lesser one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.guiding import MOST_DIMENSIONS, STEPS, least_edit
from core.stages import attend
from tests.unit.cases import PRESETS

reproducible = settings(derandomize=True, deadline=None, max_examples=200)


def edited(query, edit):
    """The query with the numbers of an edit in it."""
    return np.array([edit.get(d, number) for d, number in enumerate(query.tolist())])


def rivals_of(keys, target):
    return keys[(keys != keys[target]).any(axis=1)]


def assert_target_is_best(query, keys, target, edit):
    """A key equal to the target may tie, all others score less."""
    assert len(edit) <= 2
    now = edited(query, edit)
    assert (keys[target] @ now > rivals_of(keys, target) @ now).all()
    for d, number in edit.items():
        assert type(d) is int
        assert type(number) is float
        assert number != query[d]


def tried(query, keys):
    """The grid in hundredths: 20 numbers on each side of 0, up to 1, or 0.1 where nothing is above that."""
    largest = max(np.abs(query).max(), np.abs(keys).max())  # tenths, 10 at most
    step = 5 if largest > 1 else 0.5
    return [place * step for place in range(-STEPS, STEPS + 1)]


def exact_edits(query, keys, target, count):
    """Every edit of so many numbers in the grid that makes the target best, and how much it changes.

    query and keys are integers that stand for tenths, so that all sums are exact. Changes are in hundredths.
    """
    lead = (keys[target] - rivals_of(keys, target)) * 1.0
    for chosen in itertools.combinations(range(len(query)), count):
        for numbers in itertools.product(tried(query, keys), repeat=count):
            now = query * 10.0  # hundredths
            now[list(chosen)] = numbers
            if (lead @ now > 0).all():
                yield dict(zip(chosen, numbers, strict=True)), np.abs(now - query * 10.0).sum()


@st.composite
def tenths(draw):
    """Integers that stand for tenths: a query, some keys, and the place of one of them."""
    d_k, count = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    number = st.integers(-10, 10)
    query, keys = (draw(arrays(int, shape, elements=number)) for shape in (d_k, (count, d_k)))
    return query, keys, draw(st.integers(0, count - 1))


@st.composite
def lookups(draw):
    """A query, some keys, and the place of one of them; numbers as large and as small as can be typed."""
    d_k, count = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    size = 10.0 ** draw(st.integers(-6, 5))
    number = st.integers(-100, 100).map(lambda n: n / 10 * size)
    query, keys = (draw(arrays(float, shape, elements=number)) for shape in (d_k, (count, d_k)))
    return query, keys, draw(st.integers(0, count - 1))


@reproducible
@given(lookups())
def test_whatever_edit_is_found_makes_the_target_the_best_with_two_numbers_at_most(lookup):
    query, keys, target = lookup
    before = query.copy(), keys.copy()
    edit = least_edit(query, keys, target)
    if edit is not None:
        assert_target_is_best(query, keys, target, edit)
    np.testing.assert_array_equal(query, before[0])
    np.testing.assert_array_equal(keys, before[1])


@reproducible
@given(lookups())
def test_an_edit_is_round_and_no_larger_than_the_next_power_of_ten(lookup):
    query, keys, target = lookup
    edit = least_edit(query, keys, target)
    largest = max(np.abs(query).max(), np.abs(keys).max())
    for number in (edit or {}).values():
        assert abs(number) <= 10 * largest
        assert number == float(f"{number:.3g}")
        assert str(number) != "-0.0"


@reproducible
@given(tenths())
def test_there_is_nothing_to_edit_exactly_where_the_target_is_the_best_already(lookup):
    query, keys, target = lookup
    lead = (keys[target] - rivals_of(keys, target)) @ query
    edit = least_edit(query / 10, keys / 10, target)
    assert (edit == {}) == (lead > 0).all()


@reproducible
@given(tenths())
def test_one_number_is_edited_where_that_will_do_and_none_but_where_two_will_not(lookup):
    query, keys, target = lookup
    if ((keys[target] - rivals_of(keys, target)) @ query > 0).all():
        return
    edit = least_edit(query / 10, keys / 10, target)
    needed = next((n for n in (1, 2) if next(exact_edits(query, keys, target, n), None)), None)
    assert (None if edit is None else len(edit)) == needed


@reproducible
@given(tenths())
def test_of_all_edits_of_as_many_numbers_it_changes_the_least(lookup):
    query, keys, target = lookup
    edit = least_edit(query / 10, keys / 10, target)
    if edit:
        changed = np.abs(edited(query / 10, edit) - query / 10).sum()
        least = min(change for _, change in exact_edits(query, keys, target, len(edit))) / 100
        assert changed == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize(
    ("query", "keys", "target", "edit"),
    [
        ([1, 0], [[1, 0], [0, 1]], 0, {}),
        ([0, 0], [[1, 0], [0, 1]], 1, {0: -0.05}),
        ([0, 0], [[1, 0], [0, 1]], 0, {0: 0.05}),
        ([0, 0], [[-1, 0], [0, 0]], 0, {0: -0.05}),
        ([1, 1], [[1, 0], [-1, 0]], 1, {0: -0.05}),
        ([3, 0], [[1, 0], [0, 1]], 1, {0: -0.5}),
        ([5, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 0, {}),
    ],
)
def test_the_edit_of_small_integers(query, keys, target, edit):
    assert least_edit(np.array(query, float), np.array(keys, float), target) == edit


def test_two_numbers_are_edited_where_no_one_will_do():
    """The target must beat one key with its first number and another with its second."""
    query, keys = np.array([-1.0, -1]), np.array([[0.0, 0], [-1, 0.1], [0.1, -1]])
    assert [
        edit for d in (0, 1) for edit in exact_edits(query.astype(int) * 10, (keys * 10).astype(int), 0, 1)
    ] == []
    assert least_edit(query, keys, 0) == {0: 0.05, 1: 0.05}


@pytest.mark.parametrize(
    ("keys", "target"),
    [
        ([[1.0], [2], [3]], 1),
        ([[0.0, 0], [1, 0], [-1, 0]], 0),
        ([[0.0, 0, 0], [1, 2, 3], [-1, -2, -3]], 0),
        ([[1.0, 1], [3, 3], [-1, -1]], 0),
    ],
)
def test_a_key_between_two_others_is_never_the_best(keys, target):
    keys = np.array(keys)
    for query in (np.zeros(keys.shape[1]), np.ones(keys.shape[1]), -keys[0]):
        assert least_edit(query, keys, target) is None


@pytest.mark.parametrize("query", [[0.0, 0], [1, -1], [1e6, 1e-6]])
@pytest.mark.parametrize("keys", [[[1.0, 2]], [[1.0, 2]] * 3, [[0.0, 0]], [[0.0, 0]] * 2])
def test_among_equal_keys_there_is_nothing_to_edit(query, keys):
    for target in range(len(keys)):
        assert least_edit(np.array(query), np.array(keys), target) == {}


def test_keys_equal_to_the_target_may_tie_with_it():
    query, keys = np.array([1.0, 0]), np.array([[1.0, 0], [0, 1], [0, 1]])
    for target in (1, 2):
        edit = least_edit(query, keys, target)
        assert len(edit) == 1
        assert_target_is_best(query, keys, target, edit)
        scores = keys @ edited(query, edit)
        assert scores[1] == scores[2] > scores[0]


def test_keys_that_tie_but_for_the_rounding_of_sums_do_tie():
    """Both score 0.76, of which one sum comes out larger by its rounding: neither is the best."""
    query, keys = np.array([0, -0.2, -0.2]), np.array([[1.1, -2.9, -0.9], [-3.0, -1.8, -2.0]])
    assert f"{keys[0] @ query:.12f}" == f"{keys[1] @ query:.12f}" == "0.760000000000"
    for target in (0, 1):
        edit = least_edit(query, keys, target)
        assert edit != {}
        assert_target_is_best(query, keys, target, edit)


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1e1, 1e3, 1e5])
@pytest.mark.parametrize("target", [0, 1, 2])
def test_keys_and_queries_that_are_so_many_times_as_large_are_guided_by_as_many_times_as_much(size, target):
    query, keys = np.array([0.8, -0.45, 0]), np.array([[0.8, 0, 0.5], [0, 0.8, 0], [0.25, -0.7, -0.8]])
    edit, larger = least_edit(query, keys, target), least_edit(query * size, keys * size, target)
    assert edit is not None
    assert larger == pytest.approx({d: number * size for d, number in edit.items()}, rel=1e-9)


def test_a_query_of_ordinary_numbers_is_guided_among_keys_of_small_ones():
    query, keys = np.array([1.0, 0]), np.array([[0.02, 0], [0, 0.02]])
    assert_target_is_best(query, keys, 1, least_edit(query, keys, 1) or {})


@pytest.mark.parametrize("query", [[0.0], [1e6], [-1e6], [1e-300], [5e-324]])
@pytest.mark.parametrize(
    "keys", [[[0.0], [1]], [[1e6], [-1e6]], [[1e6], [1e-6]], [[5e-324], [0]], [[1e-310], [1]]]
)
def test_numbers_as_small_and_as_large_as_can_be_typed_do_not_mislead(query, keys):
    query, keys = np.array(query), np.array(keys)
    for target in (0, 1):
        edit = least_edit(query, keys, target)
        if edit is not None:
            assert_target_is_best(query, keys, target, edit)


def test_only_the_dimensions_in_which_the_keys_differ_most_are_tried():
    keys = np.array([[2.0, 3, 3, 3, 3, 3, 3], [0] * 7])
    assert keys.shape[1] == MOST_DIMENSIONS + 1
    assert list(least_edit(np.zeros(7), keys, 0)) == [1]
    assert list(least_edit(np.zeros(6), keys[:, :6], 0)) == [0]
    with_another = np.vstack([keys, [0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]])
    assert list(least_edit(np.zeros(7), with_another, 0)) == [1]


def test_the_largest_number_tried_is_the_next_power_of_ten():
    assert least_edit(np.array([0, 1.0]), np.array([[1, 0], [0, 0.975]]), 0) == {0: 1.0}
    assert least_edit(np.array([0, -1.0]), np.array([[-1, 0], [0, -0.975]]), 0) == {0: -1.0}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_edit_of_an_example_makes_its_target_the_best_on_the_page(preset):
    attention = attend(PRESETS[preset].inputs, scale=True, causal=False)
    for query in attention.query:
        for target in range(len(attention.key)):
            edit = least_edit(query, attention.key, target)
            if edit is not None:
                assert_target_is_best(query, attention.key, target, edit)


def test_the_mammal_finds_the_salmon_by_one_number_as_the_page_suggests():
    attention = attend(PRESETS["animal_lookup"].inputs, scale=True, causal=False)
    mammal = attention.query[0]
    assert_target_is_best(mammal, attention.key, 2, {0: 0.0})
    edit = least_edit(mammal, attention.key, 2)
    assert len(edit) == 1
    ((d, number),) = edit.items()
    assert abs(number - mammal[d]) <= 8.7
    assert least_edit(mammal, attention.key, 4) == {}


@pytest.mark.parametrize("width", [1, 6, 64])
def test_a_page_of_256_keys_is_guided_too(width):
    rng = np.random.default_rng(0)
    query, keys = rng.standard_normal(width), rng.standard_normal((256, width))
    best = int((keys @ query).argmax())
    assert least_edit(query, keys, best) == {}
    for target in (0, 100, 255):
        edit = least_edit(query, keys, target)
        if edit is not None:
            assert_target_is_best(query, keys, target, edit)
