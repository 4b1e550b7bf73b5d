"""A table in the place of a matrix: its numbers and names are there, and the other matrices still fit it."""

import re
import unicodedata

import numpy as np
import pytest

from core.csv_files import Table
from core.matrices import Refused, clean_name, insert, rename
from core.placing import in_order_of_page, is_table_turned, misfits, name_changes, place_cut, place_whole
from core.stages import attend
from tests.examples import PRESETS

# Written out, as the oracle for what a matrix shares with others: sides (matrix, 0 is rows, 1 is columns).
DIRECT = [{("queries", 1), ("keys", 1)}]
PROJECTED = [
    {("embeddings", 1), ("W_query", 0), ("W_key", 0), ("W_value", 0)},
    {("W_query", 1), ("W_key", 1)},
]
SHARED = {
    "animal_lookup": [*DIRECT, {("keys", 0), ("values", 0)}],
    "emma_sentence": [*DIRECT, {("queries", 0), ("keys", 0)}],
    "i_love_coding": PROJECTED,
    "random_qkv": [*DIRECT, {("queries", 0), ("keys", 0), ("values", 0)}],
    "three_tokens": PROJECTED,
}
EACH_MATRIX = [(preset, matrix) for preset in PRESETS for matrix in PRESETS[preset].inputs.matrices]
SIZES = {
    "equal": (0, 0),
    "larger": (2, 3),
    "smaller": (-1, -2),
    "more rows": (1, 0),
    "fewer columns": (0, -1),
    "fewer rows and more columns": (-1, 2),
}

each_matrix = pytest.mark.parametrize(("preset", "matrix"), EACH_MATRIX)
each_size = pytest.mark.parametrize("more", SIZES.values(), ids=SIZES)


def inputs_of(preset):
    return PRESETS[preset].inputs


def table(rows, columns, row_names=(), column_names=()):
    """A table of numbers that no example has."""
    values = -1000 - np.arange(rows * columns, dtype=float).reshape(rows, columns)
    return Table(values, tuple(row_names), tuple(column_names))


def table_for(preset, matrix, more, names=False):
    """A table that has so many rows and columns more than a matrix."""
    rows, columns = map(sum, zip(inputs_of(preset).matrices[matrix].values.shape, more, strict=True))
    if not names:
        return table(rows, columns)
    return table(rows, columns, [f"row {i}" for i in range(rows)], [f"column {j}" for j in range(columns)])


def sides_with(preset, matrix, side):
    """The sides that have to be as long as one side of a matrix, and this side."""
    found = [group for group in SHARED[preset] if (matrix, side) in group]
    return {(matrix, side)}.union(*found)


def overlap(values, shape):
    """The numbers that fit into a shape, and zeros where there are none."""
    rows, columns = min(values.shape[0], shape[0]), min(values.shape[1], shape[1])
    fitted = np.zeros(shape)
    fitted[:rows, :columns] = values[:rows, :columns]
    return fitted.tolist()


def numbers(inputs):
    return {name: matrix.values.tolist() for name, matrix in inputs.matrices.items()}


def shapes(inputs):
    return {name: matrix.values.shape for name, matrix in inputs.matrices.items()}


def names(inputs):
    return {name: axis.names for name, axis in inputs.axes.items()}


def assert_consistent(inputs):
    """Every matrix is as large as its names say, and attention can be computed."""
    for name, matrix in inputs.matrices.items():
        assert matrix.values.shape == (len(inputs.row_names(name)), len(inputs.column_names(name)))
    for axis in inputs.axes.values():
        assert len(axis.origins) == len(axis.names)
    attention = attend(inputs, scale=True, causal=False)
    assert attention.steps.scores.shape == (len(attention.query_names), len(attention.key_names))
    np.testing.assert_allclose(attention.steps.weights.sum(axis=1), 1)
    if attention.value is not None:
        assert attention.steps.output.shape == (len(attention.query), attention.value.shape[1])


def test_every_example_is_loaded_and_its_shared_sides_are_of_one_length():
    assert set(PRESETS) == set(SHARED)
    for preset, groups in SHARED.items():
        for group in groups:
            sizes = {inputs_of(preset).matrices[name].values.shape[side] for name, side in group}
            assert len(sizes) == 1


