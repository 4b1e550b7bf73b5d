"""What an edit did, and what is different from the state that was kept as A."""

import dataclasses

import numpy as np
import pytest

from core.presets import every_preset
from core.sharing import LONGEST_EDITS
from core.snapshots import Snapshot
from core.ui import beginning, comparing
from tests.app.screens import cells, link_of, numbers, open_page, texts, type_into, words

FRIEND, EMMA = 8, 0

TOO_LONG = "A and the edits are too long for one link: a reload forgets A."


def kept(app):
    app.button(key="keep").click().run()
    return app


def compare(app, view):
    app.segmented_control(key="compare").set_value(view).run()
    return app.run()  # a choice of what to look at draws the stages alone


def edited(stage="weights", text="3", **link):
    """Emma, with the Person of the key "Emma" changed."""
    return type_into(open_page("emma_sentence", stage=stage, **link), "keys", EMMA, 0, text)


def test_an_edit_is_said_with_the_three_weights_that_moved_most():
    app = edited()
    assert (
        "**Edit:** keys `Emma` `Person` 1.2 → 3. **Weights moved most:** `she` → `Emma` 0.19 → **0.63**, "
        "`friend` → `Emma` 0.58 → **0.89**, `Emma` → `Emma` 0.61 → **0.92**" in words(app)
    )


@pytest.mark.parametrize(
    ("page", "axis", "button", "said"),
    [
        ("emma_sentence", "tokens", "add", "token `pal` added"),
        ("emma_sentence", "tokens", "rename", "token `friend` → `pal`"),
        ("emma_sentence", "tokens", "remove", "token `friend` removed"),
        ("animal_lookup", "value_names", "rename", "value `ferocious` → `pal`"),
        ("random_qkv", "value_dimensions", "add", "value dimension `pal` added"),
    ],
)
def test_an_edit_of_names_and_sizes_is_said_and_is_in_the_link_and_can_be_undone(page, axis, button, said):
    app = open_page(page)
    app.selectbox(key="axis").set_value(axis).run()
    app.text_input(key="new_name").set_value("pal").run()
    app.button(key=button).click().run()
    assert f"**Edit:** {said}." in words(app)
    other = open_page(page, **link_of(app))
    assert f"**Edit:** {said}." in words(other)
    assert texts(other) == texts(app)
    other.button(key="present").click().run()
    assert f"**Edit:** {said}." in words(other)
    assert "Small and slanted" not in words(other)
    other.button(key="leave").click().run()
    other.button(key="undo").click().run()
    assert "**Edit:**" not in words(other)
    assert texts(other) == texts(open_page(page))


def test_changed_cells_hold_the_number_before():
    frame = cells(edited(stage="scores"))
    moved = frame[frame["old"] != ""]
    assert moved[["row_name", "column_name", "old", "text"]].to_numpy().tolist() == [
        ["Emma", "Emma", "2.78", "4.76"],
        ["she", "Emma", "1.32", "3.30"],
        ["a", "Emma", "1.24", "1.60"],
        ["great", "Emma", "1.60", "2.50"],
        ["friend", "Emma", "2.42", "4.22"],
    ]


def test_the_explanation_of_the_presenter_view_is_of_what_is_looked_at():
    app = kept(open_page("emma_sentence"))
    app.toggle(key="scale").set_value(True).run()
    app.button(key="present").click().run()
    app.segmented_control(key="stage").set_value("explanation").run()
    for view, weight, where in (
        ("B", "3.353 / 11.16 ≈ **0.30**", "**Where"),
        ("A", "11.25 / 19.29 ≈ **0.58**", "**Of A, as you kept it: where"),
        ("B − A", "3.353 / 11.16 ≈ **0.30**", "**Of B, as it is now: where"),
    ):
        said = words(compare(app, view))
        assert f"**Weight** {weight}" in said
        assert f"{where} the number of `friend` → `Emma` comes from**" in said
        taken = "**B − A, weights** `friend` → `Emma`: 0.30 − 0.58 ≈ **−0.28**. Choose A"
        assert (taken in said) == (view == "B − A")


