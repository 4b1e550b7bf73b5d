"""The page of one's own vectors, through the real entry."""

import numpy as np
import pytest

from core.attention import softmax
from tests.app.screens import close_dialog, numbers, open_page, reference, type_into, words


def start(app, **chosen):
    """Start anew with what is chosen in the dialog."""
    app.button(key="open-start-anew").click().run()
    for name, value in chosen.items():
        app.get_by_key(f"start-{name}").set_value(value).run()
    app.button(key="start").click().run()
    assert len(app.exception) == 0
    return app


def matrix(app, name: str) -> np.ndarray:
    return app.session_state["worksheets"]["your_vectors"].inputs.matrices[name].values


def test_it_opens_with_a_sentence_whose_numbers_are_those_of_seed_1():
    app = open_page("your_vectors", stage="weights", decimals="4 decimals")
    draw = np.random.default_rng(1)
    queries, keys = (np.round(draw.normal(0, 1, (6, 4)), 2) for _ in range(2))
    assert np.array_equal(matrix(app, "queries"), queries)
    assert numbers(app) == pytest.approx(softmax(queries @ keys.T / 2), abs=1e-9)
    assert app.data_editor[0].value["name"].tolist() == ["the", "cat", "sat", "on", "the", "mat"]
    assert "edits" not in app.query_params


def test_a_sentence_of_ones_own_becomes_the_tokens():
    app = start(open_page("your_vectors"), sentence="  I   have\n2 cats ", d_k=2, d_v=5, numbers="zeros")
    assert [frame.value["name"].tolist() for frame in app.data_editor] == [["I", "have", "2", "cats"]] * 3
    assert [matrix(app, name).shape for name in ("queries", "keys", "values")] == [(4, 2), (4, 2), (4, 5)]
    assert not matrix(app, "queries").any()
    app = type_into(app, "queries", 0, 0, "2")
    assert numbers(type_into(app, "keys", 3, 0, "1,5"))[0].tolist() == [0, 0, 0, 3]


def test_embeddings_and_w_have_all_stages_of_word_embeddings():
    app = start(open_page("your_vectors"), kind="embeddings X and W", d_model=3, d_k=2, d_v=2, seed=7)
    assert app.get_by_key("stage").options == [
        "queries", "keys", "values", "scores", "scaled", "masked", "weights", "output", "all",
    ]  # fmt: skip
    x, w = matrix(app, "embeddings"), matrix(app, "W_query")
    assert (x.shape, w.shape) == ((6, 3), (3, 2))
    assert numbers(app) == pytest.approx(x @ w, abs=1e-9)
    again = start(open_page("your_vectors"), kind="embeddings X and W", d_model=3, d_k=2, d_v=2, seed=7)
    assert np.array_equal(matrix(again, "W_value"), matrix(app, "W_value"))


@pytest.mark.parametrize(
    ("example", "matrices"),
    [
        ("emma_sentence", ["queries", "keys"]),
        ("random_qkv", ["queries", "keys", "values"]),
        ("i_love_coding", ["embeddings", "W_query", "W_key", "W_value"]),
        ("three_tokens", ["embeddings", "W_query", "W_key", "W_value"]),
        ("animal_lookup", ["queries", "keys", "values"]),
    ],
)
def test_it_begins_like_any_example_with_its_numbers(example, matrices):
    app = start(open_page("your_vectors"), kind="like an example", like=example)
    sheet = app.session_state["worksheets"]["your_vectors"]
    assert list(sheet.inputs.matrices) == matrices
    assert len(app.data_editor) == len(matrices)
    other = open_page("your_vectors", edits=app.query_params["edits"])
    assert np.array_equal(numbers(other), numbers(app))
    assert app.toggle(key="causal").disabled == (example == "animal_lookup")


def test_one_query_that_a_link_has_in_view_can_be_left_here_too():
    app = start(open_page("your_vectors"), kind="like an example", like="animal_lookup")
    one = open_page("your_vectors", edits=app.query_params["edits"], only="reptile")
    assert numbers(one).shape == (1, 5)
    one.selectbox(key="only").set_value(-1).run()
    assert np.array_equal(numbers(one), numbers(app))
    assert numbers(one).shape == (2, 5)


def test_emma_s_scores_are_those_of_the_lecture_here_too():
    app = start(open_page("your_vectors"), kind="like an example", like="emma_sentence")
    assert numbers(app) == pytest.approx(np.array(reference("emma_sentence")["scores"]), abs=1e-9)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("   ", "The sentence is empty; write at least one word."),
        ("a " * 257, "The sentence has 257 words; at most 256 fit."),
        ("x" * 65, "Word 1, 'xxxxxxxxxxx…': the name has 65 characters; at most 64 fit."),
    ],
)
def test_a_sentence_that_cannot_be_used_changes_nothing(sentence, reason):
    app = start(open_page("your_vectors"), sentence=sentence)
    assert reason in words(app)
    assert matrix(app, "queries").shape == (6, 4)


