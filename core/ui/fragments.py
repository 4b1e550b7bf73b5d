"""The parts of a page that are drawn alone, by the names under which Streamlit keeps them.

A toggle changes the stages and the answer below them; the editors and the lists need not be drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.matrices import Inputs
from core.stages import WEIGHT_OF
from core.ui.clicks import take_up_clicks
from core.ui.crowd import one_part_at_a_time, part_is_drawn
from core.ui.labels import QUESTIONS
from core.ui.page import ALL_STAGES, AS_DEFINED, KEPT, is_presenting, open_experiment
from core.ui.state import CAPTIONS, PAGE, stage_before

STEPPER, STAGES, CHOICE, ANSWER = "stepper", "stages", "choice", "answer"
EXPERIMENT, EDITS, WAYS_BACK, EDITOR = "experiment", "edits", "ways back", "editor-"
WHAT_IF = "words on the what-if"
WEIGHT = "weight"  # which of the weight matrices is in view, where there are any
Given = ParamSpec("Given")


class Drawn(Protocol):
    """What a part is drawn from: a page, or its worksheet."""

    @property
    def inputs(self) -> Inputs: ...


First = TypeVar("First", bound=Drawn)
Draw: TypeAlias = Callable[Concatenate[First, Given], None]


def part(name: str) -> Callable[[Draw[First, Given]], Draw[First, Given]]:
    """Have a function draw a part of the page that can be drawn alone."""

    def decorate(draw: Draw[First, Given]) -> Draw[First, Given]:
        @wraps(draw)
        def draw_as_it_is_now(first: First, /, *args: Given.args, **kwargs: Given.kwargs) -> None:
            with one_part_at_a_time if first.inputs.is_small else nullcontext():
                take_up_clicks()
                draw(first, *args, **kwargs)
            part_is_drawn()

        return st.fragment(draw_as_it_is_now, key=name)

    return decorate


@st.fragment(run_every=timedelta(days=1), key="connection")
def ask_again_after_a_break() -> None:
    """Have the browser ask for the page again whenever its connection comes back.

    It does so only for a page that repeats something. Otherwise, with a server that has restarted, a number
    would be typed into an editor that this server does not know.
    """


def caption(matrix: str) -> str:
    """The part with the words above an editor."""
    return f"caption-{matrix}"


def editor(matrix: str) -> str:
    """The part with an editor itself."""
    return EDITOR + matrix


def drawn_by_edit(part: str) -> list[str]:
    """The parts that a number typed in a part changes, as a rule; none, where that is no editor."""
    return [STAGES, EDITS] if part.startswith(EDITOR) else []


def redraw_stages() -> None:
    """Callback of what changes the numbers of the stages."""
    _redraw(*_shown())


def redraw_measured() -> None:
    """Callback of the measure of a what-if, of which its words tell."""
    _redraw(*_shown(), WHAT_IF)


def redraw_one_query() -> None:
    """Callback of what chooses the query in view; the page is drawn where A may be compared no longer."""
    if "kept" in st.session_state:
        st.rerun()
    redraw_stages()


def redraw_compared() -> None:
    """Callback of what chooses whose numbers the stages show, which those of an editor may not be."""
    _redraw(*_shown(), *st.session_state[CAPTIONS])


def redraw_beside() -> None:
    """Callback of what is drawn with the stages and changes their numbers."""
    if beside := _shown()[1:]:
        _redraw(*beside, _shown()[0])


def redraw_edited(to_widen: list[str], with_ways_back: bool) -> None:
    """Callback of what changes numbers in an editor, which itself shows them already.

    to_widen has the editor where its columns have to be wider for them. with_ways_back says whether there
    is something to undo where there was nothing, or the other way round.
    """
    _redraw(*([WAYS_BACK] if with_ways_back else []), *_shown(), EDITS, *_captions_of_a(), *to_widen)


def redraw_stepper(name: str) -> None:
    """Go on to a stage; the whole page is drawn where the inputs have to change with it."""
    if _all_in_view() or name == ALL_STAGES or (name in WEIGHT_OF and WEIGHT in st.session_state):
        st.rerun()
    _redraw(STEPPER, STAGES, *_answer(), *_captions_of_a())


def redraw_selection() -> None:
    """Callback of what changes the selected query or key."""
    if st.session_state.get("what_if", AS_DEFINED) != AS_DEFINED:
        st.rerun()  # what is changed may be about the selected tokens
    answer = [] if is_presenting() or _experiment_is_open() else [ANSWER]
    shown = EXPERIMENT if _experiment_is_open() else STAGES
    _redraw(CHOICE, shown, *answer, *st.session_state[CAPTIONS])


def redraw_nothing() -> None:
    """Callback of what changes nothing but itself."""
    _redraw("connection")


def redraw_answer() -> None:
    """Callback of what asks another question; the whole page is drawn where the link does not say which."""
    if st.query_params.get("ask") != QUESTIONS.get(st.session_state.get("ask", "")):
        st.rerun()
    _redraw(STAGES if is_presenting() else ANSWER)


def _redraw(*names: str) -> None:
    """Draw these alone; or the page, where one of them is not there: a click may come early, or too late."""
    try:
        if not _are_next(names):
            st.rerun(list(names))
    except StreamlitAPIException:
        st.rerun()


def _are_next(names: tuple[str, ...]) -> bool:
    """Whether these are drawn next anyway, as where a server begins with what an edit changes."""
    context = get_script_run_ctx()
    if not context or context.has_script_started or not context.fragment_ids_this_run:
        return False
    return set(context.fragment_storage.resolve_target(names)) == set(context.fragment_ids_this_run)


def is_part_drawn_alone() -> bool:
    """Whether what is being drawn is a part of the page, not all of it."""
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)


def _shown() -> list[str]:
    """What shows the numbers: the experiment that is open, or the stages and the answer."""
    return [EXPERIMENT] if _experiment_is_open() else [STAGES, *_answer()]


def _experiment_is_open() -> bool:
    return open_experiment(st.session_state[PAGE]) is not None


def _answer() -> list[str]:
    """The answer, where there is one on the page."""
    asked = any(st.session_state.get(name) for name in ("ask", "table", "code"))
    return [ANSWER] if asked and not _all_in_view() and not is_presenting() else []


def _captions_of_a() -> list[str]:
    """The words above the editors, where they say whether A was kept with the same numbers."""
    captions: list[str] = st.session_state[CAPTIONS]
    return captions if st.session_state.get("compare") == KEPT else []


def _all_in_view() -> bool:
    return stage_before(st.session_state[PAGE]) == ALL_STAGES
