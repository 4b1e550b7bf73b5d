"""The choice of one thing to change in the computation, what it means, and how much of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.comparison import moved_weights
from core.markdown import short
from core.presets import Preset
from core.stages import token_axes
from core.ui import fragments
from core.ui.attending import as_defined, attention_of
from core.ui.labels import what_if_label
from core.ui.page import AS_DEFINED, Page
from core.ui.state import CAME_WITH
from core.what_if import KINDS, MEASURES, NOT_AS_DEFINED, WhatIf

HELP = (
    "Change one thing in the computation and see what it was for. "
    "Some need embeddings, values or a sentence: each page has its own."
)


def control(page: Page) -> None:
    """The list of what-ifs; of the chosen one, its measure and its explanation."""
    options = [AS_DEFINED, *page.what_if_kinds]
    if st.session_state.get("what_if", AS_DEFINED) not in options:
        st.session_state["what_if"] = AS_DEFINED
    if page.what_if is None:
        _take_what_came(page.preset)  # where it ended without a click here, as by the browser's Back
    st.selectbox(
        "What if",
        options,
        format_func=what_if_label,
        key="what_if",
        bind="query-params",
        on_change=_go_to_it,
        args=(page,),
        help=HELP,
    )
    if page.what_if:
        _measure(page)
        _explanation(page)


@fragments.part(fragments.WHAT_IF)
def _explanation(page: Page) -> None:
    st.caption(explanation(page))


def menu(page: Page) -> None:
    """The same list as a menu, which leaves PageDown and PageUp to the stages, for the presenter view."""
    way_back = [AS_DEFINED] if page.what_if else []
    st.menu_button(
        "What if",
        [*way_back, *page.what_if_kinds],
        format_func=what_if_label,
        key="what-if-menu",
        on_click=_take_from_menu,
        args=(page,),
    )


def less_or_more(page: Page) -> None:
    """Two buttons for the measure of a what-if that has one, for the presenter view."""
    what_if = page.what_if
    measure = MEASURES.get(what_if.kind) if what_if else None
    if what_if is None or measure is None:
        return
    amounts, here = measure.amounts, what_if.amount
    for label, target in (("Less", amounts.index(here) - 1), ("More", amounts.index(here) + 1)):
        is_there = 0 <= target < len(amounts)
        value = amounts[target] if is_there else here
        st.button(label, key=label.lower(), on_click=_set, args=(measure.name, value), disabled=not is_there)


def explanation(page: Page) -> str:
    """Markdown on what is changed and what that shows, empty without a what-if."""
    what_if = page.what_if
    if what_if is None:
        return ""
    kind = KINDS[what_if.kind]
    return _named(page, what_if, f"{kind.change} {kind.why}")


def change(page: Page) -> str:
    """Markdown on what is changed; empty without a what-if."""
    what_if = page.what_if
    return _named(page, what_if, KINDS[what_if.kind].change) if what_if else ""


def _named(page: Page, what_if: WhatIf, text: str) -> str:
    """A text with the amount of a what-if, and the names of its query and key, as users wrote them."""
    queries, keys = (page.inputs.axes[axis].titles for axis in token_axes(page.inputs))
    query, key = short(queries[what_if.query]), short(keys[what_if.key])
    return text.format(query=query, key=key, amount=f"{what_if.amount:g}")


def verdict(page: Page) -> str:
    """Whether what is computed is attention as defined, in a sentence or two; empty without a what-if."""
    if page.what_if is None:
        return ""
    if page.what_if.kind == "temperature" and page.what_if.amount == 1:
        return "With T = 1 this is attention as defined."
    kind = KINDS[page.what_if.kind]
    on = {"causal": ("the causal mask", page.causal), "scale": ("the scaling", page.scale)}
    needed, is_on = on.get(kind.needs, ("", False))
    sentences = [kind.verdict]
    if is_on:
        sentences.append(f"It needs {needed}, which is on.")
    changes_rules = kind.verdict == NOT_AS_DEFINED
    if changes_rules and not moved_weights(as_defined(page), attention_of(page)):
        sentences.append("Here, no weight changes.")
    return " ".join(sentences)


def of_matrix(page: Page, matrix: str) -> str:
    """What a what-if takes in the place of a matrix of the page, as Markdown; empty where it takes that."""
    if page.what_if is None or page.experiment:
        return ""
    is_of_tokens = page.inputs.matrices[matrix].rows in token_axes(page.inputs)
    told = {
        ("one_matrix", "queries"): "the what-if takes K instead",
        ("one_matrix", "W_query"): "the what-if takes W\\_key instead",
        ("longer_key", "keys"): "the what-if doubles that of {key}",
        ("equal_values", "values"): "the what-if takes the first for all keys",
        ("shuffled", matrix): "the what-if takes its rows in another order" if is_of_tokens else "",
    }
    return _named(page, page.what_if, told.get((page.what_if.kind, matrix), ""))


def end(preset: Preset) -> None:
    """Compute attention as defined again, at the stage and with the toggles that were there before."""
    st.session_state["what_if"] = AS_DEFINED
    _turn_back(preset)


def _measure(page: Page) -> None:
    measure = MEASURES.get(page.what_if.kind) if page.what_if else None
    if measure is None:
        return
    st.select_slider(
        measure.label,
        measure.amounts,
        value=measure.first,
        format_func="{:g}".format,
        key=measure.name,
        bind="query-params",
        on_change=fragments.redraw_measured,
    )


def _take_from_menu(page: Page) -> None:
    st.session_state["what_if"] = st.session_state["what-if-menu"]
    _go_to_it(page)


def _go_to_it(page: Page) -> None:
    """Go to the stage to look at, and turn on the toggle without which there is nothing to see."""
    _turn_back(page.preset)
    session = st.session_state
    kind = KINDS.get(session.get("what_if", AS_DEFINED))
    if kind:
        came: dict[str, Any] = {"preset": page.preset}
        if kind.look_at in page.steps and session.get("stage") != kind.look_at:
            came["stages"] = session.get("stage"), kind.look_at
            session["stage"] = kind.look_at
        if kind.needs and not session.get(kind.needs):
            session[kind.needs] = True
            came["toggle"] = kind.needs
        session[CAME_WITH] = {**session.get(CAME_WITH, {}), page.id: came}


def _turn_back(preset: Preset) -> None:
    """Undo what came with a what-if: its toggle, unless one was clicked since, and its stage, if in view."""
    session = st.session_state
    came = _take_what_came(preset)
    if came.get("preset") is not preset:
        return
    if toggle := came.get("toggle"):
        session[toggle] = False
    before, looked_at = came.get("stages", (None, None))
    if before and session.get("stage") == looked_at:
        session["stage"] = before


def _take_what_came(preset: Preset) -> dict[str, Any]:
    """What came with the what-if of a preset's page, which is no longer to be undone."""
    came_with = st.session_state.get(CAME_WITH, {})
    if preset.page in came_with:
        others = {page: came for page, came in came_with.items() if page != preset.page}
        st.session_state[CAME_WITH] = others
    found: dict[str, Any] = came_with.get(preset.page, {})
    return found


def _set(name: str, value: float) -> None:
    st.session_state[name] = value
    st.rerun()