@each_size
@each_matrix
def test_a_whole_table_is_in_its_place_and_the_other_matrices_follow(preset, matrix, more):
    inputs, loaded = inputs_of(preset), table_for(preset, matrix, more)
    placed = place_whole(inputs, matrix, loaded)
    expected = {name: list(shape) for name, shape in shapes(inputs).items()}
    for side, size in enumerate(loaded.values.shape):
        for name, other in sides_with(preset, matrix, side):
            expected[name][other] = size
    assert shapes(placed) == {name: tuple(shape) for name, shape in expected.items()}
    assert numbers(placed) == {
        name: overlap(loaded.values if name == matrix else old.values, expected[name])
        for name, old in inputs.matrices.items()
    }
    assert_consistent(placed)


@each_size
@each_matrix
def test_a_table_cut_to_size_leaves_all_sizes_and_the_other_matrices(preset, matrix, more):
    inputs, loaded = inputs_of(preset), table_for(preset, matrix, more)
    placed = place_cut(inputs, matrix, loaded)
    shape = inputs.matrices[matrix].values.shape
    assert shapes(placed) == shapes(inputs)
    assert numbers(placed) == numbers(inputs) | {matrix: overlap(loaded.values, shape)}
    assert names(placed) == names(inputs)
    assert_consistent(placed)


@pytest.mark.parametrize("place", [place_whole, place_cut])
@each_matrix
def test_a_matrix_in_its_own_place_changes_nothing(preset, matrix, place):
    inputs = inputs_of(preset)
    same = Table(inputs.matrices[matrix].values, inputs.row_names(matrix), inputs.column_names(matrix))
    assert place(inputs, matrix, same).same_as(inputs)


@pytest.mark.parametrize("place", [place_whole, place_cut])
@each_size
@each_matrix
def test_what_is_passed_in_is_not_changed(preset, matrix, more, place):
    inputs, loaded = inputs_of(preset), table_for(preset, matrix, more, names=True)
    before = numbers(inputs), dict(inputs.axes), loaded.values.tolist(), loaded.rows, loaded.columns
    place(inputs, matrix, loaded)
    assert (numbers(inputs), dict(inputs.axes), loaded.values.tolist(), loaded.rows, loaded.columns) == before


@each_size
@each_matrix
def test_a_whole_table_brings_its_names_to_its_own_sides(preset, matrix, more):
    inputs, loaded = inputs_of(preset), table_for(preset, matrix, more, names=True)
    placed = place_whole(inputs, matrix, loaded)
    assert (placed.row_names(matrix), placed.column_names(matrix)) == (loaded.rows, loaded.columns)
    own = {inputs.matrices[matrix].rows, inputs.matrices[matrix].columns}
    for axis in inputs.axes.keys() - own:
        old, new = inputs.axes[axis].names, placed.axes[axis].names
        assert new[: len(old)] == old[: len(new)]


@each_size
@each_matrix
def test_a_table_cut_to_size_brings_the_names_that_fit(preset, matrix, more):
    inputs, loaded = inputs_of(preset), table_for(preset, matrix, more, names=True)
    placed = place_cut(inputs, matrix, loaded)
    for old, new, of_file in (
        (inputs.row_names(matrix), placed.row_names(matrix), loaded.rows),
        (inputs.column_names(matrix), placed.column_names(matrix), loaded.columns),
    ):
        assert new == (of_file + old[len(of_file) :])[: len(old)]


def test_a_shared_side_has_its_new_names_in_every_matrix():
    placed = place_whole(inputs_of("random_qkv"), "values", table(2, 8, ("the", "cat")))
    assert {placed.row_names(name) for name in ("queries", "keys", "values")} == {("the", "cat")}
    placed = place_whole(inputs_of("i_love_coding"), "W_query", table(3, 3, ("x1", "x2", "x3"), "abc"))
    assert placed.column_names("embeddings") == placed.row_names("W_value") == ("x1", "x2", "x3")
    assert placed.column_names("W_key") == ("a", "b", "c")
    assert placed.column_names("W_value") == ("v1", "v2", "v3")


def test_a_file_that_names_one_side_leaves_the_names_of_the_other():
    inputs = inputs_of("animal_lookup")
    placed = place_whole(inputs, "queries", table(2, 3, (), ("legs", "fur", "size")))
    assert placed.row_names("queries") == ("mammal", "reptile")
    assert placed.column_names("queries") == placed.column_names("keys") == ("legs", "fur", "size")
    placed = place_whole(inputs, "queries", table(2, 3, ("bird", "fish")))
    assert placed.row_names("queries") == ("bird", "fish")
    assert placed.column_names("queries") == ("d1", "d2", "d3")


