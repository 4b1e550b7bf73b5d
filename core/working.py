"""The working of a number, with the numbers of the screen put in: in one line, or every step of it.

It is Markdown in which every user's word is verbatim(), so that no name can become markup.
"""

from __future__ import annotations

import math
from decimal import Decimal

from core import explain
from core.caching import cached
from core.digits import MINUS, as_written, bracketed, gives, in_enough_digits, readable
from core.explain import SumOfProducts
from core.markdown import verbatim
from core.matrices import in_powers_of_10, number_text
from core.stages import PROJECTIONS, WEIGHT_OF, Attention, StageName, column_names, place_of

LONGEST_SUM, LONGEST_CUT_SUM = 58, 36  # characters, for one line at 1280 pixels
LONGEST_WIDE_SUM = 72  # characters, for one line of all of a small projector
MOST_NAMED, MOST_SUMMANDS = 64, 16  # products of a sum; exponentials
BEFORE_ROUNDING = " (summed before rounding)"


@cached
def worked(
    attention: Attention,
    name: StageName,
    query: int,
    key: int,
    column: int,
    decimals: int,
    is_wide: bool = False,
) -> str:
    """Markdown of one number of a stage: that of a query and a key, or of a token and a column.

    is_wide says that there is room to name the products of a sum, where they are not too many.
    """
    if name in WEIGHT_OF or name == "output":
        row = place_of(name, query, key)[0] or 0
        place = f"{_token(attention, name, row)}, {verbatim(column_names(attention.inputs, name)[column])}"
        return f"{place}: {_line(_made(attention, name, row, column), decimals, is_wide)}"
    pair = f"{verbatim(attention.query_titles[query])} → {verbatim(attention.key_titles[key])}"
    if name == "scores":
        return f"{pair}: {_line(explain.score(attention, query, key), decimals, is_wide)}"
    steps = {"scaled": _scaling, "masked": _masking, "weights": _share}
    return f"{pair}: {steps[name](attention, query, key, decimals)}"


def _line(total: SumOfProducts, decimals: int, is_wide: bool) -> str:
    """A sum in one line, cut where it is too long; its products named, where there is room for that."""
    if is_wide and len(total.terms) <= MOST_NAMED:
        named = _named_products(total, decimals)
        if len(named.replace("`", "")) <= LONGEST_WIDE_SUM:
            return f"{named} {_total(total, decimals)}"
    return _sum(total, decimals, LONGEST_WIDE_SUM if is_wide else LONGEST_SUM)


def path(attention: Attention, query: int, key: int, decimals: int, last: StageName = "output") -> list[str]:
    """Markdown lines from the two vectors of a query and a key to what the key adds to the output.

    last is the stage where they end. In how many digits a number is written is decided from the end on: in so
    many that who reckons with it comes to what is written after it.
    """
    one, other = verbatim(attention.query_titles[query]), verbatim(attention.key_titles[key])
    share = explain.softmax_share(attention, query, key)
    over_keys = attention.rules.softmax_over == "keys"
    shared_with = f"keys, for the query {one}" if over_keys else f"queries, for the key {other}"
    factors = _factors_of_part(attention, query, key, decimals)
    weight = _weight_as_used(attention, share, factors, decimals)
    top, bottom = _power_and_total(share, weight, decimals)
    summands = _summands(share, bottom, decimals)
    mine = summands[share.place] if summands else top
    if _divides_to(mine, bottom, weight):
        top = mine  # written as in the sum, where these digits do for the weight, too
    added = f": {' + '.join(summands)}" if summands else ""
    exponent = _exponent(share, top, decimals)
    is_seen = attention.steps.scaled[query, key] == share.masked  # neither masked nor changed by a what-if
    scaled = exponent[0] if is_seen else _scaled(attention, query, key, decimals)
    score = _score_to_scale(attention, query, key, decimals, scaled)
    is_whole = share.masked in (0, -math.inf) and not share.largest_subtracted  # e^0 and e^-inf
    power = _equals(top, int(share.exponential) if is_whole else None)
    total = _equals(bottom, int(share.total) if share.is_exact else None)
    in_powers = "" if _in_powers(top) else _in_powers(*summands, bottom)
    lines = {
        "scores": [
            f"**Score** {_named_sum(explain.score(attention, query, key), decimals, score)}",
            f"**As two lengths and an angle** {_lengths(attention, query, key, decimals, score)}",
        ],
        "scaled": [f"**Scaled** {_scaling(attention, query, key, decimals, scaled)}"],
        "masked": [f"**Masked** {_masking(attention, query, key, decimals, scaled)}"],
        "weights": [
            f"**Exponential** {_power(exponent)} {power}{_in_powers(top)}",
            f"**Sum** of the exponentials over all {shared_with}{added} {total}{in_powers}",
            f"**Weight** {_weight(attention, query, key, share, top, bottom, weight, decimals)}",
        ],
        "output": [],
    }
    if attention.value is not None and attention.steps.output is not None:
        part = _value_part(attention, query, key, other, factors, decimals)
        lines["output"].append(f"**Into the output** of {one}: {part}")
        numbers = ", ".join(readable(number, decimals) for number in attention.steps.output[query].tolist())
        lines["output"].append(f"**Output** of {one}, that of all keys added up: **({numbers})**")
    stages = (*PROJECTIONS, *lines)
    told = [line for stage in stages[: stages.index(last) + 1] for line in lines.get(stage, [])]
    if attention.has_a_query_for_each_key and query != key and last not in PROJECTIONS:
        back = readable(float(attention.steps.scores[key, query]), decimals)
        told.append(f"**The other way round** {other} → {one} scores {back}.")
    return told


