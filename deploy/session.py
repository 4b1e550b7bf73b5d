"""The session of one browser tab, in a class: what its page says is sent at once, and in one go.

Streamlit hands every message over to another thread, which looks through the sessions of the whole class for
it. Here what a click has a page say is handed over as soon as all is said, and goes out directly.

A number that is typed has Streamlit begin with the part of the page in which it was typed, and begin anew
with those that it changes. Here these are begun with.

Clicks that come while one is drawn are made one by Streamlit, and mean what they meant before it was drawn:
Next, clicked three times, would go on by one. Here a button's click waits until what was clicked before is
drawn, and what is clicked then waits for it, for as long as the answer may be on its way (told.py).

A browser takes each answer for the newest word, and may show half of one and half of another when clicks
cross them: a toggle that is off above numbers that are scaled. Soon after the last of such clicks the page is
drawn once more for it, as it is; but not behind an open dialog, where a file may be under way of which the
page, as it is, does not know: it would be lost. A click that crosses this waits for its end, and is answered
with all that the browser has been told of. Another page comes whole, and is drawn once: Back, pressed
meanwhile, would be taken back by what the page says of its link.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from streamlit.errors import StreamlitAPIException
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLsRequest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import RerunData, ScriptRunnerEvent
from streamlit.runtime.session_manager import SessionClientDisconnectedError

from core.ui.clicks import TELL_AGAIN
from core.ui.fragments import EDITOR, drawn_by_edit
from core.ui.state import OPEN_DIALOG
from deploy.limits import MOST_FILES, check_unread, hang_up, is_forged
from deploy.openings import Opening, is_opening, openings
from deploy.told import Told
from deploy.turns import turns

MOST_LATER = 50  # clicks that wait for a page; of more, the last
ROOM_FOR_LATER = 10_000_000  # bytes, of all of them: two of the largest page
MOST_PARTS = 100  # of which the names are remembered: those of a few pages
REST = 1.0  # seconds after an answer, in which a click may have been made before it came
MOST_HELD = 0.05  # seconds, until what is said is sent although there is more to come
HELD = {
    ScriptRunnerEvent.SCRIPT_STARTED,
    ScriptRunnerEvent.ENQUEUE_FORWARD_MSG,
    ScriptRunnerEvent.SCRIPT_STOPPED_FOR_RERUN,
}


class Session(AppSession):
    """As Streamlit's own, but for what is said above and in openings.py, told.py and turns.py."""

    opening: Opening | None = None  # until the first page has been drawn

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._is_new = True
        self._events: deque[tuple[Any, ScriptRunnerEvent, dict[str, Any]]] = deque()
        self._held_since = 0.0
        self._later: deque[ClientState | None] = deque(maxlen=MOST_LATER)
        self._takes_events = self._sends_soon = self._draws_button_click = False
        self._told = Told()
        self._answered_at = -math.inf
        self._in_haste = self._was_edit = False
        self._rest: asyncio.TimerHandle | None = None
        self._as_it_is_until = -math.inf  # drawn once more, and on its way to a browser
        self._tells_link = False  # once more, when the page has been drawn
        self._names: dict[str, str] = {}  # of the parts of the page, those too that are gone

    def request_rerun(self, client_state: ClientState | None) -> None:
        """Take up what a browser asks for."""
        if is_forged(client_state):
            return
        self._take_events()  # what was said before it
        if not self.opening:
            self._note_haste(client_state)
        is_new, self._is_new = self._is_new, False
        if self.opening:
            self._draw_later(client_state)
            self.opening.hurry()
        elif is_new and client_state and is_opening(client_state) and not self._user_info:
            self.opening = Opening(self, client_state)
            openings.open(self.opening)
        elif self._later or self._has_to_wait(client_state):
            self._draw_later(client_state)
        else:
            self.draw(client_state)

    def draw(self, request: ClientState | None) -> None:
        """Draw what a click asks for; the page, where its part is gone since, as it is drawn elsewhere."""
        self._draws_button_click = _is_button_click(request)
        if request and not request.is_history_navigation:
            part = self._name_of(request.fragment_id)
            behind = self._told.bring_up_to_date(request, part, self._draws_button_click)
            if time.monotonic() < self._as_it_is_until:  # may have set back what was clicked
                behind = self._told.keys()
            self._tells_link = bool(behind)
            if behind and not self._scriptrunner:
                self._session_state[TELL_AGAIN] = behind
        if request and request.fragment_id and not self.has_fragment(request.fragment_id):
            request.fragment_id = ""
        super().request_rerun(request)

    def draw_what_waits(self) -> None:
        while self._later and not self._has_to_wait(self._later[0]):
            self.draw(self._later.popleft())

    def _handle_file_urls_request(self, file_urls_request: FileURLsRequest) -> None:
        if len(file_urls_request.file_names) <= MOST_FILES:
            super()._handle_file_urls_request(file_urls_request)

    def _handle_git_information_request(self) -> None:
        """Tell nobody which files lie beside the app; Streamlit would name them to whoever asks."""

    def _draw_later(self, request: ClientState | None) -> None:
        self._later.append(request)
        while sum(waiting.ByteSize() for waiting in self._later if waiting) > ROOM_FOR_LATER:
            self._later.popleft()

    def _has_to_wait(self, request: ClientState | None) -> bool:
        if self.opening:
            return True
        has_to = self._draws_button_click or _is_button_click(request) or self._told.may_be_on_its_way()
        return self._scriptrunner is not None and (has_to or self._as_it_is_until == math.inf)

    def _note_haste(self, request: ClientState | None) -> None:
        if self._rest:
            self._rest.cancel()
        is_busy = self._scriptrunner is not None or self._later
        crosses = is_busy or time.monotonic() - self._answered_at < REST
        is_edit = request is not None and self._name_of(request.fragment_id).startswith(EDITOR)
        leads_away = request is not None and request.page_script_hash != self._client_state.page_script_hash
        if is_edit or leads_away:
            self._in_haste = False  # what is typed or clicked next would come in between
        elif request and crosses and not self._was_edit:
            self._in_haste = True
        self._was_edit = is_edit

    def _draw_as_it_is(self) -> None:
        """Draw the page once more, and tell its browser of all that it has been told of before."""
        is_there = get_instance().get_client(self.id) is not None
        if is_there and OPEN_DIALOG in self._session_state:
            self._draw_as_it_is_later()
            return
        self._in_haste = False
        if is_there and not self._scriptrunner:
            self._tells_link = True
            self._session_state[TELL_AGAIN] = self._told.keys()
            self._as_it_is_until = math.inf  # its end, which is not known yet
            super().request_rerun(self._client_state)

    def _draw_as_it_is_later(self) -> None:
        if self._rest:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(REST, self._draw_as_it_is)

    def request_script_stop(self) -> None:
        """Stop, as whoever asked is gone, or wants no more: nor is that drawn which waits."""
        self._later.clear()
        if self.opening:
            self.opening.stop()
        super().request_script_stop()

    def send(self, messages: Iterable[ForwardMsg]) -> None:
        runtime = get_instance()
        if client := runtime.get_client(self.id):
            try:
                check_unread(client)
                for message in messages:
                    client.write_forward_msg(message)
            except SessionClientDisconnectedError:
                runtime.disconnect_session(self.id, client=client)
                hang_up(client)

    def _create_scriptrunner(self, initial_rerun_data: RerunData) -> None:
        parts = cast(MemoryFragmentStorage, self._fragment_storage)
        try:
            if names := drawn_by_edit(self._name_of(initial_rerun_data.fragment_id or "")):
                queue = parts.resolve_target(names)
                initial_rerun_data = replace(initial_rerun_data, fragment_id=None, fragment_id_queue=queue)
        except StreamlitAPIException:
            pass  # one of them is not on the page
        super()._create_scriptrunner(initial_rerun_data)

    def _on_scriptrunner_event(self, sender: Any, event: ScriptRunnerEvent, **details: Any) -> None:  # type: ignore[override]
        """Note what a page says, on the thread that draws it."""
        if not self._events:
            self._held_since = time.monotonic()
        self._events.append((sender, event, details))
        if event not in HELD or time.monotonic() - self._held_since > MOST_HELD:
            self._call_soon_on_event_loop(self._take_events)

    def _take_events(self) -> None:
        self._takes_events = True
        try:
            while self._events:
                sender, event, details = self._events.popleft()
                is_own = sender is self._scriptrunner
                self._handle_scriptrunner_event_on_event_loop(sender, event, **details)
                if event is ScriptRunnerEvent.SHUTDOWN:
                    turns.end(sender)
                    self._told.end()
                    if is_own:
                        self._end_answer()
        finally:
            self._takes_events = False
        self.draw_what_waits()
        self._send_what_is_said()

    def _enqueue_forward_msg(self, msg: ForwardMsg) -> None:
        self._told.note(msg, self._name_of(msg.delta.fragment_id))
        if self._takes_events:
            if not self.opening or self.opening.note(msg):
                self._browser_queue.enqueue(msg)
            return
        self._browser_queue.enqueue(msg)
        if not self._sends_soon:
            self._sends_soon = True
            self._call_soon_on_event_loop(self._send_what_is_said)

    def _name_of(self, part: str) -> str:
        """The name of a part of the page, which it keeps when it is drawn elsewhere; "" for the page."""
        names = cast(MemoryFragmentStorage, self._fragment_storage)._target_key_by_id
        if part in names:
            self._names[part] = names[part]
            if len(self._names) > MOST_PARTS:
                del self._names[next(iter(self._names))]
        return self._names.get(part, part)

    def _end_answer(self) -> None:
        if self._tells_link:
            self._tell_link()
        self._answered_at = time.monotonic()
        if self._as_it_is_until == math.inf:
            self._as_it_is_until = self._answered_at + REST
        if self._in_haste:
            self._draw_as_it_is_later()
        if self.opening:
            self.opening.end()

    def _tell_link(self) -> None:
        message = ForwardMsg()
        message.page_info_changed.query_string = self._client_state.query_string
        self._enqueue_forward_msg(message)

    def _send_what_is_said(self) -> None:
        self._sends_soon = False
        if get_instance().get_client(self.id):
            self.send(self._browser_queue.flush())


def _is_button_click(request: ClientState | None) -> bool:
    """Whether a button's click is among what a browser says of its widgets."""
    kinds = [state.WhichOneof("value") for state in request.widget_states.widgets] if request else []
    return any(kind is not None and kind.endswith("trigger_value") for kind in kinds)