@pytest.mark.parametrize(
    ("preset", "matrix", "size", "side", "added"),
    [
        ("emma_sentence", "queries", (11, 4), "tokens", ("token 10", "token 11")),
        ("emma_sentence", "keys", (9, 6), "dimensions", ("dimension 5", "dimension 6")),
        ("animal_lookup", "queries", (3, 3), "queries", ("query 3",)),
        ("animal_lookup", "keys", (6, 3), "keys", ("key 6",)),
        ("animal_lookup", "values", (5, 5), "value_dimensions", ("value dimension 5",)),
        ("i_love_coding", "W_query", (4, 3), "embedding_dimensions", ("embedding dimension 4",)),
    ],
)
def test_a_side_that_grows_without_names_counts_on(preset, matrix, size, side, added):
    placed = place_whole(inputs_of(preset), matrix, table(*size))
    assert placed.axes[side].names == inputs_of(preset).axes[side].names + added


@pytest.mark.parametrize(
    ("axis", "present", "size", "added"),
    [
        ("tokens", "token 10", (11, 4), ("token 11", "token 12")),
        ("tokens", "token 11", (11, 4), ("token 10", "token 12")),
        ("tokens", "token 9", (11, 4), ("token 10", "token 11")),
        ("dimensions", "dimension 5", (9, 6), ("dimension 6", "dimension 7")),
        ("dimensions", "dimension 6", (9, 6), ("dimension 5", "dimension 7")),
    ],
)
def test_a_side_that_grows_never_takes_a_name_that_is_there_already(axis, present, size, added):
    inputs = rename(inputs_of("emma_sentence"), axis, 0, present)
    placed = place_whole(inputs, "queries", table(*size))
    assert placed.axes[axis].names == inputs.axes[axis].names + added


@pytest.mark.parametrize(("place", "width"), [(place_whole, 6), (place_cut, 4)])
def test_a_file_may_bring_the_names_that_a_side_would_have_taken(place, width):
    columns = ("dimension 6", "dimension 5", "a", "b", "c", "d")
    placed = place(inputs_of("emma_sentence"), "queries", table(9, 6, (), columns))
    assert placed.column_names("queries") == placed.column_names("keys") == columns[:width]


def test_more_values_bring_more_keys_and_have_their_own_names():
    inputs = inputs_of("animal_lookup")
    placed = place_whole(inputs, "values", table(7, 4, ("a", "b", "c", "d", "e", "f", "g")))
    assert placed.row_names("values") == ("a", "b", "c", "d", "e", "f", "g")
    assert placed.row_names("keys") == ("kitten", "lizard", "salmon", "whale", "wolf", "key 6", "key 7")
    assert placed.matrices["keys"].values[5:].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert placed.axes["value_names"].follows == "keys"


def test_fewer_keys_take_their_values_along():
    placed = place_whole(inputs_of("animal_lookup"), "keys", table(2, 3, ("cat", "newt")))
    assert placed.row_names("keys") == ("cat", "newt")
    assert placed.row_names("values") == ("furry", "scaly")
    assert placed.matrices["values"].values.tolist() == [[3.4, 1.3, 0.4, 9.8], [7.5, 3.9, 4.1, 0.2]]
    assert placed.row_names("queries") == ("mammal", "reptile")


def test_names_of_values_are_not_those_of_keys():
    placed = place_cut(inputs_of("animal_lookup"), "values", table(2, 4, ("soft", "smooth")))
    assert placed.row_names("values") == ("soft", "smooth", "slippery", "huge", "ferocious")
    assert placed.row_names("keys") == ("kitten", "lizard", "salmon", "whale", "wolf")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("d3", "x"), ("d3", "x", "dimension 3")),
        (("x", "d1"), ("x", "d1", "d3")),
        (("d3", "dimension 3"), ("d3", "dimension 3", "dimension 4")),
        (("dimension 3", "d3"), ("dimension 3", "d3", "dimension 4")),
    ],
)
def test_a_dimension_that_stays_gives_up_a_name_that_the_file_has(columns, expected):
    placed = place_cut(inputs_of("animal_lookup"), "queries", table(2, len(columns), (), columns))
    assert placed.column_names("queries") == placed.column_names("keys") == expected