def _summands(share: explain.SoftmaxShare, total: str, decimals: int) -> list[str]:
    """The exponentials of which who adds them finds the total; none of very many."""
    if len(share.summands) > MOST_SUMMANDS:
        return []
    rounded = [readable(number, decimals) for number in share.summands]
    return in_enough_digits(share.summands, rounded, lambda *numbers: [sum(numbers)], [total])


def _in_powers(*numbers: str) -> str:
    """What the first of them that is written short stands for: beside a power of e, its e is another."""
    short = next((number for number in numbers if "e" in number), "")
    return f" ({short} is {in_powers_of_10(short.replace(MINUS, '-'))})" if short else ""


def _divides_to(top: str, bottom: str, result: str) -> bool:
    numbers = as_written(top), as_written(bottom)
    return all(number.is_finite() and number for number in numbers) and gives(
        float(numbers[0] / numbers[1]), result
    )


def _lengths(attention: Attention, query: int, key: int, decimals: int, score: str) -> str:
    """The score, which is shown as is said, as lengths and an angle."""
    found = explain.lengths(attention, query, key)
    if math.isnan(found.cosine):
        return "a vector of zeros has no direction: **0**"
    q, k, cosine = length_factors(found.query, found.key, found.cosine, score, decimals)
    return f"length × length × cosine = {q} × {k} × {bracketed(cosine)} {_equals(score)}"


def length_factors(q: float, k: float, cosine: float, product: str, decimals: int) -> list[str]:
    """Two lengths and the cosine between them, of which who multiplies them finds the product as written.

    A product that is written short, as 3.3, comes out in all its decimals, as 3.30.
    """
    rounded = readable(q, decimals), readable(k, decimals), readable(cosine, decimals + 2)
    in_full = max(product, readable(float(as_written(product)), decimals), key=len)
    return in_enough_digits((q, k, cosine), rounded, lambda a, b, c: [a * b * c], [in_full])


def _weight(
    attention: Attention,
    query: int,
    key: int,
    share: explain.SoftmaxShare,
    top: str,
    bottom: str,
    shown: str,
    decimals: int,
) -> str:
    """A power over the sum of all and their quotient, as they are written; and what a mask makes of that."""
    if share.total == share.share == 0:
        quotient = f"0 / 0, defined as **{readable(0.0, decimals)}**"
    elif share.is_masked:
        quotient = f"{top} / {bottom} = **0**"
    else:
        exact = as_written(top) / as_written(bottom) if share.is_exact and share.total else None
        quotient = f"{top} / {bottom} {_equals(shown, exact)}"
    return quotient + _mask_after(attention, query, key, share, decimals)


