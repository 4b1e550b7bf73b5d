"""The matrices of a page, each in an editor whose cells hold what is typed, and what has been edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.caching import cached, cached_at_most
from core.markdown import short, verbatim
from core.matrices import (
    Change,
    Inputs,
    Refused,
    cell_text,
    changes,
    count_changes,
    insert,
    numbered_as_in,
    remove,
    rename,
    sentence,
)
from core.stages import WEIGHT_MATRICES, WEIGHT_OF
from core.ui import beginning, comparing, fragments, what_ifs, worksheets
from core.ui.page import Page
from core.ui.refusing import refuse
from core.ui.state import CAPTIONS
from core.ui.tables import width_of
from core.ui.worksheet import Worksheet, editor_key, is_shown_turned

HEADER, ROW, ROWS_AT_ONCE = 36, 21, 12
DIGIT, PADDING = 8, 20  # pixels, of a number in a cell
MOST_THAT_FIT = 11  # characters, in a column that is as wide as there is room
LONGEST_NUMBER = 25  # characters, such as those of -1.2345678901234567e-123
MOST_TYPED = 7  # characters that are typed, for a column to keep its width: it may be that of shorter ones
TITLES = {
    "queries": (":violet[**Queries Q**]", " what is looked for"),
    "keys": (":orange[**Keys K**]", " what can be found"),
    "values": (":green[**Values V**]", " what is passed on"),
    "embeddings": (":blue[**Embeddings X**]", ""),
    "W_query": (":violet[**W_query**]", " turns X into queries"),
    "W_key": (":orange[**W_key**]", " turns X into keys"),
    "W_value": (":green[**W_value**]", " turns X into values"),
}
MOST_SHOWN = 12


def every_editor(page: Page, place: DeltaGenerator) -> None:
    """All matrices of a page, those that make queries, keys and values out of embeddings behind tabs.

    Below them, how to change names and sizes, and what has been edited, which grows.
    """
    weights = [matrix for matrix in page.inputs.matrices if matrix in WEIGHT_MATRICES]
    for matrix in page.inputs.matrices:
        if matrix not in weights:
            _editor(page, place, matrix)
    if weights:
        _follow_stage(page)
        tabs = place.tabs(weights, key=fragments.WEIGHT, on_change=fragments.redraw_nothing)
        for tab, weight in zip(tabs, weights, strict=True):
            _editor(page, tab, weight)
    with place:
        with st.popover("Names and sizes", icon=":material/table_rows:", key="names-and-sizes"):
            _names_and_sizes(page.worksheet)
        _what_is_edited(page)


def _follow_stage(page: Page) -> None:
    """Have the weights in view be those that make the queries, keys or values to which one has come."""
    if page.stage in WEIGHT_OF and page.stage != st.session_state.get("weight_of"):
        st.session_state[fragments.WEIGHT] = WEIGHT_OF[page.stage]
    st.session_state["weight_of"] = page.stage


def _editor(page: Page, place: DeltaGenerator, matrix: str) -> None:
    """One matrix to type into, with its role and its shape above it.

    Drawn into a place, not within it: a part of a page costs the more the deeper it is nested.
    """
    turned = is_shown_turned(matrix, page.layout)
    with place.container(key=f"editor-{matrix}", gap="xxsmall"):
        st.session_state[CAPTIONS].append(fragments.caption(matrix))
        fragments.part(fragments.caption(matrix))(_caption)(page, matrix, turned)
        fragments.part(fragments.editor(matrix))(_cells)(page, matrix, turned)


def _cells(page: Page, matrix: str, turned: bool) -> None:
    sheet = page.worksheet
    base = sheet.base
    rows, columns = base.row_names(matrix), base.column_names(matrix)
    if turned:
        rows, columns = columns, rows
    key = editor_key(sheet, matrix, page.layout)
    st.data_editor(
        _table(base, matrix, turned),
        key=key,
        on_change=_edited,
        args=(sheet, matrix, key, len(columns)),
        hide_index=True,
        placeholder="",
        row_height=ROW,
        height=HEADER + ROW * min(len(rows), ROWS_AT_ONCE) + 2,
        column_config={
            "name": st.column_config.TextColumn("", disabled=True, pinned=True, width=width_of(*rows)),
            **{
                f"c{j}": st.column_config.TextColumn(name, alignment="right", width=width)
                for j, (name, width) in enumerate(
                    zip(columns, _widths(base, matrix, turned, _typed(key, len(columns))), strict=True)
                )
            },
        },
        alt=f"Editable matrix: {matrix}, {len(rows)} rows and {len(columns)} columns",
    )


@cached
def _widths(
    base: Inputs, matrix: str, turned: bool, typed: tuple[tuple[str, int], ...]
) -> tuple[int | None, ...]:
    """How wide the columns are: where a number is long, so wide that no minus at its beginning is cut off.

    typed has the columns into which something long was typed, and how long.
    """
    names = base.row_names(matrix) if turned else base.column_names(matrix)
    table, of_typed = _table(base, matrix, turned), dict(typed)
    widths = []
    for column, name in zip(table.columns[1:], names, strict=True):
        present, new = max(map(len, table[column])), of_typed.get(column, 0)
        is_long = present > MOST_THAT_FIT or new > present
        widths.append(DIGIT * max(present, new) + PADDING if is_long else width_of(name))
    return tuple(widths)


def _typed(key: str, count: int) -> tuple[tuple[str, int], ...]:
    """Which of an editor's columns something long was typed into, and how many characters it has."""
    edited = st.session_state.get(key, {}).get("edited_rows", {})
    rows, found = [row for row in edited.values() if isinstance(row, Mapping)], []
    for column in (f"c{j}" for j in range(count)):
        texts = [row.get(column) for row in rows]
        longest = max((len(text) for text in texts if isinstance(text, str)), default=0)
        if longest > MOST_TYPED:
            found.append((column, min(longest, LONGEST_NUMBER)))
    return tuple(found)


