"""The app for a whole class: `streamlit run deploy/server.py`, from the project's folder.

Before the server takes visitors, it runs every page, every stage of its first example, and each with a
number edited, so that the first student waits no longer than the hundredth. Until then it answers nothing,
the health check included.

Streamlit would ask another host for this one's public address whenever a web socket comes from the page of
another site, and would answer nobody else meanwhile. Such a web socket is refused without that. On a machine
without a screen it also asks as it starts, before it reads this file, unless it is told --server.address.

Streamlit looks all its 367 settings through for those of the theme, six times for every answer, which is a
tenth of what a typed number takes. They stay as they were when the server started, so it does so once.

Streamlit sends its scripts and styles as they are, 5.9 MB to every new browser, and leaves it to a proxy to
compress them. A laptop in class has none, so that they are compressed here: each once, for all.

Streamlit keeps every file that a browser sends as long as its session lives, asked for or not. Here the
oldest go where all of them together take too much room.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session, get_instance, websocket_session_manager
from streamlit.runtime.session_manager import SessionClient

if sys.platform != "win32":
    import resource

sys.path.append(str(Path(__file__).parents[1]))

from core.matrices import set_cells
from core.presets import YOUR_VECTORS, Preset, every_preset, of_page
from core.recipes import Recipe, prepared
from core.sharing import pack
from core.snapshots import example_content
from core.stages import stage_names
from core.ui.page import ALL_STAGES
from core.ui.state import EDITS
from deploy.headers import SecurityHeaders
from deploy.session import Session
from deploy.turns import RunInTurn

PROJECT = Path(__file__).parents[1]
PATIENCE = 60  # seconds for one page
KEPT = ("", f"stage={ALL_STAGES}")  # what is asked of a page whose opening is kept for the first who come
FRONTEND = Path(st.__file__).parent / "static"
SCRIPTS_AND_STYLES = {
    f"/{file.relative_to(FRONTEND).as_posix()}"
    for file in FRONTEND.rglob("*")
    if file.suffix in (".js", ".css")
}
GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)  # but not where it is refused
UPLOAD = re.compile("/_stcore/upload_file/([^/]+)/([^/]+)")
ROOM_FOR_UPLOADS = 64_000_000  # bytes
MOST_UPLOADS = 3  # of one session, whose dialog reads one file
ROOM_OF_ONE = 32_000  # bytes, for what goes with a file, so that there are 2,000 at most
OPEN_FILES = 10_000  # those of 2,500 students, and some systems allow no more
LONGEST_ID = 64  # characters, of a file or a session


class Visitor(SessionClient):
    """Opens a link, and leaves when the page is there."""

    def __init__(self) -> None:
        self.done = asyncio.Event()

    def write_forward_msg(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "script_finished":
            self.done.set()

    async def visit(self, page: str, query: str) -> None:
        request = BackMsg()
        request.rerun_script.page_name, request.rerun_script.query_string = page, query
        if query in KEPT:
            request.rerun_script.context_info.SetInParent()
        session = get_instance().connect_session(self, {})
        get_instance().handle_backmsg(session, request)
        await asyncio.wait_for(self.done.wait(), PATIENCE)
        get_instance().close_session(session)


@asynccontextmanager
async def warmed_up(_: st.App) -> AsyncIterator[None]:
    begin = time.monotonic()
    for page, query in visits():
        await Visitor().visit(page, query)
    print(f"Warmed up in {time.monotonic() - begin:.0f} s: a class can come.", flush=True)
    yield


def visits() -> Iterator[tuple[str, str]]:
    """The overview, and every stage of each page's first example, as it opens and with a number edited."""
    yield "", ""
    for page in sorted(file.stem for file in (PROJECT / "pages").glob("*.py")):
        yield page, ""
        for preset in examples_of(page)[:1]:
            for edits in ({}, {EDITS: edited(preset)}):
                for stage in (*stage_names(preset.inputs), ALL_STAGES):
                    yield page, urlencode({"stage": stage, **edits})


def examples_of(page: str) -> list[Preset]:
    if page == YOUR_VECTORS:
        return [prepared(Recipe(), every_preset()[0])]
    return list(of_page(page)[0].values())


def edited(preset: Preset) -> str:
    """What the link of a page says of it with its first number edited."""
    name, matrix = next(iter(preset.inputs.matrices.items()))
    inputs = set_cells(preset.inputs, {(name, 0, 0): matrix.values[0, 0] + 1})
    return pack(example_content(None, preset, inputs, before=preset.inputs))


def refused(request: Request, refusal: HTTPException) -> PlainTextResponse:
    """A file for a session that is not here is not found, so that nginx asks the next replica."""
    session = request.path_params.get("session_id")
    elsewhere = session is not None and not get_instance().is_active_session(session)
    return PlainTextResponse(refusal.detail, 404 if elsewhere else refusal.status_code)


@dataclass
class Answer:
    """The start of an answer, with its headers, and its body."""

    start: Message
    body: bytes = b""

    @property
    def is_whole(self) -> bool:
        """Whether all of a file is there: as much as its headers say."""
        size = Headers(raw=self.start["headers"]).get("content-length")
        return bool(self.start["status"] == 200 and size == str(len(self.body)))

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.body += message.get("body", b"")

    async def give(self, send: Send) -> None:
        await send(self.start)
        await send({"type": "http.response.body", "body": self.body})


