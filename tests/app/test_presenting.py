"""The presenter view through the real entry: its steps, its end, and what it leaves as it was."""

import numpy as np
import pytest

from tests.app.screens import cells, numbers, open_page, texts, type_into, words
from tests.examples import PRESETS

STEPS = {
    "emma_sentence": ["scores", "scaled", "masked", "weights"],
    "random_qkv": ["scores", "scaled", "masked", "weights", "output"],
    "animal_lookup": ["scores", "scaled", "masked", "weights", "output"],
    "word_embeddings": ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "output"],
}


@pytest.mark.parametrize("page", STEPS)
def test_next_goes_through_all_stages_to_the_explanation(page):
    app = open_page(page, present="true")
    for stage in STEPS[page]:
        assert f"**{stage.capitalize()}.**" in words(app)
        assert len(app.get("vega_lite_chart")) == 1
        app.button(key="next").click().run()
    assert "**Where the number of" in words(app)
    assert "**Weight**" in words(app)
    app.button(key="next").click().run()
    assert "**Weight**" in words(app)
    for stage in reversed(STEPS[page]):
        app.button(key="previous").click().run()
        assert f"**{stage.capitalize()}.**" in words(app)
    for _ in range(2):
        app.button(key="previous").click().run()
        assert "Every number is made from these." in words(app)


SHOWN = {
    "emma_sentence": ["queries", "keys"],
    "random_qkv": ["queries", "keys", "values"],
    "animal_lookup": ["queries", "keys", "values"],
    "word_embeddings": ["embeddings", "W_query", "W_key", "W_value"],
}


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.parametrize("layout", ["T x C", "C x T"])
def test_the_first_step_shows_the_matrices_that_all_is_made_from(page, layout):
    app = open_page(page, present="true", stage="inputs", layout=layout)
    preset = next(preset for preset in PRESETS.values() if preset.page == page)
    assert list(preset.inputs.matrices) == SHOWN[page]
    assert len(app.get("vega_lite_chart")) == len(SHOWN[page])
    assert f"**{preset.question}** Every number is made from these." in words(app)
    for chart, name in enumerate(SHOWN[page]):
        values, is_turned = preset.inputs.matrices[name].values, layout == "C x T" and name[:2] != "W_"
        np.testing.assert_allclose(numbers(app, chart), values.T if is_turned else values, rtol=1e-7)


@pytest.mark.parametrize(
    ("link", "vectors"), [({}, ("friend", "Emma")), ({"query": "5 she", "key": "3 games"}, ("she", "games"))]
)
def test_the_first_step_follows_an_edit_and_has_the_vectors_of_the_pair_outlined(link, vectors):
    app = type_into(open_page("emma_sentence", **link), "queries", 8, 3, "3")
    app.query_params["present"] = "true"
    app.run()
    app.button(key="previous").click().run()
    assert numbers(app, 0)[8].tolist() == [1, 0.9, 0.5, 3]
    assert [cells(app, chart)["old"].tolist() for chart in (0, 1)] == [[""] * 35 + ["1.00"], [""] * 36]
    assert "Small and slanted: before." in words(app)
    app.query_params.clear()
    app.run()
    app.button(key="keep").click().run()
    app.query_params["present"] = "true"
    app.run()
    app.button(key="previous").click().run()
    assert set(cells(app, 0)["old"]) == {""}
    assert "Small and slanted: before." not in words(app)
    outlined = [cells(app, chart).query("mark == 'selected'")["row"].str[4:] for chart in (0, 1)]
    assert [rows.tolist() for rows in outlined] == [[name] * 4 for name in vectors]


def test_the_first_step_shows_the_inputs_of_a_what_if():
    app = open_page("emma_sentence", present="true", stage="inputs", what_if="Q = K")
    np.testing.assert_array_equal(numbers(app, 0), PRESETS["emma_sentence"].inputs.matrices["keys"].values)
    assert "the what-if" in words(app)


def test_the_presenter_view_opens_on_the_first_stage_and_leaves_the_first_step_for_it():
    app = open_page("emma_sentence", present="true")
    assert "**Scores.**" in words(app)
    app.button(key="previous").click().run()
    assert app.segmented_control(key="stage").value == "inputs"
    app.run()
    app.button(key="leave").click().run()
    assert app.segmented_control(key="stage").value == "scores"
    assert "**Scores.**" in words(app)


def test_a_lesson_that_hides_the_matrices_hides_the_first_step():
    app = open_page("emma_sentence", present="true", hide="matrices", stage="inputs")
    assert app.segmented_control(key="stage").options == [
        "scores",
        "scaled",
        "masked",
        "weights",
        "explanation",
    ]
    assert "**Scores.**" in words(app)


