"""A client that sends what no browser would: its page is drawn all the same, and others notice nothing."""

import json
import time
from contextlib import suppress

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import SInt64Array, StringArray
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.frames import CloseCode
from websockets.sync.client import connect

from core.recipes import Recipe, content_of
from core.sharing import pack
from deploy.limits import MOST_UNREAD, is_forged
from tests.load.client import Client
from tests.load.session import PATIENCE, SOCKET, Session, socket_address
from tests.servers import CLASS_APP, SLOW_START, active_sessions, serve

LONG = "x" * 100_000
TEXTS = ("", "<script>alert(1)</script>", LONG, "99. x", "-1", "\ud7ff\u202e")
NUMBERS = (-1.0, 0.0, 0.5, 1e300, -1e300, 2.0**53)
INFINITIES = (float("nan"), float("inf"), -float("inf"))
DEEP = "[" * 2000 + "]" * 2000
ROWS = [
    *({row: {"c0": "1"}} for row in ("9", "999", "-1", "-99", "9" * 30)),
    *({"0": {column: "1"}} for column in ("c99", "c-1", "c²", "name", "_index", "", LONG)),
    *(
        {"0": {"c0": text}}
        for text in (5, 1e300, True, ["1"], {"a": {"b": 1}}, LONG, "9" * 5000, "=1+1", "1\ud83d")
    ),
    *({"0": edited} for edited in ([1], [], None, "c0", 5)),
]
EDITS = [
    *({"edited_rows": rows} for rows in ROWS),
    *({"added_rows": added} for added in ([{"c0": "1"}], [{"zzz": 1}], [None], 5, "x")),
    *({"deleted_rows": deleted} for deleted in ([0, 1], [999], "x", 5)),
]
CLICKS = [
    *({"cell": place} for place in (5, "abc", [5], [{}], {"row": "000"})),
    *({"cell": [{"row": row, "column": "000 x"}]} for row in ("x", "-01 y", "²²² x", {"a": [1]}, None)),
    {"cell": [{"row": "999 x", "column": "064 x"}]},
    {"other": [1]},
]
SCREENS = {
    "Emma": ("emma_sentence", {}, (), ("rename", "add", "remove")),
    "embeddings": ("word_embeddings", {"ask": "softmax"}, (), ()),
    "animals": ("animal_lookup", {"ask": "blend of values"}, (), ()),
    "presented": ("emma_sentence", {"present": "true"}, (), ("next",)),
    "what if": ("emma_sentence", {"what_if": "temperature"}, ("keep",), ()),
    "load": ("emma_sentence", {}, ("open-load",), ()),
    "save": ("emma_sentence", {}, ("open-save",), ()),
    "share": ("emma_sentence", {}, ("open-share",), ()),
    "start anew": ("your_vectors", {}, ("open-start-anew",), ("start",)),
    "three ways": ("emma_sentence", {"experiment": "three ways"}, (), ()),
    "meaning space": ("emma_sentence", {"experiment": "meaning space"}, (), ("make-edit",)),
    "arrows": ("animal_lookup", {"experiment": "arrows"}, (), ()),
    "why": ("random_qkv", {"experiment": "why √d_k", "draw": "a draw with a seed"}, (), ("redraw",)),
    "from average": ("word_embeddings", {"experiment": "from average"}, (), ()),
    "one word": ("word_embeddings", {"experiment": "one word"}, (), ("make-edit",)),
    "soft lookup": ("animal_lookup", {"experiment": "soft lookup", "source": "your own"}, (), ()),
    "heads": ("your_vectors", {"experiment": "heads"}, (), ()),
}
UNREADABLE = {  # which Streamlit itself cannot read, before it calls the page
    "emma_sentence.queries.T x C": ("x", "[]", "5", DEEP, '{"edited_rows": {"x": {}}}'),
    "cells": ("x", '{"selection": 5}', DEEP),
}


class Hopeful(Client):
    """A client that notes whether an exception was shown, and goes on."""

    failed = False

    def _show(self, message: ForwardMsg) -> None:
        if message.delta.new_element.WhichOneof("type") == "exception":
            self.failed = True
        else:
            super()._show(message)


