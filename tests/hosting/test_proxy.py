"""nginx in front of two replicas: what it sends along, what it refuses, and where it sends whom."""

import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit
from websockets.exceptions import InvalidStatus

from tests.hosting.nginx import nginx
from tests.hosting.student import HOST, Student
from tests.hosting.test_headers import SECURITY

PAGE = "emma_sentence"
INDEX = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
SCRIPT = re.findall(r'src="\./(static/js/index\.[^"]+\.js)"', INDEX)[0]


@pytest.fixture
def student(classroom):
    with Student(classroom.port, PAGE) as opened:
        yield opened


@pytest.mark.parametrize("path", [f"/{PAGE}?causal=true", f"/{SCRIPT}", "/_stcore/host-config"])
def test_every_answer_has_the_headers(student, path):
    answer = student.request("GET", path)
    assert answer.status == 200
    assert {name: answer.headers.get_all(name) for name in SECURITY} == {
        name: [header] for name, header in SECURITY.items()
    }


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics?families=active_sessions"])
@pytest.mark.parametrize("disguise", ["{}", "/.{}", "/a/..{}", "/{}"])
def test_metrics_are_refused(student, path, disguise):
    answer = student.request("GET", disguise.format(path))
    assert answer.status == 404
    assert "metrics" not in (answer.headers["Content-Type"] or "")


def test_files_with_a_hash_are_kept_and_compressed_and_the_page_is_not_kept(student):
    script = student.request("GET", f"/{SCRIPT}", headers={"Accept-Encoding": "gzip"})
    assert script.headers["Cache-Control"] == "public, immutable, max-age=31536000"
    assert script.headers["Content-Encoding"] == "gzip"
    assert "Set-Cookie" not in script.headers
    assert student.request("GET", f"/{PAGE}").headers["Cache-Control"] == "no-cache"


def test_a_page_that_the_browser_has_kept_brings_its_replica_again(student):
    kept = student.request("GET", "/").headers["ETag"]
    student.cookies.clear()
    answer = student.request("GET", "/", headers={"If-None-Match": kept})
    assert answer.status == 304
    assert "classroom" in student.cookies


def test_the_longest_link_gets_through(student):
    assert student.request("GET", f"/{PAGE}?edits={'x' * 6000}&a={'x' * 6000}").status == 200


def test_a_web_socket_needs_the_origin_of_the_page(classroom):
    with Student(classroom.port, PAGE, origin=f"http://{HOST}") as at_home:
        assert at_home.client.first_editor()
    with pytest.raises(InvalidStatus, match="403"):
        Student(classroom.port, PAGE, origin="http://elsewhere.example")
    port = f"{HOST}:8080"
    with Student(classroom.port, PAGE, host=port, origin=f"http://{port}") as with_port:
        assert with_port.client.first_editor()


def spread(classroom, arrive):
    """How many of the students that arrive are at each replica; they leave again."""
    before = [classroom.visitors(replica) for replica in classroom.replicas]
    students = arrive()
    after = [classroom.visitors(replica) for replica in classroom.replicas]
    for student in students:
        student.close()
    return [now - then for now, then in zip(after, before, strict=True)]


def test_a_class_behind_one_address_is_spread_over_the_replicas(classroom):
    with ThreadPoolExecutor(10) as pool:
        found = spread(classroom, lambda: list(pool.map(lambda _: Student(classroom.port, PAGE), range(30))))
    assert sum(found) == 30
    assert min(found) >= 4  # by chance fewer once in 60,000 times


def test_uploads_find_their_session_whatever_the_cookie(student):
    for cookie in ("one", "two", "three", "four", "five", "six", "seven", "eight"):
        student.cookies["classroom"] = cookie
        assert student.upload("a,b\n1,2\n", f"{cookie}.csv") == 204


def test_uploads_of_no_session_and_without_the_token_are_refused(student):
    session, student.client.id = student.client.id, "nobody"
    assert student.upload("a,b\n1,2\n", "no.csv") == 404
    student.client.id = session
    assert student.upload("x" * 2_200_000, "large.csv") == 413
    del student.cookies["_streamlit_xsrf"]
    assert student.upload("a,b\n1,2\n", "no.csv") == 403


def test_a_browser_without_cookies_has_one_replica(classroom):
    found = spread(classroom, lambda: [Student(classroom.port, PAGE, cookies=False) for _ in range(8)])
    assert sorted(found) == [0, 8]


def test_behind_a_proxy_such_browsers_are_told_apart_by_their_own_addresses(classroom):
    addresses = [f"192.0.2.{number}" for number in range(30)]
    found = spread(
        classroom,
        lambda: [Student(classroom.port, PAGE, cookies=False, forwarded_for=one) for one in addresses],
    )
    assert min(found) >= 4


def test_requests_that_nobody_answers_put_no_replica_out_of_service(classroom, tmp_path):
    """uvicorn has no answer to a web socket that is asked for with a body; nginx gives up after a while."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    ask = upgrade | {"Sec-WebSocket-Key": b64encode(b"0" * 16).decode()}
    cookies = [{"Cookie": f"classroom={number}"} for number in range(8)]
    ports = [replica.port for replica in classroom.replicas]
    with nginx(ports, tmp_path, patience="1s") as port, Student(port, PAGE) as student:
        with ThreadPoolExecutor(8) as pool:
            asked = pool.map(
                lambda one: student.request("POST", "/_stcore/stream", b"abc", ask | one), cookies
            )
            assert {answer.status for answer in asked} <= {502, 504}
        answers = [student.request("GET", f"/{PAGE}", headers=one) for one in cookies]
        assert [answer.status for answer in answers] == [200] * 8


@pytest.mark.parametrize(
    ("ancestors", "proto", "same_site", "secure"),
    [
        ("'self'", "http", "lax", False),
        ("'self'", "https", "lax", True),
        ("'self' https://moodle.example", "http", "lax", False),
        ("'self' https://moodle.example", "https", "none", True),
    ],
)
def test_cookies_go_into_the_page_of_another_site_where_that_is_wanted(
    classroom, tmp_path, ancestors, proto, same_site, secure
):
    ports = [replica.port for replica in classroom.replicas]
    with nginx(ports, tmp_path, ancestors) as port, Student(port, PAGE) as student:
        student.cookies.clear()
        for path, name in ((f"/{PAGE}", "classroom"), ("/_stcore/health", "_streamlit_xsrf")):
            answer = student.request("GET", path, headers={"X-Forwarded-Proto": proto})
            (cookie,) = answer.headers.get_all("Set-Cookie")
            assert cookie.startswith(f"{name}=")
            assert f"samesite={same_site}" in cookie.lower()
            assert ("secure" in cookie.lower()) == secure
