"""What the load tests send is understood as what a browser sends: the numbers of the page follow."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.attention import scaled_dot_product_attention
from tests.load.client import Failed
from tests.load.session import Session
from tests.servers import LEAST_APP, SLOW_START, serve

REFERENCE = Path(__file__).parents[1] / "reference" / "emma_sentence.json"


def reference():
    """Queries, keys and scores of the Emma sentence."""
    given = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return (np.array(given[name]) for name in ("queries", "keys", "scores"))


@pytest.fixture(scope="module")
def server():
    with serve("streamlit_app.py", SLOW_START) as running:
        yield running


def test_a_session_toggles_and_types_and_sees_the_numbers_of_the_reference(server):
    queries, keys, scores = reference()
    with Session(server.port, "emma_sentence", {"stage": "scaled"}) as session:
        assert np.allclose(session.client.heatmap(), scores, atol=1e-9)
        session.toggle("scale")
        assert session.client.query == {"stage": "scaled", "scale": "true"}
        assert np.allclose(session.client.heatmap(), scores / 2, atol=1e-9)
        session.edit("emma_sentence.queries", 8, "c3", "1/4")
        session.edit("emma_sentence.keys", 0, "c0", "-.5")
        queries[8, 3], keys[0, 0] = 0.25, -0.5
        assert np.allclose(
            session.client.heatmap(), scaled_dot_product_attention(queries, keys).scaled, atol=1e-9
        )
        assert session.client.query.keys() == {"stage", "scale", "edits"}


def test_the_least_page_takes_the_same_and_shows_the_same_numbers():
    queries, keys, scores = reference()
    with serve(LEAST_APP, SLOW_START) as least, Session(least.port) as session:
        assert np.allclose(session.client.heatmap(), scores, atol=1e-9)
        session.edit("queries", 8, "Adjective", "1/4")
        session.toggle("scale")
        queries[8, 3] = 0.25
        assert np.allclose(
            session.client.heatmap(), scaled_dot_product_attention(queries, keys).scaled, atol=1e-9
        )
        assert session.client.first_editor() == ("queries", 9, ["Person", "Animal", "Noun", "Adjective"])


def test_an_action_that_reaches_no_widget_of_the_page_is_an_error(server):
    with Session(server.port, "emma_sentence") as session:
        with pytest.raises(Failed, match="no widget 'temperature'"):
            session.toggle("temperature")
        with pytest.raises(Failed, match="shows nothing new"):
            session.edit("emma_sentence.queries", 0, "c0", "1.1")
