"""Numbers as a formula writes them: rounded, or in as many digits as it takes for its result to come out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np

from core.attention import Array
from core.matrices import HUGE, TINIEST, number_text, rounded_text, short_power
from core.tolerances import ROUNDING, ROUNDING_OF_SUMS

MINUS = "\u2212"
LONGEST_LIST = 8  # numbers
SURE_DIGITS = 11  # which ROUNDING does not reach
MOST_DIGITS = 14  # of a number that is written more exactly, so that a formula comes out


def readable(number: float, decimals: int) -> str:
    """A rounded number with a true minus sign, after which no line breaks."""
    return rounded_text(number, decimals).replace("-", MINUS)


def in_full(number: float) -> str:
    """Every digit of a number, with a true minus sign."""
    return number_text(number).replace("-", MINUS)


def listed(vector: Array, decimals: int) -> str:
    """A vector in brackets, cut after LONGEST_LIST numbers."""
    numbers = [readable(float(number), decimals) for number in vector[:LONGEST_LIST]]
    more = [f"… ({len(vector)} numbers)"] if len(vector) > LONGEST_LIST else []
    return f"[{', '.join(numbers + more)}]"


def apart(one: Array, other: Array) -> str:
    """The largest difference between two arrays of the same shape, as text that knows a rounding."""
    difference = float(np.abs(one - other).max(initial=0.0))
    if difference == 0:
        return "0, to the last digit"
    is_rounding = difference < ROUNDING * float(np.abs(one).max())
    return f"{difference:.1e}{', a rounding in the last digit' if is_rounding else ''}"


def sum_text(total: float, decimals: int) -> str:
    """A sum of weights, with as many more decimals as it takes to see that it is not 1."""
    text = rounded_text(total, decimals)
    if abs(total - 1) <= ROUNDING_OF_SUMS or text != rounded_text(1.0, decimals) or decimals >= 6:
        return text
    return sum_text(total, decimals + 1)


def bracketed(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text


def as_written(text: str) -> Decimal:
    """The number that a rounded one says it is."""
    return Decimal(text.replace(MINUS, "-").replace("∞", "Infinity"))


def counted(count: int, thing: str) -> str:
    """So many of a thing, whose plural ends in s."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def in_enough_digits(
    numbers: Sequence[float],
    rounded: Sequence[str],
    computed: Callable[..., Sequence[float]],
    results: Sequence[str],
) -> list[str]:
    """Numbers in so many digits that who computes with them as written finds the results as they are written.

    They stay as rounded where that is enough, where one of them is not finite, and where no digits would do,
    as of a result that is a rounding of the computer.
    """

    def comes_out(*written: float) -> bool:
        return all(map(gives, computed(*written), results))

    if not all(map(math.isfinite, numbers)) or comes_out(*(float(as_written(text)) for text in rounded)):
        return list(rounded)
    for digits in range(max(1, *map(_digits, rounded)), MOST_DIGITS + 1):
        written = [_in_digits(number, digits) for number in numbers]
        if comes_out(*(float(as_written(text)) for text in written)):
            return written
    return list(rounded)


def gives(number: float, text: str) -> bool:
    """Whether a text is what a number is when it is rounded as the text is."""
    if number == float(as_written(text)):
        return True
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if not exponent or not math.isfinite(number):
        shown = readable(number, decimals)
        if "e" not in shown:
            return shown == text
        return math.isclose(float(as_written(text)), number, abs_tol=0.5 * 10**-decimals, rel_tol=ROUNDING)
    return float(f"{number:.{decimals}e}") == float(as_written(text))


def _digits(text: str) -> int:
    """How many digits of a number are written, from its first that is not 0."""
    return sum(map(str.isdigit, text.partition("e")[0].lstrip(f"{MINUS}0.")))


def _in_digits(number: float, digits: int) -> str:
    """A number in so many digits, as 1.23e8 where it is very small or large; fewer, where it has no more.

    Halves go away from 0, as where a number is rounded to decimals, as far as no rounding changes the digits.
    """
    if number == 0 or TINIEST <= abs(number) < HUGE:
        nudged = number * (1 + ROUNDING) if digits <= SURE_DIGITS else number
        text = f"{nudged:.{digits}g}"
        if not math.isclose(float(text), number, rel_tol=ROUNDING):
            text = f"{nudged:#.{digits}g}"  # 0.580, not 0.58
        return f"{Decimal(text):f}".replace("-", MINUS)
    return short_power(f"{number:.{digits - 1}e}").replace("-", MINUS)
