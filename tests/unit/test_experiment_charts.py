"""The charts of the experiments: valid specs without data or users' words, and the data they ask for."""

import json
import re

import altair as alt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from core import experiment_charts as charts
from core.draws import BINS, DRAWS, WIDTHS, histogram, spreads
from tests.unit.hostile import HOSTILE

LAYERED = Draft7Validator(alt.load_schema() | {"$ref": "#/definitions/TopLevelLayerSpec"})
NAMES = ("Zq<b>", "Zq$x$", "Zq`")
Q, K = np.array([[1.0, -2.0], [0.0, 4.0], [0.5, 0.0]]), np.array([[2.0, 1.0], [0.0, -0.25]])


def product(pair=(0, 1), decimals=2):
    names = (NAMES[:2], NAMES, ("Zqk", "Zqk"))
    return charts.product_data(Q, K.T, Q @ K.T, names, pair, decimals)


def arrows(queries, keys, marked=(0, 0), names=None):
    points = np.array(queries, float), np.array(keys, float)
    names = names or (tuple(f"q{i}" for i in range(len(queries))), tuple(f"k{i}" for i in range(len(keys))))
    frame = charts.arrows_data(points, names, marked, ("d1", "d2"), charts.frame_of(np.vstack(points)), 2)
    return frame.to_pandas().query("role != 'axis'")


FRAME = charts.Frame(0.0, 0.0, 5.0)
CHARTS = {
    "product": (charts.product_spec(6), product()),
    "profile of queries": (charts.profile_spec("query"), charts.profile_data(Q, NAMES, NAMES[:2], 2, 1)),
    "profile of keys": (charts.profile_spec("key"), charts.profile_data(Q, NAMES, NAMES[:2], 2, None)),
    "parts": (charts.parts_spec(), charts.parts_data(Q, NAMES, NAMES[:2], 2)),
    "arrows": (
        charts.arrows_spec(FRAME),
        charts.arrows_data((Q, K), (NAMES, NAMES[:2]), (0, 0), NAMES[1:], FRAME, 2),
    ),
    "variance": (charts.variance_spec(), charts.variance_data(spreads(4, 1))),
    "histogram": (charts.histogram_spec(), charts.histogram_data(histogram(Q @ K.T, 2))),
    "sharpness": (charts.sharpness_spec("bits", 2.0), charts.sharpness_data(spreads(4, 1), "entropy")),
    "lookup": (
        charts.lookup_spec(3),
        charts.lookup_data(np.array([0, 1.0, 0]), np.array([0.2, 0.5, 0.3]), NAMES, 2),
    ),
}


def keys(part):
    """Every key of a dict and of the dicts and lists in it."""
    children = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return set(part if isinstance(part, dict) else ()).union(*map(keys, children))


def fields(spec):
    """The columns of the data that a spec asks for, in encodings, transforms and conditions."""
    text = json.dumps(spec)
    return set(re.findall(r'"field": "(\w+)"', text)) | set(re.findall(r"datum\.(\w+)", text)) - {"label"}


@pytest.mark.parametrize("name", CHARTS)
def test_a_spec_is_valid_vega_lite_and_holds_neither_data_nor_users_words(name):
    spec, _ = CHARTS[name]
    LAYERED.validate(spec)
    assert not {"data", "datasets", "url"} & keys(spec)
    assert "Zq" not in json.dumps(spec)


@pytest.mark.parametrize("name", CHARTS)
def test_the_data_has_every_column_that_its_spec_asks_for(name):
    spec, data = CHARTS[name]
    assert fields(spec) <= set(data.column_names)


@pytest.mark.parametrize("name", CHARTS)
def test_the_data_has_nothing_that_is_no_number(name):
    frame = CHARTS[name][1].to_pandas()
    assert not frame.isna().any(axis=None)
    assert np.isfinite(frame.select_dtypes("number").to_numpy()).all()


def test_specs_are_built_once():
    assert charts.product_spec(7) is charts.product_spec(7)
    assert charts.lookup_spec(2) is charts.lookup_spec(2)
    assert charts.arrows_spec(FRAME) is charts.arrows_spec(FRAME)
    assert charts.product_spec(7)["height"] < charts.product_spec(9)["height"]


