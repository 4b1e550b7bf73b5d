"""The overview: what attention is, and a card for each page."""

import streamlit as st

from core.ui import crowd, header, overview, state

with crowd.one_page_at_a_time():
    header.begin(header.OVERVIEW)
    state.enter("overview")

    st.title("How attention works")
    st.markdown(
        "In a transformer, every word asks the words that it may see, itself too, for what it needs. "
        "It compares its **query** with the **key** of each word, and turns the scores into weights "
        "that sum to 1. What it gets is the words’ **values**, each as strong as its weight."
    )
    st.latex(r"\operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V")

    overview.pipeline()
    overview.cards()

    st.caption(
        "Every number in this classroom is computed from the matrices on screen, and every matrix can be "
        "edited. The formula is equation 1 of Vaswani et al., “Attention Is All You Need” (2017), with the "
        "mask M of its section 3.2.3."
    )
