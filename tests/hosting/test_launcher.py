"""The launcher: a server that is warm before it answers."""

import statistics

import pytest

from tests.hosting.conftest import SLOW_START
from tests.hosting.image import launcher
from tests.load.session import Session
from tests.servers import serve

PAGES = ("", "emma_sentence", "random_qkv", "word_embeddings", "animal_lookup", "your_vectors")


@pytest.fixture(scope="module")
def fresh():
    with serve(launcher(), SLOW_START) as running:
        yield running


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("stage", [{}, {"stage": "all"}], ids=["as it opens", "all stages"])
def test_the_first_visitor_costs_no_more_than_a_later_one(fresh, page, stage):
    """By the processor's time, in which a cold page costs 4 to 50 times a warm one."""
    costs = []
    for _ in range(4):
        before = fresh.cpu()
        with Session(fresh.port, page, stage):
            costs.append(fresh.cpu() - before)
    assert costs[0] <= 2 * statistics.median(costs[1:]) + 30
