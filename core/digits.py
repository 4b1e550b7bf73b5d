"""Numbers as a formula writes them: rounded, or in as many digits as it takes for its result to come out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal

from core.matrices import HUGE, TINIEST, in_powers, rounded_text

MINUS = "\u2212"
MOST_DIGITS = 15  # of a number, more than its decimals say


def readable(number: float, decimals: int) -> str:
    """A rounded number with a true minus sign, after which no line breaks."""
    return rounded_text(number, decimals).replace("-", MINUS)


def bracketed(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text


def as_written(text: str) -> Decimal:
    """The number that a rounded one says it is."""
    return Decimal(text.replace(MINUS, "-"))


def in_enough_digits(
    numbers: Sequence[float],
    rounded: Sequence[str],
    decimals: int,
    computed: Callable[..., Sequence[float]],
    results: Sequence[float],
) -> list[str]:
    """Numbers in so many digits that who computes with them as written finds the results as they are shown.

    They stay as rounded where that is enough, and where one of them is not finite.
    """

    def comes_out(*written: float) -> bool:
        return [rounded_text(n, decimals) for n in computed(*written)] == shown

    shown = [rounded_text(number, decimals) for number in results]
    if not all(map(math.isfinite, numbers)) or comes_out(*(float(as_written(text)) for text in rounded)):
        return list(rounded)
    for digits in range(max(1, *map(_digits, rounded)), MOST_DIGITS):
        if comes_out(*(float(f"{number:.{digits - 1}e}") for number in numbers)):
            break
    return [_in_digits(number, digits) for number in numbers]


def _digits(text: str) -> int:
    """How many digits of a number are written, from its first that is not 0."""
    return sum(map(str.isdigit, text.partition("e")[0].lstrip(f"{MINUS}0.")))


def _in_digits(number: float, digits: int) -> str:
    """A number in so many digits, with a power of 10 where it is very small or large."""
    if number == 0 or TINIEST <= abs(number) < HUGE:
        text = f"{Decimal(f'{number:.{digits}g}'):f}"
    else:
        text = in_powers(f"{number:.{digits - 1}e}")
    return text.replace("-", MINUS, 1) if number < 0 else text
