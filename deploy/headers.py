"""What every answer of server.py tells a browser about what it may do with the app."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RIGHTS = "camera=(), microphone=(), geolocation=(), payment=(), clipboard-write=(self)"


class SecurityHeaders:
    """Sets them, for a frontend with this index.html and the sites that may show the app inside a page.

    frame_ancestors is as in a Content-Security-Policy: 'self', and others as https://moodle.example.
    """

    def __init__(self, app: ASGIApp, index: Path, frame_ancestors: str) -> None:
        self.app = app
        self.headers = {
            "Content-Security-Policy": policy(index.read_text("utf-8"), frame_ancestors),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": RIGHTS,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(raw=message["headers"]).update(self.headers)
            await send(message)

        await self.app(scope, receive, tell)


def policy(index: str, frame_ancestors: str) -> str:
    """What a page may load: from its own server alone, and of scripts within it those that are there now.

    Styles are made by the frontend as it runs, so that 'unsafe-inline' is for them. blob: is for the script
    of the button that copies a link.
    """
    inside = re.findall(r"<script>(.*?)</script>", index, re.DOTALL)
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inside]
    return "; ".join((
        "default-src 'none'",
        " ".join(["script-src 'self' blob:", *hashes]),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        f"frame-ancestors {frame_ancestors}",
    ))  # fmt: skip
