"""The formula above a stage has the shapes of the screen, and the numbers put into it say what they are."""

import math
import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import explain
from core.digits import gives, readable
from core.formulas import formula, whole
from core.markdown import SHORT_NAME, short, verbatim
from core.matrices import Axis, Inputs, Matrix, Refused, clean_name, insert, rename
from core.stages import WEIGHT_OF, attend, stage, stage_names
from core.what_if import WhatIf, attend_if
from core.working import LONGEST_SUM, length_factors, path, vectors, worked
from tests.examples import PRESETS
from tests.unit.cases import CASES, attention_of, each
from tests.unit.hostile import HOSTILE, as_shown, parted

SUMS = ("queries", "keys", "values", "scores", "output")
STAGES = [(id, name) for id, preset in PRESETS.items() for name in stage_names(preset.inputs)]

reproducible = settings(derandomize=True, deadline=None, max_examples=200)


def opened(preset, scale=True, causal=False):
    return attend(PRESETS[preset].inputs, scale=scale, causal=causal)


def direct(query, key, scale=False, causal=False):
    """Attention with the given queries and keys, named q0, q1, k0, k1, d0 and so on."""

    def axis(letter, length):
        return Axis(letter, tuple(f"{letter}{i}" for i in range(length)), tuple(range(length)))

    query, key = np.array(query, float), np.array(key, float)
    axes = {"q": axis("q", len(query)), "k": axis("k", len(key)), "d": axis("d", query.shape[1])}
    inputs = Inputs(axes, {"queries": Matrix(query, "q", "d"), "keys": Matrix(key, "k", "d")})
    return attend(inputs, scale=scale, causal=causal)


def said(attention, name, query=0, key=0, column=0, decimals=2):
    """What worked() says of a number, without the names in front of it."""
    return worked(attention, name, query, key, column, decimals).partition(": ")[2]


def test_the_worked_cell_of_emma_reads_as_in_the_lecture():
    text = worked(opened("emma_sentence", scale=False), "scores", query=8, key=0, column=0, decimals=2)
    assert text == "`friend` → `Emma`: 1 × 1.2 + 0.9 × 0.8 + 0.5 × 1 + 1 × 0 = **2.42**"


@pytest.mark.parametrize(
    ("preset", "name", "text"),
    [
        (
            "emma_sentence",
            "scores",
            "`Person` 1 × 1.2 + `Animal` 0.9 × 0.8 + `Noun` 0.5 × 1 + `Adjective` 1 × 0 = **2.42**",
        ),
        ("i_love_coding", "output", "`I` 0.39 × 2 + `love` 0.22 × 0 + `coding` 0.39 × 2 ≈ **1.56**"),
        ("i_love_coding", "queries", "`e1` 0 × 1 + `e2` 1 × 0 + `e3` 0 × 1 = **0.00**"),
        (
            "animal_lookup",  # too long with names
            "output",
            "0.16 × 3.4 + 1.1e−13 × 7.5 + 1.2e−8 × 8.3 + 0.10 × 1.6 + 0.74 × 2.2 ≈ **2.33**",
        ),
        ("random_qkv", "scores", "(−0.51) × (−1.58) + 0.59 × 0.76 + … (8 products) ≈ **0.56**"),
    ],
)
def test_where_there_is_room_the_products_of_a_sum_are_named(preset, name, text):
    query = {"emma_sentence": 8, "i_love_coding": 1}.get(preset, 0)
    said = worked(opened(preset), name, query, 0, 0, 2, is_wide=True)
    assert said.partition(": ")[2] == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("queries", "`love`, `d1`: 0 × 1 + 1 × 0 + 0 × 1 = **0.00**"),
        ("keys", "`coding`, `d1`: 1 × 0 + 1 × 1 + 1 × 0 = **1.00**"),
        ("values", "`coding`, `v1`: 1 × 1 + 1 × 0 + 1 × 1 = **2.00**"),
        ("scores", "`love` → `coding`: 0 × 1 + 1 × 1 + 0 × 2 = **1.00**"),
        ("scaled", "`love` → `coding`: 1 / √3 ≈ **0.58**"),
        ("masked", "`love` → `coding`: 0.58 + 0 = **0.58**"),
        (
            "weights",
            r"`love` → `coding`: $e^{0.577}$ / $\sum_{\text{keys}} e^{\text{masked}}$ "
            "≈ 1.78 / 4.56 ≈ **0.39**",
        ),
        ("output", "`love`, `v1`: 0.39 × 2 + 0.22 × 0 + 0.39 × 2 ≈ **1.56**"),
    ],
)
def test_every_stage_of_i_love_coding_is_worked_out(name, text):
    assert worked(opened("i_love_coding"), name, query=1, key=2, column=0, decimals=2) == text


def test_the_column_of_a_projection_and_of_an_output_is_the_one_asked_for():
    attention = opened("i_love_coding", scale=False)
    assert worked(attention, "values", 1, 2, 1, 2) == "`coding`, `v2`: 1 × 2 + 1 × 1 + 1 × 1 = **4.00**"
    assert worked(attention, "output", 1, 2, 1, 2).endswith(
        ": 0.42 × 3 + 0.16 × 1 + 0.42 × 4 ≈ **3.11** (summed before rounding)"
    )


