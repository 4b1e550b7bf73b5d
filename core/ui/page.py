"""A page as it is being drawn: what its widgets hold, checked, in the terms of attention.

What they hold need not be possible: it may come from a link, from a hostile client, or from before an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import experiments
from core.experiments import EXPERIMENTS
from core.lessons import TOGGLES, Lesson
from core.matrices import Axis, Inputs
from core.presets import Preset
from core.snapshots import Snapshot
from core.stages import ATTENTION, StageName, column_names, place_of, stage_names, token_axis
from core.ui.labels import only_label, token_label, what_if_label
from core.ui.worksheet import LAYOUTS, Worksheet
from core.what_if import MEASURES, WhatIf, offered, orders

DECIMALS = ("0 decimals", "1 decimal", "2 decimals", "3 decimals", "4 decimals")
DEFAULT_DECIMALS = DECIMALS[2]
ALL_STAGES: Literal["all"] = "all"
INPUTS: Literal["inputs"] = "inputs"  # the first step of the presenter view
EXPLANATION: Literal["explanation"] = "explanation"  # the last
STEPS_BESIDE_STAGES = (ALL_STAGES, INPUTS, EXPLANATION)
Step = StageName | Literal["all", "inputs", "explanation"]
ALL_BEFORE = "all_before"  # whether all stages were in view before the presenter view
AS_DEFINED = "as defined"
KEPT, NOW, DIFFERENCE = VIEWS = ("A", "B", "B − A")  # what to look at once A is kept
EVERY_QUERY = NOTHING = -1
OF_EVERY_PRESET: dict[str, Any] = {  # what these widgets hold when a page opens, whatever it opens with
    "layout": LAYOUTS[0],
    "decimals": DEFAULT_DECIMALS,
    "only": EVERY_QUERY,
    "query": NOTHING,
    "key": NOTHING,
    "column": NOTHING,
    "ask": None,
    "table": False,
    "code": False,
    "what_if": AS_DEFINED,
    "compare": NOW,
    **{measure.name: measure.first for measure in MEASURES.values()},
    "experiment": experiments.NONE,
}
WIDGETS = ("preset", "scale", "causal", "stage", *OF_EVERY_PRESET)  # all but those of the experiments
Option = TypeVar("Option")
Held = Mapping[Any, Any]  # what widgets hold, by their keys


@dataclass(frozen=True, eq=False)
class Page:
    """A page as it is being drawn: its own name, its presets, and the worksheet of the chosen one.

    switches is the place of its toggles, line that of what is said below its title; lesson is what the link
    hides of it, and the stages that it leaves; held is what its widgets hold.
    """

    id: str
    presets: dict[str, Preset]
    worksheet: Worksheet
    switches: DeltaGenerator
    line: DeltaGenerator
    presenting: bool
    lesson: Lesson
    held: Held = field(default_factory=lambda: st.session_state)

    def as_it_stands(self) -> Page:
        """The page with what its widgets hold now, read once: for what is drawn when all of them are."""
        found = {name: st.session_state.get(name) for name in WIDGETS}
        return replace(self, held={name: value for name, value in found.items() if value is not None})

    def with_turned(self, toggle: str) -> Page:
        """The page as it would be with one of its toggles turned."""
        is_on = {"scale": self.scale, "causal": self.causal}[toggle]
        return replace(self, held={**self.held, toggle: not is_on})

    def without_what_if(self) -> Page:
        """The page as defined, which is what an experiment shows."""
        page = self.as_it_stands()
        return replace(page, held={**page.held, "what_if": AS_DEFINED})

    @property
    def preset(self) -> Preset:
        return self.worksheet.preset

    @property
    def inputs(self) -> Inputs:
        return self.worksheet.inputs

    @property
    def stages(self) -> tuple[StageName, ...]:
        return stage_names(self.inputs)

    @property
    def scale(self) -> bool:
        return _toggled(self.held, "scale", self.preset.start.scale)

    @property
    def causal(self) -> bool:
        return not self.preset.unordered and _toggled(self.held, "causal", self.preset.start.causal)

    @property
    def switchable(self) -> list[str]:
        """The toggles that the presenter view offers: none without a meaning, nor what a lesson hides."""
        if self.experiment in experiments.WITHOUT_TOGGLES:
            return []
        meaningless = ("causal",) if self.preset.unordered else ()
        return [
            name
            for name, title in TOGGLES.items()
            if title not in self.lesson.hidden and name not in meaningless
        ]

    @property
    def layout(self) -> str:
        return layout_of(self.held)

    @property
    def transposed(self) -> bool:
        return self.layout != LAYOUTS[0]

    @property
    def decimals(self) -> int:
        """How many are shown, which is the place among DECIMALS."""
        return DECIMALS.index(_one_of(DECIMALS, self.held, "decimals", DEFAULT_DECIMALS))

    @property
    def stage(self) -> Step:
        name = self.held.get("stage")
        return next((stage for stage in self.steps if stage == name), self.first_step)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What previous and next go through."""
        if self._left:
            return self._left
        if not self.presenting:
            return (*self.stages, ALL_STAGES)
        inputs = () if "matrices" in self.lesson.hidden else (INPUTS,)
        explained = () if "answers" in self.lesson.hidden else (EXPLANATION,)
        return (*inputs, *self.stages, *explained)

    @property
    def first_step(self) -> StageName:
        """The one that is shown where the link names none."""
        return (self._left or self.stages)[0]

    @property
    def _left(self) -> tuple[StageName, ...]:
        """The stages that a lesson leaves, none where there is no lesson or it leaves all."""
        wanted = self.lesson.stages
        return tuple(name for name in self.stages if name in wanted)

    @property
    def last_stage(self) -> StageName:
        """The last stage that a lesson leaves, which answers do not go beyond."""
        return (self._left or self.stages)[-1]

    def reaches(self, name: StageName) -> bool:
        """Whether a stage is there and comes no later than the last that a lesson leaves."""
        return name in self.stages[: self.stages.index(self.last_stage) + 1]

    @property
    def experiment(self) -> str | None:
        """The experiment that is open in the place of the stages, None for none."""
        return _experiment_in(self.id, self.held.get("experiment"))

    def as_it_opens(self, name: StageName) -> bool:
        """Whether a stage, its layout and all that it is made from are as the preset opens with them."""
        start, steps = self.preset.start, self.stages[: self.stages.index(name) + 1]
        is_scaled_so = "scaled" not in steps or self.scale == start.scale
        is_masked_so = "masked" not in steps or self.causal == start.causal
        is_all_of_it = not self.transposed and self.only_query is None and self.what_if is None
        return is_scaled_so and is_masked_so and is_all_of_it and self.inputs.same_as(self.preset.inputs)

    @property
    def what_if_kinds(self) -> tuple[str, ...]:
        return offered(self.inputs, bool(self.preset.unordered))

    @property
    def _what_if_kind(self) -> str | None:
        """What the list of what-ifs holds; before it is first drawn, what the link names."""
        kind = self.held.get("what_if")
        if kind is None:
            text = st.query_params.get("what_if")
            kind = next((kind for kind in self.what_if_kinds if what_if_label(kind) == text), None)
        return kind if kind in self.what_if_kinds else None

    @property
    def what_if(self) -> WhatIf | None:
        """What is computed otherwise than attention as defined, None for nothing."""
        kind = self._what_if_kind
        if kind is None:
            return None
        measure = MEASURES.get(kind)
        amount = _one_of(measure.amounts, self.held, measure.name, measure.first) if measure else 1.0
        return WhatIf(kind, amount, *self.pair())

    @property
    def snapshot(self) -> Snapshot:
        """All that the numbers of the page depend on."""
        sheet = self.worksheet
        return Snapshot(
            sheet.preset, sheet.recipe, sheet.inputs, self.scale, self.causal, self.only_query, self.what_if
        )

    @property
    def only_query(self) -> int | None:
        """The one query in view, None for all of them, which a softmax over the queries needs."""
        if not self.preset.offers_one_query or self._what_if_kind == "softmax_over_queries":
            return None
        return _chosen(
            self.held, "only", self.query_names, lambda names, position: only_label(self.inputs, position)
        )

    @property
    def query_axis(self) -> Axis:
        return token_axis(self.inputs, "queries")

    @property
    def key_axis(self) -> Axis:
        return token_axis(self.inputs, "keys")

    @property
    def query_names(self) -> tuple[str, ...]:
        return self.query_axis.names

    @property
    def key_names(self) -> tuple[str, ...]:
        return self.key_axis.names

    @property
    def selection(self) -> tuple[int | None, int | None]:
        """The selected query and key, by position; None where there is none."""
        return _chosen(self.held, "query", self.query_names), _chosen(self.held, "key", self.key_names)

    def column(self, name: StageName) -> int | None:
        """The column of a number that was clicked in a stage whose columns are no keys, None for none."""
        column = self.held.get("column")
        if not isinstance(column, int) or name in ATTENTION or place_of(name, *self.selection)[0] is None:
            return None
        return column if column in range(len(column_names(self.inputs, name))) else None

    @property
    def column_of_output(self) -> int | None:
        """The column of the number of the output that is outlined, None for none."""
        return self.column("output") if "output" in self.stages else None

    @property
    def selection_in_view(self) -> tuple[int | None, int | None]:
        """The selected query and key, by their row and column in the stages."""
        return self.place_of_pair(*self.selection)

    def place_of_pair(self, query: int | None, key: int | None) -> tuple[int | None, int | None]:
        """The row of a query and the column of a key in the stages, None for a query that is not in view."""
        queries, keys = self._orders()
        return (
            queries.index(query) if query in queries else None,
            keys.index(key) if key in keys else None,
        )

    def pair_at(self, row: int | None, column: int | None) -> tuple[int | None, int | None]:
        """The query and the key that a row and a column of the stages stand for."""
        queries, keys = self._orders()
        return (
            None if row is None or row >= len(queries) else queries[row],
            None if column is None or column >= len(keys) else keys[column],
        )

    def _orders(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        queries, keys = orders(self.inputs, self.what_if)
        return (queries if self.only_query is None else (self.only_query,)), keys

    def pair(self) -> tuple[int, int]:
        """The query and the key to work out: the selected ones, or those that the preset talks about."""
        starts, axes = (self.preset.start.query, self.preset.start.key), (self.query_axis, self.key_axis)
        places = []
        for axis, origin, selected in zip(axes, starts, self.selection, strict=True):
            began = axis.origins.index(origin) if origin in axis.origins else 0
            places.append(began if selected is None else selected)
        return places[0], places[1]

    @property
    def query_of_experiment(self) -> int:
        """The query that an experiment is about: the selected one, or that in view alone, or the preset's."""
        if self.selection[0] is None and self.only_query is not None:
            return self.only_query
        return self.pair()[0]


def _toggled(held: Held, name: str, start: bool) -> bool:
    """What a toggle is set to; before it is drawn for the first time, what the link sets it to."""
    is_on = held.get(name)
    if is_on is not None:
        return bool(is_on)
    return {"true": True, "false": False}.get(st.query_params.get(name, "").lower(), start)


def _chosen(
    held: Held,
    name: str,
    tokens: tuple[str, ...],
    label: Callable[[tuple[str, ...], int], str] = token_label,
) -> int | None:
    """The position that a list holds, None for none; before it is first drawn, that which the link names."""
    position = held.get(name)
    if position is None and name in st.query_params:
        text = st.query_params[name]
        position = next((place for place in range(len(tokens)) if label(tokens, place) == text), NOTHING)
    return position if position in range(len(tokens)) else None


def layout_of(held: Held) -> str:
    """How matrices are written, one of LAYOUTS, where this is what the widgets hold."""
    return _one_of(LAYOUTS, held, "layout", LAYOUTS[0])


def _one_of(options: tuple[Option, ...], held: Held, name: str, default: Option) -> Option:
    value = held.get(name, default)
    return value if value in options else default


def open_experiment(page: str) -> str | None:
    """The experiment of a page that is open, None for none."""
    return _experiment_in(page, st.session_state.get("experiment"))


def _experiment_in(page: str, held: str | None) -> str | None:
    """The experiment of a page that its list holds; None before that is drawn, when the link says it."""
    name = st.query_params.get("experiment") if held is None else held
    return name if name in EXPERIMENTS.get(page, ()) else None


def is_presenting() -> bool:
    """Whether the link asks for the presenter view."""
    return st.query_params.get("present") == "true"


def present() -> None:
    """Go to the presenter view."""
    st.query_params["present"] = "true"
    st.session_state[ALL_BEFORE] = st.session_state.get("stage") == ALL_STAGES
    if st.session_state[ALL_BEFORE]:
        st.session_state.pop("stage")


def leave(page: Page) -> None:
    """Go back from the presenter view to the page as it was; from its explanation, to the same here."""
    explained, showed_all = page.stage == EXPLANATION, st.session_state.pop(ALL_BEFORE, False)
    st.query_params.pop("present", None)
    if showed_all and page.stage == page.first_step:
        st.session_state["stage"] = ALL_STAGES
    if explained:
        st.session_state["stage"] = page.stages[-1]
        if page.column_of_output is None:
            st.session_state["query"], st.session_state["key"] = page.pair()
            st.session_state["column"] = NOTHING
        if st.session_state.get("ask") is None:
            st.session_state["ask"] = "number"