@pytest.mark.parametrize("rows", [1, 13, 321])
def test_a_product_is_never_too_high_for_a_page_and_never_too_small_to_be_seen(rows):
    spec = charts.product_spec(rows)
    LAYERED.validate(spec)
    assert 9 * rows <= spec["height"] <= max(560, 9 * rows)


# the product


def test_a_product_has_k_above_q_on_the_left_and_the_scores_where_they_meet():
    frame = product().to_pandas()
    grid = frame.pivot(index="row", columns="column", values="text").fillna("")
    above, left, scores = (
        grid.iloc[:2, 3:],
        grid.iloc[3:, :2],
        grid.iloc[3:, 3:],
    )
    assert np.array_equal(above.to_numpy().astype(float), K.T)
    assert np.array_equal(left.to_numpy().astype(float), Q)
    assert np.array_equal(scores.to_numpy().astype(float), Q @ K.T)
    assert set(grid.iloc[2]) == set(grid.iloc[:, 2]) == {""}
    assert set(grid.iloc[:2, :2].to_numpy().ravel()) == {""}
    assert frame["row"].str.slice(4).tolist() == frame["row_name"].tolist()
    assert frame["column"].str.slice(4).tolist() == frame["column_name"].tolist()


def test_a_product_marks_the_row_the_column_and_their_score():
    frame = product(pair=(2, 1)).to_pandas().query("marked")
    places = frame[["row", "column", "result"]].to_numpy().tolist()
    assert sorted(places) == sorted(
        [
            ["000 Zq<b>", "004 Zqk", False], ["001 Zq$x$", "004 Zqk", False],
            ["005 Zq`", "000 Zq<b>", False], ["005 Zq`", "001 Zq$x$", False],
            ["005 Zq`", "004 Zqk", True],
        ]
    )  # fmt: skip


def test_factors_share_one_colour_scale_and_scores_have_their_own():
    frame = product().to_pandas()
    factors, scores = frame.query("not result and text != ''"), frame.query("result")
    assert factors["shade"].abs().max() == 1  # 4 of Q
    assert factors.query("text == '2.00'")["shade"].tolist() == [0.5]
    assert scores["shade"].abs().max() == 1
    np.testing.assert_allclose(scores["shade"], (Q @ K.T).ravel() / np.abs(Q @ K.T).max())
    assert set(frame["longest"]) == {5}


def test_a_product_of_zeros_has_no_colour():
    zeros = np.zeros((1, 1))
    frame = charts.product_data(zeros, zeros, zeros, (("d",), ("q",), ("k",)), (0, 0), 0).to_pandas()
    assert set(frame["shade"]) == {0}
    assert frame["text"].tolist() == ["", "", "0", "", "", "", "0", "", "0"]


# profiles and parts


@pytest.mark.parametrize("marked", [None, 0, 2])
def test_a_profile_has_a_bar_for_each_number_and_marks_one_token_or_all(marked):
    frame = charts.profile_data(Q, NAMES, NAMES[:2], 2, marked).to_pandas()
    assert np.array_equal(frame["value"].to_numpy().reshape(3, 2), Q)
    assert frame["token_name"].tolist() == [name for name in NAMES for _ in range(2)]
    assert frame["dimension"].tolist() == ["000 Zq<b>", "001 Zq$x$"] * 3
    wanted = set(NAMES) if marked is None else {NAMES[marked]}
    assert set(frame.query("marked")["token_name"]) == wanted


def test_the_parts_of_a_score_have_their_sum_in_words_and_as_a_line():
    products = np.array([[1.2, 0.72, 0.5, 0.0], [-1.0, 0.0, 0.25, 0.25], [-2.0, -1.0, 0.0, 0.0]])
    frame = charts.parts_data(products, NAMES, ("a", "b", "c", "d"), 2).to_pandas()
    assert frame["sum"].tolist() == [text for text in ("2.42", "-0.50", "-3.00") for _ in range(4)]
    assert frame["total"].to_numpy().reshape(3, 4)[:, 0] == pytest.approx([2.42, -0.5, -3])
    assert frame["first"].tolist() == [True, False, False, False] * 3
    assert np.array_equal(frame["part"].to_numpy().reshape(3, 4), products)


