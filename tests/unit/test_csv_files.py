"""A CSV file as spreadsheets of several countries save it becomes a table, or complaints with places."""

import csv
import gzip
import io
import zipfile

import numpy as np
import pytest

from core.csv_files import BadFile, csv_text, harmless, read_table, readings, texts
from core.saving import matrix_csv
from tests.examples import PRESETS
from tests.unit.hostile import HOSTILE

PLAIN = "keys,d1,d2\nkitten,9.1,1\nlizard,0.1,-7.5\n"
ROWS, COLUMNS, VALUES = ("kitten", "lizard"), ("d1", "d2"), [[9.1, 1.0], [0.1, -7.5]]

SAVED_AS = {
    "comma": PLAIN,
    "semicolon": PLAIN.replace(",", ";"),
    "tab": PLAIN.replace(",", "\t"),
    "semicolon and decimal comma": PLAIN.replace(",", ";").replace(".", ","),
    "tab and decimal comma": PLAIN.replace(",", "\t").replace(".", ","),
    "comma and quoted decimal comma": PLAIN.replace("9.1", '"9,1"')
    .replace("-7.5", '"-7,5"')
    .replace("0.1", '"0,1"'),
    "byte order mark": "\ufeff" + PLAIN,
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r"),
    "no last line end": PLAIN.rstrip(),
    "every cell quoted": '"keys","d1","d2"\n"kitten","9.1","1"\n"lizard","0.1","-7.5"',
    "spaces around numbers and names": "keys, d1 ,d2\n kitten,9.1 , 1\nlizard ,0.1,-7.5",
    "trailing blank lines": PLAIN + "\n  \n\r\n",
    "trailing lines of empty cells": PLAIN + ",,\n,,\n",
    "thousands of lines of empty cells": PLAIN + ",,\n" * 5000,
    "empty columns at the left": ",," + PLAIN.rstrip("\n").replace("\n", "\n,,") + "\n",
    "many empty columns at the left": "," * 300_000 + PLAIN.rstrip("\n").replace("\n", "\n" + "," * 300_000),
    "empty columns at the right": PLAIN.replace("\n", ",,,\n"),
    "true minus": PLAIN.replace("-", "\u2212"),
    "empty first cell": PLAIN.replace("keys", "", 1),
    "fraction": PLAIN.replace("-7.5", "-15/2"),
    "exponent": PLAIN.replace("9.1", "91e-1"),
    "a line that names the separator": "sep=,\n" + PLAIN,
}


def as_bytes(content):
    return content.encode() if isinstance(content, str) else content


def read(content):
    """The readings of a file in its likeliest encoding."""
    return readings(texts(as_bytes(content))[0])


def only(content):
    """The reading of a file that can be read in one way alone."""
    found = read(content)
    assert len(found) == 1
    return found[0]


def doubtful(content):
    """What is said of a file whose decimal signs may stand between thousands, if that is chosen."""
    as_decimals, as_thousands = read(content)
    assert (as_decimals.sign_before, as_thousands.sign_before) == ("decimals", "thousands")
    assert as_decimals.table is not None
    assert as_thousands.table is None
    return as_decimals, as_thousands.problems


def contents(table):
    return table.rows, table.columns, table.values.tolist()


def problems(content):
    """What is said about a file that cannot be used."""
    with pytest.raises(BadFile) as bad:
        read(content)
    assert str(bad.value) == bad.value.problems[0]
    return bad.value.problems


@pytest.mark.parametrize("text", SAVED_AS.values(), ids=SAVED_AS)
def test_the_same_table_is_read_however_it_was_saved(text):
    assert contents(read_table(text.encode())) == (ROWS, COLUMNS, VALUES)
    assert contents(only(text).table) == (ROWS, COLUMNS, VALUES)


def saved(separator, decimal_sign, line_end, quoting):
    """A table with umlauts as a spreadsheet saves it."""
    cells = [["Wörter", "Größe", "d2"], ["Kätzchen", "9.1", "1"], ["der Bär", "0.1", "-7.5"]]
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=line_end, quoting=quoting)
    writer.writerows([[cell.replace(".", decimal_sign) for cell in row] for row in cells])
    return file.getvalue()


