"""The formula of each stage with its shapes, and the same with numbers of the screen put in.

formula() is LaTeX made of the app's own symbols only. worked() is Markdown in which every user's word
is verbatim(), so that no name can become markup.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from core import explain
from core.explain import SumOfProducts
from core.matrices import number_text, rounded_text
from core.stages import WEIGHT_OF, Attention, StageName

LONGEST_SUM, LONGEST_CUT_SUM = 58, 36  # characters, for one line at 1280 pixels
MINUS = "\u2212"
SYMBOLS = {
    "queries": "Q", "keys": "K", "values": "V", "embeddings": "X",
    "W_query": r"W_{\text{query}}", "W_key": r"W_{\text{key}}", "W_value": r"W_{\text{value}}",
}  # fmt: skip


def verbatim(text: str) -> str:
    """Text as a Markdown code span, which shows every character as it is."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def formula(attention: Attention, name: StageName, transposed: bool) -> str:
    """LaTeX of what a stage computes, each factor over its shape. transposed puts tokens in columns."""
    if name in WEIGHT_OF:
        return _projection(attention, name, transposed)
    queries, keys = attention.steps.scores.shape
    width = attention.query.shape[1]
    result = _shaped(rf"\text{{{name}}}", queries, keys, transposed)
    if name == "scores":
        q = _shaped("Q", queries, width, transposed)
        k_transposed = _shaped(r"K^{\top}", width, keys, transposed)
        return rf"{result} = {k_transposed}\;{q}" if transposed else rf"{result} = {q}\;{k_transposed}"
    if name == "scaled":
        divided = (
            rf"\dfrac{{\text{{scores}}}}{{\sqrt{{d_k}}}} = \dfrac{{\text{{scores}}}}{{\sqrt{{{width}}}}}"
        )
        return rf"{result} = {divided}" if attention.scale else rf"{result} = \text{{scores}}"
    if name == "masked":
        mask = r"M = -\infty \text{ for later keys, else } 0" if attention.causal else "M = 0"
        return rf"{result} = \text{{scaled}} + M, \quad {mask}"
    if name == "weights":
        fraction = r"\dfrac{e^{\text{masked}}}{\sum_{\text{keys}} e^{\text{masked}}}"
        return rf"{result} = \operatorname{{softmax}}(\text{{masked}}) = {fraction}"
    value_width = 0 if attention.value is None else attention.value.shape[1]
    weights, v = (
        _shaped(r"\text{weights}", queries, keys, transposed),
        _shaped("V", keys, value_width, transposed),
    )
    output = _shaped(r"\text{output}", queries, value_width, transposed)
    return rf"{output} = {v}\;{weights}" if transposed else rf"{output} = {weights}\;{v}"


def worked(attention: Attention, name: StageName, query: int, key: int, column: int, decimals: int) -> str:
    """Markdown of one number of a stage: that of a query and a key, or of a token and a column."""
    if name in WEIGHT_OF:
        row = query if name == "queries" else key
        token, dimension = (
            attention.inputs.row_names("embeddings")[row],
            _column_name(attention, name, column),
        )
        place = f"{verbatim(token)}, {verbatim(dimension)}"
        return f"{place}: {_sum(explain.projection(attention, name, row, column), decimals)}"
    one, other = verbatim(attention.query_names[query]), verbatim(attention.key_names[key])
    if name == "output":
        place = f"{one}, {verbatim(_column_name(attention, 'values', column))}"
        return f"{place}: {_sum(explain.output(attention, query, column), decimals)}"
    steps = {"scores": _score, "scaled": _scaling, "masked": _masking, "weights": _share}
    return f"{one} → {other}: {steps[name](attention, query, key, decimals)}"


def path(attention: Attention, query: int, key: int, decimals: int) -> list[str]:
    """Markdown lines from the two vectors of a query and a key to what the key adds to the output."""
    one, other = verbatim(attention.query_names[query]), verbatim(attention.key_names[key])
    share = explain.softmax_share(attention, query, key)
    top, bottom = _number(share.exponential, decimals), _number(share.row_sum, decimals)
    lines = [
        f"**Score** {_named_sum(explain.score(attention, query, key), decimals)}",
        f"**Scaled** {_scaling(attention, query, key, decimals)}",
        f"**Masked** {_masking(attention, query, key, decimals)}",
        f"**Exponential** {_power(share, decimals)} {_result(share.exponential, decimals)}",
        f"**Row sum** of the exponentials of all keys of {one} {_result(share.row_sum, decimals)}",
        f"**Weight** {top} / {bottom} {_result(share.weight, decimals)}",
    ]
    if attention.value is not None:
        lines.append(f"**Into the output** of {one}: {_value_part(attention, query, key, other, decimals)}")
    return lines


def vectors(attention: Attention, query: int, key: int, decimals: int) -> list[str]:
    """Markdown lines on how a query and a key were made from embeddings, entry by entry."""
    made: tuple[tuple[StageName, str, int], ...] = (("queries", "Query", query), ("keys", "Key", key))
    return [
        f"**{title}, {verbatim(_column_name(attention, name, column))}** "
        f"{_named_sum(explain.projection(attention, name, row, column), decimals)}"
        for name, title, row in made
        for column in range(attention.query.shape[1])
    ]


def _score(attention: Attention, query: int, key: int, decimals: int) -> str:
    return _sum(explain.score(attention, query, key), decimals)


