"""A table that was loaded put in the place of a matrix of a page, and what has to follow it.

The matrices of a page share their sides: queries and keys have one width d_k, keys and values one number of
rows. A table of another size either changes those sides for all, or is cut and filled up to the present size.
Where it has the names of the page, each row goes to its name, so that the other matrices go on fitting it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

import numpy as np

from core.csv_files import Table
from core.markdown import enumerated
from core.matching import places_of
from core.matrices import Inputs, Refused, insert, most_names, numbered_anew, remove, set_matrix, set_names
from core.stages import WEIGHT_MATRICES

Side = Literal["rows", "columns"]
SIDES: tuple[Side, Side] = ("rows", "columns")


@dataclass
class NameChanges:
    """Names that got others, that are gone, that are new, and those of a side in another order."""

    renamed: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)


def is_table_turned(inputs: Inputs, matrix: str, table: Table) -> bool | None:
    """Whether the rows of a table are the columns of a matrix, as its names tell; None where they do not."""
    rows, columns = (_present(inputs, matrix, side) for side in SIDES)
    if _knows(table.rows, rows) or _knows(table.columns, columns):
        return False
    if _knows(table.rows, columns) or _knows(table.columns, rows):
        return True
    return None


def _knows(names: tuple[str, ...], present: tuple[str, ...]) -> bool:
    return any(place is not None for place in places_of(names, present))


def in_order_of_page(inputs: Inputs, matrix: str, table: Table) -> Table:
    """The table with its rows and columns in the order in which the other matrices have the same names."""
    for side in SIDES:
        places, present = _places(inputs, matrix, side, table), _present(inputs, matrix, side)
        if _are_all(places, present) and places != [*range(len(present))]:
            table = _taken(table, side, [places.index(place) for place in range(len(present))])
    return table


def name_changes(
    inputs: Inputs, matrix: str, table: Table, place: Callable[[Inputs, str, Table], Inputs]
) -> NameChanges:
    """What becomes of the names where place_whole() or place_cut() puts a table in; raises what they do.

    One that several tokens have is told with its number.
    """
    found, start = NameChanges(), numbered_anew(inputs)
    for id, now in place(start, matrix, table).axes.items():
        before = start.axes[id]
        if now.names != before.names and sorted(now.names) == sorted(before.names):
            found.reordered += now.names
            continue
        for name, title, origin in zip(now.names, now.titles, now.origins, strict=True):
            if origin is None:
                found.new.append(title)
            elif name != before.names[origin]:
                found.renamed.append((before.titles[origin], title))
        found.removed += [title for place, title in enumerate(before.titles) if place not in now.origins]
    return found


def _taken(table: Table, side: Side, order: Sequence[int | None], others: Sequence[str] = ()) -> Table:
    """A table with the rows or columns of an order: None is one of zeros, with its name among the others."""
    values, names = np.moveaxis(table.values, SIDES.index(side), 0), getattr(table, side)
    taken = np.array([np.zeros_like(values[0]) if i is None else values[i] for i in order])
    named = tuple(others[place] if i is None else names[i] for place, i in enumerate(order))
    taken = np.moveaxis(taken, 0, SIDES.index(side))
    return replace(table, values=taken, **{side: named})


def _places(inputs: Inputs, matrix: str, side: Side, table: Table) -> list[int | None]:
    """As places_of(), of a side of a table; empty where no other matrix has this side."""
    names = getattr(table, side)
    return places_of(names, _present(inputs, matrix, side)) if _others(inputs, matrix, side) else []


def _are_all(places: Sequence[int | None], present: tuple[str, ...]) -> bool:
    """Whether a table has every name of the page, and no other."""
    return None not in places and len(places) == len(present)


def _present(inputs: Inputs, matrix: str, side: Side) -> tuple[str, ...]:
    return inputs.axes[_axis(inputs, matrix, side)].names


def misfits(inputs: Inputs, matrix: str, table: Table) -> list[str]:
    """Why a table does not fit the other matrices, in terms of attention; none where it fits, or is alone."""
    found = []
    for side, size in zip(SIDES, table.values.shape, strict=True):
        present = len(inputs.axes[_axis(inputs, matrix, side)].names)
        others = _others(inputs, matrix, side)
        if size != present and others:
            rule = _rule(inputs, matrix, side, others)
            have = "has" if len(others) == 1 and others[0] in WEIGHT_MATRICES else "have"
            sizes = f"the table has {size}, {enumerated(others)} {have} {present}"
            found.append(f"{rule[0].upper()}{rule[1:]}: {sizes}.")
    return found


def place_whole(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    """The inputs with the table as it is; its sides grow, by zeros, or shrink in all other matrices.

    Where most names are the page's, those that the table does not have go, and new ones come, each behind the
    one that it follows in the table. Raises Refused beyond the sizes that a page can show, and for names as
    place_cut does.
    """
    for side in SIDES:
        inputs, table = _with_names_of(inputs, matrix, side, table)
    for side, size in zip(SIDES, table.values.shape, strict=True):
        inputs = _resized(inputs, _leader(inputs, matrix, side), size, side)
    return _filled(inputs, matrix, table)


def place_cut(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    """The inputs in their present sizes: of the table what fits, and zeros where it has nothing.

    Where most names are the page's, those are kept. Raises Refused where two dimensions would have one name.
    """
    for side in SIDES:
        places, present = _places(inputs, matrix, side, table), _present(inputs, matrix, side)
        if places and not _are_all(places, present):
            order = [places.index(place) if place in places else None for place in range(len(present))]
            table = _taken(table, side, order, present)
    return _filled(inputs, matrix, table)


def _with_names_of(inputs: Inputs, matrix: str, side: Side, table: Table) -> tuple[Inputs, Table]:
    """The inputs with those names on a side that a table has, and the table in the order that both then have.

    A side without most of the page's names stays as it is.
    """
    places, axis = _places(inputs, matrix, side, table), _leader(inputs, matrix, side)
    known = [place for place in places if place is not None]
    are_all = _are_all(places, _present(inputs, matrix, side))
    if not known or are_all or len(places) > most_names(inputs, axis):
        return inputs, table
    order = [places.index(place) for place in sorted(known)]
    for i, place in enumerate(places):
        if place is None:
            order.insert(order.index(i - 1) + 1 if i else 0, i)
    for place in reversed(range(len(inputs.axes[axis].names))):
        if place not in known:
            inputs = remove(inputs, axis, place)
    for position, i in enumerate(order):
        if places[i] is None:
            name = getattr(table, side)[i]
            present = inputs.axes[axis].names
            if axis != _axis(inputs, matrix, side) or name in present:
                name = _new_name(inputs, axis, position, present)
            inputs = insert(inputs, axis, position, name)
    return inputs, _taken(table, side, order)


def _filled(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    """The inputs with a table from the first row and column on, and its names as far as they go."""
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
        raise Refused(f"the table has {size} {side}; at most {most} fit here")
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
        return f"{enumerated(all_of_them)} need the same number of columns, dₖ"
    title = inputs.axes[_leader(inputs, matrix, side)].title
    return f"{enumerated(all_of_them)} need the same number of rows, one for each {title}"
