"""The five worked examples: every figure their lecture or notebook prints comes out of core.attention."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.attention import project, scaled_dot_product_attention

REFERENCE = Path(__file__).parents[1] / "reference"
GIVEN = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(REFERENCE.glob("*.json"))}

# What a figure may differ by, as it was printed with so many decimals.
TOLERANCE = {
    "animal_lookup": 1e-8,
    "emma_sentence": 0.005,
    "i_love_coding": 1e-7,
    "random_qkv": 1e-7,
    "three_tokens": 5e-5,
}
# Products and sums of numbers with one decimal, printed in full: only binary rounding may differ.
PRINTED_IN_FULL = {
    ("animal_lookup", "scores_mammal"),
    ("emma_sentence", "scores"),
    ("emma_sentence", "worked_cell.terms"),
    ("emma_sentence", "worked_cell.score"),
    ("i_love_coding", "queries"),
    ("i_love_coding", "keys"),
    ("i_love_coding", "values"),
    ("i_love_coding", "scores"),
}
INPUTS = {
    "animal_lookup": {"query_names", "key_names", "value_names", "queries", "keys", "values"},
    "emma_sentence": {"tokens", "dimensions", "queries", "keys", "worked_cell.query", "worked_cell.key"},
    "i_love_coding": {"tokens", "embeddings", "W_query", "W_key", "W_value", "query_token"},
    "random_qkv": {"q", "k", "v"},
    "three_tokens": {"tokens", "note", "embeddings", "W_query", "W_key", "W_value"},
}


def animal_lookup(given):
    queries, keys, values = given["queries"], given["keys"], given["values"]
    mammal = scaled_dot_product_attention(queries[:1], keys)
    both = scaled_dot_product_attention(queries, keys, values)
    return {
        "scaling": mammal.scores[0, 0] / mammal.scaled[0, 0],
        "scores_mammal": mammal.scores[0],
        "scaled_mammal": mammal.scaled[0],
        "weights": both.weights,
        "output": both.output,
    }


def emma_sentence(given):
    queries, keys = given["queries"], given["keys"]
    plain = scaled_dot_product_attention(queries, keys, scale=1.0)
    friend = given["tokens"].index(given["worked_cell"]["query"])
    emma = given["tokens"].index(given["worked_cell"]["key"])
    return {
        "scores": plain.scores,
        "weights_unscaled_unmasked": plain.weights,
        "weights_scaled_causal": scaled_dot_product_attention(queries, keys, is_causal=True).weights,
        "worked_cell.terms": np.column_stack([keys[emma], queries[friend]]),
        "worked_cell.score": plain.scores[friend, emma],
    }


def i_love_coding(given):
    queries, keys, values = (project(given["embeddings"], given[f"W_{w}"]) for w in ("query", "key", "value"))
    love = given["tokens"].index(given["query_token"])
    steps = scaled_dot_product_attention(queries[[love]], keys, values, scale=1.0)
    return {
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": steps.scores[0],
        "weights": steps.weights[0],
        "output": steps.output[0],
    }


def random_qkv(given):
    steps = scaled_dot_product_attention(given["q"], given["k"], given["v"], is_causal=True)
    return {
        "scores": steps.scores,
        "variance_unscaled.q": np.var(given["q"]),
        "variance_unscaled.k": np.var(given["k"]),
        "variance_unscaled.scores": np.var(steps.scores),
        "variance_scaled": np.var(steps.scaled),
        "scaled": steps.scaled,
        "mask": steps.mask,
        "masked": steps.masked,
        "weights_scaled_causal": steps.weights,
        "output": steps.output,
    }


def three_tokens(given):
    x = np.array(given["embeddings"])
    queries, keys, values = (project(x, given[f"W_{w}"]) for w in ("query", "key", "value"))
    averages = scaled_dot_product_attention(np.zeros_like(x), x, x, is_causal=True).output
    naive_scores = scaled_dot_product_attention(x, x, scale=1.0).scores
    steps = scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return {
        "average_T0_T1": averages[1],
        "average_all": averages[2],
        "naive_scores": naive_scores,
        "naive_mix": project(naive_scores, x),
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": steps.scores,
        "scaled": steps.scaled,
        "masked": steps.masked,
        "weights_scaled_causal": steps.weights,
        "output": steps.output,
    }


def flat(given):
    """The entries of a file, those of a group named "group.entry"."""
    entries = {}
    for name, entry in given.items():
        entries |= {f"{name}.{k}": v for k, v in entry.items()} if isinstance(entry, dict) else {name: entry}
    return entries


RECOMPUTE = {
    "animal_lookup": animal_lookup,
    "emma_sentence": emma_sentence,
    "i_love_coding": i_love_coding,
    "random_qkv": random_qkv,
    "three_tokens": three_tokens,
}
FIGURES = [(file, name) for file, given in GIVEN.items() for name in flat(given) if name not in INPUTS[file]]


@pytest.mark.parametrize(("file", "name"), FIGURES, ids=lambda part: part)
def test_the_printed_figure_is_computed(file, name):
    # numpy reads the files' "-inf" as negative infinity
    printed = np.array(flat(GIVEN[file])[name], dtype=float)
    computed = RECOMPUTE[file](GIVEN[file])[name]
    tolerance = 1e-12 if (file, name) in PRINTED_IN_FULL else TOLERANCE[file]
    assert computed.shape == printed.shape
    np.testing.assert_allclose(computed, printed, rtol=0, atol=tolerance)


def test_all_five_files_and_nothing_but_their_inputs_is_left_unchecked():
    assert sorted(GIVEN) == sorted(TOLERANCE)
    for file, given in GIVEN.items():
        assert set(flat(given)) == INPUTS[file] | set(RECOMPUTE[file](given)), file


def test_the_tiny_weights_of_the_animals_have_the_printed_nine_digits():
    computed = animal_lookup(GIVEN["animal_lookup"])["weights"]
    printed = np.array(GIVEN["animal_lookup"]["weights"])
    assert printed.min() < 1e-12
    np.testing.assert_allclose(computed, printed, rtol=5e-9, atol=0)


def test_the_terms_of_the_worked_cell_sum_to_its_score():
    cell = GIVEN["emma_sentence"]["worked_cell"]
    assert sum(key * query for key, query in cell["terms"]) == pytest.approx(cell["score"], abs=1e-12)


def test_scores_of_emma_are_the_same_with_tokens_as_columns():
    given = GIVEN["emma_sentence"]
    by_columns = np.einsum("it,if->ft", np.transpose(given["keys"]), np.transpose(given["queries"]))
    np.testing.assert_allclose(by_columns, emma_sentence(given)["scores"], rtol=0, atol=1e-12)


def test_the_zero_queries_of_emma_spread_their_weights_evenly():
    weights = emma_sentence(GIVEN["emma_sentence"])["weights_unscaled_unmasked"]
    for token in ("but", "is"):
        np.testing.assert_allclose(weights[GIVEN["emma_sentence"]["tokens"].index(token)], 1 / 9, rtol=1e-15)


def test_the_first_random_token_keeps_its_value():
    output = random_qkv(GIVEN["random_qkv"])["output"]
    np.testing.assert_array_equal(output[0], GIVEN["random_qkv"]["v"][0])


@pytest.mark.parametrize(
    ("file", "names", "rows"),
    [
        ("animal_lookup", "query_names", "queries"),
        ("animal_lookup", "key_names", "keys"),
        ("animal_lookup", "value_names", "values"),
        ("emma_sentence", "tokens", "queries"),
        ("emma_sentence", "tokens", "keys"),
        ("i_love_coding", "tokens", "embeddings"),
        ("three_tokens", "tokens", "embeddings"),
    ],
)
def test_every_row_has_a_name(file, names, rows):
    assert len(GIVEN[file][names]) == len(GIVEN[file][rows])
