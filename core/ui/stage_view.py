"""The stages of a page: the stepper, and for the stage in view its formula, its heatmap and its table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import charts, formulas
from core.attention import Array
from core.matrices import rounded_text
from core.stages import Attention, Stage, StageName, attend, stage
from core.ui import state
from core.ui.controls import STAGES
from core.ui.state import ALL_STAGES, Page

STEPPER, GO_TO = "stepper", "go_to_stage"


@st.fragment(key=STEPPER)
def stepper(page: Page) -> None:
    """Previous, every stage by name, next."""
    names: list[str] = [*page.stages, ALL_STAGES]
    if GO_TO in st.session_state:
        st.session_state["stage"] = st.session_state.pop(GO_TO)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        steps = st.container(horizontal=True, width="content")
        st.segmented_control(
            "Stage",
            names,
            default=names[0],
            required=True,
            key="stage",
            bind="query-params",
            on_change=_choose,
            label_visibility="collapsed",
        )
    here = names.index(page.stage)
    with steps:
        _step_button(names, here - 1, "Previous", ":material/chevron_left:")
        _step_button(names, here + 1, "Next", ":material/chevron_right:")


def _step_button(names: list[str], target: int, label: str, icon: str) -> None:
    st.button(
        label,
        key=label.lower(),
        icon=icon,
        on_click=_go,
        args=(names[target % len(names)],),
        disabled=not 0 <= target < len(names),
    )


def _go(name: str) -> None:
    st.session_state[GO_TO] = (
        name  # stepper() hands it on, as the link follows only what is set in the same run
    )
    _redraw(name)


def _choose() -> None:
    _redraw(st.session_state["stage"])


def _redraw(name: str) -> None:
    """Draw the stages alone, or the whole page where the stages and the inputs change places."""
    if ALL_STAGES in (state.stage_before(st.session_state["page"]), name):
        st.rerun()
    st.rerun([STEPPER, STAGES])


def places(page: Page) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the stages and the inputs go: beside each other, or all stages above the inputs."""
    if page.stage == ALL_STAGES:
        return st.container(), st.grid(min_column_width=400)
    stages_column, inputs_column = st.columns([6, 5], gap="medium")
    return stages_column, inputs_column


@st.fragment(key=STAGES)
def stages(page: Page, below: Callable[[Page, Attention], None] | None = None) -> None:
    """The stage in view, or all of them side by side, and below it what only this page shows."""
    attention = attend(page.inputs, scale=page.scale, causal=page.causal, only_query=page.only_query)
    with st.container(gap="xsmall"):
        if page.stage == ALL_STAGES:
            _all_stages(page, attention)
        else:
            _one_stage(page, attention, page.stage)
    if below:
        below(page, attention)
    state.note_settings(page)


def _one_stage(page: Page, attention: Attention, name: StageName) -> None:
    query, key = page.pair()
    if page.only_query is not None:
        query = 0
    note = page.preset.notes.get(name, "") if page.inputs.same_as(page.preset.inputs) else ""
    with st.container(key="formula", gap="xxsmall"):
        st.markdown(f"{_what(page, attention, name)} {note}")
        st.markdown(rf"$\displaystyle {formulas.formula(attention, name, page.transposed)}$")
        st.markdown(formulas.worked(attention, name, query, key, 0, page.decimals))
    shown = stage(attention, name)
    shown = shown.transposed() if page.transposed else shown
    with st.container(key="heatmap", gap="xxsmall"):
        _heatmap(page, shown)
        st.caption(_colours(shown, page.decimals))
    table = st.expander("The same numbers as a table", key="table", on_change="rerun")
    if table.open:
        with table:
            _table(page, shown)


def _all_stages(page: Page, attention: Attention) -> None:
    with st.grid(min_column_width=400):
        for name in page.stages:
            shown = stage(attention, name)
            with st.container(key=f"heatmap-{name}", gap="xxsmall"):
                st.markdown(f"**{name}**")
                _heatmap(page, shown.transposed() if page.transposed else shown)


def _heatmap(page: Page, shown: Stage) -> None:
    sums_of: charts.Side = "columns" if page.transposed else "rows"
    is_weights = shown.name == "weights"
    st.vega_lite_chart(
        charts.heatmap_data(shown, page.decimals, sums_of),
        charts.heatmap_spec(len(shown.rows), is_weights, shown.row_title, shown.column_title, sums_of),
        alt=_description(shown),
    )


def _table(page: Page, shown: Stage) -> None:
    values, columns = shown.values, shown.columns
    if shown.name == "weights" and not page.transposed:
        values, columns = np.column_stack([values, values.sum(axis=1)]), (*columns, "sum")
    number_table(values, shown.rows, columns, page.decimals, shown.row_title)


def number_table(
    values: Array, rows: tuple[str, ...], columns: tuple[str, ...], decimals: int, row_title: str
) -> None:
    """Numbers (rows, columns) to read, with their names."""
    texts = [[rounded_text(number, decimals) for number in row] for row in values.tolist()]
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


def _description(shown: Stage) -> str:
    return (
        f"Heatmap of the {shown.name}: {len(shown.rows)} rows, one per {shown.row_title}, "
        f"and {len(shown.columns)} columns, one per {shown.column_title}"
    )


def _colours(shown: Stage, decimals: int) -> str:
    masked = " Grey: masked." if shown.hidden.any() else ""
    if shown.name == "weights":
        return f"Colour: white is 0, dark green is 1.{masked}"
    end = rounded_text(charts.strongest(shown), decimals)
    return f"Colour: orange above 0, blue below, strongest at ±{end}.{masked}"


def _what(page: Page, attention: Attention, name: StageName) -> str:
    """One sentence on what the stage does, as the toggles stand."""
    if name == "scaled" and not attention.scale:
        return "**Scaled.** Scaling is off, so the scores stay as they are."
    if name == "masked" and not attention.causal:
        return f"**Masked.** {page.preset.unordered or 'The causal mask is off: every query sees every key.'}"
    return WHAT[name]


WHAT = {
    "queries": "**Queries.** Each embedding times W_query: what the token looks for.",
    "keys": "**Keys.** Each embedding times W_key: what the token can be found by.",
    "values": "**Values.** Each embedding times W_value: what the token passes on.",
    "scores": "**Scores.** The dot product of every query with every key.",
    "scaled": "**Scaled.** Every score is divided by √dₖ; dₖ is the width of one query.",
    "masked": "**Masked.** −∞ is added where a query may not look.",
    "weights": "**Weights.** The softmax makes shares that sum to 1 for every query.",
    "output": "**Output.** The values of all keys, each times its weight, added up.",
}
