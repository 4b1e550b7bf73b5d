"""Three ways, meaning space, why √d_k and from average through the real entry: numbers, words, controls."""

import re

import numpy as np
import pytest

from core.attention import softmax
from core.matrices import rounded_text, set_cells, set_matrix
from core.recipes import Recipe, content_of
from core.sharing import edits_of, pack
from core.writings import WRITINGS
from tests.app.screens import cells, numbers, open_page, reference, words
from tests.examples import PRESETS

EMMA = reference("emma_sentence")
SCORES = np.array(EMMA["scores"])
FRIEND = 8
WAY_OF = {
    "1 average": {1: "averages"},
    "2 dot products": {0: "naive_scores", 1: "naive_mix", 2: "embeddings"},
    "3 softmax": {2: "naive_scores", 3: "embeddings"},
    "4 queries and keys": {2: "queries", 3: "keys", 4: "scores"},
    "5 attention": {0: "weights_scaled_causal", 1: "output", 2: "scaled", 3: "masked", 4: "values"},
}


def table(app, place: int = 0) -> dict[str, list[float]]:
    """A table of numbers, by the name of its row."""
    frame = app.dataframe[place].value
    return dict(zip(frame["name"], frame.iloc[:, 1:].astype(float).to_numpy().tolist(), strict=True))


def code(app) -> list[str]:
    return [element.value for element in app.code]


# three ways


@pytest.mark.parametrize(
    ("writing", "meets", "shapes"),
    [
        (
            WRITINGS[0],
            "Row 9 (`friend`) of Q meets column 1 (`Emma`) of Kᵀ, which is row 1 of K.",
            [r"{9 \times 4}{Q}", r"{4 \times 9}{K^{\top}}", r"{9 \times 9}{\text{scores}}"],
        ),
        (
            WRITINGS[1],
            "Row 9 (`friend`) of Qᵀ, which is column 9 of Q, meets column 1 (`Emma`) of K.",
            [r"{9 \times 4}{Q^{\top}}", r"{4 \times 9}{K}", r"{9 \times 9}{\text{scores}}"],
        ),
        (
            WRITINGS[2],
            "Here f = 9 (`friend`) and t = 1 (`Emma`).",
            [
                r"{4 \times 9}{K}",
                r"{4 \times 9}{Q}",
                r"\text{scores}[f, t] = \sum_{i=1}^{4} K[i, t]\; Q[i, f]",
            ],
        ),
    ],
)
def test_each_writing_has_all_81_scores_and_says_which_row_meets_which_column(writing, meets, shapes):
    link = {"writing": writing, "query": "9 friend", "key": "1 Emma"}
    app = open_page("emma_sentence", experiment="three ways", decimals="4 decimals", **link)
    frame = cells(app)
    scores = frame[frame["result"]]
    assert len(scores) == 81
    np.testing.assert_allclose(scores["text"].astype(float).to_numpy().reshape(9, 9), SCORES, atol=5e-5)
    assert scores[["row_name", "column_name"]].to_numpy()[9 * FRIEND].tolist() == ["friend", "Emma"]
    assert meets in words(app)
    assert all(shape in words(app) for shape in shapes)
    assert "1 × 1.2 + 0.9 × 0.8 + 0.5 × 1 + 1 × 0 = **2.4200**" in words(app)


def test_the_factors_of_the_product_are_q_on_the_left_and_k_above():
    frame = cells(open_page("emma_sentence", experiment="three ways"))
    factors = frame[~frame["result"] & (frame["text"] != "")]
    above = factors[factors["row_name"].isin(["Person", "Animal", "Noun", "Adjective"])]
    left = factors.drop(above.index)
    assert np.array_equal(above["text"].astype(float).to_numpy().reshape(4, 9), np.array(EMMA["keys"]).T)
    assert np.array_equal(left["text"].astype(float).to_numpy().reshape(9, 4), EMMA["queries"])


