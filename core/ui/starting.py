"""Begin one's own vectors anew: a sentence, sizes, and the first numbers; or like an example."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.matrices import MOST_COLUMNS, Refused, sentence
from core.presets import every_preset
from core.recipes import LARGEST_SEED, Recipe, tokens_of
from core.ui import dialogs, worksheets
from core.ui.page import Page
from core.ui.refusing import refuse

QKV, XW, LIKE = KINDS = ("queries, keys and values", "embeddings X and W", "like an example")
RANDOM, ZEROS = NUMBERS = ("random", "zeros")
LEFT = "start-left"  # the sentence that was typed and not yet begun with


@dataclass(frozen=True)
class WholeNumber:
    """What a recipe may hold: its name in a sentence, the label of its field, and both ends."""

    name: str
    label: str
    lowest: int
    highest: int


WHOLE_NUMBERS = {
    "d_model": WholeNumber("the width d_model", "d_model, width of an embedding", 1, MOST_COLUMNS),
    "d_k": WholeNumber("the width dₖ", "dₖ, width of a query and a key", 1, MOST_COLUMNS),
    "d_v": WholeNumber("the width dᵥ", "dᵥ, width of a value", 1, MOST_COLUMNS),
    "seed": WholeNumber("the seed", "Seed", 0, LARGEST_SEED),
}


@st.dialog("Start anew", width="medium", on_dismiss=dialogs.close)
def dialog(page: Page) -> None:
    """What to begin with, and the button that does it; Undo gives back what was there."""
    present = page.worksheet.recipe or Recipe()
    first = LIKE if present.like else XW if present.projected else QKV
    kind = st.segmented_control("Begin with", KINDS, default=first, required=True, key="start-kind")
    if kind == LIKE:
        _example(present)
    else:
        _sentence_and_sizes(present, projected=kind == XW)
    try:
        _chosen(present)
    except Refused as refused:
        refuse("The page cannot start with this.", sentence(refused))
    st.button("Start", type="primary", key="start", on_click=_start, args=(present,))
    st.caption("Toggles and stage begin anew, too. Undo gives back what is on the page now.")


def _example(present: Recipe) -> None:
    presets = every_preset()[0]
    names = list(presets)
    st.selectbox(
        "The example",
        names,
        index=names.index(present.like) if present.like in names else 0,
        format_func=lambda name: presets[name].title,
        key="start-like",
    )
    st.caption("Its tokens, sizes and numbers are copied; the example itself stays as it is.")


def _sentence_and_sizes(present: Recipe, projected: bool) -> None:
    as_it_is = " ".join(present.tokens)
    left = st.session_state.get(LEFT) or as_it_is
    typed = st.text_area("Your sentence; each word is a token", left, key="start-sentence", height=70)
    st.session_state[LEFT] = "" if typed == as_it_is else typed
    sizes = ("d_model", "d_k", "d_v") if projected else ("d_k", "d_v")
    with st.container(horizontal=True):
        for name in sizes:
            _whole_number(name, getattr(present, name), width=210)
    with st.container(horizontal=True):
        first = RANDOM if present.random else ZEROS
        numbers = st.segmented_control(
            "First numbers", NUMBERS, default=first, required=True, key="start-numbers"
        )
        if numbers == RANDOM:
            _whole_number(
                "seed", present.seed, width=150, help="The same seed always draws the same numbers."
            )


def _whole_number(name: str, present: int, width: int, help: str | None = None) -> None:
    """A number to type. The field itself would drop what is too large, or no whole number, without a word."""
    st.number_input(
        WHOLE_NUMBERS[name].label,
        value=float(present),
        step=1.0,
        format="%g",
        key=f"start-{name}",
        width=width,
        help=help,
    )


def _typed(name: str, present: int) -> int:
    """What was typed for a whole number, or what it is where it is not asked for. Raises Refused."""
    number, wanted = st.session_state.get(f"start-{name}", float(present)), WHOLE_NUMBERS[name]
    if number is None or not (wanted.lowest <= number <= wanted.highest and number == int(number)):
        shown = "empty" if number is None else f"{number:g}"
        raise Refused(
            f"{wanted.name} is {shown}; it may be any whole number from {wanted.lowest} to {wanted.highest:,}"
        )
    return int(number)


def _chosen(present: Recipe) -> Recipe:
    """What the dialog says now, which a click may have found changed since it was drawn. Raises Refused."""
    said = st.session_state
    if said["start-kind"] == LIKE:
        return Recipe(like=said["start-like"])
    return Recipe(
        tokens=tokens_of(said["start-sentence"]),
        projected=said["start-kind"] == XW,
        random=said["start-numbers"] == RANDOM,
        seed=_typed("seed", present.seed),
        d_model=_typed("d_model", present.d_model),
        d_k=_typed("d_k", present.d_k),
        d_v=_typed("d_v", present.d_v),
    )


def _start(present: Recipe) -> None:
    try:
        worksheets.start_anew(_chosen(present))
    except (Refused, KeyError):
        return  # the dialog says why, or it is gone
    st.session_state.pop(LEFT, None)
    dialogs.close()
    st.rerun()
