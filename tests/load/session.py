"""One session over Streamlit's websocket, in which an action does what it does in a browser."""

from __future__ import annotations

import time
from contextlib import ExitStack

from websockets.sync.client import connect

from tests.load.client import Client

PATIENCE = 20  # seconds
SOCKET = {"subprotocols": ["streamlit"], "compression": None, "max_size": None, "proxy": None}


def socket_address(port: int) -> str:
    return f"ws://127.0.0.1:{port}/_stcore/stream"


class Session:
    def __init__(self, port: int, page: str = "", query: dict[str, str] | None = None) -> None:
        self.client = Client(f"http://127.0.0.1:{port}/{page}", query)
        self.address, self.opened = socket_address(port), ExitStack()

    def __enter__(self) -> Session:
        with ExitStack() as opening:
            self.socket = opening.enter_context(connect(self.address, **SOCKET))
            self._run(self.client.request())
            self.opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def toggle(self, key: str) -> float:
        """Click a toggle. Milliseconds from what is sent to the end of the run that it caused."""
        return self._act(self.client.toggle(key))

    def edit(self, key: str, row: int, column: str, text: str) -> float:
        """Type into a cell of the editor whose key begins so, in the column of this id; time as of toggle."""
        return self._act(self.client.edit(key, row, column, text))

    def _act(self, message: bytes) -> float:
        milliseconds = self._run(message)
        self.client.check_changed()
        return milliseconds

    def _run(self, message: bytes) -> float:
        begin = time.perf_counter()
        self.socket.send(message)
        while not self.client.take(self.socket.recv(timeout=PATIENCE)):
            pass
        return 1000 * (time.perf_counter() - begin)