def test_the_selected_row_column_and_score_are_marked():
    app = open_page("emma_sentence", experiment="three ways", query="5 she", key="8 great")
    marked = cells(app).query("marked")
    assert set(marked.query("not result and row_name == 'she'")["text"]) == {"1.10", "0.00", "-1.00"}
    assert marked.query("result")[["row_name", "column_name", "text"]].to_numpy().tolist() == [
        ["she", "great", "-1.20"]
    ]
    assert len(marked) == 4 + 4 + 1
    assert "`she` → `great`" in words(app)


def test_the_three_writings_differ_by_a_rounding_at_most():
    shown = words(open_page("emma_sentence", experiment="three ways"))
    q, k = np.array(EMMA["queries"]), np.array(EMMA["keys"])
    for name, other in (("Qᵀ K", q @ k.T), ("einsum", np.einsum("it,if->ft", k.T, q.T))):
        said = re.search(f"- {name} and Q Kᵀ: largest difference \\*\\*([^,*]+),", shown)[1]
        assert float(said) == pytest.approx(np.abs(other - q @ k.T).max(), abs=1e-15)


def test_another_writing_comes_with_its_line_of_numpy_and_selecting_by_list_redraws():
    app = open_page("emma_sentence", experiment="three ways")
    lines = []
    for writing in WRITINGS:
        app.get_by_key("writing").set_value(writing).run()
        lines += code(app)
    assert lines == ["scores = Q @ K.T", "scores = Q.T @ K", "scores = np.einsum('it,if->ft', K, Q)"]
    app.selectbox(key="query").select(4).run()
    app.run()
    assert "Here f = 5 (`she`) and t = 1 (`Emma`)." in words(app)


# meaning space


def test_the_profiles_are_q_and_k_and_the_parts_of_friend_sum_to_its_scores():
    app = open_page("emma_sentence", experiment="meaning space", query="9 friend")
    for chart, name in enumerate(("queries", "keys")):
        assert np.array_equal(cells(app, chart)["value"].to_numpy().reshape(9, 4), EMMA[name])
    assert set(cells(app, 0).query("marked")["token_name"]) == {"friend"}
    parts = cells(app, 2)
    assert parts["part"].to_numpy()[:4] == pytest.approx([1.2, 0.72, 0.5, 0])
    assert parts["sum"][0] == "2.42"
    assert parts["part"].to_numpy().reshape(9, 4).sum(axis=1) == pytest.approx(SCORES[FRIEND])
    assert parts["dimension_name"][:4].tolist() == ["Person", "Animal", "Noun", "Adjective"]


def test_the_three_best_keys_of_friend_have_their_reasons():
    shown = words(open_page("emma_sentence", experiment="meaning space", query="9 friend"))
    lines = [line for line in shown.split("\n") if " adds most, " in line]
    assert lines == [
        "`Emma` scores **2.42**: `Person` adds most, 1.20. Weight 0.58.",
        "`great` scores **0.70**: `Adjective` adds most, 1.20. Weight 0.10.",
        "`friend` scores **0.50**: `Noun` adds most, 0.50. Weight 0.09.",
    ]


def test_the_guided_edit_makes_friend_look_at_games_and_undo_takes_it_back():
    link = {"query": "9 friend", "look_at": "3 games"}
    app = open_page("emma_sentence", experiment="meaning space", **link)
    found = re.findall(r"Q `friend`, `(\w+)`: \S+ → \*\*(\S+)\*\*", words(app))
    assert len(found) == 2
    wanted = np.array(EMMA["queries"])
    for name, text in found:
        wanted[FRIEND, ["Person", "Animal", "Noun", "Adjective"].index(name)] = float(text.replace("−", "-"))
    app.button(key="make-edit").click().run()
    app.run()
    now = cells(app, 0)["value"].to_numpy().reshape(9, 4)
    assert np.array_equal(now, wanted)
    assert app.data_editor[0].value.iloc[:, 1:].astype(float).to_numpy().tolist() == wanted.tolist()
    assert "`friend` looks at `games` already: no key that it sees scores more." in words(app)
    weights = numbers(open_page("emma_sentence", stage="weights", edits=app.query_params["edits"]))
    assert weights[FRIEND].argmax() == 2
    assert (weights[FRIEND] == weights[FRIEND].max()).sum() == 1
    app.button(key="undo").click().run()
    assert "edits" not in app.query_params
    assert np.array_equal(cells(app, 0)["value"].to_numpy().reshape(9, 4), EMMA["queries"])


