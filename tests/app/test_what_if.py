"""Every what-if on every page, through the real entry: its numbers, its banner, and its end."""

import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from core.matrices import rename
from core.sharing import edits_of, pack
from core.ui.labels import QUESTIONS
from core.what_if import KINDS, WhatIf, attend_if, offered
from tests.app.screens import PROJECT, cells, numbers, open_page, type_into, words
from tests.examples import PRESETS

TAUGHT = re.findall(r"http://localhost:8501/([^)]*)\)", (PROJECT / "README.md").read_text("utf-8"))
AMOUNTS = {"temperature": 0.5, "no_maximum": 1000}
CASES = [
    (preset, kind)
    for preset, found in PRESETS.items()
    for kind in offered(found.inputs, bool(found.unordered))
]


def open_if(preset, kind, **link):
    """A page as a link with a what-if opens it, on its weights."""
    return open_preset(preset, what_if=KINDS[kind].title, **({"stage": "weights"} | link))


def open_defined(preset, **link):
    """A page as defined, with both toggles off where the link says nothing else."""
    return open_preset(preset, **({"scale": "false", "causal": "false"} | link))


def open_preset(preset, **link):
    home = PRESETS[preset]
    label = {"preset": preset.replace("_", " ")} if home.page == "word_embeddings" else {}
    return open_page(home.page, **(label | link))


def toggles(preset, kind):
    start = PRESETS[preset].start
    on = {"scale": start.scale, "causal": start.causal}
    return on | ({KINDS[kind].needs: True} if KINDS[kind].needs else {})


@pytest.mark.parametrize(("preset", "kind"), CASES)
def test_every_what_if_shows_its_numbers_and_says_that_it_is_one(preset, kind):
    on = toggles(preset, kind)
    app = open_if(preset, kind, **{name: str(is_on).lower() for name, is_on in on.items()})
    start = PRESETS[preset].start
    what_if = WhatIf(kind, AMOUNTS.get(kind, 1.0), start.query, start.key)
    expected = attend_if(PRESETS[preset].inputs, what_if, **on).steps.weights
    np.testing.assert_allclose(numbers(app), expected, rtol=1e-9, atol=1e-12)
    assert f"**{KINDS[kind].title}.** {KINDS[kind].verdict}" in words(app)


@pytest.mark.parametrize(("preset", "kind"), CASES)
def test_choosing_a_what_if_goes_to_where_it_shows_and_turns_on_what_it_needs(preset, kind):
    app = open_defined(preset)
    app.selectbox(key="what_if").select(kind).run()
    assert app.session_state["stage"] == KINDS[kind].look_at
    if KINDS[kind].needs:
        assert app.toggle(key=KINDS[kind].needs).value is True
    assert KINDS[kind].verdict in words(app)


@pytest.mark.parametrize("preset", PRESETS)
def test_one_click_ends_a_what_if(preset):
    app = open_if(preset, "softmax_over_queries")
    changed = numbers(app)
    app.button(key="end").click().run()
    assert app.selectbox(key="what_if").value == "as defined"
    assert "This is not attention" not in words(app)
    np.testing.assert_allclose(numbers(app).sum(axis=1), 1)
    assert not np.allclose(changed, numbers(app))


NEEDY = [("emma_sentence", "masked_zero", "causal"), ("i_love_coding", "sqrt_d_model", "scale")]


@pytest.mark.parametrize("way", ["end", "end in front of a class", "softmax_over_queries", "as defined"])
@pytest.mark.parametrize(("preset", "kind", "toggle"), NEEDY)
def test_what_a_what_if_turned_on_is_turned_off_after_it(preset, kind, toggle, way):
    app = open_defined(preset)
    app.selectbox(key="what_if").select(kind).run()
    assert app.toggle(key=toggle).value is True
    if way == "end in front of a class":
        app.button(key="present").click().run()
        way = "end"
    (app.button(key="end").click() if way == "end" else app.selectbox(key="what_if").select(way)).run()
    assert app.toggle(key=toggle).value is False


@pytest.mark.parametrize("way", ["end", "as defined"])
@pytest.mark.parametrize("view", [{}, {"present": "true"}])
def test_a_what_if_leads_back_to_the_stage_from_which_it_led(way, view):
    app = open_defined("emma_sentence", stage="masked")
    app.selectbox(key="what_if").select("one_matrix").run()
    assert app.session_state["stage"] == "scores"
    app.selectbox(key="what_if").select("softmax_over_queries").run()
    assert app.session_state["stage"] == "weights"
    if view:
        app.button(key="present").click().run()
        way = "end"
    (app.button(key="end").click() if way == "end" else app.selectbox(key="what_if").select(way)).run()
    assert app.session_state["stage"] == "masked"


