"""Where a number comes from: the selected query and key, and four ways to ask about them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core import answer_charts, explain, formulas
from core.attention import Array
from core.script import script
from core.stages import ATTENTION, Attention, StageName, column_names, is_projected, place_of
from core.ui import clicks, comparing, fragments
from core.ui.attending import attention_of
from core.ui.labels import QUESTIONS, column_label, token_label
from core.ui.page import ALL_STAGES, EXPLANATION, NOTHING, Page
from core.ui.panels import spread
from core.ui.sights import sight
from core.ui.tables import number_table

Side = Literal["query", "key"]
BEFORE = "All of it before rounding."
CLICK_FIRST = "Click a cell of the heatmap, or choose a query and a key above."


@fragments.part(fragments.CHOICE)
def choice(page: Page, sides: tuple[Side, ...] = ("query", "key")) -> None:
    """The lists of queries and keys, and the questions.

    What an experiment leaves out, of the sides and of the questions, is drawn but not seen, as it keeps what
    the link says.
    """
    is_open = page.experiment is not None
    row = "asking" if sides else "unseen-asking"
    with st.container(key=row, horizontal=True, vertical_alignment="center", gap="small"):
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
    with _place("ask", not is_open):
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
    needed: dict[str, StageName] = {"softmax": "weights", "lines": "weights", "values": "output"}
    return [question for question in QUESTIONS if page.reaches(needed.get(question, page.last_stage))]


def _place(name: str, is_seen: bool) -> AbstractContextManager[object]:
    """Here, or in a place that is not seen (style.css)."""
    return nullcontext() if is_seen else st.container(key=f"unseen-{name}", width="content")


def _clear() -> None:
    clicks.click(**clicks.number_at(NOTHING, NOTHING))
    fragments.redraw_selection()


def _chosen() -> None:
    clicks.click(column=NOTHING)
    fragments.redraw_selection()


@fragments.part(fragments.ANSWER)
def answer(page: Page) -> None:
    """The answer to the question that is asked, and the stage in view as a table."""
    attention, said = comparing.in_view(page)
    asked = st.session_state.get("ask")
    if said and (asked or st.session_state.get("code")):
        st.caption(f"Of {said}:")
    if asked in _questions(page) and (asked != "values" or attention.value is not None):
        query, key = page.selection_in_view
        ANSWERS[asked](page, attention, query, key)
    _table(page)
    if page.last_stage == page.stages[-1]:
        _code(page, attention, said or "the page")


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


def _number(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    lines = _path(page, attention, query, key)
    if not lines:
        st.info(CLICK_FIRST)
        return
    with st.container(key="answer"):
        st.markdown("\n\n".join(lines))


def _path(page: Page, attention: Attention, query: int | None, key: int | None) -> list[str]:
    """The number clicked in the stage in view; or from two vectors to what they give; or a whole row."""
    name = page.stage
    made = None if name in (ALL_STAGES, EXPLANATION) or name in ATTENTION else name
    column = None if made is None else page.column(made)
    if column is None and query is not None and key is not None:
        projected = is_projected(attention.inputs)
        vectors = formulas.vectors(attention, query, key, page.decimals) if projected else []
        return [*vectors, *formulas.path(attention, query, key, page.decimals, page.last_stage)]
    row = None if made is None else place_of(made, query, key)[0]
    return [] if made is None or row is None else formulas.row_of(attention, made, row, page.decimals, column)


def _softmax(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if query is None:
        st.info(CLICK_FIRST)
        return
    row, rules = explain.softmax_row(attention, query), attention.rules
    over_keys, after = rules.softmax_over == "keys", rules.masking.startswith("after")
    name = formulas.verbatim(attention.query_titles[query])
    subtracted, power = "", "each number"
    if rules.subtract_largest:
        side = "of the row" if over_keys else "over all queries"
        subtracted = f"the largest {side} is subtracted, which changes no weight and keeps the powers small; "
        power = "what is left"
    total = "their sum" if over_keys else "the sum of those of all queries"
    st.markdown(
        f"The softmax of {name}: {subtracted}e is raised to {power}, and each power divided by {total}. "
        f"{BEFORE}"
    )
    columns = {"score": row.score, "scaled": row.scaled, "masked": row.masked}
    if rules.subtract_largest:
        columns["minus largest"] = row.shifted
    columns["e to that"] = row.exponential
    if not over_keys:
        columns["sum"] = row.divided_by
    if after:
        columns["softmax"] = row.softmax
    columns["weight"] = row.weight
    added = ("e to that", "softmax", "weight") if over_keys else ("weight",)
    totals = np.ma.masked_array(
        [numbers.sum() for numbers in columns.values()], [name not in added for name in columns]
    )
    number_table(
        np.ma.vstack([np.column_stack(list(columns.values())), totals]),
        (*attention.key_names, "sum"),
        tuple(columns),
        page.decimals,
        "key",
        (key, None),
        _hidden_from(attention, query, len(columns)),
    )
    st.vega_lite_chart(
        answer_charts.bars_data(row.weight, attention.key_names, page.decimals, key),
        answer_charts.bars_spec(len(attention.key_names)),
        alt="Bar chart of the weights of one query, a bar for each key",
    )


def _hidden_from(attention: Attention, query: int, columns: int) -> NDArray[np.bool_]:
    """Which rows of a table are of keys that are hidden from a query; below those of the keys is a sum."""
    hidden = np.append(np.isneginf(attention.steps.mask[query]), False)
    return np.repeat(hidden[:, np.newaxis], columns, axis=1)


def _values(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if query is None:
        st.info(CLICK_FIRST)
        return
    blend = explain.blend(attention, query)
    names = attention.value_names
    columns = column_names(attention.inputs, "values")
    name = formulas.verbatim(attention.query_titles[query])
    st.markdown(f"The output of {name}: each weight times the value row of its key, added up. {BEFORE}")
    parts = np.column_stack([blend.weights, blend.products])
    total = np.concatenate([[blend.weights.sum()], blend.output])
    number_table(
        np.vstack([parts, total]),
        (*names, "output"),
        ("weight", *columns),
        page.decimals,
        "value of",
        (key, None),
        _hidden_from(attention, query, 1 + len(columns)),
    )
    st.vega_lite_chart(
        answer_charts.blend_data(blend.products, names, columns, page.decimals),
        answer_charts.blend_spec(),
        alt="Stacked bars: what each value adds to each number of the output, below 0 where it takes away",
    )


def _lines(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    st.markdown("Each query on the left looks at the keys on the right, as strongly as its weight.")
    st.vega_lite_chart(
        answer_charts.lines_data(
            attention.steps.weights, attention.query_names, attention.key_names, page.decimals, query
        ),
        answer_charts.lines_spec(max(len(attention.query_names), len(attention.key_names))),
        alt="Lines from each query to each key, as strong as the weight",
    )


def _variance(page: Page, attention: Attention, query: int | None, key: int | None) -> None:
    if spread(page, attention):
        st.markdown(
            "The variance of the scores is within a factor of 2 of that: they spread as those of random "
            "numbers would, and √dₖ brings them back."
        )
    else:
        st.markdown(
            "The variance of the scores is farther from that than a factor of 2: these queries and keys have "
            "to do with each other, or do not lie around 0."
        )


ANSWERS = {"number": _number, "softmax": _softmax, "values": _values, "lines": _lines, "variance": _variance}


def _table(page: Page) -> None:
    table = st.expander("The same numbers as a table", key="table", on_change="rerun")
    if not table.open or page.stage in (ALL_STAGES, EXPLANATION):
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
    code = st.expander("The code behind it", key="code", on_change="rerun")
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
