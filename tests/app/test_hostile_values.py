"""What no widget lets one choose, but a browser may send all the same, is not used."""

import json

import pytest

from tests.app.screens import open_page, words


@pytest.mark.parametrize(
    ("name", "value"),
    [("tokens", 10**9), ("tokens", 1), ("d_k", 0), ("d_k", 10**7), ("d_v", -1), ("seed", -5)],
)
def test_a_draw_of_an_impossible_size_is_that_which_the_field_begins_with(name, value):
    app = open_page("random_qkv", experiment="why √d_k", draw="a draw with a seed")
    before = [frame.value.to_numpy().tolist() for frame in app.dataframe]
    app.number_input(key=name).set_value(value).run()
    assert [frame.value.to_numpy().tolist() for frame in app.dataframe] == before
    assert len(app.exception) == 0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("d_k", 10**6, "The width dₖ is 1e+06; it may be any whole number from 1 to 64."),
        ("d_k", 2.5, "The width dₖ is 2.5; it may be any whole number from 1 to 64."),
        ("d_v", 0, "The width dᵥ is 0; it may be any whole number from 1 to 64."),
        ("seed", -1, "The seed is -1; it may be any whole number from 0 to 4,294,967,295."),
    ],
)
def test_ones_own_vectors_do_not_begin_with_an_impossible_size(name, value, said):
    app = open_page("your_vectors")
    app.button(key="open-start-anew").click().run()
    app.number_input(key=f"start-{name}").set_value(value).run()
    app.button(key="start").click().run()
    assert said in words(app)
    assert "6 tokens × 4 dimensions" in words(app)
    assert "6 tokens × 3 value dimensions" in words(app)
    assert len(app.exception) == 0


def test_a_query_of_ones_own_stays_within_its_sliders():
    app = open_page("animal_lookup", experiment="soft lookup", source="your own")
    app.slider(key="own_1").set_value(1e300).run()
    assert "`your query` is q = [8.70, 3.20, 4.10]" in words(app)


def test_long_names_leave_the_numbers_of_an_editor_in_view():
    app = open_page("emma_sentence")
    app.text_input(key="new_name").set_value("W" * 64)
    app.button(key="rename").click().run()
    widths = [column.get("width") for column in named_columns(app)]
    assert widths == [150, None, None, None, None]
    app.selectbox(key="axis").set_value("dimensions").run()
    app.text_input(key="new_name").set_value("W" * 64)
    app.button(key="rename").click().run()
    assert [column.get("width") for column in named_columns(app)] == [150, None, None, None, 150]


def named_columns(app) -> list[dict]:
    """What the first editor is told of its columns: that of the names, and those of the numbers."""
    columns = json.loads(app.get("dataframe")[0].proto.columns)
    return [columns["name"], *(columns[f"c{j}"] for j in range(4))]
