"""Gaussian queries, keys and values: why the scores are divided by the square root of d_k."""

from core.ui import answers, controls, crowd, editors, stage_view

with crowd.one_page_at_a_time():
    page = controls.open_page("random_qkv")
    if page:
        stage_view.stepper(page)
        result, inputs = stage_view.places(page)
        stage_view.stages(page, result, below=answers.spread_below)
        editors.every_editor(page, inputs)
