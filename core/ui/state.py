"""What a page needs to be shown again: its preset, its edited numbers, its toggles, its stage.

The toggles are widgets bound to the link, so the link names them as PARAMETERS does. All pages share those
names, so each page's own settings are kept here and put back when one returns to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import parse_qsl

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import experiments
from core.experiments import CONTROLS, EXPERIMENTS, OWN_NUMBERS
from core.lessons import HIDE, HIDEABLE, STAGES, TOGGLES, Lesson, lesson_in, not_in_lesson
from core.markdown import enumerated, shortened, verbatim
from core.matrices import MOST_TOKENS, Inputs, token_matrices
from core.presets import Preset, Start, every_preset
from core.sharing import Content
from core.snapshots import Snapshot
from core.stages import StageName, stage_names
from core.ui import labels
from core.ui.page import AS_DEFINED, DECIMALS, OF_EVERY_PRESET, STEPS_BESIDE_STAGES, VIEWS, WIDGETS, Page
from core.ui.worksheet import LAYOUTS
from core.what_if import KINDS, MEASURES

PARAMETERS = (*WIDGETS, *CONTROLS)

# Keys of the session: of this room, and of what several rooms read.
SETTINGS, PRESETS_BEFORE = "settings", "presets"  # of each page, as it was drawn last
WANTED, PUT_BACK = "wanted", "put_back"  # settings for the next run, and those to hold after this one
PAGE = "page"  # the page in view
VIEW = "view"  # what its editors were drawn for last: page, preset and layout
CAPTIONS = "captions"  # the parts of it with the words above editors
SWITCHES = "switches"  # the toggles of the presenter view that are on
ARRIVES = "arrives"  # how one arrives by a link
SAVED = "saved"  # the edits of a zip that is opened
LESSONS = "lessons"  # by page
BEGINS, BEGINNINGS = "begins", "beginnings"  # of lessons: the parameter of a link, and what it says, by page
SELECTED_FROM, ONLY_FROM = "selected_from", "only_from"  # the tokens among which something was selected
PASTED = "pasted"  # a block that was cut, as the browser tells of it
PASTED_TEXT = "load-text"  # a table, in the dialog for it
DECIMAL_COMMA = "decimal_comma"  # whether files are saved with it: as the last time, or as one was read
A_SEEN = "a_seen"  # the A of a link that was taken up
EDITS, A = "edits", "a"  # parameters of a link that belong to no widget, like those of a lesson
OPEN_DIALOG, CLOSE_EXPERIMENT, REOPENED = "open_dialog", "close_experiment", "reopened"
ASKED_FOR = "asked_for"  # what the link says by which one came, until the page is drawn
CAME_WITH = "came_with"  # a what-if, by page: its preset, the toggle that it turned on, both stages
LEFT = "left"  # the experiment that one has left: of which preset, and as it was
LINK_IS_BEHIND = "link_is_behind"  # of what one of these holds; toggles.py sees to the toggles
LISTS = (
    "preset", "layout", "decimals", "only", "stage",
    "query", "key", "ask", "what_if", "compare", "experiment",
)  # fmt: skip
DRAWN_LATER = ("table", "code")  # panels, which are open or not
MOST_NAMED, LONGEST_NAMED = 3, 40  # parameters of a link that are quoted, and characters of each
FIRST_TIME, AGAIN = "first time", "again"  # how one arrives by a link
OPTIONS: dict[str, Collection[Any]] = {
    "layout": LAYOUTS,
    "decimals": DECIMALS,
    "stage": (*get_args(StageName), *STEPS_BESIDE_STAGES),
    "ask": labels.QUESTIONS,
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


def follow_lesson(page: str) -> Lesson:
    """The lesson of a page: that of the link by which one came, which stays in the link."""
    lessons: dict[str, Lesson] = st.session_state.setdefault(LESSONS, {})
    if HIDE in st.query_params or STAGES in st.query_params:
        lessons[page] = lesson_in(st.query_params.get(HIDE, ""), st.query_params.get(STAGES, ""))
    return lessons.get(page, Lesson())


def enter(page: str, unbound: Mapping[str, str] | None = None) -> None:
    """Begin a page; coming from another one, put its settings back, in the widgets and in the link.

    unbound is what else its link says: the parameters that belong to no widget. Notes whether one arrives by
    a link, or by the browser's back button, so that the link is what counts.
    """
    session = st.session_state
    previous, session[PAGE] = session.get(PAGE), page
    wanted, goes_back = session.pop(WANTED, {}), _goes_back()
    if session.pop(CLOSE_EXPERIMENT, False):
        session["experiment"] = experiments.NONE
    if previous != page and not goes_back:
        session[ASKED_FOR] = st.query_params.to_dict()
    comes = previous not in (None, page)
    if comes or goes_back:  # the link is what counts, for what is read before its widget is drawn, too
        for name in (*PARAMETERS, OPEN_DIALOG):
            session.pop(name, None)
    if goes_back:
        session.pop(A_SEEN, None)  # so that the A of the link is taken up, though it was forgotten since
    if comes:
        session[VIEW] = None
        wanted = _settings_to_put_back(page, goes_back)
        # Now, before its widgets are there, which then own their parameters.
        texts = {name: setting.text for name, setting in wanted.items() if setting.text}
        texts |= {} if goes_back else dict(unbound or {})
        st.query_params.update({name: text for name, text in texts.items() if name not in st.query_params})
        session[PUT_BACK] = wanted
    else:
        _say_in_link(wanted)
    if comes or wanted:
        session.pop(SELECTED_FROM, None)
        session.pop(ONLY_FROM, None)
    if previous is None:
        session[ARRIVES] = FIRST_TIME
    elif SAVED in session or goes_back:
        session[ARRIVES] = AGAIN
    if session.get(LINK_IS_BEHIND) and not (comes or goes_back):
        for name in LISTS:
            if name in session:
                session[name] = session[name]  # has the link say so
    for name, setting in wanted.items():
        session[name] = setting.value


def _say_in_link(wanted: Mapping[str, Setting]) -> None:
    """Have the link say what is set now; of a widget that was there before, Streamlit does so itself."""
    for name, setting in wanted.items():
        if setting.text:
            with suppress(StreamlitAPIException):
                st.query_params[name] = setting.text


def _settings_to_put_back(page: str, goes_back: bool) -> dict[str, Setting]:
    """The settings with which one left a page, where no link says others.

    Of a link to which one goes back, Streamlit leaves out what is a widget of the page that one leaves, too.
    """
    settings: dict[str, Setting] = st.session_state.get(SETTINGS, {}).get(page, {})
    if goes_back:
        context = get_script_run_ctx()
        link = dict(parse_qsl(context.query_string)) if context else {}
        return {name: setting for name, setting in settings.items() if setting.text == link.get(name)}
    return {} if any(name in st.query_params for name in PARAMETERS) else settings


def _goes_back() -> bool:
    """Whether the browser's back or forward button brought one here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def note_settings(page: Page) -> None:
    """Keep a page's settings, for when one comes back to it; to be called when all its widgets are drawn."""
    session = st.session_state
    put_back = session.pop(PUT_BACK, {})
    if any(session.get(name) != setting.value for name, setting in put_back.items()):
        # The browser's back button undoes what was set before the widgets were there; set it once more.
        session[WANTED] = put_back
        st.rerun()
    settings = _changed_settings(page)
    session.setdefault(SETTINGS, {})[page.id] = settings
    session.setdefault(PRESETS_BEFORE, {})[page.id] = page.preset.id
    _have_link_follow(settings)
    if asked := session.pop(ASKED_FOR, None):
        _tell_of_what_is_not_there(page, asked)


