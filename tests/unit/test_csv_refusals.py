"""What is said of a CSV file that cannot be used, or that can be read in several ways, with its places."""

import gzip
import io
import zipfile

import pytest

from core.csv_files import BadFile, read_table
from tests.unit.csv_reading import PLAIN, contents, doubtful, only, problems


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


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize(("rows", "columns"), [(600, 3), (5, 70), (200, 100)])
def test_decimal_commas_count_as_no_cells_of_a_file_that_is_too_large(rows, columns, separator):
    row = separator.join(["1,5"] * columns)
    (problem,) = problems(f"{row}\n" * rows)
    assert problem.startswith(f"{rows} rows and {columns} columns; at most 512 rows and 64 columns")


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
    found = problems("t;a;b\nx;0;1\n" + "x;y;1\n" * 30)
    first = [f"row {i}, column 2" for i in range(3, 13)]
    assert [problem.partition(":")[0] for problem in found] == [*first, "and 20 more"]
    assert len(problems("t;a;b\nx;0;1\n" + "x;y;1\n" * 11)) == 11


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
    found = doubtful(f't{separator}a{separator}b\nx{separator}"{number}"{separator}2\n')
    for reading, text in zip(found, (point, without), strict=True):
        assert reading.table.values.tolist() == [[float(text.replace("\u2212", "-")), 2]]
        assert reading.doubt == f"row 2, column 2: '{number}' is {text}"


@pytest.mark.parametrize(
    ("text", "row"), [("a\n1,234\n", 2), ("a\n1.234\n5\n", 2), ("7\n1.234\n", 2), ('"1.234"\n', 1)]
)
def test_one_group_of_three_digits_could_be_thousands_where_there_is_one_column(text, row):
    number = "1,234" if "," in text else "1.234"
    as_decimals, as_thousands = doubtful(text)
    assert 1.234 in as_decimals.table.values
    assert 1234 in as_thousands.table.values
    assert as_thousands.doubt == f"row {row}, column 1: '{number}' is 1234"


@pytest.mark.parametrize(
    ("text", "numbers"), [("a\n1,234\n0,5\n", [1.234, 0.5]), ("1.234\n0.5\n", [1.234, 0.5])]
)
def test_another_number_of_one_column_tells_what_its_decimal_sign_is(text, numbers):
    assert only(text).table.values.ravel().tolist() == numbers


def test_every_number_that_could_be_thousands_is_read_as_one():
    as_decimals, as_thousands = doubtful("t;a;b\nx;1,234;5\ny;6;-7,890\n")
    assert as_decimals.table.values.tolist() == [[1.234, 5], [6, -7.89]]
    assert as_thousands.table.values.tolist() == [[1234, 5], [6, -7890]]


@pytest.mark.parametrize("answer", ["1234", "1,2340"])
def test_what_says_which_it_is_is_not_asked_about(answer):
    assert only(f"t;a\nx;{answer}\n").table.values.tolist() == [[float(answer.replace(",", "."))]]


@pytest.mark.parametrize("other", ["0,5", "0,234", "1,5", "1234,567", "1,2345", ",5", "1,5e3"])
def test_another_number_tells_that_the_comma_is_a_decimal_sign(other):
    reading = only(f"t;a;b\nx;1,234;{other}\n")
    assert reading.table.values.tolist() == [[1.234, float(other.replace(",", "."))]]
    assert reading.decimal_sign == ","


@pytest.mark.parametrize("number", ["1,234", "1.234"])
def test_what_a_maintainer_writes_is_not_asked_about_but_refused(number):
    with pytest.raises(BadFile, match=r"row 2, column 2: .* is 1234 if its sign stands between thousands"):
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


QUOTE = ", or put quotes around a cell with a comma in it"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lizard,0.1", "row 3: 2 cells, but the first row has 3; add 1 cell"),
        ("lizard,0.1,2,3", "row 3: 4 cells, but the first row has 3; take out 1 cell" + QUOTE),
        ("lizard,0,1,2,3", "row 3: 5 cells, but the first row has 3; take out 2 cells" + QUOTE),
        ("", "row 3: all its cells are empty; remove the row, or fill it in"),
        (",,", "row 3: all its cells are empty; remove the row, or fill it in"),
    ],
)
def test_a_ragged_row_is_named_with_its_cells(line, complaint):
    assert problems(f"keys,d1,d2\nkitten,9.1,1\n{line}\nwolf,1,2\n") == (complaint,)


