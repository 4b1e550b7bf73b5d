"""The launcher: a server that is warm before it answers."""

import asyncio
import gzip
import re
import resource
import runpy
import socket
import statistics
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import streamlit
from google.protobuf.json_format import MessageToDict
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.hosting.conftest import SLOW_START
from tests.hosting.image import launcher
from tests.hosting.student import Student
from tests.load.client import Client
from tests.load.session import SOCKET, Session, socket_address
from tests.servers import PAGES, PROJECT, fetched, serve

LAUNCHER = runpy.run_path(str(PROJECT / "deploy" / "server.py"))
KEEPER = LAUNCHER["CompressedOnce"]
STATIC = Path(streamlit.__file__).parent / "static" / "static"


@pytest.fixture(scope="module")
def fresh():
    with serve(launcher(), SLOW_START) as running:
        yield running


@pytest.mark.parametrize("page", ["", *PAGES])
@pytest.mark.parametrize("stage", [{}, {"stage": "all"}], ids=["as it opens", "all stages"])
def test_the_first_visitor_costs_no_more_than_a_later_one(fresh, page, stage):
    """By the processor's time, in which a cold page costs 4 to 50 times a warm one."""
    costs = []
    for _ in range(4):
        before = fresh.cpu()
        with Session(fresh.port, page, stage):
            costs.append(round(fresh.cpu() - before))
    assert costs[0] <= 2 * statistics.median(costs[1:]) + 30


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("stage", ["scores", "weights", "output", "all"])
def test_the_first_number_that_is_typed_costs_no_more_than_a_later_one(fresh, page, stage):
    """A chart that nobody has asked for yet takes ten times as long as the number."""
    costs = []
    for _ in range(4):
        with Session(fresh.port, page, {"stage": stage}) as session:
            editor, _, columns = session.client.first_editor()
            before = fresh.cpu()
            session.edit(editor, 1, columns[0], "0.5")
            costs.append(round(fresh.cpu() - before))
    assert costs[0] <= 2 * statistics.median(costs[1:]) + 30


@pytest.mark.parametrize("folder", ["js", "css"])
def test_scripts_and_styles_are_sent_compressed_without_a_proxy(fresh, folder):
    file = max((STATIC / folder).iterdir(), key=lambda path: path.stat().st_size)
    for _ in range(2):
        response, body = fetched(fresh, f"/static/{folder}/{file.name}", **{"Accept-Encoding": "gzip, br"})
        assert response.headers["Content-Encoding"] == "gzip"
        assert response.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        assert "Accept-Encoding" in response.headers["Vary"]
        assert len(body) < file.stat().st_size / 2
        assert gzip.decompress(body) == file.read_bytes()


@pytest.mark.parametrize("page", ["", "emma_sentence"])
def test_a_page_tells_of_the_scripts_that_its_styles_come_by(fresh, page):
    response, _ = fetched(fresh, f"/{page}")
    links = [
        re.fullmatch(r"<\./(.+)>; rel=modulepreload; crossorigin", link)
        for link in response.headers["Link"].split(", ")
    ]
    files = [STATIC.parent / link[1] for link in links]
    assert [file.name.split(".")[0] for file in files] == ["Html", "purify"]
    assert all(file.is_file() for file in files)
    assert "Link" not in fetched(fresh, f"/static/js/{files[0].name}")[0].headers


@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept-Encoding": "br, gzip;q=0"}, {"Accept-Encoding": "gzip", "Range": "bytes=0-99"}],
    ids=["no gzip", "gzip refused", "a part"],
)
def test_who_wants_a_file_otherwise_gets_it_so(fresh, headers):
    file = max((STATIC / "js").iterdir(), key=lambda path: path.stat().st_size)
    response, body = fetched(fresh, f"/static/js/{file.name}", **headers)
    assert "Content-Encoding" not in response.headers
    assert body == (file.read_bytes()[:100] if "Range" in headers else file.read_bytes())


