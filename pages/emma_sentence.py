"""Emma hates games but she is a great friend: hand-made vectors in four dimensions that mean something."""

from core.ui import controls, crowd, editors, stage_view

with crowd.one_page_at_a_time():
    page = controls.open_page("emma_sentence")
    if page:
        stage_view.stepper(page)
        result, inputs = stage_view.places(page)
        stage_view.stages(page, result)
        editors.every_editor(page, inputs)
