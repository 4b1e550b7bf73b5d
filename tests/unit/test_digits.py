"""Numbers are written in as many digits as it takes for what is computed from them to be what is shown."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.digits import MINUS, bracketed, gives, in_enough_digits, listed, readable
from core.matrices import rounded_text
from tests.unit.test_formulas import as_number

NUMBERS = st.floats(-1000, 1000).filter(lambda number: abs(number) > 1e-3)
HOW = {"less": operator.sub, "times": operator.mul, "divided by": operator.truediv}

reproducible = settings(derandomize=True, deadline=None, max_examples=300)


def enough(one, other, decimals, how):
    rounded = [readable(number, decimals) for number in (one, other)]

    def computed(a, b):
        return [how(a, b) if b or how is not operator.truediv else math.nan]

    return in_enough_digits((one, other), rounded, computed, [readable(how(one, other), decimals)])


@reproducible
@given(NUMBERS, NUMBERS, st.integers(0, 4), st.sampled_from(list(HOW)))
def test_who_computes_with_the_numbers_as_written_finds_the_result(one, other, decimals, how):
    a, b = map(as_number, enough(one, other, decimals, HOW[how]))
    assert rounded_text(HOW[how](a, b), decimals) == rounded_text(HOW[how](one, other), decimals)


@pytest.mark.parametrize(
    ("one", "other", "how", "texts"),
    [
        (0.574, 0.341, "less", ["0.57", "0.34"]),
        (0.576, 0.342, "less", ["0.576", "0.342"]),  # 0.58 - 0.34 would be 0.24
        (-0.576, -0.342, "less", ["\u22120.576", "\u22120.342"]),
        (1.0304, math.sqrt(8), "divided by", ["1.03", "2.83"]),
        (0.5802, 0.5764, "less", ["0.580", "0.576"]),
        (0.58, 0.5764, "less", ["0.58", "0.576"]),  # a number that has no more digits
        (3.05e23, 4.11e23, "divided by", ["3.05e23", "4.11e23"]),
        (math.inf, 2, "divided by", ["∞", "2.00"]),
        (0.1 + 0.2, 0.3, "less", ["0.30", "0.30"]),  # which gives 5.6e-17
    ],
)
def test_a_rounded_number_stays_where_that_is_enough(one, other, how, texts):
    assert enough(one, other, 2, HOW[how]) == texts


def test_no_digits_are_made_up_where_many_are_needed():
    numbers, results = (98.1, 100.0), [readable(98.1 * 333333.333333 - 100 * 327000, 2)]
    found = in_enough_digits(numbers, ("98", "100"), lambda a, b: [a * 333333.333333 - b * 327000], results)
    assert all(as_number(text) == number for text, number in zip(found, numbers, strict=True))


@reproducible
@given(st.integers(-99999, 99999), st.sampled_from([10, 1000, 10000]), st.sampled_from([2, 4, 5]))
def test_a_half_is_rounded_as_the_number_is_that_is_computed_from_it(count, parts, divisor):
    """Where a number is divided and what comes out divided again, as a score by √d_k and by a temperature."""
    one, decimals = count / parts, 2
    halfway, end = one / divisor, one / divisor / 4
    shown = readable(end, decimals)
    (between,) = in_enough_digits([halfway], [readable(halfway, decimals)], lambda x: [x / 4], [shown])
    (first,) = in_enough_digits([one], [readable(one, decimals)], lambda x: [x / divisor], [between])
    assert gives(as_number(between) / 4, shown)
    assert gives(as_number(first) / divisor, between)


@pytest.mark.parametrize(
    ("number", "text", "is_it"),
    [
        (1.2345, "1.23", True),
        (1.2351, "1.23", False),
        (0.00023044, "0.0002304", True),
        (-3.06e23, "\u22123.1e23", True),
        (3.04e23, "3.1e23", False),
        (1.26e-13, "1.3e\u221213", True),
        (math.inf, "∞", True),
        (200000, "200000", True),
        (200000.4, "200000", True),
        (197990.8, "200000", False),
        (-100000.2, "\u2212100000", True),
        (math.inf, "3.1e23", False),
    ],
)
def test_a_number_is_compared_in_as_many_digits_as_a_text_has(number, text, is_it):
    assert gives(number, text) is is_it


@pytest.mark.parametrize(
    ("number", "text", "in_brackets"),
    [
        (-0.5, "\u22120.50", "(\u22120.50)"),
        (2, "2.00", "2.00"),
        (-1e-9, "\u22121.0e\u22129", "(\u22121.0e\u22129)"),
        (-np.inf, "\u2212∞", "(\u2212∞)"),
        (np.nan, "NaN", "NaN"),
    ],
)
def test_a_negative_number_has_a_true_minus_and_brackets_beside_another_sign(number, text, in_brackets):
    assert readable(number, 2) == text
    assert bracketed(text) == in_brackets


def test_of_a_long_vector_eight_numbers_are_listed_and_all_are_counted():
    assert listed(np.arange(8.0), 0) == "[0, 1, 2, 3, 4, 5, 6, 7]"
    assert listed(np.arange(-1.0, 8), 0) == f"[{MINUS}1, 0, 1, 2, 3, 4, 5, 6, … (9 numbers)]"
