"""The code behind a page: a NumPy script, to be read and run, that computes what the page shows."""

from __future__ import annotations

import numpy as np

from core.attention import Array
from core.matrices import number_text
from core.stages import WEIGHT_MATRICES, Attention, is_projected
from core.what_if import KINDS

MOST_ROWS = 18  # of all matrices together; more, and each matrix takes one line


def script(attention: Attention, title: str) -> str:
    """A script of at most 40 lines with the numbers of this attention; title is a line about them.

    It needs NumPy alone, computes every query, and prints the weights and the output, where there is one.
    """
    lines = [
        "import numpy as np",  # above the title, in which "coding: x" would name the encoding of the file
        "",
        f"# {' '.join(title.split())}",
        "# softmax(Q K^T / sqrt(d_k) + M) V: Vaswani et al., Attention Is All You Need (2017), equation 1",
    ]
    if attention.what_if:
        lines.append(f"# What if: {KINDS[attention.what_if].title}. {KINDS[attention.what_if].verdict}")
    lines += [*_inputs(attention), "", *_scores(attention), *_softmax(attention)]
    if attention.value is not None:
        lines.append("output = weights @ values  # each row: the values of all keys, each times its weight")
    lines += ["", "print(weights.round(2))"]
    if attention.value is not None:
        lines.append("print(output.round(2))")
    return "\n".join(lines) + "\n"


def _inputs(attention: Attention) -> list[str]:
    inputs = attention.inputs
    in_rows = sum(len(matrix.values) for matrix in inputs.matrices.values()) <= MOST_ROWS
    lines = []
    for name, matrix in inputs.matrices.items():
        if name not in WEIGHT_MATRICES:
            lines.append(f"# one row for each of {', '.join(map(repr, inputs.row_names(name)))}")
        lines += _matrix("X" if name == "embeddings" else name, matrix.values, in_rows)
    if is_projected(inputs):
        lines.append("queries, keys, values = X @ W_query, X @ W_key, X @ W_value")
    return lines


def _matrix(name: str, values: Array, in_rows: bool) -> list[str]:
    rows = [f"[{', '.join(map(number_text, row))}]" for row in values.tolist()]
    if not in_rows:
        return [f"{name} = np.array([{', '.join(rows)}], float)"]
    start = f"{name} = np.array(["
    lines = [(start if i == 0 else " " * len(start)) + row + "," for i, row in enumerate(rows)]
    lines[-1] = lines[-1].removesuffix(",") + "], float)"
    return lines


def _scores(attention: Attention) -> list[str]:
    rules = attention.rules
    scaled = "scores" if rules.times == 1 else f"{rules.times:g} * scores"
    if attention.scale:
        scaled += f" / np.sqrt({rules.divide_by})"
    if rules.temperature != 1:
        scaled += f" / {rules.temperature:g}"
    width = attention.query.shape[1]
    d_k = f"d_k = {width} numbers in each query"
    reasons = {"d_k": f"  # {d_k}", "d_model": f"  # d_model, and not the {d_k}"}
    why = reasons[rules.divisor] if attention.scale else ""
    lines = [
        "scores = queries @ keys.T  # the dot product of every query (row) with every key (column)",
        f"scaled = {scaled}{why}",
    ]
    if attention.causal:
        lines.append("hidden = np.triu(np.ones(scores.shape, bool), k=1)  # True where a key comes later")
    else:
        lines.append("hidden = np.zeros(scores.shape, bool)  # no query is kept from any key")
    blind = attention.blind_query
    if blind is not None:
        lines.append(f"hidden[{blind}] = True  # this query may look at no key at all")
    masked = {
        "minus infinity": "np.where(hidden, -np.inf, scaled)",
        "zero": "np.where(hidden, 0, scaled)  # and not -np.inf",
    }.get(rules.masking, "scaled  # the mask comes after the softmax")
    return [*lines, f"masked = {masked}"]


def _softmax(attention: Attention) -> list[str]:
    rules = attention.rules
    axis = 1 if rules.softmax_over == "keys" else 0
    lines = []
    if np.isneginf(attention.steps.masked).all(axis=axis).any() or attention.blind_query is not None:
        lines.append(
            f"largest = np.maximum(masked.max(axis={axis}, keepdims=True), -1e300)  # no -inf minus -inf"
        )
        lines.append("exponentials = np.exp(masked - largest)")
        lines.append(f"sums = exponentials.sum(axis={axis}, keepdims=True)")
        lines.append("weights = exponentials / np.where(sums == 0, 1, sums)  # 0 / 0 is defined as 0")
    elif rules.subtract_largest:
        lines.append(
            f"largest = masked.max(axis={axis}, keepdims=True)  # changes no weight, keeps e^x small"
        )
        lines.append("exponentials = np.exp(masked - largest)")
        lines.append(f"weights = exponentials / exponentials.sum(axis={axis}, keepdims=True)")
    else:
        lines.append("exponentials = np.exp(masked)  # overflows above 709.78")
        lines.append("weights = exponentials / exponentials.sum(axis=1, keepdims=True)")
    if rules.masks_after_softmax:
        lines.append("weights = np.where(hidden, 0, weights)")
    if rules.masking == "after, divided again":
        lines.append("weights = weights / weights.sum(axis=1, keepdims=True)")
    return lines
