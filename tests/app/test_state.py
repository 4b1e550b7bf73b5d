"""Edits, undo, reset, links and the folder of presets, through the real entry."""

import re
import shutil

import pytest

from core.matrices import token_matrices
from core.recipes import Recipe, content_of
from core.sharing import pack
from core.stages import stage_names
from core.ui.page import AS_DEFINED
from core.what_if import KINDS, offered
from tests.app.screens import (
    PROJECT,
    cells,
    editor_key,
    numbers,
    open_page,
    paste_into,
    texts,
    type_into,
    words,
)
from tests.examples import PRESETS
from tests.unit.hostile import parted

FRIEND, EMMA = 8, 0


def friend_looks_at_emma(app) -> float:
    return float(numbers(app)[FRIEND, EMMA])


@pytest.mark.parametrize(
    ("typed", "score"), [(".07", 1.304), ("1,5", 3.02), ("1/3", 1.62), ("1e-3", 1.2212), ("\u22122", -1.18)]
)
def test_what_is_typed_is_what_is_used(typed, score):
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, typed)
    assert friend_looks_at_emma(app) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("abc", "'abc' is not a number"),
        (None, "the cell is empty"),
        ("inf", "'inf' is not a finite number"),
        ("nan", "'nan' is not a finite number"),
        ("2e6", "'2e6' is too large"),
        ("1/0", "'1/0' divides by 0"),
    ],
)
def test_what_cannot_be_used_is_named_and_changes_nothing(typed, reason):
    app = type_into(open_page("emma_sentence"), "keys", EMMA, 2, typed)
    assert f"keys, row 'Emma', column 'Noun': {reason}" in words(app)
    assert "The last good number, 1, stays." in words(app)
    assert friend_looks_at_emma(app) == pytest.approx(2.42)


def test_a_bad_cell_keeps_the_last_good_number_not_the_presets():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "1,5")
    app = type_into(app, "queries", FRIEND, 0, "abc")
    assert friend_looks_at_emma(app) == pytest.approx(3.02)
    assert "The last good number, 1.5, stays." in words(app)


def test_edits_are_listed_from_old_to_new():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "1,5")
    app = type_into(app, "keys", EMMA, 1, "2")
    assert "queries, `friend, Person`: `1` → `1.5`; keys, `Emma, Animal`: `0.8` → `2`" in words(app)


def test_an_edit_survives_a_change_of_page():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "1,5")
    app.switch_page("pages/animal_lookup.py").run()
    app.switch_page("streamlit_app.py").run()
    app.switch_page("pages/emma_sentence.py").run()
    assert friend_looks_at_emma(app) == pytest.approx(3.02)
    assert app.data_editor[0].value["c0"][FRIEND] == "1.5"


def test_undo_takes_back_the_last_edit_and_reset_all():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "2")
    app = type_into(app, "queries", FRIEND, 0, "3")
    app.button(key="undo").click().run()
    assert friend_looks_at_emma(app) == pytest.approx(3.62)
    app = type_into(app, "keys", EMMA, 0, "0")
    app.toggle(key="causal").set_value(True).run()
    app.run()  # a toggle draws the stages alone
    app.button(key="reset").click().run()
    assert friend_looks_at_emma(app) == pytest.approx(2.42)
    assert app.toggle(key="causal").value is False
    assert "Edited" not in words(app)


def test_undo_takes_back_all_of_a_reset():
    app = type_into(
        open_page("emma_sentence", causal="true", what_if="tokens shuffled"), "queries", FRIEND, 0, "2"
    )
    app.button(key="reset").click().run()
    assert (app.toggle(key="causal").value, app.selectbox(key="what_if").value) == (False, AS_DEFINED)
    app.button(key="undo").click().run()
    assert (app.toggle(key="causal").value, app.selectbox(key="what_if").value) == (True, "shuffled")
    assert "`1` → `2`" in words(app)


def test_undo_takes_back_a_reset_of_toggles_alone():
    app = open_page("emma_sentence", causal="true")
    app.button(key="reset").click().run()
    app.button(key="undo").click().run()
    assert app.toggle(key="causal").value is True
    assert app.button(key="undo").disabled


