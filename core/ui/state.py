"""What a page needs to be shown again: its preset, its edited numbers, its toggles, its stage.

The toggles are widgets bound to the link, so the link names them as PARAMETERS does. All pages share those
names, so each page's own settings are kept here and put back when one returns to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import experiments
from core.experiments import CONTROLS, EXPERIMENTS, OWN_NUMBERS
from core.lessons import HIDE, STAGES, Lesson, lesson_in
from core.matrices import MOST_TOKENS, Inputs
from core.presets import Preset, load_presets
from core.sharing import Content
from core.snapshots import Snapshot
from core.stages import ATTENTION, StageName, column_names, place_of, stage_names
from core.ui.worksheet import LAYOUTS, Worksheet
from core.what_if import KINDS, MEASURES, WhatIf, offered, orders

DATA = Path(__file__).parents[2] / "data"
OF_STAGES = (
    "preset", "scale", "causal", "layout", "decimals", "stage", "only", "query", "key", "column", "ask",
    "what_if", "temperature", "times", "compare", "experiment",
)  # fmt: skip
PARAMETERS = (*OF_STAGES, *CONTROLS)
EDITS, A = "edits", "a"  # parameters of a link that belong to no widget, like those of a lesson
DECIMALS = ("0 decimals", "1 decimal", "2 decimals", "3 decimals", "4 decimals")
DEFAULT_DECIMALS = DECIMALS[2]
ALL_STAGES: Literal["all"] = "all"
EXPLANATION: Literal["explanation"] = "explanation"  # the last step of the presenter view
AS_DEFINED = "as defined"
KEPT, NOW, DIFFERENCE = VIEWS = ("A", "B", "B − A")  # what to look at once A is kept
OPEN_DIALOG, CLOSE_EXPERIMENT = "open_dialog", "close_experiment"
CLICKED = "clicked"  # what clicks asked for, by the keys of the widgets, until they are set to it
FIRST_TIME, AGAIN = "first time", "again"  # how one arrives by a link
Option = TypeVar("Option")
Held = Mapping[Any, Any]  # what widgets hold, by their keys
EVERY_QUERY = NOTHING = -1
SELECTED = ("query", "key", "column")  # what a click on a number selects
QUESTIONS = {
    "number": "this number",
    "softmax": "softmax of its row",
    "values": "blend of values",
    "lines": "lines",
    "variance": "variance",
}
OPTIONS: dict[str, Collection[Any]] = {
    "layout": LAYOUTS,
    "decimals": DECIMALS,
    "stage": (*get_args(StageName), ALL_STAGES, EXPLANATION),
    "ask": QUESTIONS,
    "what_if": (AS_DEFINED, *KINDS),
    "compare": VIEWS,
    "experiment": tuple(name for names in EXPERIMENTS.values() for name in names),
    **{measure.name: measure.amounts for measure in MEASURES.values()},
}


@dataclass(frozen=True)
class Setting:
    """What a widget is set to, and how the link writes it, where that is known."""

    value: Any
    text: str | None = None


@dataclass(frozen=True, eq=False)
class Page:
    """A page as it is being drawn: its own name, its presets, and the worksheet of the chosen one.

    switches is the place of its toggles; lesson is what the link hides of it, and the stages that it leaves;
    held is what its widgets hold.
    """

    id: str
    presets: dict[str, Preset]
    worksheet: Worksheet
    switches: DeltaGenerator
    presenting: bool
    lesson: Lesson
    held: Held = field(default_factory=lambda: st.session_state)

    def as_it_stands(self) -> Page:
        """The page with what its widgets hold now, read once: for what is drawn when all of them are."""
        found = {name: st.session_state.get(name) for name in OF_STAGES}
        return replace(self, held={name: value for name, value in found.items() if value is not None})

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
    def layout(self) -> str:
        return layout(self.held)

    @property
    def transposed(self) -> bool:
        return self.layout != LAYOUTS[0]

    @property
    def decimals(self) -> int:
        return DECIMALS.index(_one_of(DECIMALS, self.held, "decimals", DEFAULT_DECIMALS))

    @property
    def stage(self) -> StageName | Literal["all", "explanation"]:
        name = self.held.get("stage")
        return next((stage for stage in self.steps if stage == name), self.steps[0])

    @property
    def steps(self) -> tuple[StageName | Literal["all", "explanation"], ...]:
        """What previous and next go through."""
        stages, wanted = self.stages, self.lesson.stages
        left = tuple(stage for stage in stages if stage in wanted)
        if left:
            return left
        return (*stages, EXPLANATION if self.presenting else ALL_STAGES)

    @property
    def experiment(self) -> str | None:
        """The experiment that is open in the place of the stages, None for none."""
        return _experiment_in(self.id, self.held.get("experiment"))

    @property
    def as_it_opens(self) -> bool:
        """Whether numbers, toggles and layout are those that the preset opens with."""
        start = self.preset.start
        toggles = (self.scale, self.causal, self.transposed, self.only_query, self.what_if)
        as_started = toggles == (start.scale, start.causal, False, None, None)
        return as_started and self.inputs.same_as(self.preset.inputs)

    @property
    def what_if_kinds(self) -> tuple[str, ...]:
        return offered(self.inputs, bool(self.preset.unordered))

    @property
    def what_if(self) -> WhatIf | None:
        """What is computed otherwise than attention as defined, None for nothing."""
        kind = self.held.get("what_if")
        if kind not in self.what_if_kinds:
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
        query = self.held.get("only", EVERY_QUERY)
        if not self.preset.unordered or self.held.get("what_if") == "softmax_over_queries":
            return None
        return query if query in range(len(self.query_names)) else None

    @property
    def query_names(self) -> tuple[str, ...]:
        return self.inputs.row_names(self._sides()[0])

    @property
    def key_names(self) -> tuple[str, ...]:
        return self.inputs.row_names(self._sides()[1])

    @property
    def selection(self) -> tuple[int | None, int | None]:
        """The selected query and key, by position; None where there is none."""
        query, key = self.held.get("query"), self.held.get("key")
        return (
            query if query in range(len(self.query_names)) else None,
            key if key in range(len(self.key_names)) else None,
        )

    def column(self, name: StageName) -> int | None:
        """The column of a number that was clicked in a stage whose columns are no keys, None for none."""
        column = self.held.get("column")
        if not isinstance(column, int) or name in ATTENTION or place_of(name, *self.selection)[0] is None:
            return None
        return column if column in range(len(column_names(self.inputs, name))) else None

    @property
    def selection_in_view(self) -> tuple[int | None, int | None]:
        """The selected query and key, by their row and column in the stages."""
        return self.in_view(*self.selection)

    def in_view(self, query: int | None, key: int | None) -> tuple[int | None, int | None]:
        """The row of a query and the column of a key in the stages, None for a query that is not in view."""
        queries, keys = self._orders()
        return (
            queries.index(query) if query in queries else None,
            keys.index(key) if key in keys else None,
        )

    def out_of_view(self, row: int | None, column: int | None) -> tuple[int | None, int | None]:
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
        starts = (self.preset.start.query, self.preset.start.key)
        places = []
        for matrix, origin, selected in zip(self._sides(), starts, self.selection, strict=True):
            origins = self.inputs.axes[self.inputs.matrices[matrix].rows].origins
            began = origins.index(origin) if origin in origins else 0
            places.append(began if selected is None else selected)
        return places[0], places[1]

    def _sides(self) -> tuple[str, str]:
        """The matrices whose rows are the queries and the keys."""
        return ("embeddings", "embeddings") if "embeddings" in self.inputs.matrices else ("queries", "keys")


def _toggled(held: Held, name: str, start: bool) -> bool:
    """What a toggle is set to; before it is drawn for the first time, what the link sets it to."""
    is_on = held.get(name)
    if is_on is not None:
        return bool(is_on)
    return {"true": True, "false": False}.get(st.query_params.get(name, "").lower(), start)


def start_toggles(preset: Preset) -> None:
    """Have the toggles be as a preset opens; to be called before they are drawn."""
    st.session_state["scale"] = preset.start.scale
    st.session_state["causal"] = preset.start.causal


def click(**wanted: Any) -> None:
    """Have widgets hold what a click asks for, from the next part that is drawn on; for callbacks."""
    st.session_state[CLICKED] = st.session_state.get(CLICKED, {}) | wanted


def click_on(query: int | None, key: int | None, column: int = NOTHING) -> None:
    """Select a number, or a query or a key alone, None for what stays as it is; for callbacks."""
    selected = {"query": query, "key": key, "column": column}
    click(**{name: position for name, position in selected.items() if position is not None})


def take_up_clicks() -> None:
    """Set the stage, the tokens or the toggles that a click asked for; to be called first by every part.

    They are set in the run that draws their widgets, as the link takes up only that; and by the part that is
    drawn first, as two clicks in one breath have their parts drawn in any order.
    """
    state = st.session_state
    wanted = state.pop(CLICKED, {})
    for name, value in wanted.items():
        state[name] = value
    if any(wanted.get(name, NOTHING) != NOTHING for name in SELECTED) and state.get("ask") is None:
        state["ask"] = "number"


def clear_selection() -> None:
    """Select nothing; to be called before the lists are drawn."""
    for name in (*SELECTED, "look_at"):
        st.session_state[name] = NOTHING
    forget_clicks()


def forget_clicks() -> None:
    """Have the heatmap drawn anew, so that the cell clicked last can be clicked again."""
    st.session_state["clicks"] = st.session_state.get("clicks", 0) + 1


def follow_selection(page: Page) -> None:
    """Keep the selection with its tokens when rows come and go; a token that is gone takes it along.

    A column is selected no more when columns come and go.
    """
    names = {"query": page.query_names, "key": page.key_names}
    columns = tuple(column_names(page.inputs, name) for name in page.stages if name not in ATTENTION)
    before, columns_before = st.session_state.get("selected_from", (names, columns))
    for name, now in names.items():
        position = st.session_state.get(name, NOTHING)
        if position != NOTHING and len(before[name]) != len(now):
            token = before[name][position] if position in range(len(before[name])) else None
            places = [place for place, other in enumerate(now) if other == token]
            st.session_state[name] = min(places, key=lambda p: abs(p - position), default=NOTHING)
    if columns != columns_before:
        st.session_state["column"] = NOTHING
    st.session_state["selected_from"] = names, columns


def follow_lesson(page: str) -> Lesson:
    """The lesson of a page: that of the link by which one came, which stays in the link."""
    lessons: dict[str, Lesson] = st.session_state.setdefault("lessons", {})
    if HIDE in st.query_params or STAGES in st.query_params:
        lessons[page] = lesson_in(st.query_params.get(HIDE, ""), st.query_params.get(STAGES, ""))
    return lessons.get(page, Lesson())


def presets_of(page: str) -> tuple[dict[str, Preset], list[str]]:
    """The presets of a page, and what is wrong with broken ones, of whichever page."""
    presets, problems = every_preset()
    return {id: preset for id, preset in presets.items() if preset.page == page}, problems


def every_preset() -> tuple[dict[str, Preset], list[str]]:
    """The presets as they lie in data/ now, and what is wrong with broken ones."""
    return _load(_fingerprint())


def enter(page: str, unbound: Mapping[str, str] | None = None) -> None:
    """Begin a page; coming from another one, put its settings back, in the widgets and in the link.

    unbound is what else its link says: the parameters that belong to no widget. Notes whether one arrives by
    a link, or by the browser's back button, so that the link is what counts. It is not where one goes back to
    a page that this session knows, or to the first link of a page to which one came by the sidebar: those
    links are Streamlit's, without parameters, or with those of the page that one left.
    """
    state = st.session_state
    previous, state["page"] = state.get("page"), page
    wanted, goes_back, settings = state.pop("wanted", {}), _goes_back(), state.get("settings", {})
    if state.pop(CLOSE_EXPERIMENT, False):
        state["experiment"] = experiments.NONE
    comes, is_known = previous not in (None, page), page in settings
    is_bare = goes_back and not comes and not st.query_params.to_dict() and "entered" in state
    if comes:
        state["view"] = None
        state.pop("selected_from", None)
        state.pop(OPEN_DIALOG, None)
        for name in PARAMETERS:
            state.pop(name, None)
        by_link = any(name in st.query_params for name in PARAMETERS) and not (goes_back and is_known)
        state["entered"] = {} if by_link else settings.get(page, {}), unbound or {}
    if comes or is_bare:
        wanted, texts = state["entered"]
        if goes_back and is_known:
            _forget_unbound()
        if comes:  # before its widgets are there, which then own their parameters
            texts = {name: setting.text for name, setting in wanted.items() if setting.text} | texts
        st.query_params.update({name: text for name, text in texts.items() if name not in st.query_params})
        state["put_back"] = wanted
    if previous is None:
        state["arrives"] = FIRST_TIME
    elif "saved" in state or (goes_back and (previous == page or not is_known)):
        state["arrives"] = AGAIN
    for name, setting in wanted.items():
        state[name] = setting.value


def _forget_unbound() -> None:
    for name in (EDITS, A, HIDE, STAGES):
        st.query_params.pop(name, None)


def _goes_back() -> bool:
    """Whether the browser's back or forward button brought one here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def note_settings(page: Page) -> None:
    """Keep a page's settings, for when one comes back to it; to be called when all its widgets are drawn."""
    state = st.session_state
    put_back = state.pop("put_back", {})
    if any(state.get(name) != setting.value for name, setting in put_back.items()):
        # The browser's back button undoes what was set before the widgets were there; set it once more.
        state["wanted"] = put_back
        st.rerun()
    state.setdefault("settings", {})[page.id] = _changed_settings(page)
    state.setdefault("presets", {})[page.id] = page.preset.id


