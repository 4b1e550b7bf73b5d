"""What every page begins with: its place in the sidebar, its title, its question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

ICON = Path(__file__).parent / "icon.png"

STYLE = Path(__file__).parent / "style.css"


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
        "Queries, keys and values made from embeddings, in numbers small enough to check in the head.",
    ),
    "animal_lookup": Entry(
        "pages/animal_lookup.py",
        "Animal lookup",
        ":material/pets:",
        "Attention as a soft dictionary: two queries look up five animals and blend what they find.",
    ),
}


def begin(entry: Entry) -> None:
    """Settings of the page and the sidebar; the first thing that a page calls."""
    st.set_page_config(
        page_title=f"{entry.title} – attention classroom",
        page_icon=ICON,
        layout="wide",
        initial_sidebar_state=212,
    )
    st.html(STYLE)
    with st.sidebar:
        for other in (OVERVIEW, *PAGES.values()):
            st.page_link(other.file, label=other.title, icon=other.icon)


def title(entry: Entry, question: str, try_this: str, problems: list[str]) -> None:
    """The page, its question, and below it one thing to try, or else what cannot be used.

    question and try_this are a preset's Markdown; problems hold users' words and are shown as they are.
    """
    st.markdown(f"#### {entry.title} &nbsp;·&nbsp; {question}")
    if problems:
        with st.container(key="problem", horizontal=True, gap="small"):
            count = f" ({len(problems)})" if len(problems) > 1 else ""
            st.badge(f"Not used{count}", icon=":material/error:", color="red")
            st.text(problems[0])
    elif try_this:
        st.caption(f"**Try it.** {try_this}")