def test_what_is_asked_is_answered_for_what_is_looked_at():
    link = {"query": "9 friend", "key": "1 Emma", "ask": "this number"}
    app = kept(open_page("emma_sentence", stage="weights", **link))
    app = app.toggle(key="scale").set_value(True).run().run()
    of_a, of_b = "**Weight** 11.25 / 19.29 ≈ **0.58**", "**Weight** 3.353 / 11.16 ≈ **0.30**"
    for view, answer, said in (
        ("B", of_b, ""),
        ("A", of_a, "Of A, as you kept it:"),
        ("B − A", of_b, "Of B, as it is now:"),
    ):
        app = compare(app, view).run()
        assert answer in words(app)
        assert said in words(app)
        assert ("Of A" in words(app), "Of B" in words(app)) == (view != "B", view == "B − A")
        assert (of_a in words(app), of_b in words(app)) == (view != "B", view != "A")
    said = words(app)
    places = [said.index(part) for part in (of_b, "Of A, as you kept it:", of_a)]
    assert places == sorted(places)
    app = app.segmented_control(key="ask").set_value("softmax").run().run()
    assert "Of B, as it is now; look at A for those of A:" in words(app)


def test_both_rows_of_a_difference_of_outputs_are_worked_out():
    app = kept(open_page("word_embeddings", stage="output", ask="this number", query="1 I"))
    app = compare(type_into(app, "W_value", 0, 1, "3"), "B − A").run()
    of_b, of_a = words(app).split("Of A, as you kept it:")
    for part, view in ((of_b, "B"), (of_a, "A")):
        for number in texts(compare(app, view).run())[0]:
            assert f"**{number}**" in part


def test_of_an_a_whose_keys_are_others_nothing_is_asked():
    link = {"query": "1 mammal", "key": "5 wolf", "ask": "this number"}
    app = kept(open_page("animal_lookup", stage="output", **link))
    app = compare(app, "A")
    assert "Of A, as you kept it:" in words(app)
    app.selectbox(key="what_if").set_value("shuffled").run()
    app.run()
    app.segmented_control(key="stage").set_value("output").run()
    app.run()
    assert "Of B, as it is now:" in words(app)
    assert "**Into the output** of `mammal`: 0.7416 × value of `wolf`" in words(app)


def test_the_table_holds_the_numbers_of_the_heatmap_whatever_is_looked_at():
    app = kept(open_page("emma_sentence", stage="weights"))
    app.toggle(key="scale").set_value(True).run()
    app.session_state["table"] = True
    app.run()
    for view in ("A", "B", "B − A"):
        app = compare(app, view).run()
        shown = app.dataframe[0].value.iloc[:9, 1:10].astype(float).to_numpy()
        np.testing.assert_allclose(shown, numbers(app), atol=0.0051)


def test_the_change_follows_the_toggles():
    app = edited()
    app.toggle(key="scale").set_value(True).run()
    assert "`friend` → `Emma` 0.30 → **0.51**" in words(app.run())


def test_an_edit_of_the_values_moves_no_weight():
    app = type_into(open_page("animal_lookup", stage="weights"), "values", 0, 0, "9")
    assert "**Edit:** values `furry` `v1` 3.4 → 9. **No weight moved**, the output did" in words(app)
    assert set(cells(app)["old"]) == {""}


def test_a_query_that_sees_one_key_gives_it_all_whatever_its_score():
    app = type_into(open_page("random_qkv", stage="weights"), "queries", 0, 0, "2.5")
    assert "**No weight moved**, the scores did: `token 0` sees one key alone, which gets all." in words(app)
    app.toggle(key="causal").set_value(False).run()
    assert "No weight moved" not in words(app.run())


def test_a_weight_that_moved_by_next_to_nothing_has_moved():
    app = type_into(open_page("animal_lookup", stage="weights", only="reptile"), "keys", 0, 0, "-2.5")
    assert float(numbers(app)[0, 0]) == pytest.approx(4.1e-19, rel=0.1)
    assert "**Weights moved most:** `reptile` → " in words(app)
    assert "No weight moved" not in words(app)


