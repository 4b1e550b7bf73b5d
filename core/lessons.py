"""Links for a lesson: what of a page they hide, for calm and not for secrets, and which stages they leave."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from core.stages import StageName

HIDE, STAGES = "hide", "stages"  # the parameters of a link

# Everything that can be hidden, by the name that the page and the link give it.
HIDEABLE = (
    "other pages",
    "example",
    "scaling",
    "causal mask",
    "layout",
    "decimals",
    "undo",
    "reset",
    "stages",
    "experiments",
    "matrices",
    "names and sizes",
    "load",
    "save",
    "answers",
    "present",
    "share",
    "compare",
    "what if",
)


TOGGLES = {"scale": "scaling", "causal": "causal mask"}  # by the names that links give them


@dataclass(frozen=True)
class Lesson:
    """The names of what is hidden, of HIDEABLE, and of the stages that are left, none for all."""

    hidden: tuple[str, ...] = ()
    stages: tuple[StageName, ...] = ()


def lesson_in(hide: str, stages: str) -> Lesson:
    """The lesson of a link; what it does not know it leaves out."""
    wanted = hide.split(",")
    left = stages.split(",")
    return Lesson(
        tuple(name for name in HIDEABLE if name in wanted),
        tuple(name for name in get_args(StageName) if name in left),
    )


def not_in_lesson(asked: str, there: Collection[str]) -> str:
    """The names in a parameter of a lesson that are not there, as it writes them; empty for none."""
    return ",".join(name for name in asked.split(",") if name and name not in there)


def parameters(lesson: Lesson) -> dict[str, str]:
    """A lesson as the parameters of a link."""
    found = {HIDE: ",".join(lesson.hidden), STAGES: ",".join(lesson.stages)}
    return {name: text for name, text in found.items() if text}
