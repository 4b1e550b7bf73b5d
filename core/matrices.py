"""Named rows and columns around the arrays of an example, and text <-> number."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

from core.attention import Array
from core.caching import SMALL_SIDE

LARGEST_NUMBER = 1e6
MOST_TOKENS, MOST_COLUMNS = 256, 64  # of a page
JOINERS, SOFT_HYPHEN = "\u200c\u200d", "\u00ad"  # signs within a word that are not seen themselves
LONGEST_NAME = 64
LONGEST_NUMBER = 64
LONGEST_EXACT = 11  # characters of a number, beyond which a fraction is tried
PARTS_OF_ONE = 720_720  # the smallest number that 2, 3, and so on up to 16 divide
TINIEST, HUGE = 1e-4, 1e5  # where their decimals say nothing, numbers below or from there on are 1.1e-13
# Signs of no width, copied along with others; not U+202E, which has 12 read as 21.
_DIRECTIONS = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069"
UNSEEN = str.maketrans("", "", f"\u200b\u2060\ufeff{_DIRECTIONS}")
BLANK_LETTERS = "\u2800\u3164\u115f\u1160\uffa0"  # signs that count as letters, and show nothing
VARIANTS = "\ufe0e\ufe0f\u034f"  # which do something to the sign before them, and alone show nothing
NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}  # of the wide signs of East Asian keyboards
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

SIGN = r"[+\u2212\u2013-]"  # before a number: a plus, a true minus, a dash or a hyphen
ONE_GROUP = re.compile(rf"{SIGN}?[1-9]\d{{0,2}}[.,]\d{{3}}")  # 1,234: a decimal comma, or a thousand?
THOUSANDS = re.compile(rf"{SIGN}?\d{{1,3}}(?:([.,’' \u00a0\u202f])\d{{3}})+(?:[.,]\d*)?")
LAKHS = re.compile(rf"{SIGN}?\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?:\.\d*)?")  # 1,23,456.5, as in India
_DECIMAL = r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:\s*/\s*({_DECIMAL}))?")


class Refused(ValueError):
    """A text that cannot be used, with the reason as a clause that follows the place it stands in."""


def sentence(refused: Refused) -> str:
    """The reason as a sentence, for people; it may quote what a user wrote."""
    reason = str(refused)
    return f"{reason[0].upper()}{reason[1:]}."


def parse_number(text: str, example: str = "0.5") -> float:
    """The number that a person typed: .07, -.5, 1e-3, 1,5 (decimal comma), 1/3, a true minus or a dash.

    Raises Refused for anything else, for inf and nan, and beyond LARGEST_NUMBER, with an example to follow.
    """
    typed, plain = text.translate(UNSEEN).strip(), _plain(text)
    if not plain:
        raise Refused("the cell is empty; write a number, for example 0")
    shown = " ".join(typed.split())
    shown = shown if len(shown) <= LONGEST_NUMBER else shown[:LONGEST_NUMBER] + "…"
    if plain.lstrip("+-").lower() in ("inf", "infinity", "nan", "∞"):
        raise Refused(f"'{shown}' is not a finite number; write one like {example}")
    found = _parts_of_number(plain)
    if not found:
        raise Refused(f"'{shown}' {_why_no_number(typed, example)}")
    top, bottom = found[1].replace(",", "."), (found[2] or "1").replace(",", ".")
    if float(bottom) == 0:
        raise Refused(f"'{shown}' divides by 0; write one like {example}")
    number = float(top) / float(bottom)
    if not abs(number) <= LARGEST_NUMBER:
        raise Refused(f"'{shown}' is too large; numbers may go from -1,000,000 to 1,000,000")
    if number == 0 and re.search("[1-9]", re.split("[eE]", top)[0]):
        raise Refused(f"'{shown}' is too close to 0 to be stored; write 0")
    return number + 0.0  # -0 becomes 0


def _plain(text: str) -> str:
    """A text with hyphens for minus signs, and without what is not seen."""
    return text.translate(UNSEEN).strip().replace("\u2212", "-").replace("\u2013", "-")


def _parts_of_number(plain: str) -> re.Match[str] | None:
    """What is above and below the slash of a text that is written as a number; None of any other."""
    return _NUMBER.fullmatch(plain) if len(plain) <= LONGEST_NUMBER else None


def _why_no_number(typed: str, example: str) -> str:
    """What is wrong with a text that is no number, and what would be right."""
    no_number = f"is not a number; write one like {example}, -2, 1e-3 or 1/3"
    if len(typed) > LONGEST_NUMBER:
        is_of_digits = set(_plain(typed)) <= set("0123456789.,-")
        return f"is too long; a number has at most {LONGEST_NUMBER} characters" if is_of_digits else no_number
    if typed.startswith(("=", "@")):
        return "is a formula; write the number that it gives"
    if THOUSANDS.fullmatch(typed) or LAKHS.fullmatch(typed):
        return "has a thousands separator; write the number without it"
    if typed.endswith("%") and is_number(share := typed.removesuffix("%").rstrip()):
        number = number_text(parse_number(share) / 100)
        number = number.replace(".", ",") if "," in example + typed else number
        return f"is a percentage; write the number itself, {number}"
    if typed != (narrow := typed.translate(NARROW)) and is_number(narrow):
        return f"is written in wide signs; write {narrow}"
    if len(parts := typed.split()) > 1 and all(map(is_number, parts)):
        return "is more than one number; each needs a cell of its own"
    return no_number


def is_number(text: str) -> bool:
    """Whether parse_number() takes a text; quick with most that it does not take."""
    if not _parts_of_number(_plain(text)):
        return False
    try:
        parse_number(text)
    except Refused:
        return False
    return True


def decimal_signs(texts: Iterable[str]) -> set[str]:
    """The signs before the decimals of numbers as a person typed them: those that can be nothing else.

    Of 1.234,5 it is the last one.
    """
    plain = (text for text in texts if not ONE_GROUP.fullmatch(text.strip()))
    return {max(",.", key=text.rfind) for text in plain if "," in text or "." in text}


def check_decimals(text: str, signs: Collection[str]) -> None:
    """Raise Refused for 1.234 where others of these signs make it doubtful, as it may mean 1234."""
    typed = text.strip()
    if not ONE_GROUP.fullmatch(typed):
        return
    sign, other = (",", ".") if "," in typed else (".", ",")
    if other in signs and sign not in signs:
        whole, name = typed.replace(sign, ""), {",": "commas", ".": "points"}[other]
        raise Refused(
            f"'{typed}' could be {whole} or {typed.replace(sign, '.')}, beside numbers with decimal {name}; "
            f"write {whole} or {typed.replace(sign, other)}0"
        )


def number_text(number: float) -> str:
    """The shortest text that reads back as exactly this number."""
    return short_power(repr(float(number)).removesuffix(".0"))


def cell_text(number: float) -> str:
    """A number as an editor shows it: in full, or as the fraction that is exactly it and shorter, 1/3."""
    text, parts = number_text(number), round(number * PARTS_OF_ONE)
    if len(text) > LONGEST_EXACT and parts / PARTS_OF_ONE == number:
        return min(text, str(Fraction(parts, PARTS_OF_ONE)), key=len)
    return text


def short_power(text: str) -> str:
    """A number that may have a power of ten, with that as short as it can be: 1e-9, not 1e-09."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def rounded_text(number: float, decimals: int) -> str:
    """A number for reading: fixed decimals, halves away from 0.

    One that is not 0 never reads as 0.00: it gets decimals up to its first digit, 0.003, or is 1.1e-13. Nor
    does a half read as 1 where whole numbers are asked for: it stays 0.5.
    """
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"
    number = number + 0.0  # -0 becomes 0
    fixed = f"{number * (1 + 1e-12):.{decimals}f}"
    is_less = float(fixed) == 0 or (decimals == 0 and abs(number) < 1)
    if number != 0 and is_less and abs(number) >= TINIEST:
        return f"{Decimal(f'{number * (1 + 1e-12):.1g}'):f}"
    if number != 0 and (float(fixed) == 0 or abs(number) >= HUGE):
        return short_power(f"{number:.1e}")
    return fixed if float(fixed) else f"{0:.{decimals}f}"