@pytest.mark.parametrize(
    ("line_end", "begins"),
    [("\n", ""), ("\r\n", ""), ("\r", ""), ("\n", "sep="), ("\r\n", "sep="), ("\r", "sep=")],
)
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL], ids=["", "all quoted"])
@pytest.mark.parametrize("decimal_sign", [".", ","])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("codec", "mark", "encoding"),
    [
        ("utf-8", "", "UTF-8"),
        ("utf-8", "\ufeff", "UTF-8"),
        ("utf-16-le", "\ufeff", "UTF-16"),
        ("utf-16-be", "\ufeff", "UTF-16"),
        ("cp1252", "", "Windows-1252"),
    ],
)
def test_a_file_of_any_country_is_read_in_one_way(
    codec, mark, encoding, separator, decimal_sign, quoting, line_end, begins
):
    first_line = f"{begins}{separator}{line_end}" if begins else ""
    text = mark + first_line + saved(separator, decimal_sign, line_end, quoting)
    reading = only(text.encode(codec))
    assert contents(reading.table) == (("Kätzchen", "der Bär"), ("Größe", "d2"), VALUES)
    assert (reading.encoding, reading.separator, reading.decimal_sign) == (encoding, separator, decimal_sign)
    assert (reading.names_above, reading.names_left, reading.problems) == (True, True, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_umlauts_are_read_from_any_encoding(encoding):
    table = read_table("tokens;Größe\nKätzchen;1,5\n".encode(encoding))
    assert (table.rows, table.columns) == (("Kätzchen",), ("Größe",))


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "Sep=;"])
def test_the_line_that_names_the_separator_may_be_written_in_several_ways(line):
    assert contents(only(f"{line}\r\nt;a,b\r\nx;1,5\r\n").table) == (("x",), ("a,b",), [[1.5]])


def test_the_line_that_names_the_separator_settles_what_could_not_be_told():
    assert len(read(b"1,5\n2,5\n")) == 2
    assert contents(only("sep=,\n1,5\n2,5\n").table) == ((), (), [[1, 5], [2, 5]])
    assert contents(only("sep=;\n1,5\n2,5\n").table) == ((), (), [[1.5], [2.5]])


def test_the_line_that_names_the_separator_is_not_counted_as_spreadsheets_hide_it():
    assert problems("sep=;\nt;a\nx;y\n")[0].startswith("row 2, column 2: 'y' is not a number")


@pytest.mark.parametrize("sign", ["|", ":", " ", "x"])
def test_a_line_that_names_another_separator_is_refused(sign):
    assert problems(f"sep={sign}\nt{sign}a\nx{sign}1\n") == (
        "the line sep= names a separator that is not a comma, a semicolon or a tab",
    )


@pytest.mark.parametrize(
    "name",
    ["NA", "null", "nan", "None", "TRUE", "inf", "https://x.org/a.csv", "12a", "=A1", "@x", "'tis", "50%"],
)
def test_a_name_is_taken_as_it_is_written(name):
    assert contents(only(f"tokens,{name}\n{name},0.5\n").table) == ((name,), (name,), [[0.5]])


@pytest.mark.parametrize("name", ["1", "1e5", "0.5", "2019"])
def test_a_number_beside_an_empty_first_cell_is_a_name(name):
    assert contents(only(f";{name};x\n{name};0,5;2\n").table) == ((name,), (name, "x"), [[0.5, 2]])


def test_a_name_that_was_marked_as_text_for_a_spreadsheet_is_read_without_its_mark():
    assert only("t,'=a,'-b\n'+c,1,2\n'@d,3,4\n").table.columns == ("=a", "-b")
    assert only("t,'=a,'-b\n'+c,1,2\n'@d,3,4\n").table.rows == ("+c", "@d")


def test_a_quoted_name_may_hold_the_separator_quotes_and_a_line_end():
    table = only('tokens,"a,b"\n"the ""big""\none",1\n').table
    assert (table.rows, table.columns) == (('the "big" one',), ("a,b",))


def test_a_quoted_name_in_the_first_row_may_hold_another_separator():
    assert contents(only('tokens,"a;b"\nEmma,1\n').table) == (("Emma",), ("a;b",), [[1.0]])


def test_a_name_becomes_one_line_of_what_can_be_seen():
    table = only("tokens;a\u200bb\n  a   great friend ;1\n").table
    assert (table.rows, table.columns) == (("a great friend",), ("a b",))


def test_row_names_may_repeat_as_words_do_in_a_sentence():
    assert contents(only("tokens,d1,d2\nthe,1,2\nthe,3,4\n").table) == (
        ("the", "the"),
        ("d1", "d2"),
        [[1, 2], [3, 4]],
    )


def test_every_column_that_repeats_a_name_is_refused_with_the_place_of_the_first():
    assert problems("tokens,d,e,d,d\nthe,1,2,3,4\n") == (
        "row 1, column 4: the name 'd' stands in column 2 already; every column needs a name of its own",
        "row 1, column 5: the name 'd' stands in column 2 already; every column needs a name of its own",
    )


def test_columns_are_the_same_where_they_look_the_same():
    assert problems("d, x  y,x y\n1,2,4\n")[0].startswith(
        "row 1, column 3: the name 'x y' stands in column 2"
    )


