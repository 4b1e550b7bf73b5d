"""A CSV file as spreadsheets of several countries save it becomes a table, or a complaint with its place."""

import pytest

from core.csv_files import LARGEST_FILE, BadFile, read_table

PLAIN = "keys,d1,d2\nkitten,9.1,1\nlizard,0.1,-7.5\n"
ROWS, COLUMNS, VALUES = ("kitten", "lizard"), ("d1", "d2"), [[9.1, 1.0], [0.1, -7.5]]

SAVED_AS = {
    "comma": PLAIN,
    "semicolon": PLAIN.replace(",", ";"),
    "tab": PLAIN.replace(",", "\t"),
    "semicolon and decimal comma": PLAIN.replace(",", ";").replace(".", ","),
    "tab and decimal comma": PLAIN.replace(",", "\t").replace(".", ","),
    "comma and quoted decimal comma": PLAIN.replace("9.1", '"9,1"').replace("-7.5", '"-7,5"'),
    "byte order mark": "\ufeff" + PLAIN,
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r"),
    "no last line end": PLAIN.rstrip(),
    "every cell quoted": '"keys","d1","d2"\n"kitten","9.1","1"\n"lizard","0.1","-7.5"',
    "spaces around numbers and names": "keys, d1 ,d2\n kitten,9.1 , 1\nlizard ,0.1,-7.5",
    "trailing blank lines": PLAIN + "\n  \n\r\n",
    "trailing lines of empty cells": PLAIN + ",,\n,,\n",
    "true minus": PLAIN.replace("-", "\u2212"),
    "empty first cell": PLAIN.replace("keys", "", 1),
    "fraction": PLAIN.replace("-7.5", "-15/2"),
}


@pytest.mark.parametrize("text", SAVED_AS.values(), ids=SAVED_AS)
def test_the_same_table_is_read_however_it_was_saved(text):
    table = read_table(text.encode("utf-8"))
    assert (table.rows, table.columns, table.values.tolist()) == (ROWS, COLUMNS, VALUES)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_umlauts_are_read_from_either_encoding(encoding):
    table = read_table("tokens;Größe\nKätzchen;1,5\n".encode(encoding))
    assert (table.rows, table.columns) == (("Kätzchen",), ("Größe",))


@pytest.mark.parametrize(
    "name", ["NA", "null", "nan", "None", "TRUE", "1", "1e5", "=A1", "https://x.org/a.csv"]
)
def test_a_name_is_taken_as_it_is_written(name):
    table = read_table(f"tokens,{name}\n{name},1\n".encode())
    assert table.rows == table.columns == (name,)


def test_a_quoted_name_may_hold_the_separator_quotes_and_a_line_end():
    table = read_table(b'tokens,"a,b"\n"the ""big""\none",1\n')
    assert (table.rows, table.columns) == (('the "big" one',), ("a,b",))


def test_a_quoted_name_in_the_first_row_may_hold_another_separator():
    table = read_table(b'tokens,"a;b"\nEmma,1\n')
    assert (table.columns, table.values.tolist()) == (("a;b",), [[1.0]])


def test_names_may_repeat():
    table = read_table(b"tokens,d,d\nthe,1,2\nthe,3,4\n")
    assert (table.rows, table.columns) == (("the", "the"), ("d", "d"))
    assert table.values.tolist() == [[1, 2], [3, 4]]


def test_the_largest_table_is_64_by_64():
    header = ",".join(["t", *(f"d{j}" for j in range(64))])
    body = [",".join([f"token {i}", *map(str, range(64))]) for i in range(64)]
    assert read_table("\n".join([header, *body]).encode()).values.shape == (64, 64)


