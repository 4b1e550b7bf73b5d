"""What would go wrong: the same page with one thing changed, to see what that thing is for.

Each of KINDS changes the rules of the computation, or what goes into it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.attention import AttentionSteps
from core.caching import cached
from core.matrices import Inputs, reorder, set_matrix
from core.rules import Rules
from core.stages import (
    PROJECTIONS,
    WEIGHT_OF,
    Attention,
    StageName,
    attend,
    is_projected,
    stage_names,
    token_axes,
    token_axis,
)

SHUFFLE_SEED = 1
NOT_AS_DEFINED = "Not attention as defined."


@dataclass(frozen=True)
class Kind:
    """One thing to change.

    stage is the first whose numbers change, and look_at the one to look at. change says in a sentence what is
    changed, and why in one or two what that shows: Markdown in which {query} and {key} stand for the names of
    the tokens that it is about, and {amount} for its measure. needs is a toggle without which nothing shows.
    verdict says whether what is computed is attention as defined.
    """

    title: str
    stage: StageName
    look_at: StageName
    change: str
    why: str
    needs: str = ""
    verdict: str = NOT_AS_DEFINED


KINDS: dict[str, Kind] = {
    "softmax_over_queries": Kind(
        "softmax over queries",
        "weights",
        "weights",
        "The softmax runs over the queries (in T x C: down a column), not over the keys.",
        "Each key now shares itself out, and the weights of a query need not sum to 1.",
    ),
    "masked_zero": Kind(
        "masked scores = 0",
        "masked",
        "weights",
        "A masked score is set to 0 instead of −∞.",
        "But $e^0 = 1$, so a masked key still gets a weight.",
        needs="causal",
    ),
    "mask_after": Kind(
        "mask after softmax",
        "masked",
        "weights",
        "The weights of masked keys are set to 0 after the softmax.",
        "The others were divided by a sum that counted them, so a query that loses any sums to less than 1.",
        needs="causal",
    ),
    "mask_after_divided": Kind(
        "mask after, rescaled",
        "masked",
        "weights",
        "The weights of masked keys are set to 0 after the softmax.",
        "What a query has left, if anything, is divided by its sum: the very weights of masking before.",
        needs="causal",
    ),
    "no_maximum": Kind(
        "no max subtracted",
        "scaled",
        "weights",
        "The scores are multiplied by {amount}, and their largest is not subtracted.",
        "Above x = 709.78, $e^x$ overflows, and ∞ / ∞ is not a number (NaN); far below 0 it is 0, and 0 / 0 "
        "is NaN, too.",
        verdict="As defined, but for the scores.",
    ),
    "sqrt_d_model": Kind(
        "√d_model, not √d_k",
        "scaled",
        "scaled",
        "The scores are divided by the root of d_model, the width of an embedding, not of d_k, that of a "
        "query.",
        "A score adds up d_k products, so d_k makes it spread.",
        needs="scale",
    ),
    "one_matrix": Kind(
        "Q = K",
        "scores",
        "scores",
        "One matrix serves as queries and as keys.",
        "The scores become symmetric: what one token asks of another is what the other asks of it.",
        verdict="This is attention as defined, with one matrix for both.",
    ),
    "temperature": Kind(
        "temperature",
        "scaled",
        "weights",
        "The scores are divided by a temperature T before the softmax.",
        "A small T leaves all weight to the best key, or to those that tie; a large T lets all keys count "
        "the same.",
    ),
    "shuffled": Kind(
        "tokens shuffled",
        "scores",
        "weights",
        "The tokens stand in another order.",
        "Without a mask each weight goes along with its query and key, as nothing here knows the order; "
        "with the causal mask it does not.",
        verdict="This is attention as defined, of the tokens in another order.",
    ),
    "longer_key": Kind(
        "key twice as long",
        "scores",
        "scores",
        "The key of {key} is doubled, which keeps its angle to every query.",
        "Its scores double all the same: a dot product is not a cosine, it counts length too.",
        verdict="This is attention as defined, with one key doubled.",
    ),
    "blind_query": Kind(
        "everything masked",
        "masked",
        "weights",
        "The query {query} may look at no key at all.",
        "Its softmax would be 0 / 0, not a number; here such a query gets weights 0 and output 0.",
        verdict="This is attention as defined, with all keys hidden from one query.",
    ),
    "equal_values": Kind(
        "all values equal",
        "output",
        "output",
        "Every key gets the value of the first one.",
        "Whatever the weights are, the output is then the same: weights say what is mixed, not what comes "
        "of it.",
        verdict="This is attention as defined, with one value for all keys.",
    ),
}


@dataclass(frozen=True)
class Measure:
    """How much of a kind there may be, and how much there is first; name is what links call it."""

    name: str
    label: str
    amounts: tuple[float, ...]
    first: float


MEASURES = {
    "temperature": Measure(
        "temperature", "Temperature T", (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0), 0.5
    ),
    "no_maximum": Measure("times", "Scores times", (1, 10, 100, 1000, 10000), 1000),
}


@dataclass(frozen=True)
class WhatIf:
    """A kind as it is set: amount is a temperature or a factor; query and key are the tokens it is about."""

    kind: str
    amount: float = 1.0
    query: int = 0
    key: int = 0


def offered(inputs: Inputs, unordered: bool) -> tuple[str, ...]:
    """The kinds that have a meaning for an example; unordered is one that has no causal mask."""
    queries, keys = token_axes(inputs)
    out = set()
    if unordered:
        out |= {kind for kind, about in KINDS.items() if about.needs == "causal"}
    is_alone = len(inputs.axes[keys].names) == 1
    if queries != keys or is_alone:
        out.add("one_matrix")
    if is_alone:
        out.add("shuffled")
    if is_projected(inputs):
        out |= {"longer_key", "equal_values"}
    else:
        out.add("sqrt_d_model")
    if "output" not in stage_names(inputs):
        out.add("equal_values")
    return tuple(kind for kind in KINDS if kind not in out)


@cached
def attend_if(
    inputs: Inputs, what_if: WhatIf, *, scale: bool, causal: bool, only_query: int | None = None
) -> Attention:
    """The attention of an example with one thing changed."""
    changed = _changed_inputs(inputs, what_if)
    attention = attend(
        changed,
        scale=scale,
        causal=causal,
        only_query=only_query,
        rules=_rules(changed, what_if, scale),
        blind_query=what_if.query if what_if.kind == "blind_query" else None,
    )
    in_view = slice(None) if only_query is None else slice(only_query, only_query + 1)
    queries, keys = orders(inputs, what_if)
    titles = {name: token_axis(inputs, name).titles for name in PROJECTIONS}
    return replace(
        attention,
        what_if=what_if.kind,
        query_titles=_in_order(titles["queries"], queries)[in_view],
        key_titles=_in_order(titles["keys"], keys),
        value_titles=_in_order(titles["values"], keys),
    )


def in_order_of(attention: Attention, inputs: Inputs, what_if: WhatIf) -> Attention:
    """The attention of these inputs with its queries and keys in the order in which a what-if puts them."""
    if what_if.kind != "shuffled":
        return attention
    queries, keys = (list(order) for order in orders(inputs, what_if))
    queries = queries[: len(attention.query_names)]  # one alone stays where it is
    steps, pairs = attention.steps, np.ix_(queries, keys)
    return replace(
        attention,
        query=attention.query[queries],
        key=attention.key[keys],
        value=None if attention.value is None else attention.value[keys],
        query_names=_in_order(attention.query_names, queries),
        key_names=_in_order(attention.key_names, keys),
        query_titles=_in_order(attention.query_titles, queries),
        key_titles=_in_order(attention.key_titles, keys),
        value_titles=_in_order(attention.value_titles, keys),
        steps=AttentionSteps(
            steps.scores[pairs],
            steps.scaled[pairs],
            steps.mask[pairs],
            steps.masked[pairs],
            steps.weights[pairs],
            None if steps.output is None else steps.output[queries],
        ),
    )


def _in_order(names: tuple[str, ...], places: Sequence[int]) -> tuple[str, ...]:
    """Names in another order; none where there are none, as of values."""
    return tuple(names[place] for place in places) if names else ()


def first_changed(inputs: Inputs, kind: str) -> StageName:
    """The first stage of an example whose numbers a kind changes."""
    changes_embeddings_or_weights = is_projected(inputs) and kind in ("one_matrix", "shuffled")
    return "queries" if changes_embeddings_or_weights else KINDS[kind].stage


def orders(inputs: Inputs, what_if: WhatIf | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which query stands in each row, and which key in each column, by their places in the inputs."""
    queries, keys = token_axes(inputs)
    places = {axis: tuple(range(len(inputs.axes[axis].names))) for axis in (queries, keys)}
    if what_if and what_if.kind == "shuffled":
        places[keys] = shuffled(len(places[keys]))
    return places[queries], places[keys]


