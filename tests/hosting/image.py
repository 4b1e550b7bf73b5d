"""What the image of a replica is made of, read from its Dockerfile."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

from tests.servers import PROJECT

DEPLOY = PROJECT / "deploy"
LINES = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()


def instructions(name: str) -> list[str]:
    return [line.removeprefix(name).strip() for line in LINES if line.startswith(f"{name} ")]


def copied() -> list[tuple[str, str]]:
    """The sources and targets that the image is made of."""
    return [tuple(line.split()) for line in instructions("COPY")]


def assemble(folder: Path) -> None:
    """What the image holds of the project."""
    for pattern, target in copied():
        for source in PROJECT.glob(pattern):
            place = folder / target / ("" if source.is_dir() else source.name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, place)


def environment(home: Path) -> dict[str, str]:
    """The settings of the image; port and address are for the tests to choose."""
    words = [word.partition("=") for word in shlex.split(" ".join(instructions("ENV")))]
    settings = {name: text for name, _, text in words if not name.endswith(("_ADDRESS", "_PORT"))}
    return settings | {"HOME": str(home), "PYTHONPATH": ""}


def launcher() -> str:
    """The script that the image runs."""
    (command,) = instructions("CMD")
    return str(json.loads(command)[2])
