"""The stages of a page: the stepper, and for the stage in view its formula and its heatmap."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import charts, formulas
from core.matrices import rounded_text
from core.stages import Attention, Stage, StageName, stage
from core.ui import asking, fragments, state
from core.ui.asking import attention_of
from core.ui.state import ALL_STAGES, Page

GO_TO = "go_to_stage"


@st.fragment(key=fragments.STEPPER)
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
    st.session_state[GO_TO] = name  # for stepper(): the link takes up only what is set in the same run
    fragments.redraw_stepper(name)


def _choose() -> None:
    fragments.redraw_stepper(st.session_state["stage"])


def places(page: Page) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the stages and the inputs go: beside each other, or all stages above the inputs."""
    if page.stage == ALL_STAGES:
        return st.container(), st.grid(min_column_width=400)
    stages_column, inputs_column = st.columns([6, 5], gap="medium")
    return stages_column, inputs_column


def stages(page: Page, below: Callable[[Page, Attention], None] | None = None) -> None:
    """All stages side by side; or one, with what only this page shows below it, and its questions.

    The lists of the selection are drawn first, as the heatmap above them marks what they hold.
    """
    shown, asked = st.container(gap="xsmall"), st.container(gap="small")
    state.follow_selection(page)
    if page.stage != ALL_STAGES:
        with asked:
            asking.choice(page)
    with shown:
        _stages(page, below)
    if page.stage != ALL_STAGES:
        with asked:
            asking.answer(page)


@st.fragment(key=fragments.STAGES)
def _stages(page: Page, below: Callable[[Page, Attention], None] | None) -> None:
    attention = attention_of(page)
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
        key = key if query == page.only_query or page.selection[1] is not None else _best_key(attention)
        query = 0
    note = page.preset.notes.get(name, "") if page.as_it_opens else ""
    formula = formulas.formula(attention, name, page.transposed)
    worked = formulas.worked(attention, name, query, key, 0, page.decimals)
    with st.container(key="formula"):
        st.markdown(f"{_what(page, attention, name)} {note}\n\n$\\displaystyle {formula}$\n\n{worked}")
    shown = stage(attention, name)
    with st.container(key="heatmap", gap="xxsmall"):
        _heatmap(page, shown, clickable=True)
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


def _heatmap(page: Page, shown: Stage, clickable: bool = False) -> None:
    """A stage as a heatmap, the selected query and key marked."""
    marked = _marked(page, shown)
    shown, marked = (shown.transposed(), marked[::-1]) if page.transposed else (shown, marked)
    sums_of: charts.Side = "columns" if page.transposed else "rows"
    is_weights = shown.name == "weights"
    key = f"cells-{st.session_state.get('clicks', 0)}"
    st.vega_lite_chart(
        charts.heatmap_data(shown, page.decimals, sums_of, marked),
        charts.heatmap_spec(
            len(shown.rows), is_weights, shown.row_title, shown.column_title, sums_of, clickable
        ),
        key=key if clickable else None,
        on_select=(lambda: _picked(page, shown.name, key)) if clickable else "ignore",
        alt=_description(shown),
    )


def _marked(page: Page, shown: Stage) -> tuple[int | None, int | None]:
    """The row and the column of the selection in a stage as it is before turning."""
    query, key = page.selection_in_view
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
    query: int | None = row if page.only_query is None else page.only_query
    key: int | None = column
    if name in ("keys", "values"):
        query, key = None, row
    elif name in ("queries", "output"):
        key = None
    st.session_state[asking.CLICKED] = query, key
    fragments.redraw_selection()


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
