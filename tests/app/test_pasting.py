"""A pasted block that the grid has cut, as the browser tells of it: what of it was not used is said."""

import pytest

from core.ui.state import PASTED
from tests.app.screens import numbers, open_page, paste_into, type_into, words

BLOCK = {"matrix": "keys", "row": 7, "column": 4, "rows": 4, "columns": 1}
CUT = (
    "keys: of a pasted block of 4 × 1 cells, 2 × 1 went in at row 'great', column 'Adjective'. "
    "The rest was not used."
)


def told_of(block, **link):
    app = open_page("emma_sentence", **link)
    app.session_state[PASTED] = block
    return app.run()


def test_a_cut_block_is_told_of_until_the_edit_after_the_part_that_fits():
    app = told_of(BLOCK)
    assert [text.value for text in app.text] == [CUT]
    assert "or of another size, is pasted under **Load**" in words(app)
    app = type_into(app, "keys", 7, 3, "2")
    assert numbers(app)[8, 7] == pytest.approx(1.5)
    assert [text.value for text in app.text] == [CUT]
    assert "error: Paste]" in words(app)  # as a part of it is used
    app = type_into(app, "keys", 8, 3, "1")
    assert "not used" not in words(app)
    assert "or of another size" not in words(app)


def test_a_cut_block_that_is_told_of_after_its_part_that_fits_is_so_until_the_next_edit():
    app = type_into(open_page("emma_sentence"), "keys", 7, 3, "2")
    app.session_state[PASTED] = BLOCK | {"is_used": True}
    app.run()
    assert [text.value for text in app.text] == [CUT]
    app = type_into(app, "keys", 8, 3, "1")
    assert "not used" not in words(app)


def test_what_is_typed_and_cannot_be_used_is_told_of_after_a_cut_block():
    app = type_into(told_of(BLOCK | {"is_used": True}), "keys", 8, 3, "one")
    (said,) = [text.value for text in app.text]
    assert said.startswith("keys, row 'friend', column 'Adjective': 'one' is not a number")


def test_undo_takes_back_what_did_fit():
    app = type_into(told_of(BLOCK), "keys", 7, 3, "2")
    app.button(key="undo").click().run()
    assert numbers(app)[8, 7] == pytest.approx(0.7)
    assert "not used" not in words(app)


@pytest.mark.parametrize(
    ("block", "place"),
    [
        (
            {"row": 7, "column": 0, "rows": 3, "columns": 6, "names": ["great", "friend"]},
            "3 × 6 cells, 2 × 4 went in at row 'great', column 'Person'. The rest was not used.",
        ),
        (
            {"row": 0, "column": 1, "rows": 1, "columns": 5},
            "1 × 5 cells, 1 × 4 went in at row 'Emma', column 'Person'.",
        ),
    ],
)
def test_a_block_may_begin_with_the_names(block, place):
    assert f"queries: of a pasted block of {place}" in words(told_of({"matrix": "queries", **block}))


ON_NAMES = "Its first column lies on the names, which are changed under Names and sizes."


@pytest.mark.parametrize(
    ("columns", "names", "end"),
    [
        (3, ["1", "5"], f"2 × 2 went in at row 'great', column 'Person'. {ON_NAMES}"),
        (3, ["great", "Joe"], f"2 × 2 went in at row 'great', column 'Person'. {ON_NAMES}"),
        (1, ["1", "5"], f"none went in. {ON_NAMES}"),
        (6, ["1"], f"2 × 4 went in at row 'great', column 'Person'. The rest was not used. {ON_NAMES}"),
    ],
)
def test_what_is_pasted_over_names_is_told_of(columns, names, end):
    block = {"matrix": "queries", "row": 7, "column": 0, "rows": 2, "columns": columns, "names": names}
    (said,) = [text.value for text in told_of(block).text]
    assert said == f"queries: of a pasted block of 2 × {columns} cells, {end}"


@pytest.mark.parametrize("names", [["great", "friend"], [" great ", ""], [], None, 5, [5], {"great": 1}])
def test_a_block_with_the_names_that_are_there_is_used_without_a_word(names):
    block = {"matrix": "queries", "row": 7, "column": 0, "rows": 2, "columns": 5, "names": names}
    assert "pasted block" not in words(told_of(block))


def test_a_block_with_names_among_the_numbers_says_where_it_can_be_pasted():
    block = {"matrix": "queries", "row": 0, "column": 1, "rows": 10, "columns": 5, "named": True}
    (said,) = [text.value for text in told_of(block).text]
    assert said == (
        "queries: a pasted block of 10 × 5 cells begins with names, which moved its numbers. "
        "Undo it, and paste it under Load."
    )


def test_in_c_x_t_rows_are_dimensions():
    block = {"matrix": "queries", "row": 3, "column": 9, "rows": 2, "columns": 1}
    said = words(told_of(block, layout="C x T"))
    assert "2 × 1 cells, 1 × 1 went in at row 'Adjective', column 'friend'." in said


@pytest.mark.parametrize(
    "block",
    [
        *(None, 5, "x", [], {}, {"matrix": "queries"}),
        *(BLOCK | {"matrix": matrix} for matrix in ("values", "<b>", "", None, 5, ["keys"])),
        *(BLOCK | {side: number} for side in ("row", "column") for number in (-1, 9, 1e300, "0", True, None)),
        *(
            BLOCK | {side: number}
            for side in ("rows", "columns")
            for number in (1.5, "2", None, [2], True, 0, -9)
        ),
    ],
)
def test_what_no_browser_says_is_not_told(block):
    app = told_of(block)
    assert len(app.exception) == 0
    assert "pasted block" not in words(app)


def test_the_line_below_the_title_is_about_what_was_typed_last():
    app = type_into(open_page("emma_sentence"), "queries", 5, 0, "five")
    app = type_into(app, "queries", 0, 0, "one")
    assert [text.value[:46] for text in app.text] == ["queries, row 'Emma', column 'Person': 'one' is"]
    app = type_into(app, "queries", 8, 0, "2")
    assert not app.text
    assert "**Edit:** queries `friend` `Person` 1 → 2." in words(app)
    assert "2 not used" in words(app)
    app = type_into(app, "queries", 5, 0, "vijf")
    assert [text.value[:44] for text in app.text] == ["queries, row 'is', column 'Person': 'vijf' i"]
    assert "**Edit:**" not in words(app)


def test_beside_a_what_if_the_line_stays_about_the_cell_that_is_not_used():
    app = type_into(open_page("emma_sentence", what_if="softmax over queries"), "queries", 0, 0, "one")
    app = type_into(app, "queries", 8, 0, "2")
    assert [text.value[:46] for text in app.text] == ["queries, row 'Emma', column 'Person': 'one' is"]


def test_a_block_with_one_bad_cell_says_that_the_rest_is_used_and_later_which_cell_is_not():
    app = paste_into(open_page("emma_sentence"), "queries", {(8, 0): "2", (8, 1): "two", (8, 2): "1"})
    assert [text.value[:48] for text in app.text] == ["queries, row 'friend', column 'Animal': 'two' is"]
    assert "All used but this" in words(app)
    assert "2 × 1.2 + 0.9 × 0.8 + 1 × 1 + 1 × 0 = **4.12**" in words(app)
    app = type_into(app, "queries", 0, 0, "one")
    assert "Not used (2)" in words(app)
    app = type_into(app, "queries", 0, 0, "1")
    assert "queries `friend` `Animal` not used" in words(app)
