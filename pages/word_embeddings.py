"""Queries, keys and values made from embeddings, in numbers small enough to check in your head."""

from core.ui import controls, crowd, editors, stage_view

with crowd.one_page_at_a_time():
    page = controls.open_page("word_embeddings")
    if page:
        stage_view.stepper(page)
        result, inputs = stage_view.places(page)
        stage_view.stages(page, result)
        editors.every_editor(page, inputs)
