"""Load a matrix from a file or from pasted text, or open a page that was saved."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace

import streamlit as st

from core.csv_files import SEPARATORS, BadFile, Reading, Table
from core.digits import counted
from core.encodings import Decoded
from core.markdown import shortened, verbatim
from core.matching import missing_names
from core.matrices import Inputs, Refused, on_one_line, sentence
from core.placing import (
    NameChanges,
    in_order_of_page,
    is_table_turned,
    misfits,
    name_changes,
    place_cut,
    place_whole,
)
from core.saving import is_zip, matrix_csv
from core.ui import comparing, dialogs, reopening, sharing
from core.ui.attending import attention_of
from core.ui.page import Page
from core.ui.reading import Read, read
from core.ui.refusing import refuse
from core.ui.state import DECIMAL_COMMA, PASTED_TEXT
from core.ui.tables import number_table
from core.ui.worksheet import Worksheet, is_shown_turned

Place = Callable[[Inputs, str, Table], Inputs]
MOST_NAMES = 6  # that are listed
LONGEST_FILE_NAME = 255  # letters, as on a disk
MOST_TOLD = 100  # letters of it, in a message
MOST_TRIED = 3  # encodings, the likeliest: where a file can be used in none of them, it can in no other
LEFT = "load-left"  # what was pasted and not yet used, and the matrix that it was meant for
NOTHING_LEFT = "", ""
MOST_LEFT = 20_000  # letters
UNUSED = "This cannot be used. The page keeps its numbers."
SOURCE = "load-source"
FILE, TEXT = SOURCES = ("a file", "pasted text")
SIGNS = {"": "no decimals", ".": "decimal point", ",": "decimal comma"}


@st.dialog("Load numbers", width="medium", on_dismiss=dialogs.close)
def dialog(page: Page) -> None:
    """Choose a matrix and a table for it; what was understood of it; and the button to use it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="labelled-row"):
        matrices = list(page.inputs.matrices)
        left, left_for = st.session_state.get(LEFT, NOTHING_LEFT)
        meant = matrices.index(left_for) if left_for in matrices else 0
        matrix = st.selectbox("For the matrix", matrices, meant, key="load-matrix", width=180)
        _templates(page.inputs, matrix)
        first = TEXT if left else FILE
        source = st.segmented_control("From", SOURCES, default=first, required=True, key=dialogs.key(SOURCE))
    st.caption(
        "A template is the matrix as it is now, to change in a spreadsheet: with decimal points and commas "
        "between cells, or with decimal commas and semicolons."
    )
    given = _file(page) if source == FILE else _text(matrix, left)
    if given is None:
        return
    name, content = given
    try:
        if is_zip(content):
            reopening.offer(content)
            return
        file = read(content)
        decoded = _decoded(file)
        reading = _reading(name, file.readings(decoded), content) if decoded else None
    except BadFile as bad:
        _complain(name, bad.problems)
        return
    if reading is None or reading.table is None:
        return
    st.markdown(f"**Understood:** {_understood(reading, reading.table, source)}.")
    if reading.decimal_sign and reading.sign_before != "thousands":
        st.session_state[DECIMAL_COMMA] = reading.decimal_sign == ","
    if source == FILE:
        _doubt_the_matrix(name, matrix, page.inputs)
    _offer(page, matrix, reading.table, content)


def _offer(page: Page, matrix: str, table: Table, content: bytes) -> None:
    """What would become of the page with a table, and the button to use it."""
    turned = is_table_turned(page.inputs, matrix, table)
    if turned is None and _may_be_turned(page, matrix, table):
        turned = _is_chosen_turned(page.inputs, matrix, content)
        if turned is None:
            return
    if turned:
        table = table.turned
        st.caption(f"**Turned:** in the table, each {_row_title(page.inputs, matrix)} is a column.")
    given, table = table, in_order_of_page(page.inputs, matrix, table)
    try:
        place = _way_to_place(page.inputs, matrix, table, content)
        if place is None:
            return
        placed = place(page.inputs, matrix, table)
    except Refused as refused:
        refuse(UNUSED, sentence(refused))
        return
    if _is_put_in_order(given, placed, matrix):
        st.caption("**Put in the order of this page**, by their names: the other matrices have that order.")
    _tell_names(name_changes(page.inputs, matrix, table, place), placed, matrix, table)
    if placed.same_as(page.inputs):
        st.caption("**These are the numbers of the page:** nothing would change.")
    if _ends_comparison(page, placed):
        st.caption("**A** has other names or sizes: with these numbers it cannot be compared any more.")
    if page.worksheet.problems:
        st.caption("**What could not be used** in the editors is cleared when you use these.")
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


