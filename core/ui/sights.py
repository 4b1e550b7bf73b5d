"""What there is to see of one stage: its numbers, what is marked in them, and what is said above them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core import formulas, working
from core.digits import as_written, bracketed, in_enough_digits, readable
from core.heatmap_data import Cells, Side
from core.markdown import verbatim
from core.palette import NEGATIVE, POSITIVE
from core.remarks import remark
from core.stages import ATTENTION, Attention, Stage, StageName, difference, place_of, stage
from core.symptoms import Symptom, symptom
from core.tolerances import ROUNDING
from core.ui import comparing
from core.ui.attending import as_defined, before_edit
from core.ui.page import DIFFERENCE, KEPT, Page
from core.ui.what_ifs import change
from core.what_if import KINDS, first_changed


@dataclass(frozen=True, eq=False)
class Sight:
    """One stage as it is shown: says, formula, whole and worked are Markdown and LaTeX above the heatmap."""

    stage: Stage
    says: str
    formula: str
    whole: str
    worked: str
    worked_at: tuple[int, int] | None
    marked: tuple[int | None, int | None]
    symptoms: NDArray[np.bool_] | None = None
    before: Stage | None = None
    is_difference: bool = False
    is_compared: bool = False  # on one scale of colours with what is kept as A

    def transposed(self) -> Sight:
        return replace(
            self,
            stage=self.stage.transposed(),
            marked=self.marked[::-1],
            worked_at=None if self.worked_at is None else self.worked_at[::-1],
            symptoms=None if self.symptoms is None else self.symptoms.T,
            before=None if self.before is None else self.before.transposed(),
        )


def cells(page: Page, seen: Sight) -> Cells:
    """What is drawn of it, in the layout of the page."""
    sums_of: Side = "columns" if page.transposed else "rows"
    seen = seen.transposed() if page.transposed else seen
    return Cells(seen.stage, page.decimals, sums_of, seen.marked, seen.symptoms, seen.before, seen.worked_at)


def sight(page: Page, attention: Attention, name: StageName) -> Sight:
    """What there is to see of a stage; a lesson that hides the answers has no number worked out."""
    seen = _seen(page, attention, name)
    return replace(seen, worked="", worked_at=None) if "answers" in page.lesson.hidden else seen


def _seen(page: Page, attention: Attention, name: StageName) -> Sight:
    """A stage as it is now (B), or as it was kept (A), or what differs (B - A), on one scale of colours."""
    kept = comparing.kept_for(attention, name)
    if kept is None:
        return _as_it_is(page, attention, name)
    now, then = stage(attention, name), stage(kept.attention, name)
    moved = difference(now, then)
    if comparing.view() == DIFFERENCE:
        seen = _plain(page, attention, moved)
        return replace(
            seen,
            says=f"**B − A, {name}.** As it is now, minus as you kept it: "
            f"{POSITIVE} is more than in A, {NEGATIVE} is less."
            + (_of_differences(moved) if page.presenting else ""),
            whole="",
            formula=rf"\text{{{name}}}_B - \text{{{name}}}_A",
            worked=_worked_difference(page, attention, kept.attention, moved),
            is_difference=True,
            is_compared=True,
        )
    if comparing.view() == KEPT:
        seen = _plain(page, kept.attention, replace(then, bound=moved.bound))
        return replace(
            seen,
            says=f"**A, {name}, as you kept it:** {kept.snapshot.description}. Toggles and matrices are B’s.",
            is_compared=True,
        )
    seen = _as_it_is(page, attention, name)
    return replace(seen, stage=replace(seen.stage, bound=moved.bound), before=None, is_compared=True)


def _as_it_is(page: Page, attention: Attention, name: StageName) -> Sight:
    """A stage with what the last edit and the what-if do to it."""
    seen = _plain(page, attention, stage(attention, name))
    before = None if page.presenting and page.what_if else before_edit(page)  # of which nothing there tells
    seen = replace(seen, before=None if before is None else stage(before, name))
    found = _symptom(page, attention, name)
    return seen if found is None else replace(seen, says=found.sentence, symptoms=found.cells)


def _of_differences(moved: Stage) -> str:
    """For a hall, which sees no caption: of what the differences are, and why some cells have none."""
    is_masked_twice = moved.name == "masked" and np.isnan(moved.values).any()
    grey = " Grey without a number: masked in both, and −∞ − (−∞) is none." if is_masked_twice else ""
    return f" Differences are of the numbers before rounding.{grey}"


def _plain(page: Page, attention: Attention, shown: Stage) -> Sight:
    name = shown.name
    query, key = worked_pair(page, attention)
    place = _worked_place(page, name, query, key)
    note = page.preset.notes.get(name) if page.as_it_opens(name) and not _is_asked(page, name) else None
    return Sight(
        stage=shown,
        says=f"{_what(page, attention, name)} {_not_yet(page, name) or note or remark(attention, name)}",
        formula=formulas.formula(attention, name, page.transposed),
        whole=formulas.whole(attention, name, page.transposed),
        worked=working.worked(attention, name, query, key, place[1], page.decimals, page.presenting),
        worked_at=place,
        marked=_marked(page, name),
    )


def _is_asked(page: Page, name: StageName) -> bool:
    """Whether a lecturer may be asking what a toggle will do, so that no note has told it yet."""
    is_on = {"scaled": page.scale, "masked": page.causal}
    return page.presenting and not is_on.get(name, True)


def _not_yet(page: Page, name: StageName) -> str:
    """For a hall that waits for it: that toggles which were clicked count only later; else empty."""
    start = page.preset.start
    is_clicked = (page.scale, page.causal) != (start.scale, start.causal)
    is_waiting = page.presenting and name == "scores" and is_clicked
    return "Scaling and mask count only after the scores." if is_waiting else ""


def _marked(page: Page, name: StageName) -> tuple[int | None, int | None]:
    """The row and the column of the selection in a stage as it is before turning."""
    query, key = page.selection_in_view
    if name in ATTENTION:
        return (None, None) if None in (query, key) else (query, key)
    row = place_of(name, query, key)[0]
    return row, None if row is None else page.column(name)


def _symptom(page: Page, attention: Attention, name: StageName) -> Symptom | None:
    """What the what-if does, from the first stage on whose numbers it changes."""
    what_if = page.what_if
    if what_if is None:
        return None
    here = page.stages.index(name)
    if here < page.stages.index(first_changed(page.inputs, what_if.kind)):
        return None
    pair = worked_pair(page, attention)
    told = page.reaches("weights")
    found = symptom(as_defined(page), attention, name, what_if, *pair, page.decimals, told)
    if here < page.stages.index(KINDS[what_if.kind].look_at):
        return replace(found, sentence=f"**What if.** {change(page)}")
    return found


def worked_pair(page: Page, attention: Attention) -> tuple[int, int]:
    """The row and the column of the pair that is worked out; of one query alone, with its best key.

    Where a what-if is about a key, it is that.
    """
    query, key = page.place_of_pair(*page.pair())
    if query is None or key is None:
        best = int(attention.steps.weights[0].argmax())
        is_of_key = page.what_if is not None and page.what_if.kind == "longer_key"
        is_chosen = page.selection[1] is not None or is_of_key
        return 0, key if is_chosen and key is not None else best
    return query, key


def _worked_place(page: Page, name: StageName, query: int, key: int) -> tuple[int, int]:
    """The row and the column of the number that is worked out for a query and a key."""
    row, column = place_of(name, query, key)
    return row or 0, (page.column(name) if column is None else column) or 0


def _worked_difference(page: Page, now: Attention, then: Attention, moved: Stage) -> str:
    """The number of the pair in question: now less then."""
    name = moved.name
    row, column = _worked_place(page, name, *worked_pair(page, now))
    numbers = (stage(now, name).values, stage(then, name).values, moved.values)
    b, a, change = (float(of[row, column]) for of in numbers)
    between = " → " if name in ATTENTION else ", "
    place = between.join(map(verbatim, (moved.rows[row], moved.columns[column])))
    if b == a == -math.inf:
        return f"{place}: masked in A and in B, and −∞ − (−∞) is no number."
    rounded = [readable(number, page.decimals) for number in (b, a, change)]
    later, earlier = in_enough_digits((b, a), rounded[:2], lambda b, a: [b - a], rounded[2:])
    equals = "=" if b == a or math.isinf(change) or _is_exact((b, a), (later, earlier), rounded[2]) else "≈"
    return f"{place}: {later} − {bracketed(earlier)} {equals} **{rounded[2]}**"


def _is_exact(numbers: tuple[float, float], written: tuple[str, str], difference: str) -> bool:
    """Whether nothing was rounded to write this difference."""
    if not all(map(math.isfinite, numbers)):
        return False
    later, earlier = map(as_written, written)
    in_full = zip(numbers, (later, earlier), strict=True)
    return later - earlier == as_written(difference) and all(
        math.isclose(number, text, rel_tol=ROUNDING) for number, text in in_full
    )


def _what(page: Page, attention: Attention, name: StageName) -> str:
    """One sentence on what the stage does, as the toggles stand."""
    if name == "scaled" and not attention.scale:
        return "**Scaled.** Scaling is off, so the scores stay as they are."
    if name == "masked" and not attention.causal:
        return f"**Masked.** {page.preset.unordered or 'The causal mask is off: every query sees every key.'}"
    return WHAT[name]


WHAT = {
    "queries": "**Queries.** Each embedding times W_query: what the token looks for.",
    "keys": "**Keys.** Each embedding times W_key: what the token can be found by.",
    "values": "**Values.** Each embedding times W_value: what the token passes on.",
    "scores": "**Scores.** The dot product of every query with every key.",
    "scaled": "**Scaled.** Every score is divided by √dₖ; dₖ is the width of one query.",
    "masked": "**Masked.** M adds −∞ to the scores of later keys, and 0 to the others.",
    "weights": "**Weights.** The softmax makes shares that sum to 1 for every query.",
    "output": "**Output.** The values of all keys, each times its weight, added up.",
}
