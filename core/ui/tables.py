"""Numbers to read in rows and columns."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.attention import Array
from core.matrices import rounded_text


def number_table(
    values: Array, rows: tuple[str, ...], columns: tuple[str, ...], decimals: int, row_title: str
) -> None:
    """Numbers (rows, columns) to read, with their names; a NaN is left empty."""
    texts = [
        ["" if math.isnan(number) else rounded_text(number, decimals) for number in row]
        for row in values.tolist()
    ]
    ids = [f"c{j}" for j in range(len(columns))]
    frame = pd.DataFrame(texts, columns=ids)
    frame.insert(0, "name", rows)
    st.dataframe(
        frame,
        hide_index=True,
        row_height=26,
        column_config={
            "name": st.column_config.TextColumn(row_title, pinned=True),
            **{
                id: st.column_config.TextColumn(n, alignment="right")
                for id, n in zip(ids, columns, strict=True)
            },
        },
        alt=f"Table of numbers: {len(rows)} rows and {len(columns)} columns",
    )
