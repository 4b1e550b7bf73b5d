"""Every page x preset x toggle, through the real entry, against the figures of the lectures."""

import itertools
import json

import numpy as np
import pyarrow as pa
import pytest

from tests.app.screens import cells, numbers, open_page, reference, texts, type_into, words

PRESETS = {
    "emma_sentence": "emma_sentence",
    "random_qkv": "random_qkv",
    "i_love_coding": "word_embeddings",
    "three_tokens": "word_embeddings",
    "animal_lookup": "animal_lookup",
}
ON_OFF = ("true", "false")


def inputs_of(preset):
    """Queries, keys and values (or None) straight from the reference, with projections made by hand."""
    data = reference(preset)
    if "embeddings" in data:
        x = np.array(data["embeddings"], float)
        return tuple(x @ np.array(data[name], float) for name in ("W_query", "W_key", "W_value"))
    if preset == "random_qkv":
        return tuple(np.array(data[name]) for name in "qkv")
    values = np.array(data["values"]) if "values" in data else None
    return np.array(data["queries"], float), np.array(data["keys"], float), values


def expected_stages(preset, scale, causal):
    query, key, value = inputs_of(preset)
    stages = {}
    if "embeddings" in reference(preset):
        stages |= {"queries": query, "keys": key, "values": value}
    stages["scores"] = query @ key.T
    stages["scaled"] = stages["scores"] / np.sqrt(query.shape[1]) if scale else stages["scores"]
    stages["masked"] = stages["scaled"].copy()
    if causal:
        stages["masked"][np.triu_indices(len(query), 1)] = -np.inf
    exponentials = np.exp(stages["masked"] - stages["masked"].max(axis=1, keepdims=True))
    stages["weights"] = exponentials / exponentials.sum(axis=1, keepdims=True)
    if value is not None:
        stages["output"] = stages["weights"] @ value
    return stages


def link_to(preset, **link):
    label = {"preset": preset.replace("_", " ")} if PRESETS[preset] == "word_embeddings" else {}
    return open_page(PRESETS[preset], **label, **link)


@pytest.mark.parametrize(("preset", "scale", "causal"), list(itertools.product(PRESETS, ON_OFF, ON_OFF)))
def test_every_stage_of_every_preset_and_toggle_shows_what_the_formula_gives(preset, scale, causal):
    masked = causal == "true" and preset != "animal_lookup"
    app = link_to(preset, scale=scale, causal=causal, stage="all")
    expected = expected_stages(preset, scale == "true", masked)
    assert len(app.get("vega_lite_chart")) == len(expected)
    for chart, (stage, values) in enumerate(expected.items()):
        np.testing.assert_allclose(numbers(app, chart), values, rtol=1e-9, atol=1e-12, err_msg=stage)


@pytest.mark.parametrize(("preset", "layout"), list(itertools.product(PRESETS, ("T x C", "C x T"))))
def test_the_layout_turns_every_stage(preset, layout):
    app = link_to(preset, layout=layout, stage="all", scale="true", causal="false")
    for chart, values in enumerate(expected_stages(preset, True, False).values()):
        shown = numbers(app, chart)
        np.testing.assert_allclose(shown.T if layout == "C x T" else shown, values, rtol=1e-9, atol=1e-12)


def test_emma_opens_as_the_lecture_does_plain_and_unmasked():
    app = open_page("emma_sentence", stage="weights")
    np.testing.assert_allclose(
        numbers(app), reference("emma_sentence")["weights_unscaled_unmasked"], atol=0.005
    )
    assert texts(app)[8][0] == "0.58"


def test_emma_scaled_and_causal_gives_the_second_figure_of_the_lecture():
    app = open_page("emma_sentence", stage="weights", scale="true", causal="true")
    np.testing.assert_allclose(numbers(app), reference("emma_sentence")["weights_scaled_causal"], atol=0.005)
    assert texts(app)[0] == ["1.00", *["0"] * 8]
    assert cells(app)["sum"].astype(object).fillna("").tolist() == ["= 1.00", *[""] * 8] * 9


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("emma_sentence", {"stage": "weights"}),
        ("emma_sentence", {"stage": "all"}),
        ("word_embeddings", {"experiment": "one word"}),
        ("word_embeddings", {"experiment": "heads"}),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else value,
)
def test_no_drawing_seems_to_be_the_one_before_the_last_and_the_same_one_stays(page, link):
    app = open_page(page, **link)

    def sent():
        return [
            chart.proto.datasets[0].data.data for chart in app.get("vega_lite_chart") if chart.proto.datasets
        ]

    def numbers_in(data):
        with pa.ipc.open_stream(data) as stream:
            return stream.read_all()["precise"].to_pylist()

    drawings = [sent()]
    for is_on in (True, False, True, False):
        app.toggle(key="scale").set_value(is_on).run()
        drawings.append(sent())
    turned = [place for place in zip(*drawings, strict=True) if place[0] != place[1]]
    assert turned
    for place in turned:
        assert len(set(place)) == 5
        off, on, *again = map(numbers_in, place)
        assert again == [off, on, off]
        assert on != off
    app.run()
    assert sent() == drawings[-1]