def test_decimals_are_as_many_as_asked_for():
    attention = opened("i_love_coding")
    assert said(attention, "scaled", 1, 2, decimals=1) == "1 / √3 ≈ **0.6**"
    assert said(attention, "scaled", 1, 2, decimals=4) == "1 / √3 ≈ **0.5774**"


def test_without_scaling_the_score_stays():
    assert said(opened("emma_sentence", scale=False), "scaled", 8, 0) == "the score stays **2.42**"
    assert said(opened("emma_sentence", scale=True), "scaled", 8, 0) == "2.42 / √4 = **1.21**"


def test_a_masked_score_is_minus_infinity_and_its_weight_nothing():
    attention = opened("emma_sentence", scale=False, causal=True)
    assert said(attention, "masked", 0, 8) == "0.9 + (\u2212∞) = **\u2212∞**"
    assert said(attention, "masked", 8, 0) == "2.42 + 0 = **2.42**"
    nothing = said(attention, "weights", 0, 8)
    assert nothing.startswith("$e^{\u2212∞}$ / ")
    assert nothing.endswith("$ = 0 / 16.12 = **0**")
    steps = path(attention, 0, 8, 2)
    assert "**Exponential** $e^{\u2212∞}$ = **0**" in steps
    assert "**Weight** 0 / 16.12 = **0**" in steps
    blind = attend(PRESETS["emma_sentence"].inputs, scale=False, causal=False, blind_query=8)
    steps = path(blind, 8, 0, 2)
    assert "**Exponential** $e^{\u2212∞}$ = **0.00**" in steps
    assert steps[5].endswith("0.00 + 0.00 = **0.00**")
    assert "**Weight** 0 / 0, defined as **0.00**" in steps


def test_what_a_masked_key_adds_to_the_output_is_nothing():
    steps = path(opened("i_love_coding", causal=True), 0, 1, 2)
    assert steps[7] == "**Into the output** of `I`: 0 × value of `love` (0, 1, 0) = **(0, 0, 0)**"


def test_negative_numbers_have_a_true_minus_and_brackets():
    assert (
        said(direct([[-1, 2]], [[3, -0.5]]), "scores") == "(\u22121) × 3 + 2 × (\u22120.5) = **\u22124.00**"
    )


def test_a_tiny_weight_is_not_said_to_be_zero():
    assert said(opened("animal_lookup"), "weights", 0, 1).endswith("≈ **1.1e\u221213**")


@pytest.mark.parametrize(
    ("score", "power", "less"),
    [
        (900, "900 \u2212 900", "\u2212 900"),
        (-900, "\u2212900 \u2212 (\u2212900)", "\u2212 (\u2212900)"),
        (10**12, "1.0e12 \u2212 1.0e12", "\u2212 1.0e12"),
    ],
)
def test_of_a_power_too_large_the_largest_is_subtracted_there_and_in_the_sum(score, power, less):
    text = said(direct([[score / 1000]], [[1000]]), "weights")
    total = rf"\sum_{{\text{{keys}}}} e^{{\text{{masked}} {less}}}"
    assert text == rf"$e^{{{power}}}$ / ${total}$ ≈ 1.00 / 1.00 ≈ **1.00**"


def test_a_long_sum_says_how_many_products_it_has():
    attention = direct(np.ones((1, 64)), np.ones((1, 64)))
    text = said(attention, "scores")
    assert re.fullmatch(r"1 × 1( \+ 1 × 1)+ \+ … \(64 products\) = \*\*64\.00\*\*", text)
    assert len(text.partition(" + …")[0]) <= LONGEST_SUM


def exact(text):
    """The sum of products on the left of a worked score, with the numbers as they are shown."""
    left = re.split(" [=≈] ", text)[0].replace("\u2212", "-").replace("(", "").replace(")", "")
    factors = [product.split(" × ") for product in left.split(" + ")]
    return sum(Decimal(a) * Decimal(b) for a, b in factors)


def result(text):
    return Decimal(re.search(r"\*\*(.*)\*\*", text)[1].replace("\u2212", "-"))


hundredths = st.integers(-999, 999).map(lambda n: n / 100)


@reproducible
@given(st.lists(st.tuples(hundredths, hundredths), min_size=1, max_size=3), st.integers(2, 4))
def test_a_score_has_an_equals_sign_exactly_where_nothing_was_rounded(factors, decimals):
    query, key = zip(*factors, strict=True)
    text = said(direct([query], [key]), "scores", decimals=decimals)
    assert (" = " in text) == (exact(text) == result(text))


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ([1 / 3], [3]),
        ([1 / 3], [1]),
        ([0.123456], [1]),
        ([123456], [1]),
        ([1.05], [1.05]),
        ([1e-12], [1.04]),
        ([1e-5, 1], [1e-5, 1]),
        ([0.1, 0.2, -0.3], [1, 1, 1]),
    ],
)
def test_a_rounded_score_or_factor_has_no_equals_sign(query, key):
    assert " ≈ **" in said(direct([query], [key]), "scores")


