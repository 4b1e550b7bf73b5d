"""The parts of a page that are drawn alone, by the names under which Streamlit keeps them.

A toggle changes the stages and the answer below them; the editors and the lists need not be drawn again.
"""

from __future__ import annotations

import streamlit as st

from core.ui.state import ALL_STAGES, stage_before

STEPPER, STAGES, CHOICE, ANSWER = "stepper", "stages", "choice", "answer"


def redraw_stages() -> None:
    """Callback of what changes the numbers of the stages."""
    st.rerun([STAGES, ANSWER] if _answer_in_view() else [STAGES])


def redraw_stepper(name: str) -> None:
    """Go on to a stage; the whole page is drawn where the stages and the inputs change places."""
    if _all_in_view() or name == ALL_STAGES:
        st.rerun()
    st.rerun([STEPPER, STAGES, ANSWER] if _answer_in_view() else [STEPPER, STAGES])


def redraw_selection() -> None:
    """Callback of what changes the selected query or key."""
    st.rerun([CHOICE, STAGES, ANSWER])


def redraw_answer() -> None:
    """Callback of what asks another question."""
    st.rerun(ANSWER)


def _answer_in_view() -> bool:
    asked = st.session_state.get("ask") is not None or bool(st.session_state.get("table"))
    return asked and not _all_in_view()


def _all_in_view() -> bool:
    return stage_before(st.session_state["page"]) == ALL_STAGES