def _weight_as_used(
    attention: Attention, share: explain.SoftmaxShare, factors: list[str], decimals: int
) -> str:
    """A power's share of the sum, in the digits in which it goes into the output, where those are more."""
    rounded = readable(share.share, decimals)
    if not factors or attention.rules.masks_after_softmax or not share.weight:
        return rounded
    return factors[0] if len(factors[0]) > len(rounded) else rounded


def _power_and_total(share: explain.SoftmaxShare, shown: str, decimals: int) -> list[str]:
    """A power and the sum of all, of which who divides them finds what is shown; e to the −∞ is 0."""
    top, bottom = _to_divide(share.exponential, share.total, shown, decimals)
    return ["0" if share.is_masked else top, bottom]


def _to_divide(top: float, bottom: float, shown: str, decimals: int) -> list[str]:
    """Two numbers of which who divides them finds what is shown."""
    rounded = readable(top, decimals), readable(bottom, decimals)
    if not bottom:
        return list(rounded)
    return in_enough_digits((top, bottom), rounded, lambda a, b: [a / b if b else math.nan], [shown])


def _mask_after(
    attention: Attention, query: int, key: int, share: explain.SoftmaxShare, decimals: int
) -> str:
    """What a mask after the softmax makes of a share."""
    masking = attention.rules.masking
    if not attention.rules.masks_after_softmax:
        return ""
    is_hidden = attention.steps.hidden[query, key]
    if masking == "after" or is_hidden:
        return f", masked after: **{readable(share.weight, decimals)}**"
    shown = readable(share.weight, decimals)
    top, left = _to_divide(share.share, share.kept, shown, decimals)
    equals = "≈" if share.kept else "="
    return f", then {top} / {left} left {equals} **{shown}**"


def vectors(
    attention: Attention, query: int, key: int, decimals: int, last: StageName = "output"
) -> list[str]:
    """Markdown lines on how a query, a key and its value were made from embeddings, entry by entry.

    The value is left out where the path to it ends before the output.
    """
    return [
        *_row(attention, "queries", query, "Query", decimals),
        *_row(attention, "keys", key, "Key", decimals),
        *(_row(attention, "values", key, "Value", decimals) if last == "output" else []),
    ]


def row_of(
    attention: Attention, name: StageName, row: int, decimals: int, column: int | None = None
) -> list[str]:
    """Markdown lines on one number, or all, in a row of the output, or of what is made from embeddings."""
    lines = _row(attention, name, row, _token(attention, name, row), decimals)
    return lines if column is None else [lines[column]]


def output_path(attention: Attention, query: int, column: int, decimals: int) -> list[str]:
    """Markdown lines from the weights of a query to one number of its output."""
    of = verbatim(column_names(attention.inputs, "output")[column])
    whose = _token(attention, "output", query)
    what = f"Each weight of {whose} times the number of its key in column {of} of V, added up:"
    more = "Where a weight comes from: click it at the stage weights, and come back here."
    return [what, *row_of(attention, "output", query, decimals, column), more]


def _row(attention: Attention, name: StageName, row: int, title: str, decimals: int) -> list[str]:
    lines = []
    for column, of in enumerate(column_names(attention.inputs, name)):
        total = _made(attention, name, row, column)
        written = (_named_sum if len(total.terms) <= MOST_NAMED else _sum)(total, decimals)
        lines.append(f"**{title}, {verbatim(of)}** {written}")
    return lines


def _made(attention: Attention, name: StageName, row: int, column: int) -> SumOfProducts:
    """The sum that a number of the output is, or one that is made from embeddings."""
    if name == "output":
        return explain.output(attention, row, column)
    return explain.projection(attention, name, row, column)


def _token(attention: Attention, name: StageName, row: int) -> str:
    tokens = attention.query_titles if name in ("queries", "output") else attention.key_titles
    return verbatim(tokens[row])


