"""The worksheets of a session: opened from presets and from the address bar, which then follows them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from core.lessons import Lesson, parameters
from core.matrices import Inputs, Refused
from core.presets import YOUR_VECTORS, Preset, Start, every_preset, of_page
from core.recipes import NOT_THERE, Recipe, prepared
from core.sharing import LONGEST_EDITS, BadLink, Content, pack, unpack
from core.snapshots import Snapshot, before_in, check_belongs, example_content, inputs_in, recipe_in
from core.stages import stage_names
from core.ui import beginning, clicks, state
from core.ui.page import layout_of
from core.ui.state import ARRIVES, CAME_WITH, EDITS, FIRST_TIME, LESSONS, PASTED, SAVED, VIEW
from core.ui.worksheet import LinkText, Moment, Worksheet, editor_key

MOST_WITH_LAST_EDIT = LONGEST_EDITS // 2  # characters, which leaves room for A


def presets_of(page: str) -> tuple[dict[str, Preset], list[str]]:
    """The presets of a page, and what is wrong with broken ones; one's own is made by its recipe."""
    presets, problems = of_page(page)
    return ({YOUR_VECTORS: _own().preset} if page == YOUR_VECTORS else presets), problems


def open_worksheet(preset: Preset) -> Worksheet:
    """This session's worksheet of a preset, with what the address bar or its editors hold."""
    worksheet = _worksheets().setdefault(preset.id, Worksheet(preset, preset.inputs, preset.inputs))
    arrives, layout = st.session_state.pop(ARRIVES, None), layout_of(st.session_state)
    drawn, view = st.session_state.get(VIEW), (preset.page, preset.id, layout)
    if arrives and _link_differs(worksheet):
        _take_link(worksheet)
    else:
        is_taken = drawn and drawn[:2] == view[:2] and _take_typed(worksheet, drawn[-1])
        if drawn != view or (not is_taken and worksheet.inputs is not worksheet.base):
            worksheet.give_to_editors()
    if arrives == FIRST_TIME:
        worksheet.forget_past()
    _take_pasted(worksheet, layout)
    st.session_state[VIEW] = view
    write_link(worksheet)
    return worksheet


def take_edits(worksheet: Worksheet) -> bool:
    """Use what the editors of a worksheet hold; whether they can stay as they are."""
    layout, revision = layout_of(st.session_state), worksheet.revision
    drawn = (st.session_state.get(VIEW) or (layout,))[-1]
    _take_pasted(worksheet, drawn)
    is_taken = _take_typed(worksheet, drawn)
    return is_taken and drawn == layout and worksheet.revision == revision


def _take_typed(worksheet: Worksheet, drawn: str) -> bool:
    """Use what was typed in the layout that was drawn, though another may be chosen; whether it is there."""
    editors = _editors(worksheet, drawn)
    if None in editors.values():
        return False
    worksheet.take_edits(editors, drawn)
    return True


def _take_pasted(worksheet: Worksheet, layout: str) -> None:
    """Have a worksheet tell of a pasted block that was cut."""
    if PASTED in st.session_state:
        worksheet.tell_of_cut(st.session_state.pop(PASTED), layout)


def _editors(worksheet: Worksheet, layout: str) -> dict[str, Any]:
    """What each editor of a worksheet holds in this layout, None where it is not there yet."""
    return {
        matrix: st.session_state.get(editor_key(worksheet, matrix, layout))
        for matrix in worksheet.inputs.matrices
    }


def parameters_of(page: str) -> dict[str, str]:
    """What the link of a page that one comes back to says beside its widgets: its edits and its lesson."""
    preset = state.preset_before(page)
    worksheet = _worksheets().get(preset) if preset else None
    text = text_in_link(worksheet) if worksheet else ""
    edits = {EDITS: text} if text else {}
    lesson = parameters(st.session_state.get(LESSONS, {}).get(page, Lesson()))
    return edits | lesson | beginning.parameters(page)


def start_anew(recipe: Recipe) -> None:
    """Begin one's own vectors again. Raises Refused."""
    preset = prepared(recipe, every_preset()[0])
    _own().start_anew(recipe, preset, settings("stage", *clicks.SELECTED))
    _open_as(preset, preset.start)


def undo(worksheet: Worksheet) -> None:
    """Callback that clears cells that cannot be used, or takes back the last edit or the last start."""
    preset = worksheet.preset
    taken_back = worksheet.undo()
    if worksheet.preset is not preset:
        _open_as(worksheet.preset, worksheet.preset.start)
    st.session_state.update(taken_back)
    st.rerun()


def _open_as(preset: Preset, start: Start | Snapshot) -> None:
    """Have stage and selection be as a preset opens, and toggles as something begins with it."""
    state.start_toggles(start)
    st.session_state["stage"] = stage_names(preset.inputs)[0]
    clicks.clear_selection()


def settings(*more: str) -> dict[str, Any]:
    """What Reset sets back beside numbers and names, as it is now, and what more widgets hold."""
    names = ("scale", "causal", "what_if", CAME_WITH, *more)
    return {name: st.session_state[name] for name in names if name in st.session_state}