def test_a_lesson_of_some_stages_has_no_first_step_besides():
    app = open_page("emma_sentence", present="true", stages="weights")
    assert app.segmented_control(key="stage").options == ["weights"]


def test_small_numbers_of_before_an_edit_are_there_only_where_a_line_tells_of_it():
    app = type_into(open_page("emma_sentence", stage="weights"), "queries", 8, 3, "3")
    app.query_params["present"] = "true"
    app.run()
    assert "0.58" in set(cells(app)["old"])
    app.session_state["what_if"] = "temperature"
    app.run()
    assert set(cells(app)["old"]) == {""}


def test_the_presenter_view_has_no_editors_and_no_sidebar():
    app = open_page("emma_sentence", present="true")
    assert len(app.data_editor) == 0
    assert len(app.sidebar.button) == 0
    assert len(app.sidebar.selectbox) == 0


def test_it_shows_what_the_link_says():
    link = {"stage": "weights", "scale": "true", "causal": "true", "decimals": "3 decimals"}
    app = open_page("emma_sentence", present="true", query="5 she", key="1 Emma", **link)
    assert "`she` → `Emma`" in words(app)
    assert "1.935 / 8.441 ≈ **0.229**" in words(app)
    app.button(key="next").click().run()
    assert "**Where the number of `she` → `Emma` comes from**" in words(app)


def test_a_what_if_is_explained_in_the_presenter_view():
    app = open_page("emma_sentence", present="true", stage="weights", what_if="softmax over queries")
    assert "Each key now shares itself out" in words(app)
    np.testing.assert_allclose(numbers(app).sum(axis=0), 1)


def test_leaving_gives_the_page_back_as_it_was():
    app = open_page("emma_sentence", layout="C x T", query="9 friend", key="1 Emma")
    app.toggle(key="causal").set_value(True).run()
    app.run()
    app = type_into(app, "keys", 0, 0, "3")  # in C x T: the Person of Emma
    app.button(key="present").click().run()
    assert app.query_params["present"] == "true"
    app.pills(key="switches").set_value(["scale", "causal"]).run()
    app.run()
    app.button(key="next").click().run()
    app.run()
    assert numbers(app).T[8, 0] == pytest.approx(2.11)
    app.button(key="leave").click().run()
    assert "present" not in app.query_params
    assert app.session_state["stage"] == "scaled"
    assert app.toggle(key="causal").value is True
    assert app.toggle(key="scale").value is True
    assert app.segmented_control(key="layout").value == "C x T"
    assert app.selectbox(key="query").value == 8
    assert "keys, `Emma, Person`: `1.2` → `3`" in words(app)
    assert app.data_editor[1].value["c0"][0] == "3"


def test_leaving_from_the_explanation_asks_for_the_same_number():
    app = open_page("emma_sentence", present="true", stage="weights", query="9 friend", key="1 Emma")
    app.button(key="next").click().run()
    app.run()
    app.button(key="leave").click().run()
    assert app.session_state["stage"] == "weights"
    assert "**Weight** 11.25 / 19.29 ≈ **0.58**" in words(app)


def test_presenting_from_all_stages_begins_with_the_first():
    app = open_page("emma_sentence", stage="all")
    app.button(key="present").click().run()
    assert "**Scores.**" in words(app)


@pytest.mark.parametrize(("steps", "stage"), [(0, "all"), (1, "scaled")])
def test_leaving_gives_all_stages_back_where_one_has_gone_no_further(steps, stage):
    app = open_page("emma_sentence", stage="all")
    app.button(key="present").click().run()
    for _ in range(steps):
        app.button(key="next").click().run()
    app.run().button(key="leave").click().run()
    assert app.session_state["stage"] == stage


def test_what_a_lesson_hides_is_not_presented_either():
    hidden = "answers,scaling"
    app = open_page("emma_sentence", hide=hidden, present="true", scale="true")
    assert app.get_by_key("switches").options == ["Causal mask"]
    assert app.toggle(key="scale").value is True
    for _ in range(9):
        app.button(key="next").click().run()
    assert app.session_state["stage"] == "weights"
    app = open_page("emma_sentence", hide="what if,undo,compare", present="true")
    style = "".join(element.value for element in app.html)
    for key in ("what-if-menu", "undo-edit", "compare"):
        assert f".st-key-{key}" in style


def test_a_dialog_that_was_open_does_not_come_back_from_the_presenter_view():
    app = open_page("emma_sentence")
    app.button(key="open-share").click().run()
    app.session_state["query"] = -1
    app.query_params["present"] = "true"
    app.run()
    assert "open_dialog" not in app.session_state


