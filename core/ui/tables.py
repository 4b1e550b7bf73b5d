"""Numbers to read in rows and columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.attention import Array
from core.matrices import rounded_text

MARKED_FILL = "#ffc2df"
LONG_NAME, WIDEST = 18, 150  # characters; pixels
FITTING = 5  # characters, of a number that the narrowest column has room for
DIGIT, PADDING = 7.5, 16  # pixels, of a number in bold


def number_table(
    values: Array,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    decimals: int,
    row_title: str,
    marked: tuple[int | None, int | None] = (None, None),
    hidden: NDArray[np.bool_] | None = None,
) -> None:
    """Numbers (rows, columns) to read, with their names; what is masked in a masked array is left empty.

    marked is the selected row and column, of which one may be None. hidden is True where the causal mask lets
    nothing through: what is 0 there is 0 without rounding, and written so, as in a heatmap.
    """
    texts = [
        ["" if number is None else rounded_text(number, decimals) for number in row]
        for row in values.tolist()  # a masked number becomes None
    ]
    if hidden is not None:
        for row, column in np.argwhere(hidden & (values == 0)):
            texts[row][column] = "0"
    ids = [f"c{j}" for j in range(len(columns))]
    longest = [max(map(len, column)) for column in zip(*texts, strict=True)]
    frame = pd.DataFrame(texts, columns=ids)
    frame.insert(0, "name", rows)
    st.dataframe(
        frame if marked == (None, None) else frame.style.apply(_marks, axis=None, marked=marked),
        hide_index=True,
        row_height=26,
        column_config={
            "name": st.column_config.TextColumn(
                row_title, pinned=True, width=width_of(*rows) or _width(row_title, max(map(len, rows)))
            ),
            **{
                id: st.column_config.TextColumn(name, alignment="right", width=_width(name, length))
                for id, name, length in zip(ids, columns, longest, strict=True)
            },
        },
        alt=f"Table of numbers: {len(rows)} rows and {len(columns)} columns",
    )


def width_of(*names: str) -> int | None:
    """The width of a column with these names, where they are so long that they would hide the numbers."""
    return WIDEST if max(map(len, names), default=0) > LONG_NAME else None


def _width(name: str, longest: int) -> int | None:
    """The width of a column in which something is longer than its name.

    A grid would measure that once, and cut off the first digits of longer numbers that come later.
    """
    is_long = longest > max(len(name), FITTING)
    return round(DIGIT * longest + PADDING) if is_long else width_of(name)


def _marks(frame: pd.DataFrame, marked: tuple[int | None, int | None]) -> pd.DataFrame:
    """The style of every cell; the first column holds the names."""
    row, column = marked
    styles = pd.DataFrame("", index=frame.index, columns=frame.columns)
    styles.iloc[slice(None) if row is None else row, slice(1, None) if column is None else column + 1] = (
        f"background-color: {MARKED_FILL}; color: black; font-weight: bold"
    )
    return styles