def test_every_number_of_dimensions_that_a_page_may_have_gives_a_profile():
    x = np.arange(64.0)[None]
    frame = charts.profile_data(x, ("t",), tuple(f"d{i}" for i in range(64)), 0, None).to_pandas()
    assert frame["value"].tolist() == x[0].tolist()


# arrows


@pytest.mark.parametrize(
    ("points", "frame"),
    [
        ([[0, 0]], (0, 0, 1)),
        ([[1, 0], [-1, 0]], (0, 0, 1.5)),
        ([[0, -2]], (0, -1.05, 1.5)),
        ([[4, 5], [-4, -5]], (0, 0, 7)),
        ([[8, 10]], (4.2, 4.9, 7)),
        ([[1e6, 0]], (490000, 0, 7e5)),
    ],
)
def test_a_frame_has_the_origin_and_all_points_in_view_and_reaches_to_a_round_number(points, frame):
    assert charts.frame_of(np.array(points, float)) == charts.Frame(*map(float, frame))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=4))
def test_every_point_that_can_be_typed_lies_well_within_a_frame_not_far_beyond_it(points):
    frame = charts.frame_of(np.array(points))
    sides = np.ptp(np.vstack([points, [(0, 0)]]), axis=0)
    for x, y in (*points, (0, 0)):
        assert max(abs(x - frame.across), abs(y - frame.up)) <= 0.93 * frame.reach
    assert sides.max() < 1e-299 or frame.reach <= sides.max() / 2 * 1.15 * 1.7


@pytest.mark.parametrize("number", [5e-324, 1e-323, 1e-310])
def test_the_tiniest_numbers_that_can_be_typed_are_in_a_frame(number):
    assert charts.frame_of(np.array([[number, 0.0]])) == charts.Frame(0.0, 0.0, 1.0)


def test_tiny_arrows_are_as_far_apart_as_large_ones():
    large, tiny = ([[1, 0.5], [0, 2]], [[-3, 0.7], [0, -1]]), 1e-12
    one, other = arrows(*large), arrows(*(np.array(points) * tiny for points in large))
    assert one["name"].tolist() == other["name"].tolist()
    np.testing.assert_allclose(other[["x", "y"]] / tiny, one[["x", "y"]], atol=1e-8)


def test_arrows_begin_at_the_origin_and_point_to_their_numbers():
    frame = arrows([[1, 0], [0, 2]], [[-3, 0], [0, -1], [1, 1]]).set_index("name")
    assert frame.loc[["q0", "q1", "k0", "k1", "k2"], ["x", "y"]].to_numpy().tolist() == [
        [1, 0], [0, 2], [-3, 0], [0, -1], [1, 1],
    ]  # fmt: skip
    assert (frame[["x0", "y0"]] == 0).all(axis=None)
    angles = frame.loc[["q0", "q1", "k0", "k1", "k2"], "angle"]  # clockwise from up, as Vega turns a triangle
    assert angles.tolist() == pytest.approx([90, 0, -90, 180, 45])
    assert frame["role"].loc[["q0", "k0"]].tolist() == ["query", "key"]


def test_the_marked_query_and_key_come_last_and_are_named():
    frame = arrows([[1, 0], [0, 2]], [[-3, 0], [0, -1]], marked=(1, 0))
    assert set(frame["name"][-2:]) == {"q1", "k0"}
    assert frame["marked"].tolist() == [False, False, True, True]
    assert set(frame["label"][-2:]) == {"q1", "k0"}


def test_no_screen_reader_stops_at_the_lines_through_the_origin_which_have_no_name():
    layers = charts.arrows_spec(FRAME)["layer"]
    through = [layer for layer in layers if layer["encoding"] in ({"x": {"datum": 0}}, {"y": {"datum": 0}})]
    assert [layer["mark"]["aria"] for layer in through] == [False, False]


def test_equal_arrows_share_one_with_all_names_the_marked_first():
    frame = arrows([[1, 1]] * 5 + [[2, 0]], [[1, 1]], marked=(3, 0))
    assert len(frame) == 3
    assert frame.query("role == 'query' and marked")["name"].tolist() == ["q3, q0, q1 …"]
    two = arrows([[1, 1], [1, 1 + 1e-12], [5, 5]], [[0, 1]], marked=(2, 0))
    assert two["name"].tolist()[0] == "q0, q1"