def test_emmas_scores_are_exact_and_the_worked_cell_has_its_four_terms():
    app = open_page("emma_sentence")
    np.testing.assert_allclose(numbers(app), reference("emma_sentence")["scores"], rtol=0, atol=1e-9)
    assert "`friend` → `Emma`: 1 × 1.2 + 0.9 × 0.8 + 0.5 × 1 + 1 × 0 = **2.42**" in words(app)


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights", "output"])
def test_the_random_page_opens_scaled_and_causal_as_the_notebook_does(stage):
    name = "weights_scaled_causal" if stage == "weights" else stage
    figures = np.array(reference("random_qkv")[name], float)
    app = open_page("random_qkv", stage=stage)
    np.testing.assert_allclose(numbers(app), figures, rtol=0, atol=1e-7)


def test_the_random_page_shows_the_variances():
    app = open_page("random_qkv", decimals="4 decimals")
    data = reference("random_qkv")
    for variance in (*data["variance_unscaled"].values(), data["variance_scaled"]):
        assert f"**{variance:.4f}**" in words(app)


def test_love_looks_at_i_and_coding():
    data = reference("i_love_coding")
    app = open_page("word_embeddings", stage="scores")
    assert numbers(app)[1].tolist() == data["scores"]
    app = open_page("word_embeddings", stage="weights")
    np.testing.assert_allclose(numbers(app)[1], data["weights"], rtol=0, atol=1e-7)
    app = open_page("word_embeddings", stage="output")
    np.testing.assert_allclose(numbers(app)[1], data["output"], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "stage", ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "output"]
)
def test_three_tokens_open_on_the_figures_of_the_notebook(stage):
    figures = np.array(
        reference("three_tokens")["weights_scaled_causal" if stage == "weights" else stage], float
    )
    app = link_to("three_tokens", stage=stage)
    np.testing.assert_allclose(numbers(app), figures, rtol=0, atol=5e-5)


def test_the_animals_find_what_the_lecture_says_with_tiny_weights_in_full():
    data = reference("animal_lookup")
    app = open_page("animal_lookup", stage="weights")
    np.testing.assert_allclose(numbers(app), data["weights"], rtol=1e-7, atol=1e-15)
    assert texts(app)[0] == ["0.16", "1.1e-13", "1.2e-8", "0.10", "0.74"]
    app = open_page("animal_lookup", stage="output")
    np.testing.assert_allclose(numbers(app), data["output"], rtol=0, atol=1e-8)
    app = open_page("animal_lookup", stage="scores", only="mammal")
    np.testing.assert_allclose(numbers(app)[0], data["scores_mammal"], rtol=0, atol=1e-8)
    app = open_page("animal_lookup", stage="scaled", only="mammal")
    np.testing.assert_allclose(numbers(app)[0], data["scaled_mammal"], rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("stage", "turned", "said"),
    [
        ("queries", "true", "**Queries.** Each embedding times W_query: what the token looks for."),
        ("keys", "true", "**Keys.** Each embedding times W_key: what the token can be found by."),
        ("values", "true", "**Values.** Each embedding times W_value: what the token passes on."),
        ("scores", "true", "**Scores.** The dot product of every query with every key."),
        ("scaled", "true", "**Scaled.** Every score is divided by √dₖ; dₖ is the width of one query."),
        ("scaled", "false", "**Scaled.** Scaling is off, so the scores stay as they are."),
        ("masked", "true", "**Masked.** M adds −∞ to the scores of later keys, and 0 to the others."),
        ("masked", "false", "**Masked.** The causal mask is off: every query sees every key."),
        ("weights", "true", "**Weights.** The softmax makes shares that sum to 1 for every query."),
        ("output", "true", "**Output.** The values of all keys, each times its weight, added up."),
    ],
)
def test_a_stage_says_what_it_does_as_its_toggle_is(stage, turned, said):
    link = {"preset": "three tokens", "stage": stage, "scale": turned, "causal": turned}
    assert said in words(open_page("word_embeddings", **link))


def test_the_names_of_the_values_are_on_the_page():
    app = open_page("animal_lookup")
    names = [frame.value["name"].tolist() for frame in app.data_editor]
    assert names[2] == reference("animal_lookup")["value_names"]


