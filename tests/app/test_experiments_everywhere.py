"""What holds for every experiment: its link, what-ifs, toggles, names of users, sizes, the presenter view."""

from itertools import cycle

import numpy as np
import pytest

from core.experiments import CONTROLS, EXPERIMENTS, NONE, THREE_WAYS, TITLES, TRY_THIS, VIEWS
from core.matrices import insert, remove, rename, set_cells
from core.recipes import Recipe, prepared
from core.sharing import edits_of, pack
from core.snapshots import example_content
from core.ui.lesson_style import PLACES
from core.what_if import KINDS
from tests.app.screens import cells, numbers, open_page, reference, texts, type_into, words
from tests.examples import PRESETS
from tests.unit.hostile import HOSTILE, parted

VIEW = next(name for name, control in CONTROLS.items() if getattr(control, "options", ()) == VIEWS)
OWN = Recipe(tokens=("a", "b", "c"), d_k=4, d_v=4)
EVERY = [
    (preset, name)
    for preset in (*PRESETS, "your_vectors")
    for name in EXPERIMENTS[PRESETS[preset].page if preset in PRESETS else preset]
]
ONCE = [(preset, name) for name, preset in {name: preset for preset, name in EVERY[::-1]}.items()]
OTHERWISE = {  # other things that an experiment can be set to show
    "soft lookup": [{}, {"source": "a blend of two"}, {"source": "your own"}],
    "arrows": [{}, {VIEW: "best view"}],
    "from average": [{"way": "4 queries and keys"}, {"way": "5 attention"}],
}
ANYTHING = {
    "writing": "Q K", "look_at": "99 nobody", "draw": "a draw", "tokens": "1", "d_k": "0", "d_v": "513",
    "seed": "-1", "drawn": "open",
    "way": "6 ways", "source": "nothing", "blend": "2", "hardness": "0", "same_values": "maybe",
    VIEW: "worst view", "across": "Verb", "up": "", "stretch": "1000", "heads": "9 heads",
    "own_1": "13", "own_2": "-99", "own_3": "nan", "own_4": "inf", "own_5": "", "own_6": "1e999",
}  # fmt: skip
KEPT = [
    ("emma_sentence", "three ways", {"writing": "einsum"}),
    ("emma_sentence", "meaning space", {}),
    ("emma_sentence", "meaning space", {"look_at": "9 friend"}),
    ("emma_sentence", "arrows", {"across": "Noun", "up": "Adjective", "stretch": "3"}),
    ("emma_sentence", "arrows", {VIEW: "best view"}),
    ("random_qkv", "why √d_k", {"draw": "a draw with a seed", "tokens": "5", "d_k": "2", "d_v": "3"}),
    ("random_qkv", "why √d_k", {"draw": "a draw with a seed", "seed": "9", "drawn": "true"}),
    ("word_embeddings", "from average", {"preset": "three tokens", "way": "3 softmax"}),
    ("word_embeddings", "one word", {"look_at": "2 love"}),
    ("word_embeddings", "heads", {"preset": "three tokens", "heads": "4 heads"}),
    ("word_embeddings", "heads", {"preset": "three tokens", "heads": "1 head"}),
    ("animal_lookup", "soft lookup", {"source": "your own", "own_1": "-3.5", "hardness": "0.5"}),
    ("animal_lookup", "soft lookup", {"source": "a blend of two", "blend": "0.2", "same_values": "true"}),
]  # fmt: skip


def open_experiment(preset, name, inputs=None, **link):
    """A page with an experiment open, and its example or one's own vectors edited to inputs."""
    own = prepared(OWN, PRESETS)
    if preset == "your_vectors":
        edits = pack(example_content(OWN, own, inputs or own.inputs))
    else:
        edits = pack(edits_of(PRESETS[preset].inputs, inputs)) if inputs else ""
    page = PRESETS[preset].page if preset in PRESETS else preset
    label = {"preset": preset.replace("_", " ")} if page == "word_embeddings" else {}
    app = open_page(page, experiment=name, **label, **({"edits": edits} if edits else {}), **link)
    assert "cannot be used" not in words(app)
    return app


