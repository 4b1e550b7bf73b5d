"""The stages of a page, in order, and what each of them shows.

Tokens are on rows, as in the paper. The lecture's way of writing, tokens as columns, is `transposed`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.attention import Array, AttentionSteps, causal_mask, project
from core.caching import SMALL_SIDE, cached
from core.matrices import Axis, Inputs, token_matrices
from core.rules import Rules, compute

StageName = Literal["queries", "keys", "values", "scores", "scaled", "masked", "weights", "output"]
PROJECTIONS: tuple[StageName, ...] = ("queries", "keys", "values")
ATTENTION: tuple[StageName, ...] = ("scores", "scaled", "masked", "weights")
NO_TOKENS = Axis("token", (), ())
WEIGHT_OF = {"queries": "W_query", "keys": "W_key", "values": "W_value"}
WEIGHT_MATRICES = frozenset(WEIGHT_OF.values())


@dataclass(frozen=True, eq=False)
class Attention:
    """One attention over the inputs of a page: what went in, how, and every step that came out.

    query (Lq, d_k), key (Lk, d_k) and value (Lk, d_v) or None are the inputs or their projections.
    query_titles, key_titles and value_titles are their names as a sentence tells them apart.
    first_query is the place of the first query among all, above 0 where one alone is in view.
    rules is how it was computed, blind_query the place among all of one that may see nothing, and what_if the
    name of what was changed, empty for attention as defined.
    """

    inputs: Inputs
    scale: bool
    causal: bool
    query: Array
    key: Array
    value: Array | None
    steps: AttentionSteps
    query_names: tuple[str, ...]
    key_names: tuple[str, ...]
    query_titles: tuple[str, ...]
    key_titles: tuple[str, ...]
    value_titles: tuple[str, ...]
    rules: Rules
    first_query: int = 0
    blind_query: int | None = None
    what_if: str = ""

    @property
    def is_small(self) -> bool:
        return self.inputs.is_small

    @property
    def has_a_query_for_each_key(self) -> bool:
        """Whether queries and keys are of the same tokens, of which none is left out of view."""
        queries, keys = token_axes(self.inputs)
        return queries == keys and len(self.query_names) == len(self.key_names)


@dataclass(frozen=True, eq=False)
class Stage:
    """One matrix to look at.

    hidden is True where the mask lets nothing through. bound is where colours end: the largest number
    without its sign; of all three stages of scores together, so that scaling can be seen.
    are_shares is True for weights, whose rows sum to 1 and whose colours go from 0 to 1.
    """

    name: StageName
    values: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    hidden: NDArray[np.bool_]
    bound: float
    are_shares: bool = False

    @property
    def is_small(self) -> bool:
        return all(side <= SMALL_SIDE for side in self.values.shape)

    @cached
    def transposed(self) -> Stage:
        return replace(
            self,
            values=self.values.T,
            rows=self.columns,
            columns=self.rows,
            row_title=self.column_title,
            column_title=self.row_title,
            hidden=self.hidden.T,
        )


def place_of(name: StageName, query: int | None, key: int | None) -> tuple[int | None, int | None]:
    """The row and the column of a query and a key in a stage; None for all of them."""
    if name in ("queries", "output"):
        return query, None
    return (key, None) if name in ("keys", "values") else (query, key)


def is_projected(inputs: Inputs) -> bool:
    """Whether queries, keys and values are made from embeddings, or are themselves the inputs."""
    return "embeddings" in inputs.matrices


def stage_names(inputs: Inputs) -> tuple[StageName, ...]:
    """The stages of an example in the order of the computation."""
    before = PROJECTIONS if is_projected(inputs) else ()
    after: tuple[StageName, ...] = ("output",) if is_projected(inputs) or "values" in inputs.matrices else ()
    return (*before, *ATTENTION, *after)


@cached
def attend(
    inputs: Inputs,
    *,
    scale: bool,
    causal: bool,
    only_query: int | None = None,
    rules: Rules | None = None,
    blind_query: int | None = None,
) -> Attention:
    """Compute every stage: Lq queries of d_k columns, Lk keys of d_k columns, Lk values of d_v columns.

    Queries, keys and values are those of the inputs, or embeddings (L, d_model) times W (d_model, d_k or
    d_v). only_query leaves one query of many in view. rules are those of the paper (section 3.2.1, equation
    1) unless others are given; a blind_query may look at no key at all. Raises ValueError without queries or
    keys.
    """
    made = {name: _input_or_projection(inputs, name) for name in PROJECTIONS}
    query, key, value = made["queries"], made["keys"], made["values"]
    if query is None or key is None:
        raise ValueError("attention needs queries and keys")
    tokens = {name: token_axis(inputs, name) for name in PROJECTIONS}
    hidden = ~causal_mask(len(query), len(key)) if causal else np.zeros((len(query), len(key)), bool)
    if blind_query is not None:
        hidden[blind_query] = True
    rules = rules or Rules(divide_by=query.shape[1] if scale else 1)
    in_view = slice(None) if only_query is None else slice(only_query, only_query + 1)
    steps = compute(query[in_view], key, value, hidden[in_view], rules)
    for array in (steps.scores, steps.scaled, steps.mask, steps.masked, steps.weights, steps.output):
        if array is not None:
            array.flags.writeable = False
    return Attention(
        inputs=inputs,
        scale=scale,
        causal=causal,
        query=query[in_view],
        key=key,
        value=value,
        steps=steps,
        query_names=tokens["queries"].names[in_view],
        key_names=tokens["keys"].names,
        query_titles=tokens["queries"].titles[in_view],
        key_titles=tokens["keys"].titles,
        value_titles=tokens["values"].titles,
        rules=rules,
        first_query=only_query or 0,
        blind_query=blind_query,
    )


@cached
def stage(attention: Attention, name: StageName) -> Stage:
    """What one stage shows. Raises ValueError for one that these inputs do not have."""
    if name in PROJECTIONS:
        return _projection_stage(attention, name)
    steps = attention.steps
    if name == "output":
        if steps.output is None:
            raise ValueError("there is no output without values")
        columns = column_names(attention.inputs, "values")
        hidden = np.zeros(steps.output.shape, bool)
        return Stage(
            name,
            steps.output,
            attention.query_titles,
            columns,
            "query",
            "value dimension",
            hidden,
            magnitude(steps.output),
        )
    values = {
        "scores": steps.scores,
        "scaled": steps.scaled,
        "masked": steps.masked,
        "weights": steps.weights,
    }
    is_masked = name == "weights" or (name == "masked" and not attention.rules.masks_after_softmax)
    hidden = steps.hidden if is_masked else np.zeros(steps.mask.shape, bool)
    bound = 1.0 if name == "weights" else max(magnitude(steps.scores), magnitude(steps.scaled))
    names = attention.query_titles, attention.key_titles
    return Stage(name, values[name], *names, "query", "key", hidden, bound, are_shares=name == "weights")


def difference(now: Stage, before: Stage) -> Stage:
    """now - before, cell by cell; what both mask stays hidden, of scores it is no number: -inf - -inf."""
    hidden = now.hidden & before.hidden
    with np.errstate(invalid="ignore"):
        values = now.values - before.values
    bound = max(now.bound, before.bound, magnitude(values))
    return replace(now, values=values, hidden=hidden, bound=bound, are_shares=False)


def magnitude(values: Array) -> float:
    """The largest of the finite numbers, without its sign; 0 where there are none."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _projection_stage(attention: Attention, name: StageName) -> Stage:
    values, rows = {
        "queries": (attention.query, attention.query_titles),
        "keys": (attention.key, attention.key_titles),
        "values": (attention.value, attention.value_titles),
    }[name]
    if values is None:
        raise ValueError(f"there are no {name}")
    columns = column_names(attention.inputs, name)
    column_title = "value dimension" if name == "values" else "dimension"
    return Stage(
        name, values, rows, columns, "token", column_title, np.zeros(values.shape, bool), magnitude(values)
    )


