"""What makes a page different from its example <-> the text that a link holds.

A text is the version, then JSON, deflated, and its checksum, in the 64 signs that a link may hold as they
are. What comes from a link is checked as strictly as a file: it may be cut, forged, or made for an example
that has changed since.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.attention import Array
from core.caching import cached
from core.matrices import (
    LARGEST_NUMBER,
    Axis,
    Inputs,
    Matrix,
    Refused,
    at_origins,
    is_name,
    most_names,
    number_text,
)

VERSION = "1"
LONGEST_LINK = 6000  # characters; mail programs and learning platforms cut longer ones
LONGEST_EDITS = 5400  # of these, for edits and A, which leaves room for the address and for what widgets hold
MOST_BYTES = 400_000  # that a link may hold when it is inflated

Content = dict[str, Any]  # as json knows it


class BadLink(ValueError):
    """A text that cannot be used, with the reason as a clause: it ..."""


CHANGED = "it was cut or changed on its way"
OUTDATED = "it is of another page, or its example has changed since it was made"


def holds_little(text: str, brackets: int, commas: int) -> bool:
    """Whether JSON holds so few lists and values: they take a hundred times the room of their text."""
    return text.count("[") + text.count("{") <= brackets and text.count(",") <= commas


def pack(content: Content) -> str:
    """Content as the text of a link: letters, digits, - and _."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    deflated = zlib.compress(text, level=9, wbits=-15) + zlib.crc32(text).to_bytes(4)
    return VERSION + base64.urlsafe_b64encode(deflated).decode().rstrip("=")


def unpack(text: str) -> Content:
    """The content of a link's text. Raises BadLink."""
    if len(text) > LONGEST_LINK:
        raise BadLink(f"it has {len(text):,} characters; at most {LONGEST_LINK:,} can be used")
    if VERSION < text[:1] <= "9":
        raise BadLink("it was made by a newer version of this app")
    if text[:1] != VERSION:
        raise BadLink(CHANGED)
    try:
        deflated = base64.b64decode(text[1:] + "=" * (-len(text[1:]) % 4), altchars="-_", validate=True)
        inflating = zlib.decompressobj(wbits=-15)
        inflated = inflating.decompress(deflated, MOST_BYTES)
        if not inflating.eof or inflating.unused_data != zlib.crc32(inflated).to_bytes(4):
            raise BadLink(CHANGED)
        content = json.loads(inflated.decode())
    except (zlib.error, ValueError, RecursionError):
        raise BadLink(CHANGED) from None
    if not isinstance(content, dict):
        raise BadLink(CHANGED)
    return content


@cached
def edits_of(example: Inputs, now: Inputs) -> Content:
    """What is different from the example, empty where nothing is.

    axes holds, name by name, the place in the example, or that and a new name, or the name alone of what was
    added. cells holds the changed numbers by their places, all of a matrix's where most are changed. check
    is a checksum of the whole, so that a link gives back what it was copied from, or says that it cannot.
    """
    if now.same_as(example):
        return {}
    axes = {name: _names(example.axes[name], axis) for name, axis in now.axes.items()}
    cells = {name: _cells(example, now, name) for name in now.matrices}
    content: Content = {
        "axes": {
            name: names for name, names in axes.items() if names != [*range(len(example.axes[name].names))]
        },
        "cells": {name: numbers for name, numbers in cells.items() if numbers},
        "check": checksum(now),
    }
    return {name: part for name, part in content.items() if part}


def with_edits(example: Inputs, edits: Content) -> Inputs:
    """The example with the edits of a link. Raises BadLink."""
    if not edits:
        return example
    try:
        axes = {
            name: _axis(axis, edits.get("axes", {}).get(name), most_names(example, name))
            for name, axis in example.axes.items()
        }
        _check_axes(example, axes)
        now = Inputs(axes, {name: _matrix(example, axes, name, edits) for name in example.matrices})
        right = edits["check"] == checksum(now)
    except (Refused, AttributeError, LookupError, OverflowError, TypeError, ValueError):
        raise BadLink(CHANGED) from None
    if not right:
        raise BadLink(OUTDATED)
    return now


