"""Links for a lesson: nothing answers what comes after its stages, and Reset gives its numbers back."""

from unittest.mock import ANY

import numpy as np
import pytest

from core.sharing import pack
from core.ui.lesson_style import PLACES
from core.what_if import KINDS
from tests.app.screens import (
    cells,
    close_dialog,
    edits_of_length,
    link_in,
    link_of,
    numbers,
    open_page,
    type_into,
    words,
)

FOR_A_LESSON = "For a lesson: hide what it does not need"
HERE = {"query": "1 I", "key": "2 love", "ask": "this number"}
DAMAGED = "The edits in this link cannot be used: it was cut or changed on its way."


def questions(app):
    return app.segmented_control(key="ask").options


def test_answers_stop_at_the_last_stage_of_a_lesson():
    app = open_page("word_embeddings", stages="scores,scaled", **HERE)
    assert app.session_state["stage"] == "scores"
    assert "**Scaled**" in words(app)
    assert "**Masked**" not in words(app)
    assert "**Weight**" not in words(app)
    assert questions(app) == ["this number", "variance"]
    assert "The code behind it" not in [expander.label for expander in app.expander]


def test_a_lesson_up_to_the_weights_asks_for_them_and_not_for_the_output():
    app = open_page("word_embeddings", stages="scores,weights", **HERE)
    assert "**Weight**" in words(app)
    assert "**Into the output**" not in words(app)
    assert questions(app) == ["this number", "softmax", "lines", "variance"]


def test_a_question_that_a_lesson_does_not_leave_is_not_answered():
    app = open_page("word_embeddings", stages="scores", **HERE | {"ask": "softmax"})
    assert app.segmented_control(key="ask").value is None
    assert "The softmax of" not in words(app)


def test_without_answers_it_is_said_all_the_same_that_a_link_or_a_number_cannot_be_used():
    app = open_page("your_vectors", hide="answers", edits="1nonsense.")
    assert f"{DAMAGED} This is the example without them." in words(app)
    app = type_into(open_page("your_vectors", hide="answers"), "queries", 0, 0, "2")
    assert "**Edit:**" not in words(app)
    app = type_into(app, "queries", 0, 1, "1e999")
    assert "'1e999' is too large" in app.text[0].value
    assert ".st-key-message" not in PLACES["answers"]


