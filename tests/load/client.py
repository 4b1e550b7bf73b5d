"""What a browser keeps of Streamlit's websocket protocol, without the socket: the messages and the widgets.

An action may take more than one run of the script: where its callback asks for a fragment, Streamlit ends
the first run early and starts a second one. It is done when a run has ended successfully.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Dataframe_pb2 import Dataframe
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.VegaLiteChart_pb2 import VegaLiteChart
from streamlit.proto.WidgetStates_pb2 import WidgetState

WHOLE, PART = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


class Failed(RuntimeError):
    """What a student would see as an error."""


@dataclass
class Kept:
    """A message that the server need not send again, and the number of the run that showed it last."""

    message: ForwardMsg
    run: int


class Client:
    def __init__(self, url: str, query: dict[str, str] | None = None) -> None:
        self.url, self.page, self.page_hash = url, url.rpartition("/")[2], ""
        self.query = dict(query or {})
        self.widgets: dict[str, WidgetState] = {}
        self.places: dict[str, tuple[Element, str]] = {}  # each widget by its key, and its fragment
        self.edits: dict[str, dict[int, dict[str, str]]] = {}  # what each editor holds, by its id
        self.shown: dict[str, ForwardMsg] = {}  # what the last run has shown, by its hash
        self.before: set[str] = set()
        self.kept: dict[str, Kept] = {}
        self.runs, self.oldest = 0, 0

    def request(self, fragment: str = "") -> bytes:
        """The message that asks for a run."""
        self.before = set(self.shown)
        message = BackMsg()
        run = message.rerun_script
        run.query_string = urlencode(self.query)
        run.page_script_hash, run.fragment_id = self.page_hash, fragment
        run.page_name = "" if self.page_hash else self.page
        run.widget_states.widgets.extend(self.widgets.values())
        run.cached_message_hashes.extend(self.kept)
        run.context_info.timezone, run.context_info.locale = "Europe/Berlin", "en-US"
        run.context_info.url = self.url
        return message.SerializeToString()

    def toggle(self, key: str) -> bytes:
        """Click a toggle; the link follows where the two are bound."""
        element, fragment = self._place(key)
        toggle, state = element.checkbox, self.widgets[element.checkbox.id]
        state.bool_value = not state.bool_value
        if toggle.query_param_key:
            self.query.pop(toggle.query_param_key, None)
            if state.bool_value != toggle.default:
                self.query[toggle.query_param_key] = str(state.bool_value).lower()
        return self.request(fragment)

    def edit(self, key: str, row: int, column: str, text: str) -> bytes:
        """Type into a cell of an editor, which keeps what was typed before as long as its id stays."""
        element, fragment = self._place(key)
        rows = self.edits.setdefault(element.dataframe.id, {})
        rows.setdefault(row, {})[column] = text
        edited = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
        self.widgets[element.dataframe.id] = WidgetState(id=element.dataframe.id, string_value=edited)
        return self.request(fragment)

    def choose(self, key: str, *options: str) -> bytes:
        """Choose one option of a segmented control, or some of pills."""
        element, fragment = self._place(key)
        self.widgets[element.button_group.id].string_array_value.data[:] = options
        if element.button_group.query_param_key:
            self.query[element.button_group.query_param_key] = options[0]
        return self.request(fragment)

    def press(self, key: str) -> bytes:
        """Click a button, of which a browser tells once."""
        element, fragment = self._place(key)
        id = element.button.id
        self.widgets[id] = WidgetState(id=id, trigger_value=True)
        message = self.request(fragment)
        del self.widgets[id]
        return message

    def take(self, data: bytes) -> bool:
        """Take a message of the server. True for the last of a run; raises Failed where an error is shown."""
        message = ForwardMsg.FromString(data)
        metadata = message.metadata
        if message.WhichOneof("type") == "ref_hash":
            message = self.kept[message.ref_hash].message
        if message.metadata.cacheable:
            self.kept[message.hash] = Kept(message, self.runs)
        match message.WhichOneof("type"):
            case "new_session":
                self.page_hash, self.shown = message.new_session.page_script_hash, {}
                self.oldest = message.new_session.config.max_cached_message_age
            case "navigation":  # of an app with pages, whose hash above is that of its overview
                self.page_hash = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = dict(parse_qsl(message.page_info_changed.query_string, keep_blank_values=True))
            case "delta":
                self._show(message)
            case "script_finished":
                return self._finish(message.script_finished, list(metadata.run.fragment_ids))
        return False

    def check_changed(self) -> None:
        """An action that shows nothing new has not reached the page."""
        if not self.shown.keys() - self.before:
            raise Failed(f"the page {self.page!r} shows nothing new, in {len(self.shown)} messages")

    def heatmap(self, stage: str = "") -> NDArray[np.float64]:
        """The numbers in the cells of the one chart that the last run has shown, or of the one of a stage."""
        (chart,) = [chart for chart in self.charts() if stage in chart.alt]
        (cells,) = chart.datasets
        with pa.ipc.open_stream(cells.data.data) as stream:
            table = stream.read_all()
        numbers = np.array([text.replace("∞", "inf") for text in table["precise"].to_pylist()], float)
        return numbers.reshape(len(table["row"].unique()), -1)

    def charts(self) -> list[VegaLiteChart]:
        """The charts that the last run has shown."""
        elements = [message.delta.new_element for message in self.shown.values()]
        return [e.vega_lite_chart for e in elements if e.WhichOneof("type") == "vega_lite_chart"]

    def first_editor(self) -> tuple[str, int, list[str]]:
        """The first editor on the page: its key, how many rows it has, and the columns to type into."""
        for key, (element, _) in self.places.items():
            if (
                element.WhichOneof("type") == "dataframe"
                and element.dataframe.editing_mode == Dataframe.FIXED
            ):
                with pa.ipc.open_stream(element.dataframe.arrow_data.data) as stream:
                    table = stream.read_all()
                return key, table.num_rows, [name for name in table.column_names if name != "name"]
        raise Failed(f"the page {self.page!r} has no editor")

    def _place(self, key: str) -> tuple[Element, str]:
        """The newest widget of this key, or of which this is a part: that of an editor holds its matrix."""
        found = [shown for shown in self.places if f".{key}." in f".{shown}."]
        if not found:
            raise Failed(f"the page {self.page!r} has no widget {key!r}")
        return self.places[found[-1]]

    def _show(self, message: ForwardMsg) -> None:
        self.shown[message.hash] = message
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise Failed(f"the page {self.page!r} shows an error: {element.exception.message}")
        id = _id(element)
        if not id:
            return
        key = id.split("-", 2)[2]
        self.places.pop(key, None)  # so that the newest is the last
        self.places[key] = element, message.delta.fragment_id
        state = _state(element)
        if state and (id not in self.widgets or getattr(element, kind).set_value):
            self.widgets[id] = state

    def _finish(self, status: int, fragments: list[str]) -> bool:
        """The end of a run. After a whole one, what it has not shown is gone; messages go after some runs."""
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            raise Failed(f"the page {self.page!r} cannot be compiled")
        if status not in (WHOLE, PART):
            return False
        self.runs += 1
        for hash, kept in list(self.kept.items()):
            is_of_run = not fragments or kept.message.delta.fragment_id in fragments
            if is_of_run and self.runs - kept.run > self.oldest:
                del self.kept[hash]
        if status == WHOLE:
            shown = {_id(message.delta.new_element) for message in self.shown.values()}
            self.widgets = {id: state for id, state in self.widgets.items() if id in shown}
            self.edits = {id: rows for id, rows in self.edits.items() if id in shown}
            self.places = {key: place for key, place in self.places.items() if _id(place[0]) in shown}
        return True


def _id(element: Element) -> str:
    kind = element.WhichOneof("type")
    return getattr(getattr(element, kind), "id", "") if kind else ""


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
