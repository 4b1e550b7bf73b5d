"""What every answer tells a browser about what it may do, without a proxy too, and as it is hosted."""

import asyncio
import re
import runpy
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
import yaml

from tests.hosting.conftest import SLOW_START
from tests.hosting.image import launcher
from tests.servers import PROJECT, fetched, serve

HEADERS = runpy.run_path(str(PROJECT / "deploy" / "headers.py"))
STYLES_AND_DATA = "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"
SCRIPT_OF_STREAMLIT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"  # in its index.html
SECURITY = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'self' blob: {SCRIPT_OF_STREAMLIT}; {STYLES_AND_DATA}; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), clipboard-write=(self)",
}


@pytest.fixture(scope="module")
def shown_elsewhere():
    ancestors = {"FRAME_ANCESTORS": "'self' https://moodle.example"}
    with serve(launcher(), SLOW_START, environment=ancestors) as running:
        yield running


@pytest.mark.parametrize(
    "path", ["/", "/emma_sentence?causal=true", "/_stcore/health", "/media/none", "/_stcore/metrics", "/%00"]
)
def test_every_answer_has_them_without_a_proxy(shown_elsewhere, path):
    headers = fetched(shown_elsewhere, path)[0].headers
    for name in set(SECURITY) - {"Content-Security-Policy"}:
        assert headers.get_all(name) == [SECURITY[name]]
    (policy,) = headers.get_all("Content-Security-Policy")
    there, _, ancestors = policy.partition("frame-ancestors ")
    assert SECURITY["Content-Security-Policy"].startswith(there)
    assert ancestors == "'self' https://moodle.example"


def test_no_other_host_is_allowed_and_no_text_is_run():
    policy = SECURITY["Content-Security-Policy"]
    assert not re.search(r"https?:|wss?:|\*", policy)
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.replace("style-src 'self' 'unsafe-inline'", "")


def test_the_scripts_inside_a_page_are_allowed_by_what_is_in_them():
    policy = HEADERS["policy"](
        "<script>one()</script> <script src='two.js'></script>\n<script>\n3\n</script>", ""
    )
    hashes = [b64encode(sha256(script).digest()).decode() for script in (b"one()", b"\n3\n")]
    assert re.findall("'sha256-([^']+)'", policy) == hashes


def test_a_header_that_the_app_has_set_itself_is_not_sent_twice(tmp_path):
    """Of two policies a browser keeps both, and of two kinds of nosniff none."""
    sent = []

    async def app(scope, receive, send):
        headers = [(b"x-content-type-options", b"sniff"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"text"})

    async def take(message):
        sent.append(message)

    index = tmp_path / "index.html"
    index.write_text("", "utf-8")
    with ThreadPoolExecutor(1) as thread:
        answering = HEADERS["SecurityHeaders"](app, index, "'none'")({"type": "http"}, None, take)
        thread.submit(asyncio.run, answering).result()
    names = [name for name, _ in sent[0]["headers"]]
    assert sorted(set(names)) == sorted(names)
    assert (b"x-content-type-options", b"nosniff") in sent[0]["headers"]
    assert sent[1] == {"type": "http.response.body", "body": b"text"}


def test_who_may_show_the_app_inside_a_page_is_said_once_for_the_app_and_its_proxy():
    services = yaml.safe_load((PROJECT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]
    said = {name: service["environment"]["FRAME_ANCESTORS"] for name, service in services.items()}
    assert said == {name: "${FRAME_ANCESTORS:-'self'}" for name in ("app", "nginx")}
