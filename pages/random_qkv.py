"""Gaussian queries, keys and values: why the scores are divided by the square root of d_k."""

from core.ui import controls, editors, panels, stage_view

page = controls.open_page("random_qkv")
if page:
    stage_view.stepper(page)
    result, inputs = stage_view.places(page)
    with result:
        stage_view.stages(page, below=panels.spread)
    with inputs:
        editors.editor(page, "queries")
        editors.editor(page, "keys")
        editors.editor(page, "values")
        editors.edits(page)