def test_who_went_on_from_the_stage_of_a_what_if_stays_there_after_it():
    app = open_defined("emma_sentence", stage="masked")
    app.selectbox(key="what_if").select("one_matrix").run()
    app.button(key="next").click().run()
    app.button(key="end").click().run()
    assert app.session_state["stage"] == "scaled"
    app.selectbox(key="what_if").select("softmax_over_queries").run()
    app.button(key="end").click().run()
    assert app.session_state["stage"] == "scaled"


@pytest.mark.parametrize("turned", ["before", "since"])
@pytest.mark.parametrize("view", [{}, {"present": "true"}])
@pytest.mark.parametrize(("preset", "kind", "toggle"), NEEDY)
def test_what_somebody_turned_on_stays_on_after_a_what_if(preset, kind, toggle, view, turned):
    app = open_defined(preset, **({toggle: "true"} if turned == "before" else {}))
    app.selectbox(key="what_if").select(kind).run()
    if view:
        app.button(key="present").click().run()
    if turned == "since" and view:
        app.pills(key="switches").set_value([]).run()
        app.run()
        app.pills(key="switches").set_value([toggle]).run()
    elif turned == "since":
        app.toggle(key=toggle).set_value(False).run()
        app.toggle(key=toggle).set_value(True).run()
    app.button(key="end").click().run()
    assert app.toggle(key=toggle).value is True


def test_what_a_what_if_turned_on_on_one_page_is_not_turned_off_on_another():
    app = open_defined("emma_sentence")
    app.selectbox(key="what_if").select("masked_zero").run()
    app.switch_page("pages/random_qkv.py").run()
    app.toggle(key="causal").set_value(True).run()
    app.selectbox(key="what_if").select("softmax_over_queries").run()
    assert app.toggle(key="causal").value is True


@pytest.mark.parametrize("link", TAUGHT)
def test_the_readmes_links_to_misconceptions_open_what_they_name(link):
    page, wanted = urlsplit(link).path, dict(parse_qsl(urlsplit(link).query))
    app = open_page(page, **wanted)
    assert not app.toast
    for name in {"stage", "ask"} & set(wanted):
        assert wanted[name] in (app.session_state[name], QUESTIONS.get(app.session_state[name]))
    if "what_if" in wanted:
        kind = next(kind for kind in KINDS.values() if kind.title == wanted["what_if"])
        assert f"**{kind.title}.** {kind.verdict}" in words(app)
    if "query" in wanted:
        assert app.selectbox(key="query").value == int(wanted["query"].split()[0]) - 1


def test_a_what_if_names_the_pair_of_the_link_and_of_clear_in_the_run_that_draws_it():
    link = {"query": "9 friend", "key": "8 great"}
    app = open_page("emma_sentence", what_if="key twice as long", **link)
    assert "The key of `great` is doubled" in words(app)
    assert ":orange[**Keys K**]; the what-if doubles that of `great`" in words(app)
    app.button(key="clear").click().run()
    assert "The key of `Emma` is doubled" in words(app)


def test_masking_after_and_dividing_again_is_said_to_give_the_same_weights():
    app = open_if("emma_sentence", "mask_after_divided", causal="true")
    same = "as defined. It needs the causal mask, which is on. Here, no weight changes."
    assert same in words(app)
    assert "no weight changes" not in words(open_if("emma_sentence", "mask_after", causal="true"))


def test_an_edit_in_an_experiment_tells_of_attention_as_defined_which_is_what_it_shows():
    link = {"what_if": "temperature", "experiment": "meaning space", "query": "9 friend"}
    app = type_into(open_page("emma_sentence", **link), "queries", 8, 0, "2")
    assert "`friend` → `Emma` 0.58 → **0.79**" in words(app)
    assert "Weight 0.79." in words(app)


def test_a_softmax_over_the_queries_has_rows_with_other_sums_than_1():
    app = open_if("emma_sentence", "softmax_over_queries")
    np.testing.assert_allclose(numbers(app).sum(axis=0), 1)
    assert cells(app)["sum_wrong"].all()
    assert "Those of a key, over all queries, sum to 1." in words(app)