@pytest.mark.parametrize("columns", [("d3", "d2"), ("d1",), ("d2",)])
def test_of_columns_that_the_page_has_each_goes_to_its_name_and_the_others_are_zeros(columns):
    placed = place_cut(inputs_of("animal_lookup"), "queries", table(2, len(columns), (), columns))
    assert placed.column_names("queries") == placed.column_names("keys") == ("d1", "d2", "d3")
    loaded = dict(zip(columns, table(2, len(columns)).values.T.tolist(), strict=True))
    assert placed.matrices["queries"].values.T.tolist() == [
        loaded.get(name, [0, 0]) for name in ("d1", "d2", "d3")
    ]


def test_a_dimension_that_gives_up_its_name_never_takes_that_of_another_that_stays():
    inputs = rename(rename(inputs_of("animal_lookup"), "dimensions", 2, "a"), "dimensions", 1, "dimension 3")
    placed = place_cut(inputs, "queries", table(2, 2, (), ("a", "z")))
    assert placed.column_names("queries") == ("a", "z", "dimension 4")


def test_a_token_that_stays_gives_up_a_name_that_the_file_has():
    placed = place_cut(inputs_of("emma_sentence"), "queries", table(2, 4, ("she", "x")))
    stay = ("games", "but", "token 5", "is", "a", "great", "friend")
    assert placed.row_names("queries") == placed.row_names("keys") == ("she", "x", *stay)


def test_one_row_that_the_page_has_goes_to_its_name():
    inputs = inputs_of("emma_sentence")
    placed = place_cut(inputs, "queries", table(1, 4, ("she",)))
    assert placed.row_names("queries") == placed.row_names("keys") == inputs.row_names("queries")
    expected = np.zeros((9, 4))
    expected[4] = table(1, 4).values
    np.testing.assert_array_equal(placed.matrices["queries"].values, expected)


def test_tokens_of_a_file_may_repeat():
    placed = place_whole(inputs_of("random_qkv"), "queries", table(3, 8, ("the", "cat", "the")))
    assert placed.row_names("keys") == ("the", "cat", "the")


@pytest.mark.parametrize("place", [place_whole, place_cut])
def test_the_rows_of_a_w_are_dimensions_and_need_names_of_their_own(place):
    with pytest.raises(Refused, match="the name 'x' is there already; every embedding dimension needs"):
        place(PRESETS["i_love_coding"].inputs, "W_query", table(3, 3, ("x", "x", "y")))


def test_a_table_is_placed_in_what_was_edited_before():
    edited = rename(insert(inputs_of("emma_sentence"), "tokens", 0, "Oh"), "dimensions", 0, "Human")
    placed = place_whole(edited, "keys", table(11, 4))
    assert placed.row_names("queries")[:2] == ("Oh", "Emma")
    assert placed.matrices["queries"].values.shape == (11, 4)
    assert placed.matrices["queries"].values[:10].tolist() == edited.matrices["queries"].values.tolist()
    assert placed.column_names("keys")[0] == "Human"