TOLD = {
    "words above and at the left": ("t;a;b\nx;1;2\n", (("x",), ("a", "b"), [[1, 2]])),
    "an empty first cell": (";1;2\n1;5;6\n2;7;8\n", (("1", "2"), ("1", "2"), [[5, 6], [7, 8]])),
    "words above": ("a;b\n1;2\n4;3\n", ((), ("a", "b"), [[1, 2], [4, 3]])),
    "words above one column": ("a\n1,5\n2,5\n", ((), ("a",), [[1.5], [2.5]])),
    "words at the left": ("x;1;5\ny;2;3\n", (("x", "y"), (), [[1, 5], [2, 3]])),
    "words at the left of one row": ("x;1,5;2,5\n", (("x",), (), [[1.5, 2.5]])),
    "numbers alone": ("1,5;2\n3;4\n", ((), (), [[1.5, 2], [3, 4]])),
    "numbers with a comma between them": ("1.5,2,7\n3,4,9\n", ((), (), [[1.5, 2, 7], [3, 4, 9]])),
    "numbers that are not counted": ("0.5;1.5;2.5\n1;7;9\n", ((), (), [[0.5, 1.5, 2.5], [1, 7, 9]])),
    "one number": ("5\n", ((), (), [[5]])),
    "words above two numbers": ("a,b\n1,2", ((), ("a", "b"), [[1, 2]])),
    "words above two numbers that count on": ("a,b\n1,2\n3,4\n", ((), ("a", "b"), [[1, 2], [3, 4]])),
    "one column of numbers": ("5\n6.5\n", ((), (), [[5], [6.5]])),
    "mostly words above": ("t;a;2;c;d\nx;1;2;3;5\n", (("x",), ("a", "2", "c", "d"), [[1, 2, 3, 5]])),
}


@pytest.mark.parametrize(("text", "expected"), TOLD.values(), ids=TOLD)
def test_whether_a_file_has_names_is_told_from_what_it_holds(text, expected):
    reading = only(text)
    assert contents(reading.table) == expected
    assert (reading.names_above, reading.names_left) == (bool(expected[1]), bool(expected[0]))


UNTOLD = {
    "counted columns": (
        "t;1;2;3\nx;4;5;7\n",
        [(("x",), ("1", "2", "3"), [[4, 5, 7]]), (("t", "x"), (), [[1, 2, 3], [4, 5, 7]])],
    ),
    "columns counted from 0": (
        "t;0;1\nx;4;7\n",
        [(("x",), ("0", "1"), [[4, 7]]), (("t", "x"), (), [[0, 1], [4, 7]])],
    ),
    "counted rows": (
        "id;a\n1;5\n2;6\n",
        [(("1", "2"), ("a",), [[5], [6]]), ((), ("id", "a"), [[1, 5], [2, 6]])],
    ),
    "counted rows and columns": (
        "0;1;2\n1;5;6\n2;8;9\n",
        [
            (("1", "2"), ("1", "2"), [[5, 6], [8, 9]]),
            ((), ("0", "1", "2"), [[1, 5, 6], [2, 8, 9]]),
            (("0", "1", "2"), (), [[1, 2], [5, 6], [8, 9]]),
            ((), (), [[0, 1, 2], [1, 5, 6], [2, 8, 9]]),
        ],
    ),
    "a comma between cells or in numbers": (
        "1,5\n2,5\n",
        [((), (), [[1, 5], [2, 5]]), ((), (), [[1.5], [2.5]])],
    ),
    "a comma between two numbers or in one": ("1,5", [((), (), [[1, 5]]), ((), (), [[1.5]])]),
}


@pytest.mark.parametrize(("text", "expected"), UNTOLD.values(), ids=UNTOLD)
def test_what_cannot_be_told_is_not_guessed(text, expected):
    found = read(text)
    assert len(found) == len(expected)
    assert all(contents(reading.table) in expected for reading in found)
    assert {reading.problems for reading in found} == {()}
    assert all((r.names_above, r.names_left) == (bool(r.table.columns), bool(r.table.rows)) for r in found)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_blank_corner_above_and_beside_names_tells_what_separates_cells(separator):
    reading = only(f"{separator}a,b\nx{separator}1,5\n")
    assert contents(reading.table) == (("x",), ("a,b",), [[1.5]])
    assert (reading.separator, reading.decimal_sign) == (separator, ",")
    assert len(read(f"t{separator}a,b\nx{separator}1,5\n")) == 2