def inputs_of(preset):
    return PRESETS[preset].inputs if preset in PRESETS else prepared(OWN, PRESETS).inputs


def specs(app) -> str:
    return "".join(chart.proto.spec for chart in app.get("vega_lite_chart"))


def drawings(app) -> list[list]:
    """The data of all charts, to be compared."""
    return [cells(app, chart).to_numpy().tolist() for chart in range(len(app.get("vega_lite_chart")))]


def labels(app) -> list[str]:
    """The labels of the widgets of an experiment, which are Markdown."""
    kinds = ("button", "selectbox", "slider", "select_slider", "number_input", "toggle", "expander")
    return [element.label for kind in kinds for element in app.main.get(kind)]


# links and controls


@pytest.mark.parametrize(("preset", "name"), EVERY)
def test_every_experiment_opens_by_its_link_with_its_title_and_something_to_try(preset, name):
    app = open_experiment(preset, name)
    assert f"**{TITLES[name]}**" in words(app)
    assert f"**Try it.** {TRY_THIS[name]}" in words(app)
    assert len(app.get("vega_lite_chart")) >= 1
    app.button(key="back").click().run()
    app.run()
    assert app.selectbox(key="experiment").value == NONE
    assert "experiment" not in app.query_params
    assert len(app.get("vega_lite_chart")) == 1
    assert "**Where from?**" in words(app)
    app.selectbox(key="experiment").select(name).run()
    app.run()
    assert f"**{TITLES[name]}**" in words(app)
    assert len(app.exception) == 0


@pytest.mark.parametrize("page", EXPERIMENTS)
def test_an_experiment_of_another_page_or_nonsense_opens_the_stages(page):
    others = {name for names in EXPERIMENTS.values() for name in names} - set(EXPERIMENTS[page])
    for name in (*sorted(others)[:2], "<script>alert(1)</script>", ""):
        app = open_page(page, experiment=name)
        assert app.selectbox(key="experiment").value == NONE
        assert "**Where from?**" in words(app)
        assert "experiment" not in app.query_params


def test_nonsense_is_tried_in_every_control():
    assert set(ANYTHING) == set(CONTROLS)


@pytest.mark.parametrize(("preset", "name"), ONCE)
def test_nonsense_in_the_parameters_of_controls_gives_the_experiment_as_it_opens(preset, name):
    wanted, given = open_experiment(preset, name), open_experiment(preset, name, **ANYTHING)
    assert drawings(given) == drawings(wanted)
    assert words(given) == words(wanted)


@pytest.mark.parametrize("text", ["\u0000", "inf", "9" * 400, "<b>", "true", "-0"])
def test_other_nonsense_raises_nothing(text):
    link = dict.fromkeys(CONTROLS, text)
    for preset, name, more in (
        ("random_qkv", "why √d_k", {"draw": "a draw with a seed"}),
        ("animal_lookup", "soft lookup", {"source": "your own"}),
        ("emma_sentence", "arrows", {VIEW: "best view"}),
    ):
        open_experiment(preset, name, **(link | more))


@pytest.mark.parametrize(("page", "name", "controls"), KEPT)
def test_an_experiment_and_its_controls_are_there_when_one_comes_back(page, name, controls):
    app = open_page(page, experiment=name, **controls)
    before, said, link = drawings(app), words(app), dict(app.query_params)
    other = "animal_lookup" if page == "emma_sentence" else "emma_sentence"
    for path in (f"pages/{other}.py", "streamlit_app.py", f"pages/{page}.py"):
        app.switch_page(path).run()
        assert len(app.exception) == 0
    assert drawings(app) == before
    assert words(app) == said
    assert dict(app.query_params) == link


@pytest.mark.parametrize(("preset", "name"), EVERY)
def test_what_is_typed_while_an_experiment_is_open_is_used_and_stays(preset, name):
    app = open_experiment(preset, name)
    matrix = "W_query" if "W_query" in inputs_of(preset).matrices else "keys"
    for _ in range(2):
        app = type_into(app, matrix, 0, 0, "7.25")
        assert "→ `7.25`" in words(app)
        assert app.query_params["edits"]
    assert len(app.exception) == 0


# what-ifs and toggles


