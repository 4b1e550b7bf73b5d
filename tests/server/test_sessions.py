"""Twenty browsers at once on one server: each sees what it typed itself, and nothing of the others."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from core.matrices import set_cells
from core.presets import load_presets
from core.sharing import unpack, with_edits
from core.stages import attend
from tests.load.session import Session
from tests.servers import PROJECT

SESSIONS, ROUNDS = 20, 3
EMMA = load_presets(PROJECT / "data")[0]["emma_sentence"].inputs
FRIEND = 8  # a row of the queries
PATIENCE = 30  # seconds for one browser to wait for all others


def edit_and_read(port: int, number: int, together: Barrier) -> list[str]:
    """One session, which types its own numbers into the same cells as all others: what it saw beside them."""
    faults, expected = [], EMMA
    with Session(port, "emma_sentence") as session:
        for column in range(ROUNDS):
            typed = number + 1 / 8
            expected = set_cells(expected, {("queries", FRIEND, column): typed})
            together.wait()
            session.edit("queries", FRIEND, f"c{column}", str(typed))
            scores = attend(expected, scale=False, causal=False).steps.scores
            if not np.allclose(session.client.heatmap(), scores, rtol=1e-9):
                faults.append(f"session {number}, round {column}: other scores than its own")
            if not with_edits(EMMA, unpack(session.client.query["edits"])).same_as(expected):
                faults.append(f"session {number}, round {column}: another link than its own")
    return faults


def test_twenty_sessions_that_edit_the_same_cells_at_once_see_only_their_own(port):
    together = Barrier(SESSIONS, timeout=PATIENCE)
    with ThreadPoolExecutor(SESSIONS) as threads:
        found = threads.map(lambda number: edit_and_read(port, number, together), range(1, SESSIONS + 1))
        assert [fault for faults in found for fault in faults] == []


def first_table(session: Session) -> bytes:
    """What the first editor was given, in Arrow."""
    key, *_ = session.client.first_editor()
    return session.client.places[key][0].dataframe.arrow_data.data


def test_who_comes_later_sees_the_example_and_not_what_others_typed(port):
    with Session(port, "emma_sentence") as session:
        table = first_table(session)
        session.edit("queries", FRIEND, "c0", "77")
        assert session.client.heatmap()[FRIEND, 0] == pytest.approx(93.62)
        with Session(port, "emma_sentence") as later:
            assert later.client.heatmap()[FRIEND, 0] == pytest.approx(2.42)
            assert "edits" not in later.client.query
            assert first_table(later) == table