def _changed_settings(page: Page) -> dict[str, Setting]:
    """What the widgets of a page hold now, where that is not what it opens with."""
    defaults = _defaults(next(iter(page.presets)), page.preset, page.steps[0])
    if page.experiment:
        defaults |= _first_settings(page.preset)
    held = {name: page.held.get(name, default) for name, default in defaults.items()}
    changed = {name: value for name, value in held.items() if value != defaults[name]}
    return {
        name: Setting(value, _in_link(page, name, value))
        for name, value in changed.items()
        if _is_possible(name, value)
    }


def widget_parameters(page: Page) -> dict[str, str]:
    """What a link says of the widgets of a page, as they are now; the address bar may be behind."""
    return {name: setting.text for name, setting in _changed_settings(page).items() if setting.text}


def settings_of(page: Page) -> dict[str, Any]:
    """What the widgets of a page hold, where that is not what it opens with."""
    settings: dict[str, Setting] = st.session_state.get("settings", {}).get(page.id, {})
    return {name: setting.value for name, setting in settings.items()}


def come_back(page: str, preset: Preset, settings: Mapping[str, Any], edits: Content) -> bool:
    """Have a page drawn with preset, settings and edits when it is drawn next; whether it is this page."""
    state = st.session_state
    checked = {name: Setting(value) for name, value in settings.items() if _is_possible(name, value)}
    state["saved"] = edits
    state.setdefault("settings", {})[page] = checked
    if state["page"] != page:
        return False
    opened = _defaults(preset.id, preset, stage_names(preset.inputs)[0]) | _first_settings(preset)
    state["wanted"] = {name: Setting(value) for name, value in opened.items()} | checked
    return True


