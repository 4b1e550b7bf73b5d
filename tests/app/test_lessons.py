"""Links for a lesson that leave some stages: nothing answers what comes after them."""

import numpy as np

from core.ui.lesson_style import PLACES
from core.what_if import KINDS
from tests.app.screens import cells, close_dialog, link_in, link_of, numbers, open_page, type_into, words

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
    app.button(key="reset").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, False]
    assert "double" in words(app)
    app.button(key="undo").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, True]
    app = type_into(open_page("emma_sentence", stage="weights", **link), "queries", 8, 0, "2")
    app.button(key="reset").click().run()
    assert [app.toggle(key=name).value for name in ("scale", "causal")] == [False, False]
    assert "double" not in words(app)


def test_a_toggle_that_a_lesson_hides_stays_when_another_example_is_chosen_and_back():
    app = open_page("word_embeddings", stage="scaled", scale="true", causal="true", hide="scaling")
    scaled = numbers(app)
    for preset, causal in (("three_tokens", True), ("i_love_coding", False)):
        app.selectbox(key="preset").select(preset).run()
        assert [app.toggle(key=name).value for name in ("scale", "causal")] == [True, causal]
    assert np.array_equal(numbers(app), scaled)
    assert link_of(app)["scale"] == "true"
