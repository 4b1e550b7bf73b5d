"""A student on the server: what a browser does with cookies, links and cells, without a browser."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from tests.load.client import Client
from tests.load.session import PATIENCE, SOCKET, Session

HOST = "classroom.example"


class Reader(Client):
    """Keeps the words on the page, too, and the name that the server gave to its session."""

    def __init__(self, url: str, query: dict[str, str] | None = None) -> None:
        super().__init__(url, query)
        self.id, self.words = "", list[str]()

    def take(self, data: bytes) -> bool:
        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "new_session":
            self.id, self.words = message.new_session.initialize.session_id, []
        return super().take(data)

    def _show(self, message: ForwardMsg) -> None:
        super()._show(message)
        if message.delta.new_element.WhichOneof("type") == "markdown":
            self.words.append(message.delta.new_element.markdown.body)


class Student(Session):
    """Opens a page as a link does; the address bar follows what the server says."""

    client_type = Reader
    client: Reader

    def __init__(
        self,
        port: int,
        page: str,
        host: str = HOST,
        origin: str = f"http://{HOST}",
        cookies: bool = True,
        forwarded_for: str | None = None,
    ) -> None:
        self.port, self.host, self.origin, self.keeps_cookies = port, host, origin, cookies
        self.forwarded = {"X-Forwarded-For": forwarded_for} if forwarded_for else {}
        self.cookies: dict[str, str] = {}
        for path in (f"/{page}", "/_stcore/health"):
            self.request("GET", path)
        super().__init__(port, page)

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, {"Host": self.host, **self._sent(), **(headers or {})})
        response = connection.getresponse()
        response.read()
        connection.close()
        if self.keeps_cookies:
            for line in response.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        return response

    def upload(self, text: str, file: str) -> int:
        """Send a file to this session, as the file uploader does. The status of the answer."""
        part = f'Content-Disposition: form-data; name="f"; filename="{file}"\r\nContent-Type: text/csv'
        body = f"--part\r\n{part}\r\n\r\n{text}\r\n--part--\r\n".encode()
        headers = {"Content-Type": "multipart/form-data; boundary=part"}
        if "_streamlit_xsrf" in self.cookies:
            headers["X-Xsrftoken"] = self.cookies["_streamlit_xsrf"]
        return self.request("PUT", f"/_stcore/upload_file/{self.client.id}/{file}", body, headers).status

    @property
    def is_lost(self) -> bool:
        """Whether the server closed the connection."""
        return self.socket.close_code is not None

    def come_back(self) -> None:
        """Connect until somebody answers, and send the link as it is."""
        end = time.monotonic() + PATIENCE
        while True:
            self.close()
            try:
                self.open()
                return
            except (OSError, InvalidHandshake, ConnectionClosed):
                if time.monotonic() > end:
                    raise

    def _connect(self) -> AbstractContextManager[ClientConnection]:
        names = ["streamlit", self.cookies.get("_streamlit_xsrf", "none"), self.client.id or "none"]
        return connect(
            f"ws://{self.host}/_stcore/stream",
            address=("127.0.0.1", self.port),
            origin=self.origin,
            additional_headers=self._sent(),
            **SOCKET | {"subprotocols": names},
        )

    def _sent(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        return {"Cookie": cookies, **self.forwarded}