def test_the_readings_of_commas_say_what_a_comma_is_in_each():
    found = read(b"1,5\n2,5\n")
    assert {(reading.separator, reading.decimal_sign) for reading in found} == {(",", ""), ("", ",")}


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ("0.5;x;0.7\n1;2;3\n4;5;7\n", (True, False), "row 1, column 2: 'x' is not a number"),
        ("0.5;1;4\nx;2;5\n0.7;3;7\n", (False, True), "row 2, column 1: 'x' is not a number"),
    ],
)
def test_a_text_among_numbers_is_a_name_or_a_mistake_and_what_gives_a_table_comes_first(text, names, problem):
    with_names, without = read(text)
    assert (with_names.names_above, with_names.names_left) == names
    assert with_names.table.values.shape == (3 - names[0], 3 - names[1])
    assert (without.names_above, without.names_left, without.table) == (False, False, None)
    assert without.problems[0].startswith(problem)


def test_the_signs_of_a_first_row_tell_of_the_others_where_it_is_read_as_numbers():
    with_names, without, with_thousands = read(b"x;1,0;2,0\ny;1,234;5\n")
    assert contents(without.table) == (("x", "y"), (), [[1, 2], [1.234, 5]])
    assert (without.sign_before, with_names.sign_before) == ("", "decimals")
    assert contents(with_names.table) == (("y",), ("1,0", "2,0"), [[1.234, 5]])
    assert with_thousands.problems[0].startswith("row 2, column 2: '1,234' could be 1234 or 1.234")


def large(rows, columns, names_above=True, names_left=True):
    """A table of 0.5 in every cell."""
    head = [["t"] * names_left + [f"d{j}" for j in range(columns)]] * names_above
    body = [[f"token {i}"] * names_left + ["0.5"] * columns for i in range(rows)]
    return "\n".join(map(";".join, [*head, *body]))


@pytest.mark.parametrize("names_left", [True, False])
@pytest.mark.parametrize("names_above", [True, False])
def test_the_largest_table_is_512_by_64_with_names_and_without(names_above, names_left):
    table = only(large(512, 64, names_above, names_left)).table
    assert table.values.shape == (512, 64)
    assert (table.values == 0.5).all()
    assert (len(table.columns), len(table.rows)) == (64 * names_above, 512 * names_left)


@pytest.mark.parametrize("names_left", [True, False])
@pytest.mark.parametrize("names_above", [True, False])
@pytest.mark.parametrize(
    ("rows", "columns", "limit"),
    [(513, 1, "512 rows"), (1, 65, "64 columns"), (513, 65, "512 rows and 64 columns")],
)
def test_a_row_or_a_column_more_is_refused_with_the_limit(rows, columns, limit, names_above, names_left):
    (problem,) = problems(large(rows, columns, names_above, names_left))
    assert "at most 512 rows and 64 columns" in problem
    assert limit in problem


@pytest.mark.parametrize(
    ("rows", "columns", "size"),
    [
        (599, 2, "600 rows and 3 columns; at most 512 rows"),
        (3, 99, "4 rows and 100 columns; at most 512 rows and 64 columns"),
        (1023, 2, "1024 rows and 3 columns; at most 512 rows"),
        (1024, 2, "more than 1024 rows; at most 512 rows of numbers fit"),
        (5000, 2, "more than 1024 rows; at most 512 rows of numbers fit"),
        (2, 40_000, "3 rows and 40001 columns; at most 512 rows and 64 columns"),
    ],
)
def test_a_file_that_is_far_too_large_is_refused_with_its_size(rows, columns, size):
    assert problems(large(rows, columns))[0].startswith(size)


@pytest.mark.parametrize("blank", ["", " ", ";", " ; "])
def test_numbers_below_many_blank_rows_are_not_left_out_in_silence(blank):
    assert problems("1;2\n" + f"{blank}\n" * 1100 + "3;4\n") == (
        "more than 1024 rows; at most 512 rows of numbers fit",
    )
    assert only("1;2\n" + f"{blank}\n" * 1100).table.values.tolist() == [[1, 2]]


def test_a_file_of_one_megabyte_is_read_and_a_byte_more_is_refused():
    assert only(b"5" + b"\n" * 999_999).table.values.tolist() == [[5]]
    assert problems(b"5" + b"\n" * 1_000_000) == ("1,000,001 bytes; at most 1,000,000 fit",)


def test_a_file_that_is_too_large_is_refused_whatever_it_is():
    assert problems(b"\0" * 1_000_001) == ("1,000,001 bytes; at most 1,000,000 fit",)


def test_a_name_or_a_number_of_64_characters_is_read():
    number = "0." + "0" * 61 + "5"
    table = only(f"t;{'d' * 64}\n{'k' * 64};{number}\n").table
    assert contents(table) == (("k" * 64,), ("d" * 64,), [[5e-62]])


