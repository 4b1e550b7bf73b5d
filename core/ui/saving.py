"""Save a matrix or a stage as a CSV file, or all of a page as one zip."""

from __future__ import annotations

import streamlit as st

from core.saving import SavedPage, matrix_csv, page_zip, stage_csv
from core.snapshots import content_of_snapshot, example_content
from core.stages import Attention, StageName
from core.ui import comparing, dialogs, header, sights, state
from core.ui.attending import attention_of
from core.ui.page import DIFFERENCE, KEPT, NOW, Page

OF_VIEW = {NOW: "", KEPT: "_A", DIFFERENCE: "_B-A"}  # in the name of a file
POINT, COMMA = WAYS = ("1.5 and commas", "1,5 and semicolons")


@st.dialog("Save", width="medium", on_dismiss=dialogs.close)
def dialog(page: Page) -> None:
    """One table as CSV, everything as a zip, and how to get a picture."""
    attention = attention_of(page)
    comma = _one_table(page, attention)
    if page.transposed:
        st.caption("Files hold a row for each query, key or token, as in T x C.")
    _everything(page, attention, comma)
    st.markdown(
        "**A picture**: point at a heatmap, or tap it; the arrow among the signs at its upper right corner "
        "saves it as PNG."
    )


def _one_table(page: Page, attention: Attention) -> bool:
    """A table to download, a stage as it is looked at; whether numbers are to be written with a comma."""
    tables: list[str] = [*page.stages, *page.inputs.matrices]
    here = tables.index(page.stage) if page.stage in page.stages else 0
    with st.container(horizontal=True, vertical_alignment="bottom", key="labelled-row"):
        name = st.selectbox("One table", tables, index=here, key="save-table", width=160)
        way = st.segmented_control(
            "Written with",
            WAYS,
            default=COMMA if st.session_state.get(state.DECIMAL_COMMA) else POINT,
            required=True,
            key=dialogs.key("save-way"),
            help="Spreadsheets of many countries expect 1,5 and semicolons.",
        )
        comma = st.session_state[state.DECIMAL_COMMA] = way == COMMA
        view = NOW
        if name in page.inputs.matrices:
            text = matrix_csv(page.inputs, name, comma)
        else:
            seen = sights.sight(page, attention, _stage_name(page, name))
            view = comparing.view() if seen.is_compared else NOW
            text = stage_csv(seen.stage, comma)
        st.download_button(
            "CSV",
            text.encode("utf-8-sig"),
            file_name=f"{page.id}_{name}{OF_VIEW[view]}.csv",
            mime="text/csv",
            icon=":material/download:",
            key="save-csv",
            on_click="ignore",
        )
    if view != NOW:
        st.caption(f"The table is of {view}, as on screen; everything below is of B, with A to compare.")
    return comma


def _everything(page: Page, attention: Attention, comma: bool) -> None:
    st.markdown("**Everything**: matrices, stages, settings and the NumPy script. Load opens it again.")
    title = f"{header.PAGES[page.id].title}, {page.snapshot.description}"
    st.download_button(
        "Zip",
        page_zip(saved(page), page.inputs, attention, title, comma),
        file_name=f"{page.id}.zip",
        mime="application/zip",
        icon=":material/folder_zip:",
        key="save-zip",
        on_click="ignore",
    )


def saved(page: Page) -> SavedPage:
    """A page as its zip describes it."""
    sheet, kept = page.worksheet, comparing.kept()
    return SavedPage(
        page=page.id,
        settings=state.settings_of(page),
        edits=example_content(sheet.recipe, sheet.preset, sheet.inputs, sheet.before_edit),
        a=content_of_snapshot(kept.snapshot) if kept else None,
    )


def _stage_name(page: Page, name: str) -> StageName:
    return next(stage for stage in page.stages if stage == name)
