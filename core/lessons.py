"""Links for a lesson: what of a page they hide, for calm and not for secrets, and which stages they leave."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from core.stages import StageName

HIDE, STAGES = "hide", "stages"  # the parameters of a link

# Everything that can be hidden, by the name that the page and the link give it, and where it is on the page.
# Without answers, no number is worked out above the heatmap either.
HIDEABLE = {
    "other pages": ".st-key-pages",
    "example": ".st-key-preset, .st-key-open-start-anew",
    "scaling": ".st-key-scale",
    "causal mask": ".st-key-causal",
    "layout": ".st-key-layout",
    "decimals": ".st-key-decimals",
    "undo": ".st-key-undo, .st-key-undo-edit",
    "reset": ".st-key-reset",
    "stages": ".st-key-stepper",
    "experiments": ".st-key-experiment, .st-key-back",
    "matrices": ".st-key-matrices",
    "names and sizes": ".st-key-names-and-sizes",
    "load": ".st-key-open-load",
    "save": ".st-key-open-save",
    "answers": ".st-key-asked, .st-key-message, .st-key-edits",
    "present": ".st-key-present",
    "share": ".st-key-open-share",
    "compare": ".st-key-comparing, .st-key-compare",
    "what if": ".st-key-what-if, .st-key-what-if-menu",
}


# Where all of these are hidden, the sidebar is empty.
IN_SIDEBAR = {"other pages", "load", "save", "present", "share", "compare", "what if"}
SIDEBAR = '[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"]'


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


def style(lesson: Lesson) -> str:
    """The style sheet that hides it, and the choice of stages where one is left; empty for nothing."""
    selectors = [HIDEABLE[name] for name in lesson.hidden]
    if len(lesson.stages) == 1 and "stages" not in lesson.hidden:
        selectors.append(HIDEABLE["stages"])
    if set(lesson.hidden) >= IN_SIDEBAR:
        selectors.append(SIDEBAR)
    return f"<style>{', '.join(selectors)} {{ display: none; }}</style>" if selectors else ""
