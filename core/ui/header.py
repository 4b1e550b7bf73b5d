"""What every page begins with: its place in the sidebar, its title, its question."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui import fragments
from core.ui.in_browser import prepare_browser

ICON = "data:image/png;base64," + b64encode((Path(__file__).parent / "icon.png").read_bytes()).decode()

STYLE = Path(__file__).parent / "style.css"
PRESENTER_STYLES = [Path(__file__).parent / name for name in ("presenter.css", "presented_experiment.css")]


@dataclass(frozen=True)
class Entry:
    """A page in the sidebar and on the overview's cards."""

    file: str
    title: str
    icon: str
    about: str


OVERVIEW = Entry("streamlit_app.py", "Overview", ":material/home:", "What attention is, and where to begin.")
PAGES = {
    "emma_sentence": Entry(
        "pages/emma_sentence.py",
        "Emma sentence",
        ":material/chat:",
        "Nine words with hand-made queries and keys. Why does “friend” look at “Emma”?",
    ),
    "random_qkv": Entry(
        "pages/random_qkv.py",
        "Random QKV",
        ":material/casino:",
        "Random queries, keys and values. Why are the scores divided by √dₖ?",
    ),
    "word_embeddings": Entry(
        "pages/word_embeddings.py",
        "Word embeddings",
        ":material/text_fields:",
        "Queries, keys and values made from embeddings, in numbers small enough to check in your head.",
    ),
    "animal_lookup": Entry(
        "pages/animal_lookup.py",
        "Animal lookup",
        ":material/pets:",
        "Attention as a soft dictionary: two queries look up five animals and blend what they find.",
    ),
    "your_vectors": Entry(
        "pages/your_vectors.py",
        "Your vectors",
        ":material/edit_note:",
        "Your own sentence and numbers: type them, paste them, or load a CSV file.",
    ),
}


def begin(entry: Entry, presenting: bool = False) -> DeltaGenerator:
    """Settings of the page and the sidebar; the first thing that a page calls.

    Returns the place for the page's own tools: the rest of the sidebar, or in the presenter view, which has
    no sidebar, a place that is not seen.
    """
    st.set_page_config(
        page_title=f"{entry.title} – attention classroom",
        page_icon=ICON,
        layout="wide",
        initial_sidebar_state=212,
    )
    st.html(STYLE)
    fragments.ask_again_after_a_break()
    if presenting:
        for style in PRESENTER_STYLES:
            st.html(style)
        tools = st.container(key="unseen-tools")
        with tools:
            prepare_browser()
        return tools
    with st.sidebar:
        with st.container(key="pages", gap="small"):
            for other in (OVERVIEW, *PAGES.values()):
                st.page_link(other.file, label=other.title, icon=other.icon)
            prepare_browser()
        return st.container(key="tools", gap="small")