class CompressedOnce:
    """Keeps Streamlit's scripts and styles compressed: about 300 files, named after what is in them.

    Only by the name that each of them has: there is no end of names that lead to the same file.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[str, Answer] = {}
        self.one_at_a_time = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._wants_compressed(scope):
            await self.app(scope, receive, send)
            return
        answer = self.kept.get(scope["path"]) or await self._first(scope)
        await answer.give(send)

    @staticmethod
    def _wants_compressed(scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] not in SCRIPTS_AND_STYLES:
            return False
        headers = Headers(scope=scope)
        is_whole = not {"range", "if-none-match", "if-modified-since"} & set(headers)
        return is_whole and GZIP.search(headers.get("accept-encoding", "")) is not None

    async def _first(self, scope: Scope) -> Answer:
        async with self.one_at_a_time:
            return self.kept.get(scope["path"]) or await self._compressed(scope)

    async def _compressed(self, scope: Scope) -> Answer:
        answer = Answer({})
        await self.app(scope, stays(), answer.take)
        if answer.is_whole:
            headers = MutableHeaders(raw=answer.start["headers"])
            answer.body = await asyncio.to_thread(gzip.compress, answer.body)
            headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(answer.body))
            headers.add_vary_header("Accept-Encoding")
            self.kept[scope["path"]] = answer
        return answer


def stays() -> Receive:
    """What a visitor sends who waits: an answer to one who has left is empty, and would be kept for all."""
    said = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        return next(said, None) or await asyncio.Future[Message]()

    return receive


class StylesFirst:
    """Has a browser load early what our styles come by.

    Streamlit loads a script for each kind of element, as it comes; with a hundred others before it, that of
    the styles was the last. On a slow line a page stood there for seconds without them, and then moved.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        scripts = [path for path in SCRIPTS_AND_STYLES if re.search(r"/(Html|purify\.es)\.[^/]+\.js$", path)]
        self.early = ", ".join(f"<.{path}>; rel=modulepreload; crossorigin" for path in sorted(scripts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", self.early)
            await send(message)

        await self.app(scope, receive, tell)


class MetricsForItself:
    """Tells how many are there, and the like, on the machine of the server alone: to nobody in the room."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and "/_stcore/metrics" in scope["path"]
        if is_asked and not (scope["client"] and ip_address(scope["client"][0]).is_loopback):
            await PlainTextResponse("", 404)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class LittleRoomForUploads:
    """Lets the oldest uploads of a session go that are too many, and of all where they take too much room.

    A dialog reads its file as long as it is open, which is far less than what a class can send meanwhile.
    Files without a byte count, too; and what names one, it keeps as long.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.held: dict[tuple[str, str], int] = {}  # session and file: bytes; the oldest first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = UPLOAD.match(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if upload and max(map(len, upload.groups())) > LONGEST_ID:
            await PlainTextResponse("", 400)(scope, receive, send)
            return
        await self.app(scope, receive, send)
        if upload:
            self._hold(*upload.groups())

    def _hold(self, session: str, file: str) -> None:
        uploads = get_instance().uploaded_file_mgr
        self.held.pop((session, file), None)  # one that is sent once more takes the place of the first
        for record in uploads.get_files(session, [file]):
            self.held[session, file] = ROOM_OF_ONE + len(record.data)
        own = [held for held in self.held if held[0] == session]
        for _, older in own[:-MOST_UPLOADS]:
            self._let_go(session, older)
        if sum(self.held.values()) > ROOM_FOR_UPLOADS:
            self.held = {
                (session, file): room
                for (session, file), room in self.held.items()
                if uploads.get_files(session, [file])  # not of a session that has ended
            }
        while sum(self.held.values()) > ROOM_FOR_UPLOADS:
            self._let_go(*next(iter(self.held)))

    def _let_go(self, session: str, file: str) -> None:
        del self.held[session, file]
        get_instance().uploaded_file_mgr.remove_file(session, file)  # type: ignore[attr-defined]


def allow_open_files() -> None:
    """Have the system allow as many as a class needs, four for each student; most begin with 1,024."""
    if sys.platform != "win32":
        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
        if now != resource.RLIM_INFINITY and now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def unknown_address() -> None:
    """In the place of what asks for the public address."""


allow_open_files()
app_session.ScriptRunner = RunInTurn  # type: ignore[attr-defined]
websocket_session_manager.AppSession = Session  # type: ignore[attr-defined]
net_util.get_external_ip = unknown_address
config.get_options_for_section = lru_cache(maxsize=16)(config.get_options_for_section)
app = st.App(
    PROJECT / "streamlit_app.py",
    lifespan=warmed_up,
    middleware=[
        Middleware(SecurityHeaders, FRONTEND / "index.html", os.environ.get("FRAME_ANCESTORS", "'self'")),
        *(Middleware(kind) for kind in (MetricsForItself, StylesFirst, CompressedOnce, LittleRoomForUploads)),
    ],
    exception_handlers={400: refused},
)
