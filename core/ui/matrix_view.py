"""One matrix as a heatmap, beside the stages: in an experiment, and as the presenter view's first step."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core import charts
from core.attention import Array
from core.heatmap_data import Cells
from core.stages import Stage, StageName, magnitude
from core.ui import drawings
from core.ui.page import Page

Marked = tuple[int | None, int | None]


def heatmap(
    page: Page, place: str, shown: Stage, marked: Marked = (None, None), before: Stage | None = None
) -> None:
    """A stage with its numbers, and those from before an edit; place is its name there."""
    st.vega_lite_chart(
        drawings.numbered(
            f"{page.experiment or page.stage} {place}",
            charts.heatmap(Cells(shown, page.decimals, marked=marked, before=before)),
        ),
        alt=f"Heatmap, {place}: {len(shown.rows)} rows, one per {shown.row_title}, "
        f"and {len(shown.columns)} columns, one per {shown.column_title}",
    )


def vectors(
    values: Array,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    row_title: str,
    column_title: str = "dimension",
) -> Stage:
    """A vector for each row, coloured around 0."""
    return _matrix("output", values, rows, columns, row_title, column_title)


def scores(values: Array, rows: tuple[str, ...], columns: tuple[str, ...]) -> Stage:
    """A number for each query and key, coloured around 0."""
    return _matrix("scores", values, rows, columns, "query", "key")


def weights(values: Array, rows: tuple[str, ...], columns: tuple[str, ...]) -> Stage:
    """Shares that sum to 1 for each query."""
    hidden = np.zeros(values.shape, bool)
    return Stage("weights", values, rows, columns, "query", "key", hidden, 1.0, are_shares=True)


def _matrix(
    name: StageName,
    values: Array,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    row_title: str,
    column_title: str,
) -> Stage:
    hidden, bound = np.zeros(values.shape, bool), magnitude(values)
    return Stage(name, values, rows, columns, row_title, column_title, hidden, bound)
