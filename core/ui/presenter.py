"""The presenter view: one stage at a time, large, with what a lecture turns on and off, and nothing else."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui import asking, clicks, experiment_view, fragments, stage_view, what_ifs
from core.ui.page import Page, leave
from core.ui.state import OPEN_DIALOG, SWITCHES
from core.ui.toggles import leave_as_clicked


def present(page: Page, steps: DeltaGenerator, bar: DeltaGenerator) -> None:
    """Draw the stage in view, or the experiment that is open, below the line of steps and switches.

    What the presenter view does not show is drawn all the same, unseen (presenter.css): its widgets hold what
    the link says, and leaving gives the page back as it was.
    """
    st.session_state.pop(OPEN_DIALOG, None)  # of which there is none here
    with steps:
        stage_view.stepper(page)
    with bar:
        _switches(page)
        if not page.experiment:  # which shows attention as defined
            what_ifs.menu(page)
        st.button(
            "Leave",
            icon=":material/close:",
            key="leave",
            on_click=leave,
            args=(page,),
            shortcut="Escape",
        )
    if page.experiment:
        experiment_view.show(page)
        return
    with st.container(key="hall-choice"):  # seen with the explanation (presenter.css)
        asking.choice(page)
    with st.container(key="one-stage"):
        stage_view.draw_stages(page)


def _switches(page: Page) -> None:
    """The toggles as pills: they hold a value, so that a click and a PageDown in one breath turn it once."""
    names = page.switchable
    if not names:
        return
    turned_on = [name for name in names if {"scale": page.scale, "causal": page.causal}[name]]
    if st.session_state.get(SWITCHES) != turned_on:  # else the answer would turn a later click back
        st.session_state[SWITCHES] = turned_on
    st.pills(
        "Turn on and off",
        names,
        selection_mode="multi",
        format_func={"scale": "Scale", "causal": "Causal mask"}.__getitem__,
        key=SWITCHES,
        on_change=_switch,
        args=(names,),
        label_visibility="collapsed",
    )


def _switch(names: list[str]) -> None:
    leave_as_clicked()
    switched = st.session_state[SWITCHES]
    clicks.click(**{name: name in switched for name in names})
    fragments.redraw_stages()