def test_undo_first_clears_what_cannot_be_used_and_keeps_the_good_edit():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "2")
    app = type_into(app, "keys", EMMA, 0, "abc")
    app.button(key="undo").click().run()
    assert "is not a number" not in words(app)
    assert app.data_editor[1].value["c0"][EMMA] == "1.2"
    assert friend_looks_at_emma(app) == pytest.approx(3.62)
    app.button(key="undo").click().run()
    assert friend_looks_at_emma(app) == pytest.approx(2.42)


def test_undo_takes_back_the_edit_that_came_after_what_cannot_be_used():
    app = type_into(open_page("emma_sentence"), "keys", EMMA, 0, "abc")
    app = type_into(app, "queries", FRIEND, 0, "2")
    assert friend_looks_at_emma(app) == pytest.approx(3.62)
    app.button(key="undo").click().run()
    assert friend_looks_at_emma(app) == pytest.approx(2.42)
    assert app.data_editor[1].value["c0"][EMMA] == "1.2"
    assert app.button(key="undo").disabled


def test_undo_takes_back_a_block_of_which_a_part_could_not_be_used_at_once():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "2")
    app = paste_into(app, "keys", {(EMMA, 0): "abc", (EMMA, 1): "7"})
    assert "Animal: 0.8 → 7" in words(app).replace("`", "")
    assert "is not a number" in words(app)
    app.button(key="undo").click().run()
    assert "is not a number" not in words(app)
    assert friend_looks_at_emma(app) == pytest.approx(3.62)


def test_a_point_or_a_comma_before_three_digits_is_not_guessed_beside_decimals_of_the_other_kind():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "1.234")
    assert friend_looks_at_emma(app) == pytest.approx(2.42 + 0.234 * 1.2)
    app = type_into(app, "queries", FRIEND, 3, "1,5")
    assert (
        "queries, row 'friend', column 'Person': '1.234' could be 1234 or 1.234, beside numbers with decimal "
        "commas; write 1234 or 1,2340. The last good number, 1.234, stays."
    ) in words(app)
    app = type_into(app, "queries", FRIEND, 0, "1,2340")
    assert "could be" not in words(app)
    app = type_into(app, "keys", 0, 0, "1.234")
    assert "could be" not in words(app)


def test_a_thousand_with_its_comma_is_no_one_as_the_table_is_written_with_points():
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 0, "1,000")
    assert (
        "queries, row 'friend', column 'Person': '1,000' could be 1000 or 1.000, beside numbers with decimal "
        "points; write 1000 or 1.0000. The last good number, 1, stays."
    ) in words(app)
    app = type_into(open_page("emma_sentence"), "queries", FRIEND, 1, "2,5")  # which says what a comma is
    app = type_into(app, "queries", FRIEND, 0, "1,250")
    assert "could be" not in words(app)
    assert friend_looks_at_emma(app) == pytest.approx(2.42 + 1.6 * 0.8 + 0.25 * 1.2)


def test_a_number_that_was_refused_is_not_used_when_another_is_changed():
    app = paste_into(open_page("emma_sentence"), "queries", {(FRIEND, 0): "1.250", (FRIEND, 3): "2,5"})
    said = "queries, row 'friend', column 'Person': '1.250' could be 1250 or 1.250"
    assert said in words(app)
    app = type_into(app, "queries", FRIEND, 3, "7")
    assert said in words(app)
    assert friend_looks_at_emma(app) == pytest.approx(2.42)
    app = type_into(app, "queries", FRIEND, 0, "1.25")
    assert "could be" not in words(app)
    assert friend_looks_at_emma(app) == pytest.approx(2.42 + 0.25 * 1.2)


def test_a_number_with_a_thousands_separator_tells_of_the_point_beside_it():
    app = paste_into(open_page("emma_sentence"), "queries", {(FRIEND, 0): "1.250", (FRIEND, 1): "1.250,5"})
    assert "'1.250' could be 1250 or 1.250, beside numbers with decimal commas" in words(app)
    assert "'1.250,5' has a thousands separator; write the number without it" in words(app)


