"""Settings for the public, whatever Streamlit's own defaults become; and every package pinned and watched."""

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from streamlit import config

PROJECT = Path(__file__).parents[2]
CONFIG = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text("utf-8"))
ON_OTHER_SYSTEMS = {"colorama", "watchdog"}  # for Windows, and not for macOS
FOR_THE_PUBLIC = {
    ("client", "showErrorDetails"): "none",
    ("client", "toolbarMode"): "minimal",
    ("server", "maxUploadSize"): 1,
    ("server", "maxMessageSize"): 20,
    ("server", "maxWidgetStateSize"): 5,
    ("server", "enableXsrfProtection"): True,
    ("server", "enableCORS"): True,
    ("server", "enableStaticServing"): False,
    ("server", "enableAgentApi"): False,
    ("browser", "gatherUsageStats"): False,
}


def test_the_settings_are_those_for_the_public():
    found = {(section, name): CONFIG[section].get(name) for section, name in FOR_THE_PUBLIC}
    assert found == FOR_THE_PUBLIC


def test_streamlit_knows_every_setting():
    known = set(config.get_config_options(force_reparse=True))
    named = {
        f"{section}.{name}" for section, values in CONFIG.items() for name in values if section != "theme"
    }
    assert named <= known


def lines_of(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").splitlines() if line and line[0] not in "#-"]


def pins(file: Path) -> dict[str, str]:
    return dict(line.split("==") for line in lines_of(file))


def test_dependabot_knows_every_file_of_requirements():
    text = (PROJECT / ".github" / "dependabot.yml").read_text("utf-8")
    folders = json.loads(re.search(r"ecosystem: pip\n +directories: (\[.*\])", text)[1])
    files = [path.relative_to(PROJECT) for path in PROJECT.rglob("requirements.txt")]
    own = [file.parent for file in files if not file.parts[0].startswith(".")]
    assert Path("tests") in own
    assert {f"/{folder}".removesuffix(".") for folder in map(Path.as_posix, own)} == set(folders)


def test_dependabot_is_told_of_nothing_twice():
    text = (PROJECT / ".github" / "dependabot.yml").read_text("utf-8")
    told = re.findall(r"ecosystem: (.+)\n +(director.+)\n", text)
    assert len(told) == 4
    assert len(set(told)) == len(told)


def test_every_package_is_pinned():
    for file in PROJECT.rglob("requirements.txt"):
        if not file.relative_to(PROJECT).parts[0].startswith("."):
            lines = [line for line in file.read_text("utf-8").splitlines() if line and line[0] != "#"]
            assert [line for line in lines if not re.match(r"-[rc] |[\w.\[\]-]+==[\w.]+", line)] == [], file


def test_what_the_packages_need_in_turn_is_pinned_as_it_is_here():
    """All that a new machine installs for the app is what these tests run with."""
    pinned = pins(PROJECT / "constraints.txt")
    needed: dict[str, str] = {}
    waiting = [Requirement(line) for line in lines_of(PROJECT / "requirements.txt")]
    direct = {canonicalize_name(requirement.name) for requirement in waiting}
    while waiting:
        requirement = waiting.pop()
        for line in metadata.requires(requirement.name) or ():
            further = Requirement(line)
            extras = requirement.extras or {""}
            if further.marker and not any(further.marker.evaluate({"extra": extra}) for extra in extras):
                continue
            name = canonicalize_name(further.name)
            if name not in needed and name not in direct:
                needed[name] = metadata.version(name)
                waiting.append(further)
    assert needed.items() <= pinned.items()
    assert set(pinned) - set(needed) <= ON_OTHER_SYSTEMS
