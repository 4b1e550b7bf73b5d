"""The first step of the presenter view: the matrices that every number is made from."""

from __future__ import annotations

import streamlit as st

from core.matrices import Inputs
from core.stages import Attention, Stage
from core.ui import comparing, matrix_view, what_ifs
from core.ui.attending import inputs_before_edit
from core.ui.editors import TITLES, rows_of
from core.ui.matrix_view import Marked
from core.ui.page import Page
from core.ui.worksheet import is_shown_turned

MOST_IN_A_ROW = 3  # matrices
MOST_COLUMNS = 6  # of a matrix that stands beside two others
MOST_ROWS = 5  # of one that stands above another


def show(page: Page, attention: Attention, whose: str) -> None:
    """The page's question, and its matrices in their layout, the vectors of the pair to work out outlined."""
    of = f", of {whose}" if whose else ""
    before = _before(page, attention)
    with st.container(key="experiment-view", gap="small"):
        st.markdown(f"**{page.preset.question}** Every number is made from these{of}.")
        with st.container(key=_arrangement(attention.inputs)).grid(min_column_width=220, gap="small"):
            for matrix in attention.inputs.matrices:
                with st.container(gap="xxsmall"):
                    _matrix(page, attention.inputs, before, matrix)


def _arrangement(inputs: Inputs) -> str:
    """How the matrices fill a screen best, by the name that presented_experiment.css has for it."""
    sizes = [matrix.values.shape for matrix in inputs.matrices.values()]
    rows, columns = map(max, zip(*sizes, strict=True))
    is_wide = len(sizes) == MOST_IN_A_ROW and columns > MOST_COLUMNS and rows <= MOST_ROWS
    if not is_wide and len(sizes) <= MOST_IN_A_ROW:
        return "inputs"
    return "inputs-in-pairs" if rows < MOST_ROWS else "inputs-in-high-pairs"


def _matrix(page: Page, inputs: Inputs, inputs_before: Inputs | None, matrix: str) -> None:
    shown = _vectors(inputs, matrix)
    before = _vectors(inputs_before, matrix) if inputs_before else None
    rows = set(rows_of(matrix, *page.pair()))
    marked: Marked = (rows.pop() if len(rows) == 1 else None, None)
    if is_shown_turned(matrix, page.layout):
        shown, marked, before = shown.transposed(), marked[::-1], before and before.transposed()
    title, role = TITLES[matrix]
    changed = what_ifs.of_matrix(page, matrix)
    shape = f"{len(shown.rows)}\u00a0×\u00a0{len(shown.columns)}"
    st.markdown(f"{title}; {changed}" if changed else f"{title}{role}, {shape}")
    matrix_view.heatmap(page, matrix, shown, marked, before)


def _vectors(inputs: Inputs, matrix: str) -> Stage:
    found = inputs.matrices[matrix]
    return matrix_view.vectors(
        found.values,
        inputs.row_titles(matrix),
        inputs.column_names(matrix),
        inputs.axes[found.rows].title,
        inputs.axes[found.columns].title,
    )


def _before(page: Page, attention: Attention) -> Inputs | None:
    """The matrices before the last edit, where that is what the line above tells of."""
    is_told = not (page.what_if or comparing.kept_for(attention, "weights"))
    return inputs_before_edit(page) if is_told else None