def _ends_comparison(page: Page, placed: Inputs) -> bool:
    """Whether what is kept as A can be compared with the weights of the page, and could no more."""
    now, then = attention_of(page), replace(page.snapshot, inputs=placed, what_if=None).attention()
    return bool(comparing.kept_for(now, "weights") and not comparing.kept_for(then, "weights"))


def _row_title(inputs: Inputs, matrix: str) -> str:
    """What a row of a matrix is of: a token, an animal, a dimension."""
    return inputs.axes[inputs.matrices[matrix].rows].title


def _may_be_turned(page: Page, matrix: str, table: Table) -> bool:
    """Whether a table whose names do not tell how it lies may have tokens as columns.

    It may where it fits so alone, and where the page shows them so, unless it fits the other way alone.
    """
    shape, present = table.values.shape, page.inputs.matrices[matrix].values.shape
    fits, fits_turned = shape == present, shape[::-1] == present
    if fits != fits_turned:
        return fits_turned
    return is_shown_turned(matrix, page.layout)


def _is_chosen_turned(inputs: Inputs, matrix: str, content: bytes) -> bool | None:
    """Whether a table that may lie either way has rows of a matrix as columns; None where not yet said."""
    title = _row_title(inputs, matrix)
    ways = {"a row, as in a template": False, "a column": True}
    way = st.radio(
        f"In this table, each {title} is", list(ways), index=None, key=_key(f"turned-{matrix}", content)
    )
    return ways.get(way or "")


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
    refuse(UNUSED, *(f"{shortened(name, MOST_TOLD)}, {problem}." for problem in problems))


def _file(page: Page) -> tuple[str, bytes] | None:
    file = st.file_uploader(
        "A CSV file, at most 1 MB, or a zip that was saved here",
        key=dialogs.key("load-file"),
        max_upload_size=1,
    )
    if not file:
        sharing.way_out_of_a_frame(
            page, "This page is shown inside another. If your browser refuses a file here, load it there:"
        )
    return (on_one_line(file.name[:LONGEST_FILE_NAME]) or "The file", file.getvalue()) if file else None


def _text(matrix: str, left: str) -> tuple[str, bytes] | None:
    """What was pasted, here or in a dialog that was left with a tap beside it."""
    text = st.text_area(
        "Paste a table: cells copied from a spreadsheet, or CSV",
        left,
        key=dialogs.key(PASTED_TEXT),
        height=150,
        placeholder="Person;Animal;Noun\n1,2;0,8;1",
    )
    st.session_state[LEFT] = (text, matrix) if text and len(text) <= MOST_LEFT else NOTHING_LEFT
    st.button("Read it", key="load-read")  # leaving the text for it is what has it read
    return ("The pasted text", text.encode()) if text.strip() else None


def _key(question: str, content: bytes) -> str:
    """The key of a question about a table: another one is asked about anew."""
    return f"load-{question}-{zlib.crc32(content)}"


def _decoded(file: Read) -> Decoded | None:
    """The text that can be told, or that is chosen by its words; any, where none can be used."""
    found = file.texts
    if (len(found) == 1 and found[0].is_likely) or all(map(file.is_bad, found[:MOST_TRIED])):
        return found[0]
    by_encoding = {decoded.encoding: decoded for decoded in found}
    chosen = st.selectbox(
        "The file does not say how its letters are encoded. Which words are right?",
        list(by_encoding),
        index=0 if found[0].is_likely else None,
        key=_key("encoding", file.content),
        placeholder="Choose the words that you know",
        format_func=lambda encoding: _words(by_encoding[encoding]),
    )
    return by_encoding.get(chosen or "")


def _words(decoded: Decoded) -> str:
    """By what an encoding is chosen."""
    return f"{', '.join(map(shortened, decoded.sample))} ({decoded.region}, {decoded.encoding})"