def how_written(values: Array, decimals: int) -> str:
    """What rounded_text does to those of the numbers that it does not write with these decimals, or nothing.

    The smallest is the example, or else the largest.
    """
    sizes = abs(values[np.isfinite(values) & (values != 0)])
    if not sizes.size:
        return ""
    least, most = (rounded_text(float(size), decimals) for size in (sizes.min(), sizes.max()))
    if sizes.min() < TINIEST and "e" in least:
        return f"Near 0 a number keeps its first digits: {least} is {in_powers_of_10(least)}."
    if "e" not in least and len(least.partition(".")[2]) > decimals:
        return f"Near 0 a number keeps its first digits: {least}."
    is_shortened = sizes.max() >= HUGE and "e" in most
    return f"Large numbers are shortened: {most} is {in_powers_of_10(most)}." if is_shortened else ""


def in_powers_of_10(text: str) -> str:
    """A number that is written as 1.1e-13, as 1.1 × 10⁻¹³."""
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(RAISED)}"


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names for a sentence: one that repeats has its number in front, from 1, as the lists on a page do.

    So has one that another would be called then: beside two "x", the third is "3 1 x".
    """
    told, numbered = tuple(names), set[str]()
    while len(set(told)) < len(told):
        times = Counter(told)
        numbered |= {name for name, as_told in zip(names, told, strict=True) if times[as_told] > 1}
        told = tuple(f"{place} {name}" if name in numbered else name for place, name in enumerate(names, 1))
    return told


def words(text: str) -> list[str]:
    """The words of a text, without what cannot be seen.

    An é is one sign, though it came as an e and an accent, as in files of some systems.
    What joins the signs of a word, or keeps them apart, stays: a family in one emoji, or Persian, needs it.
    """
    return _seen_words(unicodedata.normalize("NFC", text))


def _seen_words(text: str) -> list[str]:
    text = text.replace(SOFT_HYPHEN, "")
    seen = "".join(sign if _is_seen(sign) or sign in JOINERS else " " for sign in text)
    found = (word.strip(JOINERS) for word in seen.split())
    return [word for word in found if word.strip(VARIANTS)]


def _is_seen(sign: str) -> bool:
    return sign.isprintable() and sign not in BLANK_LETTERS


def is_name(text: str) -> bool:
    """Whether a text can be a name as it is: one that was saved, which may be of a time with other rules."""
    return 0 < len(text) <= LONGEST_NAME and text == " ".join(_seen_words(text))


def on_one_line(text: str) -> str:
    """A text without what cannot be seen, and without turns of its direction."""
    return " ".join(words(text))


def clean_name(text: str) -> str:
    """A name for a row or a column: one line, no blank, at most LONGEST_NAME characters.

    Raises Refused where nothing is left or it is too long.
    """
    name = on_one_line(text)
    if not name:
        raise Refused("the name is empty; write at least one letter")
    if len(name) > LONGEST_NAME:
        raise Refused(f"the name has {len(name):,} characters; at most {LONGEST_NAME} fit")
    return name


@dataclass(frozen=True)
class Axis:
    """The names along one side of one or more matrices: the tokens, or the dimensions of a vector.

    origins tells, name by name, at which position of the preset it began, None where it was added.
    An axis that follows another has its own names but gains and loses rows with it.
    """

    title: str
    names: tuple[str, ...]
    origins: tuple[int | None, ...]
    follows: str | None = None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The names as a sentence tells them apart."""
        return told_apart(self.names)


