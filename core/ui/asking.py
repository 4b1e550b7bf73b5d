"""Where a number comes from: the selected query and key, and the questions about them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import numpy as np
import streamlit as st

from core.attention import Array
from core.experiments import FROM_PAGE, SOFT_LOOKUP
from core.script import script
from core.stages import ATTENTION, Attention, StageName, column_names
from core.ui import answers, clicks, comparing, fragments, state
from core.ui.attending import attention_of
from core.ui.labels import QUESTIONS, column_label, token_label
from core.ui.page import NOTHING, STEPS_BESIDE_STAGES, Page, open_experiment
from core.ui.sights import sight
from core.ui.tables import number_table

Side = Literal["query", "key"]


@fragments.part(fragments.CHOICE)
def choice(page: Page, sides: tuple[Side, ...] = ("query", "key")) -> None:
    """The lists of queries and keys, and the questions.

    What an experiment leaves out, of the sides and of the questions, is drawn but not seen, as it keeps what
    the link says.
    """
    is_open = page.experiment is not None
    key = "asking" if sides else "unseen-asking"
    width: Literal["content", "stretch"] = "content" if is_open else "stretch"
    row = st.container(key=key, horizontal=True, vertical_alignment="center", gap="small", width=width)
    with row:
        if not is_open:
            st.markdown("**Where from?**", width="content")
        with _place("query", "query" in sides):
            _list("Query", "query", page.query_names)
        with _place("key", "key" in sides):
            _list("Key", "key", page.key_names)
        _column(page)
        with _place("clear", bool(sides)):
            st.button("Clear", key="clear", on_click=_clear, disabled=page.selection == (None, None))
    questions = _questions(page)
    if st.session_state.get("ask") not in questions:
        st.session_state["ask"] = None
    with row if is_open else nullcontext(), _place("ask", not is_open):
        st.segmented_control(
            "Ask about",
            questions,
            format_func=QUESTIONS.__getitem__,
            key="ask",
            bind="query-params",
            on_change=fragments.redraw_answer,
            label_visibility="collapsed",
        )


def _questions(page: Page) -> list[str]:
    """What can be asked: nothing that goes beyond the last stage of a lesson."""
    needed: dict[str, StageName] = {
        "variance": "scaled",
        "softmax": "weights",
        "lines": "weights",
        "values": "output",
    }
    return [question for question in QUESTIONS if page.reaches(needed.get(question, page.last_stage))]


def _place(name: str, is_seen: bool) -> AbstractContextManager[object]:
    """Here, or in a place that is not seen (style.css)."""
    return nullcontext() if is_seen else st.container(key=f"unseen-{name}", width="content")


def _clear() -> None:
    clicks.click(**clicks.number_at(NOTHING, NOTHING))
    fragments.redraw_selection()


def _chosen() -> None:
    """Callback of the lists; in a lookup, the chosen query is the one that looks up, whichever did before."""
    looks_up = open_experiment(st.session_state[state.PAGE]) == SOFT_LOOKUP
    clicks.click(column=NOTHING, **({"source": FROM_PAGE} if looks_up else {}))
    fragments.redraw_selection()


@fragments.part(fragments.ANSWER)
def answer(page: Page) -> None:
    """The answer to the question that is asked, and the stage in view as a table."""
    attention, said = comparing.in_view(page)
    question = asked(page, attention)
    if said and (question or st.session_state.get("code")):
        is_half = question != "number" and comparing.subtracted(page)
        st.caption(f"Of {said}{'; look at A for those of A' if is_half else ''}:")
    if question:
        query, key = page.selection_in_view
        answers.ANSWERS[question](page, attention, query, key)
    _table(page)
    if page.last_stage == page.stages[-1]:
        _code(page, attention, said or "the page")
    state.note_settings(page.as_it_stands())  # which of these boxes are open


def asked(page: Page, attention: Attention) -> str | None:
    """The question that is asked, None where there is none that this attention has an answer to."""
    name = st.session_state.get("ask")
    return name if name in _questions(page) and (name != "values" or attention.value is not None) else None


def _list(label: str, name: str, names: tuple[str, ...]) -> None:
    options = [NOTHING, *range(len(names))]
    if st.session_state.get(name, NOTHING) not in options:
        st.session_state[name] = NOTHING
    st.selectbox(
        label,
        options,
        format_func=lambda position: label.lower() if position == NOTHING else token_label(names, position),
        key=name,
        bind="query-params",
        on_change=_chosen,
        label_visibility="collapsed",
        width=128,
    )


def _column(page: Page) -> None:
    """The list that holds the column of a clicked number, for the link; nobody sees it (style.css)."""
    widths = [len(column_names(page.inputs, name)) for name in page.stages if name not in ATTENTION]
    if not widths:
        return
    options = [NOTHING, *range(max(widths))]
    if st.session_state.get("column", NOTHING) not in options:
        st.session_state["column"] = NOTHING
    st.selectbox("Column", options, format_func=column_label, key="column", bind="query-params")


def _table(page: Page) -> None:
    table = st.expander("The same numbers as a table", key="table", bind="query-params")
    if not table.open or page.stage in STEPS_BESIDE_STAGES:
        return
    seen = sight(page, attention_of(page), page.stage)
    seen = seen.transposed() if page.transposed else seen
    shown, values, columns = seen.stage, seen.stage.values, seen.stage.columns
    hidden = shown.hidden & shown.are_shares
    rows = shown.rows
    if shown.are_shares:
        values, rows, columns = _with_sums(values), (*rows, "sum"), (*columns, "sum")
        hidden = np.pad(hidden, ((0, 1), (0, 1)))
    with table:
        number_table(values, rows, columns, page.decimals, shown.row_title, seen.marked, hidden)


def _with_sums(values: Array) -> Array:
    """A matrix with the sums of its rows and of its columns; what all of it sums to is left empty."""
    summed = np.ma.column_stack([values, values.sum(axis=1)])
    sums = np.ma.masked_array([*values.sum(axis=0), 0], [False] * values.shape[1] + [True])
    return np.ma.vstack([summed, sums])


def _code(page: Page, attention: Attention, of: str) -> None:
    code = st.expander("The code behind it", key="code", bind="query-params")
    if not code.open:
        return
    text = script(attention, f"{page.preset.title}: the numbers of {of}")
    with code:
        st.code(text, language="python", wrap_lines=True)
        st.download_button(
            "Download",
            text,
            file_name=f"{page.preset.id}.py",
            mime="text/x-python",
            icon=":material/download:",
            key="download-code",
            on_click="ignore",
        )
