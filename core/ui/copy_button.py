"""A button that puts a text on the clipboard of the browser, which Streamlit has for code alone."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent


def copy_button(text: str) -> None:
    """Draw the button; it says when the text was copied."""
    component = st.components.v2.component(
        "copy_button",
        html="<button type='button' class='copy-link'>Copy link</button>",
        css=(HERE / "copy_button.css").read_text("utf-8"),
        js=(HERE / "copy_button.js").read_text("utf-8"),
        isolate_styles=False,  # a dialog lets Tab go to nothing that stands in a shadow root
    )
    component(data={"text": text}, key="copy")