def test_masked_scores_of_0_still_get_weight_and_are_outlined():
    app = open_if("emma_sentence", "masked_zero", causal="true")
    frame = cells(app)
    assert (frame["mark"] == "symptom").sum() == 36
    assert frame.loc[1, "text"] == "0.04"
    assert "`hates` gives **0.68** of its weight to masked keys (framed)." in words(app)


def test_too_large_scores_are_not_numbers():
    app = open_if("animal_lookup", "no_maximum")
    assert set(cells(app)["text"]) == {"NaN"}
    assert (
        "**10 of 10** weights are not numbers (framed). With the maximum subtracted, `mammal` → `wolf` is"
        in words(app)
    )
    app.select_slider(key="times").set_value(1).run()
    app.run()
    assert "Nothing overflows yet: the largest score is 54.07. Raise the factor." in words(app)


def test_one_matrix_makes_the_scores_symmetric():
    app = open_if("emma_sentence", "one_matrix", stage="scores")
    np.testing.assert_allclose(numbers(app), numbers(app).T, atol=1e-12)
    assert "`friend` → `Emma` scores **1.00**, and `Emma` → `friend` **1.00**" in words(app)


def test_the_temperature_comes_from_its_slider_and_from_the_link():
    app = open_if("emma_sentence", "temperature", temperature="0.05")
    assert numbers(app)[8, 0] == pytest.approx(1, abs=1e-9)
    app = open_if("emma_sentence", "temperature")
    assert "T = 0.5" in words(app)
    app.select_slider(key="temperature").set_value(20.0).run()
    app.run()
    assert "T = 20: the largest weight of `friend` goes 0.58 → **0.12**" in words(app)
    table = app.dataframe[0].value
    assert list(table.iloc[8]) == ["friend", "0.12", "3.17"]


def test_shuffled_tokens_stand_in_their_new_order_and_the_selection_goes_along():
    app = open_if("emma_sentence", "shuffled", query="9 friend", key="1 Emma")
    marked = cells(app)[cells(app)["mark"] == "selected"]
    assert marked[["row_name", "column_name", "text"]].to_numpy().tolist() == [["friend", "Emma", "0.58"]]
    assert "Every weight went along with its query and key" in words(app)
    assert app.selectbox(key="query").value == 8
    app = open_if("emma_sentence", "shuffled", causal="true")
    assert "weights differ (framed), as other tokens come first now" in words(app)


def test_the_end_of_a_what_if_leaves_the_mask_of_an_example_that_begins_with_it():
    app = open_defined("i_love_coding")
    app.selectbox(key="what_if").set_value("mask_after").run()
    app.selectbox(key="preset").select("three_tokens").run()
    app.button(key="end").click().run()
    assert app.toggle(key="causal").value is True


def test_each_page_undoes_what_came_with_its_own_what_if():
    app = open_defined("i_love_coding", stage="queries")
    app.selectbox(key="what_if").set_value("mask_after").run()
    app.switch_page("pages/emma_sentence.py").run()
    app.selectbox(key="what_if").set_value("temperature").run()
    app.switch_page("pages/word_embeddings.py").run()
    app.run().button(key="end").click().run()
    assert (app.toggle(key="causal").value, app.session_state["stage"]) == (False, "queries")


def test_a_what_if_that_undo_brings_back_ends_as_it_would_have():
    app = open_defined("i_love_coding")
    app.selectbox(key="what_if").set_value("mask_after").run()
    app.button(key="reset").click().run()
    app.button(key="undo").click().run()
    assert app.toggle(key="causal").value is True
    app.button(key="end").click().run()
    assert app.toggle(key="causal").value is False


def test_a_what_if_leaves_a_lesson_at_its_stage_where_the_one_to_look_at_is_not_in_it():
    app = open_page("emma_sentence", stages="scores,scaled", stage="scaled")
    app.selectbox(key="what_if").set_value("temperature").run()
    assert app.session_state["stage"] == "scaled"


def test_a_what_if_that_an_example_does_not_have_is_not_one():
    app = open_page("emma_sentence", what_if="all values equal")
    assert app.selectbox(key="what_if").value == "as defined"
    assert "This is not attention" not in words(app)


def test_a_softmax_over_the_queries_needs_every_query_in_view():
    app = open_if("animal_lookup", "softmax_over_queries", only="reptile")
    assert numbers(app).shape == (2, 5)


def test_what_is_said_of_a_stage_is_silent_where_a_what_if_changes_it():
    assert "give all they see the same weight" in words(open_page("emma_sentence", stage="weights"))
    assert "they see alike" not in words(open_if("emma_sentence", "longer_key"))