BAD_CELLS = {
    "a text": (PLAIN.replace("-7.5", "abc"), "row 3, column 3: 'abc' is not a number"),
    "a missing number": (PLAIN.replace("9.1", ""), "row 2, column 2: the cell is empty"),
    "NA": (PLAIN.replace("0.1", "NA"), "row 3, column 2: 'NA' is not a number"),
    "nan": (PLAIN.replace("0.1", "nan"), "row 3, column 2: 'nan' is not a finite number"),
    "inf": (PLAIN.replace("0.1", "-inf"), "row 3, column 2: '-inf' is not a finite number"),
    "an overflow": (PLAIN.replace("0.1", "1e999"), "row 3, column 2: '1e999' is too large"),
    "thousands": (PLAIN.replace("9.1", '"1,234,567"'), "row 2, column 2: '1,234,567' is not a number"),
    "a formula": (PLAIN.replace("9.1", "=1+1"), "row 2, column 2: '=1+1' is not a number"),
    "no row name": (PLAIN.replace("lizard", " "), "row 3, column 1: the name is empty"),
    "no column name": (PLAIN.replace("d2", ""), "row 1, column 3: the name is empty"),
    "a long row name": (PLAIN.replace("kitten", "k" * 41), "row 2, column 1: the name has 41 characters"),
    "a long column name": (PLAIN.replace("d1", "d" * 99), "row 1, column 2: the name has 99 characters"),
    "the first of two": (PLAIN.replace("9.1", "x").replace("-7.5", "y"), "row 2, column 2: 'x'"),
}


@pytest.mark.parametrize(("text", "complaint"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_a_bad_cell_is_named_by_row_and_column_as_a_spreadsheet_counts(text, complaint):
    with pytest.raises(BadFile) as bad:
        read_table(text.encode())
    assert str(bad.value).startswith(complaint)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_place_is_the_same_with_every_separator(separator):
    text = PLAIN.replace("-7.5", "abc").replace(",", separator)
    with pytest.raises(BadFile, match="row 3, column 3: "):
        read_table(text.encode())


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lizard,0.1", "row 3: 2 cells, but the first row has 3"),
        ("lizard,0.1,2,3", "row 3: 4 cells, but the first row has 3"),
        ("", "row 3: 0 cells, but the first row has 3"),
    ],
)
def test_a_ragged_row_is_named_with_its_cells(line, complaint):
    with pytest.raises(BadFile) as bad:
        read_table(f"keys,d1,d2\nkitten,9.1,1\n{line}\nwolf,1,2\n".encode())
    assert str(bad.value) == complaint


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n \r\n", b",,\n,,\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(content):
    with pytest.raises(BadFile, match="the file is empty"):
        read_table(content)


@pytest.mark.parametrize(
    "content", [b"keys,d1,d2\n", b"keys", b"keys\nkitten\n", b"a b\nx 1\n", b"a|b\nx|1\n"]
)
def test_a_file_without_a_table_says_what_was_expected(content):
    with pytest.raises(BadFile, match="row 1: expected names"):
        read_table(content)


@pytest.mark.parametrize("content", [b"PK\x03\x04\x14\x00\x06", PLAIN.encode("utf-16"), b"a,b\nx,1\0"])
def test_what_is_no_text_is_refused(content):
    with pytest.raises(BadFile, match="not a text file; save it as CSV"):
        read_table(content)


def test_a_file_that_is_too_large_is_refused_before_it_is_read():
    with pytest.raises(BadFile, match="1,000,001 bytes; at most 1,000,000"):
        read_table(b"\0" * (LARGEST_FILE + 1))


@pytest.mark.parametrize(
    ("rows", "columns", "complaint"),
    [(65, 1, "65 rows and 1 columns"), (1, 65, "1 rows and 65 columns"), (2, 40_000, "at most 64")],
)
def test_a_table_with_too_many_names_is_refused_with_its_size(rows, columns, complaint):
    lines = ["t" + ",d" * columns, *["token" + ",1" * columns] * rows]
    with pytest.raises(BadFile, match=complaint):
        read_table("\n".join(lines).encode())


@pytest.mark.parametrize("line", ['"lizard,1,2', 'lizard,"1"2,3'])
def test_quotes_that_do_not_match_are_named_with_their_row(line):
    with pytest.raises(BadFile, match="quotes") as bad:
        read_table(f"keys,d1,d2\nkitten,9.1,1\n{line}\n".encode())
    assert "row 3" in str(bad.value)


def test_a_very_long_cell_is_named_by_row():
    with pytest.raises(BadFile, match="row 2: a cell is far too long"):
        read_table(b"keys,d1\nkitten," + b"1" * 200_000)
