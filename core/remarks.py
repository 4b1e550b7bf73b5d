"""What is to be remarked at a stage of any example: what queries of zeros do, and why a step is taken."""

from __future__ import annotations

import numpy as np

from core.markdown import short
from core.stages import Attention, StageName

MOST_NAMES = 2
WHY: dict[StageName, str] = {
    "scaled": "Sums of many products spread wide, and one key would take nearly all.",
    "masked": "Who writes word by word cannot look ahead; softmax makes 0 of −∞.",
}


def remark(attention: Attention, name: StageName) -> str:
    """One or two sentences in Markdown; empty where nothing is to be remarked."""
    if name == "scores":
        return _scores_of_zeros(attention)
    if name == "weights":
        ends = "" if attention.value is not None else "Without values, it ends here."
        return " ".join(filter(None, (_weights_of_zeros(attention), ends)))
    is_done = {"scaled": attention.scale, "masked": attention.causal}.get(name, False)
    return WHY[name] if is_done else ""


def _scores_of_zeros(attention: Attention) -> str:
    names, are_several = _of_zeros(attention)
    if not names:
        return ""
    if are_several:
        return f"{names} have a query of zeros: they look for nothing, so all their scores are 0."
    return f"{names} has a query of zeros: it looks for nothing, so all its scores are 0."


def _weights_of_zeros(attention: Attention) -> str:
    names, are_several = _of_zeros(attention)
    if not names:
        return ""
    if are_several:
        return f"{names} look at all they see alike."
    return f"{names} looks at all it sees alike."


def _of_zeros(attention: Attention) -> tuple[str, bool]:
    """The queries that are all zeros, by name as far as a line has room, and whether there are several."""
    places = np.flatnonzero(~attention.query.any(axis=1))
    if len(places) > MOST_NAMES:
        return f"{len(places)} rows", True
    return " and ".join(short(attention.query_titles[place]) for place in places), len(places) > 1
