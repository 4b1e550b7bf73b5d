"""What a what-if does to the page's own numbers: a sentence, and the cells to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.attention import Array, entropy, softmax
from core.digits import MINUS, readable, sum_text
from core.markdown import verbatim
from core.stages import Attention, StageName, stage
from core.tolerances import ADDED_ROUNDINGS, ROUNDING, ROUNDING_OF_SUMS
from core.what_if import MEASURES, WhatIf


@dataclass(frozen=True, eq=False)
class Symptom:
    """A sentence in Markdown, and the cells of the stage that show it, (rows, columns) of booleans."""

    sentence: str
    cells: NDArray[np.bool_]


def symptom(
    defined: Attention,
    changed: Attention,
    name: StageName,
    what_if: WhatIf,
    query: int,
    key: int,
    decimals: int,
    tells_weights: bool = True,
) -> Symptom:
    """What to see at a stage of the changed attention, beside attention as defined on the same tokens.

    query and key are the rows that both have in view for the tokens in question; of shuffled tokens, the
    defined one is in the new order too. tells_weights is False where a lesson ends before the weights.
    """
    cells = _cells(defined, changed, name, what_if, key)
    show = Shown(defined, changed, query, key, decimals, tells_weights, name if cells.any() else None)
    return Symptom(getattr(show, what_if.kind)(), cells)


def _cells(
    defined: Attention, changed: Attention, name: StageName, what_if: WhatIf, key: int
) -> NDArray[np.bool_]:
    now, kind = stage(changed, name), what_if.kind
    found = np.zeros(now.values.shape, bool)
    if kind == "masked_zero" and name in ("masked", "weights"):
        found |= now.hidden
    if kind == "no_maximum" and name in ("weights", "output"):
        found |= np.isnan(now.values)
    if kind == "blind_query" and name in ("masked", "weights", "output"):
        found |= changed.steps.hidden.all(axis=1, keepdims=True)
    if kind == "longer_key" and name in ("scores", "scaled", "masked", "weights"):
        found[:, key] |= now.values[:, key] != stage(defined, name).values[:, key]
    if kind == "shuffled" and name in ("weights", "output"):
        found |= _moved(now.values, stage(defined, name).values)
    return found


def _moved(now: Array, before: Array) -> NDArray[np.bool_]:
    """Which numbers differ by more than what roundings add up to."""
    differ: NDArray[np.bool_] = np.abs(now - before) > ADDED_ROUNDINGS * np.abs(now).max()
    return differ


@dataclass(frozen=True, eq=False)
class Shown:
    """The sentences, each under the name of its kind."""

    defined: Attention
    changed: Attention
    query: int
    key: int
    decimals: int
    tells_weights: bool
    framed: StageName | None  # the stage in view, where cells of it are outlined

    def softmax_over_queries(self) -> str:
        sums = self.changed.steps.weights.sum(axis=1)
        least, most = self._sum(sums.min()), self._sum(sums.max())
        to = f"**{least}**" if least == most else f"between **{least}** and **{most}**"
        return f"The weights of a query sum to {to}. Those of a key, over all queries, sum to 1."

    def masked_zero(self) -> str:
        hidden = self.changed.steps.hidden
        if not hidden.any():
            return self._nothing_masked()
        leaks = np.where(hidden, self.changed.steps.weights, 0).sum(axis=1)
        worst = int(leaks.argmax())
        if not leaks[worst]:
            return "Masked keys get **0** all the same: 1 is too small beside the powers of these scores."
        to = f"masked keys{self._in('masked', 'weights')}"
        return f"{self._query(worst)} gives **{self._text(leaks[worst])}** of its weight to {to}."

    def mask_after(self) -> str:
        if not self.changed.steps.hidden.any():
            return self._nothing_masked()
        sums = self.changed.steps.weights.sum(axis=1)
        least = int(sums.argmin())
        if abs(sums[least] - 1) <= ROUNDING_OF_SUMS:
            hardly = abs(sums[least] - 1) > ROUNDING
            return (
                "Every sum is 1 to five digits: the masked keys had almost no weight to lose."
                if hardly
                else "Every sum is 1: the masked keys had no weight to lose."
            )
        return f"The weights of {self._query(least)} sum to **{self._sum(sums[least])}**, not to 1."

    def mask_after_divided(self) -> str:
        if not self.changed.steps.hidden.any():
            return self._nothing_masked()
        lost = np.isnan(self.changed.steps.weights).any(axis=1)
        if lost.any():
            return (
                f"All the weight of {self._query(int(lost.argmax()))} went to masked keys. "
                "Nothing is left to divide by, and **0 / 0** is not a number."
            )
        return f"Largest difference from the weights of masking before: {self._difference()}."

    def no_maximum(self) -> str:
        weights = self.changed.steps.weights
        lost = int(np.isnan(weights).sum())
        if not lost:
            return self._all_numbers()
        query, key = self._lost()
        good = self._text(softmax(self.changed.steps.masked)[query, key])
        are = "is not a number" if lost == 1 else "are not numbers"
        return (
            f"**{lost} of {weights.size}** weights {are}{self._in('weights')}. With the maximum subtracted, "
            f"{self._pair(query, key)} is {good}."
        )

    def _all_numbers(self) -> str:
        """What there is to see where every weight is a number though the maximum is not subtracted."""
        steps = self.changed.steps
        empty = ~steps.weights.any(axis=1)
        if empty.any():
            query = self._query(int(empty.argmax()))
            return f"The sum of {query} overflows: its powers add up to ∞, so its weights are **0**."
        with np.errstate(over="ignore"):
            most = MEASURES["no_maximum"].amounts[-1] / self.changed.rules.times
            powers = np.exp(steps.masked.max(axis=1) * most)
        can_grow = np.isinf(powers).any() or not powers.all()
        hint = " Raise the factor." if can_grow else ""
        largest = self._text(steps.masked.max())
        return f"Nothing overflows{hint and ' yet'}: the largest score is {largest}.{hint}"

    def _lost(self) -> tuple[int, int]:
        """A weight that is not a number, of a key that is not masked: the one in question, if it is one."""
        is_lost = np.isnan(self.changed.steps.weights) & ~self.changed.steps.hidden
        if is_lost[self.query, self.key]:
            return self.query, self.key
        row, column = np.argwhere(is_lost)[0]
        return int(row), int(column)

    def sqrt_d_model(self) -> str:
        d_k, d_model = self.defined.query.shape[1], self.changed.inputs.matrices["embeddings"].values.shape[1]
        if not self.defined.scale:
            return "The scaling is off: turn it on."
        if d_k == d_model:
            return (
                f"Here both are {d_k}, so nothing changes: such an example hides the mistake. "
                "With another number of columns in W\\_query and W\\_key, it shows."
            )
        return f"√{d_model} instead of √{d_k}{self._change(': ')}."

    def one_matrix(self) -> str:
        query, count = self.query, len(self.changed.query_names)
        key = self.key if self.key != query else (query + 1) % count
        there, back = (
            f"{self._query(query)} → {self._query(key)}",
            f"{self._query(key)} → {self._query(query)}",
        )
        now, before = (
            [self._text(a.steps.scores[place]) for place in ((query, key), (key, query))]
            for a in (self.changed, self.defined)
        )
        return (
            f"{there} scores **{now[0]}**, and {back} **{now[1]}**. As defined: {before[0]} and {before[1]}."
        )

    def temperature(self) -> str:
        row, before = (a.steps.weights[self.query] for a in (self.changed, self.defined))
        old, new = (self._text(weights.max()) for weights in (before, row))
        largest = f"is **{new}**" if old == new else f"goes {old} → **{new}**"
        most = np.log2(np.isfinite(self.changed.steps.masked[self.query]).sum())
        whose, t = self._query(self.query), self.changed.rules.temperature
        return (
            f"T = {t:g}: the largest weight of {whose} {largest}, its entropy is "
            f"**{self._text(float(entropy(row)))}** bits of at most {self._text(most)}."
        )

    def shuffled(self) -> str:
        now, before = self.changed.steps.weights, self.defined.steps.weights
        differ_at = _moved(now, before)
        moved = int(differ_at.sum())
        if not moved:
            return f"Every weight went along with its query and key: largest difference {self._difference()}."
        differ = "differ, and with them the framed outputs" if self.framed == "output" else "differ"
        differ += self._in("weights")
        most = divmod(int(np.where(differ_at, np.abs(now - before), 0).argmax()), now.shape[1])
        example = self._change(": ", None if differ_at[self.query, self.key] else most)
        return f"**{moved}** weights {differ}, as other tokens come first now{example}."

    def longer_key(self) -> str:
        before, now = (self._text(a.steps.scores[self.query, self.key]) for a in (self.defined, self.changed))
        framed = " Framed: that key." if self.framed else ""
        return f"{self._pair(self.query, self.key)} scores {before} → **{now}**{self._change('; ')}.{framed}"

    def blind_query(self) -> str:
        is_blind = self.changed.steps.hidden.all(axis=1)
        if not is_blind.any():
            return "The query that may look at no key is not in view."
        blind = int(is_blind.argmax())
        ends = " and its output" if self.changed.steps.output is not None else ""
        return f"The weights of {self._query(blind)}{ends} are **0**{self._in('weights', 'output')}."

    def equal_values(self) -> str:
        output = self.changed.steps.output
        spread, largest = (
            (0.0, 0.0) if output is None else (np.ptp(output, axis=0).max(), np.abs(output).max())
        )
        return f"The outputs of all queries differ by at most {_tiny(spread, largest)}."

    def _nothing_masked(self) -> str:
        hint = "every query sees all keys" if self.changed.causal else "turn the causal mask on"
        return f"No key is masked: {hint}."

    def _change(self, before_it: str, other: tuple[int, int] | None = None) -> str:
        """What becomes of the weight in question, or of another one, where it may be told."""
        if not self.tells_weights:
            return ""
        place = other or (self.query, self.key)
        before, now = (self._text(a.steps.weights[place]) for a in (self.defined, self.changed))
        return f"{before_it}the weight of {self._pair(*place)} {before} → **{now}**"

    def _difference(self) -> str:
        return _tiny(np.abs(self.changed.steps.weights - self.defined.steps.weights).max(), 1.0)

    def _pair(self, query: int, key: int) -> str:
        return f"{self._query(query)} → {verbatim(self.changed.key_titles[key])}"

    def _query(self, query: int) -> str:
        return verbatim(self.changed.query_titles[query])

    def _in(self, *stages: StageName) -> str:
        """That what was told last is outlined, where one of these stages is in view."""
        return " (framed)" if self.framed in stages else ""

    def _sum(self, total: float) -> str:
        return sum_text(float(total), self.decimals).replace("-", MINUS)

    def _text(self, number: float) -> str:
        return readable(float(number), self.decimals)


def _tiny(number: float, largest: float) -> str:
    """A difference that should be 0, beside the largest number: in two digits what roundings leave of it."""
    if not number:
        return "**0**"
    if number <= ADDED_ROUNDINGS * largest:
        return f"{number:.1e}, which is **0** but for the rounding of the computer"
    return f"**{number:.1e}**, as numbers near the smallest that the computer has lose digits"
