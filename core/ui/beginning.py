"""What a lesson begins with, which Reset gives back there.

It is noted when a page is first drawn as its link says, and stands in the link beside what a student has
changed since: so a reload still knows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.lessons import Lesson
from core.presets import YOUR_VECTORS, Preset, every_preset
from core.recipes import Recipe
from core.sharing import CHANGED, LONGEST_EDITS, BadLink, pack, unpack
from core.snapshots import Snapshot, content_of_snapshot, snapshot_of
from core.ui.page import Page
from core.ui.state import BEGINNINGS, BEGINS, tell_of_link

EXAMPLE = "example"  # as it opens: what the link says where nothing else is given back
MOST_CHARACTERS = 1500  # of a link, for anything else, which leaves room for edits and A


@dataclass(frozen=True, eq=False)
class Beginning:
    """What the link says of it; and numbers, names and toggles, None for those of the example."""

    text: str
    snapshot: Snapshot | None


THE_EXAMPLE = Beginning(EXAMPLE, None)


def follow(page: Page) -> None:
    """Note what a lesson begins with, and have the link of a page that has changed since say so.

    To be called when all widgets are drawn.
    """
    if page.lesson == Lesson():
        return
    beginnings: dict[str, Beginning] = st.session_state.setdefault(BEGINNINGS, {})
    if page.id not in beginnings:
        said = st.query_params.get(BEGINS, "")
        beginnings[page.id] = _said(said, page.id) if said else as_it_is(page) or THE_EXAMPLE
    began = beginnings[page.id]
    if _is_as_it_began(page, began):
        st.query_params.pop(BEGINS, None)
    elif st.query_params.get(BEGINS) != began.text:
        st.query_params[BEGINS] = began.text


def as_it_is(page: Page) -> Beginning | None:
    """A page as it is now, as what a lesson begins with; None where links have no room for so many edits."""
    if page.worksheet.recipe is None and _is_as_it_began(page, THE_EXAMPLE):
        return THE_EXAMPLE
    snapshot = replace(page.snapshot, only_query=None, what_if=None)
    packed = pack(content_of_snapshot(snapshot))
    return Beginning(packed, snapshot) if len(packed) <= MOST_CHARACTERS else None


def _said(text: str, page: str) -> Beginning:
    """What a link says of it; the example, and a word about it, where that cannot be used."""
    if text == EXAMPLE:
        return THE_EXAMPLE
    try:
        if len(text) > MOST_CHARACTERS:
            raise BadLink(CHANGED)
        snapshot = snapshot_of(unpack(text), every_preset()[0])
        if snapshot.preset.page != page:
            raise BadLink(CHANGED)
    except BadLink as bad:
        tell_of_link(
            f"What Reset is to give back cannot be read in this link: {bad}. It gives back the example."
        )
        return THE_EXAMPLE
    return Beginning(text, snapshot)


def snapshot_for(preset: Preset, recipe: Recipe | None = None) -> Snapshot | None:
    """What an example begins with in a lesson, None where that is as it opens."""
    found = _noted(preset.page)
    return found.snapshot if found and found.snapshot and _is_of(found.snapshot, preset, recipe) else None


def own_vectors() -> Snapshot | None:
    """What one's own vectors begin with in a lesson; None in none, or where its link has no room for them."""
    found = _noted(YOUR_VECTORS)
    return found.snapshot if found else None


def parameters(page: str) -> dict[str, str]:
    """What the link of a page that one comes back to says of it, none where the page is in no lesson."""
    found = _noted(page)
    return {BEGINS: found.text} if found else {}


def room_beside(page: str) -> int:
    """How many characters the link of a page has for its edits and A; the word for the example takes none."""
    found = _noted(page)
    return LONGEST_EDITS - (len(found.text) if found and found.snapshot else 0)


def _is_as_it_began(page: Page, began: Beginning) -> bool:
    """Whether numbers, names and toggles of a page are what Reset would give back."""
    snapshot, preset = began.snapshot, page.preset
    if snapshot and not _is_of(snapshot, preset, page.worksheet.recipe):
        return False
    start, inputs = (snapshot, snapshot.inputs) if snapshot else (preset.start, preset.inputs)
    return (page.scale, page.causal) == (start.scale, start.causal) and page.inputs.same_as(inputs)


def _is_of(snapshot: Snapshot, preset: Preset, recipe: Recipe | None) -> bool:
    return (snapshot.preset.id, snapshot.recipe) == (preset.id, recipe)


def _noted(page: str) -> Beginning | None:
    beginnings: dict[str, Beginning] = st.session_state.get(BEGINNINGS, {})
    return beginnings.get(page)
