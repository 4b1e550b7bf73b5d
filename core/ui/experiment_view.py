"""An experiment in the place of the stages: the one that is open, and how each begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from core import experiments
from core.stages import Attention
from core.ui import asking, beginning, fragments, state
from core.ui.attending import attention_of
from core.ui.experiments import (
    arrows,
    from_average,
    meaning_space,
    one_word,
    several_heads,
    soft_lookup,
    three_ways,
    why_scale,
)
from core.ui.message import message
from core.ui.page import Page
from core.ui.toggles import toggles


@dataclass(frozen=True)
class Experiment:
    """draw draws it; asks_for is the part of the selection that it is about."""

    draw: Callable[[Page, Attention], None]
    asks_for: tuple[asking.Side, ...] = ()


EXPERIMENTS = {
    experiments.THREE_WAYS: Experiment(three_ways.draw, ("query", "key")),
    experiments.MEANING: Experiment(meaning_space.draw, ("query",)),
    experiments.ARROWS: Experiment(arrows.draw, ("query", "key")),
    experiments.WHY_SCALE: Experiment(why_scale.draw),
    experiments.FROM_AVERAGE: Experiment(from_average.draw),
    experiments.ONE_WORD: Experiment(one_word.draw, ("query",)),
    experiments.SOFT_LOOKUP: Experiment(soft_lookup.draw, ("query",)),
    experiments.HEADS: Experiment(several_heads.draw),
}


def show(page: Page) -> None:
    """The experiment that is open."""
    with st.container(key="experiment-view", gap="small"):
        if remarks := _remarks(page):
            st.caption(remarks)
        _redraw(page)


def choice(page: Page) -> None:
    """What of the selection the open experiment is about."""
    asking.choice(page, EXPERIMENTS[page.experiment or ""].asks_for)


@fragments.part(fragments.EXPERIMENT)
def _redraw(page: Page) -> None:
    toggles(page)
    shown = page.without_what_if()
    message(shown, attention_of(shown))
    attention = replace(page.snapshot, what_if=None, only_query=None).attention()
    EXPERIMENTS[page.experiment or ""].draw(shown, attention)
    state.note_settings(page)
    beginning.follow(page)


def _remarks(page: Page) -> str:
    what_if = "The what-if waits, and changes nothing here. " if page.what_if else ""
    tells_itself = page.experiment == experiments.THREE_WAYS
    return what_if + ("Here, a row stands for each token." if page.transposed and not tells_itself else "")
