"""Clicks that wait for a page take little room, whoever sends them, and name nothing that may be gone."""

from collections import deque

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSessionState

from deploy.openings import MOST_ASKED
from deploy.session import MOST_LATER, Session


def waiting(requests):
    session = object.__new__(Session)
    session._state = AppSessionState.SHUTDOWN_REQUESTED
    session._later = deque(maxlen=MOST_ASKED)
    for request in requests:
        session._draw_later(request)
    return [request.page_name for request in session._later]


def test_of_clicks_that_wait_the_last_are_kept():
    assert waiting(ClientState(page_name=str(n)) for n in range(60)) == [str(n) for n in range(10, 60)]


def test_of_large_ones_as_many_as_there_is_room_for():
    million = "x" * (MOST_LATER // 10)
    assert waiting(ClientState(page_name=str(n), query_string=million) for n in range(20)) == [
        str(n) for n in range(11, 20)
    ]


def test_a_click_that_waits_names_no_message_that_the_browser_may_let_go():
    request = ClientState(page_name="a", cached_message_hashes=["b"])
    waiting([request])
    assert not request.cached_message_hashes