def _defaults(first_preset: str, preset: Preset, first_stage: str) -> dict[str, Any]:
    """What the widgets of a page hold when it opens, but for those of experiments."""
    return {
        "preset": first_preset,
        "scale": preset.start.scale,
        "causal": preset.start.causal,
        "layout": LAYOUTS[0],
        "decimals": DEFAULT_DECIMALS,
        "stage": first_stage,
        "only": EVERY_QUERY,
        "query": NOTHING,
        "key": NOTHING,
        "column": NOTHING,
        "ask": None,
        "what_if": AS_DEFINED,
        "compare": NOW,
        **{measure.name: measure.first for measure in MEASURES.values()},
        "experiment": experiments.NONE,
    }


def _first_settings(preset: Preset) -> dict[str, Any]:
    """What the controls of experiments begin with."""
    return {name: first_setting(name, preset) for name in CONTROLS}


def _is_possible(name: str, value: Any) -> bool:
    """Whether a widget may hold this value; what it cannot find in its own page it leaves out itself."""
    if name in ("scale", "causal"):
        return isinstance(value, bool)
    if name in CONTROLS:
        return CONTROLS[name].allows(value)
    if name in ("only", "query", "key", "column"):
        return type(value) is int and -1 <= value < MOST_TOKENS
    options = every_preset()[0] if name == "preset" else OPTIONS.get(name, ())
    return isinstance(value, str | int | float) and bool(value in options)


