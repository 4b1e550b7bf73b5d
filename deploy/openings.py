"""A link that somebody has opened before is there at once, as what its page says at first is kept.

A class opens one link at the same moment. Were the page drawn for each of 300, the last would wait for 300
pages. So the others are shown what the first was told, and have the page drawn for themselves when nobody is
waiting any more, or when they click. Should that say anything else, they are told it, too.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

MOST_KEPT, LARGEST = 32, 250_000  # openings, and bytes of one
PAUSE = 0.1  # seconds, in which others open the link, before pages are drawn that nobody waits for


class Opens(Protocol):
    """The session of a browser that opens a link."""

    id: str
    opening: Opening | None

    def draw(self, request: ClientState | None) -> None: ...
    def draw_what_waits(self) -> None: ...
    def send(self, messages: Iterable[ForwardMsg]) -> None: ...


def is_opening(request: ClientState) -> bool:
    """Whether a browser asks for a page for the first time, and brings nothing along."""
    brings = request.widget_states.widgets or request.fragment_id or request.cached_message_hashes
    comes_back = request.is_auto_rerun or request.is_history_navigation
    return request.HasField("context_info") and not (brings or comes_back)


def _key(request: ClientState) -> bytes:
    """The link. No page says anything of a browser's language, time and colours, or of the host's name."""
    link = request.page_script_hash, request.page_name, request.query_string, request.context_info.is_embedded
    return sha256(repr(link).encode()).digest()


class Opening:
    """The first page of a session, until it has been drawn."""

    def __init__(self, session: Opens, request: ClientState) -> None:
        self.session, self.request = session, request
        self.key = _key(request)
        self.said: list[ForwardMsg] = []
        self.others: list[Opening] = []  # who wait for what this says
        self.shown: list[ForwardMsg] | None = None  # what was kept, once it has been sent
        self.has_begun = self.is_stopped = False

    @property
    def is_over(self) -> bool:
        return self.session.opening is not self

    def show(self, messages: list[ForwardMsg]) -> None:
        """Send what was kept, as if it had been drawn for this session."""
        self.shown = messages
        self.session.send(_of_session(message, self.session.id) for message in messages)

    def draw(self) -> None:
        if not self.has_begun:
            self.has_begun = True
            self.session.draw(self.request)

    def hurry(self) -> None:
        """Have the page drawn now for a click that waits, if there is something on screen to click."""
        if self.shown:
            self.draw()

    def note(self, message: ForwardMsg) -> bool:
        """Note what the page says as it is drawn. False where the browser has been shown it already."""
        self.said.append(_own(message) if message.HasField("script_finished") else message)
        return not self.shown

    def stop(self) -> None:
        """The browser is gone, or wants no more: what it has not been told by now stays untold."""
        self.is_stopped = not any(message.HasField("script_finished") for message in self.said)
        if not self.has_begun:
            self.end()

    def end(self) -> None:
        self.session.opening = None
        openings.end(self)


class Openings:
    """What pages said at first, by what was asked for; on the thread of the event loop."""

    def __init__(self) -> None:
        self.kept: OrderedDict[bytes, list[ForwardMsg]] = OrderedDict()
        self._first: dict[bytes, Opening] = {}
        self._to_draw: deque[Opening] = deque()
        self._drawn_now: Opening | None = None
        self._timer: asyncio.TimerHandle | None = None

    def open(self, opening: Opening) -> None:
        if opening.key in self.kept:
            self.kept.move_to_end(opening.key)
            opening.show(self.kept[opening.key])
            self._draw_later(opening)
        elif opening.key in self._first:
            self._first[opening.key].others.append(opening)
        else:
            self._first[opening.key] = opening
            opening.draw()

    def end(self, opening: Opening) -> None:
        """Keep what the first has said; compare what others say with it."""
        if self._first.get(opening.key) is opening:
            del self._first[opening.key]
            if not opening.is_stopped and _is_whole(opening.said):
                self._keep(opening)
            for other in opening.others:
                if not other.is_over:
                    self.open(other)
        elif opening.shown and opening.has_begun and not opening.is_stopped:
            self._compare(opening, opening.shown)
        opening.session.draw_what_waits()
        if opening is self._drawn_now:
            self._draw_next()

    def _keep(self, opening: Opening) -> None:
        self.kept[opening.key] = opening.said
        if len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)

    def _compare(self, opening: Opening, shown: list[ForwardMsg]) -> None:
        """Tell a browser what its own page says, where that is not what it has been shown."""
        if _contents(opening.said) != _contents(shown):
            if self.kept.get(opening.key) is shown:
                del self.kept[opening.key]
            opening.session.send(opening.said)

    def _draw_later(self, opening: Opening) -> None:
        self._to_draw.append(opening)
        if not (self._timer or self._drawn_now):
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._draw_next)

    def _draw_next(self) -> None:
        """Draw the next page that nobody waits for; its end has the one after it drawn."""
        self._drawn_now = self._timer = None
        while self._to_draw and not self._drawn_now:
            opening = self._to_draw.popleft()
            if not (opening.is_over or opening.has_begun):
                self._drawn_now = opening
                opening.draw()


def _is_whole(messages: list[ForwardMsg]) -> bool:
    """Whether these are of one page, drawn to its end without an error, that is small enough to be kept."""
    kinds = [message.WhichOneof("type") for message in messages]
    ends = [message.script_finished for message in messages if message.HasField("script_finished")]
    size = sum(message.ByteSize() for message in messages)
    has_failed = any(message.delta.new_element.HasField("exception") for message in messages)
    is_one = kinds.count("new_session") == 1 and ends == [ForwardMsg.FINISHED_SUCCESSFULLY]
    return is_one and not has_failed and size <= LARGEST


def _contents(messages: list[ForwardMsg]) -> list[tuple[str | None, str, int, tuple[int, ...]]]:
    """What messages say, and where: Streamlit gives what a page says a hash, but not how it ended."""
    return [
        (
            message.WhichOneof("type"),
            message.hash,
            message.script_finished,
            tuple(message.metadata.delta_path),
        )
        for message in messages
    ]


def _of_session(message: ForwardMsg, session: str) -> ForwardMsg:
    """A message of another session as this one would send it: only the first names its session."""
    if not message.HasField("new_session"):
        return message
    own = _own(message)
    own.new_session.initialize.session_id = session
    return own


def _own(message: ForwardMsg) -> ForwardMsg:
    """A copy: Streamlit changes how a page ended, where its session asks for another before that is sent."""
    own = ForwardMsg()
    own.CopyFrom(message)
    return own


openings = Openings()
