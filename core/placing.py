"""A table that was loaded put in the place of a matrix of a page, and what has to follow it.

The matrices of a page share their sides: queries and keys have one width d_k, keys and values one number of
rows. A table of another size either changes those sides for all, or is cut and filled up to the present size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Literal

import numpy as np

from core.csv_files import Table
from core.matrices import Inputs, Refused, insert, most_names, remove, set_matrix, set_names

Side = Literal["rows", "columns"]
SIDES: tuple[Side, Side] = ("rows", "columns")


def in_order_of_page(inputs: Inputs, matrix: str, table: Table) -> Table:
    """The table with its rows and columns in the order in which the other matrices have the same names."""
    by_rows = _order(inputs, matrix, "rows", table.rows)
    by_columns = _order(inputs, matrix, "columns", table.columns)
    if by_rows:
        table = replace(table, values=table.values[by_rows], rows=tuple(table.rows[i] for i in by_rows))
    if by_columns:
        columns = tuple(table.columns[i] for i in by_columns)
        table = replace(table, values=table.values[:, by_columns], columns=columns)
    return table


def _order(inputs: Inputs, matrix: str, side: Side, names: tuple[str, ...]) -> list[int]:
    """Where each name of the page is in a table; empty where it has others, or one twice, or is alone."""
    present = inputs.axes[_axis(inputs, matrix, side)].names
    is_other_order = names != present and sorted(names) == sorted(present) and len(set(names)) == len(names)
    return [names.index(name) for name in present] if is_other_order and _others(inputs, matrix, side) else []


def misfits(inputs: Inputs, matrix: str, table: Table) -> list[str]:
    """Why a table does not fit the other matrices, in terms of attention; none where it fits, or is alone."""
    found = []
    for side, size in zip(SIDES, table.values.shape, strict=True):
        present = len(inputs.axes[_axis(inputs, matrix, side)].names)
        others = _others(inputs, matrix, side)
        if size != present and others:
            rule = _rule(inputs, matrix, side, others)
            have = "has" if len(others) == 1 and others[0].startswith("W_") else "have"
            sizes = f"the file has {size}, {_and(others)} {have} {present}"
            found.append(f"{rule[0].upper()}{rule[1:]}: {sizes}.")
    return found


def place_whole(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    """The inputs with the table as it is; its sides grow, by zeros, or shrink in all other matrices.

    Raises Refused beyond the sizes that a page can show, and for names as place_cut does.
    """
    for side, size in zip(SIDES, table.values.shape, strict=True):
        inputs = _resized(inputs, _leader(inputs, matrix, side), size, side)
    return place_cut(inputs, matrix, table)


def place_cut(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    """The inputs in their present sizes: of the table what fits, and zeros where it has nothing.

    Raises Refused where two dimensions would have the same name.
    """
    values = np.zeros_like(inputs.matrices[matrix].values)
    rows, columns = map(min, values.shape, table.values.shape)
    values[:rows, :columns] = table.values[:rows, :columns]
    inputs = set_matrix(inputs, matrix, values)
    for side, names in zip(SIDES, (table.rows, table.columns), strict=True):
        inputs = _named(inputs, _axis(inputs, matrix, side), names)
    return inputs


def _resized(inputs: Inputs, axis: str, size: int, side: Side) -> Inputs:
    """The inputs with a side of another size, in every matrix that has it."""
    most = most_names(inputs, axis)
    if size > most:
        raise Refused(f"the file has {size} {side}; at most {most} fit here")
    for position in range(len(inputs.axes[axis].names), size):
        inputs = insert(inputs, axis, position, _new_name(inputs, axis, position, inputs.axes[axis].names))
    for position in reversed(range(size, len(inputs.axes[axis].names))):
        inputs = remove(inputs, axis, position)
    return inputs


def _named(inputs: Inputs, axis: str, names: Sequence[str]) -> Inputs:
    """The inputs with the names of a file on a side, as far as both go; those that stay remain different."""
    present = inputs.axes[axis].names
    named = list(names[: len(present)])
    for position, name in enumerate(present[len(named) :], start=len(named)):
        named.append(_new_name(inputs, axis, position, [*named, *present]) if name in names else name)
    return set_names(inputs, axis, named)


def _new_name(inputs: Inputs, axis: str, position: int, taken: Sequence[str]) -> str:
    """A name that nothing on this side has yet: what it names, and a number, first that of its position."""
    title = inputs.axes[axis].title
    return next(name for number in count(position + 1) if (name := f"{title} {number}") not in taken)


def _axis(inputs: Inputs, matrix: str, side: Side) -> str:
    name: str = getattr(inputs.matrices[matrix], side)
    return name


def _leader(inputs: Inputs, matrix: str, side: Side) -> str:
    """The axis that grows and shrinks with a side."""
    axis = _axis(inputs, matrix, side)
    return inputs.axes[axis].follows or axis


def _others(inputs: Inputs, matrix: str, side: Side) -> list[str]:
    """The other matrices that have this side."""
    leader = _leader(inputs, matrix, side)
    return [
        name
        for name in inputs.matrices
        if name != matrix and any(_leader(inputs, name, other) == leader for other in SIDES)
    ]


def _rule(inputs: Inputs, matrix: str, side: Side, others: list[str]) -> str:
    """What attention needs of a side that several matrices have."""
    all_of_them = [name for name in inputs.matrices if name in (matrix, *others)]
    if "embeddings" in all_of_them:
        return "Each W needs one row for each column of the embeddings X, d_model"
    if side == "columns":
        return f"{_and(all_of_them)} need the same number of columns, d_k"
    title = inputs.axes[_leader(inputs, matrix, side)].title
    return f"{_and(all_of_them)} need the same number of rows, one for each {title}"


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
