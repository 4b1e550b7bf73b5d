"""Whatever is done to an example, its link gives it back; whatever a link says, it does no harm."""

import json
import string

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.matrices import (
    MOST_COLUMNS,
    MOST_TOKENS,
    Refused,
    clean_name,
    insert,
    most_names,
    number_text,
    parse_number,
    remove,
    rename,
    set_cells,
    set_matrix,
)
from core.recipes import LARGEST_SEED, Recipe, content_of, prepared, recipe_of
from core.sharing import BadLink, checksum, edits_of, pack, unpack, with_edits
from core.snapshots import (
    Snapshot,
    content_of_snapshot,
    example_content,
    inputs_in,
    recipe_in,
    snapshot_of,
)
from core.what_if import MEASURES, WhatIf, offered, token_axes
from tests.unit.cases import PRESETS
from tests.unit.hostile import HOSTILE

# The same examples on every run and every machine.
reproducible = settings(derandomize=True, deadline=None, max_examples=60)

SIGNS = string.ascii_letters + string.digits + "-_"
STEPS = ("scores", "scaled", "mask", "masked", "weights", "output")

finite = st.floats(-1e6, 1e6)
typed = st.one_of(
    finite.map(number_text),
    finite.map(lambda number: number_text(number).replace(".", ",").replace("-", "\u2212")),
    st.decimals(-1000, 1000, places=2).map(str),
    st.tuples(st.integers(-1000, 1000), st.integers(1, 1000)).map(lambda parts: f"{parts[0]}/{parts[1]}"),
)
numbers = typed.map(parse_number)


def cleaned(text):
    """The text as a name, one letter where nothing is left of it."""
    try:
        return clean_name(text)
    except Refused:
        return "x"


names = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12).map(cleaned))
recipes = st.one_of(
    st.builds(Recipe, like=st.sampled_from(list(PRESETS))),
    st.builds(
        Recipe,
        tokens=st.lists(names, min_size=1, max_size=8).map(tuple),
        projected=st.booleans(),
        random=st.booleans(),
        seed=st.integers(0, LARGEST_SEED),
        d_model=st.integers(1, 7),
        d_k=st.integers(1, 7),
        d_v=st.integers(1, 7),
    ),
)


def names_for(inputs, axis):
    """Names that may be new on an axis: any for tokens, for dimensions those that are not there yet."""
    taken = inputs.axes[axis].names if most_names(inputs, axis) == MOST_COLUMNS else ()
    return names.filter(lambda name: name not in taken)


@st.composite
def edited(draw, inputs, most=8):
    """These inputs after some of the edits that a page offers."""
    for _ in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(["cells", "matrix", "rename", "insert", "remove"]))
        if kind in ("cells", "matrix"):
            name = draw(st.sampled_from(list(inputs.matrices)))
            rows, columns = inputs.matrices[name].values.shape
        else:
            axes = [id for id, axis in inputs.axes.items() if kind == "rename" or axis.follows is None]
            axis = draw(st.sampled_from(axes))
            count = len(inputs.axes[axis].names)
        if kind == "cells":
            places = st.tuples(st.just(name), st.integers(0, rows - 1), st.integers(0, columns - 1))
            inputs = set_cells(inputs, draw(st.dictionaries(places, numbers, min_size=1, max_size=5)))
        elif kind == "matrix":
            drawn = np.random.default_rng(draw(st.integers(0, 99))).normal(size=(rows, columns))
            inputs = set_matrix(inputs, name, drawn)
        elif kind == "rename":
            inputs = rename(inputs, axis, draw(st.integers(0, count - 1)), draw(names_for(inputs, axis)))
        elif kind == "insert" and count < most_names(inputs, axis):
            inputs = insert(inputs, axis, draw(st.integers(0, count)), draw(names_for(inputs, axis)))
        elif kind == "remove" and count > 1:
            inputs = remove(inputs, axis, draw(st.integers(0, count - 1)))
    return inputs


@st.composite
def examples(draw):
    """A worked example, or one made here and its recipe."""
    recipe = draw(st.none() | recipes)
    return recipe, prepared(recipe, PRESETS) if recipe else PRESETS[draw(st.sampled_from(list(PRESETS)))]


@st.composite
def edited_examples(draw):
    recipe, preset = draw(examples())
    return recipe, preset, draw(edited(preset.inputs))


@st.composite
def what_ifs(draw, inputs, unordered):
    kind = draw(st.sampled_from(offered(inputs, unordered)))
    queries, keys = (len(inputs.axes[axis].names) for axis in token_axes(inputs))
    amount = draw(st.sampled_from(MEASURES[kind].amounts)) if kind in MEASURES else 1.0
    return WhatIf(kind, amount, draw(st.integers(0, queries - 1)), draw(st.integers(0, keys - 1)))


