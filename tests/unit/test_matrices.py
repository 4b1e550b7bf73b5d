"""What a person types becomes a number or a reason; rows and columns keep their names and their numbers."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.matrices import (
    LONGEST_NAME,
    Axis,
    Change,
    Inputs,
    Matrix,
    Refused,
    cell_text,
    changes,
    clean_name,
    count_changes,
    how_written,
    insert,
    most_names,
    number_text,
    numbered_as_in,
    parse_number,
    remove,
    rename,
    reorder,
    rounded_text,
    set_cells,
    set_matrix,
    set_names,
    told_apart,
    words,
)

reproducible = settings(derandomize=True, deadline=None, max_examples=300)

TYPED = {
    "0": 0.0,
    "2": 2.0,
    "+2": 2.0,
    "-2": -2.0,
    "\u22122": -2.0,
    "\u20132": -2.0,
    "\ufeff2\u200b": 2.0,
    "\u200e5": 5.0,
    "\u202d-1,5\u202c": -1.5,
    "\u20667\u2069\u200f": 7.0,
    "007": 7.0,
    ".07": 0.07,
    "-.5": -0.5,
    "\u2212,5": -0.5,
    "5.": 5.0,
    "5,": 5.0,
    "1,5": 1.5,
    "1,234": 1.234,
    "1e-3": 0.001,
    "1e\u22123": 0.001,
    "1E+5": 100000.0,
    "1,5e2": 150.0,
    "1/3": 1 / 3,
    " 1 / 3 ": 1 / 3,
    "-1/\u22124": 0.25,
    "0.5/0.25": 2.0,
    "1,5/2": 0.75,
    "3e6/4e6": 0.75,
    "0/7": 0.0,
    "0e-400": 0.0,
    "  2  ": 2.0,
    "\t2\n": 2.0,
    "\u00a02\u2009": 2.0,
    "1e6": 1e6,
    "-1000000": -1e6,
    "5e-324": 5e-324,
}
REFUSED = {
    "": "is empty",
    "   ": "is empty",
    "inf": "not a finite number",
    "-Infinity": "not a finite number",
    "∞": "not a finite number",
    "\u2212∞": "not a finite number",
    "\uff11\uff0e\uff15": "is written in wide signs; write 1.5",
    "\uff0d2": "is written in wide signs; write -2",
    "5²": "is not a number",
    "1\u20132": "is not a number",
    "nan": "not a finite number",
    "NaN": "not a finite number",
    "5e6": "too large",
    "-1000001": "too large",
    "1000000.0000000002": "too large",
    "1e999": "too large",
    "1e999/1e999": "too large",
    "1e3/1e-4": "too large",
    "1/0": "divides by 0",
    "0/0": "divides by 0",
    "1/0,0": "divides by 0",
    "1e-400": "too close to 0",
    "-0.01e-400": "too close to 0",
    "1/1e400": "too close to 0",
    "abc": "not a number",
    "1,234,567": "a thousands separator",
    "1.234,5": "a thousands separator",
    "1,234.5": "a thousands separator",
    "1 2": "more than one number",
    "1 000": "a thousands separator",
    "0x10": "not a number",
    "1_000": "not a number",
    "=1+1": "is a formula",
    "1+1": "not a number",
    "2*3": "not a number",
    "1/2/3": "not a number",
    "/2": "not a number",
    "1/": "not a number",
    "--1": "not a number",
    "+-1": "not a number",
    "1-": "not a number",
    "- 1": "not a number",
    ".": "not a number",
    "-": "not a number",
    "e5": "not a number",
    "1e": "not a number",
    "1e1.5": "not a number",
    "50%": "is a percentage; write the number itself, 0.5",
    "12,5 %": "is a percentage; write the number itself, 0,125",
    "5%" + "%" * 10_000: "not a number",
    "5%%": "not a number",
    "@SUM(A1)": "is a formula",
    "1/3\n1/4": "more than one number",
    "٣": "not a number",
    "½": "not a number",
    "²": "not a number",
    "True": "not a number",
    "1" * 10_000: "is too long; a number has at most 64 characters",
    "0." + "0" * 9_998: "is too long; a number has at most 64 characters",
}


@pytest.mark.parametrize(("text", "number"), TYPED.items(), ids=map(ascii, TYPED))
def test_a_typed_number_is_read_exactly(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize("text", ["-0", "-0.0", "\u22120", "-0/5", "0/-5"])
def test_minus_zero_becomes_zero(text):
    assert math.copysign(1, parse_number(text)) == 1


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=lambda text: ascii(text)[:24])
def test_anything_else_is_refused_with_the_reason(text, reason):
    with pytest.raises(Refused) as refused:
        parse_number(text)
    assert reason in str(refused.value)


@pytest.mark.parametrize("text", ["abc", "1e999", "1/0", "nan", "1e-400"])
def test_a_refusal_shows_what_was_typed(text):
    with pytest.raises(Refused) as refused:
        parse_number(f"  {text} ")
    assert str(refused.value).startswith(f"'{text}' ")


def test_a_refusal_of_a_very_long_text_stays_short():
    with pytest.raises(Refused) as refused:
        parse_number("9" * 10_000)
    assert len(str(refused.value)) < 200


@reproducible
@given(st.text(max_size=12))
def test_any_text_is_a_finite_number_or_refused(text):
    try:
        number = parse_number(text)
    except Refused:
        return
    assert abs(number) <= 1e6


@reproducible
@given(st.floats(-1e6, 1e6))
def test_a_number_written_out_reads_back_bit_for_bit(number):
    number += 0.0  # -0 becomes 0, as it does in a cell
    assert struct.pack("d", parse_number(number_text(number))) == struct.pack("d", number)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (1.0, "1"), (-2.5, "-2.5"), (0.1 + 0.2, "0.30000000000000004"), (1e6, "1000000")],
)
def test_a_number_is_written_in_full_and_no_longer_than_it_must_be(number, text):
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1 / 3, "1/3"),
        (-22 / 7, "-22/7"),
        (5 / 6, "5/6"),
        (1e6 / 7, "1000000/7"),
        (0.5, "0.5"),
        (0.333333, "0.333333"),
        (0.3333333333333333 + 1e-15, "0.3333333333333343"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1 / 17, "0.058823529411764705"),
        (1e-12, "1e-12"),
    ],
)
def test_a_cell_says_a_fraction_where_it_is_exactly_the_number(number, text):
    assert cell_text(number) == text
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (0.0, 2, "0.00"),
        (0.0, 0, "0"),
        (2.42, 2, "2.42"),
        (2.4200000000000004, 4, "2.4200"),
        (-0.25, 1, "-0.3"),
        (-0.125, 2, "-0.13"),
        (0.125, 2, "0.13"),
        (0.3, 0, "0.3"),
        (0.51, 0, "0.5"),
        (-0.5, 0, "-0.5"),
        (0.96, 0, "1"),
        (1.5, 0, "2"),
        (0.02, 1, "0.02"),
        (1 / 3, 4, "0.3333"),
        (0.006, 2, "0.01"),
        (0.005, 2, "0.01"),
        (0.004, 2, "0.004"),
        (-0.004, 2, "-0.004"),
        (0.00332, 2, "0.003"),
        (0.0049999, 2, "0.005"),
        (0.0049999, 3, "0.005"),
        (0.00046, 2, "0.0005"),
        (0.0001, 2, "0.0001"),
        (0.000099, 2, "9.9e-5"),
        (0.000099, 4, "0.0001"),
        (0.000049, 4, "4.9e-5"),
        (1.10228985e-13, 2, "1.1e-13"),
        (1.10228985e-13, 4, "1.1e-13"),
        (99999.994, 2, "99999.99"),
        (100000.0, 2, "1.0e5"),
        (-123456.0, 2, "-1.2e5"),
        (64e12, 2, "6.4e13"),
        (math.inf, 2, "∞"),
        (-math.inf, 2, "-∞"),
        (math.nan, 2, "NaN"),
        (-math.nan, 0, "NaN"),
    ],
)
def test_a_number_is_rounded_for_reading(number, decimals, text):
    assert rounded_text(number, decimals) == text


@pytest.mark.parametrize(
    ("values", "decimals", "told"),
    [
        ([[0.16, 1.0]], 2, ""),
        ([[0.0, -math.inf]], 2, ""),
        ([[0.5, 0.003]], 2, "Near 0 a number keeps its first digits: 0.003."),
        ([[0.5, 0.003]], 3, ""),
        ([[0.74, 0.158]], 0, "Near 0 a number keeps its first digits: 0.2."),
        ([[0.74, -1.10228985e-13]], 2, "Near 0 a number keeps its first digits: 1.1e-13 is 1.1 × 10⁻¹³."),
        ([[1e12, 1e-9]], 2, "Near 0 a number keeps its first digits: 1.0e-9 is 1.0 × 10⁻⁹."),
        ([[2.0, -123456.0]], 2, "Large numbers are shortened: 1.2e5 is 1.2 × 10⁵."),
    ],
)
def test_how_numbers_are_written_is_told_where_it_is_not_with_the_decimals(values, decimals, told):
    assert how_written(np.array(values), decimals) == told


@pytest.mark.parametrize("decimals", range(5))
@pytest.mark.parametrize("sign", [1, -1])
def test_half_a_unit_of_the_last_decimal_does_not_read_as_zero(sign, decimals):
    assert float(rounded_text(sign * 0.5 * 10.0**-decimals, decimals)) != 0


@pytest.mark.parametrize("decimals", range(5))
def test_minus_zero_reads_as_zero(decimals):
    assert rounded_text(-0.0, decimals) == rounded_text(0.0, decimals)


@reproducible
@given(st.floats(-1e12, 1e12).filter(lambda number: number != 0), st.integers(0, 4))
def test_a_rounded_number_is_near_the_number_and_never_zero(number, decimals):
    shown = float(rounded_text(number, decimals))
    assert (shown > 0, shown < 0) == (number > 0, number < 0)
    assert abs(shown - number) <= max(0.5000001 * 10.0**-decimals, 0.0500001 * abs(number))


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), ()),
        (("cat", "mat"), ("cat", "mat")),
        (("the", "cat", "on", "the", "mat"), ("1 the", "cat", "on", "4 the", "mat")),
        (("", ""), ("1 ", "2 ")),
        (("x", "x", "1 x"), ("1 x", "2 x", "3 1 x")),
        (("1 x", "y", "x", "x", "3 1 x"), ("1 x", "y", "3 x", "4 x", "3 1 x")),
        (("2 1 x", "1 x", "x", "x", "4 x"), ("2 1 x", "1 x", "3 x", "4 x", "5 4 x")),
    ],
)
def test_names_that_repeat_are_told_apart_by_their_number(names, told):
    assert told_apart(names) == told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\t\u00a0\u200b ", []),
        ("tea", ["tea"]),
        ("  I \t like\r\nmy\u00a0tea ", ["I", "like", "my", "tea"]),
        ("I like \u200b tea", ["I", "like", "tea"]),
        ("a\u200bb\u202ec\x00d\ufeff", ["a", "b", "c", "d"]),
        ("the cat, the 猫 😀!", ["the", "cat,", "the", "猫", "😀!"]),
        ("a 👨\u200d👩\u200d👧 sees", ["a", "👨\u200d👩\u200d👧", "sees"]),
        ("می\u200cخواهم \u200c \u200dx\u200c", ["می\u200cخواهم", "x"]),
        ("at\u00adten\u00adtion", ["attention"]),
        ("e\u0301te\u0301 \u212bngstr\u00f6m", ["\u00e9t\u00e9", "\u00c5ngstr\u00f6m"]),
        ("a\u3164b \u2800 \ufe0f \u2764\ufe0f", ["a", "b", "\u2764\ufe0f"]),
    ],
)
def test_what_cannot_be_seen_stands_between_words(text, found):
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Emma", "Emma"),
        ("  a   great\tfriend ", "a great friend"),
        ("two\r\nlines", "two lines"),
        ("a\u2028b", "a b"),
        ("a\u200bb", "a b"),
        ("\ufefffirst", "first"),
        ("turned\u202eround", "turned round"),
        ("a\x00b\x1bc", "a b c"),
        ("größer 猫 😀", "größer 猫 😀"),
        ("<b>`$x$`", "<b>`$x$`"),
        ("0", "0"),
        ("NA", "NA"),
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
    ],
)
def test_a_name_is_one_line_of_what_can_be_seen(text, name):
    assert clean_name(text) == name


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "\u200b", "\u200c\u200d", "\u00ad", "\u3000", "\u3164", "\u2800", "\ufe0f", "\u115f"],
)
def test_a_name_with_nothing_to_see_is_refused(text):
    with pytest.raises(Refused, match="the name is empty"):
        clean_name(text)


def test_a_long_name_is_refused_with_its_length():
    with pytest.raises(Refused, match="65 characters; at most 64"):
        clean_name("x" * 65)


def axis(*names, follows=None):
    return Axis(names[0][0], names, tuple(range(len(names))), follows)


def numbers(rows, columns, start):
    values = np.arange(start, start + rows * columns, dtype=float).reshape(rows, columns)
    values.flags.writeable = False
    return values


@pytest.fixture
def emma():
    """A sentence with queries and keys: the two matrices share both of their axes."""
    axes = {"tokens": axis("Emma", "hates", "games"), "dimensions": axis("Person", "Noun")}
    return Inputs(
        axes,
        {
            "queries": Matrix(numbers(3, 2, start=1), "tokens", "dimensions"),
            "keys": Matrix(numbers(3, 2, start=11), "tokens", "dimensions"),
        },
    )


@pytest.fixture
def animals():
    """Two queries look up three keys, whose values have names of their own."""
    axes = {
        "queries": axis("mammal", "reptile"),
        "keys": axis("kitten", "lizard", "wolf"),
        "value_names": axis("furry", "scaly", "ferocious", follows="keys"),
        "dimensions": axis("d1", "d2"),
        "value_dimensions": axis("v1"),
    }
    return Inputs(
        axes,
        {
            "queries": Matrix(numbers(2, 2, start=1), "queries", "dimensions"),
            "keys": Matrix(numbers(3, 2, start=11), "keys", "dimensions"),
            "values": Matrix(numbers(3, 1, start=21), "value_names", "value_dimensions"),
        },
    )


def values(inputs):
    return {name: matrix.values.tolist() for name, matrix in inputs.matrices.items()}


def test_set_cells_changes_the_cells_and_not_what_it_was_given(emma):
    before = values(emma)
    edited = set_cells(emma, {("queries", 2, 1): 0.5, ("keys", 0, 0): -3.0, ("keys", 0, 1): 7.0})
    assert values(edited) == {
        "queries": [[1, 2], [3, 4], [5, 0.5]],
        "keys": [[-3, 7], [13, 14], [15, 16]],
    }
    assert values(emma) == before


def test_set_cells_with_no_cells_changes_nothing(emma):
    assert set_cells(emma, {}).same_as(emma)


def test_inputs_are_the_same_where_names_origins_and_numbers_are(emma):
    assert emma.same_as(set_cells(emma, {("queries", 0, 0): 1.0}))
    assert not emma.same_as(set_cells(emma, {("queries", 0, 0): 1.5}))
    assert not emma.same_as(rename(emma, "tokens", 0, "Ada"))
    assert not emma.same_as(insert(emma, "tokens", 3, "too"))
    assert not emma.same_as(insert(remove(emma, "tokens", 0), "tokens", 0, "Emma"))


def test_a_rename_changes_one_name_and_no_number(emma):
    renamed = rename(emma, "tokens", 1, "  loves ")
    assert renamed.row_names("queries") == renamed.row_names("keys") == ("Emma", "loves", "games")
    assert renamed.axes["tokens"].origins == (0, 1, 2)
    assert values(renamed) == values(emma)
    assert emma.row_names("queries") == ("Emma", "hates", "games")


def test_a_token_may_have_the_name_of_another(emma):
    assert rename(emma, "tokens", 2, "Emma").row_names("keys") == ("Emma", "hates", "Emma")


@pytest.mark.parametrize("name", ["Noun", "  Noun\n", "\u200bNoun"])
def test_a_dimension_needs_a_name_of_its_own(emma, name):
    reason = "the name 'Noun' is there already; every P needs one of its own"
    for change in (lambda: rename(emma, "dimensions", 0, name), lambda: insert(emma, "dimensions", 0, name)):
        with pytest.raises(Refused) as refused:
            change()
        assert str(refused.value) == reason
    assert emma.axes["dimensions"].names == ("Person", "Noun")


def test_a_dimension_may_be_given_the_name_that_it_has(emma):
    assert rename(emma, "dimensions", 1, " Noun ").same_as(emma)


def test_a_dimension_may_have_a_name_that_another_gave_up(emma):
    swapped = rename(
        rename(rename(emma, "dimensions", 0, "x"), "dimensions", 1, "Person"), "dimensions", 0, "Noun"
    )
    assert swapped.axes["dimensions"].names == ("Noun", "Person")
    assert insert(remove(emma, "dimensions", 0), "dimensions", 1, "Person").column_names("keys") == (
        "Noun",
        "Person",
    )


def test_a_token_and_a_dimension_may_have_the_same_name(emma):
    assert rename(emma, "dimensions", 0, "Emma").column_names("keys") == ("Emma", "Noun")
    assert insert(emma, "tokens", 0, "Noun").row_names("keys") == ("Noun", "Emma", "hates", "games")


def test_queries_keys_and_values_may_repeat_and_dimensions_may_not(animals):
    for along in ("queries", "keys", "value_names"):
        first = animals.axes[along].names[0]
        assert rename(animals, along, 1, first).axes[along].names[:2] == (first, first)
    assert insert(animals, "keys", 0, "furry").row_names("values") == ("furry", "furry", "scaly", "ferocious")
    with pytest.raises(Refused, match="the name 'v1' is there already; every v needs one of its own"):
        insert(animals, "value_dimensions", 1, "v1")


def test_names_are_set_all_at_once_and_no_number_changes(emma):
    named = set_names(emma, "tokens", ["the", "the", "cat"])
    assert named.row_names("queries") == named.row_names("keys") == ("the", "the", "cat")
    assert named.axes["tokens"] == Axis("E", ("the", "the", "cat"), (0, 1, 2))
    assert named.axes["dimensions"] == emma.axes["dimensions"]
    assert values(named) == values(emma)
    assert emma.row_names("queries") == ("Emma", "hates", "games")


def test_names_that_are_set_leave_those_that_follow(animals):
    named = set_names(animals, "keys", ("a", "b", "c"))
    assert (named.row_names("keys"), named.row_names("values")) == (
        ("a", "b", "c"),
        animals.row_names("values"),
    )
    assert set_names(named, "keys", animals.axes["keys"].names).same_as(animals)


def test_a_token_more_adds_a_row_of_zeros_to_queries_and_to_keys(emma):
    grown = insert(emma, "tokens", 1, "really")
    assert grown.row_names("queries") == grown.row_names("keys") == ("Emma", "really", "hates", "games")
    assert grown.axes["tokens"].origins == (0, None, 1, 2)
    assert values(grown) == {
        "queries": [[1, 2], [0, 0], [3, 4], [5, 6]],
        "keys": [[11, 12], [0, 0], [13, 14], [15, 16]],
    }


def test_a_dimension_more_adds_a_column_of_zeros_to_queries_and_to_keys(emma):
    grown = insert(emma, "dimensions", 2, "Verb")
    assert grown.column_names("queries") == grown.column_names("keys") == ("Person", "Noun", "Verb")
    assert grown.axes["dimensions"].origins == (0, 1, None)
    assert values(grown) == {
        "queries": [[1, 2, 0], [3, 4, 0], [5, 6, 0]],
        "keys": [[11, 12, 0], [13, 14, 0], [15, 16, 0]],
    }


def test_tokens_in_another_order_take_their_rows_along(emma):
    moved = reorder(emma, "tokens", (2, 0, 1))
    assert moved.row_names("queries") == moved.row_names("keys") == ("games", "Emma", "hates")
    assert moved.axes["tokens"].origins == (2, 0, 1)
    assert values(moved) == {
        "queries": [[5, 6], [1, 2], [3, 4]],
        "keys": [[15, 16], [11, 12], [13, 14]],
    }
    assert moved.column_names("keys") == ("Person", "Noun")


def test_dimensions_in_another_order_take_their_columns_along(emma):
    moved = reorder(emma, "dimensions", (1, 0))
    assert moved.column_names("queries") == moved.column_names("keys") == ("Noun", "Person")
    assert values(moved)["keys"] == [[12, 11], [14, 13], [16, 15]]


def test_keys_in_another_order_take_their_values_along(animals):
    moved = reorder(animals, "keys", (1, 2, 0))
    order = [animals.row_names("keys")[i] for i in (1, 2, 0)]
    assert moved.row_names("keys") == tuple(order)
    assert moved.row_names("values") == ("scaly", "ferocious", "furry")
    assert moved.axes["value_names"].follows == "keys"
    assert values(moved) == {
        "queries": [[1, 2], [3, 4]],
        "keys": [[13, 14], [15, 16], [11, 12]],
        "values": [[22], [23], [21]],
    }
    assert moved.row_names("queries") == animals.row_names("queries")


def told_changes(preset, now):
    """All changes, which are as many as they are counted to be."""
    found = list(changes(preset, now))
    assert count_changes(preset, now) == len(found)
    return found


def test_an_order_and_its_inverse_leave_everything_as_it_was(animals):
    back = reorder(reorder(animals, "keys", (1, 2, 0)), "keys", (2, 0, 1))
    assert back.same_as(animals)
    assert told_changes(animals, back) == []
    assert told_changes(animals, reorder(animals, "keys", (1, 2, 0))) == []


def test_a_matrix_is_replaced_and_nothing_else(animals):
    before = values(animals)
    other = set_matrix(animals, "keys", np.full((3, 2), 7.0))
    assert values(other) == before | {"keys": [[7, 7]] * 3}
    assert values(animals) == before
    assert other.axes == animals.axes
    assert (other.matrices["keys"].rows, other.matrices["keys"].columns) == ("keys", "dimensions")


def test_a_token_less_takes_its_rows_away(emma):
    smaller = remove(emma, "tokens", 1)
    assert smaller.axes["tokens"] == Axis("E", ("Emma", "games"), (0, 2))
    assert values(smaller) == {"queries": [[1, 2], [5, 6]], "keys": [[11, 12], [15, 16]]}


def test_a_dimension_less_takes_its_columns_away(emma):
    smaller = remove(emma, "dimensions", 0)
    assert smaller.axes["dimensions"] == Axis("P", ("Noun",), (1,))
    assert values(smaller) == {"queries": [[2], [4], [6]], "keys": [[12], [14], [16]]}


def test_a_key_more_brings_a_value_of_the_same_name(animals):
    grown = insert(animals, "keys", 0, "salmon")
    assert grown.row_names("keys") == ("salmon", "kitten", "lizard", "wolf")
    assert grown.row_names("values") == ("salmon", "furry", "scaly", "ferocious")
    assert grown.axes["keys"].origins == grown.axes["value_names"].origins == (None, 0, 1, 2)
    assert values(grown) == values(animals) | {
        "keys": [[0, 0], [11, 12], [13, 14], [15, 16]],
        "values": [[0], [21], [22], [23]],
    }


def test_a_key_less_takes_its_value_with_it(animals):
    smaller = remove(animals, "keys", 1)
    assert smaller.row_names("values") == ("furry", "ferocious")
    assert smaller.axes["value_names"].origins == (0, 2)
    assert values(smaller) == values(animals) | {"keys": [[11, 12], [15, 16]], "values": [[21], [23]]}


def test_a_query_more_leaves_keys_and_values_alone(animals):
    grown = insert(animals, "queries", 2, "fish")
    assert values(grown) == values(animals) | {"queries": [[1, 2], [3, 4], [0, 0]]}
    assert grown.axes["keys"] == animals.axes["keys"]


def test_a_value_can_be_renamed_on_its_own(animals):
    renamed = rename(animals, "value_names", 0, "soft")
    assert renamed.row_names("values") == ("soft", "scaly", "ferocious")
    assert renamed.row_names("keys") == ("kitten", "lizard", "wolf")


def test_a_change_of_size_leaves_what_it_was_given(animals):
    before, axes = values(animals), dict(animals.axes)
    insert(animals, "keys", 1, "whale")
    remove(animals, "keys", 1)
    assert values(animals) == before
    assert animals.axes == axes


@pytest.mark.parametrize(("along", "most", "shape"), [("tokens", 256, (256, 2)), ("dimensions", 64, (3, 64))])
def test_an_axis_grows_up_to_its_limit_and_no_further(emma, along, most, shape):
    while (count := len(emma.axes[along].names)) < most:
        emma = insert(emma, along, 0, f"more {count}")
    assert emma.matrices["queries"].values.shape == emma.matrices["keys"].values.shape == shape
    with pytest.raises(Refused, match=f"there are {most} already"):
        insert(emma, along, 0, "one too many")


def test_tokens_may_be_256_and_the_dimensions_of_a_vector_64(animals):
    assert {name: most_names(animals, name) for name in animals.axes} == {
        "queries": 256,
        "keys": 256,
        "value_names": 256,
        "dimensions": 64,
        "value_dimensions": 64,
    }


def test_the_rows_of_a_weight_are_as_many_as_the_columns_of_the_embeddings_may_be():
    axes = {"tokens": axis("a", "b"), "embedding": axis("e1"), "dimensions": axis("d1")}
    matrices = {
        "W_query": Matrix(numbers(1, 1, start=1), "embedding", "dimensions"),
        "embeddings": Matrix(numbers(2, 1, start=11), "tokens", "embedding"),
    }
    inputs = Inputs(axes, matrices)
    assert [most_names(inputs, name) for name in axes] == [256, 64, 64]


def test_the_last_name_of_an_axis_stays(animals):
    with pytest.raises(Refused, match="the last one"):
        remove(animals, "value_dimensions", 0)


@pytest.mark.parametrize("name", ["", " \n ", "x" * 65])
def test_a_name_that_cannot_be_used_changes_nothing(emma, name):
    with pytest.raises(Refused):
        insert(emma, "tokens", 0, name)
    with pytest.raises(Refused):
        rename(emma, "tokens", 0, name)


def test_an_untouched_example_has_no_changes(emma, animals):
    assert told_changes(emma, emma) == told_changes(animals, animals) == []


def test_an_edited_cell_is_one_change(emma):
    edited = set_cells(emma, {("keys", 2, 0): 0.25})
    assert told_changes(emma, edited) == [Change("keys", "games, Person", "15", "0.25")]


def test_a_cell_set_back_is_no_change(emma):
    edited = set_cells(emma, {("keys", 2, 0): 0.25})
    assert told_changes(emma, set_cells(edited, {("keys", 2, 0): 15.0})) == []


def test_a_rename_is_one_change_and_back_again_none(emma):
    renamed = rename(emma, "tokens", 0, "Ada")
    assert told_changes(emma, renamed) == [Change("E", None, "Emma", "Ada")]
    assert told_changes(emma, rename(renamed, "tokens", 0, "Emma")) == []


def test_a_renamed_value_is_a_change(animals):
    renamed = rename(animals, "value_names", 1, "smooth")
    assert told_changes(animals, renamed) == [Change("f", None, "scaly", "smooth")]


@pytest.mark.parametrize("position", range(4))
def test_an_addition_is_one_change_wherever_it_stands(emma, position):
    assert told_changes(emma, insert(emma, "tokens", position, "too")) == [Change("E", None, None, "too")]


@pytest.mark.parametrize("position", range(3))
def test_a_removal_is_one_change_wherever_it_stood(emma, position):
    name = emma.axes["tokens"].names[position]
    assert told_changes(emma, remove(emma, "tokens", position)) == [Change("E", None, name, None)]


def test_a_key_with_its_value_is_added_or_removed_as_one_change(animals):
    assert told_changes(animals, insert(animals, "keys", 3, "whale")) == [Change("k", None, None, "whale")]
    assert told_changes(animals, remove(animals, "keys", 0)) == [Change("k", None, "kitten", None)]


def test_an_addition_that_is_removed_again_is_no_change(animals):
    assert told_changes(animals, remove(insert(animals, "keys", 1, "whale"), "keys", 1)) == []


def test_a_removed_name_added_again_is_both(emma):
    again = insert(remove(emma, "tokens", 2), "tokens", 2, "games")
    assert told_changes(emma, again) == [
        Change("E", None, "games", None),
        Change("E", None, None, "games"),
    ]


def test_a_cell_of_an_added_row_changes_from_the_zero_it_began_with(emma):
    grown = set_cells(insert(emma, "tokens", 0, "Oh"), {("queries", 0, 1): 2.0})
    assert told_changes(emma, grown) == [
        Change("E", None, None, "Oh"),
        Change("queries", "Oh, Noun", "0", "2"),
    ]


def test_changes_since_an_edited_example_are_of_what_it_held_then(emma):
    grown = insert(insert(emma, "tokens", 0, "Oh"), "tokens", 4, "too")
    began = set_cells(grown, {("queries", 0, 1): 2.0, ("keys", 4, 0): 3.0, ("keys", 1, 0): 9.0})
    edited = set_cells(began, {("queries", 0, 1): 5.0, ("keys", 1, 0): 11.0})
    now = insert(remove(rename(edited, "tokens", 2, "loves"), "tokens", 3), "tokens", 3, "new")
    assert told_changes(began, numbered_as_in(began, now)) == [
        Change("E", None, "games", None),
        Change("E", None, "hates", "loves"),
        Change("E", None, None, "new"),
        Change("queries", "Oh, Noun", "2", "5"),
        Change("keys", "Emma, Person", "9", "11"),
    ]
    assert told_changes(began, numbered_as_in(began, began)) == []


def test_a_mixture_is_told_names_first_and_then_cells_by_the_names_of_today(emma):
    now = remove(emma, "tokens", 1)
    now = insert(now, "tokens", 0, "Oh")
    now = rename(now, "tokens", 1, "Ada")
    now = rename(now, "dimensions", 1, "Thing")
    now = insert(now, "dimensions", 0, "Verb")
    now = set_cells(now, {("keys", 2, 0): 3.0, ("queries", 2, 2): 0.1, ("queries", 1, 1): -1.0})
    assert told_changes(emma, now) == [
        Change("E", None, "hates", None),
        Change("E", None, None, "Oh"),
        Change("E", None, "Emma", "Ada"),
        Change("P", None, None, "Verb"),
        Change("P", None, "Noun", "Thing"),
        Change("queries", "Ada, Person", "1", "-1"),
        Change("queries", "games, Thing", "6", "0.1"),
        Change("keys", "games, Verb", "0", "3"),
    ]


@reproducible
@given(st.data())
def test_a_size_changed_and_changed_back_gives_the_same_numbers(data):
    inputs = Inputs(
        {"tokens": axis("a", "b", "c"), "dimensions": axis("x", "y")},
        {"queries": Matrix(numbers(3, 2, start=1), "tokens", "dimensions")},
    )
    along = data.draw(st.sampled_from(["tokens", "dimensions"]))
    position = data.draw(st.integers(0, len(inputs.axes[along].names)))
    back = remove(insert(inputs, along, position, "new"), along, position)
    assert back.same_as(inputs)