def test_a_caption_says_how_numbers_near_0_are_written_where_there_are_any():
    told = "Near 0 a number keeps its first digits: 1.1e-13 is 1.1 × 10⁻¹³."
    app = open_page("animal_lookup", stage="weights")
    assert texts(app)[0][1] == "1.1e-13"
    assert told in words(app)
    app.button(key="previous").click().run()
    assert "first digit" not in words(app.run())


def test_a_column_belongs_to_a_row_and_to_what_was_clicked():
    app = open_page("random_qkv", stage="output", query="3 token 2", column="3", ask="this number")
    assert "`token 2`, `v3`: " in words(app)
    assert words(app).count("**`token 2`, `v") == 1
    app.selectbox(key="query").set_value(1).run()
    app = app.run()
    assert "`token 1`, `v1`: " in words(app)
    assert words(app).count("**`token 1`, `v") == 8
    assert app.session_state["column"] == -1
    assert "`token 2`, `v1`: " in words(open_page("random_qkv", stage="output", column="3"))


def test_a_column_is_selected_no_more_when_columns_come_and_go():
    app = open_page("random_qkv", stage="output", query="3 token 2", column="3")
    app.selectbox(key="axis").set_value("value dimensions").run()
    app.button(key="remove").click().run()
    assert app.session_state["column"] == -1
    assert app.session_state["query"] == 2


BELOW = "Ask about the outlined one below."


def test_a_caption_says_that_numbers_can_be_clicked_until_one_has_been():
    hint = "Click a cell to work out its number."
    app = open_page("emma_sentence", stage="weights")
    assert hint in words(app)
    assert BELOW not in words(app)
    app.selectbox(key="query").set_value(8).run()
    assert hint not in words(app.run())
    chosen = {"query": "9 friend", "key": "1 Emma"}
    assert BELOW in words(open_page("emma_sentence", stage="weights", ask="this number", **chosen))
    assert BELOW in words(open_page("emma_sentence", stage="weights", **chosen))
    assert BELOW not in words(open_page("word_embeddings", stage="keys", query="2 love"))
    assert BELOW not in words(open_page("word_embeddings", stage="output", query="2 love"))
    assert BELOW in words(open_page("word_embeddings", stage="keys", key="3 coding", column="2"))
    assert BELOW not in words(open_page("emma_sentence", stage="weights", hide="answers", **chosen))
    assert hint not in words(open_page("random_qkv", stage="weights", hide="answers"))


def test_a_sum_that_its_rounded_numbers_do_not_give_is_said_to_be_made_before_rounding():
    app = open_page("random_qkv", stage="output")
    sentence = "0.02 × (−2.33) + 0.57 × (−2.40) + 0.41 × 0.57 + 0 × 0.96 ≈ **−1.19**"
    assert sentence in words(app)
    assert "±2.35. The sum above was made before rounding." in words(app)
    assert "(summed before rounding)" not in words(app)
    presented = open_page("random_qkv", stage="output", present="true")
    assert f"{sentence} (summed before rounding)" in words(presented)


def test_a_number_of_the_output_and_of_a_projection_says_where_it_comes_from():
    app = open_page("random_qkv", stage="output", query="3 token 2", ask="this number")
    assert "**`token 2`, `v3`** `token 0` 0.02 × 1.57 + `token 1` 0.57 × (−0.82) + " in words(app)
    assert len(app.info) == 0
    app = open_page("word_embeddings", stage="keys", key="2 love", ask="this number")
    assert "**`love`, `d1`** `e1` " in words(app)
    app.button(key="next").click().run()
    assert "**`love`, `v1`** `e1` " in words(app)
    app.get_by_key("stage").set_value("scores").run()
    assert ANOTHER in words(app)


ANOTHER = "Of the outlined number. Click another in the heatmap, or choose a query and a key above."


def test_where_nothing_is_selected_the_answer_is_of_the_number_that_is_outlined():
    app = open_page("emma_sentence", ask="this number")
    assert ANOTHER in words(app)
    assert "`Person` 1 × 1.2 + `Animal` 0.9 × 0.8 + `Noun` 0.5 × 1 + `Adjective` 1 × 0" in words(app)
    app.get_by_key("ask").set_value("softmax").run()
    assert "The softmax of the query `friend`" in words(app)
    parts = len(app.markdown), len(app.caption)
    app.get_by_key("query").set_value(4).run()
    assert (len(app.markdown), len(app.caption)) == parts, (
        "a part of the old answer may be seen beside the new"
    )
    assert "The softmax of the query `she`" in words(app)
    assert ANOTHER not in words(app)
    over_queries = open_page("emma_sentence", stage="weights", what_if="softmax over queries", ask="softmax")
    assert "The softmax of the key `Emma`" in words(over_queries)
    values = open_page("animal_lookup", stage="output", ask="blend of values")
    assert ANOTHER in words(values)
    assert "The output of " in words(values)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("random_qkv", "is about **1.0** times that: they spread as those of random numbers would"),
        ("word_embeddings", "is about **7.2** times that, not equal to it"),
        ("emma_sentence", "is about **2.0** times that, not equal to it"),
    ],
)
def test_of_variances_it_is_said_whether_scores_spread_as_random_ones(page, said):
    assert said in words(open_page(page, ask="variance"))


