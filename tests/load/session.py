"""One session over Streamlit's websocket, in which an action does what it does in a browser."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, ExitStack
from typing import Self

from websockets.sync.client import ClientConnection, connect

from tests.load.client import Client

PATIENCE = 20  # seconds
SOCKET = {
    "subprotocols": ["streamlit"],
    "compression": None,
    "max_size": None,
    "max_queue": None,  # behind a full one, closing waits for 10 s
    "proxy": None,
}


def socket_address(port: int) -> str:
    return f"ws://127.0.0.1:{port}/_stcore/stream"


class Session:
    """A page that is open; client is what its browser keeps."""

    client_type: type[Client] = Client

    def __init__(self, port: int, page: str = "", query: dict[str, str] | None = None) -> None:
        self.port, self.opened = port, ExitStack()
        self.client = self.client_type(f"http://127.0.0.1:{port}/{page}", query)
        self.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Connect, and ask for the page."""
        with ExitStack() as opening:
            self.socket = opening.enter_context(self._connect())
            self.run(self.client.request())
            self.opened = opening.pop_all()

    def close(self) -> None:
        self.opened.close()

    def toggle(self, key: str) -> float:
        """Click a toggle. Milliseconds from what is sent to the end of the run that it caused."""
        return self._act(self.client.toggle(key))

    def edit(self, key: str, row: int, column: str, text: str) -> float:
        """Type into a cell of the editor of a matrix, in the column of this id; time as of toggle."""
        return self._act(self.client.edit(key, row, column, text))

    def run(self, message: bytes) -> float:
        """Send what asks for a run, and take what comes until it has ended; time as of toggle."""
        begin = time.perf_counter()
        self.socket.send(message)
        while not self.client.take(self.socket.recv(timeout=PATIENCE)):
            pass
        return 1000 * (time.perf_counter() - begin)

    def _act(self, message: bytes) -> float:
        milliseconds = self.run(message)
        self.client.check_changed()
        return milliseconds

    def _connect(self) -> AbstractContextManager[ClientConnection]:
        return connect(socket_address(self.port), **SOCKET)
