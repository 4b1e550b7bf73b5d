"""Which name of a table is which of a page, where most are the same; and which names change, come and go."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

ALIKE = 0.75  # of two names' letters, so that one may be the other with a slip


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
    if 3 * found.count(None) <= len(names):
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
    return SequenceMatcher(None, one, other).ratio() >= ALIKE


@dataclass
class ChangedNames:
    """Names that others take the place of, that are gone, and that are new."""

    renamed: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def changed_names(before: tuple[str, ...], now: tuple[str, ...]) -> ChangedNames:
    """What became of names: where most stay in order, which came and went; else one after the other."""
    changed, places = ChangedNames(), [place for place in places_of(now, before) if place is not None]
    stay = bool(places) and places == sorted(places)
    opcodes = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
    for tag, *ends in opcodes if stay else [("replace", 0, len(before), 0, len(now))]:
        old, new = before[ends[0] : ends[1]], now[ends[2] : ends[3]]
        if tag != "equal":
            changed.renamed += [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
            changed.removed += old[len(new) :]
            changed.new += new[len(old) :]
    return changed


def missing_names(names: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    """Those of names that are not among others, each as often as it is missing; capitals do not count."""
    found, missing = [name.casefold() for name in others], []
    for name in names:
        if name.casefold() in found:
            found.remove(name.casefold())
        else:
            missing.append(name)
    return missing