def test_a_weight_matrix_keeps_its_rows_and_columns_in_the_other_layout():
    app = open_page("word_embeddings", stage="queries", layout="C x T")
    app = type_into(app, "W_query", 1, 2, "1")
    assert numbers(app).T.tolist() == [[2, 1, 2], [0, 1, 1], [2, 2, 3]]
    assert "`e2, d3`: `0` → `1`" in words(app)
    app = type_into(app, "W_query", 0, 2, "abc")
    assert "W_query, row 'e1', column 'd3': 'abc' is not a number" in words(app)


def test_what_was_typed_before_another_layout_was_chosen_is_used():
    app = open_page("emma_sentence")
    key = editor_key(app, "queries")
    app.session_state[key] = {"edited_rows": {FRIEND: {"c0": "2"}}, "added_rows": [], "deleted_rows": []}
    app.segmented_control(key="layout").set_value("C x T").run()
    assert numbers(app)[EMMA, FRIEND] == pytest.approx(2.42 + 1.2)
    assert "`friend, Person`: `1` → `2`" in words(app)
    app.button(key="undo").click().run()
    assert numbers(app)[EMMA, FRIEND] == pytest.approx(2.42)


def test_undo_is_not_offered_before_the_first_edit():
    app = open_page("emma_sentence")
    assert app.button(key="undo").disabled
    assert app.button(key="reset").click().run().button(key="undo").disabled
    assert not type_into(app, "queries", 0, 0, "2").button(key="undo").disabled


def test_switching_preset_never_carries_an_edit_over():
    app = type_into(open_page("word_embeddings", stage="queries"), "W_query", 0, 0, "5")
    assert numbers(app)[0].tolist() == [6, 1, 2]
    app.selectbox(key="preset").select("three_tokens").run()
    assert numbers(app)[0, 0] == pytest.approx(-1.6964, abs=5e-5)
    app.selectbox(key="preset").select("i_love_coding").run()
    assert numbers(app)[0].tolist() == [6, 1, 2]


def test_a_dimension_more_adds_a_column_to_queries_and_keys():
    app = open_page("emma_sentence")
    app.selectbox(key="axis").select("dimensions").run()
    app.text_input(key="new_name").set_value("Verb").run()
    app.button(key="add").click().run()
    assert [list(frame.value.columns) for frame in app.data_editor] == [
        ["name", "c0", "c1", "c2", "c3", "c4"]
    ] * 2
    app = type_into(app, "queries", FRIEND, 4, "2")
    app = type_into(app, "keys", EMMA, 4, "0.5")
    assert friend_looks_at_emma(app) == pytest.approx(3.42)
    assert "dimension `Verb` added" in words(app)


def test_a_name_that_cannot_be_used_changes_nothing():
    app = open_page("emma_sentence")
    app.button(key="rename").click().run()
    assert [error.value for error in app.error] == [
        "Nothing was changed.\n\n`The name is empty; write at least one letter.`"
    ]
    assert app.data_editor[0].value["name"][FRIEND] == "friend"


def test_a_name_that_is_taken_is_refused_in_plain_text_whatever_it_says():
    name = "![x](//evil.example/p.png)"
    app = open_page("emma_sentence")
    app.selectbox(key="axis").select("dimensions").run()
    for _ in range(2):
        app.text_input(key="new_name").set_value(name)
        app.button(key="add").click().run()
    said, shown = parted(app.error[0].value)
    assert name in "".join(shown)
    assert name not in said + "".join(element.value.replace(f"`{name}`", "") for element in app.markdown)