def test_the_dimension_that_adds_most_to_a_tiny_score_is_the_only_one():
    inputs = PRESETS["emma_sentence"].inputs
    now = inputs
    for name in ("queries", "keys"):
        now = set_matrix(now, name, inputs.matrices[name].values * 1e-9)
    edits = pack(edits_of(inputs, now))
    app = open_page("emma_sentence", experiment="meaning space", query="9 friend", edits=edits)
    assert "scores **2.4e−18**: `Person` adds most, 1.2e−18." in words(app)


def test_a_key_that_no_query_likes_best_says_why_and_offers_no_edit():
    app = open_page("emma_sentence", experiment="meaning space", query="9 friend", look_at="2 hates")
    why = (
        "another key always scores at least as much as `hates`. "
        "Make the key of `hates` larger than the others in one dimension, in K."
    )
    assert f"no one or two in the query of `friend` do it: {why}" in words(app)
    assert "make-edit" not in [button.key for button in app.button]


def test_a_query_of_zeros_looks_everywhere_alike():
    app = open_page("emma_sentence", experiment="meaning space", query="4 but")
    assert (
        "All numbers of this query are 0, or meet only zeros: it gives all it sees the same weight."
        in words(app)
    )
    assert set(cells(app, 2)["sum"]) == {"0.00"}


def test_a_guided_edit_makes_a_key_the_heaviest_or_says_that_it_is_masked():
    app = open_page(
        "emma_sentence", experiment="meaning space", query="1 Emma", look_at="3 games", causal="true"
    )
    if "make-edit" in [button.key for button in app.button]:
        app.button(key="make-edit").click().run()
        app.run()
        edits = app.query_params["edits"]
        weights = numbers(open_page("emma_sentence", stage="weights", causal="true", edits=edits))
        assert weights[0].argmax() == 2 or "masked" in words(app)


# why the square root


def test_the_measured_variances_of_the_page_are_those_of_the_notebook():
    app = open_page("random_qkv", experiment="why √d_k", decimals="4 decimals")
    data, shown = reference("random_qkv"), table(app)
    for name, variance in zip(("Q", "K", "scores"), data["variance_unscaled"].values(), strict=True):
        assert shown[name][0] == pytest.approx(variance, abs=5e-5)
    assert shown["scores / √dₖ"][0] == pytest.approx(data["variance_scaled"], abs=5e-5)
    assert [row[1] for row in shown.values()][:5] == [1, 1, 8, 1, 1]
    weights = softmax(np.array(data["scores"]) / np.sqrt(8))
    assert shown["output"] == pytest.approx(
        [np.var(weights @ np.array(data["v"])), (weights**2).sum(axis=1).mean()], abs=5e-5
    )


def test_the_softmax_of_each_row_is_sharper_unscaled():
    app = open_page("random_qkv", experiment="why √d_k", decimals="4 decimals")
    scores = np.array(reference("random_qkv")["scores"])
    plain, scaled = softmax(scores), softmax(scores / np.sqrt(8))
    entropies = [-(weights * np.log2(weights)).sum(axis=1) for weights in (plain, scaled)]
    wanted = np.column_stack([plain.max(axis=1), scaled.max(axis=1), *entropies])
    np.testing.assert_allclose(list(table(app, 1).values()), wanted, atol=5.1e-5)