def test_the_mark_of_a_text_for_a_spreadsheet_does_not_count_among_64_characters():
    table = only(f"t;'={'d' * 63}\n'={'k' * 63};1\n").table
    assert contents(table) == (("=" + "k" * 63,), ("=" + "d" * 63,), [[1]])
    (problem,) = problems(f"t;a\n'={'k' * 64};1\n")
    assert problem.startswith("row 2, column 1: the cell has ")
    assert problem.endswith(" characters; at most 64 fit")


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        (("k" * 65, "d", "1"), "row 2, column 1"),
        (("k", "d" * 65, "1"), "row 1, column 2"),
        (("k", "d", "0." + "5" * 63), "row 2, column 2"),
    ],
)
def test_a_cell_of_65_characters_is_refused_with_its_place(cells, place):
    row, column, number = cells
    assert problems(f"t;{column}\n{row};{number}\n") == (
        f"{place}: the cell has 65 characters; at most 64 fit",
    )


def test_spaces_around_a_cell_do_not_count():
    assert only(f"t;a\nx;{' ' * 500}1{' ' * 500}\n").table.values.tolist() == [[1]]


def test_a_cell_that_is_far_too_long_is_named_by_its_row():
    assert problems(b"keys,d1\nkitten," + b"1" * 200_000) == ("row 2: a cell is far too long",)


