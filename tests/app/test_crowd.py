"""Whom a part of a page waits for; tests/server/test_crowd.py has a class that opens pages at once."""

from core.keeping import LONGEST
from core.recipes import Recipe, content_of
from core.sharing import pack
from core.ui.crowd import one_part_at_a_time
from tests.app.screens import numbers, open_page


def test_a_page_of_large_matrices_neither_waits_for_others_nor_has_them_wait():
    tokens = tuple(f"t{number}" for number in range(LONGEST + 1))
    with one_part_at_a_time:  # somebody else's part, as this page is drawn by another thread
        app = open_page("your_vectors", edits=pack({"start": content_of(Recipe(tokens=tokens))}))
    assert numbers(app).shape == (LONGEST + 1, LONGEST + 1)