def stage_before(page: str) -> str | None:
    """The stage that was in view when the page was last drawn, None for its first."""
    setting = st.session_state.get("settings", {}).get(page, {}).get("stage")
    return setting.value if setting else None


def preset_before(page: str) -> str | None:
    """The preset of a page when it was last drawn, None for its first time."""
    preset: str | None = st.session_state.get("presets", {}).get(page)
    return preset


def _in_link(page: Page, name: str, value: Any) -> str:
    if name == "preset":
        return preset_label(value)
    if name == "ask":
        return QUESTIONS.get(value, "")
    if name == "what_if":
        return what_if_label(value)
    if name == "only":
        return only_label(page.inputs, value)
    if name in ("query", "key"):
        return token_label(page.query_names if name == "query" else page.key_names, value)
    if name == "look_at":
        return token_label(page.key_names, value)
    if name == "column":
        return column_label(value)
    if name in ("across", "up"):
        names = dimension_names(page.inputs)
        return names[value] if value < len(names) else ""
    if name == "heads":
        return heads_label(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def preset_label(preset: str) -> str:
    """A preset as the page and the link call it."""
    return preset.replace("_", " ")


def what_if_label(kind: str) -> str:
    """A what-if as the page and the link call it."""
    return KINDS[kind].title if kind in KINDS else kind


def only_label(inputs: Inputs, query: int) -> str:
    """A choice of queries in view as the page and the link call it."""
    names = inputs.row_names("queries")
    return names[query] if query in range(len(names)) else "every query"


def heads_label(heads: int) -> str:
    """A number of heads as the page and the link call it."""
    return "1 head" if heads == 1 else f"{heads} heads"


def dimension_names(inputs: Inputs) -> tuple[str, ...]:
    """The names of the dimensions that queries and keys share."""
    return column_names(inputs, "queries")


def token_label(names: tuple[str, ...], position: int) -> str:
    """A selected token as the page and the link call it: its number, from 1, and its name."""
    return "none" if position == NOTHING else f"{position + 1} {names[position]}"


def column_label(position: int) -> str:
    """A selected column as the link calls it: its number, from 1."""
    return "none" if position == NOTHING else str(position + 1)


def is_presenting() -> bool:
    """Whether the link asks for the presenter view."""
    return st.query_params.get("present") == "true"


def present() -> None:
    """Go to the presenter view."""
    st.query_params["present"] = "true"
    if st.session_state.get("stage") == ALL_STAGES:
        st.session_state.pop("stage")


def leave(page: Page) -> None:
    """Go back from the presenter view to the page as it was; from its explanation, to the same here."""
    explained = page.stage == EXPLANATION
    st.query_params.pop("present", None)
    if explained:
        st.session_state["stage"] = page.stages[-1]
        st.session_state["column"] = NOTHING
        st.session_state["ask"] = "number"


def open_experiment(page: str) -> str | None:
    """The experiment of a page that is open, None for none."""
    return _experiment_in(page, st.session_state.get("experiment"))


def _experiment_in(page: str, held: str | None) -> str | None:
    """The same, where this is what its list holds; None before it is drawn, when the link says it."""
    name = st.query_params.get("experiment") if held is None else held
    return name if name in EXPERIMENTS.get(page, ()) else None


def first_setting(name: str, preset: Preset) -> Any:
    """What a control of an experiment begins with; one's own query as the one that a preset is about."""
    control = CONTROLS[name]
    if name not in OWN_NUMBERS or "queries" not in preset.inputs.matrices:
        return control.first
    query, place = preset.inputs.matrices["queries"].values[preset.start.query], OWN_NUMBERS.index(name)
    number = round(float(query[place]), 1) if place < len(query) else control.first
    return number if control.allows(number) else control.first


def layout(held: Held) -> str:
    """How matrices are written, one of LAYOUTS, where this is what the widgets hold."""
    return _one_of(LAYOUTS, held, "layout", LAYOUTS[0])


def _one_of(options: tuple[Option, ...], held: Held, name: str, default: Option) -> Option:
    value = held.get(name, default)
    return value if value in options else default


def _fingerprint() -> tuple[tuple[str, int, int], ...]:
    files = ((path, path.stat()) for path in sorted(DATA.glob("*/*")))
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in files)


@lru_cache(maxsize=2)
def _load(fingerprint: tuple[tuple[str, int, int], ...]) -> tuple[dict[str, Preset], list[str]]:
    return load_presets(DATA)
