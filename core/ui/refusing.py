"""Why something cannot be used: in one box, which a screen reader tells of as a whole, at once."""

from __future__ import annotations

import streamlit as st

from core.markdown import verbatim


def refuse(what: str, *reasons: str) -> None:
    """Say what cannot be used, and the reasons, each a sentence that may quote what a user wrote."""
    st.error("\n\n".join((what, *map(verbatim, reasons))), icon=":material/error:")