@pytest.mark.parametrize("key", [100.001, 100.123456])
def test_a_quotient_of_a_rounded_score_has_no_equals_sign(key):
    text = said(direct([[1000, 0, 0, 0]], [[key, 0, 0, 0]], scale=True), "scaled")
    assert " ≈ **" in text


def test_a_weight_never_has_an_equals_sign():
    for preset in PRESETS:
        assert "=" not in said(opened(preset), "weights")


@pytest.mark.parametrize("decimals", range(5))
@pytest.mark.parametrize("preset", PRESETS)
def test_the_numbers_of_a_quotient_divide_to_the_weight_beside_them(preset, decimals):
    attention = opened(preset)
    for query, key in np.ndindex(attention.steps.weights.shape):
        text = said(attention, "weights", query, key, decimals=decimals)
        top, bottom, weight = re.fullmatch(r".*\$ [≈=] (.+) / (.+) [≈=] \*\*(.+)\*\*", text).groups()
        share = as_number(top) / as_number(bottom)
        assert gives(share, weight), text
        assert decimals == 0 or readable(share, decimals) == weight, text


@pytest.mark.parametrize("decimals", range(5))
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_step_of_a_path_can_be_computed_from_the_numbers_as_they_are_written(preset, causal, decimals):
    attention = opened(preset, causal=causal)
    for query, key in np.ndindex(attention.steps.weights.shape):
        steps = dict(
            re.match(r"\*\*(.+?)\*\* (.+)", line).groups() for line in path(attention, query, key, decimals)
        )
        if not steps["As two lengths and an angle"].startswith("a vector of zeros has no direction"):
            q, k, cosine, product = re.fullmatch(LENGTHS, steps["As two lengths and an angle"]).groups()
            assert gives(as_number(q) * as_number(k) * as_number(cosine), product)
            assert steps["Score"].removesuffix(" (summed before rounding)").endswith(f"**{product}**")
        score, d_k, scaled = re.fullmatch(r"(.+) / √(\d+) [≈=] \*\*(.+)\*\*", steps["Scaled"]).groups()
        assert gives(as_number(score) / np.sqrt(int(d_k)), scaled)
        steps["Exponential"], of_power = without_powers_of_10(steps["Exponential"])
        steps["Sum"], of_sum = without_powers_of_10(steps["Sum"])
        exponent, power = re.fullmatch(r"\$e\^\{(.+)\}\$ [≈=] \*\*(.+)\*\*", steps["Exponential"]).groups()
        assert gives(np.exp(as_number(exponent)), power)
        is_masked = np.isneginf(attention.steps.masked[query, key])
        top, bottom, sign, weight = re.fullmatch(r"(.+) / (.+) ([≈=]) \*\*(.+)\*\*", steps["Weight"]).groups()
        share = as_number(top) / as_number(bottom)
        is_exact = are_powers_exact(attention, query, key) and share == as_number(weight)
        assert sign == ("=" if is_masked or is_exact else "≈")
        assert weight == "0" if is_masked else gives(share, weight)
        true_weight = float(attention.steps.weights[query, key])
        assert gives(true_weight, weight)
        assert is_masked or len(weight) >= len(readable(true_weight, decimals))
        assert share == 0 or not is_masked
        assert (
            steps["Score"].removesuffix(" (summed before rounding)").endswith(f"**{score}**")
            or " = " in steps["Score"]
        )
        assert steps["Masked"].startswith(f"{scaled} + ")
        assert steps["Masked"].endswith(f"**{exponent}**") or " = " in steps["Masked"]
        assert power == top
        assert steps["Sum"].endswith(f"**{bottom}**")
        summands = re.search(": (.+) [=≈]", steps["Sum"])[1].split(" + ")
        short = [number for number in (top, *summands, bottom) if "e" in number]
        assert [of_power, of_sum] == ["", ""] if not short else short[0] in (of_power, of_sum)
        assert (of_power == top) == ("e" in top)
        mine = as_number(summands[key])
        assert as_number(top) == mine or not gives(mine / as_number(bottom), weight)
        if attention.value is not None:
            used, value, sign_of_parts, parts = re.fullmatch(VALUE_PART, steps["Into the output"]).groups()
            assert as_number(used) == as_number(weight)
            assert sign_of_parts == ("=" if is_masked else "≈")
            products = [as_number(used) * as_number(number) for number in value.split(", ")]
            assert all(map(gives, products, parts.split(", ")))


def without_powers_of_10(line: str) -> tuple[str, str]:
    """A line of a path, and the number of which it says that it is written short."""
    told = re.search(r" \((\S+) is (\S+) × 10(\S+)\)$", line)
    if not told:
        return line, ""
    short, mantissa, exponent = told.groups()
    exponent = exponent.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    assert as_number(short) == float(f"{mantissa}e{exponent}")
    return line.removesuffix(told[0]), short


def test_lengths_and_an_angle_give_a_short_score_in_all_its_decimals():
    """2.50 × 1.75 × 0.7521 is 3.29, and 3.3 is 3.30."""
    k = math.sqrt(1.2**2 + 0.8**2 + 1)
    assert length_factors(2.5, k, 3.3 / 2.5 / k, "3.3", 2) == ["2.5", "1.755", "0.7521"]


