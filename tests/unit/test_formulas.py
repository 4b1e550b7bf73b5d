"""The formula above a stage has the shapes of the screen, and the numbers put into it say what they are."""

import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.formulas import LONGEST_SUM, formula, verbatim, worked
from core.matrices import Axis, Inputs, Matrix, Refused, clean_name, insert, rename
from core.presets import load_presets
from core.stages import WEIGHT_OF, attend, stage, stage_names

PRESETS, _ = load_presets(Path(__file__).parents[2] / "data")
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
    ("name", "text"),
    [
        ("queries", "`love`, `d1`: 0 × 1 + 1 × 0 + 0 × 1 = **0.00**"),
        ("keys", "`coding`, `d1`: 1 × 0 + 1 × 1 + 1 × 0 = **1.00**"),
        ("values", "`coding`, `v1`: 1 × 1 + 1 × 0 + 1 × 1 = **2.00**"),
        ("scores", "`love` → `coding`: 0 × 1 + 1 × 1 + 0 × 2 = **1.00**"),
        ("scaled", "`love` → `coding`: 1 / √3 ≈ **0.58**"),
        ("masked", "`love` → `coding`: 0.58 + 0 ≈ **0.58**"),
        (
            "weights",
            r"`love` → `coding`: $e^{0.58}$ / $\sum_{\text{keys}} e^{\text{masked}}$ "
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
    assert worked(attention, "output", 1, 2, 1, 2).endswith("≈ **3.11**")


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
    assert nothing.endswith(" ≈ **0.00**")


def test_negative_numbers_have_a_true_minus_and_brackets():
    assert (
        said(direct([[-1, 2]], [[3, -0.5]]), "scores") == "(\u22121) × 3 + 2 × (\u22120.5) = **\u22124.00**"
    )


def test_a_tiny_weight_is_not_said_to_be_zero():
    assert said(opened("animal_lookup"), "weights", 0, 1).endswith("≈ **1.1e\u221213**")


@pytest.mark.parametrize(
    ("score", "power"),
    [
        (900, "900 \u2212 900"),
        (-900, "\u2212900 \u2212 (\u2212900)"),
        (10**12, "1.0e12 \u2212 1.0e12"),
    ],
)
def test_of_a_power_too_large_the_largest_is_subtracted(score, power):
    text = said(direct([[score / 1000]], [[1000]]), "weights")
    assert (
        text == rf"$e^{{{power}}}$ / $\sum_{{\text{{keys}}}} e^{{\text{{masked}}}}$ ≈ 1.00 / 1.00 ≈ **1.00**"
    )


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


@pytest.mark.parametrize(
    ("preset", "name", "latex"),
    [
        ("emma_sentence", "scores", r"\underset{9 \times 9}{\text{scores}} = "
         r"\underset{9 \times 4}{Q}\;\underset{4 \times 9}{K^{\top}}"),
        ("animal_lookup", "scaled", r"\underset{2 \times 5}{\text{scaled}} = "
         r"\dfrac{\text{scores}}{\sqrt{d_k}} = \dfrac{\text{scores}}{\sqrt{3}}"),
        ("animal_lookup", "masked", r"\underset{2 \times 5}{\text{masked}} = \text{scaled} + M, \quad M = 0"),
        ("animal_lookup", "weights", r"\underset{2 \times 5}{\text{weights}} = "
         r"\operatorname{softmax}(\text{masked}) = "
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
    assert formula(plain, "masked", transposed).endswith("M = 0")
    assert formula(both, "masked", transposed).endswith(r"M = -\infty \text{ for later keys, else } 0")


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


HOSTILE = [
    "`",
    "```",
    "a`b``c",
    "`x",
    "x`",
    "*bold* _it_ ~~no~~",
    "[x](http://x.org)",
    "![x](x.png)",
    "# heading",
    "- list",
    "| a | b |",
    "$x^2$",
    "$$",
    r"\frac{1}{2}",
    r"\`",
    "<script>alert(1)</script>",
    "<b>",
    "&amp;",
    "<!--",
    ":red[x]",
    ":material/home:",
    ":smile:",
    "{0} %s",
    "-->",
    "http://x.org",
]


def as_shown(markdown):
    """What CommonMark shows for a code span: https://spec.commonmark.org/0.31.2/#code-spans."""
    fence = re.match("`+", markdown)[0]
    inside = markdown[len(fence) : len(markdown) - len(fence)]
    assert markdown == fence + inside + fence
    assert not inside.startswith("`")
    assert not inside.endswith("`")
    assert fence not in re.findall("`+", inside)
    padded = inside.startswith(" ") and inside.endswith(" ") and inside.strip(" ")
    return inside[1:-1] if padded else inside


@pytest.mark.parametrize("text", HOSTILE)
def test_verbatim_text_is_shown_as_it_is(text):
    assert as_shown(verbatim(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_the_fence_of_verbatim_text_is_longer_than_any_backticks_in_it(text):
    fence = re.match("`+", verbatim(text))[0]
    assert all(len(run) < len(fence) for run in re.findall("`+", text))


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
