"""The formula of each stage with its shapes: LaTeX made of the app's own symbols only."""

from __future__ import annotations

from core.caching import cached
from core.stages import WEIGHT_OF, Attention, StageName

SYMBOLS = {
    "queries": "Q", "keys": "K", "values": "V", "embeddings": "X",
    "W_query": r"W_{\text{query}}", "W_key": r"W_{\text{key}}", "W_value": r"W_{\text{value}}",
}  # fmt: skip
MASKED_FORMULAS = {
    "minus infinity": r"\text{scaled} + M",
    "zero": r"\text{scaled, or } 0 \text{ where masked}",
    "after": r"\text{scaled (no mask yet)}",
    "after, divided again": r"\text{scaled (no mask yet)}",
}


@cached
def formula(attention: Attention, name: StageName, transposed: bool) -> str:
    """LaTeX of what a stage computes, each factor over its shape. transposed puts tokens in columns."""
    if name in WEIGHT_OF:
        return _projection(attention, name, transposed)
    queries, keys = attention.steps.scores.shape
    width = attention.query.shape[1]
    result = shaped(rf"\text{{{name}}}", queries, keys, transposed)
    if name == "scores":
        q = shaped("K" if attention.what_if == "one_matrix" else "Q", queries, width, transposed)
        k_transposed = shaped(r"K^{\top}", width, keys, transposed)
        return rf"{result} = {k_transposed}\;{q}" if transposed else rf"{result} = {q}\;{k_transposed}"
    if name == "scaled":
        return rf"{result} = {_scaled_formula(attention)}"
    if name == "masked":
        return rf"{result} = {MASKED_FORMULAS[attention.rules.masking]}"
    if name == "weights":
        return rf"{result} = {_weights_formula(attention)}"
    value_width = 0 if attention.value is None else attention.value.shape[1]
    weights, v = (
        shaped(r"\text{weights}", queries, keys, transposed),
        shaped("V", keys, value_width, transposed),
    )
    output = shaped(r"\text{output}", queries, value_width, transposed)
    return rf"{output} = {v}\;{weights}" if transposed else rf"{output} = {weights}\;{v}"


def _projection(attention: Attention, name: StageName, transposed: bool) -> str:
    x = attention.inputs.matrices["embeddings"].values
    shared = name == "queries" and attention.what_if == "one_matrix"
    name_of_weight = WEIGHT_OF["keys" if shared else name]
    weight = attention.inputs.matrices[name_of_weight].values
    made = shaped(SYMBOLS[name], len(x), weight.shape[1], transposed)
    symbol = SYMBOLS[name_of_weight]
    embeddings = shaped("X", len(x), x.shape[1], transposed)
    symbol += r"^{\top}" if transposed else ""
    weights = shaped(symbol, len(weight), weight.shape[1], transposed)
    return rf"{made} = {weights}\;{embeddings}" if transposed else rf"{made} = {embeddings}\;{weights}"


def _scaled_formula(attention: Attention) -> str:
    rules = attention.rules
    top = r"\text{scores}" if rules.times == 1 else rf"{rules.times:g} \times \text{{scores}}"
    warm = "" if rules.temperature == 1 else rf" \times {rules.temperature:g}"
    if not attention.scale:
        return rf"\dfrac{{{top}}}{{T}} = \dfrac{{{top}}}{{{rules.temperature:g}}}" if warm else top
    symbol = {"d_k": "k", "d_model": r"\text{model}"}[rules.divisor]
    symbols, numbers = rf"\sqrt{{d_{{{symbol}}}}}", rf"\sqrt{{{rules.divide_by}}}"
    if warm:
        return rf"\dfrac{{{top}}}{{{symbols} \times T}} = \dfrac{{{top}}}{{{numbers}{warm}}}"
    return rf"\dfrac{{{top}}}{{{symbols}}} = \dfrac{{{top}}}{{{numbers}}}"


def _weights_formula(attention: Attention) -> str:
    rules = attention.rules
    power = rf"e^{{\text{{{'scaled' if rules.masking.startswith('after') else 'masked'}}}}}"
    fraction = rf"\dfrac{{{power}}}{{\sum_{{\text{{{rules.softmax_over}}}}} {power}}}"
    if rules.masking == "after":
        return rf"{fraction} \text{{ or }} 0 \text{{ where masked}}"
    if rules.masking == "after, divided again":
        return rf"\left({fraction} \text{{ or }} 0 \text{{ where masked}}\right) / \text{{sum}}"
    return fraction


@cached
def whole(attention: Attention, name: StageName, transposed: bool) -> str:
    """LaTeX of equation 1, the part that a stage computes in a box, and grey what is off or not there.

    Empty in a what-if, which computes something else.
    """
    if attention.what_if:
        return ""
    q, k = _boxed("Q", name == "queries"), _boxed(r"K^{\top}", name == "keys")
    d_k = _grey(r"/ \sqrt{d_k}", not attention.scale)
    m = _grey("+ M", not attention.causal)
    v = _boxed(_grey("V", attention.value is None), name == "values")
    product = _boxed(f"{k} {q}" if transposed else f"{q} {k}", name == "scores")
    scaled = _boxed(f"{product} {d_k}", name == "scaled")
    masked = _boxed(f"{scaled} {m}", name == "masked")
    weights = _boxed(rf"\operatorname{{softmax}}({masked})", name == "weights")
    return _boxed(rf"{v}\,{weights}" if transposed else rf"{weights}\,{v}", name == "output")


def _grey(latex: str, is_off: bool) -> str:
    return rf"\textcolor{{gray}}{{{latex}}}" if is_off else latex


def _boxed(latex: str, is_in_view: bool) -> str:
    return rf"\boxed{{{latex}}}" if is_in_view else latex


def shaped(symbol: str, rows: int, columns: int, transposed: bool = False) -> str:
    """LaTeX of a matrix over its shape."""
    first, second = (columns, rows) if transposed else (rows, columns)
    return rf"\underset{{{first} \times {second}}}{{{symbol}}}"