def test_quotes_that_do_not_match_are_told_of_though_commas_would_split_the_text():
    text = ';d1;d2\r\nthe;1,5;-0,25\r\ncat;0;"2,75\r\nsat;1;1\r\non;-2,5;0,125\r\n'
    assert problems(text) == ("row 3: the quotes do not match",)


def test_decimal_commas_between_commas_are_told_of_where_the_first_row_begins_empty():
    assert problems(",d1,d2\nthe,1,5,2\ncat,1,5,2\n") == tuple(
        f"row {row}: 4 cells, but the first row has 3; take out 1 cell{QUOTE}" for row in (2, 3)
    )
    assert problems("d1,d2\nthe,1,2\ncat,1,2\n") == (
        "row 1: 2 cells, but all other rows have 3; begin it with an empty cell",
    )


@pytest.mark.parametrize("numbered", [False, True])
def test_a_second_column_or_row_of_names_is_told_of_as_such(numbered):
    words = ["the", "cat", "sat"]
    first = ["1", "2", "3"] if numbered else ["der", "die", "das"]
    rows = "".join(f"{one};{other};1,5;2\n" for one, other in zip(first, words, strict=True))
    two_columns = "column 2: words, as in column 1; keep one column of names"
    assert problems(f";word;d1;d2\n{rows}") == (two_columns,)
    assert problems(f"x;a;b\n;first;second\n{'y;1;2' * 1}\nz;3;4\n") == (
        "row 2, column 1: the name is empty; write at least one letter",
        "row 2: words, as in row 1; keep one row of names",
    )


def test_every_ragged_row_is_named():
    assert problems("keys;d1;d2\nkitten;1\nwolf;1;2\nwhale;1;2;3\n") == (
        "row 2: 2 cells, but the first row has 3; add 1 cell",
        "row 4: 4 cells, but the first row has 3; take out 1 cell",
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
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"sep=;\n",
        b"sep=,\r",
    ],
)
def test_an_empty_file_is_said_to_be_empty(content):
    assert problems(content) == ("the file is empty; save a table in it",)
    with pytest.raises(BadFile, match="the file is empty"):
        read_table(content)


@pytest.mark.parametrize("content", [b";;;;", b";;\n;;\n", b",,\n,,\n", b'"";""\n', b"sep=;\n;\n"])
def test_a_file_of_empty_cells_is_said_to_be_that(content):
    assert problems(content) == ("all cells are empty",)


def test_names_alone_are_said_to_lack_numbers():
    assert problems("Person;Noun\n") == ("row 1: there are only names; put rows of numbers below them",)


def test_another_sign_between_cells_is_named():
    for text in ("a|b\n1|2\n", "Person|Noun\n1,5|2,5\n"):
        assert problems(text) == ("'|' stands between cells; put commas, semicolons or tabs there",)
    assert only("a|b,c|d\n1,2\n").table.columns == ("a|b", "c|d")
    assert only("a|b\n1\n2\n").table.columns == ("a|b",)


@pytest.mark.parametrize(
    "content", [b"keys,d1,d2\n", b"keys", b"keys\nkitten\n", b"a b\nx 1\n", b"5", b"5\n6\n"]
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
    "UTF-16 without its mark": PLAIN.encode("utf-16-le"),
    "half a sign of UTF-16": PLAIN.encode("utf-16") + b"\n",
    "UTF-32": PLAIN.encode("utf-32"),
}


@pytest.mark.parametrize("content", NO_TEXTS.values(), ids=NO_TEXTS)
def test_what_is_no_text_is_refused_with_what_to_do(content):
    assert problems(content) == ("this is not a text file; save it as CSV, in UTF-8",)


def test_many_blank_rows_above_uneven_ones_are_no_error():
    assert problems("\n" * 40 + "1;2\n3\n" + "4,5\n" * 600)
