"""The least that a page of this classroom can be: two matrices to type into, two toggles, and one heatmap.

The numbers and the heatmap are made as the classroom makes them, and a class takes turns as there. So what
this takes is the price of these five elements, and what a page takes beyond it is for all else that is on it.
"""

import pandas as pd
import streamlit as st

from core.charts import heatmap
from core.heatmap_data import Cells
from core.matrices import parse_number, set_cells
from core.presets import of_page
from core.stages import attend, stage
from core.ui.crowd import one_page_at_a_time, one_part_at_a_time

EXAMPLE = of_page("emma_sentence")[0]["emma_sentence"].inputs


@st.cache_resource
def table(matrix: str) -> pd.DataFrame:
    return pd.DataFrame(EXAMPLE.matrices[matrix].values, columns=EXAMPLE.column_names(matrix)).astype(str)


def editor(matrix: str) -> None:
    st.data_editor(table(matrix), key=matrix, on_change=st.rerun, args=(["stages"],))


def typed() -> dict[tuple[str, int, int], float]:
    return {
        (matrix, row, EXAMPLE.column_names(matrix).index(column)): parse_number(text)
        for matrix in EXAMPLE.matrices
        for row, edited in st.session_state[matrix]["edited_rows"].items()
        for column, text in edited.items()
    }


@st.fragment(key="stages")
def stages() -> None:
    with one_part_at_a_time:
        scale = st.toggle("Scale by 1/√dₖ", key="scale")
        causal = st.toggle("Causal mask", key="causal")
        attention = attend(set_cells(EXAMPLE, typed()), scale=scale, causal=causal)
        st.vega_lite_chart(heatmap(Cells(stage(attention, "masked"), decimals=2)))


with one_page_at_a_time():
    matrices, numbers = st.columns(2)
    for matrix in EXAMPLE.matrices:
        with matrices:
            st.fragment(editor, key=f"editor-{matrix}")(matrix)
    with numbers:
        stages()