def test_a_script_that_is_not_there_is_not_compressed(fresh):
    response, body = fetched(fresh, "/static/js/nothing.js", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers
    assert b"<html" in body


def test_a_visitor_who_leaves_before_a_script_has_come_leaves_it_whole_to_all_others():
    with serve(launcher(), SLOW_START) as server:
        for file in sorted((STATIC / "js").iterdir(), key=lambda path: path.stat().st_size)[:20]:
            asked = f"GET /static/js/{file.name} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
            for _ in range(3):
                with socket.create_connection(("127.0.0.1", server.port)) as leaving:
                    leaving.sendall(asked.encode())
            _, body = fetched(server, f"/static/js/{file.name}", **{"Accept-Encoding": "gzip"})
            assert gzip.decompress(body) == file.read_bytes()


def test_half_a_script_is_not_kept():
    async def half(scope, receive, send):
        headers = [(b"content-type", b"text/javascript"), (b"content-length", b"2000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"1" * 1000})

    kept, name = KEEPER(half), next((STATIC / "js").iterdir()).name
    scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", b"gzip")]}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, kept(scope | {"path": f"/static/js/{name}"}, None, ignore)).result()
    assert not kept.kept


def test_a_script_is_kept_by_its_own_name_alone():
    kept = KEEPER(answer_with_a_script)
    scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", b"gzip")]}
    name = next((STATIC / "js").iterdir()).name
    by_name = f"/static/js/{name}"
    roundabout = ("/static//js/", "/static/./js/", "/static/css/../js/", "/static/JS/", "/static\\js\\")
    for path in (by_name, f"/static/js/{name.upper()}", *(folder + name for folder in roundabout)):
        with ThreadPoolExecutor(1) as thread:  # as Playwright has a loop in this one
            thread.submit(asyncio.run, kept(scope | {"path": path}, None, ignore)).result()
    assert list(kept.kept) == [by_name]


async def answer_with_a_script(scope, receive, send):
    """As a file system does that holds all these names for one, as those of other systems do."""
    headers = [(b"content-type", b"text/javascript"), (b"content-length", b"2000")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"1" * 2000})


async def ignore(message):
    pass


class Themed(Client):
    """A client that keeps the themes that the server tells it of."""

    def take(self, data):
        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "new_session":
            self.themes = MessageToDict(message.new_session.custom_theme)
        return super().take(data)


class ThemedSession(Session):
    client_type = Themed


def test_every_answer_tells_of_the_theme_of_the_settings(fresh):
    settings = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    with ThemedSession(fresh.port, "emma_sentence") as session:
        for _ in range(2):
            told = session.client.themes
            for name in ("paddingTop", "paddingBottom", "headingFontSizes"):
                for mode in ("light", "dark"):
                    assert told[mode][name] == settings[mode][name]
            session.toggle("scale")


def held_of_uploads(server):
    """How many bytes of files the server holds that were sent to it."""
    _, metrics = fetched(server, "/_stcore/metrics?families=cache_memory_bytes")
    found = re.findall(
        r"^cache_memory_bytes\{[^}]*UploadedFileManager[^}]*\} (\d+)", metrics.decode(), re.MULTILINE
    )
    return int(found[0]) if found else 0


def test_who_sends_files_without_end_lets_only_his_own_go(fresh):
    with Student(fresh.port, "your_vectors") as student, Student(fresh.port, "your_vectors") as other:
        assert other.upload("x" * 800_000, "first.csv") == 204
        for number in range(100):
            assert student.upload("x" * 900_000, f"{number}.csv") == 204
        assert held_of_uploads(fresh) == 800_000 + 3 * 900_000


def test_files_of_a_whole_class_take_no_more_than_their_room():
    with serve(launcher(), SLOW_START) as server, ExitStack() as stack:
        students = [stack.enter_context(Student(server.port, "your_vectors")) for _ in range(25)]
        for student in students:
            for number in range(3):
                assert student.upload("x" * 900_000, f"{number}.csv") == 204
        assert held_of_uploads(server) == 68 * 900_000


def test_a_file_of_a_name_without_end_is_not_kept(fresh):
    with Student(fresh.port, "your_vectors") as student:
        assert student.upload("1,2", "a" * 64) == 204
        assert student.upload("1,2", "a" * 65) == 400


def test_a_file_that_is_sent_again_and_again_lets_no_other_go():
    with serve(launcher(), SLOW_START) as server, Student(server.port, "your_vectors") as student:
        assert student.upload("x" * 900_000, "first.csv") == 204
        for _ in range(100):
            assert student.upload("x" * 900_000, "same.csv") == 204
        assert held_of_uploads(server) == 2 * 900_000


def test_a_web_socket_from_elsewhere_is_refused_without_asking_another_host():
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        proxy = f"http://127.0.0.1:{port}"
        way_out = {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""}
        with (
            serve(launcher(), SLOW_START, environment=way_out) as server,
            pytest.raises(InvalidStatus, match="403"),
        ):
            connect(socket_address(server.port), origin="http://elsewhere.example", **SOCKET)
        outside.setblocking(False)
        with pytest.raises(BlockingIOError):
            outside.accept()


@pytest.mark.parametrize(("visitor", "status"), [("127.0.0.1", 200), ("::1", 200), ("192.168.0.7", 404)])
@pytest.mark.parametrize("path", ["/_stcore/metrics", "/below/a/path/_stcore/metrics/"])
def test_metrics_are_told_on_the_machine_of_the_server_alone(path, visitor, status):
    told = []

    async def metrics(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        told.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "client": (visitor, 5000)}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, LAUNCHER["MetricsForItself"](metrics)(scope, None, send)).result()
    assert told[0]["status"] == status


def test_a_server_has_room_for_the_sockets_of_a_class_where_its_system_begins_with_few():
    told = subprocess.run(
        [sys.executable, "-c", WITH_FEW_FILES], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    now, most = map(int, told.stdout.split())
    assert now == (10_000 if most == resource.RLIM_INFINITY else min(10_000, most))


WITH_FEW_FILES = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
runpy.run_path("deploy/server.py")
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
