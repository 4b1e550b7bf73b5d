"""What is said of examples that nobody would choose: equal numbers, ties, one key alone, tokens gone."""

import numpy as np
import pytest

from core.matrices import remove, set_cells, set_matrix
from core.presets import every_preset
from core.recipes import Recipe, prepared
from core.sharing import edits_of, pack
from core.snapshots import example_content
from tests.app.screens import cells, open_page, words
from tests.app.test_comparing import kept
from tests.examples import tokens_in_link

PRESETS = every_preset()[0]


def opened(preset, edited, **link):
    page = PRESETS[preset]
    return open_page(page.page, edits=pack(edits_of(page.inputs, edited)), **link)


def test_equal_numbers_have_no_variance():
    own = prepared(Recipe(), PRESETS)
    inputs = own.inputs
    for matrix, number in (("queries", 0.1), ("keys", 0.7)):
        inputs = set_matrix(inputs, matrix, np.full(inputs.matrices[matrix].values.shape, number))
    app = open_page("your_vectors", edits=pack(example_content(Recipe(), own, inputs)), ask="variance")
    assert "**0.00** in Q, **0.00** in K, **0.00** in the scores, and **0.00** in the scores" in words(app)
    assert "times that" not in words(app)


def test_the_only_key_that_a_query_sees_gets_all_however_long_it_is():
    edited = set_cells(PRESETS["emma_sentence"].inputs, {("queries", 0, 0): -3.0})
    pair = {"query": "1 Emma", "key": "1 Emma"}
    app = opened("emma_sentence", edited, experiment="arrows", causal="true", stretch="4", **pair)
    assert "Weight 1.00 → **1.00**. It is the only key that this query sees: it gets all" in words(app)
    assert "points away" not in words(app)


@pytest.mark.parametrize(
    ("equal", "said"),
    [
        ([0, 1], "the best keys, which fit equally, share, `kitten` and `lizard`: "),
        ([0, 1, 2, 3, 4], "the best keys, which fit equally, share, 5 keys: "),
    ],
)
def test_keys_that_fit_equally_share_in_a_hard_lookup(equal, said):
    inputs = PRESETS["animal_lookup"].inputs
    keys = inputs.matrices["keys"].values.copy()
    keys[equal] = 50.0
    app = opened("animal_lookup", set_matrix(inputs, "keys", keys), experiment="soft lookup")
    assert f"**Hard**: {said}" in words(app)


@pytest.mark.parametrize(("stage", "is_seen"), [("scores", False), ("weights", False), ("output", True)])
def test_a_hall_is_told_of_small_numbers_where_there_are_some(stage, is_seen):
    preset = PRESETS["random_qkv"]
    edited = set_cells(preset.inputs, {("values", 0, 0): 5.0})
    edits = pack(example_content(None, preset, edited, before=preset.inputs))
    app = open_page("random_qkv", present="true", stage=stage, edits=edits)
    assert any(cells(app)["old"]) == is_seen
    assert ("Small and slanted: before." in words(app)) == is_seen


def test_a_that_was_kept_with_other_queries_in_view_is_said_to_be():
    app = kept(open_page("animal_lookup"))
    app.selectbox(key="only").set_value(1).run()
    assert "A was kept with other queries in view, so it cannot be compared with these." in words(app.run())


def test_other_matrices_are_not_told_as_other_names():
    app = kept(open_page("your_vectors"))
    app.button(key="open-start-anew").click().run()
    app.get_by_key("start-kind").set_value("embeddings X and W").run()
    app.button(key="start").click().run()
    assert "**Since A:** other matrices." in words(app)


def test_what_to_try_with_tokens_that_are_gone_is_not_said():
    emma = PRESETS["emma_sentence"].inputs
    assert "Try it" in words(open_page("emma_sentence"))
    assert "Try it" not in words(opened("emma_sentence", remove(emma, "tokens", 8)))


def test_large_numbers_are_not_told_to_be_near_0():
    emma = PRESETS["emma_sentence"].inputs
    for matrix in ("queries", "keys"):
        emma = set_matrix(emma, matrix, np.full((9, 4), 1000.0))
    said = words(opened("emma_sentence", emma))
    assert "Large numbers are shortened: 4.0e6 is 4.0 × 10⁶." in said
    assert "Near 0" not in said


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (16, ""),
        (17, "Where cells are too small for numbers, point at one, or enlarge the heatmap at its top right."),
        (65, "Cells are too small for numbers: point at one."),
    ],
)
def test_what_to_do_about_cells_without_numbers_is_said(tokens, said):
    said_below = words(open_page("your_vectors", stage="weights", edits=tokens_in_link(tokens)))
    assert "too small" not in said_below if said == "" else said in said_below
