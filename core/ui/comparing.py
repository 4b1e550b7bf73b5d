"""Keep the page as A, and look at A, at the page as it is now (B), or at their difference."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.comparison import comparable
from core.matrices import changes
from core.stages import Attention, StageName
from core.ui import fragments
from core.ui.attending import attention_of
from core.ui.state import Page
from core.what_if import KINDS

KEPT, NOW, DIFFERENCE = VIEWS = ("A", "B", "B − A")


@dataclass(frozen=True, eq=False)
class Kept:
    """An attention that was kept as A, and what it was, in words of the app."""

    attention: Attention
    what: str


def kept() -> Kept | None:
    """What this session keeps as A, on whichever page."""
    found: Kept | None = st.session_state.get("kept")
    return found


def kept_for(attention: Attention, name: StageName) -> Kept | None:
    """What is kept as A, where this stage of it has the same tokens and can be compared."""
    found = kept()
    return found if found and comparable(found.attention, attention, name) else None


def view() -> str:
    """Which of the VIEWS is chosen."""
    chosen = st.session_state.get("compare", NOW)
    return chosen if chosen in VIEWS else NOW


def control(page: Page) -> None:
    """Keep as A; and once it is kept, what to look at, and the way to forget it."""
    found = kept()
    if found is None:
        st.button(
            "Keep as A",
            icon=":material/push_pin:",
            key="keep",
            on_click=_keep,
            args=(page,),
            help="Keep these numbers as A. Then change something and compare.",
        )
        return
    if not page.presenting:
        views(page)
    st.caption(f"A: {found.what}.")
    st.button("Forget A", icon=":material/close:", key="forget", on_click=_forget)


def views(page: Page) -> None:
    """Which of A, B and B - A to look at; where A has other tokens than this page, that it cannot be."""
    is_here = kept_for(attention_of(page), "scores") is not None
    st.segmented_control(
        "Compare",
        VIEWS,
        default=NOW,
        required=True,
        key="compare",
        on_change=fragments.redraw_stages,
        disabled=not is_here,
        help=None if page.presenting else "A: as you kept it. B: as it is now. B − A: what has changed.",
        label_visibility="collapsed" if page.presenting else "visible",
    )
    if not is_here:
        st.caption("A has other tokens than this page, so it cannot be compared here.")


def _keep(page: Page) -> None:
    st.session_state["kept"] = Kept(attention_of(page), _what(page))


def _forget() -> None:
    for name in ("kept", "compare"):
        st.session_state.pop(name, None)


def _what(page: Page) -> str:
    """The state of a page in a few words."""
    edits = len(changes(page.preset.inputs, page.inputs))
    parts = [
        f"“{page.preset.title}”",
        "scaled" if page.scale else "not scaled",
        "causal mask" if page.causal else "no mask",
    ]
    if edits:
        parts.append("1 edit" if edits == 1 else f"{edits} edits")
    if page.what_if:
        parts.append(f"what if: {KINDS[page.what_if.kind].title}")
    return ", ".join(parts)
