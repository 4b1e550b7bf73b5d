"""The bar above a page: its preset, its toggles, how numbers are shown, and the ways back."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.lessons import Lesson
from core.markdown import verbatim
from core.presets import YOUR_VECTORS, Preset
from core.ui import (
    beginning,
    clicks,
    comparing,
    dialogs,
    fragments,
    header,
    loading,
    message,
    presenter,
    reopening,
    saving,
    sharing,
    sidebar,
    starting,
    state,
    what_ifs,
    worksheets,
)
from core.ui.labels import only_label, preset_label
from core.ui.lesson_style import lesson_style
from core.ui.page import DECIMALS, DEFAULT_DECIMALS, EVERY_QUERY, Page, is_presenting
from core.ui.worksheet import LAYOUTS, Worksheet


def open_page(page_id: str) -> Page | None:
    """Draw the head of a page and open its worksheet.

    None where nothing is left to draw: the page has no preset that can be used, or it is in the presenter
    view. Where a query has a meaning without the others, one can be chosen to look at alone.
    """
    entry, presenting = header.PAGES[page_id], is_presenting()
    tools = header.begin(entry, presenting)
    reopening.go_to_its_page()
    edits_and_lesson = worksheets.parameters_of(page_id)
    a = comparing.parameters(edits_and_lesson.get(state.EDITS, ""), page_id)
    state.enter(page_id, edits_and_lesson | a)
    clicks.take_up_clicks()
    lesson = state.follow_lesson(page_id)
    if hiding := lesson_style(lesson):
        st.html(hiding)
    st.session_state[state.CAPTIONS] = []
    presets, problems = worksheets.presets_of(page_id)
    heading, steps, bar = _places(presenting)
    for problem in problems:
        st.warning(verbatim(problem), icon=":material/folder_off:")
    if not presets:
        st.error("This page has no example that can be opened. Correct the folder named above, then reload.")
        return None
    with bar:
        if page_id == YOUR_VECTORS:
            dialogs.button("start-anew", "Start anew")
        preset = presets[_preset_choice(presets, lesson)]
        switches = st.container(key="switchboard", horizontal=True, gap="small", width="content")
        _how_shown()
    worksheet = worksheets.open_worksheet(preset)
    with heading:
        st.markdown(f"# {entry.title} &nbsp;·&nbsp; {worksheet.preset.question}")
    line = (st if presenting else heading).container(key="message", gap=None)
    page = Page(page_id, presets, worksheet, switches, line, presenting, lesson)
    clicks.follow_selection(page)
    comparing.follow_link(page.worksheet)
    with tools:
        sidebar.tools(page)
    with bar:
        if page.preset.offers_one_query:
            _query_choice(page)
    if page.experiment or not presenting:
        message.hint(page)
    with tools if presenting else bar:
        _ways_back(page)
    if steps is None:
        _show_dialog(page)
        return page
    presenter.present(page, steps, bar)
    return None


def _places(presenting: bool) -> tuple[DeltaGenerator, DeltaGenerator | None, DeltaGenerator]:
    """Where the heading goes, in the presenter view the steps, and what the page is set by."""
    with st.container(key="head", gap="xsmall", horizontal=presenting, vertical_alignment="center"):
        heading = st.container(key="heading", gap="xxsmall")
        steps = st.container(width="content") if presenting else None
        width: Literal["content", "stretch"] = "content" if presenting else "stretch"
        bar = st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small", width=width)
    return heading, steps, bar


def _show_dialog(page: Page) -> None:
    dialogs.show(
        {
            "load": lambda: loading.dialog(page),
            "save": lambda: saving.dialog(page),
            "share": lambda: sharing.dialog(page),
            "start-anew": lambda: starting.dialog(page),
        }
    )


def _preset_choice(presets: dict[str, Preset], lesson: Lesson) -> str:
    if len(presets) == 1:
        return next(iter(presets))
    return st.selectbox(
        "Example",
        list(presets),
        format_func=preset_label,
        key="preset",
        bind="query-params",
        on_change=_start_preset,
        args=(presets, lesson),
        label_visibility="collapsed",
        width=145,
    )


def _start_preset(presets: dict[str, Preset], lesson: Lesson) -> None:
    """Have a page be as an example opens, or as a lesson began with it.

    A toggle that a lesson hides stays as it is: it holds for all examples.
    """
    preset = presets.get(st.session_state.get("preset", ""))
    if preset:
        state.start_toggles(beginning.snapshot_for(preset) or preset.start, lesson.hidden)
        clicks.clear_selection()
        st.session_state.pop(state.SELECTED_FROM, None)


def _how_shown() -> None:
    """How numbers are laid out and written."""
    st.segmented_control(
        "Layout",
        LAYOUTS,
        default=LAYOUTS[0],
        required=True,
        key="layout",
        bind="query-params",
        label_visibility="collapsed",
    )
    st.selectbox(
        "Decimals",
        DECIMALS,
        index=DECIMALS.index(DEFAULT_DECIMALS),
        key="decimals",
        bind="query-params",
        on_change=fragments.redraw_stages,
        label_visibility="collapsed",
        width=128,
    )


def _query_choice(page: Page) -> None:
    clicks.follow_query_in_view(page)
    options = [EVERY_QUERY, *range(len(page.query_names))]
    if st.session_state.get("only", EVERY_QUERY) not in options:
        st.session_state["only"] = EVERY_QUERY
    st.selectbox(
        "Query in view",
        options,
        format_func=lambda query: only_label(page.inputs, query),
        key="only",
        bind="query-params",
        on_change=fragments.redraw_one_query,
        label_visibility="collapsed",
        width=150,
    )


@fragments.part(fragments.WAYS_BACK)
def _ways_back(page: Page) -> None:
    """Undo and reset. They have no help, which on a tablet stays after a tap and covers the toggles."""
    worksheet = page.worksheet
    with st.container(key="ways-back", horizontal=True, width="content", gap="small"):
        st.button(
            "Undo",
            icon=":material/undo:",
            key="undo",
            on_click=worksheets.undo,
            args=(worksheet,),
            disabled=not worksheet.can_undo,
        )
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            key="reset",
            on_click=_reset,
            args=(worksheet, page.lesson),
        )


def _reset(worksheet: Worksheet, lesson: Lesson) -> None:
    """Give the example back, or what a lesson began with; how it is shown stays: layout, decimals and stage.

    But the stage to which a what-if has led is left with it. What a lesson hides stays as its link has set
    it: nobody could set it again.
    """
    before = worksheets.settings("stage")
    if "what if" not in lesson.hidden:
        what_ifs.end(worksheet.preset)
    worksheets.reset(worksheet, before, lesson.hidden)
    st.rerun()