class Hostile(Session):
    """A session that sends states of widgets as they come."""

    client_type = Hopeful

    @property
    def failed(self) -> bool:
        return self.client.failed

    def send(self, states: dict[str, WidgetState]) -> None:
        """Run the page with these states, by the keys of their widgets, and then forget them."""
        client, honest = self.client, dict(self.client.widgets)
        for key, state in states.items():
            state.id = state.id or _id(client.places[key][0])
            client.widgets[state.id] = state
        client.failed = False
        self.run(client.request())
        client.widgets = honest


def _id(element: Element) -> str:
    id: str = getattr(element, element.WhichOneof("type")).id
    return id


def nonsense(element: Element) -> list[WidgetState]:
    """States of the right type for a widget, which its user could not have chosen."""
    kind = element.WhichOneof("type")
    if kind in ("selectbox", "radio", "text_input", "text_area"):
        return [WidgetState(string_value=text) for text in TEXTS]
    if kind == "button_group" or (kind == "slider" and element.slider.options):
        return [_texts(text) for text in TEXTS] + [_texts(), _texts(*TEXTS)]
    if kind == "slider":
        return [_numbers(number) for number in (*NUMBERS, *INFINITIES)] + [_numbers(), _numbers(0, 1)]
    if kind == "number_input":
        return [WidgetState(double_value=number) for number in NUMBERS]
    if kind == "dataframe" and element.dataframe.editing_mode:
        return [WidgetState(string_value=json.dumps(edits)) for edits in EDITS]
    if kind == "vega_lite_chart":
        return [WidgetState(string_value=json.dumps({"selection": click})) for click in CLICKS]
    if kind == "file_uploader":
        return [_files("../../etc/passwd"), _files(LONG)]
    if kind == "menu_button":
        return [_choice(text) for text in TEXTS]
    return []


def _texts(*texts: str) -> WidgetState:
    state = WidgetState()
    state.string_array_value.data.extend(texts)
    return state


def _numbers(*numbers: float) -> WidgetState:
    state = WidgetState()
    state.double_array_value.data.extend(numbers)
    return state


def _choice(text: str) -> WidgetState:
    state = WidgetState()
    state.string_trigger_value.data = text
    return state


def _files(name: str) -> WidgetState:
    """A file that was never uploaded."""
    state = WidgetState()
    state.file_uploader_state_value.uploaded_file_info.add(file_id=name, name=name, size=1)
    return state


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("server") / "log"


@pytest.fixture(scope="module")
def port(log):
    with serve(CLASS_APP, SLOW_START, log=log) as server:
        yield server.port


def heatmap(session: Session) -> bytes:
    """The cells as they were sent last."""
    (cells,) = session.client.places["cells-0"][0].vega_lite_chart.datasets
    return cells.data.data


@pytest.fixture(scope="module")
def honest(port):
    """Somebody else, who typed a number before all that and sees it afterwards."""
    with Session(port, "emma_sentence") as session:
        session.edit("queries", 8, "c0", "2")
        before = heatmap(session)
        yield session
        session.toggle("causal")
        session.toggle("causal")
        assert heatmap(session) == before


def opened(port: int, screen: str) -> Hostile:
    page, query, pressed, _ = SCREENS[screen]
    session = Hostile(port, page, query)
    for key in pressed:
        session.send({key: WidgetState(trigger_value=True)})
    return session


@pytest.mark.usefixtures("honest")
@pytest.mark.parametrize("screen", SCREENS)
def test_nonsense_for_every_widget_at_once_raises_nothing(port, screen):
    with opened(port, screen) as session:
        sent = {_lasting(key): nonsense(element) for key, (element, _) in session.client.places.items()}
    sent = {key: states for key, states in sent.items() if states}
    assert len(sent) > 5
    for turn in range(len(TEXTS)):
        with opened(port, screen) as session:
            pressed = {key: WidgetState(trigger_value=True) for key in SCREENS[screen][3]}
            session.send(
                pressed
                | {
                    key: sent[_lasting(key)][turn % len(sent[_lasting(key)])]
                    for key in session.client.places
                    if _lasting(key) in sent
                }
            )
            assert not session.failed, f"turn {turn}"