def test_without_answers_no_number_from_before_an_edit_is_shown():
    assert set(cells(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"))["old"]) > {""}
    app = type_into(open_page("emma_sentence", hide="answers"), "queries", 8, 0, "2")
    assert "before the edit" not in words(app)
    assert set(cells(app)["old"]) == {""}


def test_without_answers_a_hall_sees_no_number_from_before_an_edit_among_the_matrices_either():
    shown = {}
    for hide in ("", "answers"):
        app = open_page("emma_sentence", stage="inputs", present="true", hide=hide, edits=edited_twice())
        shown[hide] = {name for chart in range(2) for name in cells(app, chart)["old"]}
    assert shown == {"": {"", "2.00"}, "answers": {""}}


def edited_twice() -> str:
    """The edits of a link that tell of a number of before: 2, where there is a 3 now."""
    app = open_page("emma_sentence")
    for number in ("2", "3"):
        type_into(app, "queries", 8, 0, number)
    return app.query_params["edits"]


def test_a_lesson_link_begins_with_the_numbers_as_they_are_and_nothing_to_undo():
    app = type_into(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"), "queries", 8, 0, "3")
    app.button(key="open-share").click().run()
    assert "edits and what the last one did, toggles" in words(app)
    assert not open_page("emma_sentence", **link_in(app)).button(key="undo").disabled
    app.get_by_key("lesson-hidden").set_value(["answers"]).run()
    assert "example, edits, toggles" in words(app)
    lesson = open_page("emma_sentence", **link_in(app))
    assert lesson.button(key="undo").disabled
    assert np.array_equal(numbers(lesson), numbers(app))


def test_what_a_lesson_hides_is_still_chosen_when_the_dialog_is_opened_again():
    app = open_page("emma_sentence")
    app.button(key="open-share").click().run()
    assert [lesson.proto.expanded for lesson in app.expander if lesson.label == FOR_A_LESSON] == [False]
    app.get_by_key("lesson-hidden").set_value(["answers"]).run()
    app.get_by_key("lesson-stages").set_value(["weights"]).run()
    close_dialog(app)
    app.button(key="open-share").click().run()
    assert link_in(app) == {"hide": "answers", "stages": "weights"}
    assert [lesson.proto.expanded for lesson in app.expander if lesson.label == FOR_A_LESSON] == [True]


def test_a_lesson_is_still_chosen_where_the_dialog_is_opened_again_before_a_browser_knows_of_it():
    app = open_page("emma_sentence")
    app.button(key="open-share").click().run()
    app.get_by_key("lesson-hidden").set_value(["answers"]).run()
    app.button(key="open-share").click().run()
    assert link_in(app) == {"hide": "answers"}
    assert [lesson.proto.expanded for lesson in app.expander if lesson.label == FOR_A_LESSON] == [True]


def test_a_page_without_a_lesson_answers_everything():
    app = open_page("word_embeddings", **HERE)
    assert "**Into the output**" in words(app)
    assert len(questions(app)) == 5
    assert "The code behind it" in [expander.label for expander in app.expander]


def test_what_an_edit_did_to_weights_is_not_said_where_a_lesson_ends_before_them():
    for stages, said in (("scores,scaled", False), ("scores,weights", True)):
        app = type_into(open_page("emma_sentence", stages=stages), "keys", 0, 0, "3")
        assert "**Edit:** keys `Emma` `Person` 1.2 → 3." in words(app)
        assert ("Weights moved most" in words(app)) == said
        app.button(key="keep").click().run()
        app = type_into(app, "keys", 0, 0, "2")
        assert ("**Since A:** keys `Emma` `Person` 3 → 2. **Weights moved most:**" in words(app)) == said


def test_where_a_lesson_hides_the_matrices_nothing_is_said_of_trying_a_number_in_them():
    assert "**Try it.** In the queries" in words(open_page("emma_sentence"))
    assert "**Try it.**" not in words(open_page("emma_sentence", hide="matrices"))
    assert "**Try it.**" in words(open_page("emma_sentence", hide="matrices", experiment="three ways"))


def test_nothing_tells_of_a_stage_behind_the_last_of_a_lesson():
    queries = open_page("word_embeddings", stages="queries,keys", **HERE | {"ask": "variance"})
    assert "variance" not in questions(queries)
    assert "in the scores" not in words(queries)
    assert "The other way round" not in words(open_page("word_embeddings", stages="queries,keys", **HERE))
    assert "The other way round" in words(open_page("word_embeddings", stages="scores", **HERE))
    assert "**Variance**" not in words(open_page("random_qkv", stages="scores"))
    assert "**Variance**" in words(open_page("random_qkv", stages="scores,scaled"))
    longer = {"what_if": "key twice as long", "stages": "scores"}
    assert "scores 2.42 → **4.84**." in words(open_page("emma_sentence", **longer))
    assert "**4.84**; the weight of" in words(
        open_page("emma_sentence", **longer | {"stages": "scores,weights"})
    )


def test_reset_leaves_what_a_lesson_hides_as_its_link_has_set_it():
    link = {"scale": "true", "causal": "true", "what_if": KINDS["longer_key"].title}
    given = numbers(open_page("emma_sentence", stage="weights", scale="true"))
    app = open_page("emma_sentence", stage="weights", hide="scaling,what if", **link)
    lesson = numbers(app)
    assert not np.allclose(lesson, given)
    app = type_into(app, "queries", 8, 0, "2")
    app.toggle(key="causal").set_value(False).run()
    app.button(key="reset").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, True]
    assert "double" in words(app)
    assert np.array_equal(numbers(app), lesson)
    app.button(key="undo").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, False]
    app = type_into(open_page("emma_sentence", stage="weights", **link), "queries", 8, 0, "2")
    app.button(key="reset").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [False, False]
    assert "double" not in words(app)


def test_a_toggle_that_a_lesson_hides_stays_when_another_example_is_chosen_and_back():
    app = open_page("word_embeddings", stage="scaled", scale="true", hide="scaling")
    scaled = numbers(app)
    for preset, causal in (("three_tokens", True), ("i_love_coding", False)):
        app.selectbox(key="preset").select(preset).run()
        assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, causal]
    assert np.array_equal(numbers(app), scaled)
    assert link_of(app)["scale"] == "true"


def lesson_of(app) -> dict[str, str]:
    """The link for a class to begin with the page as it is."""
    app.button(key="open-share").click().run()
    app.get_by_key("lesson-hidden").set_value(["answers"]).run()
    return link_in(app)


