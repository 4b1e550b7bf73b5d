"""Heatmaps that a browser tells apart, though the numbers of the one before the last have come back.

Clicked on and off in one breath, a toggle has a browser told of three drawings. It compares each with the
last that it has finished, and where the third was the same as the first, it stayed with the second.
"""

from __future__ import annotations

import streamlit as st

from core import charts


def numbered(place: str, drawn: charts.Spec) -> charts.Spec:
    """A heatmap with the count of those that were drawn in its place with other numbers."""
    counts: dict[str, tuple[int, int]] = st.session_state.setdefault("drawings", {})
    now = hash(drawn["datasets"][charts.CELLS])
    before, count = counts.get(place, (now, 0))
    count += now != before
    counts[place] = now, count
    return charts.as_drawing(drawn, count)
