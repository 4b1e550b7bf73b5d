"""The overview's pipeline, drawn with the real stages of an example, and its cards."""

from __future__ import annotations

import streamlit as st

from core import charts
from core.heatmap_data import Cells
from core.presets import every_preset
from core.stages import StageName, attend, stage
from core.ui import header

EXAMPLE = "i_love_coding"
STEPS: dict[StageName, str] = {
    "scores": "$Q K^\\top$: every query meets every key",
    "scaled": "over $\\sqrt{d_k}$, with $d_k$ the width of a query",
    "masked": "$+\\,M$: −∞ where a query may not look",
    "weights": "softmax: shares that sum to 1, before rounding",
    "output": "times $V$: the values, blended",
}


def pipeline() -> None:
    """The five stages as heatmaps, from scores to output, of three words with the causal mask on."""
    preset = every_preset()[0].get(EXAMPLE)
    if preset is None:
        return
    attention = attend(preset.inputs, scale=True, causal=True)
    with st.container(key="pipeline"), st.grid(5, min_column_width=170, gap="small"):
        for number, name in enumerate(STEPS, start=1):
            shown = stage(attention, name)
            with st.container(gap="xxsmall"):
                st.markdown(f"**{number}. {name}**")
                st.vega_lite_chart(
                    charts.heatmap(Cells(shown, decimals=1)),
                    alt=f"Heatmap of “I love coding”, {name}",
                )
                st.caption(STEPS[name])
    st.caption(
        "The numbers are those of “I love coding” of Word embeddings, scaled and with the causal mask."
    )


def cards() -> None:
    """A card for each page: its name, what it shows, and the way there."""
    with st.grid(min_column_width=175):
        for page, entry in header.PAGES.items():
            with st.container(key=f"card-{page}", border=True, height="stretch", gap="xsmall"):
                st.page_link(entry.file, label=f"**{entry.title}**", icon=entry.icon)
                st.markdown(entry.about)
