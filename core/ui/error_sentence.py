"""A few words, with what to do, in the place of any exception: of a page, a fragment or a callback."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

RULES, SCRIPT = (Path(__file__).with_suffix(suffix).read_text("utf-8") for suffix in (".css", ".js"))


def error_sentence() -> None:
    """Have the browser show the sentence from now on, whatever fails; style.css hides its place."""
    component = st.components.v2.component("error_sentence", js=SCRIPT)
    component(data={"rules": RULES}, key="error-sentence")