def _input_or_projection(inputs: Inputs, name: StageName) -> Array | None:
    if is_projected(inputs):
        return project(inputs.matrices["embeddings"].values, inputs.matrices[WEIGHT_OF[name]].values)
    return inputs.matrices[name].values if name in inputs.matrices else None


def token_axes(inputs: Inputs) -> tuple[str, str]:
    """The axes that name the queries and the keys: one and the same where both come from the same tokens."""
    queries, keys = token_matrices(inputs.matrices)
    return inputs.matrices[queries].rows, inputs.matrices[keys].rows


def token_axis(inputs: Inputs, name: StageName) -> Axis:
    """The axis of the rows of queries, keys or values; no row where there are none of them."""
    matrix = "embeddings" if is_projected(inputs) else name
    return inputs.axes[inputs.matrices[matrix].rows] if matrix in inputs.matrices else NO_TOKENS


def column_names(inputs: Inputs, name: StageName) -> tuple[str, ...]:
    """The names of the columns of queries, keys, values or output, whether made from embeddings or not."""
    return column_axis(inputs, name).names


def column_axis(inputs: Inputs, name: StageName) -> Axis:
    """The axis of the columns of queries, keys, values or output."""
    name = "values" if name == "output" else name
    return inputs.axes[inputs.matrices[WEIGHT_OF[name] if is_projected(inputs) else name].columns]