def test_the_slope_of_the_largest_weight_is_that_of_the_numbers_as_they_are_written():
    app = open_page("random_qkv", experiment="why √d_k")
    weights = [row[:2] for row in table(app, 1).values()]
    slopes = re.findall(r"([\d.]+) × \(1 − ([\d.]+)\) ≈ \*\*([\d.]+)\*\*", words(app))
    sharpest = max(weights)
    for (weight, same, slope), shown in zip(slopes, sharpest, strict=True):
        assert weight == same
        assert rounded_text(float(weight), 2) == rounded_text(shown, 2)
        assert rounded_text(float(weight) * (1 - float(weight)), 2) == slope
    assert float(slopes[0][2]) < float(slopes[1][2])


@pytest.mark.parametrize("decimals", ["1 decimal", "2 decimals", "3 decimals"])
def test_the_variances_below_the_stages_multiply_to_what_is_said(decimals):
    text = words(open_page("random_qkv", decimals=decimals))
    width, q, k, product = re.search(r"K’s: (\d+) × ([\d.]+) × ([\d.]+) ≈ ([\d.]+)\.", text).groups()
    assert rounded_text(int(width) * float(q) * float(k), int(decimals[0])) == product


def drawn(app, tokens, d_k, d_v, seed):
    """Whether the tables of the numbers are those of NumPy's generator, as far as they are shown."""
    rng = np.random.default_rng(seed)
    for place, width in enumerate((d_k, d_k, d_v), start=2):
        wanted = rng.standard_normal((tokens, width))[:, :12]
        np.testing.assert_allclose(list(table(app, place).values()), wanted, atol=5.1e-5)


def test_a_draw_is_numpys_and_redraw_is_the_next_seed_until_one_goes_back():
    size = {"tokens": "5", "d_k": "3", "d_v": "2"}
    app = open_page(
        "random_qkv",
        experiment="why √d_k",
        draw="a draw with a seed",
        seed="7",
        decimals="4 decimals",
        **size,
    )
    app.session_state["drawn"] = True
    app.run()
    drawn(app, 5, 3, 2, 7)
    assert "rng = np.random.default_rng(7)\nQ = rng.standard_normal((5, 3))" in code(app)[0]
    app.button(key="redraw").click().run()
    assert app.session_state["seed"] == 8
    drawn(app, 5, 3, 2, 8)
    app.get_by_key("draw").set_value("this page’s numbers").run()
    assert table(app)["Q"][0] == pytest.approx(1.1903, abs=1e-9)
    assert "These are the matrices of the page" in words(app)
    np.testing.assert_allclose(list(table(app, 2).values()), reference("random_qkv")["q"], atol=5.1e-5)


@pytest.mark.parametrize(
    ("tokens", "d_k", "d_v"), [(2, 1, 1), (64, 512, 512), (2, 512, 1), (64, 1, 512), (64, 8, 8)]
)
def test_the_smallest_and_the_largest_draws_measure_what_is_drawn(tokens, d_k, d_v):
    size = {"tokens": str(tokens), "d_k": str(d_k), "d_v": str(d_v)}
    link = {"draw": "a draw with a seed", "seed": "3", "decimals": "4 decimals"}
    app = open_page("random_qkv", experiment="why √d_k", **link, **size)
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((tokens, width)) for width in (d_k, d_k, d_v))
    output = softmax(q @ k.T / np.sqrt(d_k)) @ v
    wanted = [q.var(), k.var(), (q @ k.T).var(), (q @ k.T).var() / d_k, v.var(), output.var()]
    np.testing.assert_allclose([row[0] for row in table(app).values()], wanted, rtol=1e-6, atol=5.1e-5)
    assert len(table(app, 1)) == tokens
    assert table(app)["scores"][1] == d_k
    spread = cells(app, 0).groupby(["which", "width"])["variance"].mean()
    if tokens == 64:
        for width in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
            assert spread["scores", width] == pytest.approx(width, rel=0.2)
            assert spread["scores / √dₖ", width] == pytest.approx(spread["scores", width] / width)
    assert cells(app, 2).groupby("which")["share"].sum().tolist() == pytest.approx([1, 1])


