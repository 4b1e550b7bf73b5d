"""Bytes of a CSV file, or of pasted text, <-> a table of numbers with the names of its rows and columns.

Read are files as spreadsheets of any country save them: comma, semicolon or tab between cells, point or comma
in numbers, any encoding, with or without names and a title above. What cannot be told is not guessed: there
is then more than one reading. Every complaint names row and column as the spreadsheet counts them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

import numpy as np

from core.attention import Array
from core.digits import counted
from core.encodings import Decoded, decodings
from core.matrices import (
    MOST_COLUMNS,
    ONE_GROUP,
    Refused,
    check_decimals,
    clean_name,
    is_number,
    number_text,
    parse_number,
)

LARGEST_FILE = 1_000_000  # bytes
LONGEST_CELL = 64  # characters
MOST_ROWS = 512
ROWS_READ_SOON = 16
MOST_PROBLEMS = 10
SEPARATORS = {";": "semicolon", "\t": "tab", ",": "comma", "": "nothing"}
NO_SEPARATOR = "\x1f"  # which no text has that comes this far
# What a spreadsheet takes for the start of a formula, also where it cuts a name at a separator; and marked.
FORMULA = re.compile(r"""(^'*|[;,\t][\s"']*)(?=[=+\-@\t\r])""")
MARKED = re.compile(r"""(^'*|[;,\t][\s"']*)'(?=[=+\-@\t\r])""")

# As spreadsheets write them in dates.
MONTHS = (
    "jan|janv|feb|fév|févr|mar|mär|märz|mars|mrz|mrt|apr|avr|abr|may|mai|maj|mei|jun|juin|juni|jul|juil|juli"
    "|aug|août|ago|sep|sept|oct|okt|ott|nov|dec|dez|déc|dic|ene|giu|lug"
)
# What may have been meant as a number: 1 234,5, 50%, $1.50, (1.5), #DIV/0!, 1. Feb.
MEANT_AS_NUMBER = re.compile(
    rf"""
    [-+−(]? \s* ([$€£¥] \s*)? [-+−]? [.,]? \d [\d\s.,'’]* [%‰$€£¥)]*  # with signs between and around digits
    | \# ([^\W\d_]+ | DIV/0) [!?] | \#N/?[ADV]                       # an error of a spreadsheet
    | \d{{1,2}} [-.\s/]+ ({MONTHS}|gen|mag|set|out) \.?               # a date that it made of 1.2
    | ({MONTHS}) \.? [-.\s/]+ \d{{1,4}}
    """,
    re.IGNORECASE | re.VERBOSE,
)

ZIP = b"PK\x03\x04"  # what every zip begins with
NO_TEXT = {
    ZIP: "this is a zip file or an Excel workbook, not a CSV file; save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "this is an old Excel workbook, not a CSV file; save the sheet as CSV",
    b"\x1f\x8b": "this is a gzip file, not a CSV file; unpack it first",
    b"%PDF": "this is a PDF, not a CSV file; copy the table into a spreadsheet and save it as CSV",
}