LENGTHS = r"length × length × cosine = (.+) × (.+) × \(?(.+?)\)? [≈=] \*\*(.+)\*\*"
VALUE_PART = r".+: (.+) × value of `.+` \((.+)\) ([≈=]) \*\*\((.+)\)\*\*"


def test_the_largest_is_divided_out_in_as_many_digits_as_it_takes():
    text = said(direct([[800.125]], [[1], [0.99901]]), "weights", 0, 1, decimals=2)
    shown = re.match(r"\$e\^\{(.+) \u2212 (.+)\}\$ .* ≈ (.+) / ", text)
    masked, largest, power = map(as_number, shown.groups())
    assert readable(np.exp(masked - largest), 2) == readable(power, 2) == "0.45"


@pytest.mark.parametrize("decimals", range(5))
@pytest.mark.parametrize(("preset", "name"), [(id, name) for id, name in STAGES if name in SUMS])
def test_a_sum_is_that_of_the_numbers_as_written_or_says_that_it_was_made_before_rounding(
    preset, name, decimals
):
    attention = opened(preset)
    for row, column in np.ndindex(stage(attention, name).values.shape):
        text = said(attention, name, row, column if name == "scores" else row % 2, column, decimals)
        products, total, before = re.fullmatch(
            r"(.+) [=≈] \*\*(.+)\*\*( \(summed before rounding\))?", text
        ).groups()
        if "products)" in products:
            assert not before
            continue
        factors = [product.split(" × ") for product in products.split(" + ")]
        written = sum(as_number(left) * as_number(right) for left, right in factors)
        assert (readable(written, decimals) == total) == (not before), text


def as_number(text: str) -> float:
    """A number as a formula writes it."""
    return float(text.strip("()").replace("\u2212", "-").replace("∞", "inf"))


def test_a_masked_share_of_a_sum_that_the_decimals_do_not_show_is_0_over_more_digits():
    attention = direct([[-2], [-2]], [[1], [1]], causal=True)
    assert said(attention, "weights", 0, 1, decimals=0).endswith("= 0 / 0.1 = **0**")


def test_a_quotient_has_true_minus_signs_in_its_exponents():
    attention = direct([[-1]], [[20], [40]])
    assert said(attention, "weights").endswith("≈ 2.1e\u22129 / 2.1e\u22129 ≈ **1.00**")


@pytest.mark.parametrize(
    ("query", "key", "line", "told"),
    [
        (0, 0, "**Exponential**", "≈ **6.49e22** (6.49e22 is 6.49 × 10²²)"),
        (0, 0, "**Sum**", "≈ **4.11e23**"),
        (None, 0, "**Exponential**", "≈ **0.37**"),
        (None, 0, "**Sum**", "0.37 + 2.1e−9 ≈ **0.37** (2.1e−9 is 2.1 × 10⁻⁹)"),
    ],
)
def test_the_first_number_of_a_path_that_is_written_short_is_told_in_powers_of_10(query, key, line, told):
    attention = direct([[-1]], [[1], [20]]) if query is None else opened("animal_lookup")
    (found,) = (text for text in path(attention, 0, key, 2) if text.startswith(line))
    assert found.endswith(told)


def test_a_quotient_of_very_large_exponentials_is_in_powers_of_10():
    text = said(opened("animal_lookup"), "weights", key=4)
    assert text.endswith("≈ 3.05e23 / 4.11e23 ≈ **0.74**")


@pytest.mark.parametrize(
    ("preset", "name", "latex"),
    [
        ("emma_sentence", "scores", r"\underset{9 \times 9}{\text{scores}} = "
         r"\underset{9 \times 4}{Q}\;\underset{4 \times 9}{K^{\top}}"),
        ("animal_lookup", "scaled", r"\underset{2 \times 5}{\text{scaled}} = "
         r"\dfrac{\text{scores}}{\sqrt{d_{k}}} = \dfrac{\text{scores}}{\sqrt{3}}"),
        ("animal_lookup", "masked", r"\underset{2 \times 5}{\text{masked}} = \text{scaled} + M"),
        ("animal_lookup", "weights", r"\underset{2 \times 5}{\text{weights}} = "
         r"\dfrac{e^{\text{masked}}}{\sum_{\text{keys}} e^{\text{masked}}}"),
        ("animal_lookup", "output", r"\underset{2 \times 4}{\text{output}} = "
         r"\underset{2 \times 5}{\text{weights}}\;\underset{5 \times 4}{V}"),
        ("three_tokens", "queries", r"\underset{3 \times 4}{Q} = "
         r"\underset{3 \times 5}{X}\;\underset{5 \times 4}{W_{\text{query}}}"),
    ],
)  # fmt: skip
def test_the_formula_of_a_stage_with_a_row_for_each_token(preset, name, latex):
    assert formula(opened(preset), name, transposed=False) == latex


