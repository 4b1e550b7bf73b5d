"""What holds for every file: it is read or refused, soon, and what was saved is read as it was."""

import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.csv_files import BadFile, csv_text, read_table, readings, texts
from core.matrices import LONGEST_NAME, Refused, clean_name

# The same examples on every run and every machine.
reproducible = settings(derandomize=True, deadline=None, max_examples=100)

PIECES = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0", b"\x81", b"\xc3\xa9", b"\x1f", b"PK\x03\x04", b"<html>",
    b"sep=;\n", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b'"', b'""', b"'", b" ", b"=", b"@", b"+", b"-",
    b"\xe2\x88\x92", b"/", b".", b"0", b"1", b"1,234", b"1.234.567", b"1e5", b"1e999", b"nan", b"x", b"Emma",
]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@st.composite
def files(draw):
    """Up to 100 kB of anything, of what files are made of, and of the same over and over."""
    parts = draw(st.lists(st.one_of(st.binary(max_size=200), pieces), min_size=1, max_size=6))
    times = draw(st.sampled_from([1, 1, 2, 64, 513, 100_000]))
    return b"".join(part * times for part in parts)[: draw(st.sampled_from([100_000, 99_999]))]


@st.composite
def grids(draw):
    """As many cells as fit into 100 kB, which may be names, numbers or mistakes."""
    cells = st.sampled_from(["", "1", "1,5", "0.5", "1,234", "x", "d1", "=1", '"1;2"', "1\t2", "1 2", "-"])
    some = draw(st.lists(cells, min_size=1, max_size=5))
    width, separator = draw(st.sampled_from([1, 2, 64, 65])), draw(st.sampled_from([",", ";", "\t"]))
    counted = separator.join(map(str, range(width)))
    body = [separator.join((some * width)[i : i + width]) for i in range(len(some))]
    rows = draw(st.sampled_from([1, 2, 512, 513]))
    return "\n".join([*[counted] * draw(st.booleans()), *(body * rows)[:rows]]).encode()[:100_000]


def outcome(read, content):
    """What is read, or the complaints."""
    try:
        return read(content), ()
    except BadFile as bad:
        return None, bad.problems


def check(content):
    """A file is read, each way into a table that can be used or with problems, or refused with reasons."""
    decoded, problems = outcome(texts, content)
    if decoded is None:
        assert len(problems) == 1
        return
    found, problems = outcome(readings, decoded[0])
    if found is None:
        assert 1 <= len(problems) <= 11
        assert all(problems)
        return
    assert found[0].table is not None
    for reading in found:
        assert (reading.table is None) == bool(reading.problems)
        assert len(reading.problems) <= 11
        if reading.table is not None:
            check_table(reading)


def check_table(reading):
    table = reading.table
    rows, columns = table.values.shape
    assert 1 <= rows <= 512
    assert 1 <= columns <= 64
    assert (np.abs(table.values) <= 1e6).all()
    assert len(table.rows) == rows * reading.names_left
    assert len(table.columns) == columns * reading.names_above
    assert len(set(table.columns)) == len(table.columns)
    assert all(name == clean_name(name) for name in (*table.rows, *table.columns))


@reproducible
@given(st.one_of(files(), grids()))
def test_any_file_is_read_or_refused_within_a_second(content):
    assert len(content) <= 100_000
    began = time.process_time()
    check(content)
    assert time.process_time() - began < 1


@reproducible
@given(st.one_of(files(), grids()))
def test_a_file_of_an_example_is_read_or_refused(content):
    table, problems = outcome(read_table, content)
    assert (table is None) == bool(problems)
    assert table is None or table.values.shape == (len(table.rows), len(table.columns))


@settings(reproducible, max_examples=300)
@given(st.text(alphabet="0123456789.,;\t+-\u2212'\" /e=\r\n", max_size=60))
def test_any_text_of_digits_and_signs_is_read_or_refused(text):
    check(text.encode())


@settings(reproducible, max_examples=300)
@given(st.text(alphabet='12,;\t"\n', max_size=24))
def test_any_text_of_numbers_separators_and_quotes_is_read_or_refused(text):
    check(text.encode())


def is_clean(name):
    try:
        return clean_name(name) == name
    except Refused:
        return False


words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
clean_names = st.one_of(
    st.lists(words, min_size=1, max_size=3).map(" ".join),
    st.text(",;'\"=+-@1.5\u2212/e ax<", min_size=1, max_size=5),
    st.sampled_from([sign * LONGEST_NAME for sign in "=-'\";1"]),
    st.floats(-1e6, 1e6).map(lambda number: f"{number:.3g}"),
).filter(is_clean)
numbers = st.one_of(
    st.floats(-1e6, 1e6),
    st.integers(-9, 9).map(float),
    st.integers(-999_999, 999_999).map(lambda number: number / 1000),
).map(lambda number: number + 0.0)  # -0 becomes 0, as it does in a cell


@st.composite
def tables(draw):
    rows = draw(st.lists(clean_names, min_size=1, max_size=4))
    columns = draw(st.lists(clean_names, min_size=1, max_size=4, unique=True))
    values = draw(arrays(float, (len(rows), len(columns)), elements=numbers))
    return values, tuple(rows), tuple(columns)


@settings(reproducible, max_examples=200)
@given(tables(), st.booleans())
def test_any_saved_table_is_read_bit_for_bit_and_in_one_way_alone(table, decimal_comma):
    values, rows, columns = table
    (reading,) = readings(texts(csv_text(values, rows, columns, decimal_comma).encode())[0])
    assert (reading.table.rows, reading.table.columns) == (rows, columns)
    assert reading.table.values.tobytes() == values.tobytes()