@cached_at_most(128)  # of some 18 kB each
def _table(base: Inputs, matrix: str, turned: bool) -> pd.DataFrame:
    """The rows of an editor: a name, and in columns c0, c1 and so on the numbers as text.

    All who see these numbers are given the same table; Streamlit lays their edits over a copy.
    """
    values = base.matrices[matrix].values
    names, values = (base.column_names(matrix), values.T) if turned else (base.row_names(matrix), values)
    cells = {f"c{j}": [cell_text(number) for number in values[:, j]] for j in range(values.shape[1])}
    return pd.DataFrame({"name": names, **cells})


def _edited(sheet: Worksheet, matrix: str, key: str, columns: int) -> None:
    """Use what was typed, and draw what depends on it; or all, where the editors have to start anew."""
    could_undo = sheet.can_undo
    if not worksheets.take_edits(sheet):
        st.rerun()
    to_widen = [fragments.editor(matrix)] if _typed(key, columns) else []
    fragments.redraw_edited(to_widen, with_ways_back=sheet.can_undo != could_undo)


def _caption(page: Page, matrix: str, turned: bool) -> None:
    """A matrix's role, or the names of its selected rows, and its shape: one line, whatever is selected."""
    title, role = TITLES[matrix]
    if changed := what_ifs.of_matrix(page, matrix) or comparing.of_matrix(page, matrix):
        st.markdown(f"{title}; {changed}")
        return
    rows = [row for row in dict.fromkeys(rows_of(matrix, *page.selection)) if row is not None]
    names = ", ".join(short(page.inputs.row_titles(matrix)[row]) for row in rows)
    shape = _shape(page, matrix, turned, in_words=not (rows or matrix in WEIGHT_MATRICES))
    line = ("column" if turned else "row") + ("s" if len(rows) > 1 else "")
    st.markdown(f"{title}, {shape}; chosen: {line} {names}" if rows else f"{title}{role}, {shape}")


def rows_of(matrix: str, query: int | None, key: int | None) -> tuple[int | None, ...]:
    """The rows of a matrix that belong to a query and a key."""
    return {"queries": (query,), "keys": (key,), "values": (key,), "embeddings": (query, key)}.get(matrix, ())


def _shape(page: Page, matrix: str, turned: bool, in_words: bool) -> str:
    """A matrix's shape, as the editor shows it; in words with what is counted: tokens and dimensions."""
    found = page.inputs.matrices[matrix]
    sides = [page.inputs.axes[side] for side in (found.rows, found.columns)]
    counts = [
        f"{len(axis.names)} {axis.title if len(axis.names) == 1 else _plural(axis.title)}"
        if in_words
        else str(len(axis.names))
        for axis in sides
    ]
    return " × ".join(reversed(counts) if turned else counts)