@pytest.mark.parametrize("view", [{}, {"present": "true"}])
@pytest.mark.parametrize(
    ("preset", "kind", "toggle", "says"),
    [
        ("emma_sentence", "masked_zero", "causal", "It needs the causal mask, which is on."),
        ("i_love_coding", "sqrt_d_model", "scale", "It needs the scaling, which is on."),
    ],
)
def test_the_banner_says_what_is_needed_only_while_it_is_on(preset, kind, toggle, says, view):
    app = open_if(preset, kind, **{toggle: "true"}, **view)
    assert says in words(app)
    if view:
        others = {"causal", "scale"} - {toggle}
        app.pills(key="switches").set_value([name for name in others if app.toggle(key=name).value]).run()
    else:
        app.toggle(key=toggle).set_value(False).run()
    assert app.toggle(key=toggle).value is False
    assert "Not attention as defined." in words(app)
    assert says not in words(app)


@pytest.mark.parametrize("kind", ["one_matrix", "shuffled"])
def test_a_what_if_is_told_from_the_first_stage_that_it_changes(kind):
    for stage in ("queries", "keys", "values"):
        app = open_page("word_embeddings", stage=stage, what_if=KINDS[kind].title)
        assert "**What if.**" in words(app)
        assert "Each embedding times" not in words(app)
    assert "**What if.**" not in words(open_page("word_embeddings", stage="queries", what_if="temperature"))


def test_a_name_with_a_full_stop_stays_in_one_piece():
    inputs = rename(PRESETS["emma_sentence"].inputs, "tokens", 8, "St. [a](//x). z")
    edits = pack(edits_of(PRESETS["emma_sentence"].inputs, inputs))
    app = open_page("emma_sentence", stage="masked", what_if="everything masked", edits=edits)
    assert "**What if.** The query `St. [a](//x…` may look at no key at all." in words(app)


@pytest.mark.parametrize("what_if", ["mask after softmax", "mask after, rescaled"])
def test_nothing_is_grey_where_the_mask_comes_only_after_the_softmax(what_if):
    app = open_page("emma_sentence", stage="masked", what_if=what_if, causal="true")
    assert not cells(app)["masked"].any()
    assert "Grey: masked." not in words(app)
    app = open_page("emma_sentence", stage="weights", what_if=what_if, causal="true")
    assert cells(app)["masked"].sum() == 36


def test_the_softmax_of_a_query_that_may_look_at_nothing_is_said_to_be_defined():
    app = open_page(
        "emma_sentence", stage="weights", what_if="everything masked", query="9 friend", ask="softmax"
    )
    said = "The softmax of the query `friend`: all is masked, so that each power and their sum are 0."
    assert f"{said} 0 / 0 is no number; it is defined as weights of 0." in words(app)
    assert "subtracted" not in words(app)
    of_another = open_page(
        "emma_sentence", stage="weights", what_if="everything masked", query="1 Emma", ask="softmax"
    )
    assert "all is masked" in words(of_another)  # the blind query is the one that is selected


def test_a_key_twice_as_long_is_told_by_the_key_that_is_doubled_in_one_query_alone():
    app = open_page(
        "animal_lookup", only="reptile", what_if="key twice as long", stage="scores", scale="false"
    )
    assert "Keys K**]; the what-if doubles that of `wolf`" in words(app)
    told = re.search(r"`reptile` → `wolf` scores ([\d.]+) → \*\*([\d.]+)\*\*", words(app))
    wolf = list(cells(app)["column_name"].unique()).index("wolf")
    before = numbers(open_page("animal_lookup", only="reptile", stage="scores", scale="false"))[0][wolf]
    assert [float(number) for number in told.groups()] == pytest.approx([before, 2 * before], abs=0.005)


def test_matrices_of_shuffled_tokens_say_that_they_are_in_the_order_of_before():
    app = open_if("emma_sentence", "shuffled")
    assert words(app).count("; the what-if takes its rows in another order") == 2
    app = open_if("i_love_coding", "shuffled")
    assert words(app).count("; the what-if takes its rows in another order") == 1


def test_matrices_beside_an_experiment_are_not_said_to_be_changed_by_a_what_if_that_waits():
    app = open_page("animal_lookup", experiment="soft lookup", what_if="all values equal")
    assert "The what-if waits, and changes nothing here." in words(app)
    assert "; the what-if" not in words(app)