def test_unscaled_one_key_takes_nearly_all_and_scaled_it_does_not_as_d_k_grows():
    app = open_page("random_qkv", experiment="why √d_k", draw="a draw with a seed", tokens="16")
    largest, entropy = (cells(app, chart).set_index(["which", "width"])["measure"] for chart in (1, 3))
    assert largest["scores", 512] > 0.9 > 0.5 > largest["scores / √dₖ", 512]
    assert entropy["scores", 512] < 0.5 < 2 < entropy["scores / √dₖ", 512] < np.log2(16)


# from an average


@pytest.mark.parametrize("way", WAY_OF)
def test_every_figure_of_the_notebook_is_a_heatmap_of_its_way(way):
    data = reference("three_tokens")
    app = open_page("word_embeddings", preset="three tokens", experiment="from average", way=way)
    for chart, name in WAY_OF[way].items():
        if name == "averages":
            figures = [data["embeddings"][0], data["average_T0_T1"], data["average_all"]]
        else:
            figures = data[name]
        shown = numbers(app, chart)
        np.testing.assert_allclose(shown, np.array(figures, float), rtol=0, atol=5e-5, err_msg=name)


def test_ways_3_and_4_mix_embeddings_with_weights_that_sum_to_1():
    data = reference("three_tokens")
    x = np.array(data["embeddings"])
    q, k = (x @ np.array(data[name]) for name in ("W_query", "W_key"))
    link = {"preset": "three tokens", "experiment": "from average"}
    for way, chart, scores in (("3 softmax", 0, x @ x.T), ("4 queries and keys", 0, q @ k.T)):
        app = open_page("word_embeddings", way=way, **link)
        weights = softmax(scores)
        np.testing.assert_allclose(numbers(app, chart), weights, atol=1e-9)
        np.testing.assert_allclose(numbers(app, chart + 1), weights @ x, atol=1e-9)


@pytest.mark.parametrize(
    ("way", "mixed", "output"),
    [("2 dot products", "embeddings", "naive_mix"), ("5 attention", "values", "output")],
)
def test_the_lengths_are_those_of_what_is_mixed_and_of_what_comes_of_it(way, mixed, output):
    data = reference("three_tokens")
    app = open_page(
        "word_embeddings", preset="three tokens", experiment="from average", way=way, decimals="4 decimals"
    )
    wanted = np.column_stack([np.linalg.norm(data[name], axis=1) for name in (mixed, output)])
    np.testing.assert_allclose(list(table(app).values()), wanted, atol=2e-4)
    assert f"The longest output is {wanted[:, 1].max():.2f}"[:-1] in words(app)


def test_the_toggles_change_way_5_and_not_way_4():
    shown = {}
    for way, outputs in (("4 queries and keys", 1), ("5 attention", 1)):
        app = open_page("word_embeddings", preset="three tokens", experiment="from average", way=way)
        shown[way] = [numbers(app, outputs)]
        for toggle in ("scale", "causal"):
            app.toggle(key=toggle).set_value(False).run()
            app.run()
            shown[way].append(numbers(app, outputs))
    assert all(np.array_equal(shown["4 queries and keys"][0], other) for other in shown["4 queries and keys"])
    x = np.array(reference("three_tokens")["embeddings"])
    q, k, v = (x @ np.array(reference("three_tokens")[f"W_{name}"]) for name in ("query", "key", "value"))
    mask = np.triu(np.full((3, 3), -np.inf), 1)
    wanted = [softmax(q @ k.T / 2 + mask) @ v, softmax(q @ k.T + mask) @ v, softmax(q @ k.T) @ v]
    np.testing.assert_allclose(shown["5 attention"], wanted, atol=1e-9)


