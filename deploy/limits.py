"""What one browser may ask of the server of a class, and leave unread, so that it is there for the others."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from starlette.websockets import WebSocketDisconnect
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.session_manager import SessionClient, SessionClientDisconnectedError
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from core.sharing import holds_little
from core.ui.state import PASTED_TEXT

MOST_WIDGETS = 1_000  # of which a browser tells; no page has 100
MOST_VALUES = 1_000  # that one of them holds; a list has 256 at most
MOST_BRACKETS = 5_000  # in what it says of one of them; a row that is edited has two
MOST_COMMAS = (
    200_000  # likewise; an editor of 256 x 64 cells, each typed anew, has 16,639 and what is in them
)
LONGEST_JSON = 200_000  # letters, in what a part tells that is our own
MOST_MESSAGES = 10_000  # that it has kept; a page has a hundred
MOST_FILES = 100  # for which it asks to send them; a dialog takes one
MOST_UNREAD = 64_000_000  # bytes, of messages that a browser has not taken; the largest page is 48 million
IS_PASTED_TEXT = re.compile(rf"-{PASTED_TEXT}-\d+$")  # the id of its field, which is new in each dialog
TRY_AGAIN_LATER = 1013  # as a web socket says it

closing: set[asyncio.Task[None]] = set()  # until they have, as asyncio forgets a task that nobody holds


def is_forged(request: ClientState | None) -> bool:
    """Whether no browser would ask so: for widgets without end or without a name, or with lists in lists."""
    if request is None:
        return False
    widgets, messages = request.widget_states.widgets, request.cached_message_hashes
    is_long = len(widgets) > MOST_WIDGETS or len(messages) > MOST_MESSAGES
    return is_long or not all(state.id and _is_simple(state) for state in widgets)


def _is_simple(state: WidgetState) -> bool:
    """Whether what is said of a widget takes little time to read, and little room when it is read."""
    is_text = state.WhichOneof("value") == "string_value"
    if is_text and IS_PASTED_TEXT.search(state.id):  # which may be anything, and stays a text
        return True
    arrays = state.double_array_value, state.int_array_value, state.string_array_value
    if any(len(array.data) > MOST_VALUES for array in arrays):
        return False
    files = state.file_uploader_state_value.uploaded_file_info
    told = state.json_value, state.json_trigger_value
    if len(files) > MOST_FILES or any(len(text) > LONGEST_JSON for text in told):
        return False
    return all(holds_little(text, MOST_BRACKETS, MOST_COMMAS) for text in (state.string_value, *told))


def check_unread(client: SessionClient) -> None:
    """Raise SessionClientDisconnectedError where more waits for a browser than it will take."""
    if isinstance(client, StarletteSessionClient):
        waiting = client._send_queue._queue  # type: ignore[attr-defined]
        if sum(map(len, waiting)) > MOST_UNREAD:
            raise SessionClientDisconnectedError


def hang_up(client: SessionClient) -> None:
    """Let go of what waits for a browser that takes no more, and end its connection.

    It comes back as after any break. Streamlit would leave it connected to nobody: dead, until one reloads.
    """
    if isinstance(client, StarletteSessionClient):
        while not client._send_queue.empty():
            client._send_queue.get_nowait()
        task = asyncio.get_running_loop().create_task(_close(client))
        closing.add(task)
        task.add_done_callback(closing.discard)


async def _close(client: StarletteSessionClient) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):  # where the browser has left by itself
        await client._websocket.close(TRY_AGAIN_LATER)
