"""Keep the page as A, and look at A, at the page as it is now (B), or at their difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.comparison import comparable
from core.presets import every_preset
from core.sharing import BadLink, pack, unpack
from core.snapshots import Snapshot, content_of_snapshot, snapshot_of
from core.stages import Attention, StageName
from core.ui import beginning, fragments, worksheets
from core.ui.attending import attention_of
from core.ui.page import (
    ALL_STAGES,
    DIFFERENCE,
    EXPLANATION,
    INPUTS,
    KEPT,
    NOW,
    VIEWS,
    Page,
)
from core.ui.state import A_SEEN, A
from core.ui.worksheet import Worksheet

OF_A, OF_B = "A, as you kept it", "B, as it is now"  # whose numbers an answer is about


@dataclass(frozen=True, eq=False)
class Kept:
    """What was kept as A, its attention, and what a link says of it."""

    snapshot: Snapshot
    attention: Attention
    text: str


def kept() -> Kept | None:
    """What this session keeps as A, on whichever page."""
    found: Kept | None = st.session_state.get("kept")
    return found


def kept_for(attention: Attention, name: StageName) -> Kept | None:
    """What is kept as A, where this stage of it has the same tokens and can be compared."""
    found = kept()
    return found if found and comparable(found.attention, attention, name) else None


def view() -> str:
    """Which of the VIEWS is chosen."""
    chosen = st.session_state.get("compare", NOW)
    return chosen if chosen in VIEWS else NOW


def in_view(page: Page) -> tuple[Attention, str]:
    """The attention to ask about, and whose it is where A or B − A is looked at.

    A selected token has another place in an A with other keys, of which an output may still be compared.
    """
    now, found = attention_of(page), _compared(page)
    if found is None:
        return now, ""
    is_asked = view() == KEPT and found.attention.key_names == now.key_names
    return (found.attention, OF_A) if is_asked else (now, OF_B)


def subtracted(page: Page) -> Attention | None:
    """The A to ask about beside B where B − A is looked at, and it has the same keys."""
    found = _compared(page) if view() == DIFFERENCE else None
    return found.attention if found and found.attention.key_names == attention_of(page).key_names else None


def _compared(page: Page) -> Kept | None:
    """What is kept as A, where it is looked at, or B − A, in one stage or a step of the presenter view."""
    name = page.stage
    if name == ALL_STAGES or view() == NOW:
        return None
    shown: StageName = "weights" if name == EXPLANATION else "scores" if name == INPUTS else name
    return kept_for(attention_of(page), shown)


def of_matrix(page: Page, matrix: str) -> str:
    """Whose numbers an editor holds, where those of A are in view and it was kept with others; else empty."""
    found = kept()
    if view() != KEPT or found is None or page.experiment:
        return ""
    now, shown = attention_of(page), [name for name in page.stages if page.stage in (name, ALL_STAGES)]
    if not any(comparable(found.attention, now, name) for name in shown):
        return ""
    before = found.snapshot.inputs.matrices.get(matrix)
    if before and np.array_equal(before.values, page.inputs.matrices[matrix].values):
        return ""
    return "these are B’s; A was kept with others"


def control(page: Page) -> None:
    """Keep as A; and once it is kept, what to look at, and the way to forget it."""
    found = kept()
    if found is None:
        st.button(
            "Keep as A",
            icon=":material/push_pin:",
            key="keep",
            on_click=_keep_page,
            args=(page,),
            help="Keep these numbers as A. Then change something and compare.",
        )
        return
    if not page.presenting:
        views(page)
    st.caption(f"A: {found.snapshot.description}.")
    tell_too_long(page)
    st.button("Forget A", icon=":material/close:", key="forget", on_click=_forget)


def tell_too_long(page: Page) -> None:
    """Say so where a link has no room for A."""
    if is_too_long(worksheets.text_in_link(page.worksheet), page.id):
        st.caption("A and the edits are too long for one link: a reload forgets A. **Save** keeps it.")


def views(page: Page) -> None:
    """Which of A, B and B - A to look at; and where A has other tokens than this page, what of it can be."""
    now = attention_of(page)
    here = [name for name in page.stages if kept_for(now, name)]
    st.segmented_control(
        "Compare",
        VIEWS,
        default=NOW,
        required=True,
        key="compare",
        bind="query-params",
        on_change=fragments.redraw_compared,
        disabled=not here,
        help=None if page.presenting else "A: as you kept it. B: as it is now. B − A: what has changed.",
        label_visibility="collapsed" if page.presenting else "visible",
    )
    if not here:
        then = kept()
        has_other_view = then is not None and then.snapshot.only_query != page.only_query
        st.caption(
            "A was kept with other queries in view, so it cannot be compared with these."
            if has_other_view
            else "A does not have the tokens of this page in the same places, so it cannot be compared here."
        )
    elif len(here) < len(page.stages):
        st.caption(f"Of A, only {', '.join(here)} can be compared here.")


def follow_link(worksheet: Worksheet) -> None:
    """Take up the A of the link that one arrives by, and have the address bar say what is kept."""
    text = st.query_params.get(A, "")
    if text and text != st.session_state.get(A_SEEN):
        st.session_state[A_SEEN] = text
        try:
            keep(snapshot_of(unpack(text), every_preset()[0]))
        except BadLink as bad:
            worksheet.notice = worksheet.notice or f"The A in this link cannot be used: {bad}."
    wanted = _text_beside(worksheets.text_in_link(worksheet), worksheet.preset.page)
    if wanted and wanted != text:
        st.session_state[A_SEEN] = st.query_params[A] = wanted
    elif text and not wanted:
        st.query_params.pop(A)


def parameters(edits: str, page: str) -> dict[str, str]:
    """A as a parameter of the link of a page, where it is short enough for one that holds these edits."""
    text = _text_beside(edits, page)
    return {A: text} if text else {}


def is_too_long(edits: str, page: str) -> bool:
    """Whether A is kept, but a link of a page that holds these edits has no room for it."""
    return kept() is not None and not _text_beside(edits, page)


def _text_beside(edits: str, page: str) -> str:
    found = kept()
    return found.text if found and len(edits) + len(found.text) <= beginning.room_beside(page) else ""


def keep(snapshot: Snapshot) -> None:
    """Keep a snapshot as A, in place of another."""
    text = pack(content_of_snapshot(snapshot))
    st.session_state["kept"] = Kept(snapshot, snapshot.attention(), text)


def _keep_page(page: Page) -> None:
    keep(page.snapshot)  # taken now, as not every widget was drawn when the button was


def _forget() -> None:
    for name in ("kept", "compare"):
        st.session_state.pop(name, None)
    st.query_params.pop(A, None)