@pytest.mark.parametrize(
    ("preset", "name", "latex"),
    [
        ("animal_lookup", "scores", r"\underset{5 \times 2}{\text{scores}} = "
         r"\underset{5 \times 3}{K^{\top}}\;\underset{3 \times 2}{Q}"),
        ("animal_lookup", "output", r"\underset{4 \times 2}{\text{output}} = "
         r"\underset{4 \times 5}{V}\;\underset{5 \times 2}{\text{weights}}"),
        ("three_tokens", "keys", r"\underset{4 \times 3}{K} = "
         r"\underset{4 \times 5}{W_{\text{key}}^{\top}}\;\underset{5 \times 3}{X}"),
    ],
)  # fmt: skip
def test_the_formula_of_a_stage_with_a_column_for_each_token(preset, name, latex):
    assert formula(opened(preset), name, transposed=True) == latex


@pytest.mark.parametrize("transposed", [False, True])
def test_the_formula_follows_the_toggles(transposed):
    plain = opened("emma_sentence", scale=False, causal=False)
    both = opened("emma_sentence", scale=True, causal=True)
    assert formula(plain, "scaled", transposed).endswith(r"= \text{scores}")
    assert formula(both, "scaled", transposed).endswith(r"\sqrt{4}}")
    assert formula(plain, "masked", transposed).endswith(r"= \text{scaled} + M")
    assert formula(both, "masked", transposed) == formula(plain, "masked", transposed)


def changed(preset, kind, amount=1.0, scale=True, causal=True, query=0, key=0):
    return attend_if(PRESETS[preset].inputs, WhatIf(kind, amount, query, key), scale=scale, causal=causal)


SHARE = r"\dfrac{e^{\text{masked}}}{\sum_{\text{keys}} e^{\text{masked}}}"
SHARE_BEFORE_MASK = SHARE.replace("masked", "scaled")


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    ("attention", "name", "right_side"),
    [
        (changed("emma_sentence", "temperature", 0.5), "scaled",
         r"\dfrac{\text{scores}}{\sqrt{d_{k}} \times T} = \dfrac{\text{scores}}{\sqrt{4} \times 0.5}"),
        (changed("emma_sentence", "temperature", 20.0, scale=False), "scaled",
         r"\dfrac{\text{scores}}{T} = \dfrac{\text{scores}}{20}"),
        (changed("emma_sentence", "temperature", 1.0), "scaled",
         r"\dfrac{\text{scores}}{\sqrt{d_{k}}} = \dfrac{\text{scores}}{\sqrt{4}}"),
        (changed("emma_sentence", "temperature", 1.0, scale=False), "scaled", r"\text{scores}"),
        (changed("emma_sentence", "no_maximum", 1000), "scaled",
         r"\dfrac{1000 \times \text{scores}}{\sqrt{d_{k}}} = \dfrac{1000 \times \text{scores}}{\sqrt{4}}"),
        (changed("emma_sentence", "no_maximum", 10, scale=False), "scaled", r"10 \times \text{scores}"),
        (changed("three_tokens", "sqrt_d_model"), "scaled",
         r"\dfrac{\text{scores}}{\sqrt{d_{\text{model}}}} = \dfrac{\text{scores}}{\sqrt{5}}"),
        (changed("three_tokens", "sqrt_d_model", scale=False), "scaled", r"\text{scores}"),
        (changed("emma_sentence", "masked_zero"), "masked",
         r"\text{scaled, or } 0 \text{ where masked}"),
        (changed("emma_sentence", "mask_after"), "masked", r"\text{scaled (no mask yet)}"),
        (changed("emma_sentence", "mask_after_divided"), "masked", r"\text{scaled (no mask yet)}"),
        (changed("emma_sentence", "blind_query"), "masked", r"\text{scaled} + M"),
        (changed("emma_sentence", "masked_zero"), "weights", SHARE),
        (changed("emma_sentence", "mask_after"), "weights",
         rf"{SHARE_BEFORE_MASK} \text{{ or }} 0 \text{{ where masked}}"),
        (changed("emma_sentence", "mask_after_divided"), "weights",
         rf"\left({SHARE_BEFORE_MASK} \text{{ or }} 0 \text{{ where masked}}\right) / \text{{sum}}"),
        (changed("emma_sentence", "softmax_over_queries"), "weights", SHARE.replace("keys", "queries")),
    ],
)  # fmt: skip
def test_the_formula_of_a_what_if_shows_what_is_changed(attention, name, right_side, transposed):
    assert formula(attention, name, transposed).partition(" = ")[2] == right_side


def test_the_formula_of_one_matrix_has_it_twice():
    attention = changed("three_tokens", "one_matrix")
    left, right = r"\underset{3 \times 4}{K}", r"\underset{4 \times 3}{K^{\top}}"
    scores = r"\underset{3 \times 3}{\text{scores}}"
    assert formula(attention, "scores", transposed=False) == rf"{scores} = {left}\;{right}"
    plain = opened("three_tokens")
    assert formula(plain, "scores", transposed=False) == rf"{scores} = {left.replace('K', 'Q')}\;{right}"