WIDTH_K = "{} and {} need the same number of columns, dₖ"
WIDTH_X = "Each W needs one row for each column of the embeddings X, d_model"
MISFITS = {
    "queries too wide": (
        "emma_sentence", "queries", (0, 2), WIDTH_K.format("Queries", "keys"), 6, "keys", 4,
    ),
    "keys too narrow": (
        "random_qkv", "keys", (0, -1), WIDTH_K.format("Queries", "keys"), 7, "queries", 8,
    ),
    "W_query too wide": (
        "i_love_coding", "W_query", (0, 1), WIDTH_K.format("W_query", "W_key"), 4, "W_key", 3,
    ),
    "W_key too narrow": (
        "three_tokens", "W_key", (0, -2), WIDTH_K.format("W_query", "W_key"), 2, "W_query", 4,
    ),
    "X too wide": (
        "i_love_coding", "embeddings", (0, 2), WIDTH_X, 5, "W_query, W_key and W_value", 3,
    ),
    "W_value too high": (
        "three_tokens", "W_value", (1, 0), WIDTH_X, 6, "embeddings, W_query and W_key", 5,
    ),
    "fewer tokens": (
        "emma_sentence", "keys", (-4, 0),
        "Queries and keys need the same number of rows, one for each token", 5, "queries", 9,
    ),
    "more tokens with values": (
        "random_qkv", "values", (2, 0),
        "Queries, keys and values need the same number of rows, one for each token", 6, "queries and keys", 4,
    ),
    "more values than keys": (
        "animal_lookup", "values", (1, 0),
        "Keys and values need the same number of rows, one for each key", 6, "keys", 5,
    ),
    "fewer keys than values": (
        "animal_lookup", "keys", (-2, 0),
        "Keys and values need the same number of rows, one for each key", 3, "values", 5,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "matrix", "more", "rule", "size", "others", "present"), MISFITS.values(), ids=MISFITS
)
def test_a_table_that_does_not_fit_is_told_why_in_terms_of_attention(
    preset, matrix, more, rule, size, others, present
):
    (sentence,) = misfits(inputs_of(preset), matrix, table_for(preset, matrix, more))
    have = "has" if re.fullmatch(r"W_\w+", others) else "have"
    assert sentence == f"{rule}: the table has {size}, {others} {have} {present}."


@each_size
@each_matrix
def test_a_table_misfits_by_every_side_that_it_shares_and_does_not_fill(preset, matrix, more):
    shared = [len(sides_with(preset, matrix, side)) > 1 for side in (0, 1)]
    found = misfits(inputs_of(preset), matrix, table_for(preset, matrix, more, names=True))
    assert len(found) == sum(is_shared and size != 0 for is_shared, size in zip(shared, more, strict=True))


def test_rows_are_told_before_columns():
    rows, columns = misfits(inputs_of("emma_sentence"), "keys", table(3, 2))
    assert "rows" in rows
    assert "the table has 3" in rows
    assert "dₖ" in columns
    assert "the table has 2" in columns


@each_size
@each_matrix
def test_a_table_that_was_placed_fits(preset, matrix, more):
    loaded = table_for(preset, matrix, more)
    assert misfits(place_whole(inputs_of(preset), matrix, loaded), matrix, loaded) == []


@pytest.mark.parametrize(
    ("preset", "matrix", "size"),
    [
        ("emma_sentence", "queries", (256, 64)),
        ("random_qkv", "values", (256, 64)),
        ("animal_lookup", "values", (256, 64)),
        ("i_love_coding", "embeddings", (256, 64)),
        ("i_love_coding", "W_query", (64, 64)),
    ],
)
def test_the_largest_table_is_placed(preset, matrix, size):
    placed = place_whole(inputs_of(preset), matrix, table(*size))
    assert placed.matrices[matrix].values.tolist() == table(*size).values.tolist()
    assert_consistent(placed)


@pytest.mark.parametrize(
    ("preset", "matrix", "size", "reason"),
    [
        ("emma_sentence", "queries", (257, 4), "the table has 257 rows; at most 256 fit here"),
        ("emma_sentence", "keys", (9, 65), "the table has 65 columns; at most 64 fit here"),
        ("animal_lookup", "queries", (257, 3), "the table has 257 rows; at most 256 fit here"),
        ("animal_lookup", "values", (257, 4), "the table has 257 rows; at most 256 fit here"),
        ("animal_lookup", "values", (5, 65), "the table has 65 columns; at most 64 fit here"),
        ("i_love_coding", "embeddings", (257, 3), "the table has 257 rows; at most 256 fit here"),
        ("i_love_coding", "embeddings", (3, 65), "the table has 65 columns; at most 64 fit here"),
        ("i_love_coding", "W_key", (65, 3), "the table has 65 rows; at most 64 fit here"),
        ("i_love_coding", "W_key", (3, 65), "the table has 65 columns; at most 64 fit here"),
    ],
)
def test_a_table_beyond_what_a_page_shows_is_refused_whole_and_taken_cut(preset, matrix, size, reason):
    inputs = inputs_of(preset)
    before = numbers(inputs), names(inputs)
    with pytest.raises(Refused) as refused:
        place_whole(inputs, matrix, table(*size))
    assert str(refused.value) == reason
    assert (numbers(inputs), names(inputs)) == before
    assert shapes(place_cut(inputs, matrix, table(*size))) == shapes(inputs)


