"""Which name of a table is which of a page, where most are the same."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

ALIKE = 0.75  # of two names' letters, so that one may be the other with a slip
MOST_COMPARED = 400  # pairs of names, letter by letter: where more are left over, they are no slips


def places_of(names: tuple[str, ...], present: tuple[str, ...]) -> list[int | None]:
    """The place of each name among those that are present, None for a new one.

    Capitals and slips do not count, and one that follows the same name as another did is in its place. Empty
    where less than two thirds of the names are known: then they tell nothing.
    """
    names, present = (tuple(name.casefold() for name in side) for side in (names, present))
    found: list[int | None] = [None] * len(names)
    free = list(range(len(present)))

    def match(i: int, candidates: list[int]) -> None:
        if found[i] is None and candidates:
            found[i] = candidates[0]
            free.remove(candidates[0])

    for i, name in enumerate(names):
        match(i, [place for place in free if place == i and present[place] == name])
    for i, name in enumerate(names):
        match(i, [place for place in free if present[place] == name])
    if 3 * found.count(None) <= len(names) and found.count(None) * len(free) <= MOST_COMPARED:
        for i, name in enumerate(names):
            if found[i] is None:
                match(i, [place for place in free if _are_alike(name, present[place])])
    if 3 * found.count(None) > len(names):
        return []
    for i in range(len(names)):
        before = found[i - 1] if i else -1
        match(i, [place for place in free if before is not None and place == before + 1])
    return found


def _are_alike(one: str, other: str) -> bool:
    """Whether one of two names may be the other with a slip: d1 and d2 are not."""
    if re.sub(r"\d", "", one) == re.sub(r"\d", "", other):
        return False
    letters = SequenceMatcher(None, one, other)
    return letters.quick_ratio() >= ALIKE and letters.ratio() >= ALIKE  # the first is never less, and quick


def missing_names(names: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    """Those of names that are not among others, each as often as it is missing; capitals do not count."""
    found, missing = [name.casefold() for name in others], []
    for name in names:
        if name.casefold() in found:
            found.remove(name.casefold())
        else:
            missing.append(name)
    return missing
