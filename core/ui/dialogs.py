"""Which dialog is open, if any: it stays open until it is closed, whatever runs meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.ui import reading
from core.ui.state import OPEN_DIALOG

TIMES_OPENED = "dialogs-opened"


def button(name: str, label: str) -> None:
    """The button that opens a dialog. It has no help, which would stay in the way when it is closed."""
    st.button(label, key=f"open-{name}", on_click=_open, args=(name,))


def show(dialogs: dict[str, Callable[[], None]]) -> None:
    """Draw the one that is open, of these."""
    draw = dialogs.get(st.session_state.get(OPEN_DIALOG, ""))
    if draw:
        draw()


def key(name: str) -> str:
    """The key of a widget in the dialog that is open, which knows nothing of when it was open before.

    A browser tells of the widgets of a closed dialog until it has the next answer, as of one that stays.
    """
    return f"{name}-{times_opened()}"


def times_opened() -> int:
    """How many dialogs have been opened in this session: another one has no widgets of its own yet."""
    times: int = st.session_state.get(TIMES_OPENED, 0)
    return times


def close() -> None:
    """Close the one that is open; to be followed by a run of the page."""
    st.session_state.pop(OPEN_DIALOG, None)
    reading.forget()


def _open(name: str) -> None:
    st.session_state[OPEN_DIALOG] = name
    st.session_state[TIMES_OPENED] = times_opened() + 1
