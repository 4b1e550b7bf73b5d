"""Clicks that wait for a page take little room, whoever sends them, and have it drawn once more once."""

from collections import deque
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSessionState

from deploy import session as module
from deploy.session import MOST_LATER, ROOM_FOR_LATER, Session


class FirstPage:
    """An opening that is not drawn yet."""

    def hurry(self) -> None:
        pass


@pytest.fixture
def waiting(monkeypatch):
    """What of some requests waits in a session whose first page is not drawn yet."""
    monkeypatch.setattr(module, "get_instance", lambda: SimpleNamespace(get_client=lambda session: None))

    def wait(requests):
        session = object.__new__(Session)
        session.id, session.opening, session._is_new = "session", FirstPage(), False
        session._state = AppSessionState.SHUTDOWN_REQUESTED  # as nothing of it is to be shut down
        session._events, session._later = deque(), deque(maxlen=MOST_LATER)
        for request in requests:
            session.request_rerun(request)
        return [request.page_name for request in session._later]

    return wait


def test_of_clicks_that_wait_the_last_are_kept(waiting):
    assert waiting(ClientState(page_name=str(n)) for n in range(60)) == [str(n) for n in range(10, 60)]


def test_of_large_ones_as_many_as_there_is_room_for(waiting):
    million = "x" * (ROOM_FOR_LATER // 10)
    assert waiting(ClientState(page_name=str(n), query_string=million) for n in range(20)) == [
        str(n) for n in range(11, 20)
    ]


def test_a_page_is_drawn_as_it_is_once_however_many_answers_come(monkeypatch):
    """Each answer to clicks in haste sets a timer; those of before would draw it over what is typed."""

    class Timer:
        is_cancelled = False

        def cancel(self):
            self.is_cancelled = True

    timers = []

    def call_later(seconds, then):
        timers.append(Timer())
        return timers[-1]

    loop = SimpleNamespace(call_later=call_later)
    monkeypatch.setattr(module.asyncio, "get_running_loop", lambda: loop)
    session = object.__new__(Session)
    session._rest = None
    session._state = AppSessionState.SHUTDOWN_REQUESTED
    for _ in range(3):
        session._draw_as_it_is_later()
    assert [timer.is_cancelled for timer in timers] == [True, True, False]


def test_what_waits_for_a_browser_that_has_gone_is_not_drawn(monkeypatch):
    drawn = []
    session = object.__new__(Session)
    session._state, session.opening = AppSessionState.SHUTDOWN_REQUESTED, None
    session._later, session._scriptrunner = deque([ClientState(), ClientState()]), None
    monkeypatch.setattr(Session, "draw", lambda session, request: drawn.append(request))
    session.request_script_stop()
    session.draw_what_waits()
    assert drawn == []
