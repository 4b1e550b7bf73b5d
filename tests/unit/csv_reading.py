"""A CSV file as the tests of csv_files.py read it, and the table that is in most of them."""

import pytest

from core.csv_files import BadFile, readings, texts

PLAIN = "keys,d1,d2\nkitten,9.1,1\nlizard,0.1,-7.5\n"
ROWS, COLUMNS, VALUES = ("kitten", "lizard"), ("d1", "d2"), [[9.1, 1.0], [0.1, -7.5]]


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
    """A file whose signs may stand before decimals or between thousands, read in both ways."""
    as_decimals, as_thousands = read(content)
    assert (as_decimals.sign_before, as_thousands.sign_before) == ("decimals", "thousands")
    return as_decimals, as_thousands


def contents(table):
    return table.rows, table.columns, table.values.tolist()


def problems(content):
    """What is said about a file that cannot be used."""
    with pytest.raises(BadFile) as bad:
        read(content)
    assert str(bad.value) == bad.value.problems[0]
    return bad.value.problems