def reset(app):
    return app.button(key="reset").click().run()


def test_a_student_who_sees_no_answers_is_not_promised_that_a_link_shows_what_an_edit_did():
    for hide, told in (
        ("answers", "edits, toggles"),
        ("scaling", "edits and what the last one did, toggles"),
    ):
        student = type_into(open_page("emma_sentence", hide=hide), "queries", 8, 0, "2")
        student.button(key="open-share").click().run()
        assert f"Whoever opens it sees this screen: example, {told}" in words(student)


def turned(app, toggle: str, is_on: bool):
    return app.toggle(key=toggle).set_value(is_on).run()


@pytest.mark.parametrize(
    ("page", "link", "matrix"),
    [
        ("emma_sentence", {}, "queries"),
        ("emma_sentence", {"scale": "true"}, "keys"),
        ("word_embeddings", {"preset": "three tokens"}, "embeddings"),
        ("animal_lookup", {}, "values"),
        ("your_vectors", {}, "queries"),
    ],
)
def test_reset_gives_back_what_a_lesson_began_with_also_after_a_reload(page, link, matrix):
    teacher = type_into(open_page(page, **link), matrix, 1, 1, "4")
    lesson = lesson_of(teacher)
    assert "Reset gives the class the numbers, names and toggles of this link back." in words(teacher)
    assert "begins" not in lesson
    student = open_page(page, **lesson)
    assert not student.toast
    assert link_of(student) == lesson
    type_into(student, matrix, 0, 0, "7")
    scale = student.toggle(key="scale").value
    turned(student, "scale", not scale)
    edited = numbers(student)
    for app in (student, open_page(page, **link_of(student))):
        assert np.array_equal(numbers(app), edited)
        reset(app)
        assert np.array_equal(numbers(app), numbers(teacher))
        assert app.toggle(key="scale").value == scale
        assert link_of(app) == lesson
        app.button(key="undo").click().run()
        assert np.array_equal(numbers(app), edited)
        assert app.toggle(key="scale").value != scale


def test_a_lesson_that_began_with_the_example_says_so_in_a_word():
    student = open_page("emma_sentence", hide="answers")
    opened = numbers(student)
    assert link_of(student) == {"hide": "answers"}
    type_into(student, "queries", 8, 0, "2")
    assert link_of(student) == {"hide": "answers", "begins": "example", "edits": ANY}
    again = open_page("emma_sentence", **link_of(student))
    assert not np.array_equal(numbers(again), opened)
    assert np.array_equal(numbers(reset(again)), opened)
    assert link_of(again) == {"hide": "answers"}