BAD_CELLS = {
    "a text": (PLAIN.replace("-7.5", "abc"), "row 3, column 3: 'abc' is not a number"),
    "a missing number": (PLAIN.replace("9.1", ""), "row 2, column 2: the cell is empty"),
    "NA": (PLAIN.replace("0.1", "NA"), "row 3, column 2: 'NA' is not a number"),
    "nan": (PLAIN.replace("0.1", "nan"), "row 3, column 2: 'nan' is not a finite number"),
    "inf": (PLAIN.replace("0.1", "inf"), "row 3, column 2: 'inf' is not a finite number"),
    "minus inf": (PLAIN.replace("0.1", "-inf"), "row 3, column 2: '-inf' is not a finite number"),
    "the sign of infinity": (PLAIN.replace("0.1", "-∞"), "row 3, column 2: '-∞' is not a finite number"),
    "an overflow": (PLAIN.replace("0.1", "1e999"), "row 3, column 2: '1e999' is too large"),
    "a large number": (PLAIN.replace("0.1", "1e7"), "row 3, column 2: '1e7' is too large"),
    "an underflow": (PLAIN.replace("0.1", "1e-999"), "row 3, column 2: '1e-999' is too close to 0"),
    "a division by 0": (PLAIN.replace("0.1", "1/0"), "row 3, column 2: '1/0' divides by 0"),
    "a spreadsheet's error": (PLAIN.replace("0.1", "#DIV/0!"), "row 3, column 2: '#DIV/0!' is not a number"),
    "a formula": (PLAIN.replace("9.1", "=1+1"), "row 2, column 2: '=1+1' is a formula; write the number"),
    "an old formula": (PLAIN.replace("9.1", "@x"), "row 2, column 2: '@x' is a formula; write the number"),
    "no row name": (PLAIN.replace("lizard", " "), "row 3, column 1: the name is empty"),
    "no column name": (PLAIN.replace("d2", ""), "row 1, column 3: the name is empty"),
    "a name with nothing to see": (PLAIN.replace("d2", "\u200b"), "row 1, column 3: the name is empty"),
    "a repeated column": (PLAIN.replace("d2", "d1"), "row 1, column 3: the name 'd1' stands in column 2"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "complaint"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_a_bad_cell_is_named_by_row_and_column_as_a_spreadsheet_counts(text, complaint):
    found = problems(text)
    assert len(found) == 1
    assert found[0].startswith(complaint)
    with pytest.raises(BadFile) as bad:
        read_table(text.encode())
    assert bad.value.problems == found


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_place_is_the_same_with_every_separator(separator):
    text = PLAIN.replace("-7.5", "abc").replace(",", separator)
    assert problems(text)[0].startswith("row 3, column 3: 'abc' is not a number")


def test_a_row_counts_once_however_many_lines_its_names_have():
    assert problems('tokens,a\n"the\nbig\none",1\nx,y\n')[0].startswith(
        "row 3, column 2: 'y' is not a number"
    )


def test_places_are_counted_from_1_where_a_file_has_no_names():
    assert problems("1;2;5\n3;4;\n")[0].startswith("row 2, column 3: the cell is empty")


def test_all_that_is_wrong_is_told_at_once():
    text = "t;a;a;\nx;1;=2;3\n ;nan;y;4\n"
    assert [problem.partition("; ")[0] for problem in problems(text)] == [
        "row 1, column 4: the name is empty",
        "row 3, column 1: the name is empty",
        "row 1, column 3: the name 'a' stands in column 2 already",
        "row 2, column 3: '=2' is a formula",
        "row 3, column 2: 'nan' is not a finite number",
        "row 3, column 3: 'y' is not a number",
    ]


def test_of_many_complaints_the_first_ten_are_told():
    found = problems("t;a;b\n" + "x;y;1\n" * 30)
    first = [f"row {i}, column 2" for i in range(2, 12)]
    assert [problem.partition(":")[0] for problem in found] == [*first, "and 20 more"]
    assert len(problems("t;a;b\n" + "x;y;1\n" * 11)) == 11


def test_of_many_ragged_rows_the_first_ten_are_told():
    found = problems("t;a;b\nz;1;2\n" + "x;1\n" * 30)
    assert [problem.partition(":")[0] for problem in found] == [
        *(f"row {i}" for i in range(3, 13)),
        "and 20 more",
    ]


def test_a_table_that_begins_in_another_cell_is_counted_as_the_spreadsheet_does():
    assert problems(";;;\n;t;a;b\n;x;1;y\n") == (
        "row 3, column 4: 'y' is not a number; write one like 0.5, -2, 1e-3 or 1/3",
    )
    assert problems(";t;a;a\n;x;1;2\n")[0].startswith(
        "row 1, column 4: the name 'a' stands in column 3 already"
    )


@pytest.mark.parametrize(
    ("others", "cell", "advice"),
    [
        ("0,5;1,5", "12%", "'12%' is a percentage; write the number itself, 0,12"),
        ("0.5;1.5", "12%", "'12%' is a percentage; write the number itself, 0.12"),
        ("0,5;1,5", "1,5 kg", "'1,5 kg' is not a number; write one like 0,5, -2, 1e-3 or 1/3"),
        ("1;2", "#DIV/0!", "'#DIV/0!' is not a number; write one like 0.5, -2, 1e-3 or 1/3"),
    ],
)
def test_what_is_advised_is_written_as_the_other_numbers_of_a_file(others, cell, advice):
    assert problems(f"t;a;b;c\nx;{others};{cell}\n") == (f"row 2, column 4: {advice}",)


THOUSANDS = [
    "1.234.567",
    "1,234,567",
    "-1.234.567,8",
    "1,234.5",
    "1.234,5",
    "+12,345.678",
    "1 234",
    "1 234,5",
    "123 456.7",
    "1\u00a0234,5",
    "1\u202f234",
    "1'234",
    "1’234.5",
    "1,234.",
    "\u22121.234.567",
    "\u22121,234.5",
    "1,23,456.50",
    "-12,34,567",
]


@pytest.mark.parametrize(
    ("cell", "number"), [("35%", "0.35"), ("-3,5 %", "-0,035"), ("12.5%", "0.125"), ("1/2%", "0.005")]
)
def test_a_percentage_is_refused_with_the_number_that_it_is(cell, number):
    assert problems(f"t;a\nx;{cell}\ny;2\n") == (
        f"row 2, column 2: '{cell}' is a percentage; write the number itself, {number}",
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("number", THOUSANDS)
def test_a_thousands_separator_is_refused_with_what_to_do(number, separator):
    text = f't{separator}a\nx{separator}"{number}"\ny{separator}2\n'
    shown = " ".join(number.split())
    assert problems(text) == (
        f"row 2, column 2: '{shown}' has a thousands separator; write the number without it",
    )


@pytest.mark.parametrize(
    ("number", "separator", "without", "point"),
    [
        ("1,234", ";", "1234", "1.234"),
        ("1,234", "\t", "1234", "1.234"),
        ("1,234", ",", "1234", "1.234"),
        ("-12,345", ";", "-12345", "-12.345"),
        ("+123,000", ";", "+123000", "+123.000"),
        ("\u22121,234", ";", "\u22121234", "\u22121.234"),
        ("1.234", ";", "1234", "1.234"),
        ("1.234", "\t", "1234", "1.234"),
        ("\u22121.234", "\t", "\u22121234", "\u22121.234"),
    ],
)
def test_one_group_of_three_digits_could_be_thousands(number, separator, without, point):
    read, said = doubtful(f't{separator}a{separator}b\nx{separator}"{number}"{separator}2\n')
    assert read.table.values.tolist() == [[float(point.replace("\u2212", "-")), 2]]
    assert said == (
        f"row 2, column 2: '{number}' could be {without} or {point}; write {without} or {number}0",
    )


@pytest.mark.parametrize(
    ("text", "row"), [("a\n1,234\n", 2), ("a\n1.234\n5\n", 2), ("7\n1.234\n", 2), ('"1.234"\n', 1)]
)
def test_one_group_of_three_digits_could_be_thousands_where_there_is_one_column(text, row):
    number = "1,234" if "," in text else "1.234"
    read, said = doubtful(text)
    assert 1.234 in read.table.values
    assert said == (f"row {row}, column 1: '{number}' could be 1234 or 1.234; write 1234 or {number}0",)


@pytest.mark.parametrize(
    ("text", "numbers"), [("a\n1,234\n0,5\n", [1.234, 0.5]), ("1.234\n0.5\n", [1.234, 0.5])]
)
def test_another_number_of_one_column_tells_what_its_decimal_sign_is(text, numbers):
    assert only(text).table.values.ravel().tolist() == numbers


def test_every_number_that_could_be_thousands_is_named():
    _, found = doubtful("t;a;b\nx;1,234;5\ny;6;7,890\n")
    assert [problem.partition(":")[0] for problem in found] == ["row 2, column 2", "row 3, column 3"]


@pytest.mark.parametrize("answer", ["1234", "1,2340"])
def test_what_a_doubtful_number_is_said_to_become_is_read(answer):
    assert only(f"t;a\nx;{answer}\n").table.values.tolist() == [[float(answer.replace(",", "."))]]


@pytest.mark.parametrize("other", ["0,5", "0,234", "1,5", "1234,567", "1,2345", ",5", "1,5e3"])
def test_another_number_tells_that_the_comma_is_a_decimal_sign(other):
    reading = only(f"t;a;b\nx;1,234;{other}\n")
    assert reading.table.values.tolist() == [[1.234, float(other.replace(",", "."))]]
    assert reading.decimal_sign == ","


@pytest.mark.parametrize("number", ["1,234", "1.234"])
def test_what_a_maintainer_writes_is_not_asked_about_but_refused(number):
    with pytest.raises(BadFile, match=r"row 2, column 2: .* could be 1234 or 1\.234"):
        read_table(f";a\nx;{number}\n".encode())


def test_a_point_is_a_decimal_sign_where_commas_separate_cells():
    assert only("t,a\nx,1.234\n").table.values.tolist() == [[1.234]]


def test_a_file_with_decimal_commas_and_decimal_points_is_refused_with_both_places():
    (problem,) = problems("t;a;b\nx;1;0,5\ny;2.25;0,75\n")
    assert "row 2, column 3: '0,5' has a comma" in problem
    assert "row 3, column 2: '2.25' has a point" in problem
    assert problem.endswith("write all decimals in one way")


def test_a_point_that_may_stand_between_thousands_is_told_of_beside_decimal_commas():
    assert problems("t;a;b\nx;1;0,5\ny;1.250;0,75\n") == (
        "row 3, column 2: '1.250' could be 1250 or 1.250, beside numbers with decimal commas; "
        "write 1250 or 1,2500",
    )


def test_a_name_may_have_a_point_where_numbers_have_commas():
    assert contents(only("t;a.b\nx.y;0,5\n").table) == (("x.y",), ("a.b",), [[0.5]])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lizard,0.1", "row 3: 2 cells, but the first row has 3"),
        ("lizard,0.1,2,3", "row 3: 4 cells, but the first row has 3"),
        ("lizard,0,1,2,3", "row 3: 5 cells, but the first row has 3"),
        ("", "row 3: 0 cells, but the first row has 3"),
    ],
)
def test_a_ragged_row_is_named_with_its_cells(line, complaint):
    assert problems(f"keys,d1,d2\nkitten,9.1,1\n{line}\nwolf,1,2\n") == (complaint,)


def test_every_ragged_row_is_named():
    assert problems("keys;d1;d2\nkitten;1\nwolf;1;2\nwhale;1;2;3\n") == (
        "row 2: 2 cells, but the first row has 3",
        "row 4: 4 cells, but the first row has 3",
    )


def test_a_first_row_without_its_first_cell_is_told_how_to_begin():
    assert problems("d1;d2\nkitten;9,1;1\nlizard;0,1;2\n") == (
        "row 1: 2 cells, but all other rows have 3; begin it with an empty cell",
    )


@pytest.mark.parametrize("line", ['"lizard;1;2', '"lizard;1;2\nwolf;3;4', 'lizard;1;"', 'lizard;"1"2;3'])
def test_quotes_that_do_not_match_are_named_with_their_row(line):
    assert problems(f"keys;d1;d2\nkitten;9.1;1\n{line}\n") == ("row 3: the quotes do not match",)


@pytest.mark.parametrize("line", ['"lizard,1,2', 'lizard,"1"2,3', 'lizard,1,"'])
def test_quotes_that_do_not_match_are_told_where_commas_separate_cells(line):
    assert problems(f"keys,d1,d2\nkitten,9.1,1\n{line}\n") == ("row 3: the quotes do not match",)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\r\n \r\n",
        b"\r\r",
        b";;\n;;\n",
        b",,\n,,\n",
        b"\t\t\r\n",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"sep=;\n",
        b"sep=,\r",
    ],
)
def test_an_empty_file_is_said_to_be_empty(content):
    assert problems(content) == ("the file is empty",)
    with pytest.raises(BadFile, match="the file is empty"):
        read_table(content)