WHOLE = {
    "queries": r"\operatorname{softmax}(\boxed{Q} K^{\top} / \sqrt{d_k} + M)\,V",
    "keys": r"\operatorname{softmax}(Q \boxed{K^{\top}} / \sqrt{d_k} + M)\,V",
    "values": r"\operatorname{softmax}(Q K^{\top} / \sqrt{d_k} + M)\,\boxed{V}",
    "scores": r"\operatorname{softmax}(\boxed{Q K^{\top}} / \sqrt{d_k} + M)\,V",
    "scaled": r"\operatorname{softmax}(\boxed{Q K^{\top} / \sqrt{d_k}} + M)\,V",
    "masked": r"\operatorname{softmax}(\boxed{Q K^{\top} / \sqrt{d_k} + M})\,V",
    "weights": r"\boxed{\operatorname{softmax}(Q K^{\top} / \sqrt{d_k} + M)}\,V",
    "output": r"\boxed{\operatorname{softmax}(Q K^{\top} / \sqrt{d_k} + M)\,V}",
}
WHOLE_TRANSPOSED = {
    "queries": r"V\,\operatorname{softmax}(K^{\top} \boxed{Q} / \sqrt{d_k} + M)",
    "keys": r"V\,\operatorname{softmax}(\boxed{K^{\top}} Q / \sqrt{d_k} + M)",
    "values": r"\boxed{V}\,\operatorname{softmax}(K^{\top} Q / \sqrt{d_k} + M)",
    "scores": r"V\,\operatorname{softmax}(\boxed{K^{\top} Q} / \sqrt{d_k} + M)",
    "scaled": r"V\,\operatorname{softmax}(\boxed{K^{\top} Q / \sqrt{d_k}} + M)",
    "masked": r"V\,\operatorname{softmax}(\boxed{K^{\top} Q / \sqrt{d_k} + M})",
    "weights": r"V\,\boxed{\operatorname{softmax}(K^{\top} Q / \sqrt{d_k} + M)}",
    "output": r"\boxed{V\,\operatorname{softmax}(K^{\top} Q / \sqrt{d_k} + M)}",
}


@pytest.mark.parametrize("name", WHOLE)
def test_the_part_of_the_equation_that_a_stage_computes_is_in_a_box(name):
    attention = opened("three_tokens", scale=True, causal=True)
    assert whole(attention, name, transposed=False) == WHOLE[name]
    assert whole(attention, name, transposed=True) == WHOLE_TRANSPOSED[name]


@pytest.mark.parametrize(("preset", "name"), STAGES)
@pytest.mark.parametrize("transposed", [False, True])
def test_the_parts_of_the_equation_that_are_off_are_grey(preset, name, transposed):
    for scale, causal in ((True, True), (True, False), (False, True), (False, False)):
        wanted = (WHOLE_TRANSPOSED if transposed else WHOLE)[name]
        off = {r"/ \sqrt{d_k}": not scale, "+ M": not causal, "V": preset == "emma_sentence"}
        for part, is_off in off.items():
            if is_off:
                wanted = wanted.replace(part, rf"\textcolor{{gray}}{{{part}}}")
        assert whole(opened(preset, scale, causal), name, transposed) == wanted


@pytest.mark.parametrize(
    ("preset", "kind", "amount", "name", "text"),
    [
        ("emma_sentence", "temperature", 0.5, "scaled", "2.42 / √4 / 0.5 = **2.42**"),
        ("emma_sentence", "no_maximum", 100, "scaled", "100 × 2.42 / √4 = **121.00**"),
        ("three_tokens", "sqrt_d_model", 1, "scaled", "\u22120.16 / √5 ≈ **\u22120.07**"),
        ("random_qkv", "temperature", 20, "scaled", "0.62 / √8 / 20 ≈ **0.01**"),
        ("emma_sentence", "masked_zero", 1, "masked", "1.21 + 0 = **1.21**"),
        ("emma_sentence", "mask_after", 1, "masked", "not yet: it stays **1.21**"),
        ("emma_sentence", "blind_query", 1, "masked", "1.21 + (\u2212∞) = **\u2212∞**"),
        ("emma_sentence", "softmax_over_queries", 1, "weights",
         r"$e^{1.21}$ / $\sum_{\text{queries}} e^{\text{masked}}$ ≈ 3.35 / 18.69 ≈ **0.18**"),
        ("emma_sentence", "no_maximum", 1000, "weights",
         r"$e^{1210}$ / $\sum_{\text{keys}} e^{\text{masked}}$ = ∞ / ∞ = **NaN**"),
    ],
)  # fmt: skip
def test_the_numbers_of_a_what_if_are_put_into_what_is_changed(preset, kind, amount, name, text):
    start = PRESETS[preset].start
    attention = changed(preset, kind, amount, query=start.query, key=start.key)
    assert said(attention, name, start.query, start.key) == text


def test_a_score_that_is_masked_with_0_says_so():
    attention = changed("emma_sentence", "masked_zero", scale=False)
    assert said(attention, "masked", 0, 8) == "0.9 is masked, so it becomes **0**"


def test_a_mask_after_the_softmax_comes_last_and_what_is_left_is_divided():
    after, divided = (changed("emma_sentence", kind) for kind in ("mask_after", "mask_after_divided"))
    seen, hidden = "3.35 / 11.16 ≈ **0.30**", "1.57 / 12.39 ≈ **0.13**"
    assert said(after, "weights", 8, 0).endswith(f"{seen}, masked after: **0.30**")
    assert said(after, "weights", 0, 8).endswith(f"{hidden}, masked after: **0.00**")
    assert said(divided, "weights", 8, 0).endswith(f"{seen}, then 0.30 / 1.00 left ≈ **0.30**")
    assert said(divided, "weights", 0, 8).endswith(f"{hidden}, masked after: **0.00**")
    assert said(divided, "weights", 1, 0).endswith("≈ **0.18**, then 0.177 / 0.260 left ≈ **0.68**")


