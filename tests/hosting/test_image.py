"""The image and the compose file, as far as they can be looked at without an engine for containers."""

import re
from pathlib import Path

import yaml

from tests.hosting.image import DEPLOY, LINES, copied, instructions
from tests.hosting.nginx import MAIN, TEMPLATE
from tests.hosting.student import Student
from tests.servers import PROJECT

COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def contents(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_the_image_is_of_an_exact_version_and_runs_without_rights():
    (base,) = instructions("FROM")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    (user,) = instructions("USER")
    assert int(user) > 0
    assert LINES.index(f"USER {user}") > max(LINES.index(f"RUN {run}") for run in instructions("RUN"))


def test_the_ignored_files_leave_what_is_copied():
    ignored = (PROJECT / ".dockerignore").read_text("utf-8").split()
    assert "*" in ignored
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == {
        source for source, _ in copied()
    }


def test_the_copied_files_are_enough_and_nothing_is_written(classroom):
    before = contents(classroom.folder)
    assert "core/attention.py" in before
    assert "tests" not in before
    with Student(classroom.port, "your_vectors") as student:
        assert student.client.first_editor()
        assert student.upload("a,b\n1,2\n", "small.csv") == 204
    assert contents(classroom.folder) == before
    assert contents(classroom.home) == {}


def test_every_word_of_the_template_is_put_in():
    nginx = COMPOSE["services"]["nginx"]
    words = set(re.findall(r"\$\{(\w+)\}", TEMPLATE.read_text("utf-8")))
    filtered = set(re.findall(r"[A-Z_]{4,}", nginx["environment"]["NGINX_ENVSUBST_FILTER"]))
    assert words == filtered
    assert words <= set(nginx["environment"])
    (port,) = nginx["ports"]
    assert port.endswith(f":{nginx['environment']['LISTEN']}")
    mounted = dict(volume.split(":")[:2] for volume in nginx["volumes"])
    assert {DEPLOY / file: place for file, place in mounted.items()} == {
        MAIN: "/etc/nginx/nginx.conf",
        TEMPLATE: f"/etc/nginx/templates/{TEMPLATE.name}",
    }


def test_one_worker_of_nginx_has_two_connections_for_each_of_3000_students():
    main = MAIN.read_text("utf-8")
    connections, files = (
        int(re.findall(rf"^\s*{word} (\d+);$", main, re.MULTILINE)[0])
        for word in ("worker_connections", "worker_rlimit_nofile")
    )
    assert connections >= 2 * 3000
    assert files >= connections


def test_nginx_asks_the_app_by_its_name_and_port():
    (port,) = instructions("EXPOSE")
    app, nginx = COMPOSE["services"]["app"], COMPOSE["services"]["nginx"]
    assert nginx["environment"]["CLASSROOM"] == f"app:{port}"
    assert f"STREAMLIT_SERVER_PORT={port}" in instructions("ENV")[0]
    assert (DEPLOY / app["build"]["context"] / app["build"]["dockerfile"]).is_file()
    assert re.fullmatch(r"\S+:\d+\.\d+\.\d+-alpine", nginx["image"])
    for service in (app, nginx):
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]


def test_nginx_looks_the_replicas_up_again_and_is_new_enough_to():
    template = TEMPLATE.read_text("utf-8")
    assert re.search(r"^    server \$\{CLASSROOM\} .*resolve;$", template, re.MULTILINE)
    assert re.search(r"^resolver ", template, re.MULTILINE)
    assert re.search(r"^    zone ", template, re.MULTILINE)
    version = COMPOSE["services"]["nginx"]["image"].partition(":")[2].removesuffix("-alpine")
    assert tuple(map(int, version.split("."))) >= (1, 27, 3)