def _plural(title: str) -> str:
    if title.endswith("y") and not title.endswith(("ay", "ey", "oy", "uy")):
        return f"{title[:-1]}ies"
    return f"{title}es" if title.endswith(("s", "x", "ch", "sh")) else f"{title}s"


@fragments.part(fragments.EDITS)
def _what_is_edited(page: Page) -> None:
    """What cannot be used, and what Reset would take back: edits of the preset, or since a lesson began."""
    problems = page.worksheet.complaints
    if problems:
        lines = [verbatim(problem) for problem in problems[:MOST_SHOWN]]
        hint = (
            "\n\nA table with its names, or of another size, is pasted under **Load**, in the sidebar."
            if len(problems) > 1 or page.worksheet.cut
            else ""
        )
        with st.container(key="problems"):
            st.error("\n\n".join(lines) + _more(len(problems)) + hint, icon=":material/error:")
    began = beginning.snapshot_for(page.preset, page.worksheet.recipe)
    start = began.inputs if began else page.preset.inputs
    now = numbered_as_in(start, page.inputs) if began else page.inputs
    found = count_changes(start, now)
    if found:
        with st.container(key="edits"):
            first = islice(changes(start, now), MOST_SHOWN)
            told = "; ".join(_change(change) for change in first)
            st.markdown(f"**Edited:** {told}{_more(found)}")
        if worksheets.is_too_long(page.worksheet):
            st.caption(
                "These are too many edits for a link: **Save** them as a zip, which **Load** opens again."
            )
        comparing.tell_too_long(page)


def _change(change: Change) -> str:
    where = change.where.replace("_", r"\_")
    if change.old is None:
        return f"{where} {verbatim(change.new or '')} added"
    if change.new is None:
        return f"{where} {verbatim(change.old)} removed"
    what = where if change.cell is None else f"{where}, {verbatim(change.cell)}:"
    return f"{what} {verbatim(change.old)} → {verbatim(change.new)}"


def _more(count: int) -> str:
    return f"; and {count - MOST_SHOWN} more" if count > MOST_SHOWN else ""


def _names_and_sizes(sheet: Worksheet) -> None:
    axes = sheet.inputs.axes
    axis = st.selectbox(
        "What to change", list(axes), format_func=lambda id: _plural(axes[id].title), key="axis"
    )
    names = axes[axis].names
    last_changed = st.session_state.get("last_changed", {}).get((sheet.preset.id, axis), len(names))
    position = st.selectbox(
        f"Which {axes[axis].title}",
        range(len(names)),
        format_func=lambda i: f"{i + 1}. {names[i]}",
        index=min(last_changed, len(names) - 1),
        key=f"position.{sheet.preset.id}.{axis}.{sheet.revision}",
    )
    st.text_input("New name", key="new_name")  # no max_chars, which would drop a long name without a word
    if "refused" in st.session_state:  # above the buttons, as the end of the box is below a low screen
        refuse("Nothing was changed.", st.session_state.pop("refused"))
    with st.container(horizontal=True):
        st.button("Rename", key="rename", on_click=_rename, args=(sheet, axis, position))
        if axes[axis].follows is None:
            st.button("Add after", key="add", on_click=_add, args=(sheet, axis, position))
            st.button("Remove", key="remove", on_click=_remove, args=(sheet, axis, position))


def _new_name() -> str:
    name: str = st.session_state.get("new_name", "")
    return name


def _rename(sheet: Worksheet, axis: str, position: int) -> None:
    _try(sheet, axis, position, lambda: rename(sheet.inputs, axis, position, _new_name()))


def _add(sheet: Worksheet, axis: str, position: int) -> None:
    _try(
        sheet,
        axis,
        position + 1,
        lambda: insert(sheet.inputs, axis, position + 1, _new_name()),
    )


def _remove(sheet: Worksheet, axis: str, position: int) -> None:
    _try(sheet, axis, position, lambda: remove(sheet.inputs, axis, position))


def _try(sheet: Worksheet, axis: str, position: int, change: Callable[[], Inputs]) -> None:
    """Make a change; position is where the list stands afterwards."""
    try:
        sheet.replace_inputs(change())
        st.session_state.setdefault("last_changed", {})[sheet.preset.id, axis] = position
        st.session_state["new_name"] = ""
    except Refused as refused:
        st.session_state["refused"] = sentence(refused)
