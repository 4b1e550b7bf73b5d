"""The stages of a page: the stepper, and for the stage in view its formula and its heatmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import charts, heatmap_data, working
from core.attention import entropy
from core.caching import cached
from core.experiments import EXPERIMENTS, NONE, TITLES
from core.markdown import verbatim
from core.matrices import how_written, rounded_text
from core.palette import ALL_WEIGHT, NEGATIVE, NO_WEIGHT, POSITIVE
from core.stages import ATTENTION, Attention, Stage, StageName, column_names, magnitude
from core.ui import (
    asking,
    beginning,
    clicks,
    comparing,
    drawings,
    experiment_view,
    fragments,
    inputs_view,
    sights,
    state,
)
from core.ui.ahead import send_ahead
from core.ui.answers import ANSWERS
from core.ui.attending import attention_of
from core.ui.message import message
from core.ui.page import ALL_STAGES, EXPLANATION, INPUTS, Page
from core.ui.sights import Sight
from core.ui.tables import number_table
from core.ui.toggles import toggles
from core.working import BEFORE_ROUNDING

OF_SUMS = "Sums are of the weights before rounding."
MOST_SURE_TO_FIT = 16  # columns, whose numbers are to be read on a phone
CLICK_HINT, CLICKED = "Click a cell to work out its number.", "Ask about the outlined one below."


@fragments.part(fragments.STEPPER)
def stepper(page: Page) -> None:
    """Previous, next, every stage by name, and the experiments; or the way back from one and its pair."""
    names: list[str] = list(page.steps)
    if st.session_state.get("stage", page.first_step) not in names:
        st.session_state["stage"] = page.first_step
    with st.container(key="stepper", horizontal=True, vertical_alignment="center", gap="small"):
        if page.experiment is None:
            _steps(page, names)
            _experiment_choice(page)
            if page.presenting and state.was_left(page):
                with st.container(key="unseen-back-to-experiment"):  # for a clicker's PageUp (clicker.js)
                    st.button("Experiment", key="back-to-experiment", on_click=_reopen_experiment)
        else:
            st.button(
                "Stages",
                icon=":material/arrow_back:",
                key="back",
                on_click=_close_experiment,
                args=(page,),
                shortcut="PageDown" if page.presenting else None,  # for a clicker to go on
            )
            _experiment_choice(page)
            st.markdown(f"**{TITLES[page.experiment]}**", width="content")
            with st.container(width="content"):
                experiment_view.choice(page)
            with st.container(key="unseen-steps", width="content"):
                _steps(page, names)


def _steps(page: Page, names: list[str]) -> None:
    """Previous and next, which depend on what is chosen beside them."""
    steps = st.container(horizontal=True, width="content")
    st.segmented_control(
        "Stage",
        names,
        default=page.first_step,
        required=True,
        key="stage",
        bind="query-params",
        on_change=_choose,
        label_visibility="collapsed",
    )
    here = names.index(page.stage)
    with steps:
        keys = ("PageUp", "PageDown") if page.presenting and page.experiment is None else (None, None)
        _step_button(names, here - 1, "Previous", ":material/chevron_left:", keys[0])
        _step_button(names, here + 1, "Next", ":material/chevron_right:", keys[1])


def _experiment_choice(page: Page) -> None:
    options = [NONE, *EXPERIMENTS[page.id]]
    if st.session_state.get("experiment", NONE) not in options:
        st.session_state["experiment"] = NONE
    st.selectbox(
        "Experiments",
        options,
        key="experiment",
        bind="query-params",
        on_change=st.rerun,
        label_visibility="collapsed",
        width=150,
    )


def _close_experiment(page: Page) -> None:
    state.leave_experiment(page)
    st.rerun()


def _reopen_experiment() -> None:
    state.reopen_experiment()
    st.rerun()


def _step_button(names: list[str], target: int, label: str, icon: str, shortcut: str | None) -> None:
    """One that goes nowhere cannot be pressed; with a shortcut it only looks so (presenter.css).

    A clicker's next key may come before the answer to the last, and is lost where the button is still
    disabled.
    """
    reached = min(max(target, 0), len(names) - 1)
    st.button(
        label,
        key=label.lower(),
        icon=icon,
        on_click=_go,
        args=(names[reached],),
        disabled=reached != target and shortcut is None,
        shortcut=shortcut,
    )


def _go(name: str) -> None:
    clicks.click(stage=name)
    fragments.redraw_stepper(name)


def _choose() -> None:
    fragments.redraw_stepper(st.session_state.get("stage", ""))


def places(page: Page) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the stages and the inputs go: beside each other; or all stages, or an experiment, above them."""
    if page.stage == ALL_STAGES or page.experiment:
        return st.container(), st.container(key="matrices").grid(min_column_width=400)
    stages_column, inputs_column = st.columns([6, 5], gap="small")
    return stages_column, inputs_column.container(key="matrices", gap="xsmall")


