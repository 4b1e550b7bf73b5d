"""A guided edit: have one query look at another key by changing as few numbers as possible."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.caching import made_once
from core.digits import in_full, readable
from core.guiding import first_target, least_edit
from core.markdown import short, verbatim
from core.matrices import LARGEST_NUMBER, TINIEST, set_cells
from core.presets import Preset
from core.stages import WEIGHT_OF, Attention, attend, is_projected
from core.ui.experiments.controls import pick
from core.ui.labels import dimension_names, token_label
from core.ui.page import NOTHING, Page

TITLES = {"queries": "Q", "W_query": r"W\_query"}
Cells = dict[tuple[str, int, int], float]


def guide(page: Page, attention: Attention, query: int) -> None:
    """Whom to look at, what has to change for it, and a button that changes it."""
    line = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with line:
        target = _target(page, attention, query)
    sees = ~attention.steps.hidden[query]  # (Lk,)
    edit = None
    if sees[target]:
        edit = least_edit(attention.query[query], attention.key[sees], int(sees[:target].sum()))
    cells = _cells(page, attention, query, edit) if edit else None
    if not edit or cells is None:
        st.markdown(_why_not(page, attention, query, target, edit))
        return
    word, other = verbatim(attention.query_titles[query]), verbatim(attention.key_titles[target])
    changes = "; ".join(_change(page, place, new) for place, new in cells.items())
    enough = (
        "In the query, one number is enough"
        if len(edit) == 1
        else "In the query, no single number tried is enough; two are"
    )
    st.markdown(f"{word} → {other}. {enough}: {changes}. {_why(page, attention, query, edit)}")
    line.button(
        "Make this edit",
        icon=":material/edit:",
        key="make-edit",
        type="primary",
        on_click=_make,
        args=(page, cells),
    )


def _target(page: Page, attention: Attention, query: int) -> int:
    """The key that is chosen from a list, or the one that is proposed there."""
    names, example = attention.key_names, _example(page, query)
    chosen = pick(
        "look_at",
        f"Make {short(attention.query_titles[query])} look at",
        [NOTHING, *range(len(names))],
        lambda position: (
            f"for example {names[example]}" if position == NOTHING else token_label(names, position)
        ),
        NOTHING,
    )
    return example if chosen == NOTHING else chosen


def _why_not(page: Page, attention: Attention, query: int, target: int, edit: dict[int, float] | None) -> str:
    """Why there is nothing to change, or nothing that would do, where edit is what least_edit() has found."""
    word, other = verbatim(attention.query_titles[query]), verbatim(attention.key_titles[target])
    if attention.steps.hidden[query, target]:
        return f"The causal mask hides {other} from {word}: no query makes it look there."
    if edit is None:
        matrix = WEIGHT_OF["keys"].replace("_", "\\_") if is_projected(page.inputs) else "K"
        return (
            f"Of the numbers that were tried, no one or two in the query of {word} do it: another key always "
            f"scores at least as much as {other}. Make the key of {other} larger than the others in one "
            f"dimension, in {matrix}."
        )
    sees = attention.key[~attention.steps.hidden[query]]
    if not edit and len(sees) > 1 and (sees == sees[0]).all():
        return f"{word} looks at all keys that it sees alike, as they are equal: no query tells them apart."
    if not edit:
        return f"{word} looks at {other} already: no key that it sees scores more."
    return f"No number in W\\_query that may be typed makes this query of the embedding of {word}."


def _example(page: Page, query: int) -> int:
    """The key that is proposed, which an edit does not change: it depends on how the example opens."""
    origin, keys = page.query_axis.origins[query], page.key_axis.origins
    if origin is None:
        return 0
    target = _first_target(page.preset, origin, page.causal)
    return keys.index(target) if target in keys else 0


@made_once(64)
def _first_target(preset: Preset, query: int, causal: bool) -> int:
    """The first key that a query of an example sees and does not look at, but can be made to look at."""
    attention = attend(preset.inputs, scale=False, causal=causal)
    sees = ~attention.steps.hidden[query]  # (Lk,), the first of them where a mask is causal
    return first_target(attention.query[query], attention.key[sees])


def _cells(page: Page, attention: Attention, query: int, edit: dict[int, float]) -> Cells | None:
    """The cells to change: of the query itself, or of the row of W_query that counts most for it.

    None where that would take numbers that are too large, as they have to be for a tiny embedding.
    """
    if not is_projected(page.inputs):
        return {("queries", query, dimension): number for dimension, number in edit.items()}
    x, weight = (page.inputs.matrices[name].values for name in ("embeddings", "W_query"))
    row = int(np.abs(x[query]).argmax())
    if abs(x[query, row]) < TINIEST:
        return None
    now = attention.query[query]
    cells: Cells = {
        ("W_query", row, d): float(f"{weight[row, d] + (number - now[d]) / x[query, row]:.12g}")
        for d, number in edit.items()
    }
    return cells if max(map(abs, cells.values())) <= LARGEST_NUMBER else None


def _change(page: Page, place: tuple[str, int, int], new: float) -> str:
    matrix, row, column = place
    names = page.inputs.row_titles(matrix)[row], page.inputs.column_titles(matrix)[column]
    old = float(page.inputs.matrices[matrix].values[row, column])
    return f"{TITLES[matrix]} {verbatim(names[0])}, {verbatim(names[1])}: {in_full(old)} → **{in_full(new)}**"


def _why(page: Page, attention: Attention, query: int, edit: dict[int, float]) -> str:
    """What the edit does to the query, where the edit is not of the query itself."""
    if not is_projected(page.inputs):
        return ""
    names, now = dimension_names(page.inputs), attention.query[query]
    moves = "; ".join(
        f"{verbatim(names[d])} {readable(float(now[d]), page.decimals)} → {readable(new, page.decimals)}"
        for d, new in edit.items()
    )
    return f"The query becomes: {moves}. Other words share W_query, so their queries may change too."


def _make(page: Page, cells: Cells) -> None:
    page.worksheet.replace_inputs(set_cells(page.inputs, cells))
    st.rerun()