def reset(worksheet: Worksheet, before: dict[str, Any], hidden: Collection[str]) -> None:
    """Give the preset back: numbers, names and toggles; Undo gives back with them what was set before.

    In a lesson, what it began with, as no list leads back to one's own vectors that were begun anew since;
    and what it hides stays as it has set it.
    """
    own = beginning.own_vectors() if worksheet.recipe else None
    if own and own.recipe and own.recipe != worksheet.recipe:
        worksheet.start_anew(own.recipe, own.preset, settings(*before, *clicks.SELECTED), own.inputs)
        _open_as(own.preset, own)  # also what is hidden, which was set anew with them
        return
    began = beginning.snapshot_for(worksheet.preset, worksheet.recipe)
    state.start_toggles(began or worksheet.preset.start, hidden)
    now = settings(*before)
    changed = {name: value for name, value in before.items() if now.get(name) != value}
    worksheet.reset(began.inputs if began else worksheet.preset.inputs, changed or None)


def link_text(worksheet: Worksheet) -> str:
    """What a link says of a worksheet, however long: nothing where it is as the page opens.

    Where the effect of the last edit is on screen and there is room, it says what was there before.
    """
    return _link(worksheet).text


def tells_last_edit(worksheet: Worksheet) -> bool:
    """Whether a link says what the last edit did: always, unless that is on screen and there is no room."""
    return worksheet.before_edit is None or _link(worksheet).text != _link(worksheet).numbers_now


def _link(worksheet: Worksheet) -> LinkText:
    moment, before, known = worksheet.now, worksheet.before_edit, worksheet.link
    if known is None or known.moment != moment or known.before is not before:
        known = worksheet.link = _made_link(moment, before)
    return known


def _made_link(moment: Moment, before: Inputs | None) -> LinkText:
    text = _text(moment, None)  # first: the longer one takes 0.4 s where very many numbers are edited
    if before is not None and len(text) <= MOST_WITH_LAST_EDIT:
        with_last_edit = _text(moment, before)
        if len(with_last_edit) <= MOST_WITH_LAST_EDIT:
            return LinkText(moment, before, with_last_edit, text)
    return LinkText(moment, before, text, text)


def _text(moment: Moment, before: Inputs | None) -> str:
    content = example_content(moment.recipe, moment.preset, moment.inputs, before)
    return pack(content) if content else ""


def text_in_link(worksheet: Worksheet) -> str:
    """What a link says of a worksheet, where that is short enough for one; else nothing."""
    return "" if is_too_long(worksheet) else link_text(worksheet)


def text_without_last_edit(worksheet: Worksheet) -> str:
    """What a link says of a worksheet for those who begin with it, where that is short enough for one."""
    return "" if is_too_long(worksheet) else _link(worksheet).numbers_now


def is_too_long(worksheet: Worksheet) -> bool:
    """Whether a link has no room for the edits of a worksheet."""
    return len(link_text(worksheet)) > beginning.room_beside(worksheet.preset.page)


def _worksheets() -> dict[str, Worksheet]:
    worksheets: dict[str, Worksheet] = st.session_state.setdefault("worksheets", {})
    return worksheets


def _own() -> Worksheet:
    """The worksheet of one's own vectors, begun as the address bar says."""
    worksheets = _worksheets()
    if YOUR_VECTORS not in worksheets:
        worksheets[YOUR_VECTORS] = _begun(Recipe())
    own = worksheets[YOUR_VECTORS]
    if st.session_state.get(ARRIVES) and _link_differs(own):
        try:
            begun = _begun(recipe_in(_content()))
        except (BadLink, Refused):
            return own  # open_worksheet reads the same link and says so
        if begun.recipe and begun.recipe != own.recipe:
            own.start_anew(begun.recipe, begun.preset)
    return own


def _begun(recipe: Recipe) -> Worksheet:
    preset = prepared(recipe, every_preset()[0])
    return Worksheet(preset, preset.inputs, preset.inputs, recipe)


def _content() -> Content:
    """What the zip that one opens, or else the address bar, says of the worksheet. Raises BadLink."""
    if SAVED in st.session_state:
        saved: Content = st.session_state[SAVED]
        return saved
    text = st.query_params.get(EDITS, "")
    return unpack(text) if text else {}


def _link_differs(worksheet: Worksheet) -> bool:
    """Whether the zip that one opens, or else the address bar, says other than what the worksheet holds.

    Edits that are too many for a link are in none, and stay where one goes back to such a link.
    """
    return SAVED in st.session_state or st.query_params.get(EDITS, "") != text_in_link(worksheet)


def _take_link(worksheet: Worksheet) -> None:
    """Open a worksheet with the edits of the link; without them as the example is."""
    try:
        content = _content()
        check_belongs(content, worksheet.recipe)
        if worksheet.recipe is not None and recipe_in(content) != worksheet.recipe:
            raise BadLink(NOT_THERE)
        preset = worksheet.preset
        worksheet.take_link(inputs_in(content, preset), before_in(content, preset))
    except BadLink as bad:
        worksheet.take_link(worksheet.preset.inputs, None)
        worksheet.notice = f"The edits in this link cannot be used: {bad}. This is the example without them."
    st.session_state.pop(SAVED, None)


def write_link(worksheet: Worksheet) -> None:
    """Have the address bar say what the worksheet holds, where that is short enough."""
    text = text_in_link(worksheet)
    if text and st.query_params.get(EDITS) != text:
        st.query_params[EDITS] = text
    elif not text:
        st.query_params.pop(EDITS, None)
