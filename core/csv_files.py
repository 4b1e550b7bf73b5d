"""Bytes of a CSV file -> a table of numbers with the names of its rows and columns.

Written for files that a teacher saves from a spreadsheet in any country: comma, semicolon or tab
between cells, point or comma in numbers, UTF-8 or Windows-1252. Every complaint names row and column
as the spreadsheet counts them.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import numpy as np

from core.attention import Array
from core.matrices import MOST_NAMES, Refused, clean_name, parse_number

LARGEST_FILE = 1_000_000  # bytes


class BadFile(ValueError):
    """A file that cannot be used: a sentence that names the row and column of the first thing wrong."""


@dataclass(frozen=True, eq=False)
class Table:
    """What a file says: values (rows, columns) and their names."""

    values: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def read_table(content: bytes) -> Table:
    """The table in a CSV file with names in its first row and its first column.

    Raises BadFile.
    """
    lines = _split(content)
    header, *body = lines
    if len(header) < 2 or not body:
        raise BadFile("row 1: expected names in the first row and the first column, and numbers beside them")
    if len(header) - 1 > MOST_NAMES or len(body) > MOST_NAMES:
        raise BadFile(f"{len(body)} rows and {len(header) - 1} columns; at most {MOST_NAMES} of each fit")
    columns = tuple(_name(cell, 1, number) for number, cell in enumerate(header[1:], start=2))
    values = np.empty((len(body), len(columns)))
    rows = []
    for row, line in enumerate(body, start=2):
        if len(line) != len(header):
            raise BadFile(f"row {row}: {len(line)} cells, but the first row has {len(header)}")
        rows.append(_name(line[0], row, 1))
        for column, cell in enumerate(line[1:], start=2):
            try:
                values[row - 2, column - 2] = parse_number(cell)
            except Refused as refused:
                raise BadFile(f"row {row}, column {column}: {refused}") from None
    return Table(values, tuple(rows), columns)


def _split(content: bytes) -> list[list[str]]:
    if len(content) > LARGEST_FILE:
        raise BadFile(f"{len(content):,} bytes; at most {LARGEST_FILE:,} fit")
    if b"\0" in content:
        raise BadFile("this is not a text file; save it as CSV")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    lines: list[list[str]] = []
    try:
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True):
            lines.append(line)
    except csv.Error as error:
        fault = "a cell is far too long" if "limit" in str(error) else "the quotes do not match"
        raise BadFile(f"row {len(lines) + 1}: {fault}") from None
    while lines and not any(cell.strip() for cell in lines[-1]):
        lines.pop()
    if not lines:
        raise BadFile("the file is empty")
    return lines


def _separator(text: str) -> str:
    """What stands between the cells of the first row: of these three, the one found outside quotes."""
    unquoted = re.sub('"[^"]*"', "", text.partition("\n")[0])
    return next((mark for mark in ";\t" if mark in unquoted), ",")


def _name(cell: str, row: int, column: int) -> str:
    try:
        return clean_name(cell)
    except Refused as refused:
        raise BadFile(f"row {row}, column {column}: {refused}") from None
