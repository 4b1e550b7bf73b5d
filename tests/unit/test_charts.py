"""Heatmaps: a spec without data or user text, and ink that can be read on every fill."""

import json
import re

import altair as alt
import numpy as np
import pytest
from jsonschema import Draft7Validator

from core import charts, heatmap_data, palette
from core.charts import heatmap_spec
from core.heatmap_data import Cells
from core.matrices import Axis, Inputs, Matrix, rename
from core.stages import Stage, attend, stage, stage_names
from tests.examples import PRESETS
from tests.unit.records import made, records, shown

KINDS = [
    (is_weights, sums_of, titles)
    for is_weights in (True, False)
    for sums_of in ("rows", "columns")
    for titles in (("query", "key"), ("token", "value dimension"))
]


def spec_of(view, sums_of="rows"):
    is_weights = view.name == "weights"
    return heatmap_spec(len(view.rows), is_weights, view.row_title, view.column_title, sums_of)


def marks(spec, kind):
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def fills(spec):
    """The encoding of the colours of cells."""
    (colour,) = [layer["encoding"]["color"] for layer in marks(spec, "rect") if "color" in layer["encoding"]]
    return colour


# The schema of Vega-Lite that comes with Altair, of a chart in layers.
LAYERED = Draft7Validator(alt.load_schema() | {"$ref": "#/definitions/TopLevelLayerSpec"})
VARIANTS = [
    (is_weights, sums_of, {"with_old": with_old, "large": large, "clickable": not large})
    for is_weights in (True, False)
    for sums_of, with_old, large in (("rows", True, False), ("columns", False, True), ("rows", True, True))
]


@pytest.mark.parametrize(("is_weights", "sums_of", "titles"), KINDS)
def test_a_spec_is_valid_vega_lite(is_weights, sums_of, titles):
    LAYERED.validate(heatmap_spec(9, is_weights, *titles, sums_of))


@pytest.mark.parametrize("is_weights", [True, False], ids=["weights", "scores"])
@pytest.mark.parametrize("rows", [1, 64])
def test_a_spec_of_more_or_fewer_rows_is_valid_and_differs_in_nothing_but_its_height(rows, is_weights):
    spec, nine = (heatmap_spec(count, is_weights, "query", "key") for count in (rows, 9))
    LAYERED.validate(spec)
    assert spec | {"height": nine["height"]} == nine
    assert spec["height"] != nine["height"]


@pytest.mark.parametrize(("is_weights", "sums_of", "options"), VARIANTS)
def test_a_spec_with_old_numbers_or_for_a_hall_is_valid_and_holds_no_data(is_weights, sums_of, options):
    spec = heatmap_spec(9, is_weights, "query", "key", sums_of, **options)
    LAYERED.validate(spec)
    assert not {"data", "datasets", "values", "url"} & keys(spec)
    now, before = shown("emma_sentence", "weights"), shown("emma_sentence", "weights", causal=True)
    assert fields(spec) <= set(records(now, 2, sums_of, before=before).columns)
    assert ("old" in fields(spec)) == options["with_old"]
    assert (spec["height"] == "container") == options["large"]
    assert not {"friend", "Emma", "Person"} & set(re.findall(r"\w+", json.dumps(spec)))
    assert heatmap_spec(9, is_weights, "query", "key", sums_of, **options)["layer"] is spec["layer"]


@pytest.mark.parametrize(
    "mistake",
    [
        {"layer": [{"mark": "rectangle", "encoding": {}}]},
        {"layer": [{"mark": {"type": "text", "opacity": "full"}}]},
        {"layers": []},
        {"autosize": {"type": "fit-z"}},
    ],
)
def test_a_spec_with_a_mistake_is_not_valid(mistake):
    assert not LAYERED.is_valid(heatmap_spec(9, True, "query", "key") | mistake)


def test_a_spec_is_built_once_for_all_sizes():
    first = heatmap_spec(9, False, "query", "key", "columns")
    assert heatmap_spec(9, False, "query", "key", "columns")["layer"] is first["layer"]
    assert heatmap_spec(64, False, "query", "key", "columns")["layer"] is first["layer"]


def fields(spec):
    """The columns of the data that the encodings of a spec ask for."""
    encodings = [encoding for layer in spec["layer"] for encoding in layer["encoding"].values()]
    parts = [part for found in encodings for part in (found if isinstance(found, list) else [found])]
    return {part["field"] for part in parts if "field" in part}


def keys(part):
    """Every key of a dict and of the dicts and lists in it."""
    children = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return set(part if isinstance(part, dict) else ()).union(*map(keys, children))


