"""A CSV file as spreadsheets of several countries save it becomes a table."""

import csv
import io

import pytest

from core.csv_files import read_table
from tests.unit.csv_reading import COLUMNS, PLAIN, ROWS, VALUES, contents, only, problems, read

OF_ITS_OWN = "every column needs a name of its own, and tokens, which may repeat, stand in rows"

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
    ["NA", "null", "nan", "None", "TRUE", "inf", "https://x.org/a.csv", "12a", "=A1", "@x", "'tis", "50 %a"],
)
def test_a_name_is_taken_as_it_is_written(name):
    assert contents(only(f"tokens,{name}\n{name},0.5\n").table) == ((name,), (name,), [[0.5]])


@pytest.mark.parametrize(
    "first",
    [
        "1 234,5\t2 345,6\t3 456,7\t0",
        "1\u202f234,5\t2\u202f345,6\t3\t4",
        "01. Feb\t02. Mrz\t50%\t1",
        "(1,5)\t(2,5)\t(3,5)\t1",
        "$1.5\t$2.5\t3 €\t1",
        "1.234,5\t2.000,1\t1'234.5\t1",
        "#DIV/0!\t#NUM!\t#N/A\t#WERT!",
        "Jan 50\tFeb 24\tApr 30\tMrz 75",
        ".5 %\t1/Feb\t2. März\t1",
    ],
)
def test_a_row_that_may_have_been_meant_as_numbers_is_not_taken_for_names_without_asking(first):
    above, numbers = read(f"{first}\n1\t2\t3\t4\n5\t6\t7\t8\n")
    assert (above.names_above, numbers.names_above) == (True, False)
    assert numbers.problems[0].startswith("row 1, column 1: ")


@pytest.mark.parametrize(
    "first",
    [
        "1. Wort;2. Wort",
        "#A;#ALPHA",
        "1st;2nd",
        "may;june",
        "Output 1;Set 2",
        "Decoder 1;Gene 1",
        "Mark 1;Mag 2",
    ],
)
def test_names_with_a_number_in_them_are_names(first):
    assert only(f"{first}\n1;2\n3;4\n").table.columns == tuple(first.split(";"))


def test_a_column_that_may_have_been_meant_as_numbers_is_not_taken_for_names_without_asking():
    assert {reading.names_left for reading in read("1.234,5;1,5\n2.345,6;2\n")} == {True, False}


def test_rows_may_end_in_empty_cells_that_the_first_has_not():
    assert contents(only(";d1;d2\na;1;2;\nb;3;4;\n").table) == (("a", "b"), ("d1", "d2"), [[1, 2], [3, 4]])


def test_a_turned_table_has_its_rows_as_columns():
    assert contents(only(";a;b\nx;1;2\n").table.turned) == (("a", "b"), ("x",), [[1], [2]])


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
        f"row 1, column 4: the name 'd' stands in column 2 already; {OF_ITS_OWN}",
        f"row 1, column 5: the name 'd' stands in column 2 already; {OF_ITS_OWN}",
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
    assert contents(with_thousands.table) == (("y",), ("1,0", "2,0"), [[1234, 5]])


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


@pytest.mark.parametrize("name", ['"ja",', '"ja";', 'sagt "ja', '"'])
def test_quotes_in_cells_that_were_copied_are_signs_of_a_name(name):
    table = only(f"\td1\td2\nGrüße\t1\t0\n{name}\t1,5\t-2\n").table
    assert contents(table) == (("Grüße", name), ("d1", "d2"), [[1, 0], [1.5, -2]])
    assert contents(only(f"Grüße\t1\t0\n{name}\t1\t-2\n").table)[0] == ("Grüße", name)


def test_rows_below_a_title_are_counted_as_the_spreadsheet_does():
    text = "My vectors,,\n,,\n" + PLAIN.replace("9.1", "abc").replace("d2", "d1")
    assert problems(text) == (
        f"row 3, column 3: the name 'd1' stands in column 2 already; {OF_ITS_OWN}",
        "row 4, column 2: 'abc' is not a number; write one like 0.5, -2, 1e-3 or 1/3",
    )
    assert problems("My vectors\n\nkeys,d1,d2\nkitten,1\n") == (
        "row 4: 2 cells, but row 3 has 3; add 1 cell",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kitten,,\nlizard,1,2\n", "row 1, column 2: the name is empty; write at least one letter"),
        ("5\nlizard,1,2\n", "row 2: 3 cells, but the first row has 1"),
        ("kitten,1,2\nlizard\n", "row 2: 1 cell, but the first row has 3; add 2 cells"),
    ],
)
def test_a_row_that_lacks_its_numbers_is_no_title(text, problem):
    assert problems(text)[0] == problem


@pytest.mark.parametrize("numbers", [("0,5", "1,5"), ("0.5", "1.5")])
def test_names_between_other_separators_are_no_title(numbers):
    reading = only("keys;d1\nkitten;{}\nlizard;{}\n".format(*numbers))
    assert (reading.separator, reading.title) == (";", "")
    assert reading.table.columns == ("d1",)