def test_a_caption_says_when_the_colours_of_a_stage_end_at_a_number_of_the_scores():
    ends = {}
    for name in ("scores", "scaled", "masked"):
        app = open_page("emma_sentence", stage=name, scale="true")
        ends[name] = app.caption[-1].value.partition(". ")[0]
    assert ends["scores"] == "Colour: orange above 0, blue below, strongest at ±2.78"
    assert ends["scaled"] == ends["masked"] == f"{ends['scores']}, as in scores"
    plain = open_page("emma_sentence", stage="scaled", scale="false")
    assert plain.caption[-1].value.startswith(f"{ends['scores']}. ")


def table_texts(app):
    return app.dataframe[0].value.iloc[:, 1:].to_numpy().tolist()


@pytest.mark.parametrize("layout", ["T x C", "C x T"])
def test_the_table_writes_every_weight_as_the_heatmap_does(layout):
    app = open_page("word_embeddings", stage="weights", causal="true", layout=layout)
    app.session_state["table"] = True
    app.run()
    *rows, sums = table_texts(app)
    shown = [row[:3] for row in rows]
    assert shown == texts(app)
    for axis, found in ((1, [row[3] for row in rows]), (0, sums[:3])):
        np.testing.assert_allclose(np.array(found, float), numbers(app).sum(axis=axis), atol=0.005)
    assert sums[3] == ""
    above = [(1, 0), (2, 0), (2, 1)] if layout == "C x T" else [(0, 1), (0, 2), (1, 2)]
    assert {shown[row][column] for row, column in above} == {"0"}
    assert sum(row.count("0") for row in shown) == 3


def test_what_is_masked_adds_a_plain_0_to_the_softmax_and_to_the_output():
    link = {"stage": "weights", "causal": "true", "query": "2 love", "key": "1 I"}
    app = open_page("word_embeddings", **link, ask="softmax")
    assert [row[-2:] for row in table_texts(app)][2] == ["0", "0"]
    assert "0" not in {text for row in table_texts(app)[:2] for text in row}
    app = open_page("word_embeddings", **link, ask="blend of values")
    assert table_texts(app)[2] == ["0", "0", "0", "0"]
    assert "0" not in {text for row in table_texts(app)[:2] for text in row}


def test_a_softmax_over_queries_is_that_of_the_key_with_the_sum_that_it_divides_by():
    link = {"stage": "weights", "query": "9 friend", "key": "1 Emma", "ask": "softmax"}
    app = open_page("emma_sentence", **link, what_if="softmax over queries")
    *queries, friend, total = table_texts(app)
    assert friend == ["2.42", "2.42", "2.42", "-0.36", "0.70", "0.24"]
    assert total == ["", "", "", "", "2.91", "1.00"]
    assert [row[-1] for row in (*queries, friend)] == [row[0] for row in texts(app)]
    assert "The softmax of the key `Emma`:" in words(app)


def test_old_numbers_are_explained_where_there_are_some():
    app = type_into(open_page("word_embeddings", stage="keys"), "W_key", 0, 0, "2")
    assert "Small and slanted: before the edit." in app.caption[-1].value
    app.get_by_key("stage").set_value("queries").run()
    assert "Small and slanted" not in app.caption[-1].value


def test_the_columns_of_an_editor_are_as_wide_as_their_longest_number():
    def widths(app):
        columns = json.loads(app.data_editor[0].proto.columns)
        return [columns[f"c{column}"].get("width") for column in range(4)]

    assert widths(open_page("emma_sentence")) == [None] * 4
    app = type_into(open_page("emma_sentence"), "queries", 7, 0, "-0.6666666666666601")
    other = open_page("emma_sentence", edits=app.query_params["edits"])
    assert other.data_editor[0].value["c0"][7] == "-0.6666666666666601"
    assert widths(other) == [172, None, None, None]


def test_a_turned_matrix_says_what_its_columns_are():
    said = "C x T: a column for each token."
    assert said in open_page("word_embeddings", stage="keys", layout="C x T").caption[-1].value
    assert said not in open_page("word_embeddings", stage="keys").caption[-1].value
    assert said not in open_page("word_embeddings", stage="scores", layout="C x T").caption[-1].value
