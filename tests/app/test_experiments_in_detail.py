"""One word, soft lookup, arrows and heads through the real entry: numbers, words, controls."""

import json
import re

import numpy as np
import pytest

from core.attention import softmax
from core.experiments import CONTROLS, VIEWS
from core.matrices import insert, remove, set_cells, set_matrix
from core.recipes import Recipe, content_of
from core.sharing import edits_of, pack
from core.what_if import MEASURES
from tests.app.screens import cells, numbers, open_page, reference, words
from tests.app.test_experiments import table
from tests.examples import PRESETS

EMMA, ANIMALS, LOVE = (reference(name) for name in ("emma_sentence", "animal_lookup", "i_love_coding"))
FRIEND = 8
VIEW = next(name for name, control in CONTROLS.items() if getattr(control, "options", ()) == VIEWS)


# one word


def test_love_finds_i_and_coding_and_becomes_what_the_lecture_says():
    app = open_page("word_embeddings", experiment="one word", query="2 love")
    for text in (
        "**`love` looks for** q = [0.00, 1.00, 0.00], its embedding [0.00, 1.00, 0.00]",
        "scores **[1.00, 0.00, 1.00]**",
        "weights: **[0.42, 0.16, 0.42]**",
        "add up to **[1.69, 3.11, 0.84]**",
        "becomes its own value, [0.00, 1.00, 0.00]; among the others, **[1.69, 3.11, 0.84]**",
    ):
        assert text in words(app)
    for chart, name in enumerate(("scores", "weights", "output")):
        np.testing.assert_allclose(numbers(app, chart)[1], LOVE[name], rtol=0, atol=1e-7)
        assert set(cells(app, chart).query("mark == 'selected'")["row_name"]) == {"love"}
    shown = np.array(list(table(app).values()))
    wanted = np.column_stack([LOVE["keys"], LOVE["scores"], LOVE["weights"], LOVE["values"]])
    np.testing.assert_allclose(shown, wanted, atol=0.005)


def test_the_context_of_a_word_of_another_length_than_its_value_is_explained():
    app = open_page("word_embeddings", preset="three tokens", experiment="one word", query="3 T2")
    assert "The embedding has 5 numbers and a value 4, as W\\_value is 5 × 4." in words(app)
    np.testing.assert_allclose(numbers(app, 2), reference("three_tokens")["output"], atol=5e-5)


def test_scaling_and_mask_are_steps_of_the_lookup_where_they_are_on():
    shown = words(open_page("word_embeddings", experiment="one word", query="2 love"))
    assert "Divided by" not in shown
    assert "With the causal mask" not in shown
    link = {"scale": "true", "causal": "true", "query": "2 love"}
    shown = words(open_page("word_embeddings", experiment="one word", **link))
    assert "Divided by √3, as scaling is on: [0.58, 0.00, 0.58]" in shown
    assert "With the causal mask, which is on: [0.58, 0.00, −∞]" in shown
    assert "weights: **[0.64, 0.36, 0.00]**" in shown


@pytest.mark.parametrize(
    ("toggles", "title", "taken"),
    [
        ((), "score", ["1.00", "0.00", "1.00"]),
        (("scale",), "scaled", ["0.58", "0.00", "0.58"]),
        (("scale", "causal"), "masked", ["0.58", "0.00", "-∞"]),
    ],
)
def test_the_dictionary_has_the_numbers_of_which_the_softmax_makes_its_weights(toggles, title, taken):
    link = dict.fromkeys(toggles, "true")
    shown = open_page("word_embeddings", experiment="one word", query="2 love", **link).dataframe[0]
    assert json.loads(shown.proto.columns)["c3"]["label"] == title
    assert shown.value["c3"].tolist() == taken