def _lasting(key: str) -> str:
    """A key without its revision, which is another one in every session."""
    return key.rstrip("0123456789").rstrip(".-")


@pytest.mark.parametrize("layout", ["T x C", "C x T"])
def test_edits_that_no_editor_holds_are_not_used(port, honest, layout):
    with Hostile(port, "emma_sentence", {"layout": layout}) as session:
        before = heatmap(session)
        for edits in EDITS:
            editor = next(key for key in reversed(session.client.places) if ".queries." in key)
            session.send({editor: WidgetState(string_value=json.dumps(edits))})
            assert not session.failed, edits
            assert heatmap(session) == before, edits
            assert "edits" not in session.client.query
        session.edit("queries", 0, "c0", "7")
        assert heatmap(session) != before


def test_clicks_beside_every_cell_select_nothing(port):
    with Hostile(port, "emma_sentence") as session:
        for click in CLICKS:
            session.send({"cells-0": WidgetState(string_value=json.dumps({"selection": click}))})
            assert not session.failed, click
            assert not {"query", "key"} & set(session.client.query), click


@pytest.mark.parametrize("screen", ["presented", "start anew", "three ways"])
def test_a_click_that_comes_when_its_page_is_gone_raises_nothing(port, screen):
    with opened(port, screen) as session:
        for key, (element, _) in dict(session.client.places).items():
            if element.WhichOneof("type") == "button":
                states = [WidgetState(trigger_value=True)]
            elif element.WhichOneof("type") == "checkbox":
                states = [WidgetState(bool_value=True)]
            else:
                states = nonsense(element)[-1:]
            for state in states:
                state.id = _id(element)
                late(session, key, state)


def late(session: Hostile, key: str, state: WidgetState) -> None:
    """Go to the overview, and send the state of a widget of the page before only then."""
    before = session.client.page_hash
    session.client.page_hash = session.client.page = ""
    session.send({})
    assert not session.failed
    session.send({key: state})
    assert not session.failed, key
    session.client.page_hash = before
    session.send({})
    assert not session.failed, f"back on the page, after {key}"


@pytest.mark.usefixtures("honest")
def test_what_streamlit_cannot_read_spoils_only_its_own_session(port):
    for name, texts in UNREADABLE.items():
        for text in texts:
            with Hostile(port, "emma_sentence") as session, Session(port, "emma_sentence") as other:
                key = next(key for key in session.client.places if _lasting(key) == name)
                session.send({key: WidgetState(string_value=text)})
                assert session.failed, f"{name} can be read: {text[:40]}"
                other.toggle("scale")


@pytest.mark.usefixtures("honest")
def test_a_toggle_that_is_sent_a_text_is_drawn_all_the_same(port):
    with Hostile(port, "emma_sentence") as session:
        session.send({"scale": WidgetState(string_value="x")})
        assert not session.failed


@pytest.mark.usefixtures("honest")
def test_a_message_larger_than_any_browser_needs_is_not_read(port):
    with Session(port, "emma_sentence") as session:
        session.socket.send(b"0" * 5_000_001)
        with pytest.raises(ConnectionClosedError) as closed:
            list(iter(lambda: session.socket.recv(timeout=PATIENCE), b""))
    assert closed.value.rcvd.code == CloseCode.MESSAGE_TOO_BIG