@dataclass(frozen=True, eq=False)
class Matrix:
    """An array of (rows, columns) and the axes that name them."""

    values: Array
    rows: str
    columns: str


@dataclass(frozen=True, eq=False)
class Inputs:
    """The matrices that an example starts from, and the axes they share."""

    axes: Mapping[str, Axis]
    matrices: Mapping[str, Matrix]

    def row_names(self, matrix: str) -> tuple[str, ...]:
        return self.axes[self.matrices[matrix].rows].names

    def column_names(self, matrix: str) -> tuple[str, ...]:
        return self.axes[self.matrices[matrix].columns].names

    def row_titles(self, matrix: str) -> tuple[str, ...]:
        return self.axes[self.matrices[matrix].rows].titles

    def column_titles(self, matrix: str) -> tuple[str, ...]:
        return self.axes[self.matrices[matrix].columns].titles

    @property
    def is_small(self) -> bool:
        return max(len(axis.names) for axis in self.axes.values()) <= SMALL_SIDE

    def shares(self, matrix: str, other: Inputs) -> bool:
        """Whether a matrix is the very one of others, with the same names: so it is until it is edited."""
        return self.matrices[matrix] is other.matrices[matrix] and self.axes is other.axes

    def same_as(self, other: Inputs) -> bool:
        return self.axes == other.axes and all(
            np.array_equal(matrix.values, other.matrices[name].values)
            for name, matrix in self.matrices.items()
        )


def numbered_anew(inputs: Inputs) -> Inputs:
    """The inputs as if they were a preset: origins are the places that the names have now."""
    axes = {id: replace(axis, origins=tuple(range(len(axis.names)))) for id, axis in inputs.axes.items()}
    return replace(inputs, axes=axes)