@st.composite
def snapshots(draw):
    recipe, preset, inputs = draw(edited_examples())
    unordered = bool(preset.unordered)
    queries = len(inputs.axes[token_axes(inputs)[0]].names)
    return Snapshot(
        preset,
        recipe,
        inputs,
        scale=draw(st.booleans()),
        causal=not unordered and draw(st.booleans()),
        only_query=draw(st.none() | st.integers(0, queries - 1)) if unordered else None,
        what_if=draw(st.none() | what_ifs(inputs, unordered)),
    )


def assert_same(found, wanted):
    """The same names from the same places, and the same numbers bit by bit."""
    assert found.axes == wanted.axes
    assert list(found.matrices) == list(wanted.matrices)
    for name, matrix in wanted.matrices.items():
        assert found.matrices[name].values.shape == matrix.values.shape
        assert found.matrices[name].values.tobytes() == matrix.values.tobytes()


def unless_refused(function, *given):
    """What the function gives, None where it raises BadLink."""
    try:
        return function(*given)
    except BadLink:
        return None


@reproducible
@given(edited_examples())
def test_whatever_is_edited_the_link_gives_it_back_bit_by_bit(made):
    _, preset, now = made
    found = with_edits(preset.inputs, unpack(pack(edits_of(preset.inputs, now))))
    assert_same(found, now)
    assert edits_of(preset.inputs, found) == edits_of(preset.inputs, now)


@reproducible
@given(edited_examples())
def test_a_link_of_an_example_made_here_gives_its_recipe_and_its_edits_back(made):
    recipe, preset, now = made
    content = example_content(recipe, preset, now)
    found = unpack(pack(content)) if content else {}
    assert recipe_in(found) == (recipe or Recipe())
    assert_same(inputs_in(found, preset), now)


@reproducible
@given(recipes)
def test_any_recipe_comes_back_as_it_was(recipe):
    assert recipe_of(content_of(recipe)) == recipe
    assert recipe_of(unpack(pack(content_of(recipe)))) == recipe


@reproducible
@given(snapshots())
def test_any_snapshot_comes_back_with_the_same_attention(snapshot):
    found = snapshot_of(unpack(pack(content_of_snapshot(snapshot))), PRESETS)
    assert found.description == snapshot.description
    assert (found.preset.id, found.recipe) == (snapshot.preset.id, snapshot.recipe)
    assert (found.scale, found.causal, found.only_query) == (
        snapshot.scale,
        snapshot.causal,
        snapshot.only_query,
    )
    assert found.what_if == snapshot.what_if
    assert_same(found.inputs, snapshot.inputs)
    mine, theirs = snapshot.attention(), found.attention()
    for step in STEPS:
        np.testing.assert_array_equal(getattr(theirs.steps, step), getattr(mine.steps, step), step)
    assert (theirs.query_names, theirs.key_names) == (mine.query_names, mine.key_names)


@st.composite
def contents(draw):
    """Edits, a recipe or a snapshot, as a link holds them."""
    kind = draw(st.sampled_from(["edits", "recipe", "example", "snapshot"]))
    if kind == "recipe":
        return content_of(draw(recipes))
    if kind == "snapshot":
        return content_of_snapshot(draw(snapshots()))
    recipe, preset, now = draw(edited_examples())
    return edits_of(preset.inputs, now) if kind == "edits" else example_content(recipe, preset, now)


@settings(reproducible, max_examples=40)
@given(contents(), st.integers(1, len(SIGNS) - 1))
def test_a_text_with_one_other_sign_anywhere_says_the_same_or_nothing(content, further):
    text = pack(content)
    for place, sign in enumerate(text):
        other = SIGNS[(SIGNS.index(sign) + further) % len(SIGNS)]
        assert unless_refused(unpack, text[:place] + other + text[place + 1 :]) in (None, content)


@settings(reproducible, max_examples=40)
@given(contents())
def test_a_text_that_was_cut_anywhere_says_nothing(content):
    text = pack(content)
    for place in range(len(text)):
        assert unless_refused(unpack, text[:place]) is None
        assert unless_refused(unpack, text[place + 1 :]) is None


@settings(reproducible, max_examples=40)
@given(contents(), st.data())
def test_a_text_of_which_a_part_was_replaced_says_the_same_or_nothing(content, data):
    text = pack(content)
    for _ in range(5):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 3, len(text))))
        changed = text[:start] + data.draw(st.text(SIGNS, max_size=3)) + text[end:]
        assert unless_refused(unpack, changed) in (None, content)


