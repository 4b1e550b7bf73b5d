"""A sentence, sizes and first numbers become an example; the same recipe always gives the same one."""

from dataclasses import replace

import numpy as np
import pytest

from core.matrices import LONGEST_NAME, MOST_COLUMNS, MOST_TOKENS, Refused
from core.recipes import LARGEST_SEED, SENTENCE, Recipe, content_of, prepared, recipe_of, tokens_of
from core.sharing import CHANGED, BadLink
from core.stages import attend, stage_names
from tests.unit.cases import PRESETS
from tests.unit.hostile import HOSTILE

DIRECT = Recipe(tokens=("I", "like", "tea"), d_k=2, d_v=5)
PROJECTED = replace(DIRECT, projected=True, d_model=6)
LARGEST = Recipe(
    tokens=("word",) * MOST_TOKENS,
    projected=True,
    d_model=MOST_COLUMNS,
    d_k=MOST_COLUMNS,
    d_v=MOST_COLUMNS,
)
SMALLEST = Recipe(tokens=("I",), d_model=1, d_k=1, d_v=1)
RECIPES = {
    "the first one": Recipe(),
    "queries, keys and values": DIRECT,
    "embeddings": PROJECTED,
    "zeros": replace(DIRECT, random=False),
    "embeddings of zeros": replace(PROJECTED, random=False),
    "the smallest": SMALLEST,
    "the smallest with embeddings": replace(SMALLEST, projected=True),
    "the largest": LARGEST,
} | {f"like {id}": Recipe(like=id) for id in PRESETS}


def numbers(recipe):
    """All numbers of the example that a recipe gives, by the names of their matrices."""
    return {name: matrix.values for name, matrix in prepared(recipe, PRESETS).inputs.matrices.items()}


def same(left, right):
    return left.keys() == right.keys() and all(left[name].tobytes() == right[name].tobytes() for name in left)


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("tea", ("tea",)),
        ("the cat sat on the mat", SENTENCE),
        ("  I \t like\nmy\u00a0tea  ", ("I", "like", "my", "tea")),
        ("Ὀδυσσεύς 猫 🐈 naïve", ("Ὀδυσσεύς", "猫", "🐈", "naïve")),
        ("no, no!", ("no,", "no!")),
        ("I like \u200b tea", ("I", "like", "tea")),
        ("I\u200blike\x00tea\u202e", ("I", "like", "tea")),
        ("x" * LONGEST_NAME, ("x" * LONGEST_NAME,)),
        ("a " * MOST_TOKENS, ("a",) * MOST_TOKENS),
    ],
)
def test_a_sentence_is_cut_into_its_words(sentence, tokens):
    assert tokens_of(sentence) == tokens


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("", "the sentence is empty; write at least one word"),
        (" \n\t\u00a0 ", "the sentence is empty; write at least one word"),
        ("\u200b \ufeff", "the sentence is empty; write at least one word"),
        (
            "a " * (MOST_TOKENS + 1),
            f"the sentence has {MOST_TOKENS + 1} words; at most {MOST_TOKENS} fit",
        ),
        (
            "a " + "x" * (LONGEST_NAME + 1),
            f"word 2, 'xxxxxxxxxxx…': the name has {LONGEST_NAME + 1} characters; at most {LONGEST_NAME} fit",
        ),
    ],
    ids=["nothing", "blanks", "what cannot be seen", "too many words", "a word that is too long"],
)
def test_a_sentence_that_cannot_be_used_is_refused_with_its_reason(sentence, reason):
    with pytest.raises(Refused) as refused:
        tokens_of(sentence)
    assert str(refused.value) == reason


def test_queries_keys_and_values_have_the_sizes_of_the_recipe():
    inputs = prepared(DIRECT, PRESETS).inputs
    assert {name: matrix.values.shape for name, matrix in inputs.matrices.items()} == {
        "queries": (3, 2),
        "keys": (3, 2),
        "values": (3, 5),
    }
    for name in ("queries", "keys", "values"):
        assert inputs.row_names(name) == ("I", "like", "tea")
    assert inputs.column_names("queries") == inputs.column_names("keys") == ("d1", "d2")
    assert inputs.column_names("values") == ("v1", "v2", "v3", "v4", "v5")