def test_what_the_edit_did_can_be_hidden_and_comes_back_with_the_next():
    app = edited()
    app.button(key="hide").click().run()
    assert "**Edit:**" not in words(app)
    assert set(cells(app)["old"]) == {""}
    assert "**Try it.**" not in words(app), "it says what the example's own numbers do"
    assert "**Edit:** keys `Emma` `Animal` 0.8 → 2." in words(type_into(app, "keys", EMMA, 1, "2"))


def test_undo_to_the_start_and_reset_leave_nothing_to_compare():
    app = edited()
    app.button(key="undo").click().run()
    assert "**Edit:**" not in words(app)
    app = edited()
    app.button(key="reset").click().run()
    assert "**Edit:**" not in words(app)


def test_a_bad_cell_is_said_before_anything_else():
    app = type_into(edited(), "keys", EMMA, 1, "abc")
    assert "'abc' is not a number" in words(app)
    assert "**Edit:**" not in words(app)


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_a_b_and_their_difference(stage):
    app = kept(open_page("emma_sentence", stage=stage))
    a = numbers(app)
    app = type_into(app, "keys", EMMA, 0, "3")
    b = numbers(app)
    np.testing.assert_allclose(numbers(compare(app, "A")), a, rtol=1e-9)
    assert "as you kept it:** “Emma hates games but she is a great friend”, not scaled, no mask." in words(
        app
    )
    np.testing.assert_allclose(numbers(compare(app, "B − A")), b - a, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(numbers(compare(app, "B")), b, rtol=1e-9)


def test_the_difference_of_the_pair_is_worked_out():
    app = compare(type_into(kept(open_page("emma_sentence")), "keys", EMMA, 0, "3"), "B − A")
    assert "`friend` → `Emma`: 4.22 − 2.42 = **1.80**" in words(app)
    rounded = kept(open_page("emma_sentence", decimals="1 decimal"))
    assert "`friend` → `Emma`: 4.2 − 2.4 ≈ **1.8**" in words(
        compare(type_into(rounded, "keys", EMMA, 0, "3"), "B − A")
    )


def test_a_number_taken_from_minus_infinity_equals_minus_infinity():
    app = kept(open_page("emma_sentence", stage="masked", query="1 Emma", key="9 friend"))
    app.toggle(key="causal").set_value(True).run()
    assert "`Emma` → `friend`: −∞ − 0.90 = **−∞**" in words(compare(app, "B − A").run())


def test_a_hall_is_told_why_a_difference_of_masked_scores_has_no_number():
    app = compare(kept(open_page("emma_sentence", stage="masked", causal="true")), "B − A")
    app.button(key="present").click().run()
    assert "Grey without a number: masked in both, and −∞ − (−∞) is none." in words(app)
    app = compare(kept(open_page("emma_sentence", stage="weights")), "B − A")
    assert "`friend` → `Emma`: 0.58 − 0.58 = **0.00**" in words(app)


def test_all_stages_say_whether_they_are_of_a_or_differences():
    app = type_into(kept(open_page("random_qkv", stage="all")), "keys", 0, 0, "3")
    assert "**weights**, B\n" in words(app)
    assert "**weights**, A\n" in words(compare(app, "A"))
    assert "**weights**, B − A\n" in words(compare(app, "B − A"))


def test_weights_and_their_difference_are_not_said_to_have_one_scale():
    app = type_into(kept(open_page("emma_sentence", stage="weights")), "keys", EMMA, 0, "3")
    assert "one scale" not in words(compare(app, "B − A"))


def test_colours_have_one_scale_in_a_b_and_their_difference():
    app = type_into(kept(open_page("emma_sentence")), "keys", EMMA, 0, "3")
    for view, number in (("A", 2.42), ("B", 4.22), ("B − A", 1.8)):
        frame = cells(compare(app, view))
        assert frame["shade"].iloc[FRIEND * 9] == pytest.approx(number / 4.76)
        is_of_another = view != "B"  # B has the 4.76
        assert ("strongest at ±4.76, one scale for A, B and B − A." in words(app)) == is_of_another


def test_an_edit_beside_which_the_scale_is_wider_says_whose_the_scale_is():
    app = type_into(kept(open_page("emma_sentence")), "queries", FRIEND, 0, "-3")
    assert "strongest at ±4.80, one scale for A, B and B − A." in words(app)
    assert "as in scores" not in words(app)


def test_a_difference_of_masked_cells_is_masked():
    app = open_page("emma_sentence", stage="masked")
    app.toggle(key="causal").set_value(True).run()
    app = kept(app.run())
    app = type_into(app, "keys", EMMA, 0, "3")
    app.selectbox(key="query").set_value(0)
    app.selectbox(key="key").set_value(8).run()
    app = compare(app, "B − A")
    frame = cells(app)
    assert frame["masked"].sum() == 36
    assert set(frame["text"][frame["masked"]]) == {""}
    assert set(frame["precise"][frame["masked"]]) == {"none, as both are masked"}
    assert "`Emma` → `friend`: masked in A and in B, and −∞ − (−∞) is no number." in words(app)
    app.toggle(key="causal").set_value(False).run()
    frame = cells(app.run())
    assert frame["masked"].sum() == 0
    assert (frame["text"] == "∞").sum() == 36


def test_a_survives_edits_toggles_and_a_change_of_page_until_it_is_forgotten():
    app = kept(open_page("emma_sentence"))
    a = numbers(app)
    app = type_into(app, "queries", FRIEND, 3, "3")
    app.switch_page("pages/animal_lookup.py").run()
    said = "A does not have the tokens of this page in the same places, so it cannot be compared here."
    assert said in words(app)
    app.switch_page("pages/emma_sentence.py").run()
    app.toggle(key="scale").set_value(True).run()
    np.testing.assert_allclose(numbers(compare(app.run(), "A")), a, rtol=1e-9)
    app.button(key="forget").click().run()
    assert "as you kept it" not in words(app)
    assert app.button(key="keep").label == "Keep as A"


def test_where_only_the_outputs_can_be_compared_a_can_still_be_left():
    app = compare(kept(open_page("animal_lookup", stage="output")), "A")
    app.selectbox(key="axis").set_value("keys").run()
    app.text_input(key="new_name").set_value("ape").run()
    app.button(key="add").click().run()
    assert "A, output, as you kept it" in words(app)
    assert "Of A, only output can be compared" in words(app)
    assert "as you kept it" not in words(compare(app, "B"))


def test_the_table_of_a_temperature_is_there_for_what_is_in_view_alone():
    app = kept(open_page("emma_sentence", stage="weights"))
    app.selectbox(key="what_if").set_value("temperature").run()
    tables = {view: len(compare(app, view).dataframe) for view in ("B", "A", "B − A")}
    assert (tables["A"], tables["B − A"]) == (tables["B"] - 1, tables["B"] - 1)


def test_a_is_compared_with_another_example_of_the_same_tokens_alone():
    app = kept(open_page("word_embeddings", stage="weights"))
    app.selectbox(key="preset").select("three_tokens").run()
    assert "A does not have the tokens of this page" in words(app)
    assert app.segmented_control(key="compare").disabled
    app.selectbox(key="preset").select("i_love_coding").run()
    assert "A does not have the tokens of this page" not in words(app)


def test_a_link_with_one_query_in_view_and_a_what_if_for_all_can_be_compared_as_the_screen_could():
    app = kept(open_page("animal_lookup", stage="scores", only="reptile", what_if="softmax over queries"))
    fresh = open_page("animal_lookup", **dict(app.query_params))
    for shown in (app, fresh):
        assert shown.query_params["a"]
        assert "cannot be compared" not in words(shown)
        assert not shown.segmented_control(key="compare").disabled


def test_a_move_that_the_decimals_do_not_show_is_told_without_them():
    app = type_into(open_page("emma_sentence"), "keys", EMMA, 0, "1.2001")
    assert "**Weights moved most:** none by 0.01 or more" in words(app)
    app.selectbox(key="decimals").select("4 decimals").run()
    app.run()  # the decimals draw the stages alone
    assert "none by" not in words(app)


def test_the_weight_that_moved_most_is_told_where_only_smaller_moves_show_in_the_decimals():
    app = type_into(open_page("emma_sentence", stage="weights"), "keys", EMMA, 0, "8")
    app = type_into(app, "queries", FRIEND, 0, "1.1")
    assert texts(app)[FRIEND][EMMA] == "1.00"
    told = words(app).partition("**Weights moved most:** ")[2]
    assert told.startswith("`friend` → `Emma` 0.999 → **1.000**, `friend` → `great` 0.0002 → **9.0e−5**,")


def test_a_number_that_cannot_be_used_is_told_before_a_link_that_cannot():
    app = open_page("emma_sentence", edits="1zzz")
    assert "The edits in this link cannot be used" in words(app)
    app = type_into(app, "queries", FRIEND, 0, "abc")
    assert app.main.text[0].value.startswith("queries, row 'friend', column 'Person': 'abc' is not a number")


def test_a_removed_token_ends_the_comparison_but_not_a():
    app = kept(open_page("emma_sentence", stage="weights"))
    app.button(key="remove").click().run()
    assert app.segmented_control(key="compare").disabled
    assert numbers(app).shape == (8, 8)
    app.button(key="undo").click().run()
    assert numbers(compare(app, "A")).shape == (9, 9)


def test_a_dimension_is_not_compared_with_another_that_stands_where_it_stood():
    app = kept(open_page("emma_sentence", stage="weights"))
    app.selectbox(key="axis").set_value("dimensions").run()
    app.button(key="remove").click().run()
    app.button(key="add").click().run()
    assert len(app.session_state["kept"].snapshot.inputs.axes["dimensions"].names) == 4
    assert "**Since A:** other names. **Weights moved most:**" in words(app)


def test_weights_that_become_numbers_have_moved_since_a():
    app = open_page("emma_sentence", stage="weights", what_if="no max subtracted", times="10000")
    app = kept(app)
    app.selectbox(key="what_if").set_value("as defined").run()
    app = type_into(app.run(), "keys", EMMA, 1, "0.9")
    assert "NaN → **0." in words(app)


def test_values_that_are_others_than_in_a_are_told_with_the_output():
    app = type_into(kept(open_page("animal_lookup", stage="output")), "values", 0, 0, "9")
    told = "**No weight moved**, the output did: weights do not depend on V."
    assert told in words(app)
    assert "**Since A:** values `furry` `v1` 3.4 → 9." in words(app)


def test_the_end_of_a_what_if_of_a_is_told():
    app = kept(open_page("emma_sentence", stage="weights", what_if="temperature"))
    app.selectbox(key="what_if").set_value("as defined").run()
    assert "**Since A:** no more “temperature”. **Weights moved most:**" in words(app.run())


def test_editors_say_that_they_hold_the_numbers_of_b_while_others_of_a_are_in_view():
    told = "these are B’s; A was kept with others"
    app = kept(open_page("emma_sentence", stage="weights"))
    app.segmented_control(key="compare").set_value("A").run()
    assert told not in words(app)
    app = type_into(app, "keys", EMMA, 0, "3")
    assert f":orange[**Keys K**]; {told}" in words(app)
    assert words(app).count(told) == 1
    for view, count in (("B", 0), ("A", 1)):
        app.segmented_control(key="compare").set_value(view).run()
        assert words(app).count(told) == count
    app.segmented_control(key="stage").set_value("all").run()
    assert words(app).count(told) == 1


def test_what_moved_since_a_is_said_in_place_of_the_edit():
    app = kept(open_page("emma_sentence", stage="weights"))
    assert "**A is kept.** Change something and compare." in words(app)
    app = type_into(app, "keys", EMMA, 0, "3")
    moved = "**Weights moved most:** `she` → `Emma` 0.19 → **0.63**"
    assert f"**Since A:** keys `Emma` `Person` 1.2 → 3. {moved}" in words(app)
    app = type_into(app, "keys", EMMA, 1, "2")
    assert "**Since A:** keys `Emma` `Person` 1.2 → 3 and 1 more. **Weights moved most:**" in words(app)
    app.button(key="undo").click().run()
    app.button(key="undo").click().run()
    app.toggle(key="scale").set_value(True).run()
    assert "**Since A:** scaling on. **Weights moved most:** `Emma` → `Emma` 0.6" in words(app)
    app.toggle(key="causal").set_value(True).run()
    app = type_into(app, "keys", EMMA, 0, "3")
    assert "**Since A:** keys `Emma` `Person` 1.2 → 3, scaling on, causal mask on. **Weights" in words(app)
    assert set(cells(app)["old"]) == {""}
    assert "hide" not in [button.key for button in app.button]


def test_an_a_of_another_page_leaves_the_edit_to_be_said_and_hidden():
    app = kept(open_page("animal_lookup"))
    app.switch_page("pages/emma_sentence.py").run()
    app = type_into(app.run(), "keys", EMMA, 0, "3")
    assert "**Edit:** keys `Emma` `Person` 1.2 → 3." in words(app)
    assert "hide" in [button.key for button in app.button]


def test_an_edit_since_a_that_moves_no_weight_is_told_of_as_such():
    app = kept(open_page("random_qkv"))
    assert "**A is kept.** Change something and compare." in words(app)
    app = type_into(app, "queries", 0, 0, "3")
    said = ". **No weight moved**, the scores did: `token 0` sees one key alone, which gets all."
    assert said in words(app)
    assert "Change something and compare" not in words(app)


def test_an_a_for_which_a_link_has_no_room_is_told_of_and_leaves_no_other_in_it():
    app = kept(open_page("emma_sentence"))
    assert "a" in app.query_params
    assert TOO_LONG not in words(app)
    small = app.session_state["kept"]
    app.session_state["kept"] = dataclasses.replace(small, text="1" + "x" * LONGEST_EDITS)
    app.run()
    assert "a" not in app.query_params
    assert TOO_LONG in words(app)
    app.session_state["kept"] = small
    app.run()
    assert app.query_params["a"] == small.text


def test_a_is_in_the_link_of_a_page_that_one_comes_back_to_where_its_edits_leave_room():
    edits, text = "1" + "e" * 2600, "1" + "x" * 2900
    state = {"kept": comparing.Kept(None, None, text)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(comparing.st, "session_state", state)
        assert comparing.parameters(edits, "emma_sentence") == {}
        assert comparing.parameters(edits[:2400], "emma_sentence") == {"a": text}


def test_a_leaves_the_link_room_for_what_its_lesson_began_with():
    edits, text, lesson = "1" + "e" * 2000, "1" + "x" * 2399, "1" + "y" * 999
    preset = every_preset()[0]["emma_sentence"]
    snapshot = Snapshot(preset, None, preset.inputs, True, True, None, None)
    began = {"emma_sentence": beginning.Beginning(lesson, snapshot)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(comparing.st, "session_state", {"kept": comparing.Kept(None, None, text)})
        assert comparing.parameters(edits, "emma_sentence") == {"a": text}
        comparing.st.session_state["beginnings"] = began
        assert comparing.parameters(edits, "emma_sentence") == {}
        assert comparing.parameters(edits[:-1], "emma_sentence") == {"a": text}
        assert comparing.parameters(edits, "random_qkv") == {"a": text}


def test_a_difference_can_be_left_in_the_presenter_view_of_a_what_if():
    app = kept(open_page("emma_sentence", stage="weights", what_if="temperature"))
    app = compare(app, "B − A")
    app.button(key="present").click().run()
    assert "**B − A, weights.**" in words(app)
    again = open_page("emma_sentence", **{name: text for name, text in app.query_params.items()})
    assert "**B − A, weights.**" in words(again)
    for view, is_difference in (("B", False), ("B − A", True)):
        assert ("**B − A, weights.**" in words(compare(again, view))) == is_difference


def test_the_explanation_of_an_a_with_other_outputs_is_of_the_pair():
    app = kept(open_page("random_qkv", stage="output", query="2 token 1", key="1 token 0"))
    app.selectbox(key="axis").select("value_dimensions").run()
    app.text_input(key="new_name").set_value("v9").run()
    app.button(key="add").click().run()
    app.session_state["column"] = 8
    app = compare(app.run(), "A")
    app.button(key="present").click().run()
    for view, said in (("A", "`token 1` → `token 0`"), ("B", "`token 1`, `v9`")):
        app = compare(app, view)
        app.segmented_control(key="stage").set_value("explanation").run()
        assert f"here the number of {said} comes from**" in words(app)