def _scaling(attention: Attention, query: int, key: int, decimals: int, shown: str = "") -> str:
    """A score becomes a scaled one, which is shown as is said, or rounded."""
    score = float(attention.steps.scores[query, key])
    shown = shown or _scaled(attention, query, key, decimals)
    text = _score_to_scale(attention, query, key, decimals, shown)
    rules = attention.rules
    if not attention.scale and rules.times == rules.temperature == 1:
        return f"the score stays **{shown}**"
    if rules.times != 1:
        text = f"{rules.times:g} × {bracketed(text)}"
    root = Decimal(1)
    if attention.scale:
        text += f" / √{rules.divide_by}"
        root = Decimal(math.isqrt(rules.divide_by))
    if rules.temperature != 1:
        text += f" / {rules.temperature:g}"
    exact = _is_short(score, decimals) and (not attention.scale or root**2 == rules.divide_by)
    divisor = root * Decimal(f"{rules.temperature:g}")
    expected = _decimal(score) * Decimal(f"{rules.times:g}") / divisor if exact else None
    return f"{text} {_equals(shown, expected)}"


def _scaled(attention: Attention, query: int, key: int, decimals: int) -> str:
    return readable(float(attention.steps.scaled[query, key]), decimals)


def _score_to_scale(attention: Attention, query: int, key: int, decimals: int, scaled: str) -> str:
    """A score, of which who scales it finds what is shown as scaled."""
    score, rules = float(attention.steps.scores[query, key]), attention.rules
    factor = rules.times / rules.temperature / (math.sqrt(rules.divide_by) if attention.scale else 1)
    (text,) = in_enough_digits([score], [_short(score, decimals)], lambda s: [s * factor], [scaled])
    return text


def _masking(attention: Attention, query: int, key: int, decimals: int, shown: str = "") -> str:
    """What a mask adds to a scaled score, which is shown as is said, or rounded."""
    steps, masking = attention.steps, attention.rules.masking
    scaled, masked = float(steps.scaled[query, key]), float(steps.masked[query, key])
    is_hidden = bool(steps.hidden[query, key])
    text = shown or _short(scaled, decimals)
    if attention.rules.masks_after_softmax:
        return f"not yet: it stays **{text}**"
    if masking == "zero" and is_hidden:
        return f"{text} is masked, so it becomes **{_short(masked, decimals)}**"
    added = _short(float(steps.mask[query, key]), decimals) if masking == "minus infinity" else "0"
    expected = as_written(text) if math.isfinite(scaled) else None
    result = readable(masked, decimals) if is_hidden or not shown else shown
    return f"{text} + {bracketed(added)} {_equals(result, expected)}"


def _share(attention: Attention, query: int, key: int, decimals: int) -> str:
    """A power's share of the sum; where a mask comes after it, without the power, for one line."""
    share = explain.softmax_share(attention, query, key)
    shown = readable(share.share, decimals)
    top, bottom = _power_and_total(share, shown, decimals)
    weight = _weight(attention, query, key, share, top, bottom, shown, decimals)
    if attention.rules.masks_after_softmax:
        return weight
    exponent, over = _exponent(share, top, decimals), attention.rules.softmax_over
    less = "".join(f" {MINUS} {bracketed(largest)}" for largest in exponent[1:])
    fraction = rf"{_power(exponent)} / $\sum_{{\text{{{over}}}}} e^{{\text{{masked}}{less}}}$"
    exact = share.is_masked or share.is_exact or math.isinf(share.exponential)
    between = "= " if exact or share.total == share.share == 0 else "≈ "
    return f"{fraction} {between}{weight}"


def _exponent(share: explain.SoftmaxShare, power: str, decimals: int) -> list[str]:
    """The masked score, and the largest where that is divided out, from which the power can be computed."""
    numbers = [share.masked, share.largest_subtracted] if share.largest_subtracted else [share.masked]
    return in_enough_digits(
        numbers,
        [_short(number, decimals) for number in numbers],
        lambda masked, largest=0.0: [float(explain.exponential(masked - largest))],
        [power],
    )


def _power(exponent: list[str]) -> str:
    masked, *largest = exponent
    return f"$e^{{{' '.join([masked, *(f'{MINUS} {bracketed(number)}' for number in largest)])}}}$"


