"""The line below the title: what cannot be used, or a what-if, or what the last edit did, or a hint."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.comparison import (
    Move,
    NamesMoved,
    moved_alone,
    moved_cells,
    moved_names,
    moved_numbers,
    moved_outputs,
    moved_weights,
    same_names,
)
from core.digits import counted, in_full, readable
from core.experiments import TRY_THIS
from core.heatmap_data import shows_old
from core.markdown import short
from core.matrices import Inputs
from core.stages import Attention, stage
from core.ui import comparing, what_ifs, worksheets
from core.ui.attending import attention_of, before_edit, inputs_before_edit
from core.ui.page import INPUTS, STEPS_BESIDE_STAGES, Page
from core.what_if import KINDS, MEASURES

MOST_DECIMALS = 8  # of a weight that moved the most, where fewer do not show it
MOST_IN_A_LINE = 2  # moves, where there is one line for them
KEPT_TOGETHER = "\u00a0"  # the space that no line breaks at: a line has a move whole, or not at all
MOST_DIGITS = 6  # of a number that was typed, for a line that has to stay one line


def hint(page: Page) -> None:
    """What to try, drawn once with the page, where nothing else is said.

    style.css hides it where the last edit is told of, or what cannot be used; a phone has them elsewhere.
    """
    page = page.without_what_if() if page.experiment else page
    try_this = TRY_THIS[page.experiment] if page.experiment else page.preset.try_this
    if page.worksheet.notice or page.what_if or "answers" in page.lesson.hidden:
        return
    is_compared = comparing.kept() and comparing.kept_for(attention_of(page), "weights")
    is_about_hidden = not page.experiment and "matrices" in page.lesson.hidden
    has_others = not page.experiment and not page.inputs.same_as(page.preset.inputs)
    if try_this and not (is_compared or is_about_hidden or has_others):
        page.line.caption(f"**Try it.** {try_this}")


def message(page: Page, now: Attention) -> None:
    """What takes the place of the hint, drawn by whatever shows now, the attention that it tells of."""
    problems = page.worksheet.complaints
    kept = comparing.kept_for(now, "weights")
    change = _what_changed(page, kept, now)
    has_small = page.presenting and not (kept or page.experiment) and _shows_old(page, now)
    small = " Small and slanted: before." if has_small else ""
    is_of_good_edit = change and not (kept or page.what_if or page.worksheet.is_refused or page.worksheet.cut)
    if problems and not page.presenting and not is_of_good_edit:
        with _line(page, "refused"):
            st.badge(_what_is_wrong(page, len(problems)), icon=":material/error:", color="red")
            st.text(problems[0])
    elif page.worksheet.notice:
        with _line(page, "notice"):
            st.badge("Link", icon=":material/link_off:", color="red")
            st.text(page.worksheet.notice)
            _presented_views(page, is_kept=kept is not None)
    elif page.what_if:
        with _line(page, "verdict"):
            _what_if(page, page.what_if.kind, is_kept=kept is not None)
            _presented_views(page, is_kept=kept is not None)
    elif change and kept:
        with _line(page, "verdict"):
            st.markdown(change)
            _presented_views(page, is_kept=True)
    elif change:
        with _line(page, "effect"):
            st.markdown(change + small)
            if problems and not page.presenting:
                st.badge(_not_used(page, len(problems)), icon=":material/error:", color="red")
            if page.presenting and page.worksheet.can_undo:  # where the button above a page is not to be seen
                st.button(
                    "Undo",
                    icon=":material/undo:",
                    key="undo-edit",
                    type="tertiary",
                    on_click=worksheets.undo,
                    args=(page.worksheet,),
                )
            st.button(
                "Hide", icon=":material/close:", key="hide", type="tertiary", on_click=_hide, args=(page,)
            )
    else:
        _line(page, "nothing")  # as Streamlit keeps the place for later only where something is drawn into it


def _what_changed(page: Page, kept: comparing.Kept | None, now: Attention) -> str:
    """What is otherwise than in A, or before the last edit: an answer, which a lesson may hide."""
    if "answers" in page.lesson.hidden:
        return ""
    return _since_a(page, kept.attention, now) if kept else _by_edit(page, now)


def _shows_old(page: Page, now: Attention) -> bool:
    """Whether numbers from before the last edit stand beside those of the step in view."""
    before, name = before_edit(page), page.stage
    if name in STEPS_BESIDE_STAGES or before is None:
        return name == INPUTS and bool(_moved_cells(page))
    return shows_old(stage(now, name), stage(before, name), page.decimals)


def _presented_views(page: Page, is_kept: bool) -> None:
    """The choice of A, B and B - A, which the presenter view has here, whatever else is said."""
    if page.presenting and is_kept:
        comparing.views(page)


def _what_is_wrong(page: Page, problems: int) -> str:
    """What the first of several problems is of: a pasted block, or a cell and how much is used beside it."""
    count = f" ({problems})" if problems > 1 else ""
    if page.worksheet.cut:
        return f"Paste{count}"
    if not page.worksheet.came_with_edit:
        return f"Not used{count}"
    return f"All used but {'these' if count else 'this'}{count}"


def _not_used(page: Page, problems: int) -> str:
    """The cell that cannot be used, or of several problems how many there are."""
    if problems > 1 or page.worksheet.cut:
        return f"{problems} not used"
    matrix, row, column = next(iter(page.worksheet.refused))
    names = page.inputs.row_titles(matrix)[row], page.inputs.column_titles(matrix)[column]
    return f"{matrix} {' '.join(map(short, names))} not used"


def _line(page: Page, key: str) -> DeltaGenerator:
    return page.line.container(key=key, horizontal=True, gap="small", vertical_alignment="center")


def _what_if(page: Page, kind: str, is_kept: bool) -> None:
    explained = what_ifs.explanation(page)
    has_room = page.presenting and not is_kept  # beside A, B and B - A, more words would move the heatmap
    told = explained if has_room else ""
    st.badge("What if", icon=":material/help:", color="orange")
    st.markdown(f"**{KINDS[kind].title}.** {what_ifs.verdict(page)} {told}")
    if page.presenting:
        what_ifs.less_or_more(page)
    st.button("End", icon=":material/close:", key="end", type="tertiary", on_click=_end, args=(page,))
    if not page.presenting:
        with st.container(key="on-a-phone"):  # where the sidebar, which explains it, is closed
            in_menu = f" “{MEASURES[kind].label}” is set in the menu." if kind in MEASURES else ""
            st.caption(f"{explained}{in_menu}")


def _end(page: Page) -> None:
    what_ifs.end(page.preset)
    st.rerun()


def _hide(page: Page) -> None:
    page.worksheet.looked_at = page.inputs
    st.rerun()


def _since_a(page: Page, kept: Attention, now: Attention) -> str:
    """What is otherwise than in A, first cell and toggles, and the weights that moved the most for it."""
    is_named_so = same_names(kept.inputs, now.inputs)
    has_same_matrices = kept.inputs.matrices.keys() == now.inputs.matrices.keys()
    cells = moved_cells(kept.inputs, now.inputs) if is_named_so else []
    changed = [
        *([_first(cells)] if cells else []),
        *_switched(kept, now),
        *([] if is_named_so else ["other names" if has_same_matrices else "other matrices"]),
    ]
    if not changed:
        return "**A is kept.** Change something and compare."
    told = f"**Since A:** {', '.join(changed)}."
    if not page.reaches("weights"):
        return told
    if moves := _moves(page, kept, now):
        return f"{told} **Weights moved most:** {moves}"
    return f"{told} **No weight moved**{_why_not(kept, now, _are_of_values(cells))}."


def _switched(kept: Attention, now: Attention) -> list[str]:
    """The toggles that are otherwise than in A, and that its what-if has ended."""
    is_on = {True: "on", False: "off"}
    told = [f"scaling {is_on[now.scale]}"] if kept.scale != now.scale else []
    told += [f"causal mask {is_on[now.causal]}"] if kept.causal != now.causal else []
    return told + ([f"no more “{KINDS[kept.what_if].title}”"] if kept.what_if and not now.what_if else [])


def _are_of_values(cells: list[tuple[str, Move]]) -> bool:
    """Whether all cells that changed are of what makes values, on which no weight depends."""
    return bool(cells) and all(name in ("values", "W_value") for name, _ in cells)


def _by_edit(page: Page, now: Attention) -> str:
    """The first cell that the last edit changed, and the weights that moved the most for it; or names."""
    before, inputs_before = before_edit(page), page.worksheet.before_edit
    if inputs_before is None:
        return ""
    cells = _moved_cells(page)
    if before is None or not cells:
        return _by_names(inputs_before, page.inputs)
    edit = f"**Edit:** {_first(cells)}."
    if not page.reaches("weights"):
        return edit
    moves = _moves(page, before, now)
    if moves:
        return f"{edit} **Weights moved most:** {moves}"
    return f"{edit} **No weight moved**{_why_not(before, now, _are_of_values(cells))}."


def _first(cells: list[tuple[str, Move]]) -> str:
    """The first of some cells that changed, and how many more there are."""
    (matrix, cell), *others = cells
    exact_ones = [in_full(n) for n in (cell.before, cell.now)]
    short_ones = [in_full(float(f"{n:.{MOST_DIGITS}g}")) for n in (cell.before, cell.now)]
    numbers = " → ".join(exact_ones if short_ones[0] == short_ones[1] else short_ones)
    more = f" and {len(others)} more" if others else ""
    return f"{matrix} {short(cell.row)} {short(cell.column)} {numbers}{more}"


def _moved_cells(page: Page) -> list[tuple[str, Move]]:
    """The cells that the last edit changed; none where it changed sizes."""
    before = inputs_before_edit(page)
    return moved_cells(before, page.inputs) if before else []


def _by_names(before: Inputs, now: Inputs) -> str:
    """The names that the last edit changed, and how many numbers with them; or nothing."""
    moved = moved_names(before, now)
    if not moved:
        return ""
    numbers = moved_numbers(before, now)
    changed = [f"{counted(numbers, 'number')} changed"] if numbers else []
    return f"**Edit:** {', '.join([*map(_name_moved, moved), *changed])}."


def _name_moved(moved: NamesMoved) -> str:
    match moved:
        case NamesMoved(title, _, (), (name,)):
            return f"{title} {short(name)} added"
        case NamesMoved(title, _, (name,), ()):
            return f"{title} {short(name)} removed"
        case NamesMoved(title, _, (old,), (new,)):
            return f"{title} {short(old)} → {short(new)}"
        case NamesMoved(title, (old, new)) if old != new:
            return f"{title} names: {old} → {new}"
        case _:
            return f"other {moved.title} names"


def _moves(page: Page, before: Attention, now: Attention) -> str:
    """The weights that moved the most, as far as the decimals on screen show it; empty where none moved.

    One that moved more than another that is told has as many decimals as its move needs.
    """
    moves = moved_weights(before, now)[: MOST_IN_A_LINE if page.presenting and page.experiment else None]
    shown = [move for move in moves if len(set(_numbers(move, page.decimals))) > 1]
    if not shown:
        return f"none by {readable(10**-page.decimals, page.decimals)} or more" if moves else ""
    told = []
    for move in moves[: moves.index(shown[-1]) + 1]:
        pairs = (_numbers(move, decimals) for decimals in range(page.decimals, MOST_DECIMALS + 1))
        old, new = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
        if old:
            words = (short(move.row), "→", short(move.column), old, "→", f"**{new}**")
            told.append(KEPT_TOGETHER.join(words))
    return ", ".join(told)


def _numbers(move: Move, decimals: int) -> tuple[str, str]:
    """Before and after."""
    return readable(move.before, decimals), readable(move.now, decimals)


def _why_not(before: Attention, now: Attention, of_values: bool) -> str:
    """Why an edit moved no weight, where that can be said in a line."""
    if of_values and moved_outputs(before, now):
        return ", the output did: weights do not depend on V"
    if lonely := moved_alone(before, now):
        return f", the scores did: {short(lonely)} sees one key alone, which gets all"
    return ""