@pytest.mark.usefixtures("honest")
@pytest.mark.parametrize(
    "states",
    [
        [WidgetState(id=f"{n}") for n in range(1_001)],
        [WidgetState()],
        [WidgetState(id="x", string_value=json.dumps({"selection": {"cell": [[]] * 5_000}}))],
        [WidgetState(id="x", json_value=json.dumps({"block": [[[]]] * 3_000}))],
        [WidgetState(id="x", json_trigger_value=json.dumps(["x" * 200_000]))],
        [WidgetState(id="x", string_value=json.dumps({"deleted_rows": [0] * 200_002}))],
        [WidgetState(id="x", int_array_value=SInt64Array(data=[0] * 1_001))],
        [WidgetState(id="x", string_array_value=StringArray(data=[""] * 1_001))],
    ],
    ids=[
        "widgets without end",
        "one without a name",
        "lists in lists",
        "lists in lists of our own part",
        "a long text of our own part",
        "rows without end",
        "numbers without end",
        "choices without end",
    ],
)
def test_nothing_is_done_for_who_tells_what_no_browser_would(port, states):
    with Session(port, "emma_sentence") as session:
        request = BackMsg.FromString(session.client.press("next"))
        request.rerun_script.widget_states.widgets.extend(states)
        session.socket.send(request.SerializeToString())
        session.run(session.client.press("next"))
        assert session.client.query["stage"] == "scaled"  # one step from the first, not two


@pytest.mark.usefixtures("honest")
def test_nothing_is_done_for_who_has_kept_messages_without_end(port):
    with Session(port, "emma_sentence") as session:
        request = BackMsg.FromString(session.client.press("next"))
        request.rerun_script.cached_message_hashes.extend([""] * 10_001)
        session.socket.send(request.SerializeToString())
        session.run(session.client.press("next"))
        assert session.client.query["stage"] == "scaled"


@pytest.mark.usefixtures("honest")
def test_who_asks_for_large_pages_and_reads_none_is_hung_up_on(port):
    tokens = tuple(f"{number:064}" for number in range(256))
    recipe = Recipe(tokens=tokens, projected=True, d_model=64, d_k=64, d_v=64)
    largest = {"stage": "all", "edits": pack({"start": content_of(recipe)})}
    client, read = Client(f"http://127.0.0.1:{port}/your_vectors", largest), 0
    with (
        Session(port, "emma_sentence") as other,
        connect(socket_address(port), **SOCKET | {"max_queue": 1}) as socket,
    ):
        socket.send(client.request())
        other.toggle("scale")
        visitors = active_sessions(port)
        end = time.monotonic() + SLOW_START
        while active_sessions(port) == visitors and time.monotonic() < end:
            with suppress(ConnectionClosed):
                socket.send(client.request())
            other.toggle("scale")
        with suppress(ConnectionClosed):
            while True:
                read += len(socket.recv(timeout=PATIENCE))
        other.toggle("scale")
    assert read < MOST_UNREAD


@pytest.mark.usefixtures("honest")
def test_nothing_is_told_of_files_beside_the_app_nor_of_places_for_files_without_end(port):
    with Session(port, "emma_sentence") as session:
        for message in (BackMsg(load_git_info=True), asking_for_files(101), asking_for_files(1)):
            session.socket.send(message.SerializeToString())
        told = []
        while not told or not told[-1].HasField("file_urls_response"):
            told.append(ForwardMsg.FromString(session.socket.recv(timeout=PATIENCE)))
        assert len(told[-1].file_urls_response.file_urls) == 1
        assert not any(message.HasField("git_info_changed") for message in told)
        session.toggle("scale")


def asking_for_files(count: int) -> BackMsg:
    message = BackMsg()
    message.file_urls_request.file_names.extend(["x.csv"] * count)
    return message


def test_all_that_an_honest_browser_says_is_taken():
    """The largest editor with all its cells typed anew, and a text that was pasted to be loaded."""
    edited = {row: {f"c{column}": "-0.123456789" for column in range(64)} for row in range(256)}
    told = json.dumps({"edited_rows": edited, "added_rows": [], "deleted_rows": []})
    for state in (
        WidgetState(id="$$ID-1-your_vectors.queries.T x C.1", string_value=told),
        WidgetState(id="$$ID-2-load-text-1", string_value="[" * 100_000),
    ):
        request = ClientState()
        request.widget_states.widgets.append(state)
        assert not is_forged(request)


@pytest.mark.parametrize("kind", ["json_value", "json_trigger_value"])
def test_what_is_pasted_is_a_text_and_nothing_else(kind):
    request = ClientState()
    told = "[" + ",".join(["[]"] * 100_000) + "]"
    request.widget_states.widgets.append(WidgetState(id="$$ID-2-load-text-1", **{kind: told}))
    assert is_forged(request)