@pytest.mark.parametrize(("preset", "name"), ONCE)
def test_a_what_if_waits_while_an_experiment_is_open(preset, name):
    plain, app = (open_experiment(preset, name, what_if=what_if) for what_if in ("", KINDS["shuffled"].title))
    assert "The what-if waits" not in words(plain)
    assert "The what-if waits, and changes nothing here." in words(app)
    assert app.selectbox(key="what_if").value == "shuffled"
    assert drawings(app) == drawings(plain)


@pytest.mark.parametrize(
    ("preset", "name"),
    [case for case in EVERY if case[1] in ("one word", "soft lookup", "arrows", "heads", "meaning space")],
)
def test_the_toggles_redraw_the_experiment(preset, name):
    def shown(app):
        """Charts and tables, without the button of a toggle itself."""
        tables = [frame.value.to_numpy().tolist() for frame in app.dataframe]
        return drawings(app), tables, [line.value for line in app.main.markdown]

    inputs = inputs_of(preset)
    side = "embeddings" if "embeddings" in inputs.matrices else "queries"
    app = open_experiment(preset, name, query=f"2 {inputs.row_names(side)[1]}")
    toggles = ["scale"] if preset in PRESETS and PRESETS[preset].unordered else ["scale", "causal"]
    for toggle in toggles:
        before = shown(app)
        app.toggle(key=toggle).set_value(not app.toggle(key=toggle).value).run()
        assert len(app.exception) == 0
        app.run()  # a toggle draws the experiment alone
        assert shown(app) != before, toggle
        assert f"**{TITLES[name]}**" in words(app)


def test_scaling_of_the_soft_lookup_is_that_of_the_page():
    app = open_experiment("animal_lookup", "soft lookup", scale="false", hardness="5")
    scores = np.array(reference("animal_lookup")["scores_mammal"]) / 5
    wanted = np.exp(scores - scores.max())
    np.testing.assert_allclose(numbers(app, 1)[0], wanted / wanted.sum(), rtol=1e-7)


@pytest.mark.parametrize(("preset", "name"), ONCE)
def test_the_other_layout_is_said_to_be_rows_here(preset, name):
    app = open_experiment(preset, name, layout="C x T")
    writes_both_ways = name == THREE_WAYS
    assert ("Here, a row stands for each token." in words(app)) is not writes_both_ways
    assert drawings(app) == drawings(open_experiment(preset, name))


# names of users


def renamed(preset):
    """Every name of an example hostile, behind a mark by which it is found."""
    inputs, hostile = inputs_of(preset), cycle(HOSTILE)
    for axis in inputs.axes:
        for place in range(len(inputs.axes[axis].names)):
            inputs = rename(inputs, axis, place, f"Zq{place}{next(hostile)}")
    return inputs


@pytest.mark.parametrize(("preset", "name"), EVERY)
def test_a_users_words_are_shown_as_they_are_and_never_reach_markdown_or_a_spec(preset, name):
    inputs = renamed(preset)
    for more in OTHERWISE.get(name, [{}]):
        app = open_experiment(preset, name, inputs, **more)
        assert "Zq" not in specs(app)
        assert not [text for text in labels(app) if "Zq" in parted(text)[0]]
        for element in (*app.main.markdown, *app.main.caption):
            assert "Zq" not in parted(element.value)[0]
        assert not [element for element in app.code if "Zq" in element.value]


@pytest.mark.parametrize("name", ["three ways", "meaning space", "arrows"])
def test_every_hostile_name_may_be_a_token(name):
    inputs = inputs_of("emma_sentence")
    for place in range(len(inputs.axes["tokens"].names), len(HOSTILE)):
        inputs = insert(inputs, "tokens", place, "new")
    for place, hostile in enumerate(HOSTILE):
        inputs = rename(inputs, "tokens", place, hostile)
    plain = open_experiment("emma_sentence", name)
    first = specs(plain)
    for place in range(0, len(HOSTILE), 4):
        pair = {"query": f"{place + 1} {HOSTILE[place]}", "key": f"{place + 4} {HOSTILE[place + 3]}"}
        app = open_experiment("emma_sentence", name, inputs, **pair)
        assert "alert" not in specs(app)
        assert any(HOSTILE[place] in parted(element.value)[1] for element in app.main.markdown)
    assert "alert" not in first