def stages(page: Page, place: DeltaGenerator, below: Callable[[Page, Attention], None] | None = None) -> None:
    """An experiment; or all stages side by side; or one, with its questions, and what only this page shows.

    The lists of the selection are drawn first, as the heatmap above them marks what they hold.
    """
    if page.experiment:
        with place:
            experiment_view.show(page)
        return
    one_stage = page.stage != ALL_STAGES
    shown = place.container(key="one-stage" if one_stage else None)
    asked = place.container(key="asked", gap="small")
    with asked if one_stage else asked.container(key="unseen-choice"):  # where it keeps what the link says
        asking.choice(page)
    with shown:
        draw_stages(page, below)
    if one_stage:
        with asked:
            asking.answer(page)


@fragments.part(fragments.STAGES)
def draw_stages(page: Page, below: Callable[[Page, Attention], None] | None = None) -> None:
    """The stage in view, or all of them."""
    toggles(page)
    page = page.as_it_stands()
    attention, name = attention_of(page), page.stage
    message(page, attention)
    if name == ALL_STAGES:
        _all_stages(page, attention)
    elif name == INPUTS:
        inputs_view.show(page, *comparing.in_view(page))
    elif name == EXPLANATION:
        _explanation(page, *comparing.in_view(page))
    else:
        _one_stage(page, attention, name)
    if below:
        below(page, attention)
    state.note_settings(page)
    beginning.follow(page)


def _one_stage(page: Page, attention: Attention, name: StageName) -> None:
    """What is said, a heatmap and its caption: few elements, as each costs a toggle 3% of its time."""
    seen = sights.sight(page, attention, name)
    whole = f" &emsp; ${{{seen.whole}}}$" if seen.whole else ""
    line = seen.worked if page.presenting else seen.worked.removesuffix(BEFORE_ROUNDING)
    worked = f"\n\n{line}" if line else ""
    says = seen.says + (_why_sums_differ(seen.stage, page.decimals) if page.presenting else "")
    st.markdown(f"{says}\n\n$\\displaystyle {seen.formula}${whole}{worked}")
    _heatmap(page, seen, clickable=True)
    if not page.presenting:
        st.caption(_caption(seen, page))
    send_ahead(page, name)
    is_warm = page.what_if is not None and page.what_if.kind == "temperature"
    if is_warm and name == "weights" and not page.presenting and not comparing.in_view(page)[1]:
        _sharpness(page, attention)


def _explanation(page: Page, attention: Attention, whose: str) -> None:
    """The last step of the presenter view: the whole path of the selected number, and whose it is.

    Where something else was asked before, it is the answer to that.
    """
    query, key = sights.worked_pair(page, attention)
    question = asking.asked(page, attention) or "number"
    if question != "number":
        with st.container(key="experiment-view", gap="small"), st.container(key=f"large-{question}"):
            if whose:
                st.caption(f"Of {whose}:")
            ANSWERS[question](page, attention, query, key)
        return
    one, column = verbatim(attention.query_titles[query]), page.column_of_output
    shown: StageName
    if column is None or (whose and not comparing.kept_for(attention_of(page), "output")):
        shown, of = "weights", f" → {verbatim(attention.key_titles[key])}"
        lines = working.path(attention, query, key, page.decimals)
    else:
        shown, of = "output", f", {verbatim(column_names(attention.inputs, 'output')[column])}"
        lines = working.output_path(attention, query, column, page.decimals)
    if comparing.subtracted(page):
        taken = sights.sight(page, attention_of(page), shown).worked
        lines.append(f"**B − A, {shown}** {taken}. Choose A for where its number comes from.")
    where = f"Of {whose}: where" if whose else "Where"
    with st.container(key="explanation"):
        st.markdown("\n\n".join([f"**{where} the number of {one}{of} comes from**", *lines]))


def _sharpness(page: Page, attention: Attention) -> None:
    """How much the softmax decides: the largest weight of every query, and its entropy."""
    weights = attention.steps.weights
    number_table(
        np.column_stack([weights.max(axis=1), entropy(weights)]),
        attention.query_titles,
        ("largest weight", "entropy in bits"),
        page.decimals,
        "query",
    )


def _all_stages(page: Page, attention: Attention) -> None:
    with st.grid(min_column_width=400):
        for name in page.stages:
            with st.container(key=f"heatmap-{name}", gap="xxsmall"):
                seen = sights.sight(page, attention, name)
                st.markdown(f"**{name}**{f', {comparing.view()}' if seen.is_compared else ''}")
                _heatmap(page, seen)


