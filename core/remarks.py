"""What is to be remarked at a stage of any example: what queries of zeros do, and why a step is taken."""

from __future__ import annotations

import numpy as np

from core.markdown import enumerated, short
from core.stages import Attention, StageName

MOST_NAMES = 2
WHY: dict[StageName, str] = {
    "scaled": "Undivided, random vectors of a large dₖ give one key nearly all weight.",
    "masked": "A model that writes word by word cannot look ahead: a score of −∞ gets weight 0.",
}
# Of one query of zeros, and of several, behind their names.
SCORES_OF_ZEROS = (
    "has a query of zeros: it looks for nothing, so all its scores are 0.",
    "have a query of zeros: they look for nothing, so all their scores are 0.",
)
WEIGHTS_OF_ZEROS = (
    "gives all it sees the same weight.",
    "give all they see the same weight.",
)


def remark(attention: Attention, name: StageName) -> str:
    """One or two sentences in Markdown; empty where nothing is to be remarked."""
    if name == "scores":
        return _of_zeros(attention, SCORES_OF_ZEROS)
    if name == "weights":
        ends = "" if attention.value is not None else "Without values, it ends here."
        of_query = _of_zeros(attention, WEIGHTS_OF_ZEROS) or _of_last(attention)
        return " ".join(filter(None, (of_query, ends)))
    if name == "scaled" and attention.scale and attention.query.shape[1] == 1:
        return "With dₖ = 1 nothing changes: √1 = 1."
    is_done = {"scaled": attention.scale, "masked": attention.causal}.get(name, False)
    return WHY[name] if is_done else ""


def _of_last(attention: Attention) -> str:
    """Why the last query has the weights that it had before the causal mask; empty without a mask."""
    is_alone = len(attention.query_titles) == 1
    if is_alone or not attention.causal or attention.what_if or attention.steps.hidden[-1].any():
        return ""
    return f"{short(attention.query_titles[-1])} comes last and sees every key: no mask changes its weights."


def _of_zeros(attention: Attention, one_and_several: tuple[str, str]) -> str:
    """What the queries do that are all zeros, which are named as far as a line has room; empty for none."""
    places = np.flatnonzero(~attention.query.any(axis=1))
    if not len(places):
        return ""
    named = enumerated([short(attention.query_titles[place]) for place in places[:MOST_NAMES]])
    who = named if len(places) <= MOST_NAMES else f"{len(places)} rows"
    return f"{who} {one_and_several[len(places) > 1]}"
