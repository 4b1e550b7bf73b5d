"""The stages of a page: the stepper, and for the stage in view its formula, its heatmap and its table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import charts, formulas
from core.matrices import rounded_text
from core.stages import Attention, Stage, StageName, attend, stage
from core.ui import asking, state
from core.ui.controls import STAGES
from core.ui.state import ALL_STAGES, Page
from core.ui.tables import number_table

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
    """All stages side by side; or the stage in view, below it what only this page shows, and its questions."""
    state.follow_selection(page)
    attention = attend(page.inputs, scale=page.scale, causal=page.causal, only_query=page.only_query)
    if page.stage == ALL_STAGES:
        _all_stages(page, attention)
    else:
        shown, beside, asked = st.container(gap="xsmall"), st.container(), st.container(gap="small")
        with asked:
            asking.choose(page, attention)
        with shown:
            _one_stage(page, attention, page.stage)
        with asked:
            asking.answer(page, attention)
            _table(page, attention, page.stage)
        if below:
            with beside:
                below(page, attention)
    state.note_settings(page)


def _one_stage(page: Page, attention: Attention, name: StageName) -> None:
    query, key = page.pair()
    if page.only_query is not None:
        key = key if query == page.only_query or page.selection[1] is not None else _best_key(attention)
        query = 0
    note = page.preset.notes.get(name, "") if page.as_it_opens else ""
    with st.container(key="formula", gap="xxsmall"):
        st.markdown(f"{_what(page, attention, name)} {note}")
        st.markdown(rf"$\displaystyle {formulas.formula(attention, name, page.transposed)}$")
        st.markdown(formulas.worked(attention, name, query, key, 0, page.decimals))
    shown = stage(attention, name)
    with st.container(key="heatmap", gap="xxsmall"):
        _heatmap(page, shown, click=True)
        st.caption(_colours(shown, page.decimals))


def _best_key(attention: Attention) -> int:
    return int(attention.steps.weights[0].argmax())


def _all_stages(page: Page, attention: Attention) -> None:
    with st.grid(min_column_width=400):
        for name in page.stages:
            shown = stage(attention, name)
            with st.container(key=f"heatmap-{name}", gap="xxsmall"):
                st.markdown(f"**{name}**")
                _heatmap(page, shown)


def _heatmap(page: Page, shown: Stage, click: bool = False) -> None:
    """A stage as a heatmap, the selected query and key marked. A click selects where `click` is set."""
    marked = _marked(page, shown)
    shown, marked = (shown.transposed(), marked[::-1]) if page.transposed else (shown, marked)
    sums_of: charts.Side = "columns" if page.transposed else "rows"
    is_weights = shown.name == "weights"
    clicks = st.session_state.get("clicks", 0)
    st.vega_lite_chart(
        charts.heatmap_data(shown, page.decimals, sums_of, marked),
        charts.heatmap_spec(len(shown.rows), is_weights, shown.row_title, shown.column_title, sums_of),
        key=f"cells-{shown.name if not click else ''}-{clicks}",
        on_select=(lambda: _picked(page, shown.name, f"cells--{clicks}")) if click else "ignore",
        alt=_description(shown),
    )


def _marked(page: Page, shown: Stage) -> tuple[int | None, int | None]:
    """The row and the column of the selection in a stage as it is before turning."""
    query, key = page.selection
    if page.only_query is not None:
        query = 0 if query == page.only_query else None
    if shown.name in ("queries", "output"):
        return query, None
    if shown.name in ("keys", "values"):
        return key, None
    return (None, None) if query is None or key is None else (query, key)


def _picked(page: Page, name: StageName, chart: str) -> None:
    """Select the query and the key of the clicked cell; a click beside the cells changes nothing."""
    place = charts.picked_cell(st.session_state[chart]["selection"])
    if place is None:
        return
    row, column = place[::-1] if page.transposed else place
    if name in ("keys", "values"):
        state.select(None, row)
    else:
        query = row if page.only_query is None else page.only_query
        state.select(query, None if name in ("queries", "output") else column)
    if st.session_state.get("ask") is None:
        st.session_state["ask"] = "number"


def _table(page: Page, attention: Attention, name: StageName) -> None:
    table = st.expander("The same numbers as a table", key="table", on_change="rerun")
    if not table.open:
        return
    shown = stage(attention, name)
    shown = shown.transposed() if page.transposed else shown
    values, columns = shown.values, shown.columns
    if shown.name == "weights" and not page.transposed:
        values, columns = np.column_stack([values, values.sum(axis=1)]), (*columns, "sum")
    with table:
        number_table(values, shown.rows, columns, page.decimals, shown.row_title)


def _description(shown: Stage) -> str:
    return (
        f"Heatmap of the {shown.name}: {len(shown.rows)} rows, one per {shown.row_title}, "
        f"and {len(shown.columns)} columns, one per {shown.column_title}"
    )


def _colours(shown: Stage, decimals: int) -> str:
    masked = " Grey: masked." if shown.hidden.any() else ""
    if shown.name == "weights":
        return f"Colour: white is 0, dark green is 1.{masked} Sums are of the weights before rounding."
    end = rounded_text(shown.bound, decimals)
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