def _reading(name: str, found: tuple[Reading, ...], content: bytes) -> Reading | None:
    """The only reading, or the one that is chosen."""
    if len(found) == 1:
        return found[0]
    chosen = st.radio(
        "This can be read in more than one way. Which one is meant?",
        range(len(found)),
        index=None,
        key=_key("reading", content),
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
    doubt = f"; {reading.doubt}" if reading.doubt else ""
    return above + first + ", ".join(f"{number:g}" for number in table.values[0, :4]) + doubt


def _understood(reading: Reading, table: Table, source: str) -> str:
    rows, columns = table.values.shape
    return (
        f"{counted(rows, 'row')} and {counted(columns, 'column')} "
        f"of numbers; {SEPARATORS[reading.separator]} between cells; "
        f"{_sign(reading) or SIGNS[reading.decimal_sign]}; "
        f"{_way(reading).partition(', ')[0]}"
        + (f"; {reading.encoding}" if source == FILE else "")
        + (f"; without the title above, {verbatim(reading.title)}" if reading.title else "")
    )


def _doubt_the_matrix(file: str, matrix: str, inputs: Inputs) -> None:
    """Say where a file is called after another matrix than the chosen one."""
    stem = re.sub(r"[ _-]*(\(\d+\))?\.\w+$", "", file).lower()  # a second download is called keys (1).csv
    called = next(
        (name for name in inputs.matrices if re.search(rf"(?<![a-z]){name.lower()}$", stem)), matrix
    )
    if called != matrix:
        st.warning(
            f"{verbatim(shortened(file, MOST_TOLD))} goes into **{verbatim(matrix)}**. "
            f"If these are {verbatim(called)}, choose that above.",
            icon=":material/help:",
        )


def _way_to_place(inputs: Inputs, matrix: str, table: Table, content: bytes) -> Place | None:
    """How the table is put in: as it is or, where it does not fit, in the way that is chosen."""
    wrong = misfits(inputs, matrix, table)
    if not wrong:
        return place_whole
    size = " × ".join(map(str, table.values.shape))
    present = " × ".join(map(str, inputs.matrices[matrix].values.shape))
    whole, cut = f"Take the whole table, {size}", f"Keep {present}"
    ways = {
        whole: (place_whole, "The other matrices follow: what is too much is cut off, and what is new is 0."),
        cut: (place_cut, "Take what fits of the table, and start from zeros where it has nothing."),
    }
    try:
        place_whole(inputs, matrix, table)
    except Refused as refused:
        wrong = [*wrong, verbatim(sentence(refused))]
        del ways[whole]
    st.warning("\n\n".join(wrong), icon=":material/grid_off:")
    way = st.radio(
        "What should happen?",
        list(ways),
        index=None,
        key=_key(f"way-{matrix}", content),
        captions=[caption for _, caption in ways.values()],
    )
    return ways[way][0] if way in ways else None


def _is_put_in_order(table: Table, placed: Inputs, matrix: str) -> bool:
    """Whether names stand in another order than in the table."""
    sides = (table.rows, placed.row_names(matrix)), (table.columns, placed.column_names(matrix))
    return any(
        [name for name in given if name in now] != [name for name in now if name in given]
        for given, now in sides
    )


def _tell_names(changed: NameChanges, placed: Inputs, matrix: str, table: Table) -> None:
    """Say which names change, come and go, in the other matrices too, and which are not used."""
    left_out, lacking = list[str](), list[str]()
    for names, now in (
        (table.rows, placed.row_names(matrix)),
        (table.columns, placed.column_names(matrix)),
    ):
        if names:
            left_out += missing_names(names, now)
            lacking += missing_names(now, names)
    renamed = [f"{verbatim(old)} → {verbatim(new)}" for old, new in changed.renamed]
    _tell("In the order of the table", map(verbatim, changed.reordered))
    _tell("Names change, wherever they stand", renamed)
    _tell("Removed, wherever they stand, with their numbers", map(verbatim, changed.removed))
    _tell("New, with zeros wherever else they stand", map(verbatim, changed.new))
    _tell("Of the table, not used", map(verbatim, left_out))
    _tell("Not in the table, so zeros here", map(verbatim, lacking))


def _tell(what: str, names: Iterable[str]) -> None:
    """Say something of names; one that two sides have, a key and its value, is named once."""
    if told := [*dict.fromkeys(names)]:
        more = f" and {len(told) - MOST_NAMES} more" if len(told) > MOST_NAMES else ""
        st.caption(f"**{what}:** {', '.join(told[:MOST_NAMES])}{more}.")


def _use(worksheet: Worksheet, inputs: Inputs, content: bytes) -> None:
    """Use the numbers, unless the text was changed in the same breath: then they are shown first."""
    is_text = st.session_state.get(dialogs.key(SOURCE)) == TEXT
    if is_text and st.session_state.get(dialogs.key(PASTED_TEXT), "").encode() != content:
        return
    worksheet.replace_inputs(inputs)
    st.session_state.pop(LEFT, None)
    dialogs.close()
    st.rerun()