def test_the_list_of_names_stays_at_the_one_that_was_changed():
    app = open_page("emma_sentence")
    which = next(box for box in app.selectbox if box.label == "Which token")
    which.select(1).run()
    app.text_input(key="new_name").set_value("likes").run()
    app.button(key="rename").click().run()
    which = next(box for box in app.selectbox if box.label == "Which token")
    assert (which.value, which.options[1]) == (1, "2. likes")
    app.text_input(key="new_name").set_value("all").run()
    app.button(key="add").click().run()
    which = next(box for box in app.selectbox if box.label == "Which token")
    assert (which.value, which.options[2]) == (2, "3. all")
    app.button(key="remove").click().run()
    which = next(box for box in app.selectbox if box.label == "Which token")
    assert (which.value, which.options[2]) == (2, "3. games")


def test_a_row_less_of_the_animals_takes_its_value_along():
    app = open_page("animal_lookup", stage="weights")
    app.selectbox(key="axis").select("keys").run()
    app.button(key="remove").click().run()
    assert app.data_editor[1].value["name"].tolist() == ["kitten", "lizard", "salmon", "whale"]
    assert app.data_editor[2].value["name"].tolist() == ["furry", "scaly", "slippery", "huge"]
    assert numbers(app).shape == (2, 4)


@pytest.mark.parametrize(
    ("decimals", "text"),
    [("0 decimals", "2"), ("1 decimal", "2.4"), ("2 decimals", "2.42"), ("4 decimals", "2.4200")],
)
def test_decimals_change_what_is_written_and_nothing_inside(decimals, text):
    app = open_page("emma_sentence", decimals=decimals)
    assert texts(app)[FRIEND][EMMA] == text
    assert friend_looks_at_emma(app) == pytest.approx(2.42, abs=1e-9)


def test_previous_and_next_walk_through_the_stages():
    app = open_page("word_embeddings")
    stages = ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "output", "all"]
    for stage in stages[1:]:
        app.button(key="next").click().run()
        assert app.session_state["stage"] == stage
    assert app.button(key="next").disabled
    app.button(key="previous").click().run()
    assert app.session_state["stage"] == "output"


def test_the_notes_on_a_preset_are_gone_once_its_numbers_are_edited():
    app = open_page("emma_sentence", stage="scaled")
    assert "halves every score" in words(app)
    assert "halves every score" not in words(type_into(app, "queries", 3, 0, "1"))


def test_the_queries_of_zeros_are_told_as_the_numbers_stand():
    app = open_page("emma_sentence")
    told = "have a query of zeros: they look for nothing, so all their scores are 0."
    assert f"`but` and `is` {told}" in words(app)
    type_into(app, "queries", 8, 1, "2.5")
    assert f"`but` and `is` {told}" in words(app)
    type_into(app, "queries", 3, 0, "1")
    assert "`is` has a query of zeros: it looks for nothing, so all its scores are 0." in words(app)
    type_into(app, "queries", 5, 0, "1")
    assert "zeros" not in words(app)


@pytest.mark.parametrize(
    ("id", "toggle", "first"),
    [(id, "scale", "scaled") for id in PRESETS]
    + [(id, "causal", "masked") for id, preset in PRESETS.items() if not preset.unordered],
)
def test_a_note_stays_while_a_toggle_changes_later_stages_alone(id, toggle, first):
    preset = PRESETS[id]
    turned = {toggle: str(not getattr(preset.start, toggle)).lower()}
    stages = stage_names(preset.inputs)
    for name, note in preset.notes.items():
        app = open_page(preset.page, preset=id.replace("_", " "), stage=name, **turned)
        is_before = stages.index(name) < stages.index(first)
        assert (note in words(app)) == is_before, (name, note)


@pytest.fixture
def copy_of_the_app(tmp_path):
    for part in ("core", "pages", "data"):
        shutil.copytree(PROJECT / part, tmp_path / part)
    shutil.copy(PROJECT / "streamlit_app.py", tmp_path)
    return tmp_path


def test_a_new_folder_in_data_is_a_new_example_on_its_page(copy_of_the_app, monkeypatch):
    data = copy_of_the_app / "data"
    shutil.copytree(data / "emma_sentence", data / "my_sentence")
    monkeypatch.setattr("core.presets.DATA", data)
    app = open_page("emma_sentence", copy_of_the_app)
    assert {"emma sentence", "my sentence"} <= set(app.selectbox(key="preset").options)
    app.selectbox(key="preset").select("my_sentence").run()
    assert friend_looks_at_emma(app) == pytest.approx(2.42)