@pytest.mark.parametrize(
    "content", [b"keys,d1,d2\n", b"keys", b"keys\nkitten\n", b"a b\nx 1\n", b"a|b\nx|1\n", b"5", b"5\n6\n"]
)
def test_a_file_without_names_and_numbers_beside_them_is_no_file_of_an_example(content):
    with pytest.raises(BadFile) as bad:
        read_table(content)
    assert bad.value.problems == (
        "row 1: expected names in the first row and the first column, and numbers beside them",
    )


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<worksheet/>")
    return file.getvalue()


OTHER_FILES = {
    "an Excel workbook": (
        zipped(),
        "this is a zip file or an Excel workbook, not a CSV file; save the sheet as CSV",
    ),
    "an old Excel workbook": (
        bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504),
        "this is an old Excel workbook, not a CSV file; save the sheet as CSV",
    ),
    "gzip": (gzip.compress(PLAIN.encode()), "this is a gzip file, not a CSV file; unpack it first"),
    "PDF": (
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
        "this is a PDF, not a CSV file; copy the table into a spreadsheet and save it as CSV",
    ),
}


@pytest.mark.parametrize(("content", "problem"), OTHER_FILES.values(), ids=OTHER_FILES)
def test_another_kind_of_file_is_refused_by_its_name_with_what_to_do(content, problem):
    assert problems(content) == (problem,)


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE html>\n<html><body>1;2</body></html>",
        "<!doctype HTML>",
        "\r\n  <html lang='en'>",
        "<TABLE><tr><td>1</td></tr></TABLE>",
        "\ufeff<?xml version='1.0'?>",
        "<head><title>a,b</title></head>",
        "<body>1,2</body>",
    ],
)
def test_a_web_page_is_refused_with_what_to_do(text):
    assert problems(text) == (
        "this is a web page (HTML), not a CSV file; open it in a spreadsheet and save it as CSV",
    )


