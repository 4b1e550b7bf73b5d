"""What stands in the sidebar below the pages: the presenter view, links, files, a comparison, and what if."""

from __future__ import annotations

import streamlit as st

from core.ui import comparing, dialogs, what_ifs
from core.ui.page import Page, present


def tools(page: Page) -> None:
    """All of them, what grows last; to be called within the sidebar."""
    with st.container(key="lecture", horizontal=True, gap="xsmall"):
        st.button(
            "Present",
            key="present",
            on_click=present,
            help="One stage at a time, large, for a hall. PageDown and PageUp go through the stages.",
        )
        dialogs.button("share", "Share")
    with st.container(key="files", horizontal=True, gap="xsmall"):
        dialogs.button("load", "Load")
        dialogs.button("save", "Save")
    with st.container(key="comparing", gap="small"):
        comparing.control(page)
    with st.container(key="what-if", gap="small"):
        what_ifs.control(page)
