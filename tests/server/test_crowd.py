"""A class that opens a link at once: one page is drawn after the other, so the first wait for no last."""

import asyncio

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from tests.load.client import Client
from tests.load.session import SOCKET, socket_address
from tests.servers import APP, PAGES, SLOW_START, Server, serve

SESSIONS = 12
PATIENCE = 60  # seconds for all of them
EVERY_PAGE = ("", *PAGES)


@pytest.fixture(scope="module")
def server():
    with serve(APP, SLOW_START) as server:
        yield server


async def open_at_once(server: Server, page: str) -> list[str]:
    """What happens to the sessions, in its order: their pages begin to come, and are done."""
    events: list[str] = []
    all_are_here = asyncio.Barrier(SESSIONS)

    async def open_page() -> None:
        client = Client(f"{server.url}/{page}")
        async with connect(socket_address(server.port), **SOCKET) as socket:
            await all_are_here.wait()
            await socket.send(client.request())
            begins = is_done = False
            while not is_done:
                data = await socket.recv()
                if not begins and ForwardMsg.FromString(data).HasField("delta"):
                    begins = True
                    events.append("begins")
                is_done = client.take(data)
            events.append("is done")

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for _ in range(SESSIONS):
            group.create_task(open_page())
    return events


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_where_all_open_a_page_at_once_the_first_are_done_before_half_of_them_begin(server, page):
    events = asyncio.run(open_at_once(server, page))
    assert [events.count("begins"), events.count("is done")] == [SESSIONS] * 2
    _, second, *_ = (place for place, event in enumerate(events) if event == "is done")
    assert events[:second].count("begins") <= SESSIONS / 2