def shuffled(count: int) -> tuple[int, ...]:
    """The numbers below count in an order that is always the same, and not their own if it can be."""
    random = np.random.default_rng(SHUFFLE_SEED)
    order = np.arange(count)
    while count > 1 and (order == np.arange(count)).all():
        order = random.permutation(count)
    return tuple(order.tolist())


def _changed_inputs(inputs: Inputs, what_if: WhatIf) -> Inputs:
    if what_if.kind == "one_matrix":
        query, key = (
            (WEIGHT_OF["queries"], WEIGHT_OF["keys"]) if is_projected(inputs) else ("queries", "keys")
        )
        return set_matrix(inputs, query, inputs.matrices[key].values)
    if what_if.kind == "longer_key":
        doubled = inputs.matrices["keys"].values.copy()
        doubled[what_if.key] *= 2
        return set_matrix(inputs, "keys", doubled)
    if what_if.kind == "equal_values":
        values = inputs.matrices["values"].values
        return set_matrix(inputs, "values", np.repeat(values[:1], len(values), axis=0))
    if what_if.kind == "shuffled":
        _, keys = token_axes(inputs)
        return reorder(inputs, keys, shuffled(len(inputs.axes[keys].names)))
    return inputs


def _rules(inputs: Inputs, what_if: WhatIf, scale: bool) -> Rules:
    widths: Mapping[str, int] = {name: matrix.values.shape[1] for name, matrix in inputs.matrices.items()}
    d_k = widths["W_query" if is_projected(inputs) else "queries"]
    rules = Rules(divide_by=d_k if scale else 1)
    changed = {
        "softmax_over_queries": replace(rules, softmax_over="queries"),
        "masked_zero": replace(rules, masking="zero"),
        "mask_after": replace(rules, masking="after"),
        "mask_after_divided": replace(rules, masking="after, divided again"),
        "no_maximum": replace(rules, subtract_largest=False, times=what_if.amount),
        "sqrt_d_model": replace(
            rules, divide_by=widths.get("embeddings", d_k) if scale else 1, divisor="d_model"
        ),
        "temperature": replace(rules, temperature=what_if.amount),
    }
    return changed.get(what_if.kind, rules)
