"""The two toggles of a page, drawn by whatever shows the numbers that they change.

A fragment may draw into a place outside of itself, and a click on what it drew there draws that fragment anew
and nothing else: one run of a part of the page, where a callback that asks for a fragment takes two.
"""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.ui import fragments, worksheets
from core.ui.page import Page
from core.ui.state import CAME_WITH, PAGE, SWITCHES


def toggles(page: Page) -> None:
    """What can be turned on and off. They have no help, as a tap on its sign would turn the toggle."""
    start = page.preset.start
    worksheets.write_link(page.worksheet)
    _keep_true(page, "scale", start.scale)
    if not page.preset.unordered:
        _keep_true(page, "causal", start.causal)
    else:  # whatever a link says
        st.session_state["causal"] = False
        with suppress(StreamlitAPIException):  # where the toggle of the example before owns it
            st.query_params.pop("causal", None)
    with page.switches:
        st.toggle(
            "Scale by 1/√dₖ",
            value=start.scale,
            key="scale",
            bind="query-params",
            on_change=_turn,
        )
        st.toggle(
            "Causal mask",
            value=start.causal,
            key="causal",
            bind=None if page.preset.unordered else "query-params",
            on_change=_turn,
            disabled=bool(page.preset.unordered),
        )


def _turn() -> None:
    leave_as_clicked()
    fragments.redraw_beside()


def leave_as_clicked() -> None:
    """Have the end of a what-if turn no toggle back; for callbacks of what turns one."""
    session = st.session_state
    came = session.get(CAME_WITH, {})
    if session[PAGE] in came:
        without = {name: what for name, what in came[session[PAGE]].items() if name != "toggle"}
        session[CAME_WITH] = {**came, session[PAGE]: without}


def _keep_true(page: Page, toggle: str, start: bool) -> None:
    """Have a toggle be what was clicked, and the link say so; to be called before it is drawn.

    Where clicks come faster than answers, a browser still sends what a switch of the presenter view has
    changed since, and an answer takes back what the browser wrote into the link for a later click.
    """
    session = st.session_state
    held = session.get(toggle)
    if held is None:
        return
    is_on = bool(held)
    if page.presenting and SWITCHES in session and toggle in page.switchable:
        is_on = toggle in session[SWITCHES]
    text = None if is_on == start else str(is_on).lower()
    if is_on != held or st.query_params.get(toggle) != text:
        session[toggle] = is_on
