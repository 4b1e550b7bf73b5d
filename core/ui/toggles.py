"""The two toggles of a page, drawn by whatever shows the numbers that they change.

A fragment may draw into a place outside of itself, and a click on what it drew there draws that fragment anew
and nothing else: one run of a part of the page, where a callback that asks for a fragment takes two.
"""

from __future__ import annotations

import streamlit as st

from core.ui import fragments
from core.ui.state import Page, keep_true


def toggles(page: Page) -> None:
    """What can be turned on and off. They have no help, as a tap on its sign would turn the toggle."""
    start = page.preset.start
    keep_true(page, "scale", start.scale)
    keep_true(page, "causal", start.causal and not page.preset.unordered)
    with page.switches:
        st.toggle(
            "Scale by 1/√dₖ",
            value=start.scale,
            key="scale",
            bind="query-params",
            on_change=fragments.redraw_beside,
        )
        st.toggle(
            "Causal mask",
            value=start.causal and not page.preset.unordered,
            key="causal",
            bind="query-params",
            on_change=fragments.redraw_beside,
            disabled=bool(page.preset.unordered),
        )