def test_embeddings_and_their_matrices_have_the_sizes_of_the_recipe():
    inputs = prepared(PROJECTED, PRESETS).inputs
    assert {name: matrix.values.shape for name, matrix in inputs.matrices.items()} == {
        "embeddings": (3, 6),
        "W_query": (6, 2),
        "W_key": (6, 2),
        "W_value": (6, 5),
    }
    assert inputs.row_names("embeddings") == ("I", "like", "tea")
    assert inputs.column_names("embeddings") == ("e1", "e2", "e3", "e4", "e5", "e6")
    for name in ("W_query", "W_key", "W_value"):
        assert inputs.row_names(name) == inputs.column_names("embeddings")


def test_the_width_of_an_embedding_counts_only_where_there_are_embeddings():
    assert same(numbers(DIRECT), numbers(replace(DIRECT, d_model=9)))
    assert numbers(replace(PROJECTED, d_model=9))["W_key"].shape == (9, 2)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_name_of_an_example_made_here_stands_where_it_began(recipe):
    for axis in prepared(recipe, PRESETS).inputs.axes.values():
        assert axis.origins == tuple(range(len(axis.names)))


@pytest.mark.parametrize("projected", [False, True])
def test_zeros_are_nothing_but_zeros(projected):
    for values in numbers(replace(PROJECTED, projected=projected, random=False)).values():
        assert values.dtype == np.float64
        assert not values.any()


@pytest.mark.parametrize("recipe", [DIRECT, PROJECTED], ids=["queries, keys and values", "embeddings"])
def test_the_same_seed_draws_the_same_numbers_and_another_one_others(recipe):
    assert same(numbers(recipe), numbers(replace(recipe)))
    for seed in (0, 2, LARGEST_SEED):
        other = numbers(replace(recipe, seed=seed))
        assert not any(np.array_equal(other[name], values) for name, values in numbers(recipe).items())


def test_other_words_for_the_tokens_draw_the_same_numbers():
    assert same(numbers(DIRECT), numbers(replace(DIRECT, tokens=("we", "drink", "coffee"))))


def test_no_two_matrices_of_a_draw_are_alike():
    found = numbers(replace(DIRECT, d_v=2))
    assert len({values.tobytes() for values in found.values()}) == 3


@pytest.mark.parametrize("seed", [0, 1, 7, LARGEST_SEED])
@pytest.mark.parametrize("projected", [False, True])
def test_random_numbers_have_two_decimals_and_no_minus_before_a_zero(projected, seed):
    for values in numbers(replace(LARGEST, projected=projected, seed=seed)).values():
        assert values.tolist() == [[float(f"{number:.2f}") for number in row] for row in values.tolist()]
        assert not np.signbit(values[values == 0]).any()


def test_random_numbers_are_standard_normal_and_those_of_a_w_keep_the_spread_of_embeddings():
    direct, projected = numbers(replace(LARGEST, projected=False)), numbers(LARGEST)
    for values in (*direct.values(), projected["embeddings"]):
        assert abs(values.mean()) < 0.02
        assert abs(values.std() - 1) < 0.02
    for name in ("W_query", "W_key", "W_value"):
        assert abs(projected[name].std() - 1 / 8) < 0.01
        assert abs((projected["embeddings"] @ projected[name]).std() - 1) < 0.05


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_numbers_of_an_example_made_here_cannot_be_changed_by_accident(recipe):
    assert not any(values.flags.writeable for values in numbers(recipe).values())


@pytest.mark.parametrize("recipe", [DIRECT, PROJECTED, SMALLEST], ids=["direct", "projected", "smallest"])
def test_an_example_made_here_opens_scaled_without_a_mask_at_the_last_word(recipe):
    preset = prepared(recipe, PRESETS)
    start = preset.start
    assert (start.scale, start.causal, start.query, start.key) == (True, False, len(recipe.tokens) - 1, 0)
    assert (preset.id, preset.page, preset.unordered) == ("your_vectors", "your_vectors", "")


@pytest.mark.parametrize("id", PRESETS)
def test_an_example_made_like_another_has_its_numbers_its_start_and_its_reason_against_a_mask(id):
    made, like = prepared(Recipe(like=id), PRESETS), PRESETS[id]
    assert made.inputs.same_as(like.inputs)
    assert (made.start, made.unordered) == (like.start, like.unordered)
    assert (made.id, made.page, made.notes) == ("your_vectors", "your_vectors", {})