@pytest.mark.parametrize(("is_weights", "sums_of", "titles"), KINDS)
def test_a_spec_has_no_data(is_weights, sums_of, titles):
    spec = heatmap_spec(9, is_weights, *titles, sums_of)
    assert {"layer", "encoding", "transform"} <= keys(spec)
    assert not {"data", "datasets", "values", "url"} & keys(spec)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("hostile", ["</script>", "datum.shade", "'] || alert(1)", '"', "\\", "[a](b)"])
def test_hostile_names_are_in_the_data_and_never_in_the_spec(preset, hostile):
    inputs = PRESETS[preset].inputs
    plain = {name: shown(preset, name) for name in stage_names(inputs)}
    for axis in inputs.axes:
        inputs = rename(inputs, axis, 0, f"hostile {hostile}")
    attention = attend(inputs, scale=True, causal=False)
    for name in stage_names(inputs):
        view = stage(attention, name)
        assert spec_of(view) == spec_of(plain[name])
        assert spec_of(view)["layer"] is spec_of(plain[name])["layer"]
        assert "hostile" not in json.dumps(spec_of(view))
        assert records(view, 2)["row_name"].tolist()[0] == f"hostile {hostile}"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_spec_asks_for_columns_that_the_data_have(preset):
    for name in stage_names(PRESETS[preset].inputs):
        view = shown(preset, name)
        assert fields(spec_of(view)) <= set(records(view, 2).columns)


@pytest.mark.parametrize("rows", [1, 9, 64])
def test_weights_are_coloured_from_0_to_1_and_all_else_around_0(rows):
    assert fills(heatmap_spec(rows, True, "query", "key"))["scale"]["domain"] == [0, 1]
    assert fills(heatmap_spec(rows, False, "query", "key"))["scale"]["domain"] == [-1, 1]


def test_a_number_beyond_the_ends_of_the_colours_has_the_colour_of_the_end():
    for is_weights in (True, False):
        assert fills(heatmap_spec(9, is_weights, "query", "key"))["scale"]["clamp"] is True


@pytest.mark.parametrize("large", [False, True])
def test_the_old_number_stands_before_the_new_one_or_above_it_where_two_do_not_fit_in_a_line(large):
    def texts(spec, field):
        return [layer for layer in marks(spec, "text") if layer["encoding"]["text"]["field"] == field]

    spec = heatmap_spec(9, True, "query", "key", "rows", with_old=True, large=large, clickable=not large)
    (old,) = texts(spec, "old")
    assert {"filter": "datum.old"} in old["transform"]
    fit = "cell_width * 0.95 / datum.longest >= largest"
    assert old["mark"]["dx"] == {"expr": f"{fit} ? cell_width * -0.27 : 0"}
    assert old["mark"]["dy"] == {"expr": f"{fit} ? 0 : cell_height * -0.28"}
    (new,) = texts(spec, "text")
    assert new["mark"]["dx"] == {"expr": f"datum.old && {fit} ? cell_width * 0.2 : 0"}
    assert new["mark"]["dy"] == {"expr": f"datum.old && !({fit}) ? cell_height * 0.17 : 0"}
    plain = heatmap_spec(9, True, "query", "key")
    assert texts(plain, "old") == []
    assert not any("dy" in layer["mark"] for layer in texts(plain, "text"))


def test_a_pointer_is_told_what_a_number_was_before_an_edit_last():
    told = marks(heatmap_spec(2, False, "query", "key", with_old=True), "rect")[0]["encoding"]["tooltip"]
    assert [(line["title"], line["field"]) for line in told][-1] == ("before", "was")


def test_no_legend_takes_room_from_the_cells():
    for is_weights in (True, False):
        assert fills(heatmap_spec(9, is_weights, "query", "key"))["legend"] is None


def test_axes_show_the_name_without_its_position_and_every_name():
    spec = spec_of(shown("emma_sentence", "weights"))
    sides = [spec["encoding"][side] for side in ("x", "y")]  # of every layer
    assert all(
        "field" not in layer["encoding"].get(side, {}) for layer in spec["layer"] for side in ("x", "y")
    )
    for side in sides:
        assert side["axis"]["labelExpr"] == "slice(datum.label, 4)"
        assert side["axis"]["labelOverlap"] is False


@pytest.mark.parametrize("sums_of", ["rows", "columns"])
def test_sums_are_seen_beside_weights_alone(sums_of):
    for is_weights in (True, False):
        layers = marks(heatmap_spec(9, is_weights, "query", "key", sums_of), "text")
        (sums,) = [layer for layer in layers if layer["encoding"]["text"]["field"] == "sum"]
        assert sums["mark"]["opacity"] == (1 if is_weights else 0)