NO_TEXTS = {
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a zero byte": b"a,b\nx,1\0",
    "a bell": b"a;b\nx;\x07\n",
    "the sign that cells are split by where they are one": b"a\x1fb\n1\x1f2\n",
    "signs that no country writes names in": b"a;b\n\xac\xff;2\n",
    "UTF-16 without its mark": PLAIN.encode("utf-16-le"),
    "half a sign of UTF-16": PLAIN.encode("utf-16") + b"\n",
    "UTF-32": PLAIN.encode("utf-32"),
}


@pytest.mark.parametrize("content", NO_TEXTS.values(), ids=NO_TEXTS)
def test_what_is_no_text_is_refused_with_what_to_do(content):
    assert problems(content) == ("this is not a text file; save it as CSV, in UTF-8",)


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
        (1.234e-7, "1.234e-07", "1,234e-07"),
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
    assert cells[1][0].endswith(name)
    assert not cells[1][0].startswith(("=", "+", "-", "@", "\t", "\r"))


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
    ],
)
def test_only_what_a_spreadsheet_would_compute_is_marked_as_text(name, cell):
    assert harmless(name) == cell


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("My vectors,,\n", "My vectors"),
        ("My vectors,,\n,,\n", "My vectors"),
        ("My vectors\n", "My vectors"),
        ("My vectors\nlecture 3\n\n", "My vectors lecture 3"),
        ("\n\n", ""),
        (f'"{"x" * 100}"\n', "x" * 64),
    ],
)
def test_a_title_above_a_table_is_left_out(above, title):
    reading = only(above + PLAIN)
    assert contents(reading.table) == (ROWS, COLUMNS, VALUES)
    assert reading.title == title


def test_rows_below_a_title_are_counted_as_the_spreadsheet_does():
    text = "My vectors,,\n,,\n" + PLAIN.replace("9.1", "abc").replace("d2", "d1")
    assert problems(text) == (
        "row 3, column 3: the name 'd1' stands in column 2 already; every column needs a name of its own",
        "row 4, column 2: 'abc' is not a number; write one like 0.5, -2, 1e-3 or 1/3",
    )
    assert problems("My vectors\n\nkeys,d1,d2\nkitten,1\n") == ("row 4: 2 cells, but row 3 has 3",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kitten,,\nlizard,1,2\n", "row 1, column 2: the name is empty; write at least one letter"),
        ("5\nlizard,1,2\n", "row 2: 3 cells, but the first row has 1"),
    ],
)
def test_a_row_that_lacks_its_numbers_is_no_title(text, problem):
    assert problems(text)[0] == problem


@pytest.mark.parametrize("numbers", [("0,5", "1,5"), ("0.5", "1.5")])
def test_names_between_other_separators_are_no_title(numbers):
    reading = only("keys;d1\nkitten;{}\nlizard;{}\n".format(*numbers))
    assert (reading.separator, reading.title) == (";", "")
    assert reading.table.columns == ("d1",)
