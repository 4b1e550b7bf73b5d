"""A table that is saved as a CSV file is read as it was, and is harmless in a spreadsheet."""

import csv
import io

import numpy as np
import pytest

from core.csv_files import csv_text, harmless
from core.saving import matrix_csv
from tests.examples import PRESETS
from tests.unit.csv_reading import contents, only
from tests.unit.hostile import HOSTILE

FOR_SPREADSHEETS = [
    "=x",
    "=1+1",
    "+1",
    "-1",
    "-x",
    "@a",
    "'x",
    "'=x",
    "''=x",
    "'",
    "''",
    "'''-",
    "=",
    "a,b",
    "a;b",
    ",",
    ";",
    ",;",
    '"',
    '"x"',
    'say "a,b"',
    "sep=;",
    "1",
    "-1,5",
    "0.5",
    "1e5",
    "1/3",
    "\u22121",
    "nan",
    "NA",
    "TRUE",
    "https://x.org/a.csv",
    "猫 😀",
    "x;=HYPERLINK(1);y",
    'x;"=1+1',
    "a, -b",
    ";@a,+b;'=c",
    ",".join("=" * 32),
    "x" * 64,
]
TRICKY = [1.5, -2.0, 0.1 + 0.2, 1 / 3, 5e-324, -1e-13, 1e6, -999999.9999999999, 123456.789, 0.0]


def round_trip(values, rows, columns, decimal_comma, codec="utf-8"):
    """The table that comes back where a table was saved and loaded, in the only way it can be read."""
    return only(csv_text(np.array(values), rows, columns, decimal_comma).encode(codec)).table


@pytest.mark.parametrize("decimal_comma", [False, True])
@pytest.mark.parametrize("name", [*HOSTILE, *FOR_SPREADSHEETS], ids=ascii)
def test_a_saved_table_is_read_with_the_same_names_whatever_they_are(name, decimal_comma):
    rows, columns, values = (name, "b", name), (name, "d2"), [[1.5, -2.0], [0.25, 1e-3], [1 / 3, 7.0]]
    assert contents(round_trip(values, rows, columns, decimal_comma)) == (rows, columns, values)


SMALL_TABLES = {
    "numbers as names of one column": ([[3.0]], ("2",), ("1",), False),
    "a number as the name of a row": ([[1.0]], ("1",), ("a",), False),
    "a number as the name of a column": ([[1.0]], ("x",), ("5",), False),
    "semicolons in names": ([[7.0]], ("5;6",), ("a;b",), False),
    "semicolons in names, a number after one": ([[1.0]], ("a;2",), ("c;d",), False),
    "commas in names": ([[1.5]], ("x",), ("a,b",), True),
    "three decimals": ([[1.234, 2.0]], ("x",), ("a", "b"), True),
    "the longest formula": ([[1.0]], ("=" + "x" * 63,), ("a",), False),
    "a true minus": ([[5.0]], ("\u2212",), ("3",), False),
}


@pytest.mark.parametrize(
    ("values", "rows", "columns", "decimal_comma"), SMALL_TABLES.values(), ids=SMALL_TABLES
)
def test_a_small_saved_table_can_be_read_in_one_way_alone(values, rows, columns, decimal_comma):
    assert contents(round_trip(values, rows, columns, decimal_comma)) == (rows, columns, values)


@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_saved_table_of_all_hostile_names_is_read_with_the_same_names(decimal_comma):
    names = tuple(dict.fromkeys([*HOSTILE, *FOR_SPREADSHEETS]))[:64]
    values = np.arange(len(names) ** 2).reshape(len(names), len(names)) / 7
    table = round_trip(values, names, names, decimal_comma)
    assert (table.rows, table.columns) == (names, names)
    assert table.values.tobytes() == values.tobytes()


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_saved_table_is_read_with_the_same_numbers_bit_for_bit(decimal_comma, codec):
    columns = tuple(f"d{j}" for j in range(len(TRICKY)))
    table = round_trip([TRICKY, TRICKY[::-1]], ("x", "y"), columns, decimal_comma, codec)
    assert table.values.tobytes() == np.array([TRICKY, TRICKY[::-1]]).tobytes()


@pytest.mark.parametrize("decimal_comma", [False, True])
def test_the_largest_table_is_read_as_it_was_saved(decimal_comma):
    values = np.random.default_rng(7).normal(size=(512, 64))
    rows, columns = tuple(f"token {i}" for i in range(512)), tuple(f"d{j}" for j in range(64))
    table = round_trip(values, rows, columns, decimal_comma)
    assert (table.rows, table.columns, table.values.tobytes()) == (rows, columns, values.tobytes())


