"""What a link gives back, through the real entry: edits, A, lessons; and links that cannot be used."""

import numpy as np
import pytest

from core.matrices import rename, set_cells
from core.presets import of_page
from core.recipes import Recipe, content_of
from core.sharing import LONGEST_EDITS, LONGEST_LINK, edits_of, pack
from core.ui import state
from tests.app.screens import cells, edits_of_length, link_in, link_of, numbers, open_page, type_into, words
from tests.servers import PAGES

STAGE_LINKS = [
    ("emma_sentence", {"stage": "weights", "causal": "true"}, "queries"),
    ("random_qkv", {"stage": "output", "scale": "false"}, "values"),
    ("word_embeddings", {"preset": "three tokens", "stage": "scores"}, "W_query"),
    ("animal_lookup", {"stage": "weights", "only": "reptile"}, "keys"),
    ("your_vectors", {"stage": "weights", "layout": "C x T"}, "keys"),
]


def edited(app) -> str:
    return app.query_params["edits"]


@pytest.mark.parametrize(("page", "link", "matrix"), STAGE_LINKS)
def test_a_link_gives_back_the_numbers_it_was_copied_from(page, link, matrix):
    app = type_into(open_page(page, **link), matrix, 1, 1, "1/3")
    app = type_into(app, matrix, 0, 0, "-2,5")
    said = words(app)
    shared = link_of(app)
    assert shared.items() >= link.items()
    other = open_page(page, **shared)
    assert cells(other).equals(cells(app))
    assert words(other) == said
    assert "**Edit:** " in words(other)
    assert link_of(other) == shared
    other.button(key="undo").click().run()
    assert np.array_equal(numbers(other), numbers(type_into(open_page(page, **link), matrix, 1, 1, "1/3")))
    assert other.button(key="undo").disabled


def test_a_link_tells_of_no_edit_whose_effect_is_hidden():
    app = type_into(open_page("emma_sentence"), "queries", 8, 0, "2")
    told = edited(app)
    app.button(key="hide").click().run()
    assert edited(app) != told
    other = open_page("emma_sentence", edits=edited(app))
    assert float(numbers(other)[8, 0]) == pytest.approx(3.62)
    assert "**Edit:** " not in words(other)
    assert other.button(key="undo").disabled


def test_sharing_says_that_a_cell_that_cannot_be_used_is_left_out():
    app = type_into(open_page("emma_sentence"), "queries", 8, 0, "2")
    assert link_of(app) == {"edits": edited(app)}
    assert "example, edits and what the last one did, toggles" in words(app)
    assert "A cell that cannot be used" not in words(app)
    app = type_into(app, "queries", 8, 1, "two")
    assert link_of(app) == {"edits": edited(app)}
    assert "and A. A cell that cannot be used holds its last good number there." in words(app)