def test_an_example_that_is_changed_on_disk_keeps_its_question_with_its_numbers(copy_of_the_app, monkeypatch):
    data = copy_of_the_app / "data"
    monkeypatch.setattr("core.presets.DATA", data)
    app = open_page("emma_sentence", copy_of_the_app)
    settings = data / "emma_sentence" / "preset.toml"
    changed = re.sub('question = ".*"', 'question = "Another question?"', settings.read_text("utf-8"))
    settings.write_text(changed, "utf-8")
    keys = data / "emma_sentence" / "keys.csv"
    keys.write_text(keys.read_text("utf-8").replace("1.2", "3.4", 1), "utf-8")
    app.run()
    assert friend_looks_at_emma(app) == pytest.approx(2.42)
    assert "Another question?" not in words(app)
    assert "Another question?" in words(open_page("emma_sentence", copy_of_the_app))


def test_the_list_of_tokens_begins_at_the_last_of_another_example():
    def position(app):
        return next(box for box in app.selectbox if box.label == "Which token")

    app = open_page("word_embeddings", preset="three tokens")
    position(app).select(0).run()
    app.selectbox(key="preset").select("i_love_coding").run()
    assert position(app).value == 2


def test_a_broken_folder_is_named_and_the_others_still_open(copy_of_the_app, monkeypatch):
    data = copy_of_the_app / "data"
    shutil.copytree(data / "emma_sentence", data / "broken")
    keys = (data / "broken" / "keys.csv").read_text("utf-8").replace("1.2", "abc", 1)
    (data / "broken" / "keys.csv").write_text(keys, "utf-8")
    monkeypatch.setattr("core.presets.DATA", data)
    app = open_page("emma_sentence", copy_of_the_app)
    assert "broken/keys.csv, row 2, column 2: 'abc' is not a number" in app.warning[0].value
    assert friend_looks_at_emma(app) == pytest.approx(2.42)


@pytest.mark.parametrize("preset", ["emma_sentence", "i_love_coding"])
def test_an_example_without_a_sequence_whose_queries_are_keys_shows_them_all(
    copy_of_the_app, monkeypatch, preset
):
    data = copy_of_the_app / "data"
    settings = data / preset / "preset.toml"
    settings.write_text(f'unordered = "A bag of words."\n{settings.read_text("utf-8")}', "utf-8")
    monkeypatch.setattr("core.presets.DATA", data)
    page, folder, example = PRESETS[preset].page, copy_of_the_app, preset.replace("_", " ")
    tokens = PRESETS[preset].inputs.row_names(token_matrices(PRESETS[preset].inputs.matrices)[0])
    for kind in offered(PRESETS[preset].inputs, unordered=True):
        what_if = KINDS[kind].title
        app = open_page(page, folder, preset=example, only=tokens[-1], what_if=what_if, stage="scores")
        assert what_if in words(app)
        assert sorted(cells(app)["row_name"].unique()) == sorted(tokens)
        assert not app.toggle(key="causal").value
        assert "only" not in [box.key for box in app.selectbox]


def test_an_example_without_values_has_none_in_the_experiment_on_variances(copy_of_the_app, monkeypatch):
    data = copy_of_the_app / "data"
    settings = data / "random_qkv" / "preset.toml"
    without = re.sub(r"\[(axes.value_dimensions|matrices.values)\]\n(.+\n)+", "", settings.read_text("utf-8"))
    settings.write_text(re.sub(r"\noutput = .*", "", without), "utf-8")
    monkeypatch.setattr("core.presets.DATA", data)
    app = open_page("random_qkv", copy_of_the_app, experiment="why √d_k", drawn="true")
    assert app.dataframe[0].value.iloc[:, 0].tolist() == ["Q", "K", "scores", "scores / √dₖ"]
    assert "**K**, 4 × 8" in words(app)
    assert "**V**" not in words(app)
    assert "An output is" not in words(app)


