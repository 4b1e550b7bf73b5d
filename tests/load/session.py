"""One session over Streamlit's websocket, in which a toggle does what a click on it does in a browser.

A toggle may take more than one run of the script: where its callback asks for a fragment, Streamlit ends
the first run early and starts a second one. The toggle is done when a run has ended successfully.
"""

from __future__ import annotations

import time
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE = 20  # seconds
SUCCESS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Session:
    def __init__(self, port: int, page: str = "", query: dict[str, str] | None = None) -> None:
        self.page, self.page_hash, self.query = page, "", dict(query or {})
        self.widgets: dict[str, WidgetState] = {}
        self.elements: dict[str, tuple[Element, str]] = {}  # each widget by its key, and its fragment
        self.kept: dict[str, ForwardMsg] = {}  # what the server need not send again
        self.shown: list[str] = []
        self.url = f"http://127.0.0.1:{port}/{page}"
        self.socket = connect(
            f"ws://127.0.0.1:{port}/_stcore/stream",
            subprotocols=["streamlit"],
            compression=None,
            max_size=None,
            proxy=None,
        )
        self._run()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def toggle(self, key: str) -> float:
        """Click a toggle. Milliseconds from what is sent to the end of the run that it caused."""
        element, fragment = self.elements[key]
        before, toggle, state = self.shown, element.checkbox, self.widgets[element.checkbox.id]
        state.bool_value = not state.bool_value
        if toggle.query_param_key:
            self.query.pop(toggle.query_param_key, None)
            if state.bool_value != toggle.default:
                self.query[toggle.query_param_key] = str(state.bool_value).lower()
        milliseconds = self._run(fragment)
        if self.shown == before:
            raise RuntimeError(f"the toggle {key} changed nothing on the page {self.page!r}")
        return milliseconds

    def _run(self, fragment: str = "") -> float:
        message = self._request(fragment).SerializeToString()
        begin = time.perf_counter()
        self.socket.send(message)
        while True:
            received = ForwardMsg.FromString(self.socket.recv(timeout=PATIENCE))
            if received.WhichOneof("type") == "script_finished" and received.script_finished in SUCCESS:
                return 1000 * (time.perf_counter() - begin)
            self._take(received)

    def _request(self, fragment: str) -> BackMsg:
        message = BackMsg()
        run = message.rerun_script
        run.query_string = urlencode(self.query)
        run.page_script_hash, run.fragment_id = self.page_hash, fragment
        run.page_name = "" if self.page_hash else self.page
        run.widget_states.widgets.extend(self.widgets.values())
        run.cached_message_hashes.extend(self.kept)
        run.context_info.timezone, run.context_info.locale = "Europe/Berlin", "en-US"
        run.context_info.url = self.url
        return message

    def _take(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "ref_hash":
            message = self.kept[message.ref_hash]
        elif message.metadata.cacheable:
            self.kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page_hash, self.shown = message.new_session.page_script_hash, []
        elif kind == "delta":
            self.shown.append(message.hash)
            if message.delta.WhichOneof("type") == "new_element":
                self._show(message.delta.new_element, message.delta.fragment_id)

    def _show(self, element: Element, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(f"the page {self.page!r} shows an error: {element.exception.message}")
        state = _state(element)
        if state is None:
            return
        self.elements[state.id.rpartition("-")[2]] = element, fragment
        if state.id not in self.widgets or getattr(element, kind).set_value:
            self.widgets[state.id] = state


def _state(element: Element) -> WidgetState | None:
    """What a browser answers when it is asked for the state of a widget that nobody has touched."""
    widget = getattr(element, element.WhichOneof("type"))
    match element.WhichOneof("type"):
        case "checkbox":
            return WidgetState(id=widget.id, bool_value=widget.value if widget.set_value else widget.default)
        case "selectbox":
            chosen = widget.raw_value if widget.set_value else widget.options[widget.default]
            return WidgetState(id=widget.id, string_value=chosen)
        case "button_group":
            defaults = [widget.options[position].content for position in widget.default]
            state = WidgetState(id=widget.id)
            state.string_array_value.data.extend(widget.raw_values if widget.set_value else defaults)
            return state
    return None