def _scaling(attention: Attention, query: int, key: int, decimals: int) -> str:
    score, scaled = float(attention.steps.scores[query, key]), float(attention.steps.scaled[query, key])
    if not attention.scale:
        return f"the score stays **{_short(score, decimals)}**"
    width = attention.query.shape[1]
    whole_root = math.isqrt(width) if math.isqrt(width) ** 2 == width and _is_short(score, decimals) else 0
    expected = _decimal(score) / whole_root if whole_root else None
    return f"{_short(score, decimals)} / √{width} {_result(scaled, decimals, expected)}"


def _masking(attention: Attention, query: int, key: int, decimals: int) -> str:
    steps = attention.steps
    scaled, masked = float(steps.scaled[query, key]), float(steps.masked[query, key])
    added = _short(float(steps.mask[query, key]), decimals)
    expected = _decimal(scaled) if _is_short(scaled, decimals) else None
    return f"{_short(scaled, decimals)} + {_bracketed(added)} {_result(masked, decimals, expected)}"


def _share(attention: Attention, query: int, key: int, decimals: int) -> str:
    share = explain.softmax_share(attention, query, key)
    top, bottom = _number(share.exponential, decimals), _number(share.row_sum, decimals)
    fraction = (
        rf"{_power(share, decimals)} / $\sum_{{\text{{keys}}}} e^{{\text{{masked}}}}$ ≈ {top} / {bottom}"
    )
    return f"{fraction} {_result(share.weight, decimals)}"


def _power(share: explain.SoftmaxShare, decimals: int) -> str:
    exponent = _short(share.masked, decimals)
    if share.largest_subtracted:
        exponent += f" {MINUS} {_bracketed(_short(share.largest_subtracted, decimals))}"
    return f"$e^{{{exponent}}}$"


def _value_part(attention: Attention, query: int, key: int, name: str, decimals: int) -> str:
    found = explain.blend(attention, query)
    value = attention.value[key] if attention.value is not None else ()
    row = ", ".join(_short(float(number), decimals) for number in value)
    part = ", ".join(_number(float(number), decimals) for number in found.products[key])
    return f"{_short(float(found.weights[key]), decimals)} × value of {name} ({row}) ≈ **({part})**"


def _projection(attention: Attention, name: StageName, transposed: bool) -> str:
    x = attention.inputs.matrices["embeddings"].values
    weight = attention.inputs.matrices[WEIGHT_OF[name]].values
    made = _shaped(SYMBOLS[name], len(x), weight.shape[1], transposed)
    symbol = SYMBOLS[WEIGHT_OF[name]]
    embeddings = _shaped("X", len(x), x.shape[1], transposed)
    symbol += r"^{\top}" if transposed else ""
    weights = _shaped(symbol, len(weight), weight.shape[1], transposed)
    return rf"{made} = {weights}\;{embeddings}" if transposed else rf"{made} = {embeddings}\;{weights}"


def _shaped(symbol: str, rows: int, columns: int, transposed: bool = False) -> str:
    first, second = (columns, rows) if transposed else (rows, columns)
    return rf"\underset{{{first} \times {second}}}{{{symbol}}}"


def _column_name(attention: Attention, name: StageName, column: int) -> str:
    matrix = name if name in attention.inputs.matrices else WEIGHT_OF[name]
    return attention.inputs.column_names(matrix)[column]


def _number(number: float, decimals: int) -> str:
    """A rounded number with a true minus sign, after which no line breaks."""
    return rounded_text(number, decimals).replace("-", MINUS)


def _sum(total: SumOfProducts, decimals: int) -> str:
    products = [
        f"{_bracketed(_short(t.left, decimals))} × {_bracketed(_short(t.right, decimals))}"
        for t in total.terms
    ]
    fitting = len(products) if len(" + ".join(products)) <= LONGEST_SUM else 1
    while fitting < len(products) and len(" + ".join(products[: fitting + 1])) <= LONGEST_CUT_SUM:
        fitting += 1
    more = f" + … ({len(products)} products)" if fitting < len(products) else ""
    return f"{' + '.join(products[:fitting])}{more} {_total(total, decimals)}"


def _total(total: SumOfProducts, decimals: int) -> str:
    in_full = all(_is_short(n, decimals) for t in total.terms for n in (t.left, t.right))
    sum_of_decimals = sum(_decimal(t.left) * _decimal(t.right) for t in total.terms) if in_full else None
    return _result(total.total, decimals, sum_of_decimals)


def _named_sum(total: SumOfProducts, decimals: int) -> str:
    """A sum of products in full, each with the name of its dimension."""
    parts = [
        f"{verbatim(t.name)} {_bracketed(_short(t.left, decimals))} × {_bracketed(_short(t.right, decimals))}"
        for t in total.terms
    ]
    return f"{' + '.join(parts)} {_total(total, decimals)}"


def _result(number: float, decimals: int, expected: Decimal | int | None = None) -> str:
    """A result with "=" where the text before it gives, exactly, what is written; else with "≈"."""
    infinite = abs(number) == float("inf")
    same = infinite or (expected is not None and Decimal(rounded_text(number, decimals)) == expected)
    return f"{'=' if same else '≈'} **{_number(number, decimals)}**"


def _short(number: float, decimals: int) -> str:
    """The number itself where that is short, else rounded."""
    return _plain(number).replace("-", MINUS) if _is_short(number, decimals) else _number(number, decimals)


def _is_short(number: float, decimals: int) -> bool:
    return math.isfinite(number) and len(_plain(number)) <= max(5, decimals + 3)


def _decimal(number: float) -> Decimal:
    """The number as it is written in full."""
    return Decimal(_plain(number))


def _plain(number: float) -> str:
    """The number without its 13th to 17th digit, which computing may leave: 2.42 for 2.4200000000000004."""
    return number_text(float(f"{number:.12g}"))


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text
