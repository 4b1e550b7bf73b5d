"""What stands in the sidebar below the pages: the presenter view, a comparison, and what if."""

from __future__ import annotations

import streamlit as st

from core.ui import comparing, state, what_ifs
from core.ui.state import Page


def tools(page: Page) -> None:
    """All of them, what grows last; to be called within the sidebar."""
    st.button(
        "Present",
        icon=":material/slideshow:",
        key="present",
        on_click=state.present,
        help="One stage at a time, large, for a hall. PageDown and PageUp go through the stages.",
    )
    comparing.control(page)
    what_ifs.control(page)