def test_the_one_query_in_view_goes_along_with_its_token_and_like_names_are_told_apart():
    app = open_page("animal_lookup", only="reptile", stage="weights")
    assert cells(app)["row_name"].unique().tolist() == ["reptile"]
    app.selectbox(key="axis").select("queries").run()
    which = next(box for box in app.selectbox if box.label == "Which query")
    which.select(0).run()
    app.text_input(key="new_name").set_value("mammal").run()
    app.button(key="add").click().run()
    app.run()
    assert app.selectbox(key="only").options == ["every query", "1 mammal", "2 mammal", "reptile"]
    assert cells(app)["row_name"].unique().tolist() == ["reptile"]
    app.text_input(key="new_name").set_value("every query").run()
    app.button(key="rename").click().run()
    app.run()
    assert app.selectbox(key="only").options == ["every query", "mammal", "2 every query", "reptile"]
    assert cells(app)["row_name"].unique().tolist() == ["reptile"]


def test_the_weights_in_view_are_those_of_the_stage_until_another_tab_is_chosen():
    app = open_page("word_embeddings", stage="queries")
    assert app.session_state["weight"] == "W_query"
    app.button(key="next").click().run()
    assert app.session_state["stage"] == "keys"
    assert app.session_state["weight"] == "W_key"
    app.session_state["weight"] = "W_value"
    app.run()
    assert app.session_state["weight"] == "W_value"
    app.button(key="next").click().run()
    app.button(key="next").click().run()
    app.button(key="previous").click().run()
    assert (app.session_state["stage"], app.session_state["weight"]) == ("values", "W_value")


@pytest.mark.parametrize(
    ("tokens", "selected", "place", "button", "wanted"),
    [
        ("the cat sat on the mat", "1 the", 0, "remove", None),
        ("the cat sat on the mat", "5 the", 3, "add", "6 the"),
        ("the cat sat on the mat", "5 the", 0, "remove", "4 the"),
    ],
)
def test_a_selected_token_is_not_taken_for_another_of_the_same_name(tokens, selected, place, button, wanted):
    app = open_page(
        "your_vectors",
        query=selected,
        edits=pack({"start": content_of(Recipe(tokens=tuple(tokens.split())))}),
    )
    which = next(box for box in app.selectbox if box.label == "Which token")
    which.select(place).run()
    if button == "add":
        app.text_input(key="new_name").set_value("the").run()
    app.button(key=button).click().run()
    query = app.selectbox(key="query")
    assert query.options[1 + query.value] == (wanted or query.options[0])


def test_a_column_stays_selected_when_it_gets_another_name():
    app = open_page("animal_lookup", stage="output", query="1 mammal", column="2")
    app.selectbox(key="axis").select("value_dimensions").run()
    app.text_input(key="new_name").set_value("other").run()
    app.button(key="rename").click().run()
    assert app.session_state["column"] == 1


def test_undo_of_a_reset_gives_a_what_if_back_at_its_stage():
    app = open_page("emma_sentence")
    app.selectbox(key="what_if").select("masked_zero").run()
    before = (app.session_state["stage"], app.session_state["what_if"], app.session_state["causal"])
    assert before == ("weights", "masked_zero", True)
    app.button(key="reset").click().run()
    assert (app.session_state["stage"], app.session_state["what_if"]) == ("scores", "as defined")
    app.button(key="undo").click().run()
    assert before == (app.session_state["stage"], app.session_state["what_if"], app.session_state["causal"])


def test_undo_of_a_reset_leaves_the_stage_that_one_has_gone_to():
    app = open_page("emma_sentence", scale="true")
    app.button(key="reset").click().run()
    app.segmented_control(key="stage").set_value("weights").run()
    app.button(key="undo").click().run()
    assert (app.session_state["stage"], app.session_state["scale"]) == ("weights", True)


def test_no_link_turns_a_mask_on_where_there_is_none():
    app = open_page("animal_lookup", causal="true", stage="masked")
    assert app.toggle(key="causal").value is False
    assert "causal" not in app.query_params
