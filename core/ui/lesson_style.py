"""The style sheet that hides what a lesson hides."""

from __future__ import annotations

from core.lessons import TOGGLES, Lesson

# Where on a page that is which core/lessons.py names. Without answers, no number is worked out above the
# heatmap either; message.py leaves out what an edit did, and says what cannot be used.
PLACES = {
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
    "answers": ".st-key-asked, .st-key-verdict",
    "present": ".st-key-present",
    "share": ".st-key-open-share",
    "compare": ".st-key-comparing, .st-key-compare",
    "what if": ".st-key-what-if, .st-key-what-if-menu",
}

# Where all of these are hidden, the sidebar is empty.
IN_SIDEBAR = {"other pages", "load", "save", "present", "share", "compare", "what if"}
SWITCHBOARD = ":has(> .st-key-switchboard)"  # of no toggle, it would leave a gap
SIDEBAR = '[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"]'


def lesson_style(lesson: Lesson) -> str:
    """What hides it, and the choice of stages where one is left; empty for nothing."""
    selectors = [PLACES[name] for name in lesson.hidden]
    if len(lesson.stages) == 1 and "stages" not in lesson.hidden:
        selectors.append(PLACES["stages"])
    if set(lesson.hidden) >= set(TOGGLES.values()):
        selectors.append(SWITCHBOARD)
    if set(lesson.hidden) >= IN_SIDEBAR:
        selectors.append(SIDEBAR)
    return f"<style>{', '.join(selectors)} {{ display: none; }}</style>" if selectors else ""