def test_a_sentence_typed_in_the_same_breath_as_the_click_is_what_is_used():
    app = open_page("your_vectors")
    app.button(key="open-start-anew").click().run()
    app.get_by_key("start-sentence").set_value("one two")
    app.button(key="start").click().run()
    assert app.data_editor[0].value["name"].tolist() == ["one", "two"]


def test_a_sentence_that_was_typed_is_there_when_the_dialog_is_opened_again_until_it_is_begun_with():
    app = open_page("your_vectors")
    app.button(key="open-start-anew").click().run()
    app.get_by_key("start-sentence").set_value("red apple").run()
    app.get_by_key("start-numbers").set_value("zeros").run()
    close_dialog(app)
    app.button(key="open-start-anew").click().run()
    assert app.get_by_key("start-sentence").value == "red apple"
    app.button(key="start").click().run()
    app.button(key="undo").click().run()
    app.button(key="open-start-anew").click().run()
    assert app.get_by_key("start-sentence").value == "the cat sat on the mat"


def test_undo_gives_back_what_was_there_before_one_started_anew():
    app = type_into(open_page("your_vectors"), "queries", 0, 0, "9")
    app = start(app, kind="embeddings X and W")
    app.button(key="undo").click().run()
    assert matrix(app, "queries")[0, 0] == 9
    assert len(app.data_editor) == 3


def test_undoing_an_edit_whose_effect_is_hidden_does_not_tell_of_the_start_as_an_edit():
    app = start(open_page("your_vectors"), seed=2)
    app = type_into(app, "queries", 0, 0, "9")
    assert "**Edit:** queries" in words(app)
    app.button(key="hide").click().run()
    app.button(key="undo").click().run()
    assert matrix(app, "queries")[0, 0] != 9
    assert "**Edit:**" not in words(app)


def test_edits_and_the_way_it_began_are_in_the_link():
    app = start(open_page("your_vectors"), sentence="red apple", seed=5)
    app = type_into(app, "keys", 1, 2, "1e-3")
    other = open_page("your_vectors", edits=app.query_params["edits"])
    assert np.array_equal(numbers(other), numbers(app))
    other.button(key="reset").click().run()
    assert other.data_editor[0].value["name"].tolist() == ["red", "apple"]
    assert matrix(other, "keys")[1, 2] != 1e-3


def test_what_ifs_answers_and_the_code_are_there_as_on_the_other_pages():
    app = open_page("your_vectors", stage="weights", what_if="temperature", temperature="20", query="2 cat")
    assert numbers(app).max() < 0.3
    assert "What if" in [badge.label for badge in app.get("badge")] or "temperature" in words(app)
    assert app.selectbox(key="query").value == 1


def test_of_words_that_repeat_every_sentence_says_which():
    app = open_page("your_vectors", stage="scores", query="5 the", key="1 the")
    assert "`5 the` → `1 the`: " in words(app)
    assert ":violet[**Queries Q**], 6 × 4; chosen: row `5 the`" in words(app)
    app = type_into(app, "queries", 4, 0, "9")
    assert "**Edit:** queries `5 the` `d1` " in words(app)
    assert "`5 the` → " in words(app).partition("**Weights moved most:**")[2].partition("\n")[0]
    app = type_into(app, "queries", 0, 0, "x")
    assert "queries, row '1 the', column 'd1': 'x' is not a number" in app.error[0].value


def test_why_scores_are_scaled_and_masked_is_said_where_they_are():
    why = {"scaled": "give one key nearly all weight", "masked": "cannot look ahead"}
    for stage, reason in why.items():
        for is_on in ("true", "false"):
            app = open_page("your_vectors", stage=stage, scale=is_on, causal=is_on)
            assert (reason in words(app)) is (is_on == "true")


def test_undo_of_a_new_start_gives_toggles_stage_and_selection_back():
    link = {"scale": "false", "causal": "true", "stage": "weights", "query": "2 cat", "key": "1 the"}
    app = open_page("your_vectors", **link)
    before = numbers(app)
    app.button(key="open-start-anew").click().run()
    app.button(key="start").click().run()
    assert app.session_state["stage"] == "scores"
    app.button(key="undo").click().run()
    assert (app.toggle(key="scale").value, app.toggle(key="causal").value) == (False, True)
    assert [app.session_state[name] for name in ("stage", "query", "key")] == ["weights", 1, 0]
    np.testing.assert_array_equal(numbers(app), before)
