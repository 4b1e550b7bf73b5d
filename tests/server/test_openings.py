"""A link that was opened before, on the server of a class: it shows the same, and is a session of its own."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.attention import scaled_dot_product_attention
from tests.load.client import Client
from tests.load.session import Session
from tests.servers import CLASS_APP, PAGES, SLOW_START, serve

SETTINGS = ({}, {"stage": "weights", "scale": "true"}, {"stage": "all"}, {"present": "true"})
REFERENCE = json.loads((Path(__file__).parents[1] / "reference/emma_sentence.json").read_text("utf-8"))
QUERIES, KEYS, SCORES = (np.array(REFERENCE[name]) for name in ("queries", "keys", "scores"))
ALL = 30  # who open a link at once


@pytest.fixture(scope="module")
def server():
    with serve(CLASS_APP, SLOW_START) as server:
        yield server


class Reading(Client):
    """A browser that keeps all that it was told."""

    def __init__(self, *link) -> None:
        super().__init__(*link)
        self.read: list[ForwardMsg] = []

    def take(self, data: bytes) -> bool:
        self.read.append(ForwardMsg.FromString(data))
        return super().take(data)

    def begun(self) -> list[ForwardMsg]:
        return [message for message in self.read if message.HasField("new_session")]

    def told(self) -> list[tuple[str, tuple[int, ...]]]:
        """What was said, and where, until the page was there."""
        kinds = [message.WhichOneof("type") for message in self.read]
        messages = self.read[: kinds.index("script_finished") + 1]
        return [(message.hash, tuple(message.metadata.delta_path)) for message in messages]


class ReadingSession(Session):
    client_type = Reading


@pytest.mark.parametrize(
    "settings", SETTINGS, ids=lambda settings: " ".join(settings.values()) or "as it opens"
)
@pytest.mark.parametrize("page", PAGES)
def test_the_second_is_told_the_same_and_clicks_in_a_session_of_its_own(server, page, settings):
    """Were the page that is drawn for it any other than the one that was kept, it would be told that, too."""
    with ReadingSession(server.port, page, settings) as first:
        with ReadingSession(server.port, page, settings) as second:
            assert len(first.client.told()) > 30
            assert second.client.told() == first.client.told()
            assert second.client.query == first.client.query
            second.toggle("scale")
            sessions = [
                [message.new_session.initialize.session_id for message in session.client.begun()]
                for session in (first, second)
            ]
            assert len(sessions[0]) == 1
            assert len(sessions[1]) == 2
            assert sessions[0][0] not in sessions[1]
            assert len({*sessions[1]}) == 1
        first.toggle("scale")


def test_all_who_open_a_link_at_once_are_told_the_same_and_edit_their_own(server):
    def open_and_edit(number: int) -> tuple[list[tuple[str, tuple[int, ...]]], bool]:
        queries = QUERIES.copy()
        queries[8, 0] = number
        with ReadingSession(server.port, "emma_sentence", {"stage": "scores", "key": "0"}) as session:
            told = session.client.told()
            session.edit("queries", 8, "c0", str(number))
            expected = scaled_dot_product_attention(queries, KEYS).scores
            return told, np.allclose(session.client.heatmap(), expected, atol=1e-9)

    with ThreadPoolExecutor(ALL) as threads:
        first, *others = threads.map(open_and_edit, range(2, ALL + 2))
    assert first[1]
    assert all(other == first for other in others)


def test_a_link_with_edits_shows_them_to_the_second_who_undoes_them_alone(server):
    with Session(server.port, "emma_sentence") as lecturer:
        lecturer.edit("queries", 8, "c0", "2")
        link = dict(lecturer.client.query)
    edited = QUERIES.copy()
    edited[8, 0] = 2
    for _ in range(2):
        with Session(server.port, "emma_sentence", link) as student:
            expected = scaled_dot_product_attention(edited, KEYS).scores
            assert np.allclose(student.client.heatmap(), expected, atol=1e-9)
            student.edit("queries", 8, "c0", str(QUERIES[8, 0]))
            assert np.allclose(student.client.heatmap(), SCORES, atol=1e-9)
            assert "edits" not in student.client.query or student.client.query != link