def test_a_negative_score_times_a_factor_is_in_brackets():
    attention = changed("three_tokens", "no_maximum", 10, scale=False)
    assert said(attention, "scaled", 2, 1).startswith("10 × (\u22120.16) ≈ **\u2212")


@each(CASES)
def test_no_weight_of_a_what_if_has_an_equals_sign_unless_it_is_exact_or_not_a_number(case):
    attention = attention_of(case)
    for (query, key), weight in np.ndenumerate(attention.steps.weights):
        share = explain.softmax_share(attention, query, key)
        is_zero = np.isneginf(attention.steps.masked[query, key]) and share.total > 0
        is_short = are_powers_exact(attention, query, key) and share.total and 100 % share.total == 0
        is_same = is_zero or is_short or np.isnan(weight)
        assert (" = **" in said(attention, "weights", query, key)) == bool(is_same)


def are_powers_exact(attention, query, key):
    """Whether the exponentials of a softmax are all 1 or 0, of scores that are 0 or masked."""
    along = (
        attention.steps.masked[:, key]
        if attention.what_if == "softmax_over_queries"
        else attention.steps.masked[query]
    )
    return all(number in (0, -math.inf) for number in along.tolist())


def test_e_to_the_0_is_1_and_what_is_made_of_it_is_not_rounded():
    attention = opened("emma_sentence", scale=False, causal=True)  # "but" has a query of zeros
    assert (
        said(attention, "weights", 3, 1)
        == "$e^{0}$ / $\\sum_{\\text{keys}} e^{\\text{masked}}$ = 1.00 / 4.00 = **0.25**"
    )
    steps = path(attention, 3, 1, 2)
    assert "**Exponential** $e^{0}$ = **1.00**" in steps
    assert "**Weight** 1.00 / 4.00 = **0.25**" in steps
    assert any(step.endswith("0.00 = **4.00**") for step in steps)
    third = said(attention, "weights", 5, 1)
    assert third == "$e^{0}$ / $\\sum_{\\text{keys}} e^{\\text{masked}}$ = 1.00 / 6.00 ≈ **0.17**"


@each(CASES)
def test_the_equation_is_not_shown_of_a_what_if_which_computes_something_else(case):
    for name in stage_names(case.inputs):
        assert whole(attention_of(case), name, transposed=False) == ""


@each([case for case in CASES if case.scale and case.amount == 1])
def test_the_sum_of_a_path_says_what_it_adds_up(case):
    attention, (query, key) = attention_of(case), case.pair
    (line,) = [line for line in path(attention, query, key, 2) if line.startswith("**Sum**")]
    words = f"keys, for the query `{attention.query_names[query]}`"
    if case.kind == "softmax_over_queries":
        words = f"queries, for the key `{attention.key_names[key]}`"
    says = re.escape(f"**Sum** of the exponentials over all {words}: ")
    summands, total = re.fullmatch(rf"{says}(.+) [=≈] \*\*(.+)\*\*", line).groups()
    assert gives(sum(map(as_number, summands.split(" + "))), total)


def test_very_many_exponentials_are_not_listed():
    attention = direct(np.ones((1, 1)), np.ones((17, 1)))
    assert (
        path(attention, 0, 0, 1)[5]
        == "**Sum** of the exponentials over all keys, for the query `q0` ≈ **46.2**"
    )


def test_a_path_is_told_in_lengths_or_that_there_is_no_angle():
    attention = opened("emma_sentence")
    lines = [path(attention, query, 0, 2)[1] for query in (0, 3)]
    assert (
        lines[0]
        == "**As two lengths and an angle** length × length × cosine = 1.584 × 1.755 × 0.9998 ≈ **2.78**"
    )
    assert lines[1] == "**As two lengths and an angle** a vector of zeros has no direction: **0**"


def test_a_token_and_itself_have_no_other_way_round():
    attention = opened("emma_sentence")
    assert not any("other way round" in line for line in path(attention, 4, 4, 2))
    assert path(attention, 8, 4, 2)[-1] == "**The other way round** `she` → `friend` scores 0.00."
    lookup = opened("animal_lookup")
    assert not any("other way round" in line for line in path(lookup, 0, 1, 2))


