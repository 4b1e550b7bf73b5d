"""A click that was made before an answer came takes back nothing that its page has set."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from deploy import told as module
from deploy.told import MOST_WIDGETS, ON_ITS_WAY, Told

STAGE = "$$ID-1a2b-stage"
STEPPER, STAGES = "stepper", "stages"


def stage(name):
    state = WidgetState(id=STAGE)
    state.string_array_value.data.append(name)
    return state


def asked(*states):
    request = ClientState()
    request.widget_states.widgets.extend(states)
    return request


def sets_stage(name, id=STAGE):
    message = ForwardMsg()
    control = message.delta.new_element.button_group
    control.id, control.set_value = id, True
    control.raw_values.append(name)
    return message


def held(told, part, *states, is_button_click=False):
    """What a page is told that its widgets hold, with a click in a part."""
    request = asked(*states)
    told.bring_up_to_date(request, part, is_button_click)
    return list(request.widget_states.widgets)


@pytest.fixture
def told():
    """A page that has gone on from scores to scaled and to masked, of which its browser may not know yet."""
    told = Told()
    for name in ("scaled", "masked"):
        told.bring_up_to_date(asked(stage("scores")), STEPPER, is_button_click=True)
        told.note(sets_stage(name), STEPPER)
        told.end()
    return told


@pytest.mark.parametrize("behind", ["scores", "scaled"])
@pytest.mark.parametrize("part", [STAGES, ""], ids=["part", "page"])
def test_a_click_elsewhere_leads_not_back_however_far_behind(told, behind, part):
    assert held(told, part, stage(behind)) == []


@pytest.mark.parametrize("behind", ["scores", "scaled"])
def test_a_button_beside_it_too(told, behind):
    assert held(told, STEPPER, stage(behind), is_button_click=True) == []


@pytest.mark.parametrize("chosen", ["scores", "scaled", "weights"])
def test_what_is_chosen_in_its_own_part_is_chosen(told, chosen):
    assert held(told, STEPPER, stage(chosen)) == [stage(chosen)]
    assert held(told, STAGES, stage("masked")) == []


def test_what_nobody_has_set_was_chosen_whatever_else_was_clicked(told):
    """As where a connection broke in between."""
    assert held(told, STAGES, stage("weights")) == [stage("weights")]


def test_widgets_that_the_page_has_not_set_say_what_they_like(told):
    toggle = WidgetState(id="scale", bool_value=True)
    assert held(told, "", toggle) == [toggle]


@pytest.fixture
def clock(monkeypatch):
    """What the time is, which a test may turn on."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock.now)
    return clock


def test_a_browser_is_told_again_while_an_answer_may_be_on_its_way(clock, told):
    """It may undo there what was chosen since."""
    assert told.bring_up_to_date(asked(stage("weights")), STEPPER, is_button_click=False) == ["stage"]
    clock.now += ON_ITS_WAY
    assert told.bring_up_to_date(asked(stage("output")), STEPPER, is_button_click=False) == []


def test_a_browser_that_has_missed_an_answer_is_told_again_whenever_it_is_heard_of(clock, told):
    clock.now += 100 * ON_ITS_WAY
    assert told.bring_up_to_date(asked(stage("scaled")), STAGES, is_button_click=False) == ["stage"]
    assert told.bring_up_to_date(asked(stage("masked")), STAGES, is_button_click=False) == []


def test_no_browser_is_told_of_its_own_choice_where_nothing_else_is_on_its_way(clock):
    """It would take back there what is chosen before that has come."""
    told = Told()
    told.note(sets_stage("scores"), STEPPER)  # with the first page
    for name in ("scaled", "scores", "scaled"):
        assert told.bring_up_to_date(asked(stage(name)), STEPPER, is_button_click=False) == []
        assert not told.may_be_on_its_way()


def test_lists_and_toggles_count_as_well():
    told, message = Told(), ForwardMsg()
    for kind, before, now in (("checkbox", False, True), ("selectbox", "she", "Emma")):
        message.Clear()
        widget = getattr(message.delta.new_element, kind)
        widget.id, widget.set_value = kind, True
        setattr(widget, "value" if kind == "checkbox" else "raw_value", now)
        field = "bool_value" if kind == "checkbox" else "string_value"
        old, new = (WidgetState(id=kind, **{field: value}) for value in (before, now))
        told.bring_up_to_date(asked(old), STAGES, is_button_click=False)
        told.note(message, STEPPER)
        assert held(told, "", old, new) == [new]


def test_no_page_has_a_browser_be_remembered_for_more_widgets_than_one_has():
    told = Told()
    for number in range(MOST_WIDGETS + 10):
        told.note(sets_stage("scaled", id=str(number)), STEPPER)
    assert list(told._held) == [str(number) for number in range(10, MOST_WIDGETS + 10)]