@pytest.mark.parametrize("link", [{}, {"present": "true"}])
def test_a_switch_and_a_step_in_one_breath_are_both_there(link):
    app = open_page("emma_sentence", stage="scaled", **link)
    app.toggle(key="scale").set_value(True)
    app.button(key="next").click().run()
    assert app.query_params["stage"] == "masked"
    assert "**Masked.**" in words(app)
    assert numbers(app)[8, 0] == pytest.approx(1.21)


def test_leaving_the_explanation_asks_for_the_pair_that_it_explains():
    app = open_page("emma_sentence", present="true", stage="explanation")
    app.button(key="leave").click().run()
    app.run()
    assert (app.selectbox(key="query").value, app.selectbox(key="key").value) == (8, 0)
    assert "**Weight** 11.25 / 19.29 ≈ **0.58**" in words(app)


@pytest.mark.parametrize(
    ("link", "button"), [({"present": "true"}, "leave"), ({"experiment": "arrows"}, "back"), ({}, "present")]
)
def test_what_is_chosen_next_is_in_the_link_though_the_browser_forgets_to_say_so(link, button):
    """It may forget that of a list that has just moved; a test without a browser never says so."""
    app = open_page("emma_sentence", query="4 but", **link)
    app.button(key=button).click().run()
    app.selectbox(key="key").select(0).run()
    assert (app.query_params["query"], app.query_params["key"]) == ("4 but", "1 Emma")


def test_an_edit_that_was_made_in_the_presenter_view_is_undone_there():
    app = open_page("word_embeddings", present="true", experiment="one word", query="2 love")
    as_it_opens = numbers(app)
    app.button(key="make-edit").click().run()
    assert "**Edit:** W_query " in words(app)
    assert (numbers(app) != as_it_opens).any()
    app.button(key="undo-edit").click().run()
    np.testing.assert_array_equal(numbers(app), as_it_opens)
    assert "**Edit:**" not in words(app)
    assert not [button for button in app.button if button.key == "undo-edit"]


def test_no_words_point_to_what_the_presenter_view_does_not_show():
    app = open_page("your_vectors", present="true", experiment="heads", heads="2 heads")
    assert "without an output. If V had 4 columns, there would be one." in words(app)


def test_a_hall_is_told_why_weights_seem_not_to_sum_to_what_is_written_beside_them():
    why = "Sums are of the weights before rounding."
    app = open_page("word_embeddings", present="true", stage="weights")
    assert texts(app)[0] == ["0.12", "0.01", "0.88"]
    assert why in words(app)
    app = open_page("word_embeddings", present="true", stage="weights", decimals="4 decimals")
    assert why not in words(app)
    assert why not in words(open_page("word_embeddings", present="true", stage="scores"))


@pytest.mark.parametrize(
    ("stage", "toggle", "told"),
    [
        ("scaled", "scale", "it halves every score"),
        ("masked", "causal", "leaves her only herself to look at"),
    ],
)
def test_what_a_toggle_will_do_is_not_told_while_a_class_may_be_asked(stage, toggle, told):
    assert told in words(open_page("emma_sentence", stage=stage))
    assert told not in words(open_page("emma_sentence", stage=stage, present="true"))


def test_a_toggle_clicked_at_the_scores_is_said_to_count_later():
    told = "Scaling and mask count only after the scores."
    assert told not in words(open_page("emma_sentence", present="true"))
    assert told in words(open_page("emma_sentence", present="true", causal="true"))
    assert told not in words(open_page("emma_sentence", present="true", causal="true", stage="scaled"))
    assert told in words(open_page("random_qkv", present="true", scale="false", stage="scores"))
    assert told not in words(open_page("emma_sentence", causal="true"))


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        ("lines", "A line joins a query, on the left, and a key, on the right"),
        ("softmax", "The softmax of the query `friend`: the largest is subtracted"),
        ("variance", "**Variance** of all numbers"),
    ],
)
def test_what_was_asked_before_is_what_the_explanation_answers(ask, told):
    app = open_page("emma_sentence", present="true", stage="explanation", ask=ask)
    assert told in words(app)
    assert "comes from**" not in words(app)
    assert "Click another" not in words(app)
    app.button(key="leave").click().run()
    assert app.session_state["ask"] == ask
    assert told in words(app)


def test_two_ways_to_reckon_a_softmax_are_tied_together():
    app = open_page("emma_sentence", stage="weights", ask="softmax")
    assert "11.25 / 19.29" in words(app)
    assert "all powers are $e^{2.42}$ times smaller, and so is their sum" in words(app)
    e_to_that = app.dataframe[0].value.iloc[:, 5].astype(float).to_numpy() * np.exp(2.42)
    assert e_to_that[[0, -1]] == pytest.approx([11.25, 19.29], abs=0.1)
