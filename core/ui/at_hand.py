"""What a browser must have at hand before it is needed: words for any exception, and the editor of a cell."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

RULES, SCRIPT = (Path(__file__).with_suffix(suffix).read_text("utf-8") for suffix in (".css", ".js"))

# Streamlit has a browser load this with the first key that is pressed in a cell, and forgets that key when
# the next one is faster: who types -0.75 over a slow network would get 75.
SCRIPTS = Path(st.__file__).parent / "static/static/js"
CELL_EDITOR = next((path.name for path in SCRIPTS.glob("data-grid-overlay-editor.*.js")), None)


def have_at_hand() -> None:
    """Have the browser load the editor of a cell, and show the sentence from now on, whatever fails.

    The sentence stands in the place of an exception of a page, a part or a callback; style.css hides the
    place of what brings it.
    """
    component = st.components.v2.component("at_hand", js=SCRIPT)
    component(data={"rules": RULES, "cellEditor": CELL_EDITOR}, key="at-hand")
