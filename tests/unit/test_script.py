"""The script behind a page is short, needs NumPy alone, and computes the very numbers of the page."""

import ast
import io
import itertools
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest

from core.matrices import Axis, Inputs, Matrix
from core.script import script
from core.stages import attend
from core.what_if import KINDS, WhatIf, attend_if, offered
from tests.unit.cases import CASES, ON_OFF, PRESETS, attention_of, each
from tests.unit.hostile import HOSTILE

LIMIT = 40
BREAKING = [
    '"""',
    "'''",
    '"',
    "'",
    "#",
    "\\",
    "\\n",
    "a\nimport os",
    "a\r\nimport os",
    "a\rimport os",
    "a\x0cimport os",
    "a\x85import os",
    "a\u2028import os",
    "'); import os; ('",
    "{os}",
    "# -*- x -*-",
]


def ran(text):
    """What a script leaves behind, and what it prints."""
    left, printed = {"__name__": "script"}, io.StringIO()
    with redirect_stdout(printed), np.errstate(all="ignore"):
        exec(compile(text, "script.py", "exec"), left)
    return left, printed.getvalue()


def assert_computes(text, attention):
    """The script's weights and output are the attention's, printed, and its inputs the same bit by bit."""
    left, printed = ran(text)
    steps = attention.steps
    for name, matrix in attention.inputs.matrices.items():
        read = left["X" if name == "embeddings" else name]
        assert (read.dtype, read.shape) == (np.float64, matrix.values.shape)
        assert read.tobytes() == matrix.values.tobytes()
    np.testing.assert_allclose(left["weights"], steps.weights, rtol=0, atol=1e-12)
    shown = f"{left['weights'].round(2)}\n"
    assert ("output" in left) == (steps.output is not None)
    if steps.output is not None:
        np.testing.assert_allclose(left["output"], steps.output, rtol=1e-12, atol=1e-12)
        shown += f"{left['output'].round(2)}\n"
    assert printed == shown


