"""Two queries look up five animals and blend what they find."""

from core.ui import controls, crowd, editors, stage_view

with crowd.one_page_at_a_time():
    page = controls.open_page("animal_lookup")
    if page:
        stage_view.stepper(page)
        result, inputs = stage_view.places(page)
        stage_view.stages(page, result)
        editors.every_editor(page, inputs)
