"""The image and the compose file, as far as they can be looked at without an engine for containers."""

import re
import shlex
import shutil
from pathlib import Path

import yaml

from tests.hosting.nginx import TEMPLATE
from tests.hosting.student import Student
from tests.servers import PROJECT, SLOW_START, serve

DEPLOY = PROJECT / "deploy"
LINES = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def instructions(name: str) -> list[str]:
    return [line.removeprefix(name).strip() for line in LINES if line.startswith(f"{name} ")]


def copied() -> list[tuple[str, str]]:
    """The sources and targets that the image is made of."""
    return [tuple(line.split()) for line in instructions("COPY")]


def assemble(folder: Path) -> None:
    """What the image holds of the project."""
    for source, target in copied():
        place = folder / target / ("" if (PROJECT / source).is_dir() else Path(source).name)
        place.parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / source).is_dir():
            shutil.copytree(PROJECT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PROJECT / source, place)


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


def test_the_copied_files_are_enough_and_nothing_is_written(tmp_path, monkeypatch):
    home, project = tmp_path / "home", tmp_path / "classroom"
    home.mkdir()
    assemble(project)
    for text in shlex.split(" ".join(instructions("ENV"))):
        name, _, setting = text.partition("=")
        if name not in ("STREAMLIT_SERVER_ADDRESS", "STREAMLIT_SERVER_PORT"):
            monkeypatch.setenv(name, str(home) if name == "HOME" else setting)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    before = contents(project)
    (command,) = instructions("CMD")
    script = yaml.safe_load(command)[2]
    with (
        serve(script, SLOW_START, folder=project) as server,
        Student(server.port, "your_vectors") as student,
    ):
        assert student.editors
        assert student.upload("a,b\n1,2\n", "small.csv") == 204
    assert contents(project) == before
    assert contents(home) == {}


def test_every_word_of_the_template_is_put_in():
    nginx = COMPOSE["services"]["nginx"]
    words = set(re.findall(r"\$\{(\w+)\}", TEMPLATE.read_text("utf-8")))
    filtered = set(re.findall(r"[A-Z_]{4,}", nginx["environment"]["NGINX_ENVSUBST_FILTER"]))
    assert words == filtered
    assert words <= set(nginx["environment"])
    (port,) = nginx["ports"]
    assert port.endswith(f":{nginx['environment']['LISTEN']}")
    (folder,) = [volume.split(":")[0] for volume in nginx["volumes"]]
    assert (DEPLOY / folder / TEMPLATE.name).is_file()


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