# sizes


def grown(inputs, axis, count):
    while len(inputs.axes[axis].names) < count:
        place = len(inputs.axes[axis].names)
        inputs = insert(inputs, axis, place, f"new{place}")
    return inputs


def shrunk(inputs, axis, count=1):
    while len(inputs.axes[axis].names) > count:
        inputs = remove(inputs, axis, 0)
    return inputs


def sizes(preset):
    """An example with one name along a side or along all, eight or more along all, zeros, huge numbers."""
    inputs = smallest = largest = inputs_of(preset)
    found = {}
    for side in [name for name, axis in inputs.axes.items() if axis.follows is None]:
        found[f"1 of {side}"] = shrunk(inputs, side)
        smallest = shrunk(smallest, side)
        largest = grown(largest, side, max(8, len(inputs.axes[side].names) + 1))
    found |= {"1 of all": smallest, "more of all": largest}
    zeros = {
        (name, row, column): 0.0
        for name, matrix in inputs.matrices.items()
        for row, column in np.ndindex(matrix.values.shape)
    }
    huge = {place: 1e6 * (-1) ** sum(place[1:]) for place in zeros}
    return found | {"zeros": set_cells(inputs, zeros), "huge": set_cells(inputs, huge)}


@pytest.mark.parametrize(("preset", "name"), EVERY)
def test_any_size_and_any_number_gives_an_experiment_with_sensible_words(preset, name):
    for (size, inputs), more in zip(sizes(preset).items(), cycle(OTHERWISE.get(name, [{}])), strict=False):
        said = words(open_experiment(preset, name, inputs, **more))
        assert f"**{TITLES[name]}**" in said, size
        for nonsense in ("nan ", "NaN", "None", "Change .", "**∞**", "[]"):
            assert nonsense not in said, (size, nonsense)


@pytest.mark.parametrize("preset", ["i_love_coding", "three_tokens"])
def test_a_token_without_an_embedding_is_offered_no_edit_that_changes_nothing(preset):
    inputs = insert(inputs_of(preset), "tokens", 3, "new")
    app = open_experiment(preset, "one word", inputs, query="4 new")
    assert "Change ." not in words(app)
    if "make-edit" in [button.key for button in app.button]:
        edits = app.query_params["edits"]
        app.button(key="make-edit").click().run()
        assert app.query_params["edits"] != edits


def test_a_guided_edit_of_a_word_with_a_tiny_embedding_can_be_shared():
    inputs = set_cells(inputs_of("i_love_coding"), {("embeddings", 1, 1): 1e-9})
    app = open_experiment("i_love_coding", "one word", inputs, query="2 love")
    if "make-edit" in [button.key for button in app.button]:
        app.button(key="make-edit").click().run()
        app.run()
        other = open_page("word_embeddings", edits=app.query_params["edits"])
        assert "cannot be used" not in words(other)


# the presenter view and lessons


@pytest.mark.parametrize("page", EXPERIMENTS)
def test_the_presenter_view_shows_the_same_experiment_or_the_stages(page):
    name = EXPERIMENTS[page][0]
    app, hall = open_page(page, experiment=name), open_page(page, experiment=name, present="true")
    assert drawings(hall) == drawings(app)
    assert f"**{TITLES[name]}**" in words(hall)
    hall.button(key="back").click().run()
    assert f"**{TITLES[name]}**" not in words(hall)
    assert len(hall.get("vega_lite_chart")) == 1
    assert texts(hall)
    app.button(key="present").click().run()
    app.button(key="leave").click().run()
    assert f"**{TITLES[name]}**" in words(app)
    assert app.query_params["experiment"] == name


def test_a_lesson_may_hide_the_experiments():
    app = open_page("emma_sentence", hide="experiments")
    styles = [element.value for element in app.html]
    assert f"<style>{PLACES['experiments']} {{ display: none; }}</style>" in styles
    assert len(app.exception) == 0
    app = open_page("emma_sentence", hide="experiments", experiment="three ways")
    assert f"**{TITLES['three ways']}**" in words(app)