def test_selected_cells_and_symptoms_have_edges_of_their_own():
    (edges,) = [
        layer
        for layer in marks(heatmap_spec(9, True, "query", "key"), "rect")
        if "fillOpacity" in layer["mark"]
    ]
    assert edges["transform"] == [{"filter": "datum.mark"}]
    stroke = edges["encoding"]["stroke"]
    assert stroke["condition"]["test"] == "datum.mark == 'symptom'"
    assert (stroke["condition"]["value"], stroke["value"]) == (palette.SYMPTOM_EDGE, palette.MARKED_EDGE)
    assert edges["mark"]["strokeWidth"] == {"expr": "min(datum.mark == 'worked' ? 1.5 : 3, cell_width / 3)"}
    assert edges["mark"]["clip"], "an edge beyond the cells moves them"
    (edges,) = [
        layer
        for layer in marks(heatmap_spec(9, True, "query", "key", large=True), "rect")
        if "fillOpacity" in layer["mark"]
    ]
    assert edges["mark"]["strokeWidth"]["expr"].startswith("min(datum.mark == 'worked' ? 4 : 6, ")


# The colours of Vega: https://github.com/d3/d3-color/blob/main/src/lab.js
XYZ_OF_RGB = np.array(
    [[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169], [0.0139322, 0.0971045, 0.7141733]]
)
WHITE = np.array([0.96422, 1, 0.82521])