def test_no_page_without_a_lesson_says_what_it_began_with():
    assert "begins" not in link_of(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"))


def test_a_lesson_that_leaves_stages_only_begins_with_its_numbers_too():
    student = open_page("emma_sentence", stages="scores", scale="true")
    assert reset(turned(student, "scale", False)).toggle(key="scale").value


def test_another_example_is_reset_to_how_it_opens():
    teacher = type_into(open_page("word_embeddings", preset="three tokens"), "W_query", 0, 0, "4")
    lesson = lesson_of(turned(teacher, "causal", True))
    student = open_page("word_embeddings", **lesson)
    student.selectbox(key="preset").select("i_love_coding").run()
    opened = numbers(student)
    assert np.array_equal(numbers(reset(type_into(student, "embeddings", 0, 0, "3"))), opened)
    student.selectbox(key="preset").select("three_tokens").run()
    assert link_of(student) == lesson
    assert np.array_equal(numbers(reset(type_into(student, "W_query", 0, 0, "5"))), numbers(teacher))


@pytest.mark.parametrize("is_edited", [True, False])
def test_reset_leads_back_to_a_lesson_from_ones_own_vectors_begun_anew(is_edited):
    teacher = open_page("your_vectors")
    if is_edited:
        type_into(teacher, "queries", 0, 0, "4")
    lesson = lesson_of(turned(teacher, "causal", True) if is_edited else teacher)
    student = open_page("your_vectors", **lesson)
    student.button(key="open-start-anew").click().run()
    student.get_by_key("start-kind").set_value("like an example").run()
    student.button(key="start").click().run()
    anew = numbers(type_into(student, "keys", 0, 0, "3"))
    for app in (student, open_page("your_vectors", **link_of(student))):
        assert np.array_equal(numbers(reset(app)), numbers(teacher))
        assert app.toggle(key="causal").value == is_edited
        assert link_of(app) == lesson
        app.button(key="undo").click().run()
        assert np.array_equal(numbers(app), anew)


def test_a_toggle_that_a_lesson_hides_is_as_its_link_set_it_when_reset_leads_back_to_it():
    student = open_page("your_vectors", hide="scaling", scale="false")
    lesson = numbers(student)
    student.button(key="open-start-anew").click().run()
    student.get_by_key("start-kind").set_value("like an example").run()
    student.button(key="start").click().run()
    assert student.toggle(key="scale").value
    assert np.array_equal(numbers(reset(student)), lesson)
    assert not student.toggle(key="scale").value


def test_a_teacher_is_told_what_a_student_has_edited_since_the_lesson_began():
    teacher = type_into(type_into(open_page("emma_sentence"), "queries", 8, 0, "4"), "keys", 1, 1, "7")
    student = open_page("emma_sentence", **lesson_of(teacher))
    assert "**Edited:**" not in words(student)
    type_into(student, "queries", 8, 0, "-4")
    for app in (student, open_page("emma_sentence", **link_of(student))):
        assert "**Edited:** queries, `friend, Person`: `4` → `-4`" in words(app)
    assert ".st-key-edits" not in PLACES["answers"]


def test_what_a_lesson_began_with_is_still_known_when_one_comes_back_from_another_page():
    teacher = type_into(open_page("emma_sentence"), "queries", 8, 0, "2")
    student = type_into(open_page("emma_sentence", **lesson_of(teacher)), "queries", 8, 0, "3")
    left = link_of(student)
    student.query_params.clear()  # as a link to another page has none
    student.switch_page("pages/random_qkv.py").run()
    assert not link_of(student)
    student.switch_page("pages/emma_sentence.py").run()
    assert link_of(student) == left
    assert np.array_equal(numbers(reset(student)), numbers(teacher))


CANNOT_BE_READ = "What Reset is to give back cannot be read in this link: {}. It gives back the example."
CUT = "it was cut or changed on its way"


@pytest.mark.parametrize(
    ("begins", "why"),
    [
        ("1nonsense", CUT),
        ("9", "it was made by a newer version of this app"),
        ("example ", CUT),
        (pack({}), CUT),
        (pack({"preset": "random_qkv", "scale": True, "causal": False}), CUT),
        (pack({"preset": "emma_sentence", "scale": 1, "causal": False}), CUT),
        (
            pack({"preset": "emma_sentence", "scale": True, "causal": False, "cells": {"queries": [[0, 9]]}}),
            CUT,
        ),
        ("1" * 1501, CUT),
    ],
)
def test_where_a_link_says_nonsense_of_what_a_lesson_began_with_it_is_the_example(begins, why):
    opened = numbers(open_page("emma_sentence"))
    edits = link_of(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"))["edits"]
    app = open_page("emma_sentence", hide="save", begins=begins, edits=edits)
    assert [toast.value for toast in app.toast] == [CANNOT_BE_READ.format(why)]
    assert link_of(app) == {"hide": "save", "begins": "example", "edits": edits}
    assert np.array_equal(numbers(reset(app)), opened)


def test_where_links_have_no_room_for_how_a_lesson_begins_the_dialog_says_that_reset_gives_the_example():
    teacher = open_page("your_vectors", edits=edits_of_length(1501, 1600))
    lesson = lesson_of(teacher)
    assert "Reset gives the class the example: your edits are too many to stand in all its links." in words(
        teacher
    )
    student = open_page("your_vectors", **lesson)
    assert np.array_equal(numbers(student), numbers(teacher))
    assert link_of(student) == lesson | {"begins": "example"}
    assert not numbers(reset(student)).any()


@pytest.mark.parametrize("edits", [edits_of_length(1300, 1350), edits_of_length(5250, 5300)])
def test_the_longest_lesson_still_has_room_for_what_a_student_edits(edits):
    student = open_page("your_vectors", hide="save", edits=edits)
    for number in range(3):
        type_into(student, "keys", number, 0, "1")
    if len(edits) < 1500:
        for row in range(16):
            type_into(student, "queries", 15, row, "0.123456789")
    link = link_of(student)
    assert len(link["edits"]) > len(edits)
    student.button(key="open-share").click().run()
    assert link_in(student) == link