def test_other_vectors_of_the_same_names_are_no_other_way_round():
    found = direct([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    axes = found.inputs.axes | {"q": replace(found.inputs.axes["q"], names=("k0", "k1"))}
    named_alike = attend(Inputs(axes, found.inputs.matrices), scale=True, causal=False)
    assert named_alike.query_names == named_alike.key_names
    assert not any("other way round" in line for line in path(named_alike, 0, 1, 2))


def shapes(latex):
    """The shapes under the symbols of a formula, from left to right."""
    return [(int(rows), int(columns)) for rows, columns in re.findall(r"\{(\d+) \\times (\d+)\}", latex)]


@pytest.mark.parametrize(("preset", "name"), STAGES)
@pytest.mark.parametrize("transposed", [False, True])
def test_the_result_of_a_formula_has_the_shape_of_the_stage(preset, name, transposed):
    attention = opened(preset)
    shown = stage(attention, name).transposed() if transposed else stage(attention, name)
    assert shapes(formula(attention, name, transposed))[0] == shown.values.shape


FACTORS = {
    "queries": ("embeddings", "W_query"),
    "keys": ("embeddings", "W_key"),
    "values": ("embeddings", "W_value"),
    "scores": ("query", "key transposed"),
    "output": ("weights", "value"),
}


@pytest.mark.parametrize(("preset", "name"), [(preset, name) for preset, name in STAGES if name in FACTORS])
def test_the_factors_of_a_product_have_their_shapes_and_fit(preset, name):
    attention = opened(preset)
    arrays = {matrix: given.values for matrix, given in attention.inputs.matrices.items()}
    arrays |= {"query": attention.query, "key transposed": attention.key.T}
    arrays |= {"weights": attention.steps.weights, "value": attention.value}
    left, right = (arrays[factor].shape for factor in FACTORS[name])
    assert shapes(formula(attention, name, transposed=False))[1:] == [left, right]
    assert shapes(formula(attention, name, transposed=True))[1:] == [right[::-1], left[::-1]]
    assert left[1] == right[0]


def test_the_shapes_follow_a_change_of_size():
    grown = insert(PRESETS["animal_lookup"].inputs, "keys", 5, "cat")
    attention = attend(grown, scale=True, causal=False)
    assert shapes(formula(attention, "scores", transposed=False)) == [(2, 6), (2, 3), (3, 6)]


@pytest.mark.parametrize("text", HOSTILE)
def test_verbatim_text_is_shown_as_it_is(text):
    assert as_shown(verbatim(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_the_fence_of_verbatim_text_is_longer_than_any_backticks_in_it(text):
    fence = re.match("`+", verbatim(text))[0]
    assert all(len(run) < len(fence) for run in re.findall("`+", text))


def test_an_empty_line_does_not_end_verbatim_text():
    assert verbatim("=1\r\n\r\n ![x](//x.org)\nb") == "`=1 ![x](//x.org) b`"


@reproducible
@given(st.text(st.sampled_from("`ab $*<\n\\") | st.characters(), max_size=20))
def test_every_name_is_shown_as_it_is(text):
    try:
        name = clean_name(text)
    except Refused:
        assume(False)
    assert as_shown(verbatim(name)) == name


@pytest.mark.parametrize(("preset", "name"), STAGES)
def test_hostile_names_stay_verbatim_in_worked_and_out_of_formula(preset, name):
    plain = opened(preset, causal=True)
    between = ", " if name in (*WEIGHT_OF, "output") else " → "
    for text in HOSTILE:
        inputs = PRESETS[preset].inputs
        for axis in inputs.axes:
            inputs = rename(inputs, axis, 0, text)
        attention = attend(inputs, scale=True, causal=True)
        place = verbatim(text) + between + verbatim(text)
        numbers = worked(plain, name, 0, 0, 0, 2).partition(": ")[2]
        assert worked(attention, name, 0, 0, 0, 2) == f"{place}: {numbers}"
        assert formula(attention, name, transposed=False) == formula(plain, name, transposed=False)
        assert formula(attention, name, transposed=True) == formula(plain, name, transposed=True)


@pytest.mark.parametrize("preset", PRESETS)
def test_hostile_names_stay_within_the_code_spans_of_a_path(preset):
    plain = opened(preset, causal=True)
    lines = path(plain, 1, 0, 2) + (vectors(plain, 1, 0, 2) if preset == "three_tokens" else [])
    wanted = [parted(line) for line in lines]
    for text in HOSTILE:
        inputs = PRESETS[preset].inputs
        for axis, about in inputs.axes.items():
            for place in range(len(about.names)):
                inputs = rename(inputs, axis, place, f"{text}{place}")
        attention = attend(inputs, scale=True, causal=True)
        lines = path(attention, 1, 0, 2) + (vectors(attention, 1, 0, 2) if preset == "three_tokens" else [])
        named = {name for axis in inputs.axes.values() for name in axis.names}
        for line, (rest, spans) in zip(lines, wanted, strict=True):
            assert parted(line)[0] == rest
            assert len(parted(line)[1]) == len(spans)
            assert set(parted(line)[1]) <= named


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("friend", "friend"),
        ("twelve chars", "twelve chars"),
        ("thirteen char", "thirteen ch…"),
        ("a" * 40, "a" * 11 + "…"),
    ],
)
def test_a_name_for_one_line_has_at_most_12_characters(name, shown):
    assert as_shown(short(name)) == shown
    assert len(shown) <= SHORT_NAME == 12


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_for_one_line_is_shown_as_it_is(text):
    assert text.startswith(as_shown(short(text)).removesuffix("…"))


def test_where_queries_are_made_with_the_matrix_of_the_keys_the_formula_says_so():
    attention = changed("three_tokens", "one_matrix")
    for name in ("queries", "keys"):
        assert formula(attention, name, transposed=False).endswith(
            r"{X}\;\underset{5 \times 4}{W_{\text{key}}}"
        )