def linear_rgb(colour):
    """Linear (3,) of a text such as #f7fcf5, each from 0 to 1."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(colour):
    t = XYZ_OF_RGB @ linear_rgb(colour) / WHITE
    x, y, z = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def hexadecimal(colour_in_lab):
    y = (colour_in_lab[0] + 16) / 116
    t = np.array([y + colour_in_lab[1] / 500, y, y - colour_in_lab[2] / 200])
    xyz = WHITE * np.where(t > 6 / 29, t**3, 3 * (6 / 29) ** 2 * (t - 4 / 29))
    linear = np.clip(np.linalg.inv(XYZ_OF_RGB) @ xyz, 0, 1)
    channels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels.tolist())


def fill(scale, shade):
    """The colour that Vega's scale gives a shade: the range's colours, evenly spaced over the domain."""
    lowest, highest = scale["domain"]
    colours = np.array([lab(colour) for colour in scale["range"]])  # (colours, 3)
    place = (shade - lowest) / (highest - lowest) * (len(colours) - 1)
    return hexadecimal([np.interp(place, range(len(colours)), channel) for channel in colours.T])


def contrast(one, other):
    """The contrast of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    darker, lighter = sorted(linear_rgb(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_interpolation_meets_the_colours_of_the_scale():
    for is_weights in (True, False):
        scale = fills(heatmap_spec(9, is_weights, "query", "key"))["scale"]
        assert scale["interpolate"] == "lab"
        shades = np.linspace(*scale["domain"], len(scale["range"]))
        assert [fill(scale, shade) for shade in shades] == scale["range"]


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("is_weights", [True, False], ids=["weights", "scores"])
def test_every_number_can_be_read_on_its_cell(is_weights):
    scale = fills(heatmap_spec(9, is_weights, "query", "key"))["scale"]
    shades = np.linspace(*scale["domain"], 101)
    name, columns = "weights" if is_weights else "scores", tuple(map(str, range(101)))
    hidden = np.zeros((1, 101), bool)
    view = Stage(name, shades[None], ("q",), columns, "query", "key", hidden, 1.0, are_shares=is_weights)
    inks = records(view, 2)["ink"]
    unreadable = {
        round(shade, 2): round(ratio, 2)
        for shade, ink in zip(shades.tolist(), inks, strict=True)
        if (ratio := contrast(fill(scale, shade), ink)) < 4.5
    }
    assert unreadable == {}
    assert set(inks) == {palette.DARK_INK, palette.LIGHT_INK}


def test_the_sign_of_a_masked_cell_can_be_read():
    assert contrast(palette.MASKED_FILL, palette.MASKED_INK) >= 4.5
    masked = shown("random_qkv", "masked", causal=True)
    data = records(masked, 2)
    assert set(data.loc[data["masked"], "ink"]) == {palette.MASKED_INK}
    assert fills(spec_of(masked))["condition"] == {"test": "datum.masked", "value": palette.MASKED_FILL}


def test_a_screen_reader_is_told_the_tokens_and_the_precise_number():
    view = shown("emma_sentence", "scores")
    data = records(view, 2)
    assert data["description"][0] == "query: Emma; key: Emma; number: 2.78"
    moved = shown("emma_sentence", "weights"), shown("emma_sentence", "weights", causal=True)
    told = records(moved[0], 2, before=moved[1])["description"][0]
    assert told.startswith("query: Emma; key: Emma; weight: 0.3")
    assert told.endswith("; before: 1.00")
    described = [layer for layer in spec_of(view)["layer"] if "description" in layer["encoding"]]
    assert [layer["encoding"]["text"]["field"] for layer in described] == ["text"]


@pytest.mark.parametrize("rows", [1, 3, 9, 18, 19, 40, 64])
def test_the_height_follows_the_rows_and_stays_within_a_screen(rows):
    height = heatmap_spec(rows, True, "query", "key")["height"]
    assert height % rows == 0
    assert charts.SMALLEST_CELL <= height / rows <= charts.CELL
    assert height <= charts.TALLEST


def test_cells_keep_their_height_until_the_screen_is_full():
    heights = [heatmap_spec(rows, True, "query", "key")["height"] / rows for rows in (1, 9, 18, 19, 40, 64)]
    assert heights[:3] == [charts.CELL] * 3
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] == charts.SMALLEST_CELL


def test_more_cells_than_numbers_can_be_read_in_are_drawn_without():
    names = tuple(map(str, range(65)))
    view = made("scores", np.arange(65.0 * 65).reshape(65, 65), names, names)
    assert heatmap_data.has_numbers(made("scores", np.zeros((64, 64)), names[:64], names[:64]))
    assert not heatmap_data.has_numbers(view)
    before = made("scores", view.values + (view.values == 4224), names, names)
    data = records(view, 2, before=before)
    assert data["description"].tolist()[-2:] == [
        "query: 64; key: 63; number: 4223",
        "query: 64; key: 64; number: 4224; before: 4225.00",
    ]
    spec = heatmap_spec(65, False, "query", "key", with_old=True, with_numbers=False)
    LAYERED.validate(spec)
    for name in data.columns:
        assert re.search(rf"datum\.{name}\b|\"{name}:?\"", json.dumps(spec)), f"{name} is sent for nothing"
    (sums,) = marks(spec, "text")
    assert sums["encoding"]["text"]["field"] == "sum"
    assert sums["transform"] == [{"filter": "datum.sum"}]
    assert marks(spec, "rect")[0]["encoding"]["tooltip"]["field"] == "description"
    assert spec["encoding"]["x"]["scale"]["padding"] == spec["encoding"]["y"]["scale"]["padding"] == 0
    assert spec["view"]["fill"] == palette.ZERO  # that of 0, behind cells with parts of pixels


@pytest.mark.parametrize(("sums_of", "first"), [("rows", slice(None, None, 65)), ("columns", slice(65))])
@pytest.mark.parametrize(("name", "has_wrong_sums"), [("scores", False), ("weights", True)])
def test_of_very_many_cells_a_mark_is_sent_where_there_is_one_and_whether_a_sum_is_wrong_beside_weights(
    sums_of, first, name, has_wrong_sums
):
    names = tuple(map(str, range(65)))
    data = records(
        made(name, np.full((65, 65), 0.5), names, names), 1, sums_of, marked=(64, 64), worked=(0, 0)
    )
    assert data["sum"][first].tolist() == [f"= {'32.5' if has_wrong_sums else '1.0'}"] * 65
    assert data["sum"].notna().sum() == 65
    assert data["mark"].fillna("").tolist() == [""] * (65 * 65 - 1) + ["selected"]
    assert ("sum_wrong" in data.columns and bool(data["sum_wrong"].all())) == has_wrong_sums


def test_64_by_64_cells_are_drawn():
    names = tuple(f"token {i}" for i in range(64))
    axis = Axis("token", names, tuple(range(64)))
    rng = np.random.default_rng(0)
    matrices = {
        name: Matrix(rng.normal(size=(64, 64)), "tokens", "dimensions") for name in ("queries", "keys")
    }
    inputs = Inputs({"tokens": axis, "dimensions": axis}, matrices)
    view = stage(attend(inputs, scale=True, causal=True), "weights")
    data = records(view, 2)
    assert len(data) == 64 * 64
    assert data["masked"].sum() == 64 * 63 / 2
    assert data["sum"].dropna().tolist() == ["= 1.00"] * 64
    assert spec_of(view)["height"] == 576


def test_a_heatmap_is_sent_as_bytes_that_are_made_once_for_all_who_look_at_the_same():
    view = shown("emma_sentence", "weights")
    spec, made = spec_of(view), charts.heatmap(Cells(view, 2, marked=(8, 0)))
    data = {name: made.pop(name) for name in ("data", "datasets")}
    assert made == spec
    assert data["data"] == {"name": charts.CELLS}
    sent = data["datasets"][charts.CELLS]
    assert charts.heatmap(Cells(view, 2, marked=(8, 0)))["datasets"][charts.CELLS] is sent
    assert charts.heatmap(Cells(view, 2, marked=(8, 1)))["datasets"][charts.CELLS] != sent
    assert not spec.keys() & data.keys()
