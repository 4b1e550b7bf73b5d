"""What clicks ask for: kept until a part is drawn, whichever is first, which sets the widgets to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.matrices import Axis
from core.stages import ATTENTION, column_axis
from core.ui.page import NOTHING, Page
from core.ui.state import ONLY_FROM, SELECTED_FROM

CLICKED = "clicked"  # what clicks asked for, by the keys of the widgets, until they are set to it
TELL_AGAIN = "tell_again"  # keys of widgets of which a browser seems not to know what they were set to
SELECTED = ("query", "key", "column")  # what a click on a number selects


def click(**wanted: Any) -> None:
    """Have widgets hold what a click asks for, from the next part that is drawn on; for callbacks."""
    st.session_state[CLICKED] = st.session_state.get(CLICKED, {}) | wanted


def number_at(query: int | None, key: int | None, column: int = NOTHING) -> dict[str, int]:
    """What selects a number, or a query or a key alone, None for what stays as it is."""
    selected = {"query": query, "key": key, "column": column}
    return {name: position for name, position in selected.items() if position is not None}


def key_of_chart(name: str, selected_by: Callable[[Mapping[str, Any]], Mapping[str, int]]) -> str:
    """The key of a chart whose cells can be clicked; selected_by says what a click selects, as number_at().

    A chart tells of no second click on one cell. Where its last click is no longer what is selected, the key
    is a new one, so that the chart is drawn anew and the same cell can be clicked again.
    """
    count = st.session_state.get("clicks", 0)
    selected = selected_by(last_click(f"{name}-{count}"))
    if any(st.session_state.get(side, NOTHING) != position for side, position in selected.items()):
        count = st.session_state["clicks"] = count + 1
    return f"{name}-{count}"


def last_click(chart: str) -> Mapping[str, Any]:
    """What a browser says was clicked last in a chart, by its key; nothing where it was not drawn yet."""
    selection: Mapping[str, Any] = st.session_state.get(chart, {}).get("selection", {})
    return selection


def take_up_clicks() -> None:
    """Set the stage, the tokens or the toggles that a click asked for; to be called first by every part.

    They are set in the run that draws their widgets, as the link takes up only that; and by the part that is
    drawn first, as two clicks in one breath have their parts drawn in any order. So are those of which the
    server of a class wants a browser to be told once more.
    """
    session = st.session_state
    for name in session.pop(TELL_AGAIN, ()):
        if name in session:
            session[name] = session[name]
    wanted = session.pop(CLICKED, {})
    for name, value in wanted.items():
        session[name] = value
    if any(wanted.get(name, NOTHING) != NOTHING for name in SELECTED) and session.get("ask") is None:
        session["ask"] = "number"


def clear_selection() -> None:
    """Select nothing; to be called before the lists are drawn."""
    for name in (*SELECTED, "look_at"):
        st.session_state[name] = NOTHING


def follow_selection(page: Page) -> None:
    """Keep the selection with its tokens when rows come and go; a token that is gone takes it along.

    So the choices of experiments, of tokens and of dimensions. A column is selected no more when columns come
    and go.
    """
    queries, keys = _entries(page.query_axis), _entries(page.key_axis)
    dimensions = _entries(column_axis(page.inputs, "queries"))
    sides = {"query": queries, "key": keys, "look_at": keys, "across": dimensions, "up": dimensions}
    columns = [_entries(column_axis(page.inputs, name)) for name in page.stages if name not in ATTENTION]
    before, columns_before = st.session_state.get(SELECTED_FROM, (sides, columns))
    for name, now in sides.items():
        _follow(name, before[name], now)
    if columns != columns_before:
        st.session_state["column"] = NOTHING
    st.session_state[SELECTED_FROM] = sides, columns


def follow_query_in_view(page: Page) -> None:
    """Keep the one query in view when rows come and go; to be called before its list is drawn."""
    now = _entries(page.query_axis)
    _follow("only", st.session_state.get(ONLY_FROM, now), now)
    st.session_state[ONLY_FROM] = now


def _entries(axis: Axis) -> list[int | str]:
    """What tells the tokens of an axis apart, also from those of the same name: where each began.

    One that was added has its name alone.
    """
    return [name if origin is None else origin for name, origin in zip(axis.names, axis.origins, strict=True)]


def _follow(name: str, before: list[int | str], now: list[int | str]) -> None:
    position = st.session_state.get(name, NOTHING)
    if position != NOTHING and before != now:
        token = before[position] if position in range(len(before)) else None
        places = [place for place, other in enumerate(now) if other == token]
        is_renamed = not places and len(before) == len(now)  # what was added: it stays in its place
        if not is_renamed:
            st.session_state[name] = min(places, key=lambda p: abs(p - position), default=NOTHING)
