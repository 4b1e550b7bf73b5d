"""What to change, in as few numbers as possible, so that a query looks at another key."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from core.attention import Array

STEPS = 20  # numbers to try on each side of 0
MOST_DIMENSIONS = 6  # of those in which the keys differ most


def least_edit(query: Array, keys: Array, target: int) -> dict[int, float] | None:
    """The dimensions of a query (d_k,) to change, and to what, so that keys[target] scores highest.

    keys is (Lk, d_k). One number is changed if that will do, else two; each is a round one. Of all edits that
    do, it is the one that changes the least. Only MOST_DIMENSIONS are tried. Empty where nothing needs to
    change, None where no two of those numbers do it, as for a key that another one outdoes everywhere. A key
    equal to the target may tie.
    """
    rivals = keys[(keys != keys[target]).any(axis=1)]  # (rivals, d_k)
    if not len(rivals):
        return {}
    lead = keys[target] - rivals  # (rivals, d_k)
    rounding = 1e-9 * np.abs(lead).max()  # of a score, for each 1 in the query
    if (lead @ query > rounding * np.abs(query).max()).all():
        return {}
    step = 10.0 ** np.ceil(np.log10(max(np.abs(query).max(), np.abs(keys).max()))) / STEPS
    tried = np.arange(-STEPS, STEPS + 1) * max(step, np.finfo(float).tiny)
    dimensions = np.argsort(-np.abs(lead).max(axis=0), kind="stable")[:MOST_DIMENSIONS]
    for count in (1, 2):
        found = [
            edit
            for chosen in combinations(sorted(dimensions.tolist()), count)
            if (edit := _least_in(query, lead, chosen, tried, rounding)) is not None
        ]
        if found:
            return min(found, key=lambda edit: sum(abs(new - query[d]) for d, new in edit.items()))
    return None


def first_target(query: Array, keys: Array) -> int:
    """The first of keys (Lk, d_k) that a query (d_k,) does not look at but can be made to; 0 for none."""
    return next((key for key in range(len(keys)) if least_edit(query, keys, key)), 0)


def _least_in(
    query: Array, lead: Array, chosen: tuple[int, ...], tried: Array, rounding: float
) -> dict[int, float] | None:
    """The least change in the chosen dimensions by which the target leads every rival, beyond rounding."""
    values = np.array(list(product(tried, repeat=len(chosen))))  # (tries, chosen)
    rest = np.where(np.isin(np.arange(len(query)), chosen), 0, query)
    leads = lead @ rest + values @ lead[:, chosen].T  # (tries, rivals)
    wins = leads.min(axis=1) > rounding * np.abs(tried).max() / STEPS
    if not wins.any():
        return None
    change = np.where(wins, np.abs(values - query[list(chosen)]).sum(axis=1), np.inf)
    best = values[change.argmin()]
    return {d: float(f"{new:.12g}") for d, new in zip(chosen, best, strict=True)}