def test_one_of_the_examples_has_a_reason_against_a_mask_to_carry_over():
    assert prepared(Recipe(like="animal_lookup"), PRESETS).unordered.startswith(
        "Queries and keys are different"
    )


@pytest.mark.parametrize("like", ["unknown", "your_vectors", " ", "emma_sentence ", "\ud800"])
def test_an_example_like_one_that_is_not_there_is_refused(like):
    with pytest.raises(Refused) as refused:
        prepared(Recipe(like=like), PRESETS)
    assert str(refused.value) == "it begins with an example that is not there"


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_example_made_here_has_an_attention(recipe):
    inputs = prepared(recipe, PRESETS).inputs
    for scale, causal in ((True, False), (False, True)):
        steps = attend(inputs, scale=scale, causal=causal).steps
        np.testing.assert_allclose(steps.weights.sum(axis=1), 1, rtol=1e-12)
        assert ("output" in stage_names(inputs)) == (steps.output is not None)


def test_of_zeros_every_word_looks_at_all_words_alike():
    for projected in (False, True):
        inputs = prepared(replace(PROJECTED, projected=projected, random=False), PRESETS).inputs
        steps = attend(inputs, scale=True, causal=False).steps
        np.testing.assert_allclose(steps.weights, 1 / 3, rtol=1e-15)
        assert not steps.output.any()


CONTENTS = {
    "the first one": (Recipe(), {}),
    "queries, keys and values": (DIRECT, {"tokens": ["I", "like", "tea"], "d_k": 2, "d_v": 5}),
    "embeddings": (Recipe(projected=True, d_model=6), {"projected": True, "d_model": 6}),
    "zeros": (Recipe(random=False), {"random": False}),
    "another seed": (Recipe(seed=0), {"seed": 0}),
    "the largest seed": (Recipe(seed=LARGEST_SEED), {"seed": 4294967295}),
    "like an example": (Recipe(like="emma_sentence"), {"like": "emma_sentence"}),
    "names that would do harm": (Recipe(tokens=tuple(HOSTILE)), {"tokens": HOSTILE}),
}


@pytest.mark.parametrize(("recipe", "content"), CONTENTS.values(), ids=CONTENTS)
def test_a_link_holds_of_a_recipe_what_differs_from_the_first_one(recipe, content):
    assert content_of(recipe) == content
    assert recipe_of(content) == recipe


def test_the_smallest_and_the_largest_recipe_come_back_from_a_link():
    for recipe in (SMALLEST, LARGEST):
        assert recipe_of(content_of(recipe)) == recipe


BROKEN = {
    "a list": [],
    "a text": "like",
    "nothing": None,
    "something unknown": {"unknown": 1},
    "a number for an example": {"like": 1},
    "nothing for an example": {"like": None},
    "no tokens": {"tokens": []},
    "a sentence for tokens": {"tokens": "the cat"},
    "an object for tokens": {"tokens": {"the": 1}},
    "a number among the tokens": {"tokens": ["the", 1]},
    "a list among the tokens": {"tokens": ["the", ["cat"]]},
    "an empty token": {"tokens": ["the", ""]},
    "a token that is not clean": {"tokens": ["the", " cat"]},
    "a token of two lines": {"tokens": ["the\ncat"]},
    "a token that is too long": {"tokens": ["x" * (LONGEST_NAME + 1)]},
    "too many tokens": {"tokens": ["a"] * (MOST_TOKENS + 1)},
    "1 for true": {"projected": 1},
    "a text for true": {"random": "true"},
    "nothing for false": {"random": None},
    "a seed below 0": {"seed": -1},
    "a seed that is too large": {"seed": LARGEST_SEED + 1},
    "a seed far too large": {"seed": 10**40},
    "a seed that is no whole number": {"seed": 1.0},
    "true for a seed": {"seed": True},
    "a text for a seed": {"seed": "1"},
} | {
    f"{what} for {size}": {size: value}
    for size in ("d_model", "d_k", "d_v")
    for what, value in {
        "0": 0,
        "a number below 0": -1,
        "one too many": MOST_COLUMNS + 1,
        "far too many": 10**40,
        "a fraction": 2.0,
        "true": True,
        "nothing": None,
        "infinity": float("inf"),
        "NaN": float("nan"),
    }.items()
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_what_is_no_recipe_is_refused(content):
    with pytest.raises(BadLink) as bad:
        recipe_of(content)
    assert str(bad.value) == CHANGED