@pytest.mark.parametrize(("link", "query", "key"), [({}, 1, 1), ({"preset": "three tokens"}, 2, 0)])
def test_the_guided_edit_of_w_query_makes_the_word_look_where_it_says_and_is_undone(link, query, key):
    names = reference("three_tokens" if link else "i_love_coding")["tokens"]
    pair = {"query": f"{query + 1} {names[query]}", "look_at": f"{key + 1} {names[key]}"}
    app = open_page("word_embeddings", experiment="one word", causal="false", **link, **pair)
    before = app.data_editor[1].value.iloc[:, 1:].astype(float).to_numpy()
    found = re.findall(r"W\\_query `e(\d)`, `d(\d)`: (\S+) → \*\*(\S+?)\*\*", words(app))
    wanted = before.copy()
    for row, column, old, new in found:
        assert before[int(row) - 1, int(column) - 1] == pytest.approx(float(old.replace("−", "-")))
        wanted[int(row) - 1, int(column) - 1] = float(new.replace("−", "-"))
    assert 1 <= len(found) <= 2
    app.button(key="make-edit").click().run()
    app.run()
    now = app.data_editor[1].value.iloc[:, 1:].astype(float).to_numpy()
    np.testing.assert_allclose(now, wanted, rtol=0, atol=1e-12)
    assert numbers(app, 1)[query].argmax() == key
    assert "edits" in app.query_params
    app.button(key="undo").click().run()
    assert np.array_equal(app.data_editor[1].value.iloc[:, 1:].astype(float).to_numpy(), before)
    assert "edits" not in app.query_params


# soft lookup


def look_up(**link):
    return open_page("animal_lookup", experiment="soft lookup", **link)