class BadFile(ValueError):
    """A file that cannot be used: what is wrong, with row and column, of which the text is the first.

    Each is the end of a sentence, behind the name of the file and before a full stop.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__(problems[0])
        self.problems = _first(problems)


def _first(problems: Sequence[str]) -> tuple[str, ...]:
    """The first of them, and how many more there are; of those the same."""
    more = len(problems) - MOST_PROBLEMS
    return (*problems[:MOST_PROBLEMS], f"and {more} more") if more > 1 else tuple(problems)


@dataclass(frozen=True, eq=False)
class Table:
    """What a file says: values (rows, columns) and their names, empty where the file has none."""

    values: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def turned(self) -> Table:
        """The same with its rows as columns."""
        return Table(self.values.T, self.columns, self.rows)


@dataclass(frozen=True, eq=False)
class Reading:
    """One way to read a file, with the table that it gives, or the problems where it gives none.

    separator is one of SEPARATORS, decimal_sign is empty where no number has one. Where a sign may be before
    decimals or between thousands, sign_before says what this reading takes it for, and doubt what the first
    such number is then. title is what stands above the table and was left out.
    """

    encoding: str
    separator: str
    names_above: bool
    names_left: bool
    decimal_sign: str = ""
    sign_before: Literal["", "decimals", "thousands"] = ""
    doubt: str = ""
    title: str = ""
    table: Table | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Grid:
    """The cells of a table as texts.

    first and left are the row and the column that it begins at, title what stands in the rows above.
    """

    cells: list[list[str]]
    first: int = 1
    left: int = 1
    title: str = ""


@dataclass(eq=False)
class _Numbers:
    """The cells of a file that should hold numbers, and what is wrong with them."""

    values: Array
    problems: list[str] = field(default_factory=list)
    signs: dict[str, str] = field(default_factory=dict)  # decimal sign -> the first place that has it
    plain: set[str] = field(default_factory=set)  # signs that can be no thousands separator
    doubtful: dict[int, tuple[str, str, str]] = field(default_factory=dict)  # position -> sign, place, cell


def texts(content: bytes) -> tuple[Decoded, ...]:
    """The text of a file in every encoding that it may have. Raises BadFile where it is no text."""
    if len(content) > LARGEST_FILE:
        raise BadFile(f"{len(content):,} bytes; at most {LARGEST_FILE:,} fit")
    for beginning, complaint in NO_TEXT.items():
        if content.startswith(beginning):
            raise BadFile(complaint)
    found = decodings(content)
    if not found:
        raise BadFile("this is not a text file; save it as CSV, in UTF-8")
    if re.match(r"\s*<(!doctype|html|table|\?xml|head|body)", found[0].text, re.IGNORECASE):
        raise BadFile(
            "this is a web page (HTML), not a CSV file; open it in a spreadsheet and save it as CSV"
        )
    return found


def readings(decoded: Decoded) -> tuple[Reading, ...]:
    """Every way in which a text can be read; one where it can be told.

    Ways that give a table come first. Where names can stand in one place alone to give one, the others stay,
    to tell of their problems, as one might have been meant. Raises BadFile where none gives a table.
    """
    found = []
    for separator, grid in _grids(decoded.text):
        is_alone = len(grid.cells) == 1 and len(grid.cells[0]) > 1
        if is_alone and all(map(_is_word, grid.cells[0])):
            raise BadFile(f"row {grid.first}: there are only names; put rows of numbers below them")
        ways = product(_options(_names_above(grid.cells)), _options(_names_left(grid.cells)))
        for above, left in ways:
            found += _readings(grid, decoded.encoding, separator, above, left)
    good = [reading for reading in found if reading.table is not None]
    if not good:
        raise BadFile(*found[0].problems)
    if sum(reading.sign_before != "thousands" for reading in good) > 1:
        found = good
    return tuple(
        sorted(found, key=lambda reading: (reading.table is None, reading.sign_before == "thousands"))
    )


def read_table(content: bytes) -> Table:
    """The table in a CSV file with names in its first row and its first column. Raises BadFile."""
    decoded = texts(content)[0]
    separator, grid = _grids(decoded.text)[0]
    if len(grid.cells[0]) < 2 or len(grid.cells) < 2:
        raise BadFile("row 1: expected names in the first row and the first column, and numbers beside them")
    reading = _readings(grid, decoded.encoding, separator, names_above=True, names_left=True)[-1]
    if reading.table is None:
        raise BadFile(*reading.problems)
    if reading.doubt:
        raise BadFile(f"{reading.doubt} if its sign stands between thousands; write it without, or add a 0")
    return reading.table


def csv_text(
    values: Array | Sequence[Sequence[str]],
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    decimal_comma: bool = False,
) -> str:
    """A table as a CSV file: numbers that read back exactly, names that no spreadsheet takes for a formula.

    values may be texts, where some are no numbers. With decimal_comma the cells are separated by semicolons,
    as spreadsheets of many countries want it.
    """
    mark = ";" if decimal_comma else ","
    lines = [["", *map(_quoted, columns)]]
    for name, numbers in zip(rows, values, strict=True):
        texts = [number if isinstance(number, str) else number_text(number) for number in numbers]
        lines.append([_quoted(name), *(_with_comma(text) if decimal_comma else text for text in texts)])
    return "".join(f"{mark.join(line)}\r\n" for line in lines)


def _quoted(name: str) -> str:
    return '"' + harmless(name).replace('"', '""') + '"'


def _with_comma(number: str) -> str:
    """A number with a decimal comma that nobody takes for a thousands separator: 1,2340."""
    text = number.replace(".", ",")
    return f"{text}0" if ONE_GROUP.fullmatch(text) else text


def harmless(name: str) -> str:
    """A name as a cell that a spreadsheet shows and does not compute; read_table() gives the name back.

    One that expects other separators may cut the name at them, and take what follows for a cell of its own.
    """
    return FORMULA.sub(r"\1'", name)


def _without_marks(cell: str) -> str:
    """The name of which harmless() made a cell; a cell that it did not make is a name as it is."""
    name = MARKED.sub(r"\1", cell)
    return name if harmless(name) == cell else cell


def _grids(text: str) -> list[tuple[str, _Grid]]:
    """The cells of a text with each separator that it may have: several only where they do equally well."""
    named = re.match(r'"?sep=(.)"?(?:\r\n?|\n)', text, re.IGNORECASE)
    if named:
        if named[1] not in (";", "\t", ","):
            raise BadFile("the line sep= names a separator that is not a comma, a semicolon or a tab")
        return [(named[1], _checked(_split(text[named.end() :], named[1]), named[1]))]
    unquoted = re.sub('"[^"]*"', "", text)
    if _is_split_by(unquoted, "|") and not any(_is_split_by(unquoted, mark) for mark in (";", "\t", ",")):
        raise BadFile("'|' stands between cells; put commas, semicolons or tabs there")
    marks = [mark for mark in (";", "\t", ",") if mark in unquoted] or [""]
    grids, faults = {}, []
    for mark in marks:
        try:
            grids[mark] = _split(text, mark)
        except BadFile as fault:
            faults.append(fault)
            if mark == "\t" and (copied := _as_copied(text)):
                grids[mark] = copied
    if not grids:
        raise faults[0]
    if marks == [","] and (column := _one_column(text)):
        grids[""] = column
    even = {mark: grid for mark, grid in grids.items() if _is_even(grid.cells)}
    if not even and faults:
        raise faults[0]
    if not even:
        in_first_row = unquoted.partition("\n")[0].count
        shares = {mark: _share_of_numbers(_beginning(grid.cells)) for mark, grid in grids.items()}
        likeliest = max(grids, key=lambda mark: (shares[mark], in_first_row(mark)))
        return [(likeliest, _checked(grids[likeliest], likeliest))]
    merits = {
        mark: (not grid.title, _has_names(grid.cells), _share_of_numbers(grid.cells))
        for mark, grid in even.items()
    }
    best = max(merits.values())
    return [(mark, _checked(grid, mark)) for mark, grid in even.items() if merits[mark] == best]


def _is_split_by(text: str, mark: str) -> bool:
    """Whether every line of a text has this mark."""
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(mark in line for line in lines)


def _one_column(text: str) -> _Grid | None:
    """The rows of a text in which every comma may be a decimal comma, one number in each; or None."""
    try:
        grid = _split(text, "")
    except BadFile:
        return None
    return grid if all(is_number(cell) or "," not in cell for row in grid.cells for cell in row) else None


def _as_copied(text: str) -> _Grid | None:
    """The rows of cells that were copied, whose quotes a spreadsheet leaves as they are; None if uneven."""
    try:
        grid = _split(text, "\t", csv.QUOTE_NONE)
    except BadFile:
        return None
    return grid if _is_even(grid.cells) else None


def _has_names(grid: list[list[str]]) -> bool:
    """Whether the corner alone of the first row and column is blank, as it is where both hold names."""
    return not grid[0][0] and len(grid[0]) > 1 and all(row[0] for row in grid[1:]) and all(grid[0][1:])


def _split(text: str, separator: str, quoting: Literal[0, 3] = csv.QUOTE_MINIMAL) -> _Grid:
    """The rows of a text, without a title, the empty ones at its end and the empty columns beside them.

    A row may end in more empty cells than others have.
    """
    rows: list[list[str]] = []
    lines, delimiter = io.StringIO(text, newline=""), separator or NO_SEPARATOR
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    try:
        for row in reader:
            if len(rows) < 2 * MOST_ROWS:
                rows.append([cell.strip() for cell in row])
            elif any(cell.strip() for cell in row):
                raise BadFile(f"more than {2 * MOST_ROWS} rows; at most {MOST_ROWS} rows of numbers fit")
    except csv.Error as error:
        fault = "a cell is far too long" if "limit" in str(error) else "the quotes do not match"
        raise BadFile(f"row {len(rows) + 1}: {fault}") from None
    while rows and not any(rows[-1]):
        rows.pop()
    if not rows:
        raise BadFile("all cells are empty" if text.strip() else "the file is empty; save a table in it")
    empty = 0
    if len({len(row) for row in rows}) == 1:
        while empty < len(rows[0]) - 1 and not any(row[empty] for row in rows):
            empty += 1
    rows = [row[empty:] for row in rows]
    above = _rows_of_title(rows)
    title = " ".join(row[0] for row in rows[:above] if any(row))[:LONGEST_CELL]
    rows = rows[above:]
    filled = max((place for row in rows for place, cell in enumerate(row, start=1) if cell), default=1)
    return _Grid([row[:filled] for row in rows], above + 1, empty + 1, title)


def _rows_of_title(rows: list[list[str]]) -> int:
    """How many rows above a table hold a title in their first cell, or nothing.

    Where the rows of a spreadsheet are all equally long, names or an empty row have to follow: a name whose
    numbers are missing is no title, and neither are cells between other separators.
    """
    above = 0
    while above < len(rows) and _may_be_title(rows[above]):
        above += 1
    if not above or above == len(rows):
        return 0
    is_shorter = len(rows[above - 1]) < len(rows[above])
    return above if is_shorter or not any(rows[above - 1]) or not any(map(is_number, rows[above])) else 0


def _may_be_title(row: list[str]) -> bool:
    text = "".join(row[:1])
    return not any(row[1:]) and not is_number(text) and not set(text) & {";", "\t", ","}


def _is_even(grid: list[list[str]]) -> bool:
    widths = {len(row) for row in grid}
    return len(grid) <= MOST_ROWS + 1 and len(widths) == 1 and max(widths) <= MOST_COLUMNS + 1


def _checked(grid: _Grid, separator: str) -> _Grid:
    """The same rows, if they are few enough and equally long, and no cell is too long."""
    rows, first = grid.cells, grid.first
    most_columns = max(map(len, rows))
    if len(rows) > MOST_ROWS + 1 or most_columns > MOST_COLUMNS + 1:
        raise BadFile(
            f"{len(rows)} rows and {most_columns} columns; "
            f"at most {MOST_ROWS} rows and {MOST_COLUMNS} columns of numbers fit"
        )
    if blank := [number for number, row in enumerate(rows, start=first) if not any(row)]:
        remedy = "all its cells are empty; remove the row, or fill it in"
        raise BadFile(*(f"row {number}: {remedy}" for number in blank))
    width = len(rows[0])
    like_first = f", but {'the first row' if first == 1 else f'row {first}'} has {width}"
    ragged = [
        f"row {number}: {counted(len(row), 'cell')}{like_first}{_remedy(len(row), width, separator)}"
        for number, row in enumerate(rows, start=first)
        if len(row) != width
    ]
    if ragged and rows[0][0] and {len(row) for row in rows[1:]} == {width + 1}:
        ragged = [
            f"row {first}: {counted(width, 'cell')}, but all other rows have {width + 1}; "
            "begin it with an empty cell"
        ]
    long = [
        f"row {i}, column {j}: the cell has {len(cell)} characters; at most {LONGEST_CELL} fit"
        for i, row in enumerate(rows, start=first)
        for j, cell in enumerate(row, start=grid.left)
        if len(_without_marks(cell)) > LONGEST_CELL
    ]
    if ragged or long:
        raise BadFile(*ragged, *long)
    return grid


def _remedy(cells: int, wanted: int, separator: str) -> str:
    """What to do with a row of more or fewer cells than the first; nothing where that may be a title."""
    if wanted == 1:
        return ""
    if cells < wanted:
        return f"; add {counted(wanted - cells, 'cell')}"
    quotes = ", or put quotes around a cell with a comma in it" if separator == "," else ""
    return f"; take out {counted(cells - wanted, 'cell')}{quotes}"


def _beginning(grid: list[list[str]]) -> list[list[str]]:
    """What is read soon of a grid that may be far too large."""
    return [row[: MOST_COLUMNS + 1] for row in grid[:ROWS_READ_SOON]]


def _share_of_numbers(grid: list[list[str]]) -> float:
    cells = [cell for row in grid for cell in row]
    return sum(map(is_number, cells)) / max(len(cells), 1)


def _names_above(grid: list[list[str]]) -> bool | None:
    """Whether the first row holds names, None where that cannot be told."""
    return len(grid) > 1 and _are_names(grid[0][0], grid[0][1:])


def _names_left(grid: list[list[str]]) -> bool | None:
    """Whether the first column holds names, None where that cannot be told."""
    return len(grid[0]) > 1 and _are_names(grid[0][0], [row[0] for row in grid[1:]])


def _are_names(corner: str, cells: list[str]) -> bool | None:
    """Whether a first row or column, given without its corner, holds names.

    A blank corner tells it. Texts are names, numbers are not, but 1, 2, 3 could be either, and numbers with a
    few texts among them could be names, or a mistake. So could be what may have been meant as a number.
    """
    if not corner and cells:
        return True
    cells = cells or [corner]
    numbers = [parse_number(cell) for cell in cells if is_number(cell)]
    meant = sum(not is_number(cell) and bool(MEANT_AS_NUMBER.fullmatch(cell)) for cell in cells)
    if 2 * (len(numbers) + meant) < len(cells):
        return True
    if len(numbers) < len(cells):
        return None
    in_a_row = [numbers[0] + i for i in range(len(numbers))]
    return None if len(numbers) > 1 and numbers == in_a_row and numbers[0].is_integer() else False


def _options(told: bool | None) -> tuple[bool, ...]:
    return (True, False) if told is None else (told,)


def _readings(
    grid: _Grid, encoding: str, separator: str, names_above: bool, names_left: bool
) -> list[Reading]:
    """A grid with names here and there; where 1,234 may be a thousand, also so."""
    problems: list[str] = []
    height, width = len(grid.cells), len(grid.cells[0])
    top, left = int(names_above), int(names_left)
    columns = _names(_places(grid, range(1), range(left, width)), problems) if names_above else ()
    rows = _names(_places(grid, range(top, height), range(1)), problems) if names_left else ()
    problems += _repeated(columns, grid.first, grid.left + left)
    body = range(top, height), range(left, width)
    if len(body[0]) > MOST_ROWS or len(body[1]) > MOST_COLUMNS:
        problems.append(
            f"{len(body[0])} rows and {len(body[1])} columns of numbers; "
            f"at most {MOST_ROWS} rows and {MOST_COLUMNS} columns fit"
        )
    numbers = _numbers(grid, *body)
    problems += _more_names(grid, *body) or numbers.problems or _mixed_signs(numbers)
    way = Reading(encoding, separator, names_above, names_left, "".join(numbers.signs), title=grid.title)
    if problems:
        return [replace(way, problems=_first(problems))]
    read = replace(way, table=Table(numbers.values, rows, columns))
    thousands = _thousands(numbers, separator)
    if thousands is None:
        return [read]
    sign, place, cell = next(iter(numbers.doubtful.values()))
    decimals, whole = (f"{place}: '{cell}' is {cell.replace(sign, to)}" for to in (".", ""))
    return [
        replace(read, sign_before="decimals", doubt=decimals),
        replace(read, sign_before="thousands", doubt=whole, table=Table(thousands, rows, columns)),
    ]


def _places(grid: _Grid, rows: range, columns: range) -> Iterator[tuple[str, str]]:
    """Where each cell is, as a spreadsheet counts, and what it holds."""
    for i, j in product(rows, columns):
        yield f"row {i + grid.first}, column {j + grid.left}", grid.cells[i][j]


def _names(cells: Iterator[tuple[str, str]], problems: list[str]) -> tuple[str, ...]:
    names = []
    for place, cell in cells:
        try:
            names.append(clean_name(_without_marks(cell)))
        except Refused as refused:
            problems.append(f"{place}: {refused}")
            names.append("")
    return tuple(names)


def _repeated(columns: tuple[str, ...], row: int, first_column: int) -> list[str]:
    """Tokens may repeat, as words do in a sentence, but a dimension has one column."""
    first: dict[str, int] = {}
    problems = []
    for number, name in enumerate(columns, start=first_column):
        if name and name in first:
            problems.append(
                f"row {row}, column {number}: the name '{name}' stands in column {first[name]} already; "
                "every column needs a name of its own, and tokens, which may repeat, stand in rows"
            )
        first.setdefault(name, number)
    return problems


def _numbers(grid: _Grid, rows: range, columns: range) -> _Numbers:
    found = _Numbers(np.empty((len(rows), len(columns))))
    places = list(_places(grid, rows, columns))
    example = "0,5" if any("," in cell and is_number(cell) for _, cell in places) else "0.5"
    for position, (place, cell) in enumerate(places):
        if len(found.problems) > MOST_PROBLEMS and not is_number(cell):
            found.problems.append(place)  # only to be counted
            continue
        try:
            found.values.flat[position] = parse_number(cell, example)
        except Refused as refused:
            found.problems.append(f"{place}: {refused}")
            continue
        sign = next((sign for sign in ",." if sign in cell), "")
        if sign:
            found.signs.setdefault(sign, f"{place}: '{cell}'")
            if ONE_GROUP.fullmatch(cell):
                found.doubtful[position] = sign, place, cell
            else:
                found.plain.add(sign)
    return found


def _more_names(grid: _Grid, rows: range, columns: range) -> list[str]:
    """What is wrong where a second column, or a second row, has words where numbers should begin."""
    column = [row[columns.start] for row in grid.cells[rows.start :]] if columns.start else []
    row = grid.cells[rows.start][columns.start :] if rows.start else []
    return [
        f"{kind} {place}: words, as in {kind} {place - 1}; keep one {kind} of names"
        for kind, place, cells in (
            ("column", columns.start + grid.left, column),
            ("row", rows.start + grid.first, row),
        )
        if len(cells) > 1 and all(cell and _is_word(cell) for cell in cells)
    ]


def _is_word(cell: str) -> bool:
    return not is_number(cell) and not MEANT_AS_NUMBER.fullmatch(cell)


def _mixed_signs(numbers: _Numbers) -> list[str]:
    """What is wrong where some numbers have a comma and others a point."""
    if len(numbers.signs) < 2:
        return []
    problems = []
    for _, place, cell in numbers.doubtful.values():
        try:
            check_decimals(cell, numbers.plain)
        except Refused as refused:
            problems.append(f"{place}: {refused}")
    comma, point = numbers.signs[","], numbers.signs["."]
    return problems or [f"{comma} has a comma and {point} has a point; write all decimals in one way"]


def _thousands(numbers: _Numbers, separator: str) -> Array | None:
    """The numbers with commas or points between thousands; None where these can only be decimal signs."""
    values = numbers.values.copy()
    for position, (sign, _, cell) in numbers.doubtful.items():
        if sign in numbers.plain or (sign == "." and separator == ","):
            return None
        values.flat[position] = parse_number(cell.replace(sign, ""))
    return values if numbers.doubtful else None