def test_minus_zero_is_zero():
    assert len(arrows([[0.0, 1], [-0.0, 1]], [[1, -0.0]])) == 2


def test_a_name_that_would_cover_another_is_left_out_and_one_at_the_origin_too():
    frame = arrows([[1, 1], [1.01, 1.01], [0, 0], [-1, -1]], [[1, -1]]).set_index("name")["label"]
    assert (frame["q0"], frame["q1"], frame["q2"], frame["q3"], frame["k0"]) == ("q0", "", "", "q3", "k0")


# why the square root


def test_the_variances_have_a_dot_for_each_draw_and_the_lines_to_expect():
    found = spreads(4, 1)
    frame = charts.variance_data(found).to_pandas()
    assert len(frame) == 2 * DRAWS * len(WIDTHS)
    plain, scaled = frame.query("which == 'scores'"), frame.query("which != 'scores'")
    assert (plain["expected"] == plain["width"]).all()
    assert (scaled["expected"] == 1).all()
    np.testing.assert_allclose(scaled["variance"].to_numpy() * scaled["width"].to_numpy(), plain["variance"])
    assert frame.groupby(["which", "width"]).size().unique().tolist() == [DRAWS]


def test_the_histograms_are_those_of_the_scores_before_and_after():
    scores = np.array([[8.0, -8.0], [0.5, 0.5]])
    frame = charts.histogram_data(histogram(scores, 4)).to_pandas()
    assert len(frame) == 2 * (BINS + 2)
    assert frame.groupby("which")["share"].agg(["first", "last"]).to_numpy().tolist() == [[0, 0], [0, 0]]
    for which, wanted in (("scores", [-8, 0.5, 8]), ("scores / √dₖ", [-4, 0.25, 4])):
        found = frame[(frame["which"] == which) & (frame["share"] > 0)]
        assert found["share"].tolist() == [0.25, 0.5, 0.25]
        np.testing.assert_allclose(found["middle"], wanted, atol=8 / BINS + 1e-9)


@pytest.mark.parametrize("measure", ["largest", "entropy"])
def test_the_sharpness_has_a_point_for_each_width_before_and_after(measure):
    found = spreads(4, 1)
    frame = charts.sharpness_data(found, measure).to_pandas()
    wanted = np.array([getattr(spread, measure) for spread in found])
    assert np.array_equal(frame["measure"].to_numpy().reshape(len(WIDTHS), 2), wanted)
    assert frame["width"][::2].tolist() == list(WIDTHS)


# lookup


def test_a_lookup_has_a_hard_and_a_soft_bar_for_each_key():
    hard, soft = np.array([0.0, 1.0, 0.0]), np.array([0.2, 0.7999, 1e-13])
    frame = charts.lookup_data(hard, soft, ("same", "same", "other"), 2).to_pandas()
    assert frame["row"].tolist() == ["000 same", "001 same", "002 other"] * 2
    assert frame["which"].tolist() == ["hard"] * 3 + ["soft"] * 3
    assert frame["weight"].tolist() == [*hard, *soft]
    assert frame["text"].tolist() == ["0.00", "1.00", "0.00", "0.20", "0.80", "1.0e-13"]


def test_hostile_names_travel_as_data_as_they_are():
    names = tuple(HOSTILE)
    ones = np.ones((len(names), 2))
    assert charts.profile_data(ones, names, ("a", "b"), 2, 0)["token_name"].to_pylist()[::2] == HOSTILE
    weights = np.full(len(names), 1 / len(names))
    assert charts.lookup_data(weights, weights, names, 2)["row_name"].to_pylist() == HOSTILE * 2
    far = np.column_stack([np.arange(len(names)), np.zeros(len(names))]) + 1
    data = charts.arrows_data(
        (far, far), (names, names), (0, 0), (names[1], names[2]), charts.frame_of(far), 2
    )
    assert set(data["name"].to_pylist()) == set(HOSTILE)
    assert data["name"].to_pylist()[-2:] == [*names[1:3]]
    assert data["role"].to_pylist()[-2:] == ["axis", "axis"]
