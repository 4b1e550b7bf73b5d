"""What a page has set its widgets to, which a click that was made before may not know of yet.

With every click a browser says what all widgets hold. Next sets the stage; until its answer has come, a
browser says the stage of before, with a click on whatever else: taken at its word, that would lead back.
What it says of other widgets than the clicked one is left out, where the page has set them since.

Nor may a browser ever know: of two answers that come at once it takes the second, and one that comes late
undoes there what was chosen since. So it is told again of what it may not know, and of the link.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

MOST_WIDGETS = 50  # of a page, about
MOST_VALUES = 12  # of a widget, of as many clicks as may be under way
ON_ITS_WAY = 5.0  # seconds that an answer may take to a browser


@dataclass
class HeldValues:
    """What a widget has held, the newest last, and the part of the page that it is in, by its name.

    Of values the hashes alone, as a browser may say as much as it likes.
    """

    values: deque[int] = field(default_factory=lambda: deque(maxlen=MOST_VALUES))
    part: str = ""
    told_at: float = -math.inf

    def note(self, state: WidgetState) -> None:
        value = hash(state.SerializeToString())
        if value in self.values:
            self.values.remove(value)
        self.values.append(value)

    def may_be_on_its_way(self) -> bool:
        return time.monotonic() - self.told_at < ON_ITS_WAY

    def is_of_before(self, state: WidgetState) -> bool:
        value = hash(state.SerializeToString())
        return value in self.values and value != self.values[-1]


class Told:
    """Of the widgets of one browser tab, those that its page has set."""

    def __init__(self) -> None:
        self._held: dict[str, HeldValues] = {}
        self._asked = WidgetStates()
        self._behind: list[str] = []

    def note(self, message: ForwardMsg, part: str) -> None:
        """Note what a page tells a browser to set in a part, and what it was said to hold before."""
        told = _told(message)
        if told is None:
            return
        asked = next((state for state in self._asked.widgets if state.id == told.id), None)
        held = self._held.pop(told.id, None) or HeldValues()
        held.part = part
        if asked and not held.values:
            held.note(asked)
        if told.id in self._behind or (asked and asked != told):
            held.told_at = time.monotonic()
        held.note(told)
        self._held[told.id] = held
        if len(self._held) > MOST_WIDGETS:
            del self._held[next(iter(self._held))]

    def bring_up_to_date(self, request: ClientState, part: str, is_button_click: bool) -> list[str]:
        """Have a click in a part say nothing of other widgets that the page has set since.

        Returns the keys of those of which the browser may not know.
        """
        self._asked, self._behind = request.widget_states, []
        states = request.widget_states.widgets
        for place in reversed(range(len(states))):
            state = states[place]
            held = self._held.get(state.id)
            if held is None:
                continue
            is_of_before = held.is_of_before(state) and (is_button_click or held.part != part)
            if is_of_before or held.may_be_on_its_way():
                self._behind.append(state.id)
            if is_of_before:
                del states[place]
            else:
                held.note(state)
        return [_key(id) for id in self._behind]

    def keys(self) -> list[str]:
        """The keys of the widgets that the page has set."""
        return [_key(id) for id in self._held]

    def may_be_on_its_way(self) -> bool:
        """Whether a browser may not have all answers yet, so that each of its clicks is to have its own."""
        return any(held.may_be_on_its_way() for held in self._held.values())

    def end(self) -> None:
        """Note that what was asked for last has been drawn."""
        self._asked = WidgetStates()


def _key(widget: str) -> str:
    """The key of a widget, which is the end of its id."""
    return widget.split("-", 2)[-1]


def _told(message: ForwardMsg) -> WidgetState | None:
    """What a browser will say of a widget that it is told to set; None for what sets none that clicks set."""
    element = message.delta.new_element
    if element.checkbox.set_value:
        return WidgetState(id=element.checkbox.id, bool_value=element.checkbox.value)
    if element.selectbox.set_value:
        return WidgetState(id=element.selectbox.id, string_value=element.selectbox.raw_value)
    if element.button_group.set_value:
        told = WidgetState(id=element.button_group.id)
        told.string_array_value.data.extend(element.button_group.raw_values)
        return told
    return None
