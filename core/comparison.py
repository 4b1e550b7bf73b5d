"""Two attentions over the same tokens: what an edit moved, or what is different from one that was kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.matrices import Axis, Inputs
from core.stages import Attention, StageName, magnitude, stage, stage_names
from core.tolerances import ADDED_ROUNDINGS


@dataclass(frozen=True)
class Move:
    """One number before and after, and the names of its row and its column, told apart."""

    row: str
    column: str
    before: float
    now: float


@dataclass(frozen=True)
class NamesMoved:
    """The names along one side of matrices that are gone and that came, and how many there were and are."""

    title: str
    sizes: tuple[int, int]
    gone: tuple[str, ...]
    come: tuple[str, ...]


def moved_weights(before: Attention, now: Attention, most: int = 3) -> list[Move]:
    """The weights that changed the most, the largest change first; a tiny weight moves by a tiny change.

    One that was not a number and is one, or the other way round, has changed more than any other.
    """
    old, new = before.steps.weights, now.steps.weights
    changes = np.nan_to_num(np.abs(new - old))
    changes[changes <= ADDED_ROUNDINGS * np.nan_to_num(np.maximum(old, new))] = 0
    changes[np.isnan(old) != np.isnan(new)] = np.inf
    largest = np.argsort(-changes, axis=None, kind="stable")[:most]
    places = [divmod(int(place), new.shape[1]) for place in largest]
    return [
        Move(now.query_titles[i], now.key_titles[j], float(old[i, j]), float(new[i, j]))
        for i, j in places
        if changes[i, j]
    ]


def moved_outputs(before: Attention, now: Attention) -> bool:
    """Whether any output changed."""
    old, new = before.steps.output, now.steps.output
    if old is None or new is None:
        return False
    rounding = ADDED_ROUNDINGS * max(magnitude(old), magnitude(new))
    return bool(((np.abs(new - old) > rounding) | (np.isnan(old) != np.isnan(new))).any())


def moved_alone(before: Attention, now: Attention) -> str | None:
    """The query whose scores are the only ones that changed, if it sees a single key; else None."""
    rows = np.flatnonzero((now.steps.scores != before.steps.scores).any(axis=1)).tolist()
    if len(rows) != 1 or (~now.steps.hidden[rows[0]]).sum() != 1:
        return None
    return now.query_titles[rows[0]]


def moved_cells(before: Inputs, now: Inputs) -> list[tuple[str, Move]]:
    """The cells of the inputs that changed, each behind the name of its matrix; sizes must be the same."""
    found = []
    for name, matrix in now.matrices.items():
        rows, columns = now.row_titles(name), now.column_titles(name)
        old = before.matrices[name].values
        for i, j in np.argwhere(old != matrix.values):
            move = Move(rows[i], columns[j], float(old[i, j]), float(matrix.values[i, j]))
            found.append((name, move))
    return found


def moved_names(before: Inputs, now: Inputs) -> list[NamesMoved]:
    """The sides whose names changed; one that only gained and lost rows with another is told of with that."""
    found = []
    for id, axis in now.axes.items():
        old = before.axes[id]
        went_along = axis.follows is not None and len(axis.names) != len(old.names)
        if axis.names != old.names and not went_along:
            sizes = len(old.names), len(axis.names)
            found.append(NamesMoved(axis.title, sizes, _lost(old, axis), _lost(axis, old)))
    return found


def _lost(axis: Axis, other: Axis) -> tuple[str, ...]:
    """The names of an axis that the other one lacks; of one that several have, those that went or changed."""
    lost = Counter(axis.names) - Counter(other.names)
    there = {
        (name, origin) for name, origin in zip(other.names, other.origins, strict=True) if origin is not None
    }
    named = zip(axis.names, axis.titles, axis.origins, strict=True)
    return tuple(title for name, title, origin in named if name in lost and (name, origin) not in there)


def moved_numbers(before: Inputs, now: Inputs) -> int:
    """How many numbers are others than before, whatever their sizes and names; one that is new was 0."""
    count = 0
    for name, matrix in now.matrices.items():
        sides = [_in_both(before.axes[side], now.axes[side]) for side in (matrix.rows, matrix.columns)]
        (old_rows, rows), (old_columns, columns) = sides
        was = np.zeros_like(matrix.values)
        was[np.ix_(rows, columns)] = before.matrices[name].values[np.ix_(old_rows, old_columns)]
        count += int((was != matrix.values).sum())
    return count


def _in_both(before: Axis, now: Axis) -> tuple[list[int], list[int]]:
    """Where those of an axis's names that it had before stood, and where they stand."""
    stood = {origin: place for place, origin in enumerate(before.origins) if origin is not None}
    stand = {stood[origin]: place for place, origin in enumerate(now.origins) if origin in stood}
    return list(stand), list(stand.values())


def same_sizes(before: Inputs, now: Inputs) -> bool:
    """Whether every matrix of one has the shape that it has in the other."""
    shapes = [{name: m.values.shape for name, m in inputs.matrices.items()} for inputs in (before, now)]
    return shapes[0] == shapes[1]


def same_names(before: Inputs, now: Inputs) -> bool:
    """Whether every matrix of one has the rows and columns that it has in the other."""
    names = [
        {name: (inputs.row_names(name), inputs.column_names(name)) for name in inputs.matrices}
        for inputs in (before, now)
    ]
    return names[0] == names[1]


def comparable(before: Attention, now: Attention, name: StageName) -> bool:
    """Whether both have this stage, for the same tokens and of the same size."""
    if not all(name in stage_names(attention.inputs) for attention in (before, now)):
        return False
    old, new = stage(before, name), stage(now, name)
    return (old.rows, old.columns) == (new.rows, new.columns)
