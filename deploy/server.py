"""The app for a whole class: `streamlit run deploy/server.py`, from the project's folder.

Before the server takes visitors, it runs every page once, so that the first student waits no longer than the
hundredth. Until then it answers nothing, the health check included.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import get_instance
from streamlit.runtime.session_manager import SessionClient

PROJECT = Path(__file__).parents[1]
PATIENCE = 60  # seconds for one page


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
        session = get_instance().connect_session(self, {})
        get_instance().handle_backmsg(session, request)
        await asyncio.wait_for(self.done.wait(), PATIENCE)
        get_instance().close_session(session)


@asynccontextmanager
async def warmed_up(_: st.App) -> AsyncIterator[None]:
    for page in ("", *(file.stem for file in sorted((PROJECT / "pages").glob("*.py")))):
        for query in ("", "stage=all"):
            await Visitor().visit(page, query)
    yield


def refused(request: Request, refusal: HTTPException) -> PlainTextResponse:
    """A file for a session that is not here is not found, so that nginx asks the next replica."""
    session = request.path_params.get("session_id")
    elsewhere = session is not None and not get_instance().is_active_session(session)
    return PlainTextResponse(refusal.detail, 404 if elsewhere else refusal.status_code)


app = st.App(PROJECT / "streamlit_app.py", lifespan=warmed_up, exception_handlers={400: refused})
