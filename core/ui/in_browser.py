"""What a browser is told once and does from then on, whatever is drawn or fails later."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.ui.labels import HINTS
from core.ui.page import STEPS_BESIDE_STAGES
from core.ui.state import PASTED

HERE = Path(__file__).parent
RULES = (HERE / "in_browser.css").read_text("utf-8")
SCRIPTS_OF_OURS = (
    "frames.js", "answers.js", "holding.js", "ahead.js", "cell_typing.js", "cell_leaving.js", "pasting.js",
    "focus.js", "clicker.js", "in_browser.js",
)  # fmt: skip
SCRIPT = "\n".join((HERE / name).read_text("utf-8") for name in SCRIPTS_OF_OURS)

# Streamlit has a browser load this with the first key that is pressed in a cell, and forgets that key when
# the next one is faster: who types -0.75 over a slow network would get 75.
SCRIPTS = Path(st.__file__).parent / "static/static/js"
CELL_EDITOR = next((path.name for path in SCRIPTS.glob("data-grid-overlay-editor.*.js")), None)


def prepare_browser() -> None:
    """Have words in the place of any exception, the editor of a cell at hand, and the list of pages closed.

    The exception may be one of a page, a part or a callback; the list is that of a phone. A screen reader is
    told what an edit did, Escape does one thing at a time, Back takes back one click, the focus stays where a
    key was pressed, no digit is lost that is typed before the browser is ready for it, and no key of a
    clicker; what was there before stays in view until another page is drawn. Controls without a
    label have a hint, and the page hears of a pasted block that the grid has cut.
    style.css hides the place of what brings this.
    """
    component = st.components.v2.component("in_browser", js=SCRIPT)
    data = {"rules": RULES, "cellEditor": CELL_EDITOR, "hints": HINTS, "besideStages": STEPS_BESIDE_STAGES}
    component(data=data, key="in-browser", on_block_change=_note_block)


def _note_block() -> None:
    """Keep what the browser says of a pasted block that was cut, for the worksheet to say so."""
    st.session_state[PASTED] = st.session_state["in-browser"].get("block")
