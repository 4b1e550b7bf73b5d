"""The controls of experiments, in the link like all others; each draws its experiment alone.

A browser may send what no widget lets one choose, so what comes is checked again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.experiments import CONTROLS, Number
from core.ui import state
from core.ui.page import Page


def choose(name: str, label: str, options: tuple[str, ...]) -> str:
    """One of a few words side by side."""
    if st.session_state.get(name) not in options:
        st.session_state.pop(name, None)
    chosen: str = st.segmented_control(
        label,
        options,
        default=options[0],
        required=True,
        key=name,
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen if chosen in options else options[0]


def slide(page: Page, name: str, label: str, step: float) -> float:
    """A number between the ends of its control."""
    control, first = _number(name), state.first_setting(name, page.preset)
    number: float = st.slider(
        label,
        control.lowest,
        control.highest,
        value=first,
        step=step,
        key=name,
        bind="query-params",
    )
    return number if control.allows(number) else first


def step_through(name: str, label: str) -> float:
    """One of the amounts of a control, in order."""
    control = CONTROLS[name]
    amount: float = st.select_slider(
        label,
        control.options if not isinstance(control, Number) else (),
        value=control.first,
        format_func="{:g}".format,
        key=name,
        bind="query-params",
    )
    return amount if control.allows(amount) else control.first


def whole_number(name: str, label: str, width: int | None) -> int:
    """A whole number to type, between the ends of its control; as wide as there is room, without a width."""
    control = _number(name)
    field = partial(
        st.number_input,
        label,
        int(control.lowest),
        int(control.highest),
        value=int(control.first),
        step=1,
        width=width or "stretch",
    )
    try:
        number: int = field(key=name, bind="query-params")
    except OverflowError:  # Streamlit's own, on a link that says infinity
        number = field(key=f"{name}-not-in-link")
    return number if control.allows(number) else int(control.first)


def pick(
    name: str, label: str, options: list[int], label_of: Callable[[int], str], first: int, width: int = 170
) -> int:
    """One of many, from a list; what is no longer in the list gives way to the first."""
    if name in st.session_state and st.session_state[name] not in options:
        st.session_state[name] = first
    chosen = st.selectbox(
        label,
        options,
        index=options.index(first),
        format_func=label_of,
        key=name,
        bind="query-params",
        width=width,
    )
    return chosen if chosen in options else first


def _number(name: str) -> Number:
    control = CONTROLS[name]
    if not isinstance(control, Number):
        raise TypeError(f"{name} is no number")
    return control
