"""Every folder in data/ is a worked example that opens; one that is broken says where and harms no other."""

import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from core import presets as loaded
from core.matrices import set_cells
from core.presets import load_presets
from core.stages import attend, stage, stage_names

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
PRESETS, PROBLEMS = load_presets(DATA)

# scale, causal, query and key, as the lecture and its notebooks have them
LECTURE = {
    "animal_lookup": (True, False, "mammal", "wolf"),
    "emma_sentence": (False, False, "friend", "Emma"),
    "i_love_coding": (False, False, "love", "coding"),
    "random_qkv": (True, True, "token 2", "token 1"),
    "three_tokens": (True, True, "T2", "T1"),
}

every_preset = pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)


def opened(preset, **toggles):
    return attend(preset.inputs, **{"scale": preset.start.scale, "causal": preset.start.causal} | toggles)


def test_every_folder_of_data_loads_without_a_problem():
    assert PROBLEMS == []
    assert sorted(PRESETS) == sorted(folder.name for folder in DATA.iterdir() if folder.is_dir())


def test_the_five_examples_of_the_lecture_are_there():
    assert set(LECTURE) <= set(PRESETS)


@pytest.mark.parametrize("name", LECTURE)
def test_an_example_opens_as_the_lecture_has_it(name):
    scale, causal, query, key = LECTURE[name]
    start, attention = PRESETS[name].start, opened(PRESETS[name])
    assert (start.scale, start.causal) == (scale, causal)
    assert (attention.query_names[start.query], attention.key_names[start.key]) == (query, key)


@every_preset
def test_the_page_of_an_example_exists(preset):
    assert (ROOT / "pages" / f"{preset.page}.py").is_file()


@every_preset
def test_the_texts_of_an_example_are_there(preset):
    assert preset.title.strip()
    assert preset.source.strip()
    assert preset.question.endswith("?")


@every_preset
def test_the_start_pair_is_a_query_and_a_key_that_may_meet(preset):
    attention = opened(preset)
    assert np.isfinite(attention.steps.masked[preset.start.query, preset.start.key])


@every_preset
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_every_stage_of_an_example_computes(preset, scale, causal):
    attention = attend(preset.inputs, scale=scale, causal=causal)
    for name in stage_names(preset.inputs):
        shown = stage(attention, name)
        assert shown.values.shape == shown.hidden.shape == (len(shown.rows), len(shown.columns))
        assert np.isfinite(shown.values[~shown.hidden]).all()


@every_preset
def test_notes_stand_beside_stages_that_the_example_has(preset):
    assert set(preset.notes) <= set(stage_names(preset.inputs))
    assert all(note.strip() for note in preset.notes.values())


@every_preset
def test_a_folder_holds_its_matrices_and_nothing_else(preset):
    home = DATA / preset.id
    content = tomllib.loads((home / "preset.toml").read_text("utf-8"))
    files = {matrix["file"] for matrix in content["matrices"].values()}
    assert {path.name for path in home.iterdir()} == {"preset.toml", *files}


@every_preset
def test_the_numbers_of_an_example_cannot_be_changed_by_accident(preset):
    for matrix in preset.inputs.matrices.values():
        with pytest.raises(ValueError, match="read-only"):
            matrix.values[0, 0] = 1.0


def test_what_the_animals_say_to_try_happens():
    animals = PRESETS["animal_lookup"]
    edited = set_cells(animals.inputs, {("queries", 0, 0): 0.0})
    for inputs, found in ((animals.inputs, "wolf"), (edited, "salmon")):
        attention = attend(inputs, scale=True, causal=False)
        assert attention.key_names[attention.steps.weights[0].argmax()] == found


def test_what_emma_says_to_try_happens():
    emma = PRESETS["emma_sentence"]
    friend, adjective = 8, emma.inputs.column_names("queries").index("Adjective")
    edited = set_cells(emma.inputs, {("queries", friend, adjective): 3.0})
    for inputs, found in ((emma.inputs, "Emma"), (edited, "great")):
        attention = attend(inputs, scale=False, causal=False)
        assert attention.key_names[attention.steps.weights[friend].argmax()] == found


def test_what_i_love_coding_says_to_try_happens():
    coding, love = PRESETS["i_love_coding"], 1
    edited = set_cells(coding.inputs, {("W_query", 1, 2): 1.0})
    assert opened(coding).steps.weights[love, love] == pytest.approx(0.155, abs=0.001)
    assert attend(edited, scale=False, causal=False).steps.weights[love, love] < 0.05