def test_an_edit_that_gives_the_example_back_is_told_by_its_link():
    app = type_into(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"), "queries", 8, 0, "1")
    other = open_page("emma_sentence", edits=edited(app))
    assert float(numbers(other)[8, 0]) == pytest.approx(2.42)
    assert "**Edit:** queries `friend` `Person` 2 → 1. " in words(other)


def test_what_was_before_is_left_out_of_a_link_where_it_leaves_too_little_room():
    recipe = Recipe(tokens=tuple(f"token{i}" for i in range(16)), d_k=8, random=False)
    app = open_page("your_vectors", edits=pack({"start": content_of(recipe)}))
    for seed in (1, 2):
        draw = np.random.default_rng(seed).normal(size=(16, 8))
        text = "\n".join(",".join(map(str, row)) for row in draw.tolist())
        app.button(key="open-load").click().run()
        app.file_uploader[0].upload("q.csv", text.encode()).run()
        app.button(key="use").click().run()
    assert "**Edit:** " in words(app)
    link_of(app)
    assert "example, edits (not what the last one did: there is no room), toggles" in words(app)
    other = open_page("your_vectors", edits=edited(app))
    assert np.array_equal(numbers(other), numbers(app))
    assert "**Edit:** " not in words(other)


def test_an_unedited_page_adds_nothing_but_its_toggles():
    assert link_of(open_page("emma_sentence")) == {}
    assert link_of(open_page("emma_sentence", causal="true")) == {"causal": "true"}


def test_names_and_sizes_are_in_the_link():
    app = open_page("emma_sentence")
    app.text_input(key="new_name").set_value("<b>Verb</b> & co").run()
    app.button(key="add").click().run()
    app.button(key="undo").click().run()
    assert "edits" not in app.query_params
    app.text_input(key="new_name").set_value("<b>Verb</b> & co").run()
    app.button(key="add").click().run()
    other = open_page("emma_sentence", **link_of(app))
    assert other.data_editor[0].value["name"].tolist()[-1] == "<b>Verb</b> & co"
    assert numbers(other).shape == (10, 10)


def test_the_address_follows_undo_reset_and_another_example():
    app = type_into(open_page("word_embeddings"), "W_query", 0, 0, "5")
    one = edited(app)
    app = type_into(app, "W_query", 0, 1, "6")
    assert edited(app) != one
    app.button(key="undo").click().run()
    assert edited(app) == one
    app.selectbox(key="preset").select("three_tokens").run()
    assert "edits" not in app.query_params
    app.selectbox(key="preset").select("i_love_coding").run()
    assert edited(app) == one
    app.button(key="reset").click().run()
    assert "edits" not in app.query_params


BROKEN = {
    "cut": (lambda text: text[:-3], "it was cut or changed on its way"),
    "changed": (lambda text: text[:9] + ("A" if text[9] != "A" else "B") + text[10:], "changed"),
    "newer": (lambda text: "9" + text[1:], "it was made by a newer version of this app"),
    "nonsense": (lambda text: "<script>alert(1)</script>", "it was cut or changed on its way"),
    "huge": (lambda text: "1" + "A" * 7000, "it has 7,001 characters; at most 6,000 can be used"),
    "another example": (lambda text: text, "it is of another page, or its example has changed since"),
    "what is of no page": (lambda text: pack({"colour": "red"}), "it was cut or changed on its way"),
}


@pytest.mark.parametrize(("broken", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_link_gives_the_example_and_one_sentence(broken, reason):
    text = edited(type_into(open_page("emma_sentence"), "queries", 8, 0, "2"))
    page = "word_embeddings" if broken(text) == text else "emma_sentence"
    app = open_page(page, edits=broken(text))
    assert "The edits in this link cannot be used: " in words(app)
    assert reason in words(app)
    assert "This is the example without them." in words(app)
    assert "edits" not in app.query_params
    assert np.array_equal(numbers(app), numbers(open_page(page)))
    app.button(key="reset").click().run()
    assert "This is the example without them." not in words(app)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "your_vectors"])
def test_a_link_of_vectors_of_ones_own_is_refused_on_every_other_page(name):
    recipe = Recipe(tokens=("a", "b"), d_k=2, random=False)
    app = open_page(name, edits=pack({"start": content_of(recipe)}))
    assert "The edits in this link cannot be used: it is of another page" in words(app)
    assert "edits" not in app.query_params


def test_too_many_edits_for_a_link_are_said_to_be_so_and_stay_on_the_page():
    recipe = Recipe(tokens=tuple(f"token{i}" for i in range(64)), d_k=64, random=False)
    app = open_page("your_vectors", edits=pack({"start": content_of(recipe)}))
    draw = np.random.default_rng(1).normal(size=(64, 64))
    text = "\n".join(",".join(map(str, row)) for row in draw.tolist())
    app.button(key="open-load").click().run()
    app.file_uploader[0].upload("q.csv", text.encode()).run()
    app.button(key="use").click().run()
    assert "These are too many edits for a link" in words(app)
    assert "edits" not in app.query_params
    app.button(key="open-share").click().run()
    assert "Save it as a zip; Load opens the zip again." in app.warning[0].value
    assert len(app.code) == 0


@pytest.mark.parametrize("fits", [True, False])
def test_the_address_bar_the_page_and_share_agree_on_whether_there_is_room_in_a_link(fits):
    shortest = LONGEST_EDITS - 50 if fits else LONGEST_EDITS + 1
    app = open_page("your_vectors", edits=edits_of_length(shortest, shortest + 49))
    assert (
        app.session_state["worksheets"]["your_vectors"].inputs.matrices["queries"].values[0, 0] == 0.345584192
    )
    assert ("These are too many edits for a link" in words(app)) is not fits
    assert ("edits" in app.query_params) is fits
    app.button(key="open-share").click().run()
    assert len(app.code) == fits
    if fits:
        assert edited(app) in app.code[0].value


def test_a_is_in_the_link_and_comes_back_with_what_it_is_compared_with():
    app = open_page("emma_sentence", what_if="temperature", temperature="0.1")
    app.button(key="keep").click().run()
    app = type_into(app, "queries", 8, 0, "3")
    app.selectbox(key="what_if").select("as defined").run()
    app.get_by_key("compare").set_value("B − A").run()
    app.run()  # the comparison draws the stages alone
    shared = {**link_of(app), "compare": "B − A"}  # which the browser adds
    other = open_page("emma_sentence", **shared)
    assert np.array_equal(numbers(other), numbers(app))
    assert other.get_by_key("compare").value == "B − A"
    assert "what if: temperature" in other.sidebar.caption[0].value
    assert link_of(other) == shared
    other.button(key="forget").click().run()
    assert "a" not in other.query_params
    assert "kept" not in other.session_state


def test_an_a_that_cannot_be_used_is_said_to_be_so():
    app = open_page("emma_sentence", a="1nonsense")
    assert "The A in this link cannot be used: it was cut or changed on its way." in words(app)
    assert float(numbers(app)[8, 0]) == pytest.approx(2.42)
    assert "a" not in app.query_params


def toasts(app) -> list[str]:
    return [toast.value for toast in app.toast]


@pytest.mark.parametrize(
    ("page", "link", "named"),
    [
        ("emma_sentence", {"stage": "foo"}, "`stage=foo`"),
        ("emma_sentence", {"stage": "output"}, "`stage=output`"),
        ("emma_sentence", {"query": "9 foe", "key": "1 Emma"}, "`query=9 foe`"),
        ("emma_sentence", {"column": "2", "ask": "anything"}, "`column=2` and `ask=anything`"),
        ("emma_sentence", {"what_if": "temperature", "temperature": "3"}, "`temperature=3`"),
        ("emma_sentence", {"what_if": "all values equal"}, "`what_if=all values equal`"),
        ("emma_sentence", {"decimals": "5 decimals"}, "`decimals=5 decimals`"),
        ("emma_sentence", {"compare": "A"}, "`compare=A`"),
        ("emma_sentence", {"hide": "reset,<b>", "stages": "scores,values"}, "`hide=<b>` and `stages=values`"),
        ("emma_sentence", {"layout": "[x](http://x)" * 9}, "`layout=[x](http://x)[x](http://x)[x](ht…`"),
        ("emma_sentence", {"what_if": ""}, ""),
        ("emma_sentence", {"temperature": "0.1"}, ""),
        ("emma_sentence", {"causal": "TRUE", "scale": "False", "table": "true", "code": "maybe"}, ""),
        ("emma_sentence", {"causal": "maybe"}, "`causal=maybe`"),
        ("animal_lookup", {"causal": "true"}, "`causal=true`"),
        ("random_qkv", {"experiment": "why √d_k", "drawn": "true"}, ""),
        (
            "emma_sentence",
            dict.fromkeys(("layout", "stage", "key", "query", "ask"), "9"),
            "`layout=9`, `stage=9`, `key=9` and 2 more",
        ),
        ("word_embeddings", {"preset": "four tokens"}, "`preset=four tokens`"),
        ("animal_lookup", {"only": "dog"}, "`only=dog`"),
        ("word_embeddings", {"experiment": "heads", "heads": "70"}, "`heads=70`"),
        ("random_qkv", {"experiment": "soft lookup"}, "`experiment=soft lookup`"),
        ("animal_lookup", {"experiment": "soft lookup", "blend": "0.50"}, ""),
        ("random_qkv", {"experiment": "why √d_k", "seed": "01"}, ""),
    ],
)
def test_what_a_link_asks_for_and_a_page_does_not_have_is_named(page, link, named):
    app = open_page(page, **link)
    said = f"The link asks for {named}, which this page does not have."
    assert toasts(app) == ([said] if named else [])
    assert not toasts(app.run())


def style(app) -> str:
    return "".join(element.value for element in app.html if element.value.startswith("<style>."))


def test_a_lesson_link_hides_what_it_names_and_leaves_its_stages():
    app = open_page("emma_sentence", hide="reset,answers,<b>", stages="scores,weights,<b>")
    assert style(app).startswith("<style>.st-key-reset, .st-key-asked, ")
    assert app.get_by_key("stage").options == ["scores", "weights"]
    app.button(key="next").click().run()
    assert app.session_state["stage"] == "weights"
    app.run()  # a step draws the stages alone
    assert app.button(key="next").disabled
    assert link_of(app) == {"hide": "reset,answers", "stages": "scores,weights", "stage": "weights"}


@pytest.mark.parametrize("stage", ["weights", "all"])
def test_a_lesson_without_answers_marks_no_number_as_worked_out(stage):
    assert "worked" in set(cells(open_page("emma_sentence", stage=stage))["mark"])
    app = open_page("emma_sentence", stage=stage, hide="answers")
    assert set(cells(app)["mark"]) == {""}
    assert "≈ **0.58**" not in words(app)


def test_the_share_dialog_builds_lesson_links():
    app = open_page("emma_sentence", stage="weights")
    app.button(key="open-share").click().run()
    app.get_by_key("lesson-hidden").set_value(["what if", "reset"]).run()
    app.get_by_key("lesson-stages").set_value(["weights"]).run()
    assert link_in(app) == {"stage": "weights", "hide": "reset,what if", "stages": "weights"}
    assert "what-if and A." in words(app)
    app.get_by_key("lesson-stages").set_value(["scaled", "masked"]).run()
    assert link_in(app) == {"hide": "reset,what if", "stages": "scaled,masked"}
    assert "what-if and A, but begins with scaled." in words(app)
    elsewhere = open_page("emma_sentence", stages="queries", stage="weights")
    assert link_of(elsewhere) == {"stage": "weights", "stages": "queries"}
    assert "what-if and A." in words(elsewhere)


def test_no_link_of_ten_edited_cells_is_longer_than_300_characters():
    app = open_page("emma_sentence")
    for cell, text in enumerate(["1.5", "-2", "0.25", "3", ".7", "1/3", "2.125", "-0.5", "9", "1e-3"]):
        app = type_into(app, "queries" if cell % 2 else "keys", cell % 9, cell % 4, text)
    app.button(key="open-share").click().run()
    assert len(app.code[0].value) <= 300 - len("https://classroom.example.org")
    assert len(edited(app)) < LONGEST_LINK


def test_edited_cells_of_the_animals_are_told_with_their_matrix_and_a_hostile_name_as_text():
    hostile = "**bold** ![x](http://elsewhere/a.png) :red[hi]"
    preset = of_page("animal_lookup")[0]["animal_lookup"].inputs
    edited = set_cells(rename(preset, "keys", 0, hostile), {("keys", 0, 0): 7.0, ("queries", 0, 0): 3.0})
    app = open_page("animal_lookup", edits=pack(edits_of(preset, edited)))
    assert (
        f"**Edited:** key `kitten` → `{hostile}`; queries, `mammal, d1`: `8.7` → `3`; "
        f"keys, `{hostile}, d1`: `9.1` → `7`" in words(app)
    )


def test_undo_after_back_leads_on_backwards(monkeypatch):
    app = open_page("emma_sentence")
    links = []
    for text in ("3", "2"):
        type_into(app, "queries", 8, 0, text)
        links.append(dict(app.query_params))
    monkeypatch.setattr(state, "_goes_back", lambda: True)
    for name, texts in links[0].items():
        app.query_params[name] = texts
    app.run()
    monkeypatch.undo()
    assert numbers(app.run())[8, 0] == pytest.approx(4.82)
    app.button(key="undo").click().run()
    assert numbers(app.run())[8, 0] == pytest.approx(2.42)
    assert app.button(key="undo").disabled