def _factors_of_part(attention: Attention, query: int, key: int, decimals: int) -> list[str]:
    """A weight and the numbers of its value, of which who multiplies them finds what goes into the output.

    None where there are no values.
    """
    if attention.value is None:
        return []
    found = explain.blend(attention, query)
    numbers = [float(found.weights[key]), *attention.value[key].tolist()]
    return in_enough_digits(
        numbers,
        [_short(number, decimals) for number in numbers],
        lambda share, *entries: [share * entry for entry in entries],
        [readable(number, decimals) for number in found.products[key].tolist()],
    )


def _value_part(
    attention: Attention, query: int, key: int, name: str, factors: list[str], decimals: int
) -> str:
    weight, *row = factors
    found = explain.blend(attention, query)
    if not found.weights[key]:
        return f"0 × value of {name} ({', '.join(row)}) = **({', '.join(['0'] * len(row))})**"
    parts = [readable(number, decimals) for number in found.products[key].tolist()]
    return f"{weight} × value of {name} ({', '.join(row)}) ≈ **({', '.join(parts)})**"


def _sum(total: SumOfProducts, decimals: int, longest: int = LONGEST_SUM) -> str:
    products = [
        f"{bracketed(_short(t.left, decimals))} × {bracketed(_short(t.right, decimals))}" for t in total.terms
    ]
    fitting = len(products) if len(" + ".join(products)) <= longest else 1
    while fitting < len(products) and len(" + ".join(products[: fitting + 1])) <= LONGEST_CUT_SUM:
        fitting += 1
    more = f" + … ({len(products)} products)" if fitting < len(products) else ""
    return f"{' + '.join(products[:fitting])}{more} {_total(total, decimals, is_whole=not more)}"


def _total(total: SumOfProducts, decimals: int, is_whole: bool = True, shown: str = "") -> str:
    """The sum, shown as is said or rounded.

    And that it was made before rounding, where who adds the numbers as written finds another; of numbers in
    full, it is the computer that rounds.
    """
    shown = shown or readable(total.total, decimals)
    if not math.isfinite(total.total):
        return _equals(shown)
    in_full = all(_is_short(n, decimals) for t in total.terms for n in (t.left, t.right))
    if not (in_full or is_whole):
        return _equals(shown)
    written = sum(
        as_written(_short(t.left, decimals)) * as_written(_short(t.right, decimals)) for t in total.terms
    )
    result = _equals(shown, written if in_full else None)
    if not is_whole or gives(float(written), shown):
        return result
    exactly = f" (exactly {readable(float(written), decimals)}: the computer rounds)"
    return f"{result}{exactly if in_full else BEFORE_ROUNDING}"


def _named_sum(total: SumOfProducts, decimals: int, shown: str = "") -> str:
    """A sum of products in full, each with the name of its dimension."""
    return f"{_named_products(total, decimals)} {_total(total, decimals, shown=shown)}"


def _named_products(total: SumOfProducts, decimals: int) -> str:
    return " + ".join(
        f"{verbatim(t.name)} {bracketed(_short(t.left, decimals))} × {bracketed(_short(t.right, decimals))}"
        for t in total.terms
    )


def _equals(result: str, expected: Decimal | int | None = None) -> str:
    """A result with "=" where the text before it gives, exactly, what is written; else with "≈"."""
    same = not as_written(result).is_finite() or as_written(result) == expected
    return f"{'=' if same else '≈'} **{result}**"


def _short(number: float, decimals: int) -> str:
    """The number itself where that is short, else rounded."""
    return _plain(number).replace("-", MINUS) if _is_short(number, decimals) else readable(number, decimals)


def _is_short(number: float, decimals: int) -> bool:
    return math.isfinite(number) and len(_plain(number)) <= max(5, decimals + 3)


def _decimal(number: float) -> Decimal:
    """The number as it is written in full."""
    return Decimal(_plain(number))


def _plain(number: float) -> str:
    """The number without its 13th to 17th digit, which computing may leave: 2.42 for 2.4200000000000004."""
    return number_text(float(f"{number:.12g}"))