texts = st.one_of(
    st.text(), st.text(SIGNS).map("1".__add__), st.text(st.characters(codec=None)).map("1".__add__)
)


@settings(reproducible, max_examples=200)
@given(texts)
@example("²")
@example("1\x00")
def test_any_text_is_a_content_or_a_bad_link(text):
    content = unless_refused(unpack, text)
    assert content is None or isinstance(content, dict)


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 40),
    st.sampled_from([2**63, -(2**64), 10**400, -(10**400)]),
    st.floats(),
    st.text(max_size=5),
    names,
)
anything = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def objects(keys, values):
    """Objects with some of these keys, and now and then another one."""
    return st.dictionaries(st.sampled_from([*keys, "unknown"]), values, max_size=4)


sides = st.one_of(
    anything,
    st.lists(st.integers(-1, 9) | names | st.tuples(st.integers(-1, 9), names).map(list), max_size=12),
)
cells = st.one_of(
    anything,
    st.lists(st.tuples(st.integers(-1, 40), numbers).map(list), max_size=4),
    st.lists(numbers, min_size=6, max_size=6),
)
AXES = sorted({name for preset in PRESETS.values() for name in preset.inputs.axes})
MATRICES = sorted({name for preset in PRESETS.values() for name in preset.inputs.matrices})
PARTS = {
    "axes": anything | objects(AXES, sides),
    "cells": anything | objects(MATRICES, cells),
    "check": anything,
}
START = {
    "like": st.sampled_from(list(PRESETS)) | anything,
    "tokens": st.lists(names, max_size=3) | anything,
    "projected": st.booleans() | anything,
    "random": st.booleans() | anything,
    "seed": st.integers(-1, LARGEST_SEED + 1) | anything,
    "d_model": st.integers(0, MOST_COLUMNS + 1) | anything,
    "d_k": st.integers(0, MOST_COLUMNS + 1) | anything,
    "d_v": st.integers(0, MOST_COLUMNS + 1) | anything,
    "unknown": anything,
}
starts = anything | st.fixed_dictionaries({}, optional=START)
edits = st.fixed_dictionaries({}, optional=PARTS)


@settings(reproducible, max_examples=100)
@given(st.sampled_from(list(PRESETS)), edits)
def test_any_edits_are_those_of_their_checksum_or_a_bad_link(id, content):
    found = unless_refused(with_edits, PRESETS[id].inputs, content)
    assert found is None or not content or content["check"] == checksum(found)


@settings(reproducible, max_examples=100)
@given(starts)
def test_any_content_is_a_recipe_that_can_be_prepared_or_a_bad_link(content):
    recipe = unless_refused(recipe_of, content)
    if recipe and recipe.like in ("", *PRESETS):
        inputs = prepared(recipe, PRESETS).inputs
        assert all(1 <= len(axis.names) <= MOST_TOKENS for axis in inputs.axes.values())
        assert all(np.isfinite(matrix.values).all() for matrix in inputs.matrices.values())


moments = st.fixed_dictionaries(
    {
        "preset": st.sampled_from([*PRESETS, "your_vectors"]) | anything,
        "scale": st.booleans() | anything,
        "causal": st.booleans() | anything,
    },
    optional={
        "only": st.integers(-1, 3) | anything,
        "what_if": st.one_of(
            anything,
            st.tuples(
                st.sampled_from(sorted(MEASURES)) | anything,
                st.sampled_from([0.5, 1, 10]) | anything,
                st.integers(-1, 9) | anything,
                st.integers(-1, 9) | anything,
            ).map(list),
        ),
        "start": starts,
        **PARTS,
    },
)


def assert_can_be_shown(snapshot):
    assert snapshot.description
    assert snapshot.attention().steps.weights.size > 0
    content = content_of_snapshot(snapshot)
    assert content_of_snapshot(snapshot_of(content, PRESETS)) == content


@settings(reproducible, max_examples=100)
@given(moments)
def test_any_content_is_a_snapshot_that_can_be_shown_or_a_bad_link(content):
    found = unless_refused(snapshot_of, content, PRESETS)
    if found:
        assert_can_be_shown(found)


@settings(reproducible, max_examples=40)
@given(snapshots(), st.data())
def test_a_snapshot_of_which_one_part_is_replaced_can_be_shown_or_is_a_bad_link(snapshot, data):
    content = json.loads(json.dumps(content_of_snapshot(snapshot)))
    for part in sorted(content):
        found = unless_refused(snapshot_of, {**content, part: data.draw(anything)}, PRESETS)
        if found:
            assert_can_be_shown(found)
