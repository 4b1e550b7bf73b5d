"""Queries, keys and values made from embeddings, in numbers small enough to check in the head."""

import streamlit as st

from core.ui import controls, editors, stage_view

page = controls.open_page("word_embeddings")
if page:
    stage_view.stepper(page)
    result, inputs = stage_view.places(page)
    with result:
        stage_view.stages(page)
    with inputs:
        editors.editor(page, "embeddings")
        weights = ("W_query", "W_key", "W_value")
        for tab, weight in zip(st.tabs(weights), weights, strict=True):
            with tab:
                editors.editor(page, weight)
        editors.edits(page)