def test_a_table_in_another_order_is_put_in_that_of_the_page_by_its_names():
    inputs = inputs_of("random_qkv")
    keys = inputs.matrices["keys"].values
    tokens, dimensions = inputs.row_names("keys"), inputs.column_names("keys")
    rows, columns = [2, 0, 3, 1], [1, 0, *range(2, len(dimensions))]
    loaded = Table(
        keys[np.ix_(rows, columns)], tuple(tokens[i] for i in rows), tuple(dimensions[j] for j in columns)
    )
    found = in_order_of_page(inputs, "keys", loaded)
    np.testing.assert_array_equal(found.values, keys)
    assert (found.rows, found.columns) == (tokens, dimensions)


@pytest.mark.parametrize(
    ("preset", "matrix", "change"),
    [
        ("random_qkv", "keys", lambda names: names),
        ("random_qkv", "keys", lambda names: ()),
        ("random_qkv", "keys", lambda names: (*names[1:], "another")),
        ("random_qkv", "keys", lambda names: (names[1], *names[1:])),
        ("i_love_coding", "embeddings", lambda names: names[::-1]),
    ],
    ids=["the same", "no names", "another name", "one twice", "no other matrix has them"],
)
def test_a_table_is_left_as_it_is_where_its_names_are_not_those_of_other_matrices(preset, matrix, change):
    inputs = inputs_of(preset)
    loaded = Table(inputs.matrices[matrix].values, change(inputs.row_names(matrix)), ())
    assert in_order_of_page(inputs, matrix, loaded) is loaded


def rows_by_name(inputs, matrix):
    return dict(zip(inputs.row_names(matrix), inputs.matrices[matrix].values.tolist(), strict=True))


def test_a_word_that_a_table_lacks_goes_in_every_matrix_and_the_others_keep_their_numbers():
    inputs = inputs_of("emma_sentence")
    words = [word for word in inputs.row_names("queries")[::-1] if word != "games"]
    keys, placed = rows_by_name(inputs, "keys"), place_whole(inputs, "queries", table(8, 4, words))
    assert placed.row_names("keys") == tuple(words[::-1])
    assert rows_by_name(placed, "keys") == {word: keys[word] for word in words}
    assert rows_by_name(placed, "queries") == dict(zip(words, table(8, 4).values.tolist(), strict=True))


def test_a_new_word_comes_with_zeros_behind_the_one_before_it():
    inputs = inputs_of("emma_sentence")
    words = ["Yes", *inputs.row_names("queries")[:3], "much", *inputs.row_names("queries")[3:]]
    keys, placed = rows_by_name(inputs, "keys"), place_whole(inputs, "queries", table(11, 4, words))
    assert placed.row_names("keys") == tuple(words)
    assert rows_by_name(placed, "keys") == keys | {"Yes": [0] * 4, "much": [0] * 4}
    np.testing.assert_array_equal(placed.matrices["queries"].values, table(11, 4).values)


def test_a_dimension_that_a_table_lacks_goes_in_every_matrix():
    inputs = inputs_of("emma_sentence")
    placed = place_whole(inputs, "queries", table(9, 3, (), ("Person", "Noun", "Adjective")))
    assert placed.column_names("keys") == ("Person", "Noun", "Adjective")
    np.testing.assert_array_equal(
        placed.matrices["keys"].values, inputs.matrices["keys"].values[:, [0, 2, 3]]
    )


def test_the_words_of_the_page_stay_with_zeros_for_those_that_a_table_lacks():
    inputs = inputs_of("emma_sentence")
    words = [word for word in inputs.row_names("queries") if word != "games"]
    placed = place_cut(inputs, "queries", table(8, 4, words))
    assert placed.row_names("queries") == inputs.row_names("queries")
    assert rows_by_name(placed, "queries") == {
        "games": [0] * 4, **dict(zip(words, table(8, 4).values.tolist(), strict=True))
    }  # fmt: skip
    assert rows_by_name(placed, "keys") == rows_by_name(inputs, "keys")


