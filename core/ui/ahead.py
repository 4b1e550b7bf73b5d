"""What a toggle would make of the heatmap in view, sent ahead, so that a browser shows it with the click.

The server answers all the same, and what it draws then takes the place of this (ahead.js). While others wait
for it, an answer comes without: the next toggle then shows what it makes when it is answered. A page as it
opens is always the same, for a class to be given it at once (deploy/openings.py).
"""

from __future__ import annotations

import streamlit as st

from core.heatmap_data import look_of_cells
from core.stages import StageName
from core.ui import crowd, fragments, sights
from core.ui.attending import attention_of
from core.ui.page import Page

TAKE = "export default ({ data, parentElement }) => { parentElement.ahead = data; };"


def send_ahead(page: Page, name: StageName) -> None:
    """Send what the cells of a stage become with each toggle turned, where they are few and nobody waits."""
    if not page.inputs.is_small or (crowd.waiting and fragments.is_part_drawn_alone()):
        return
    component = st.components.v2.component("ahead", js=TAKE, isolate_styles=False)
    turned = [_turned(page, toggle, name) for toggle in page.switchable]
    component(data=dict(zip(page.switchable, turned, strict=True)), key="ahead")


def _turned(page: Page, toggle: str, name: StageName) -> str:
    """The cells of a stage with a toggle turned, as JSON."""
    page = page.with_turned(toggle)
    turned = sights.sight(page, attention_of(page), name)
    return look_of_cells(sights.cells(page, turned))