def numbered_as_in(before: Inputs, now: Inputs) -> Inputs:
    """Inputs of the same preset as if others were it: origins are the places that the names had in those."""
    axes = {id: replace(axis, origins=_origins_in(before.axes[id], axis)) for id, axis in now.axes.items()}
    return replace(now, axes=axes)


def _origins_in(before: Axis, now: Axis) -> tuple[int | None, ...]:
    """Where each of an axis's names stood before; those that the preset has not are found by name."""
    stood: dict[int | str, list[int]] = {}
    for place, (name, origin) in enumerate(zip(before.names, before.origins, strict=True)):
        stood.setdefault(name if origin is None else origin, []).append(place)
    found = [
        stood.get(name if origin is None else origin, [])
        for name, origin in zip(now.names, now.origins, strict=True)
    ]
    return tuple(places.pop(0) if places else None for places in found)


def token_matrices(matrices: Collection[str]) -> tuple[str, str]:
    """The names of the matrices whose rows are the queries and the keys."""
    return ("embeddings", "embeddings") if "embeddings" in matrices else ("queries", "keys")


def set_cells(inputs: Inputs, cells: Mapping[tuple[str, int, int], float]) -> Inputs:
    """The inputs with other numbers in the cells (matrix, row, column)."""
    changed = {name: inputs.matrices[name].values.copy() for name, _, _ in cells}
    for (name, row, column), number in cells.items():
        changed[name][row, column] = number
    matrices = {
        name: replace(matrix, values=changed[name]) if name in changed else matrix
        for name, matrix in inputs.matrices.items()
    }
    return replace(inputs, matrices=matrices)


def most_names(inputs: Inputs, axis: str) -> int:
    """How many names an axis may have: tokens may be more than the dimensions of a vector."""
    return MOST_COLUMNS if _has_columns(inputs, axis) else MOST_TOKENS


def rename(inputs: Inputs, axis: str, position: int, name: str) -> Inputs:
    """The inputs with another name at one position of an axis. Raises Refused for a bad name."""
    names = list(inputs.axes[axis].names)
    names[position] = _free_name(inputs, axis, name, besides=names[:position] + names[position + 1 :])
    return set_names(inputs, axis, names)


def set_names(inputs: Inputs, axis: str, names: Sequence[str]) -> Inputs:
    """The inputs with other names, as many as there are, along an axis. They are clean.

    Raises Refused where a dimension has the name of another.
    """
    repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if repeated is not None and _has_columns(inputs, axis):
        raise Refused(_taken(inputs, axis, repeated))
    return replace(inputs, axes={**inputs.axes, axis: replace(inputs.axes[axis], names=tuple(names))})


def _free_name(inputs: Inputs, axis: str, name: str, besides: Sequence[str]) -> str:
    """A clean name; a dimension's has to be its own, while tokens may repeat, as words in a sentence do."""
    new = clean_name(name)
    if new in besides and _has_columns(inputs, axis):
        raise Refused(_taken(inputs, axis, new))
    return new


def _taken(inputs: Inputs, axis: str, name: str) -> str:
    return f"the name '{name}' is there already; every {inputs.axes[axis].title} needs one of its own"


def _has_columns(inputs: Inputs, axis: str) -> bool:
    """Whether an axis names the columns of some matrix, the dimensions of vectors."""
    return any(matrix.columns == axis for matrix in inputs.matrices.values())


def insert(inputs: Inputs, axis: str, position: int, name: str) -> Inputs:
    """The inputs with one name more on an axis, and zeros in every matrix that has the axis.

    Raises Refused for a bad name and beyond most_names.
    """
    old = inputs.axes[axis]
    new = _free_name(inputs, axis, name, besides=old.names)
    if len(old.names) >= most_names(inputs, axis):
        raise Refused(f"there are {len(old.names)} already, which is as many as this page can show")

    def grow(axis: Axis) -> Axis:
        names = (*axis.names[:position], new, *axis.names[position:])
        return replace(axis, names=names, origins=(*axis.origins[:position], None, *axis.origins[position:]))

    return _resize(inputs, axis, grow, lambda values, side: np.insert(values, position, 0.0, axis=side))