@pytest.mark.parametrize("decimal_comma", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_matrix_of_every_example_is_read_as_it_was_saved(preset, decimal_comma):
    inputs = PRESETS[preset].inputs
    for name, matrix in inputs.matrices.items():
        table = only(matrix_csv(inputs, name, decimal_comma)).table
        assert (table.rows, table.columns) == (inputs.row_names(name), inputs.column_names(name))
        assert table.values.tobytes() == matrix.values.tobytes()


@pytest.mark.parametrize(
    ("decimal_comma", "separator", "number"),
    [(False, ",", "0.5"), (True, ";", "0,5")],
    ids=["point", "comma"],
)
def test_a_table_is_saved_as_spreadsheets_of_a_country_want_it(decimal_comma, separator, number):
    text = csv_text(np.array([[0.5, -2.0]]), ("x",), ("a", "b"), decimal_comma)
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)) == [
        ["", "a", "b"],
        ["x", number, "-2"],
    ]
    assert (text.count("\r\n"), text.count("\n"), text[-2:]) == (2, 2, "\r\n")


def test_every_name_is_saved_in_quotes_and_no_number_is():
    text = csv_text([["0.5", "-2"], ["1", "\u2212∞"]], ("x", "1"), ("a;b", '"'))
    assert text == ',"a;b",""""\r\n"x",0.5,-2\r\n"1",1,\u2212∞\r\n'


@pytest.mark.parametrize(
    ("number", "point", "comma"),
    [
        (1.234, "1.234", "1,2340"),
        (-12.345, "-12.345", "-12,3450"),
        (100.125, "100.125", "100,1250"),
        (0.125, "0.125", "0,125"),
        (1234.567, "1234.567", "1234,567"),
        (1.2345, "1.2345", "1,2345"),
        (1.5, "1.5", "1,5"),
        (1234.0, "1234", "1234"),
        (1.234e-7, "1.234e-7", "1,234e-7"),
    ],
)
def test_no_saved_decimal_comma_can_be_taken_for_a_thousands_separator(number, point, comma):
    values, rows, columns = np.array([[number]]), ("x",), ("a",)
    assert csv_text(values, rows, columns) == f',"a"\r\n"x",{point}\r\n'
    assert csv_text(values, rows, columns, decimal_comma=True) == f';"a"\r\n"x";{comma}\r\n'
    assert contents(round_trip(values, rows, columns, decimal_comma=True)) == (rows, columns, [[number]])


def test_texts_are_saved_in_the_place_of_what_is_no_number():
    text = csv_text([["0.25", "\u2212∞"]], ("x",), ("a", "b"), decimal_comma=True)
    assert list(csv.reader(io.StringIO(text), delimiter=";"))[1] == ["x", "0,25", "\u2212∞"]


@pytest.mark.parametrize("decimal_comma", [False, True])
@pytest.mark.parametrize("name", [*HOSTILE, *FOR_SPREADSHEETS], ids=ascii)
def test_no_saved_name_is_a_formula_for_a_spreadsheet(name, decimal_comma):
    text = csv_text([["1", "2"]], (name,), (name, "b"), decimal_comma)
    cells = list(csv.reader(io.StringIO(text, newline=""), delimiter=";" if decimal_comma else ","))
    assert cells[0][1] == cells[1][0]
    assert cells[1][0] == harmless(name)
    for separator in ";,\t":  # of a spreadsheet in any country
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            assert not [
                cell for cell in line if cell.strip(' "').startswith(("=", "+", "-", "@", "\t", "\r"))
            ]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=x", "'=x"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@a", "'@a"),
        ("\tx", "'\tx"),
        ("'=x", "''=x"),
        ("''=x", "'''=x"),
        ("'x", "'x"),
        ("x=1", "x=1"),
        ("\u22121", "\u22121"),
        ("1", "1"),
        ("", ""),
        ("x;=1+1;y", "x;'=1+1;y"),
        ("x, -y", "x, '-y"),
        ('";"@a', '";"\'@a'),
        ("=a,'+b", "'=a,''+b"),
        ("well-known; x=1", "well-known; x=1"),
    ],
)
def test_only_what_a_spreadsheet_would_compute_is_marked_as_text(name, cell):
    assert harmless(name) == cell