def remove(app, position):
    """Remove a token by Names and sizes."""
    app.selectbox(key=next(box.key for box in app.selectbox if box.key.startswith("position."))).set_value(
        position
    ).run()
    app.button(key="remove").click().run()
    return app.run()


def test_what_is_proposed_to_look_at_stays_the_same_token_where_others_go():
    app = open_page("emma_sentence", experiment="meaning space", query="9 friend")
    for _ in range(2):
        assert app.selectbox(key="look_at").options[0] == "for example games"
        app = remove(app, 0)


@pytest.mark.parametrize(
    ("query", "proposed"), [("1 Emma", "Emma"), ("4 but", "Emma"), ("9 friend", "games")]
)
def test_no_key_is_proposed_that_the_causal_mask_hides(query, proposed):
    app = open_page("emma_sentence", experiment="meaning space", query=query, causal="true")
    assert app.selectbox(key="look_at").options[0] == f"for example {proposed}"
    assert "The causal mask hides" not in words(app)


def test_whom_to_look_at_stays_the_same_token_where_another_goes():
    app = remove(open_page("emma_sentence", experiment="meaning space", look_at="4 but"), 0)
    assert app.session_state["look_at"] == 2
    assert "`friend` → `but`" in words(app)


def test_what_is_looked_along_stays_the_same_dimension_where_another_goes():
    app = open_page("emma_sentence", experiment="arrows", across="Animal", up="Noun")
    app.selectbox(key="axis").set_value("dimensions").run()
    assert [app.session_state[name] for name in ("across", "up")] == [1, 2]
    app = remove(app, 0)
    assert [app.session_state[name] for name in ("across", "up")] == [0, 1]


def test_a_word_is_said_to_be_changed_however_large_a_masked_word_is():
    inputs = PRESETS["i_love_coding"].inputs
    rows = ((0.003, 0.002, 0), (0.001, 0.0005, 0), (1e6, 1e6, 1))
    cells = {("embeddings", i, j): float(n) for i, row in enumerate(rows) for j, n in enumerate(row)}
    edits = pack(edits_of(inputs, set_cells(inputs, cells)))
    app = open_page("word_embeddings", experiment="one word", query="2 love", causal="true", edits=edits)
    assert "**The context changes the word.**" in words(app)


def test_a_word_that_sees_itself_alone_is_not_said_to_be_changed():
    app = open_page("word_embeddings", experiment="one word", query="1 I", causal="true")
    assert "**Here the context does not change the word.**" in words(app)
    app = open_page("word_embeddings", experiment="one word", query="2 love", causal="true")
    assert "**The context changes the word.**" in words(app)


def test_an_experiment_is_about_the_query_that_is_alone_in_view_until_another_is_chosen():
    alone = {"only": "reptile", "experiment": "soft lookup"}
    assert "`reptile` is q" in words(open_page("animal_lookup", **alone))
    waiting = {"what_if": "softmax over queries"}
    assert "`reptile` is q" in words(open_page("animal_lookup", **alone | waiting))
    assert "`mammal` is q" in words(open_page("animal_lookup", **alone | {"query": "1 mammal"}))
    arrows = {"only": "reptile", "experiment": "arrows"}
    assert "**`reptile` · `wolf`**" in words(open_page("animal_lookup", **arrows))
    assert "**`mammal` · `wolf`**" in words(open_page("animal_lookup", **arrows | {"query": "1 mammal"}))


def test_heads_ask_for_no_more_columns_than_there_can_be():
    for width, wanted in ((64, 63), (60, 63), (9, 14)):
        edits = pack({"start": content_of(Recipe(tokens=("a", "b"), d_k=7, d_v=width))})
        app = open_page("your_vectors", experiment="heads", heads="7 heads", edits=edits)
        assert f"If V had {wanted} columns, set under Names and sizes, there would be one." in words(app)