def test_a_table_cut_to_size_with_one_other_dimension_puts_each_number_under_its_own():
    """One name is new and another is missing, so that there are as many as on the page."""
    emma = PRESETS["emma_sentence"].inputs
    names = emma.row_names("keys")[:8]
    table = Table(np.arange(32.0).reshape(8, 4) + 1, names, ("Adjective", "Verb", "Person", "Animal"))
    now = place_cut(emma, "keys", table)
    assert now.column_names("keys") == ("Person", "Animal", "Noun", "Adjective")
    assert now.matrices["keys"].values.tolist() == [
        *[[row * 4 + 3, row * 4 + 4, 0, row * 4 + 1] for row in range(8)],
        [0, 0, 0, 0],
    ]
    np.testing.assert_array_equal(now.matrices["queries"].values, emma.matrices["queries"].values)


@pytest.mark.parametrize(
    ("rows", "columns", "shape", "turned"),
    [
        (("Person", "Noun", "Animal", "Adjective"), (), (4, 9), True),
        ((), ("Emma", "hates", "games"), (4, 3), True),
        (("Emma", "hates", "games"), (), (3, 4), False),
        ((), ("Person", "Animal", "Verb"), (9, 3), False),
        ((), (), (4, 9), None),
        ((), (), (9, 4), None),
        (tuple("abcdefghi"), ("x", "y", "z", "w"), (9, 4), None),
        (("x", "y", "z", "w"), tuple("abcdefghi"), (4, 9), None),
    ],
)
def test_names_tell_whether_a_table_is_turned(rows, columns, shape, turned):
    table = Table(np.ones(shape), rows, columns)
    assert is_table_turned(PRESETS["emma_sentence"].inputs, "keys", table) is turned


def test_accents_of_their_own_are_those_within_a_letter():
    names = tuple(unicodedata.normalize("NFD", clean_name(name)) for name in ("été", "là", "ça"))
    assert [clean_name(name) for name in names] == ["été", "là", "ça"]
    assert clean_name("été") == unicodedata.normalize("NFC", "été")


def test_a_word_that_the_page_lacks_is_left_out():
    inputs = inputs_of("emma_sentence")
    words = [*inputs.row_names("queries")[:2], "much", *inputs.row_names("queries")[2:]]
    placed = place_cut(inputs, "queries", table(10, 4, words))
    assert placed.row_names("queries") == inputs.row_names("queries")
    np.testing.assert_array_equal(
        placed.matrices["queries"].values, np.delete(table(10, 4).values, 2, axis=0)
    )


def test_values_take_their_keys_along_by_their_own_names():
    inputs = inputs_of("animal_lookup")
    names = [name for name in inputs.row_names("values") if name != "scaly"]
    placed = place_whole(inputs, "values", table(4, 4, names))
    assert placed.row_names("keys") == ("kitten", "salmon", "whale", "wolf")
    assert placed.row_names("values") == tuple(names)
    np.testing.assert_array_equal(placed.matrices["values"].values, table(4, 4).values)


def test_a_new_key_has_a_value_of_its_name_and_a_new_value_a_key_of_no_name():
    inputs = inputs_of("animal_lookup")
    names = [*inputs.row_names("keys")[:2], "otter", *inputs.row_names("keys")[2:]]
    placed = place_whole(inputs, "keys", table(6, 3, names))
    assert placed.row_names("keys") == tuple(names)
    assert placed.row_names("values") == ("furry", "scaly", "otter", "slippery", "huge", "ferocious")
    names = [*inputs.row_names("values"), "sleek"]
    placed = place_whole(inputs, "values", table(6, 4, names))
    assert placed.row_names("values") == tuple(names)
    assert placed.row_names("keys") == (*inputs.row_names("keys"), "key 6")


@pytest.mark.parametrize("names", [(), tuple("abcdefgh")], ids=["none", "others"])
def test_a_table_of_other_names_is_taken_row_by_row(names):
    inputs, loaded = inputs_of("emma_sentence"), table(8, 4, names)
    words = inputs.row_names("queries")
    assert place_whole(inputs, "queries", loaded).row_names("keys") == (names or words[:8])
    assert place_cut(inputs, "queries", loaded).row_names("keys") == (*(names or words[:8]), words[8])


def test_a_slip_in_one_name_leaves_the_order_to_the_others():
    inputs = inputs_of("emma_sentence")
    words = [{"hates": "hate"}.get(word, word) for word in inputs.row_names("queries")][::-1]
    found = in_order_of_page(inputs, "queries", table(9, 4, words))
    assert found.rows == ("Emma", "hate", *inputs.row_names("queries")[2:])
    np.testing.assert_array_equal(found.values, table(9, 4).values[::-1])


