"""A link for a lesson says what it hides and which stages it leaves, and nothing else comes of it."""

import itertools
import re
from typing import get_args

import pytest

from core.lessons import HIDEABLE, Lesson, lesson_in, not_in_lesson, parameters
from core.stages import StageName
from core.ui.lesson_style import IN_SIDEBAR, PLACES, SIDEBAR, SWITCHBOARD, lesson_style

STAGES = get_args(StageName)
EVERYTHING = Lesson(HIDEABLE, STAGES)
SELECTORS = [selector for selectors in PLACES.values() for selector in selectors.split(", ")]


def of(found):
    return lesson_in(found.get("hide", ""), found.get("stages", ""))


def selectors_of(sheet):
    """What a style sheet of one rule hides."""
    before, after = "<style>", " { display: none; }</style>"
    assert sheet.startswith(before)
    assert sheet.endswith(after)
    return sheet[len(before) : -len(after)].split(", ")


def test_a_link_without_a_lesson_hides_nothing_and_leaves_all_stages():
    assert lesson_in("", "") == Lesson((), ())
    assert parameters(Lesson()) == {}
    assert lesson_style(Lesson()) == ""


def test_a_lesson_is_written_in_words():
    lesson = Lesson(("causal mask", "what if"), ("scores", "weights"))
    assert parameters(lesson) == {"hide": "causal mask,what if", "stages": "scores,weights"}
    assert parameters(Lesson(("save",), ())) == {"hide": "save"}
    assert parameters(Lesson((), ("output",))) == {"stages": "output"}


def test_nothing_that_can_be_hidden_has_a_comma_in_its_name():
    assert [name for name in (*HIDEABLE, *STAGES) if "," in name or name != name.strip()] == []


@pytest.mark.parametrize("count", [0, 1, 2, len(HIDEABLE) - 1, len(HIDEABLE)])
def test_whatever_is_hidden_is_hidden_again_when_the_link_is_opened(count):
    for hidden in itertools.combinations(HIDEABLE, count):
        for stages in ((), STAGES[:1], STAGES):
            assert of(parameters(Lesson(hidden, stages))) == Lesson(hidden, stages)


@pytest.mark.parametrize("count", range(len(STAGES) + 1))
def test_whatever_stages_are_left_are_left_again_when_the_link_is_opened(count):
    for stages in itertools.combinations(STAGES, count):
        assert of(parameters(Lesson((), stages))) == Lesson((), stages)


def test_everything_together_comes_back():
    assert of(parameters(EVERYTHING)) == EVERYTHING


def test_names_of_another_order_or_twice_are_the_same_lesson():
    lesson = lesson_in("what if,causal mask,what if", "weights,scores,scores")
    assert lesson == Lesson(("causal mask", "what if"), ("scores", "weights"))


@pytest.mark.parametrize(
    "nonsense",
    [
        "unknown",
        "Save",
        "sav",
        "saves",
        "causal",
        "score",
        ",,,",
        "*",
        "body",
        ".st-key-save",
        "save scores",
        "save;scores",
        "{}</style><script>alert(1)</script>",
        "save { } body { display: none }",
        "hide",
        "\0",
        "x" * 1000,
    ],
)
def test_nonsense_is_left_out(nonsense):
    assert lesson_in(nonsense, nonsense) == Lesson()
    known = Lesson(("save",), ("scores",))
    assert lesson_in(f"{nonsense},save", f"{nonsense},scores") == known
    assert lesson_in(f"save,{nonsense}", f"scores,{nonsense}") == known
    assert lesson_style(lesson_in(f"save,{nonsense}", "")) == lesson_style(Lesson(("save",)))


def test_a_stage_cannot_be_hidden_as_a_part_nor_a_part_left_as_a_stage():
    assert lesson_in("scores", "save") == Lesson()


@pytest.mark.parametrize("name", HIDEABLE)
def test_a_style_sheet_hides_what_the_table_says_of_a_name(name):
    assert selectors_of(lesson_style(Lesson((name,)))) == PLACES[name].split(", ")


def test_a_style_sheet_hides_all_that_is_asked_for_and_nothing_that_is_not_in_the_table():
    assert selectors_of(lesson_style(EVERYTHING)) == [*SELECTORS, SWITCHBOARD, *SIDEBAR.split(", ")]
    for hidden in itertools.combinations(HIDEABLE, 2):
        assert set(selectors_of(lesson_style(Lesson(hidden)))) == {
            *(selector for name in hidden for selector in PLACES[name].split(", ")),
            *([SWITCHBOARD] if hidden == ("scaling", "causal mask") else []),
        }


def test_a_sidebar_is_hidden_where_a_lesson_leaves_nothing_in_it():
    assert tuple(PLACES) == HIDEABLE
    assert set(HIDEABLE) >= IN_SIDEBAR
    assert SIDEBAR in lesson_style(Lesson(tuple(IN_SIDEBAR)))
    for left in IN_SIDEBAR:
        assert "stSidebar" not in lesson_style(Lesson(tuple(IN_SIDEBAR - {left})))


def test_every_selector_is_the_class_of_one_part_of_the_page():
    assert len(set(SELECTORS)) == len(SELECTORS)
    assert [s for s in SELECTORS if not re.fullmatch(r"\.st-key-[\w-]+( > :nth-child\(2\))?", s)] == []


def test_one_stage_that_is_left_needs_no_choice():
    assert lesson_style(Lesson((), ("weights",))) == "<style>.st-key-stepper { display: none; }</style>"


def test_stages_that_are_left_need_no_style():
    assert lesson_style(Lesson((), STAGES)) == ""


def test_names_that_a_lesson_does_not_know_are_named_as_they_are_written():
    assert not_in_lesson("reset,<b>,answers,x", HIDEABLE) == "<b>,x"
    assert not_in_lesson("reset,,answers", HIDEABLE) == ""
