"""Whom a page waits for, and when all wait; tests/server/test_crowd.py has a class that opens pages."""

import gc
from itertools import pairwise

import pyarrow as pa
import pytest

from core.caching import SMALL_SIDE
from core.recipes import Recipe, content_of
from core.sharing import pack
from core.ui import crowd, fragments
from core.ui.crowd import PAGES_TO_A_COLLECTION, one_page_at_a_time, one_part_at_a_time, part_is_drawn
from tests.app.screens import numbers, open_page

MANY = tuple(f"t{number}" for number in range(SMALL_SIDE + 1))


def test_a_page_of_large_matrices_neither_waits_for_others_nor_has_them_wait():
    with one_part_at_a_time:  # somebody else's part, as this page is drawn by another thread
        app = open_page("your_vectors", edits=pack({"start": content_of(Recipe(tokens=MANY))}))
    assert numbers(app).shape == (SMALL_SIDE + 1, SMALL_SIDE + 1)


@pytest.fixture
def whole_collections():
    """The pages that had been drawn at each collection among all objects, but for that of the first page."""
    with one_page_at_a_time():
        pass
    drawn, at = [0], []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            at.append(drawn[0])

    gc.callbacks.append(note)
    yield drawn, at
    gc.callbacks.remove(note)


def test_garbage_is_looked_for_among_all_objects_once_in_so_many_pages_and_never_in_between(
    whole_collections,
):
    drawn, at = whole_collections
    for _ in range(3 * PAGES_TO_A_COLLECTION):
        drawn[0] += 1
        with one_page_at_a_time():
            kept = [[] for _ in range(10_000)]
    assert len(kept) == 10_000
    assert len(at) == 3
    assert {later - sooner for sooner, later in pairwise(at)} == {PAGES_TO_A_COLLECTION}


def test_a_class_that_clicks_and_opens_no_page_leaves_no_garbage_for_good(monkeypatch, whole_collections):
    monkeypatch.setattr(crowd, "PARTS_TO_A_COLLECTION", 40)
    drawn, at = whole_collections
    for _ in range(3 * 40):
        drawn[0] += 1
        part_is_drawn()
    assert len(at) == 3
    assert {later - sooner for sooner, later in pairwise(at)} == {40}


def test_every_part_that_is_drawn_counts_also_one_of_large_matrices(monkeypatch):
    parts = []
    monkeypatch.setattr(fragments, "part_is_drawn", lambda: parts.append(1))
    app = open_page("emma_sentence")
    small = len(parts)
    assert small >= 10
    app.toggle(key="scale").set_value(False).run()
    assert len(parts) > small
    parts.clear()
    open_page("your_vectors", edits=pack({"start": content_of(Recipe(tokens=MANY))}))
    assert len(parts) >= 10


def test_garbage_is_not_looked_for_in_the_program_itself():
    with one_page_at_a_time():
        pass
    assert not any(found is vars(crowd) for found in gc.get_objects())
    assert gc.get_freeze_count() > 100_000


def test_arrow_takes_its_memory_from_the_heap_of_all():
    assert pa.default_memory_pool().backend_name == "system"


def test_a_page_that_fails_has_nobody_wait():
    with pytest.raises(ZeroDivisionError), one_page_at_a_time():
        1 / 0  # noqa: B018
    with one_page_at_a_time():
        pass