def _have_link_follow(settings: Mapping[str, Setting]) -> None:
    """Draw the page once more where the link does not say what a list holds.

    A browser takes a list that is drawn in another place than before, as by Present, away from its old place
    only when the new one is there, and with it what binds the new one to the link.
    """
    session = st.session_state
    said, link = {name: setting.text for name, setting in settings.items()}, st.query_params.to_dict()
    is_behind = any(link.get(name) != said.get(name) for name in LISTS if name in session)
    was_behind, session[LINK_IS_BEHIND] = session.get(LINK_IS_BEHIND, False), is_behind
    if is_behind and not was_behind:
        st.rerun()


def _means(text: str, told: str) -> bool:
    """Whether a text of a link is another one in other words: in capitals, or 0.50 for 0.5."""
    try:
        return float(text) == float(told)
    except ValueError:
        return text.lower() == told.lower()


def _tell_of_what_is_not_there(page: Page, asked: Mapping[str, str]) -> None:
    """Say what the page has not of that which the link asked for by which one came."""
    what_if = page.what_if.kind if page.what_if else ""
    idle = [measure.name for kind, measure in MEASURES.items() if kind != what_if]
    opened_with = _what_it_opens_with(page)
    not_there = {
        name: text
        for name, text in asked.items()
        if text
        and name in opened_with.keys() - {*idle, *DRAWN_LATER}
        and page.held.get(name, opened_with[name]) == opened_with[name]
        and not _means(text, _in_link(page.inputs, name, opened_with[name]))
    }
    if unknown := not_in_lesson(asked.get(HIDE, ""), HIDEABLE):
        not_there[HIDE] = unknown
    if unknown := not_in_lesson(asked.get(STAGES, ""), page.stages):
        not_there[STAGES] = unknown
    if not_there:
        named = [verbatim(shortened(f"{name}={text}", LONGEST_NAMED)) for name, text in not_there.items()]
        more = [f"{len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
        asked_for = enumerated(named[:MOST_NAMED] + more)
        tell_of_link(f"The link asks for {asked_for}, which this page does not have.")


def tell_of_link(sentence: str) -> None:
    """Say beside the page what of its link cannot be used, until it is read."""
    st.toast(sentence, icon=":material/link_off:", duration="infinite")


def _what_it_opens_with(page: Page) -> dict[str, Any]:
    opened_with = _defaults(next(iter(page.presets)), page.preset, page.first_step)
    return opened_with | (_first_settings(page.preset) if page.experiment else {})


def _changed_settings(page: Page) -> dict[str, Setting]:
    """What the widgets of a page hold now, where that is not what it opens with."""
    defaults = _what_it_opens_with(page)
    held = {name: page.held.get(name, default) for name, default in defaults.items()}
    changed = {name: value for name, value in held.items() if value != defaults[name]}
    return {
        name: Setting(value, _in_link(page.inputs, name, value))
        for name, value in changed.items()
        if _is_possible(name, value, page.presets)
    }


def _in_link(inputs: Inputs, name: str, value: Any) -> str:
    """What the link calls that which the widget of this name holds, which is possible."""
    if name == "preset":
        return labels.preset_label(value)
    if name == "ask":
        return labels.QUESTIONS.get(value, "")
    if name == "what_if":
        return labels.what_if_label(value)
    if name == "only":
        return labels.only_label(inputs, value)
    if name in ("query", "key", "look_at"):
        side = token_matrices(inputs.matrices)[0 if name == "query" else 1]
        return labels.token_label(inputs.row_names(side), value)
    if name == "column":
        return labels.column_label(value)
    if name in ("across", "up"):
        names = labels.dimension_names(inputs)
        return names[value] if value < len(names) else ""
    if name == "heads":
        return labels.heads_label(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def widget_parameters(page: Page) -> dict[str, str]:
    """What a link says of the widgets of a page, as they are now; the address bar may be behind."""
    return {name: setting.text for name, setting in _changed_settings(page).items() if setting.text}


def settings_of(page: Page) -> dict[str, Any]:
    """What the widgets of a page hold, where that is not what it opens with."""
    settings: dict[str, Setting] = st.session_state.get(SETTINGS, {}).get(page.id, {})
    return {name: setting.value for name, setting in settings.items()}


def come_back(page: str, preset: Preset, inputs: Inputs, settings: Mapping[str, Any], edits: Content) -> None:
    """Have a page drawn next, with preset, settings and edits; inputs are those that the edits give."""
    session, presets = st.session_state, every_preset()[0]
    checked = {
        name: Setting(value, _in_link(inputs, name, value))
        for name, value in settings.items()
        if _is_possible(name, value, presets)
    }
    session[SAVED] = edits
    session.setdefault(SETTINGS, {})[page] = checked
    if session[PAGE] != page:
        session[REOPENED] = page
        return
    opened = _defaults(preset.id, preset, stage_names(preset.inputs)[0]) | _first_settings(preset)
    session[WANTED] = {name: Setting(value) for name, value in opened.items()} | checked


def _defaults(first_preset: str, preset: Preset, first_stage: str) -> dict[str, Any]:
    """What the widgets of a page hold when it opens, but for those of experiments."""
    of_preset = {
        "preset": first_preset,
        "scale": preset.start.scale,
        "causal": preset.start.causal,
        "stage": first_stage,
    }
    return of_preset | OF_EVERY_PRESET


def _first_settings(preset: Preset) -> dict[str, Any]:
    """What the controls of experiments begin with."""
    return {name: first_setting(name, preset) for name in CONTROLS}


def _is_possible(name: str, value: Any, presets: Collection[str]) -> bool:
    """Whether a widget may hold this value; what it cannot find in its own page it leaves out itself."""
    if name in ("scale", "causal", "table", "code"):
        return isinstance(value, bool)
    if name in CONTROLS:
        return CONTROLS[name].allows(value)
    if name in ("only", "query", "key", "column"):
        return type(value) is int and -1 <= value < MOST_TOKENS
    options = presets if name == "preset" else OPTIONS.get(name, ())
    return isinstance(value, str | int | float) and not isinstance(value, bool) and bool(value in options)


def stage_before(page: str) -> str | None:
    """The stage that was in view when the page was last drawn, None for its first."""
    setting = st.session_state.get(SETTINGS, {}).get(page, {}).get("stage")
    return setting.value if setting else None


def preset_before(page: str) -> str | None:
    """The preset of a page when it was last drawn, None for its first time."""
    preset: str | None = st.session_state.get(PRESETS_BEFORE, {}).get(page)
    return preset


def first_setting(name: str, preset: Preset) -> Any:
    """What a control of an experiment begins with; one's own query as the one that a preset is about."""
    control = CONTROLS[name]
    if name not in OWN_NUMBERS or "queries" not in preset.inputs.matrices:
        return control.first
    query, place = preset.inputs.matrices["queries"].values[preset.start.query], OWN_NUMBERS.index(name)
    number = round(float(query[place]), 1) if place < len(query) else control.first
    return number if control.allows(number) else control.first


def leave_experiment(page: Page) -> None:
    """Have the stages drawn next, and note how the experiment was, for who comes back to it."""
    session = st.session_state
    changed = _changed_settings(page)
    names = [name for name in ("experiment", *CONTROLS) if name in session]
    as_it_is = {name: changed.get(name, Setting(session[name])) for name in names}
    session[LEFT] = (page.preset, as_it_is)
    session[CLOSE_EXPERIMENT] = True


def was_left(page: Page) -> bool:
    """Whether an experiment of the preset in view has been left and can be gone back to."""
    return LEFT in st.session_state and st.session_state[LEFT][0] is page.preset


def reopen_experiment() -> None:
    """Have the experiment that was left drawn next, as it was."""
    st.session_state[WANTED] = st.session_state.pop(LEFT)[1]


def start_toggles(start: Start | Snapshot, hidden: Collection[str] = ()) -> None:
    """Have the toggles be as something begins, but those hidden; to be called before they are drawn."""
    for name, is_on in (("scale", start.scale), ("causal", start.causal)):
        if TOGGLES[name] not in hidden:
            st.session_state[name] = is_on