def _heatmap(page: Page, seen: Sight, clickable: bool = False) -> None:
    """A stage as a heatmap, the selected query and key marked."""
    cells, large = sights.cells(page, seen), page.presenting
    shown, drawn = cells.stage, charts.heatmap(cells, clickable, large)
    chart = clicks.key_of_chart("cells", partial(_selected_by, page, shown.name)) if clickable else None
    st.vega_lite_chart(
        drawings.numbered("stage" if clickable else shown.name, drawn),
        key=chart,
        on_select="ignore" if chart is None else lambda: _picked(page, shown.name, chart),
        height="stretch" if large else "content",
        alt=_description(shown),
    )


def _picked(page: Page, name: StageName, chart: str) -> None:
    if selected := _selected_by(page, name, clicks.last_click(chart)):
        clicks.click(**selected)
        fragments.redraw_selection()


def _selected_by(page: Page, name: StageName, click: Mapping[str, Any]) -> dict[str, int]:
    """What a click on a number of a stage selects: nothing where it was beside the cells, or in another."""
    place = heatmap_data.picked_cell(click, name)
    if place is None:
        return {}
    row, column = place[::-1] if page.transposed else place
    if name in ATTENTION:
        return clicks.number_at(*page.pair_at(row, column))
    of_key = name in ("keys", "values")
    return clicks.number_at(*page.pair_at(*((None, row) if of_key else (row, None))), column)


def _description(shown: Stage) -> str:
    return (
        f"Heatmap, {shown.name}: {len(shown.rows)} rows, one per {shown.row_title}, "
        f"and {len(shown.columns)} columns, one per {shown.column_title}"
    )


def _caption(seen: Sight, page: Page) -> str:
    """What the colours mean, how the numbers are written, and what a click does, until one has been made."""
    shown, decimals = seen.stage, page.decimals
    strongest = rounded_text(shown.bound or 1.0, decimals)
    ends = (
        f"{NO_WEIGHT} is 0, {ALL_WEIGHT} is 1"
        if shown.are_shares
        else f"{POSITIVE} above 0, {NEGATIVE} below, strongest at ±{strongest}"
    )
    is_wider = not shown.are_shares and shown.bound > magnitude(shown.values[~shown.hidden])
    if is_wider and seen.is_compared and shown.name != "weights":
        ends += ", one scale for A, B and B − A"
    elif is_wider and shown.name in ("scaled", "masked"):
        ends += ", as in scores"
    sentences = (
        f"Colour: {ends}.",
        "Grey: masked." if shown.hidden.any() else "",
        OF_SUMS if shown.are_shares else "",
        "The sum above was made before rounding." if seen.worked.endswith(BEFORE_ROUNDING) else "",
        "Differences are of the numbers before rounding." if seen.is_difference else "",
        _how_written(shown, decimals),
        _where_numbers_are(shown),
        "Small and slanted: before the edit."
        if seen.before is not None and heatmap_data.shows_old(shown, seen.before, decimals)
        else "",
        "C x T: a column for each token." if page.transposed and shown.name not in ATTENTION else "",
        CLICK_HINT if _is_to_click(seen, page) else "",
        CLICKED if _is_one_outlined(page, seen) else "",
    )
    return " ".join(filter(None, sentences))


@cached
def _why_sums_differ(shown: Stage, decimals: int) -> str:
    """A word on sums of weights that are not those of the numbers as they are written."""
    if not shown.are_shares:
        return ""
    written = [[float(rounded_text(share, decimals)) for share in row] for row in shown.values.tolist()]
    differences = np.sum(written, axis=1) - shown.values.sum(axis=1)
    return f" {OF_SUMS}" if (abs(differences) >= 0.5 * 10.0**-decimals).any() else ""  # of NaN, neither


@cached
def _how_written(shown: Stage, decimals: int) -> str:
    return how_written(shown.values, decimals) if shown.is_small else ""  # larger ones may have no room


def _where_numbers_are(shown: Stage) -> str:
    """What to do about cells that are too small for their numbers, which depends on the screen."""
    if not heatmap_data.has_numbers(shown):
        return "Cells are too small for numbers: point at one."
    if len(shown.columns) > MOST_SURE_TO_FIT:
        return "Where cells are too small for numbers, point at one, or enlarge the heatmap at its top right."
    return ""


def _is_one_outlined(page: Page, seen: Sight) -> bool:
    """Whether one number is, of which can be asked where many screens do not reach."""
    return None not in seen.marked and "answers" not in page.lesson.hidden


def _is_to_click(seen: Sight, page: Page) -> bool:
    """Whether a click would work out a number, which someone who has clicked or edited has found by then."""
    is_new = page.selection == (None, None) and seen.before is None
    return is_new and seen.worked != "" and heatmap_data.has_numbers(seen.stage)