def remove(inputs: Inputs, axis: str, position: int) -> Inputs:
    """The inputs without one name of an axis. Raises Refused for the last one."""
    if len(inputs.axes[axis].names) == 1:
        raise Refused("the last one has to stay: attention needs at least one of each")

    def shrink(axis: Axis) -> Axis:
        return replace(
            axis,
            names=axis.names[:position] + axis.names[position + 1 :],
            origins=axis.origins[:position] + axis.origins[position + 1 :],
        )

    return _resize(inputs, axis, shrink, lambda values, side: np.delete(values, position, axis=side))


def reorder(inputs: Inputs, axis: str, order: Sequence[int]) -> Inputs:
    """The inputs with the names of an axis, and of those that follow it, in another order."""

    def reordered(axis: Axis) -> Axis:
        names = tuple(axis.names[i] for i in order)
        return replace(axis, names=names, origins=tuple(axis.origins[i] for i in order))

    return _resize(inputs, axis, reordered, lambda values, side: np.take(values, order, axis=side))


def set_matrix(inputs: Inputs, name: str, values: Array) -> Inputs:
    """The inputs with other numbers, of the same shape, in one matrix."""
    return replace(inputs, matrices={**inputs.matrices, name: replace(inputs.matrices[name], values=values)})


def _resize(
    inputs: Inputs, axis: str, new_axis: Callable[[Axis], Axis], new_values: Callable[[Array, int], Array]
) -> Inputs:
    touched = {axis} | {name for name, other in inputs.axes.items() if other.follows == axis}
    axes = {name: new_axis(old) if name in touched else old for name, old in inputs.axes.items()}
    matrices = {}
    for name, matrix in inputs.matrices.items():
        values = matrix.values
        for side, along in enumerate((matrix.rows, matrix.columns)):
            if along in touched:
                values = new_values(values, side)
        matrices[name] = replace(matrix, values=values)
    return Inputs(axes, matrices)


@dataclass(frozen=True)
class Change:
    """One difference from the preset: a name of an axis, or a cell of a matrix, whose place is a user's text.

    old is None for what was added, new for what was removed.
    """

    where: str  # the title of an axis, or the matrix
    cell: str | None  # None of a name
    old: str | None
    new: str | None


def changes(preset: Inputs, now: Inputs) -> Iterator[Change]:
    """What has been edited, in the order of the page: names first, then cells, row by row."""
    yield from _changed_names(preset, now)
    for name, matrix in now.matrices.items():
        rows, columns = now.axes[matrix.rows], now.axes[matrix.columns]
        old_values = _old_values(preset, now, name)
        for i, j in np.argwhere(matrix.values != old_values):
            place = f"{rows.titles[i]}, {columns.titles[j]}"
            yield Change(name, place, cell_text(old_values[i, j]), cell_text(matrix.values[i, j]))


def count_changes(preset: Inputs, now: Inputs) -> int:
    """How many there are, which takes far less than to write them."""
    cells = [matrix.values != _old_values(preset, now, name) for name, matrix in now.matrices.items()]
    return len(_changed_names(preset, now)) + sum(int(np.count_nonzero(changed)) for changed in cells)


def _changed_names(preset: Inputs, now: Inputs) -> list[Change]:
    found = []
    for axis_id, axis in now.axes.items():
        if axis is preset.axes[axis_id]:
            continue
        before = preset.axes[axis_id].names
        if axis.follows is None:
            gone = sorted(set(range(len(before))) - set(axis.origins))
            found += [Change(axis.title, None, before[origin], None) for origin in gone]
        for name, origin in zip(axis.names, axis.origins, strict=True):
            old = None if origin is None else before[origin]
            if name != old and not (origin is None and axis.follows):
                found.append(Change(axis.title, None, old, name))
    return found


def _old_values(preset: Inputs, now: Inputs, name: str) -> Array:
    """The preset's numbers of a matrix in today's places: the very same where nothing of it was edited."""
    matrix = now.matrices[name]
    if now.shares(name, preset):
        return matrix.values
    origins = (now.axes[side].origins for side in (matrix.rows, matrix.columns))
    return at_origins(preset.matrices[name].values, *origins)


def at_origins(before: Array, rows: tuple[int | None, ...], columns: tuple[int | None, ...]) -> Array:
    """The preset's numbers in today's places, and the zeros that new rows and columns began with."""
    if (rows, columns) == tuple(tuple(range(side)) for side in before.shape):
        return before.copy()
    values = before[np.ix_([row or 0 for row in rows], [column or 0 for column in columns])]
    values[[row is None for row in rows], :] = 0
    values[:, [column is None for column in columns]] = 0
    return values