def test_what_the_random_vectors_say_to_try_happens():
    random = PRESETS["random_qkv"]
    scaled, plain = (opened(random, scale=scale).steps.weights.max(axis=1) for scale in (True, False))
    assert scaled[0] == plain[0] == 1
    assert (plain[1:] > scaled[1:]).all()


def test_what_three_tokens_say_to_try_happens():
    assert opened(PRESETS["three_tokens"], causal=False).steps.weights[0, 1] > 0.98


@pytest.fixture
def data(tmp_path):
    """A data folder with two examples: one to break, one to stay whole."""
    for name in ("animal_lookup", "i_love_coding"):
        shutil.copytree(DATA / name, tmp_path / name)
    return tmp_path


def replace_in(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def test_a_new_folder_is_a_new_example(data):
    shutil.copytree(DATA / "animal_lookup", data / "my_animals")
    replace_in(data / "my_animals" / "preset.toml", "title = ", 'title = "My animals" # ')
    presets, problems = load_presets(data)
    assert problems == []
    assert list(presets) == ["animal_lookup", "i_love_coding", "my_animals"]
    assert presets["my_animals"].id == "my_animals"
    assert presets["my_animals"].title == "My animals"
    assert presets["my_animals"].inputs.same_as(presets["animal_lookup"].inputs)


def test_a_file_saved_by_a_spreadsheet_is_the_same_example(data):
    for file in (data / "animal_lookup").glob("*.csv"):
        saved = file.read_text("utf-8").replace(",", ";").replace(".", ",").replace("\n", "\r\n")
        file.write_bytes(saved.encode("utf-8-sig"))
    presets, problems = load_presets(data)
    assert problems == []
    assert presets["animal_lookup"].inputs.same_as(PRESETS["animal_lookup"].inputs)


def test_an_example_may_have_256_names_on_a_side_of_64_characters_each(data):
    names = [f"{'q' * 61}{i:03}" for i in range(256)]
    replace_in(data / "animal_lookup" / TOML, '["mammal", "reptile"]', str(names))
    replace_in(data / "animal_lookup" / TOML, 'query = "mammal"', f'query = "{names[-1]}"')
    (data / "animal_lookup" / QUERIES).write_text(
        "queries,d1,d2,d3\n" + "".join(f"{name},1,2,3\n" for name in names), "utf-8"
    )
    presets, problems = load_presets(data)
    assert problems == []
    assert presets["animal_lookup"].inputs.row_names("queries") == tuple(names)
    assert presets["animal_lookup"].start.query == 255


def test_a_data_folder_that_is_empty_or_missing_has_no_examples(tmp_path):
    assert load_presets(tmp_path) == load_presets(tmp_path / "nowhere") == ({}, [])


TOML, QUERIES, VALUES = "preset.toml", "queries.csv", "values.csv"
# kind of fault: the file, what is replaced in it, by what, and what the sentence says
FAULTS = {
    "bad TOML": (TOML, "[start]", "[start", (TOML, "line 44")),
    "no section start": (TOML, "[start]", "[begin]", (TOML, "[start]")),
    "no section axes": (TOML, "axes.", "axis.", (TOML, "axes.")),
    "no title": (TOML, "title = ", "titel = ", (TOML, "title")),
    "an empty question": (TOML, "question = ", 'question = "" # ', (TOML, "question")),
    "a page that is a number": (TOML, 'page = "animal_lookup"', "page = 4", (TOML, "page")),
    "a page that is not there": (
        TOML,
        'page = "animal_lookup"',
        'page = "animals"',
        (TOML, "animals", "emma_"),
    ),
    "a title in Markdown": (
        TOML,
        'title = "Mammal a',
        'title = "*Mammal a',
        (TOML, "title holds '*'", "Markdown"),
    ),
    "two axes of one title": (TOML, 'title = "key"', 'title = "query"', (TOML, "two axes", "'query'")),
    "keys with the names of the queries": (
        TOML,
        'rows = "keys"\n',
        'rows = "queries"\n',
        ("animal_lookup/", "keys"),
    ),
    "a page that needs embeddings": (
        TOML,
        'page = "animal_lookup"',
        'page = "word_embeddings"',
        (TOML, "word_embeddings", "embeddings"),
    ),
    "names that are no list": (TOML, '["mammal", "reptile"]', '"mammal"', (TOML, "axes.queries.names")),
    "no names": (TOML, '["mammal", "reptile"]', "[]", (TOML, "axes.queries.names")),
    "an empty name": (TOML, '"mammal"', '" "', (TOML, "axes.queries.names, name 1", "empty")),
    "a long name": (TOML, '"mammal"', f'"{"m" * 65}"', (TOML, "axes.queries.names", "65")),
    "too many names": (
        TOML,
        '["mammal", "reptile"]',
        str([f"q{i}" for i in range(257)]),
        (TOML, "axes.queries.names", "1 to 256 names"),
    ),
    "an unknown axis of rows": (
        TOML,
        'rows = "queries"',
        'rows = "tokens"',
        (TOML, "queries.rows", "tokens"),
    ),
    "an unknown axis of columns": (
        TOML,
        'columns = "value_dimensions"',
        'columns = "widths"',
        (TOML, "values.columns", "widths"),
    ),
    "an unknown axis to follow": (
        TOML,
        'follows = "keys"',
        'follows = "nobody"',
        (TOML, "follows", "nobody"),
    ),
    "an axis to follow that is no text": (TOML, 'follows = "keys"', 'follows = ["keys"]', (TOML, "follows")),
    "a follower of another length": (TOML, '"scaly", ', "", (TOML, "axes.value_names", "axes.keys")),
    "values that do not go with the keys": (TOML, 'rows = "value_names"', 'rows = "keys"', (VALUES, "furry")),
    "values of an axis of their own": (TOML, 'follows = "keys"', "", (TOML, "values", "keys")),
    "keys of another width than queries": (
        TOML,
        'columns = "dimensions"\n\n[matrices.keys]',
        'columns = "more"\n\n[axes.more]\nnames = ["d1", "d2", "d3"]\n\n[matrices.keys]',
        (TOML, "queries", "keys", "same axis"),
    ),
    "an unknown matrix": (TOML, "[matrices.queries]", "[matrices.query]", (TOML, "queries")),
    "a matrix without a file": (TOML, 'file = "queries.csv"\n', "", (TOML, "matrices.queries", "file")),
    "a file that is not there": (TOML, '"queries.csv"', '"query.csv"', ("query.csv", "queries")),
    "no file name": (TOML, '"queries.csv"', '""', ("animal_lookup/", "queries")),
    "a file in the folder above": (
        TOML,
        '"queries.csv"',
        '"../queries.csv"',
        (TOML, "matrices.queries.file"),
    ),
    "the folder above": (TOML, '"queries.csv"', '".."', ("animal_lookup/", "queries")),
    "a file of another example": (
        TOML,
        '"queries.csv"',
        '"../i_love_coding/W_query.csv"',
        (TOML, "matrices.queries.file"),
    ),
    "a file of the computer": (TOML, '"queries.csv"', '"/etc/hosts"', (TOML, "matrices.queries.file")),
    "a file name with a zero byte": (TOML, '"queries.csv"', '"queries\\u0000.csv"', (TOML, "file")),
    "a start query that is no token": (
        TOML,
        'query = "mammal"',
        'query = "fish"',
        (TOML, "start.query", "reptile"),
    ),
    "a start key that is no token": (TOML, 'key = "wolf"', "key = 4", (TOML, "start.key", "kitten")),
    "no start key": (TOML, 'key = "wolf"', "", (TOML, "start.key")),
    "a toggle that is a text": (TOML, "scale = true", 'scale = "true"', (TOML, "start.scale")),
    "no toggle": (TOML, "causal = false", "", (TOML, "start.causal")),
    "a mask where there is no order": (
        TOML,
        "causal = false",
        "causal = true",
        (TOML, "start.causal", "false", "unordered"),
    ),
    "animals in an order": (TOML, "unordered = ", "source_of = ", (TOML, "animal_lookup", "unordered")),
    "a note for no stage": (TOML, 'scores = "', 'score = "', (TOML, "notes.score", "scores")),
    "a note that is no text": (TOML, 'scores = "', 'scores = 1 # "', (TOML, "notes.scores")),
    "notes that are no section": (TOML, "[notes]", "[[notes]]", (TOML, "notes")),
    "a text in a number cell": (QUERIES, "9.9", "abc", (QUERIES, "row 3", "column 3", "abc")),
    "an empty number cell": (QUERIES, "9.9", "", (QUERIES, "row 3", "column 3", "empty")),
    "a wrong row name": (QUERIES, "reptile", "snake", (QUERIES, "row 3", "snake", "reptile")),
    "a wrong column name": (QUERIES, "d2", "x2", (QUERIES, "column 3", "x2", "d2")),
    "a row too few": (QUERIES, "reptile,2.1,9.9,1.6\n", "", (QUERIES, "1 rows", "2")),
    "a row too many": (QUERIES, "reptile", "fish,1,2,3\nreptile", (QUERIES, "3 rows", "2")),
    "a cell too few": (QUERIES, ",9.9", "", (QUERIES, "row 3", "3 cells", "4")),
    "a column too many": (QUERIES, "d3\nmammal,", "d3,d4\nmammal,0,", (QUERIES, "row 3")),
    "an empty file": (QUERIES, (DATA / "animal_lookup" / QUERIES).read_text("utf-8"), "", (QUERIES, "empty")),
}


def assert_one_problem(data, said):
    presets, problems = load_presets(data)
    assert list(presets) == ["i_love_coding"]
    (problem,) = problems
    assert problem.startswith("animal_lookup/")
    assert "\n" not in problem
    assert [words for words in said if words not in problem] == [], problem


@pytest.mark.parametrize(("file", "old", "new", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_sentence_that_says_where_and_the_others_load(data, file, old, new, said):
    replace_in(data / "animal_lookup" / file, old, new)
    assert_one_problem(data, said)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (QUERIES, b"PK\x03\x04\0\0", (QUERIES, "a zip file or an Excel workbook, not a CSV file")),
        (QUERIES, b"\x89PNG\r\n\x1a\n\0", (QUERIES, "not a text file")),
        (QUERIES, b"0" * 1_000_001, (QUERIES, "1,000,001 bytes")),
        (TOML, b"", (TOML, "page")),
        (TOML, b"title = '\xff'", (TOML, "cannot be read")),
    ],
)
def test_a_file_of_another_kind_is_named(data, file, content, said):
    (data / "animal_lookup" / file).write_bytes(content)
    assert_one_problem(data, said)


def test_a_missing_matrix_file_is_named_with_its_matrix(data):
    (data / "animal_lookup" / "keys.csv").unlink()
    assert_one_problem(data, ("keys.csv", "cannot be read", "for keys"))


def test_a_preset_that_is_a_folder_is_named(data):
    (data / "animal_lookup" / TOML).unlink()
    (data / "animal_lookup" / TOML).mkdir()
    assert_one_problem(data, (TOML, "cannot be read"))


def test_a_folder_cannot_be_the_page_of_ones_own_vectors(data):
    (data / "animal_lookup").rename(data / "your_vectors")
    presets, problems = load_presets(data)
    assert list(presets) == ["i_love_coding"]
    assert problems[0].startswith("your_vectors/preset.toml: the folder cannot be called your_vectors")


def test_queries_and_keys_of_one_axis_do_not_fit_the_animals(data):
    shutil.copytree(DATA / "random_qkv", data / "one_axis")
    replace_in(data / "one_axis" / TOML, 'page = "random_qkv"', 'page = "animal_lookup"')
    presets, (problem,) = load_presets(data)
    assert "one_axis" not in presets
    assert "on the page animal_lookup the rows of queries and keys must be two axes" in problem


def test_what_an_editor_of_texts_leaves_behind_is_no_fault(data, monkeypatch):
    (data / "animal_lookup" / ".#queries.csv").symlink_to("nobody@nowhere")
    monkeypatch.setattr("core.presets.DATA", data)
    assert loaded.every_preset()[1] == []
    assert list(loaded.of_page("animal_lookup")[0]) == ["animal_lookup"]


def test_each_of_several_broken_folders_has_its_own_sentence(data):
    (data / "animal_lookup" / QUERIES).unlink()
    (data / "i_love_coding" / "W_key.csv").unlink()
    presets, problems = load_presets(data)
    assert presets == {}
    assert [problem.partition(" ")[0] for problem in problems] == [
        "animal_lookup/queries.csv",
        "i_love_coding/W_key.csv",
    ]


@pytest.mark.parametrize(
    ("matrix", "side", "letter", "said"),
    [
        ("embeddings", "columns", "e", "embeddings"),
        ("W_query", "rows", "e", "W_query"),
        ("W_value", "rows", "e", "W_value"),
        ("W_key", "columns", "d", "W_key"),
    ],
)
def test_a_weight_with_an_axis_that_only_looks_the_same_is_named(data, matrix, side, letter, said):
    toml = data / "i_love_coding" / TOML
    before, section, after = toml.read_text("utf-8").partition(f"[matrices.{matrix}]")
    after = after.replace(f"{side} = ", f'{side} = "alike" # ', 1)
    alike = f'[axes.alike]\nnames = ["{letter}1", "{letter}2", "{letter}3"]\n'
    toml.write_text(f"{before}{section}{after}\n{alike}", "utf-8")
    (problem,) = load_presets(data)[1]
    assert problem.startswith("i_love_coding/preset.toml")
    assert said in problem
    assert "same axis" in problem