def assert_needs_numpy_alone(text):
    tree = ast.parse(text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import numpy as np"]
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {"np"}
    assert {node.id for node in names} - made <= {"bool", "float", "print"}


def assert_is_short(text):
    assert text.endswith("\n")
    assert len(text.splitlines()) <= LIMIT


@each(CASES)
def test_the_script_of_a_what_if_computes_what_the_page_shows(case):
    attention = attention_of(case)
    text = script(attention, "Title")
    assert_is_short(text)
    assert_needs_numpy_alone(text)
    assert_computes(text, attention)
    assert f"# What if: {KINDS[case.kind].title}. {KINDS[case.kind].verdict}" in text.splitlines()


@pytest.mark.parametrize(("preset", "scale", "causal"), list(itertools.product(PRESETS, ON_OFF, ON_OFF)))
def test_the_script_of_attention_as_defined_computes_what_the_page_shows(preset, scale, causal):
    attention = attend(PRESETS[preset].inputs, scale=scale, causal=causal)
    text = script(attention, "Title")
    assert_is_short(text)
    assert_needs_numpy_alone(text)
    assert_computes(text, attention)
    assert "What if" not in text


def test_the_whole_script_of_two_tokens_with_one_dimension():
    axes = {"t": Axis("token", ("a", "b"), (0, 1)), "d": Axis("dimension", ("d1",), (0,))}
    one, other = np.array([[1.0], [-0.5]]), np.array([[1 / 3], [2.0]])
    matrices = {"queries": Matrix(one, "t", "d"), "keys": Matrix(other, "t", "d")}
    text = script(attend(Inputs(axes, matrices), scale=True, causal=True), "Two  words")
    head, first, rest = text.partition("# one row for each of 'a', 'b'\n")
    assert sorted(head.splitlines()) == [
        "",
        "# Two words",
        "# softmax(Q K^T / sqrt(d_k) + M) V: Vaswani et al., Attention Is All You Need (2017), equation 1",
        "import numpy as np",
    ]
    assert first + rest == (
        "# one row for each of 'a', 'b'\n"
        "queries = np.array([[1],\n"
        "                    [-0.5]], float)\n"
        "# one row for each of 'a', 'b'\n"
        "keys = np.array([[0.3333333333333333],\n"
        "                 [2]], float)\n"
        "\n"
        "scores = queries @ keys.T  # the dot product of every query (row) with every key (column)\n"
        "scaled = scores / np.sqrt(1)  # d_k = 1 numbers in each query\n"
        "hidden = np.triu(np.ones(scores.shape, bool), k=1)  # True where a key comes later\n"
        "masked = np.where(hidden, -np.inf, scaled)\n"
        "largest = masked.max(axis=1, keepdims=True)  # changes no weight, keeps e^x small\n"
        "exponentials = np.exp(masked - largest)\n"
        "weights = exponentials / exponentials.sum(axis=1, keepdims=True)\n"
        "\n"
        "print(weights.round(2))\n"
    )


@pytest.mark.parametrize("query", [0, 1])
def test_with_one_query_in_view_the_script_computes_every_query(query):
    inputs = PRESETS["animal_lookup"].inputs
    for kind in ("temperature", "blind_query", "shuffled"):
        full, alone = (
            attend_if(inputs, WhatIf(kind, 2.0), scale=True, causal=False, only_query=only)
            for only in (None, query)
        )
        assert script(alone, "Title") == script(full, "Title")


def with_names(inputs, hostile):
    """The inputs with names that are as given, even those that no one could type."""
    axes = {
        name: replace(axis, names=tuple(f"{hostile}{i}" for i in range(len(axis.names))))
        for name, axis in inputs.axes.items()
    }
    return replace(inputs, axes=axes)


def code_of(text):
    return ast.dump(ast.parse(text))


@pytest.mark.parametrize("preset", ["animal_lookup", "three_tokens"])
@pytest.mark.parametrize("hostile", [*HOSTILE, *BREAKING], ids=ascii)
def test_hostile_names_and_titles_stay_within_comments(preset, hostile):
    inputs = PRESETS[preset].inputs
    plain = script(attend(inputs, scale=True, causal=True), "Title")
    renamed = attend(with_names(inputs, hostile), scale=True, causal=True)
    for title in (hostile, f"a {hostile} b"):
        text = script(renamed, title)
        assert code_of(text) == code_of(plain)
        assert text.count("\n") == plain.count("\n")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_stay_within_the_comments_of_every_what_if(kind):
    preset = "random_qkv" if kind != "sqrt_d_model" else "three_tokens"
    inputs, what_if = PRESETS[preset].inputs, WhatIf(kind, 10.0, 1, 1)
    plain = script(attend_if(inputs, what_if, scale=True, causal=True), "Title")
    for hostile in BREAKING:
        attention = attend_if(with_names(inputs, hostile), what_if, scale=True, causal=True)
        assert code_of(script(attention, hostile)) == code_of(plain)


def example_of(tokens, width, projected, rng):
    """An example of random numbers; with projections, or with queries, keys and values as they are."""
    axes = {
        "tokens": Axis("token", tuple(f"token {i}" for i in range(tokens)), tuple(range(tokens))),
        "dimensions": Axis("dimension", tuple(f"d{i}" for i in range(width)), tuple(range(width))),
    }
    if projected:
        names = {"embeddings": "tokens"} | dict.fromkeys(("W_query", "W_key", "W_value"), "dimensions")
    else:
        names = dict.fromkeys(("queries", "keys", "values"), "tokens")
    matrices = {
        name: Matrix(rng.normal(size=(len(axes[rows].names), width)) / width**0.25, rows, "dimensions")
        for name, rows in names.items()
    }
    return Inputs(axes, matrices)


@pytest.mark.parametrize("projected", [True, False], ids=["embeddings", "queries"])
@pytest.mark.parametrize("width", [1, 2, 5, 6])
def test_a_script_is_as_short_for_every_number_of_tokens(width, projected):
    for tokens in (*range(1, 25), 64):
        inputs = example_of(tokens, width, projected, np.random.default_rng(2))
        assert_is_short(script(attend(inputs, scale=True, causal=True), "Title"))


@pytest.mark.parametrize("projected", [True, False], ids=["embeddings", "queries"])
def test_the_script_of_64_tokens_is_as_short_and_runs(projected):
    inputs = example_of(64, 3, projected, np.random.default_rng(0))
    for kind in offered(inputs, unordered=False):
        attention = attend_if(inputs, WhatIf(kind, 2.0, 5, 7), scale=True, causal=True)
        text = script(attention, "64 tokens")
        assert_is_short(text)
        assert_needs_numpy_alone(text)
        assert_computes(text, attention)


def test_the_script_of_64_tokens_and_64_dimensions_is_as_short_and_runs():
    inputs = example_of(64, 64, True, np.random.default_rng(0))
    attention = attend_if(inputs, WhatIf("blind_query", 1.0, 5, 7), scale=True, causal=True)
    text = script(attention, "64 tokens")
    assert_is_short(text)
    assert_computes(text, attention)


@pytest.mark.parametrize("number", [0.1, 1 / 3, 5e-324, -1e-300, 1e6, -999999.9999999999, 123456.0, 1e-5])
def test_any_number_reads_back_as_it_was(number):
    inputs = example_of(2, 3, False, np.random.default_rng(1))
    inputs.matrices["keys"].values[1, 2] = number
    attention = attend(inputs, scale=False, causal=False)
    left, _ = ran(script(attention, "Title"))
    assert left["keys"][1, 2] == number
    assert_computes(script(attention, "Title"), attention)