EMMA = ("Emma", "hates", "games", "but", "she", "is", "a", "great", "friend")
KEYS, VALUES = (
    ("kitten", "lizard", "salmon", "whale", "wolf"),
    ("furry", "scaly", "slippery", "huge", "ferocious"),
)
NAMES_CHANGED = {
    "the same": ("emma_sentence", "queries", EMMA, [], [], [], []),
    "no names": ("emma_sentence", "queries", (), [], [], [], []),
    "another order": ("emma_sentence", "queries", EMMA[::-1], [], [], [], []),
    "one less": ("emma_sentence", "queries", EMMA[:2] + EMMA[3:], [], ["games"], [], []),
    "one more": ("emma_sentence", "queries", (*EMMA[:2], "all", *EMMA[2:]), [], [], ["all"], []),
    "a slip": ("emma_sentence", "queries", ("Ema", *EMMA[1:]), [("Emma", "Ema")], [], [], []),
    "a slip and one less": (
        "emma_sentence", "queries", ("Ema", *EMMA[1:8]), [("Emma", "Ema")], ["friend"], [], [],
    ),
    "one goes, one comes": (
        "emma_sentence", "queries", (*EMMA[1:], "today"), [], ["Emma"], ["today"], [],
    ),
    "others": (
        "emma_sentence", "queries", ("a", "b"),
        [("Emma", "a"), ("hates", "b")], list(EMMA[2:]), [], [],
    ),
    "a third stay, elsewhere": (
        "emma_sentence", "queries", ("a", "hates", "b", "games", "c", "she", "d", "e", "f"),
        [("Emma", "a"), ("games", "b"), ("but", "games"), ("she", "c"), ("is", "she"), ("a", "d"),
         ("great", "e"), ("friend", "f")], [], [], [],
    ),
    "a key goes with its value": (
        "animal_lookup", "keys", KEYS[:2] + KEYS[3:], [], ["salmon", "slippery"], [], [],
    ),
    "a value comes with a key": (
        "animal_lookup", "values", (*VALUES, "sleek"), [], [], ["key 6", "sleek"], [],
    ),
    "alone, in another order": (
        "animal_lookup", "queries", ("reptile", "mammal"), [], [], [], ["reptile", "mammal"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "matrix", "names", "renamed", "removed", "new", "reordered"),
    NAMES_CHANGED.values(),
    ids=NAMES_CHANGED,
)
def test_it_is_told_which_names_change_come_and_go(preset, matrix, names, renamed, removed, new, reordered):
    inputs = inputs_of(preset)
    rows, columns = len(names or inputs.row_names(matrix)), len(inputs.column_names(matrix))
    loaded = in_order_of_page(inputs, matrix, table(rows, columns, names))
    found = name_changes(inputs, matrix, loaded, place_whole)
    assert (found.renamed, found.removed, found.new, found.reordered) == (renamed, removed, new, reordered)


def test_names_that_were_added_to_a_page_are_told_from_one_another():
    inputs = insert(insert(inputs_of("emma_sentence"), "tokens", 9, "one"), "tokens", 10, "two")
    found = name_changes(inputs, "queries", table(10, 4, (*EMMA, "two")), place_whole)
    assert (found.renamed, found.removed, found.new) == ([], ["one"], [])


def test_of_several_tokens_of_one_name_it_is_told_which_comes_or_goes():
    inputs = rename(inputs_of("emma_sentence"), "tokens", 4, "Emma")
    names = inputs.row_names("queries")
    shorter, longer = (*names[:4], *names[5:]), (*names, "Emma")
    found = name_changes(inputs, "queries", table(8, 4, shorter), place_whole)
    assert (found.renamed, found.removed, found.new) == ([], ["5 Emma"], [])
    found = name_changes(inputs, "queries", table(10, 4, longer), place_whole)
    assert (found.renamed, found.removed, found.new) == ([], [], ["10 Emma"])


def test_of_a_table_that_is_cut_no_name_comes_or_goes():
    found = name_changes(inputs_of("emma_sentence"), "queries", table(3, 4, ("x", "y", "z")), place_cut)
    assert found.renamed == [("Emma", "x"), ("hates", "y"), ("games", "z")]
    assert (found.removed, found.new) == ([], [])