def checksum(inputs: Inputs) -> int:
    """A number that the names, where they began, and the numbers give, and others hardly ever."""
    names = [(id, axis.names, axis.origins) for id, axis in sorted(inputs.axes.items())]
    total = zlib.crc32(json.dumps(names).encode())
    for name, matrix in sorted(inputs.matrices.items()):
        total = zlib.crc32(name.encode() + (matrix.values + 0.0).astype("<f8").tobytes(), total)  # -0 as 0
    return total


def _names(before: Axis, now: Axis) -> list[Any]:
    """Every name of a side, as edits_of describes it."""
    return [
        name if origin is None else origin if name == before.names[origin] else [origin, name]
        for name, origin in zip(now.names, now.origins, strict=True)
    ]


def _cells(example: Inputs, now: Inputs, name: str) -> list[Any]:
    """The changed numbers as [place, number] pairs; or all of them, row by row, where most are changed."""
    if now.shares(name, example):
        return []
    matrix = now.matrices[name]
    changed = np.flatnonzero(matrix.values != _before(example, now.axes, name))
    if 2 * len(changed) > matrix.values.size:
        return [_number(number) for number in matrix.values.ravel().tolist()]
    return [[int(place), _number(matrix.values.flat[place])] for place in changed]


def _number(number: Any) -> int | float:
    """The number as the shortest text that json reads back as the same."""
    shortest: int | float = json.loads(number_text(number))
    return shortest


def _before(example: Inputs, axes: Mapping[str, Axis], name: str) -> Array:
    """A matrix of the example with today's rows and columns."""
    matrix = example.matrices[name]
    return at_origins(matrix.values, axes[matrix.rows].origins, axes[matrix.columns].origins)


def _axis(before: Axis, given: Sequence[Any] | None, most: int) -> Axis:
    if given is None:
        return before
    if not isinstance(given, list) or not 1 <= len(given) <= most:
        raise BadLink(CHANGED)
    entries = [_entry(before, entry) for entry in given]
    names, origins = (tuple(part) for part in zip(*entries, strict=True))
    known = [origin for origin in origins if origin is not None]
    if known != sorted(set(known)):
        raise BadLink(CHANGED)
    return replace(before, names=names, origins=origins)


def _entry(before: Axis, entry: Any) -> tuple[str, int | None]:
    """A name, and its place in the example or None, as edits_of writes them."""
    if isinstance(entry, str):
        name, origin = entry, None
    else:
        origin, *new = entry if isinstance(entry, list) else [entry]
        if type(origin) is not int or not 0 <= origin < len(before.names) or len(new) > 1:
            raise BadLink(CHANGED)
        name = new[0] if new else before.names[origin]
    if not is_name(name):
        raise BadLink(CHANGED)
    return name, origin


def _check_axes(example: Inputs, axes: Mapping[str, Axis]) -> None:
    """Sides that follow others go along with them, and no two dimensions have the same name."""
    for axis in axes.values():
        if axis.follows is not None and axis.origins != axes[axis.follows].origins:
            raise BadLink(CHANGED)
    for matrix in example.matrices.values():
        names = axes[matrix.columns].names
        if len(set(names)) < len(names):
            raise BadLink(CHANGED)


def _matrix(example: Inputs, axes: Mapping[str, Axis], name: str, edits: Content) -> Matrix:
    values = _before(example, axes, name)
    given = edits.get("cells", {}).get(name, [])
    if given and isinstance(given[0], list):
        for place, number in given:
            if type(place) is not int or place < 0:
                raise BadLink(CHANGED)
            values.flat[place] = _checked(number)
    elif given:
        values = np.array([_checked(number) for number in given], float).reshape(values.shape)
    return replace(example.matrices[name], values=values)


def _checked(number: Any) -> float:
    if type(number) not in (int, float) or not abs(number) <= LARGEST_NUMBER:
        raise BadLink(CHANGED)
    return float(number)
