"""Load a matrix from a file or from pasted text, or open a page that was saved."""

from __future__ import annotations

import re
import zlib

import streamlit as st

from core.csv_files import SEPARATORS, BadFile, Reading, Table, readings, texts
from core.encodings import Decoded
from core.markdown import shortened, verbatim
from core.matching import changed_names, missing_names
from core.matrices import Inputs, Refused, sentence
from core.placing import in_order_of_page, keep_names, misfits, place_cut, place_whole, take_names
from core.saving import is_zip, matrix_csv
from core.ui import dialogs, reopening, sharing
from core.ui.page import Page
from core.ui.refusing import refuse
from core.ui.tables import number_table
from core.ui.worksheet import Worksheet

MOST_NAMES = 6  # that are listed
UNUSED = "This cannot be used. The page keeps its numbers."
FILE, TEXT = SOURCES = ("a file", "pasted text")
SIGNS = {"": "no decimals", ".": "decimal point", ",": "decimal comma"}


@st.dialog("Load numbers", width="medium", on_dismiss=dialogs.close)
def dialog(page: Page) -> None:
    """Choose a matrix and a table for it; what was understood of it; and the button to use it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        matrix = st.selectbox("For the matrix", list(page.inputs.matrices), key="load-matrix", width=180)
        _templates(page.inputs, matrix)
        source = st.segmented_control("From", SOURCES, default=FILE, required=True, key="load-source")
    st.caption(
        "A template is the matrix as it is now, to change in a spreadsheet: with decimal points and commas "
        "between cells, or with decimal commas and semicolons."
    )
    given = _file(page) if source == FILE else _text()
    if given is None:
        return
    name, content = given
    try:
        if is_zip(content):
            reopening.offer(content)
            return
        decoded = _decoded(texts(content))
        reading = _reading(name, readings(decoded)) if decoded else None
    except BadFile as bad:
        _complain(name, bad.problems)
        return
    if reading is None or reading.table is None:
        return
    st.markdown(f"**Understood:** {_understood(reading, reading.table, source)}.")
    if source == FILE:
        _doubt_the_matrix(name, matrix, page.inputs)
    table = in_order_of_page(page.inputs, matrix, reading.table)
    if table is not reading.table:
        st.caption("**Put in the order of this page**, by their names: the other matrices have that order.")
    placed = _placed(page, matrix, table)
    if placed is None:
        return
    _names(page.inputs, placed, matrix, table)
    st.button(
        "Use these numbers", type="primary", key="use", on_click=_use, args=(page.worksheet, placed, content)
    )
    number_table(
        placed.matrices[matrix].values,
        placed.row_names(matrix),
        placed.column_names(matrix),
        page.decimals,
        matrix,
    )


def _templates(inputs: Inputs, matrix: str) -> None:
    for key, label, comma in (
        ("template", "Template, 1.5", False),
        ("template-comma", "Template, 1,5", True),
    ):
        st.download_button(
            label,
            matrix_csv(inputs, matrix, comma).encode("utf-8-sig"),
            file_name=f"template_{matrix}.csv",
            mime="text/csv",
            icon=":material/download:",
            key=key,
            on_click="ignore",
        )


def _complain(name: str, problems: tuple[str, ...]) -> None:
    """What is wrong with a file, each with its place; nothing on the page has changed."""
    refuse(UNUSED, *(f"{name}, {problem}." for problem in problems))


def _file(page: Page) -> tuple[str, bytes] | None:
    file = st.file_uploader(
        "A CSV file, at most 1 MB, or a zip that was saved here", key="load-file", max_upload_size=1
    )
    if not file:
        sharing.way_out_of_a_frame(
            page, "This page is shown inside another. If your browser refuses a file here, load it there:"
        )
    return (file.name, file.getvalue()) if file else None


def _text() -> tuple[str, bytes] | None:
    text = st.text_area(
        "Paste a table: cells copied from a spreadsheet, or CSV",
        key="load-text",
        height=150,
        placeholder="Person;Animal;Noun\n1,2;0,8;1",
    )
    st.button("Read it", key="load-read")  # leaving the text for it is what has it read
    return ("The pasted text", text.encode()) if text.strip() else None


def _decoded(found: tuple[Decoded, ...]) -> Decoded | None:
    """The only text that a file may have, or the one that is chosen by its words."""
    if len(found) == 1:
        return found[0]
    by_encoding = {decoded.encoding: decoded for decoded in found}
    chosen = st.selectbox(
        "The file does not say how its letters are encoded. Which words are right?",
        list(by_encoding),
        index=0 if found[0].is_likely else None,
        key=f"load-encoding-{zlib.crc32(found[0].text.encode())}",  # another file is asked about anew
        placeholder="Choose the words that you know",
        format_func=lambda encoding: _words(by_encoding[encoding]),
    )
    return by_encoding.get(chosen or "")


def _words(decoded: Decoded) -> str:
    """By what an encoding is chosen."""
    return f"{', '.join(map(shortened, decoded.sample))} ({decoded.region}, {decoded.encoding})"


def _reading(name: str, found: tuple[Reading, ...]) -> Reading | None:
    """The only reading, or the one that is chosen."""
    if len(found) == 1:
        return found[0]
    chosen = st.radio(
        "This can be read in more than one way. Which one is meant?",
        range(len(found)),
        index=None,
        key="load-reading",
        format_func=lambda i: _way(found[i]),
        captions=[verbatim(_contents(reading)) for reading in found],
    )
    if chosen is None or chosen >= len(found):
        return None
    if found[chosen].problems:
        _complain(name, found[chosen].problems)
    return found[chosen]


def _way(reading: Reading) -> str:
    names = {
        (True, True): "names in the first row and in the first column",
        (True, False): "names in the first row",
        (False, True): "names in the first column",
        (False, False): "numbers only, no names",
    }[reading.names_above, reading.names_left]
    cells = {"": "one column", ",": "a comma between cells"}.get(reading.separator, "")
    return ", ".join(filter(None, (names, cells, _sign(reading))))


def _sign(reading: Reading) -> str:
    """What the sign in its numbers is taken for, where it could be either."""
    sign = {",": "comma", ".": "point"}.get(reading.decimal_sign, "")
    return {"decimals": f"a {sign} before decimals", "thousands": f"a {sign} between thousands"}.get(
        reading.sign_before, ""
    )


def _contents(reading: Reading) -> str:
    """The beginning of a table as one reading has it."""
    if reading.table is None:
        return reading.problems[0]
    table = reading.table
    above = f"columns {', '.join(table.columns[:4])}; " if table.columns else ""
    first = f"{table.rows[0]}: " if table.rows else "first row: "
    return above + first + ", ".join(f"{number:g}" for number in table.values[0, :4])


def _understood(reading: Reading, table: Table, source: str) -> str:
    rows, columns = table.values.shape
    return (
        f"{rows} {'row' if rows == 1 else 'rows'} and {columns} {'column' if columns == 1 else 'columns'} "
        f"of numbers; {SEPARATORS[reading.separator]} between cells; {SIGNS[reading.decimal_sign]}; "
        f"{_way(reading).partition(', ')[0]}"
        + (f"; {reading.encoding}" if source == FILE else "")
        + (f"; without the title above, {verbatim(reading.title)}" if reading.title else "")
    )


def _doubt_the_matrix(file: str, matrix: str, inputs: Inputs) -> None:
    """Say where a file is called after another matrix than the chosen one."""
    stem = re.sub(r"[ _-]*(\(\d+\))?\.\w+$", "", file).lower()  # a second download is called keys (1).csv
    called = next((name for name in inputs.matrices if stem.endswith(name.lower())), matrix)
    if called != matrix:
        st.warning(
            f"{verbatim(file)} goes into **{verbatim(matrix)}**. "
            f"If these are {verbatim(called)}, choose that above.",
            icon=":material/help:",
        )


def _placed(page: Page, matrix: str, table: Table) -> Inputs | None:
    """The inputs with the table in place; where it does not fit, in the way that is chosen."""
    wrong = misfits(page.inputs, matrix, table)
    try:
        if not wrong:
            return _whole(page.inputs, matrix, table)
        st.warning("\n\n".join(wrong), icon=":material/grid_off:")
        size = " × ".join(map(str, table.values.shape))
        present = " × ".join(map(str, page.inputs.matrices[matrix].values.shape))
        way = st.radio(
            "What should happen?",
            [f"Take the table as it is, {size}", f"Keep {present}"],
            index=None,
            key="load-way",
            captions=[
                "The other matrices follow: they lose what is too much and grow from zeros.",
                "Take what fits of the table, and start from zeros where it has nothing.",
            ],
        )
        if way is None:
            return None
        if way.startswith("Keep"):
            return place_cut(page.inputs, matrix, keep_names(page.inputs, matrix, table))
        return _whole(page.inputs, matrix, table)
    except Refused as refused:
        refuse(UNUSED, sentence(refused))
        return None


def _whole(inputs: Inputs, matrix: str, table: Table) -> Inputs:
    inputs, table = take_names(inputs, matrix, table)
    return place_whole(inputs, matrix, table)


def _names(before: Inputs, placed: Inputs, matrix: str, table: Table) -> None:
    """Say which names change, come and go, in the other matrices too, and which are not used."""
    sides = placed.matrices[matrix].rows, placed.matrices[matrix].columns
    renamed, removed, new = list[str](), list[str](), list[str]()
    for id, axis in before.axes.items():
        changed = changed_names(axis.names, placed.axes[id].names)
        renamed += [f"{verbatim(old)} → {verbatim(name)}" for old, name in changed.renamed]
        if id in sides or axis.follows is None:
            removed += map(verbatim, changed.removed)
            new += map(verbatim, changed.new)
    left_out, lacking = list[str](), list[str]()
    for id, names in zip(sides, (table.rows, table.columns), strict=True):
        if names:
            left_out += map(verbatim, missing_names(names, placed.axes[id].names))
            lacking += map(verbatim, missing_names(placed.axes[id].names, names))
    _tell("Names change, in every matrix that has them", renamed)
    _tell("Removed, with their numbers in every matrix", removed)
    _tell("New, with zeros in the other matrices", new)
    _tell("Of the table, not used", left_out)
    _tell("Not in the table, so zeros here", lacking)


def _tell(what: str, names: list[str]) -> None:
    if names:
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        st.caption(f"**{what}:** {', '.join(names[:MOST_NAMES])}{more}.")


def _use(worksheet: Worksheet, inputs: Inputs, content: bytes) -> None:
    """Use the numbers, unless the text was changed in the same breath: then they are shown first."""
    if st.session_state.get("load-source") == TEXT and st.session_state["load-text"].encode() != content:
        return
    worksheet.replace_inputs(inputs)
    dialogs.close()
    st.rerun()