def found_by(app) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the hard and of the soft lookup."""
    hard, soft = (cells(app).query(f"which == '{which}'")["weight"].to_numpy() for which in ("hard", "soft"))
    return hard, soft


def output_of(app) -> list[float]:
    return table(app)["output"][1:]


@pytest.mark.parametrize(("query", "best"), [("1 mammal", 4), ("2 reptile", 1)])
def test_at_temperature_1_the_soft_lookup_is_attention_and_the_hard_one_is_the_best_key(query, best):
    place = ["1 mammal", "2 reptile"].index(query)
    app = look_up(query=query, decimals="4 decimals")
    hard, soft = found_by(app)
    np.testing.assert_allclose(soft, ANIMALS["weights"][place], rtol=0, atol=1e-8)
    assert hard.tolist() == np.eye(5)[best].tolist()
    assert output_of(app) == pytest.approx(ANIMALS["output"][place], abs=5.1e-5)
    assert f"only the best key counts, `{ANIMALS['key_names'][best]}`" in words(app)


def test_the_values_have_their_names_with_their_weights():
    shown = table(look_up(decimals="3 decimals"))
    pairs = zip(ANIMALS["key_names"], ANIMALS["value_names"], strict=True)
    assert [*shown] == [*(f"{key}: {value}" for key, value in pairs), "output"]
    assert (shown["kitten: furry"][0], shown["wolf: ferocious"][0]) == (0.158, 0.742)
    parts = np.array(ANIMALS["weights"][0])[:, None] * ANIMALS["values"]
    np.testing.assert_allclose([row[1:] for row in shown.values()][:-1], parts, atol=5.1e-4)


def test_the_smaller_the_temperature_the_closer_to_the_hard_lookup():
    scores = np.array(ANIMALS["scaled_mammal"])
    furthest = []
    for temperature in sorted(MEASURES["temperature"].amounts)[::2]:
        hard, soft = found_by(look_up(hardness=f"{temperature:g}"))
        np.testing.assert_allclose(soft, softmax(scores / temperature), rtol=0, atol=1e-7)
        furthest.append(np.abs(hard - soft).max())
    assert furthest == sorted(furthest)
    assert furthest[0] < 1e-3 < 0.5 < furthest[-1]


@pytest.mark.parametrize(("scale", "divide_by"), [("true", r"\sqrt{3}\, T"), ("false", "T")])
def test_the_formula_says_what_the_temperature_does(scale, divide_by):
    formula = rf"$\operatorname{{softmax}}(\tfrac{{q K^{{\top}}}}{{{divide_by}}})$"
    assert f"every key counts by {formula}: **[" in words(look_up(scale=scale))


@pytest.mark.parametrize(("blend", "place"), [("0", 0), ("1", 1)])
def test_a_blend_of_0_is_mammal_and_of_1_reptile(blend, place):
    app = look_up(source="a blend of two", blend=blend)
    np.testing.assert_allclose(found_by(app)[1], ANIMALS["weights"][place], rtol=0, atol=1e-8)
    said = re.search(r"the same row; largest difference ([^,\n]+)", words(app))[1]
    assert float(said) < 1e-12
    np.testing.assert_allclose(numbers(app, 2), [*ANIMALS["weights"], ANIMALS["weights"][place]], atol=1e-8)


@pytest.mark.parametrize("source", ["a blend of two", "your own"])
def test_a_query_that_is_chosen_looks_up_whatever_did_before(source):
    app = look_up(source=source)
    app.selectbox(key="query").select(1).run()
    assert app.segmented_control(key="source").value == "a query of the page"
    assert "`reptile` is q = [2.10, 9.90, 1.60]" in words(app)
    np.testing.assert_allclose(found_by(app)[1], ANIMALS["weights"][1], rtol=0, atol=1e-8)


def test_a_blend_between_is_a_query_between():
    app = look_up(source="a blend of two", blend="0.25")
    query = 0.75 * np.array(ANIMALS["queries"][0]) + 0.25 * np.array(ANIMALS["queries"][1])
    wanted = softmax(np.array(ANIMALS["keys"]) @ query / np.sqrt(3))
    np.testing.assert_allclose(found_by(app)[1], wanted, atol=1e-12)


def test_ones_own_query_begins_as_that_of_the_page_and_is_then_what_one_sets():
    app = look_up(source="your own")
    np.testing.assert_allclose(found_by(app)[1], ANIMALS["weights"][0], rtol=0, atol=1e-8)
    app = look_up(source="your own", own_1="-1", own_2="2.5", own_3="12")
    wanted = softmax(np.array(ANIMALS["keys"]) @ [-1, 2.5, 12] / np.sqrt(3))
    np.testing.assert_allclose(found_by(app)[1], wanted, atol=1e-12)
    assert "q = [−1.00, 2.50, 12.00]" in words(app)
    app.slider(key="own_3").set_value(0.0).run()
    wanted = softmax(np.array(ANIMALS["keys"]) @ [-1, 2.5, 0] / np.sqrt(3))
    np.testing.assert_allclose(found_by(app)[1], wanted, atol=1e-12)


def test_a_number_of_ones_own_query_stays_with_its_dimension():
    inputs = PRESETS["animal_lookup"].inputs
    dimensions = inputs.matrices["queries"].columns
    now = insert(remove(inputs, dimensions, 0), dimensions, 2, "d4")
    app = look_up(source="your own", own_3="12", edits=pack(edits_of(inputs, now)))
    own = [slider for slider in app.slider if (slider.key or "").startswith("own_")]
    query = inputs.matrices["queries"].values[0]
    assert [(slider.label, slider.value) for slider in own] == [
        ("`d2`", query[1]),
        ("`d3`", 12),
        ("`d4`", 0),
    ]


def test_equal_values_give_the_same_output_at_every_temperature():
    mean = np.array(ANIMALS["values"]).mean(axis=0)
    for temperature in MEASURES["temperature"].amounts[::3]:
        app = look_up(same_values="true", hardness=f"{temperature:g}", decimals="4 decimals")
        assert output_of(app) == pytest.approx(mean, abs=5.1e-5)
        assert "All values are the same here, the mean of V: **any** weights give the same output." in words(
            app
        )


def test_one_vector_is_a_row_of_the_matrix():
    app = look_up(query="2 reptile", hardness="2")
    np.testing.assert_allclose(numbers(app, 1)[0], numbers(app, 2)[1], rtol=0, atol=1e-12)
    assert set(cells(app, 2).query("mark == 'selected'")["row_name"]) == {"reptile"}
    assert "**One vector** q (1 × 3) times Kᵀ (3 × 5): 1 × 5 scores, and as many weights" in words(app)
    assert "**A matrix** Q (2 × 3): the same row; largest difference" in words(app)


def test_the_query_can_be_chosen_on_the_page():
    """By a list that is seen, or by the list of the query in view, which this page has."""
    app = look_up(only="reptile")
    is_unseen = any("unseen" in place for place in places_of(app.main, "query"))
    assert "`reptile` is q = [2.10, 9.90, 1.60]" in words(app) or not is_unseen


def places_of(block, key, around=()):
    """The ids of the containers that a widget is in."""
    for child in block.children.values():
        if getattr(child, "key", None) == key:
            return around
        if hasattr(child, "children"):
            id = getattr(child.proto, "id", "")
            if found := places_of(child, key, (*around, id)):
                return found
    return ()


# arrows


ARROWS = {
    "emma_sentence": (
        np.array(EMMA["queries"]),
        np.array(EMMA["keys"]),
        ["Person", "Animal", "Noun", "Adjective"],
    ),
    "animal_lookup": (np.array(ANIMALS["queries"]), np.array(ANIMALS["keys"]), ["d1", "d2", "d3"]),
}


def own_vectors() -> tuple[np.ndarray, np.ndarray, list[str]]:
    draw = np.random.default_rng(1)
    queries, keys = (np.round(draw.normal(0, 1, (6, 4)), 2) for _ in range(2))
    return queries, keys, ["d1", "d2", "d3", "d4"]


def tips(app, role: str) -> set[tuple[float, float]]:
    frame = cells(app).query(f"role == '{role}'")
    assert (frame[["x0", "y0"]] == 0).all(axis=None)
    return {(round(x, 8), round(y, 8)) for x, y in frame[["x", "y"]].to_numpy()}


@pytest.mark.parametrize("page", ["emma_sentence", "animal_lookup", "your_vectors"])
@pytest.mark.parametrize(("across", "up"), [(0, 1), (2, 0), (1, 2)])
def test_the_arrows_end_at_the_numbers_of_the_chosen_dimensions(page, across, up):
    queries, keys, names = ARROWS[page] if page in ARROWS else own_vectors()
    app = open_page(page, experiment="arrows", across=names[across], up=names[up])
    for role, vectors in (("query", queries), ("key", keys)):
        flat = vectors[:, [across, up]]
        assert tips(app, role) == {(round(x, 8) + 0.0, round(y, 8) + 0.0) for x, y in flat.tolist()}
    both = np.vstack([queries, keys])
    squares = (both**2).sum(axis=0)
    kept = 100 * squares[list({across, up})].sum() / squares.sum()
    assert f"Two of {len(names)} dimensions: **{kept:.1f} %** of the squared lengths" in words(app)


@pytest.mark.parametrize("page", ["emma_sentence", "animal_lookup", "your_vectors"])
def test_the_best_view_keeps_the_two_largest_shares_of_the_squared_lengths(page):
    queries, keys, names = ARROWS[page] if page in ARROWS else own_vectors()
    app = open_page(page, experiment="arrows", **{VIEW: "best view"})
    both = np.vstack([queries, keys])
    shares = np.sort(np.linalg.eigvalsh(both.T @ both))[::-1]
    kept = 100 * shares[:2].sum() / shares.sum()
    kept_most = f"the most of all {len(names)} dimensions (PCA without centring)"
    share = f"{kept_most}: **{kept:.1f} %** of the squared lengths."
    assert f"The two directions through the origin that keep {share}" in words(app)


def test_the_share_in_the_picture_is_of_the_key_as_long_as_it_is_made():
    queries, keys, _ = ARROWS["animal_lookup"]
    longer = keys.copy()
    longer[3] *= 3
    queries_and_keys, both = np.vstack([queries, keys]), np.vstack([queries, longer])
    app = open_page("animal_lookup", experiment="arrows", across="d1", up="d3", key="4 whale", stretch="3")
    squares = (both**2).sum(axis=0)
    shown = f"**{100 * squares[[0, 2]].sum() / squares.sum():.1f} %** of the squared lengths"
    assert shown in words(app)
    app = open_page("animal_lookup", experiment="arrows", **{VIEW: "best view"}, key="4 whale", stretch="3")
    plane = np.linalg.svd(queries_and_keys)[2][:2].T
    shown = f"made longer): **{100 * ((both @ plane) ** 2).sum() / squares.sum():.1f} %** of the squared"
    assert shown in words(app)


def test_the_best_view_shows_nearly_all_of_the_score_of_the_animals():
    app = open_page("animal_lookup", experiment="arrows", **{VIEW: "best view"})
    assert "≈ **93.80**. The rest, about −0.14, is in directions that it leaves out." in words(app)


def test_the_best_view_is_kept_while_one_goes_on():
    app = open_page("emma_sentence", experiment="arrows")
    app.get_by_key(VIEW).set_value("best view").run()
    assert "(PCA without centring)" in words(app)
    app.run()
    assert "(PCA without centring)" in words(app)


def test_a_key_twice_as_long_has_twice_the_score_and_more_weight():
    app = open_page("emma_sentence", experiment="arrows", stretch="2", query="9 friend", key="1 Emma")
    scores = np.array(EMMA["scores"][FRIEND])
    after = softmax(np.concatenate([[4.84], scores[1:]]))
    assert after[0] == pytest.approx(0.94, abs=0.005)
    shown = np.array(list(table(app).values()))
    wanted = np.column_stack([scores, softmax(scores), [4.84, *scores[1:]], after])
    np.testing.assert_allclose(shown, wanted, atol=0.0051)
    assert "1.75 × 3.51 × 0.7883 (38°) ≈ **4.84**" in words(app)
    assert (
        "Of that, the picture shows 1.345 × 2.884 × 0.9895 (8°) ≈ **3.84**. The rest, about 1.00,"
        in words(app)
    )
    assert "Weight 0.58 → **0.94**." in words(app)
    assert (2.4, 1.6) in tips(app, "key")
    assert (1.2, 0.8) not in tips(app, "key")
    marked = cells(app).query("marked")
    assert marked[["role", "name"]].to_numpy().tolist() == [["query", "friend"], ["key", "Emma"]]


def test_the_same_dimension_is_not_taken_twice():
    app = open_page("emma_sentence", experiment="arrows", across="Animal", up="Animal")
    assert app.selectbox(key="up").options == ["Person", "Noun", "Adjective"]
    assert app.selectbox(key="up").value == 0
    app.selectbox(key="across").select(0).run()
    assert (app.selectbox(key="across").value, app.selectbox(key="up").value) == (0, 1)


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"query": "5 she", "key": "9 friend", "causal": "true"}, "It is masked: length does not matter."),
        ({"query": "9 friend", "key": "3 games"}, "It points away (a score below 0)"),
        (
            {"query": "9 friend", "key": "5 she"},
            "At a right angle, or of no length, a key scores 0 however long.",
        ),
        ({"query": "4 but", "key": "1 Emma"}, "`but` has a vector of zeros"),
    ],
)
def test_what_a_longer_key_does_is_said_in_words(link, said):
    app = open_page("emma_sentence", experiment="arrows", stretch="3", **link)
    assert said in words(app)
    if "masked" in said:
        assert table(app)["friend (masked)"][1::2] == [0, 0]


def test_names_of_arrows_that_would_cover_others_stand_below_the_picture():
    app = open_page("animal_lookup", experiment="arrows", across="d1", up="d2")
    drawn = cells(app)
    unnamed = drawn[(drawn["label"] == "") & (drawn["role"] != "axis")]["name"].tolist()
    assert unnamed == ["whale"]
    assert "No room for the name of key `whale`: point at its arrow, or tap it." in words(app)
    app = open_page("animal_lookup", experiment="arrows", across="d1", up="d2", key="4 whale")
    assert "No room for the name of key `wolf`: point at its arrow, or tap it." in words(app)


@pytest.mark.parametrize("scale", ["true", "false"])
def test_arrows_say_which_keys_are_masked_and_what_the_weights_are_of(scale):
    link = {"experiment": "arrows", "query": "2 hates", "scale": scale}
    app = open_page("emma_sentence", causal="true", **link)
    assert list(table(app))[:3] == ["Emma", "hates", "games (masked)"]
    assert sum(name.endswith(" (masked)") for name in table(app)) == 7
    divided = " divided by √4" if scale == "true" else ""
    assert f"Weights are the softmax of the scores{divided}, without the masked keys." in words(app)
    seen = open_page("emma_sentence", causal="false", **link)
    assert not any(name.endswith(" (masked)") for name in table(seen))
    assert "masked keys" not in words(seen)


def test_the_space_of_meaning_says_of_a_key_that_it_is_masked():
    app = open_page("emma_sentence", experiment="meaning space", query="1 Emma", causal="true")
    assert "`she` scores **1.10**: `Person` adds most, 1.10. Masked: weight 0." in words(app)
    assert "`Emma` scores **2.78**: `Person` adds most, 1.32. Weight 1.00." in words(app)


def test_arrows_without_length_in_the_picture_are_named():
    app = open_page("emma_sentence", experiment="arrows", across="Animal", up="Adjective")
    assert "At the origin, 0 across and 0 up: query `hates`, `games`, `but`, `is`, `great`;" in words(app)


def test_what_the_picture_leaves_out_of_a_tiny_score_is_said():
    queries, keys, _ = ARROWS["animal_lookup"]
    inputs = PRESETS["animal_lookup"].inputs
    now = set_matrix(set_matrix(inputs, "queries", queries * 1e-6), "keys", keys * 1e-6)
    app = open_page("animal_lookup", experiment="arrows", edits=pack(edits_of(inputs, now)))
    assert "is in directions that it leaves out." in words(app)


def test_the_tiniest_number_that_can_be_typed_is_an_arrow_too():
    inputs = PRESETS["emma_sentence"].inputs
    now = set_matrix(set_matrix(inputs, "queries", np.zeros((9, 4))), "keys", np.zeros((9, 4)))
    now = set_cells(now, {("queries", FRIEND, 0): 1e-323})
    app = open_page("emma_sentence", experiment="arrows", edits=pack(edits_of(inputs, now)))
    assert "`Emma` has a vector of zeros" in words(app)


@pytest.mark.parametrize(
    ("small", "share"), [(1e-2, "99.99"), (1e-8, "100"), (1e2, "0.01"), (1e3, "0.0001"), (0, "100")]
)
def test_a_share_reads_as_all_or_nothing_only_where_it_is(small, share):
    inputs = PRESETS["animal_lookup"].inputs
    now = set_matrix(
        set_matrix(inputs, "queries", np.array([[1, 0, small]] * 2)), "keys", np.array([[1, 0, small]] * 5)
    )
    app = open_page("animal_lookup", experiment="arrows", edits=pack(edits_of(inputs, now)))
    assert f"Two of 3 dimensions: **{share} %** of the squared lengths" in words(app)


# heads


def each_head(q, k, v, heads, causal):
    """Weights (heads, T, T) and the outputs side by side, one head at a time."""
    mask = np.triu(np.full((len(q), len(k)), -np.inf), 1) if causal else 0
    weights, outputs = [], []
    for i in range(heads):
        own_q, own_k, own_v = (np.split(x, heads, axis=1)[i] for x in (q, k, v))
        weights.append(softmax(own_q @ own_k.T / np.sqrt(q.shape[1] / heads) + mask))
        outputs.append(weights[-1] @ own_v)
    return weights, np.hstack(outputs)


def three_tokens():
    data = reference("three_tokens")
    return tuple(
        np.array(data["embeddings"]) @ np.array(data[f"W_{name}"]) for name in ("query", "key", "value")
    )


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_each_head_of_three_tokens_attends_on_its_own_columns(heads):
    label = "1 head" if heads == 1 else f"{heads} heads"
    app = open_page("word_embeddings", preset="three tokens", experiment="heads", heads=label)
    weights, output = each_head(*three_tokens(), heads, causal=True)
    for head in range(heads):
        np.testing.assert_allclose(numbers(app, head), weights[head], atol=1e-9)
    np.testing.assert_allclose(numbers(app, heads), output, atol=1e-9)
    own = reference("three_tokens")["output"]
    np.testing.assert_allclose(numbers(app, heads + (heads > 1)), own, atol=5e-5)
    assert rf"/ \sqrt{{{4 // heads}}}" in words(app)
    assert (f"**Output of {label}**, side by side" in words(app)) == (heads > 1)
    if heads == 1:
        data = reference("three_tokens")
        np.testing.assert_allclose(numbers(app, 0), data["weights_scaled_causal"], atol=5e-5)
    if heads == 2:
        assert "**Head 2**: `d3`, `d4` of Q and K, `v3`, `v4` of V" in words(app)


def test_i_love_coding_has_as_many_heads_as_divide_3():
    app = open_page("word_embeddings", experiment="heads", heads="3 heads")
    assert app.selectbox(key="heads").options == ["1 head", "3 heads"]
    assert "dₖ, the columns of Q and K that a head has, is 3 / 3 = **1**." in words(app)
    q, k, v = (np.array(LOVE[name]) for name in ("queries", "keys", "values"))
    app.toggle(key="scale").set_value(True).run()
    app.run()
    np.testing.assert_allclose(numbers(app, 3), each_head(q, k, v, 3, causal=False)[1], atol=1e-9)


@pytest.mark.parametrize("projected", [True, False], ids=["embeddings", "q-k-v"])
def test_ones_own_vectors_have_heads_too(projected):
    recipe = Recipe(tokens=("a", "b", "c"), projected=projected, d_model=5, d_k=6, d_v=9, seed=4)
    edits = pack({"start": content_of(recipe)})
    app = open_page("your_vectors", edits=edits, experiment="heads", heads="3 heads", causal="true")
    assert app.selectbox(key="heads").options == ["1 head", "2 heads", "3 heads", "6 heads"]
    draw = np.random.default_rng(4)
    if projected:
        x = np.round(draw.normal(0, 1, (3, 5)), 2)
        q, k, v = (x @ np.round(draw.normal(0, 1 / np.sqrt(5), (5, width)), 2) for width in (6, 6, 9))
    else:
        q, k, v = (np.round(draw.normal(0, 1, (3, width)), 2) for width in (6, 6, 9))
    weights, output = each_head(q, k, v, 3, causal=True)
    for head in range(3):
        np.testing.assert_allclose(numbers(app, head), weights[head], atol=1e-9)
    np.testing.assert_allclose(numbers(app, 3), output, atol=1e-9)


def test_values_that_heads_cannot_share_evenly_leave_their_weights_and_say_so():
    app = open_page("your_vectors", experiment="heads", heads="2 heads")
    assert app.selectbox(key="heads").options == ["1 head", "2 heads", "4 heads"]
    queries, keys, _ = own_vectors()
    weights, _ = each_head(queries, keys, np.zeros((6, 2)), 2, causal=False)
    assert len(app.get("vega_lite_chart")) == 2
    for head in range(2):
        np.testing.assert_allclose(numbers(app, head), weights[head], atol=1e-9)
    assert (
        "2 heads cannot share the columns of V evenly, as there are 3: these are their weights, "
        "without an output. If V had 4 columns, set under Names and sizes, there would be one." in words(app)
    )


def test_columns_that_cannot_be_shared_evenly_are_said_to_be_so():
    edits = pack({"start": content_of(Recipe(tokens=("a", "b"), d_k=11, d_v=11))})
    app = open_page("your_vectors", experiment="heads", edits=edits)
    assert app.selectbox(key="heads").options == ["1 head"]
    assert "Q and K have 11 columns, which 2 to 8 heads cannot share evenly." in words(app)
    assert numbers(app, 1).shape == (2, 11)


# what is said of very few or of equal numbers


def test_keys_that_are_all_equal_are_not_said_to_be_looked_at_already():
    base = PRESETS["emma_sentence"].inputs
    equal = set_cells(base, {("keys", row, d): 1.0 for row in range(9) for d in range(4)})
    app = open_page("emma_sentence", experiment="meaning space", edits=pack(edits_of(base, equal)))
    said = "`friend` looks at all keys that it sees alike, as they are equal: no query tells them apart."
    assert said in words(app)


def test_a_query_of_zeros_gives_the_reason_why_a_longer_key_moves_nothing():
    app = open_page("emma_sentence", experiment="arrows", stretch="4", query="4 but")
    assert "Weight 0.11 → **0.11**. A query of zeros gives any key a score of 0, however long." in words(app)


def test_dimensions_that_add_as_much_add_so_much_each():
    base = PRESETS["emma_sentence"].inputs
    equal = set_cells(base, {("queries", FRIEND, d): 1.0 for d in range(4)})
    equal = set_cells(equal, {("keys", 2, d): float(d > 1) for d in range(4)})
    app = open_page("emma_sentence", experiment="meaning space", edits=pack(edits_of(base, equal)))
    assert "`Noun` and `Adjective` add most, 1.00 each." in words(app)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (1, "The variance of a single score is 0."),
        (4, "Measured around their own mean, 16 scores spread less, by 1/16 on average."),
    ],
)
def test_how_much_less_few_scores_spread_is_told(tokens, said):
    base = found = PRESETS["random_qkv"].inputs
    for token in range(3, tokens - 1, -1):
        found = remove(found, "tokens", token)
    link = {"edits": pack(edits_of(base, found))} if tokens < 4 else {}
    app = open_page("random_qkv", experiment="why √d_k", **link)
    assert said in words(app)
    of_these = "**This score**, and scaled" if tokens == 1 else f"**These {tokens**2} scores**, and scaled"
    assert of_these in words(app)


def test_what_there_is_one_of_is_told_in_the_singular():
    base = PRESETS["i_love_coding"].inputs
    one = remove(remove(base, "tokens", 2), "tokens", 1)
    app = open_page("word_embeddings", experiment="one word", edits=pack(edits_of(base, one)))
    assert "among the others" not in words(app)
    assert "at once" not in words(app)
