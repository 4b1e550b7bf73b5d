"""Matrices from files and pasted text, and pages saved as a zip, through the real entry."""

import io
import re
import zipfile

import numpy as np
import pytest

from core.saving import SETTINGS, SavedPage, matrix_csv, page_zip
from core.snapshots import content_of_snapshot, example_content
from core.stages import attend
from core.ui import crowd
from core.ui.reading import READ
from core.ui.state import Setting
from core.ui.worksheets import link_text
from tests.app.screens import cells, close_dialog, numbers, open_page, type_into, words
from tests.examples import PRESETS

PAGES = {
    "emma_sentence": ("queries", "keys"),
    "random_qkv": ("queries", "keys", "values"),
    "word_embeddings": ("embeddings", "W_query", "W_key", "W_value"),
    "animal_lookup": ("queries", "keys", "values"),
    "your_vectors": ("queries", "keys", "values"),
}
MATRICES = [(page, matrix) for page, matrices in PAGES.items() for matrix in matrices]


def sheet(app, preset: str):
    return app.session_state["worksheets"][preset]


def preset_of(app) -> str:
    return next(iter(app.session_state["worksheets"]))


def load(app, matrix: str, content: bytes, name: str = "mine.csv"):
    app.button(key="open-load").click().run()
    app.selectbox(key="load-matrix").select(matrix).run()
    app.file_uploader[0].upload(name, content).run()
    assert len(app.exception) == 0
    return app


def asked(app, question):
    """The one question of its kind that the dialog asks."""
    (found,) = [radio for radio in app.radio if radio.key.startswith(f"load-{question}-")]
    return found


def use(app):
    app.button(key="use").click().run()
    assert len(app.exception) == 0
    assert "open_dialog" not in app.session_state
    return app


@pytest.mark.parametrize(("page", "matrix"), MATRICES)
@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_template_that_was_filled_in_is_loaded_on_every_page(page, matrix, decimal_comma):
    app = open_page(page)
    inputs = sheet(app, preset_of(app)).inputs
    expected = inputs.matrices[matrix].values / 3
    changed = inputs.matrices[matrix].__class__(
        expected, inputs.matrices[matrix].rows, inputs.matrices[matrix].columns
    )
    filled_in = inputs.__class__(inputs.axes, {**inputs.matrices, matrix: changed})
    use(load(app, matrix, matrix_csv(filled_in, matrix, decimal_comma).encode("utf-8-sig")))
    now = sheet(app, preset_of(app)).inputs
    assert now.matrices[matrix].values.tobytes() == (expected + 0.0).tobytes()
    assert now.axes == inputs.axes
    app.button(key="undo").click().run()
    assert sheet(app, preset_of(app)).inputs.same_as(inputs)


def test_of_a_file_that_cannot_be_used_no_one_is_asked_how_its_letters_are_encoded():
    table = ";Person;Animal;Noun;Adjective\nGrüße;1;2;3;4\nKöln;1;zwölf;3;4\n"
    app = load(open_page("emma_sentence"), "queries", table.encode("cp1252"))
    assert "row 3, column 3: 'zwölf' is not a number" in words(app)
    assert not any(box.key.startswith("load-encoding") for box in app.selectbox if box.key)


def test_a_name_of_a_file_turns_no_message_round():
    app = open_page("emma_sentence")
    load(app, "queries", b"abc", "\u202evsc.exe.csv")
    assert "vsc.exe.csv, row 1" in words(app)
    assert "\u202e" not in words(app)


def test_a_long_name_of_a_file_is_cut_where_it_is_told():
    app = open_page("emma_sentence")
    load(app, "queries", b"abc", "x" * 200 + ".csv")
    assert f"{'x' * 99}…, row 1" in words(app)
    assert "x" * 100 not in words(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_file_that_cannot_be_used_is_named_and_leaves_the_page_as_it_is(page):
    app = open_page(page)
    before = sheet(app, preset_of(app)).inputs
    load(app, PAGES[page][0], b",a,b\nx,1,abc\ny,=1+1,2\nz,nan,1e9\n", "my <b>file</b>.csv")
    for said in (
        "my <b>file</b>.csv, row 2, column 3: 'abc' is not a number",
        "my <b>file</b>.csv, row 3, column 2: '=1+1' is a formula; write the number that it gives",
        "my <b>file</b>.csv, row 4, column 2: 'nan' is not a finite number",
        "my <b>file</b>.csv, row 4, column 3: '1e9' is too large",
        "The page keeps its numbers.",
    ):
        assert said in words(app)
    assert "use" not in [button.key for button in app.button]
    assert sheet(app, preset_of(app)).inputs is before


def test_what_was_understood_is_said_before_it_is_used():
    app = open_page("emma_sentence")
    nine = "Person;Animal;Noun;Adjective\r\n" + "1,5;0;0;-2\r\n" * 9
    load(app, "queries", nine.encode("utf-16"))
    assert (
        "**Understood:** 9 rows and 4 columns of numbers; semicolon between cells; decimal comma; "
        "names in the first row; UTF-16." in words(app)
    )
    assert float(numbers(use(app))[8, 0]) == pytest.approx(1.5 * 1.2)


def test_a_title_above_the_table_is_left_out_and_named():
    app = open_page("emma_sentence")
    load(app, "queries", b"My <b>vectors</b>,,,\n,,,\nP,A,N,X\n" + b"1,0,0,0\n" * 9)
    assert "; without the title above, `My <b>vectors</b>`." in words(app)
    assert numbers(use(app))[:, 0].tolist() == [1.2] * 9


def test_words_in_an_encoding_that_is_not_told_are_chosen_by_what_they_say():
    app = open_page("your_vectors")
    rows = "".join(f"{word},1,0,0,0\n" for word in ("猫", "犬", "ネコ", "鳥", "魚", "馬"))
    load(app, "queries", f",a,b,c,d\n{rows}".encode("cp932"))
    (question,) = (box for box in app.selectbox if box.key.startswith("load-encoding"))
    assert question.value is None
    assert "猫, 犬, ネコ (Japanese, Shift-JIS)" in question.options
    assert "**Understood:**" not in words(app)
    question.set_value("Shift-JIS").run()
    assert "names in the first row and in the first column; Shift-JIS." in words(app)
    use(app)
    assert sheet(app, "your_vectors").inputs.row_names("queries") == ("猫", "犬", "ネコ", "鳥", "魚", "馬")


def test_words_of_the_west_are_taken_for_right_and_another_file_is_asked_about_anew():
    app = open_page("your_vectors")
    rows = "".join(f"{word};1;0;0;0\n" for word in ("der", "Bär", "mag", "Käse", "und", "Öl"))
    load(app, "queries", f";a;b;c;d\n{rows}".encode("cp1252"))
    (question,) = (box for box in app.selectbox if box.key.startswith("load-encoding"))
    assert question.value == "Windows-1252"
    question.set_value("Windows-1251").run()
    assert "`mat` → `Цl`" in words(app)
    app.file_uploader[0].upload(
        "other.csv", f";a;b;c;d\n{rows.replace('und', 'oder')}".encode("cp1252")
    ).run()
    assert "`on` → `Käse`" in words(app)


@pytest.mark.parametrize(
    ("page", "chosen", "meant", "file"),
    [
        ("emma_sentence", "queries", "keys", "template_keys (1).csv"),
        ("word_embeddings", "embeddings", "W_key", "word_embeddings_W_key.csv"),
        ("emma_sentence", "queries", "keys", "Keys.csv"),
    ],
)
def test_a_file_called_after_another_matrix_is_doubted(page, chosen, meant, file):
    app = open_page(page)
    content = matrix_csv(sheet(app, preset_of(app)).inputs, meant, False).encode("utf-8-sig")
    load(app, chosen, content, file)
    assert f"`{file}` goes into **`{chosen}`**. If these are `{meant}`, choose that above." in [
        warning.value for warning in app.warning
    ]
    app.selectbox(key="load-matrix").select(meant).run()
    assert len(app.warning) == 0
    use(app)


@pytest.mark.parametrize("file", ["donkeys.csv", "turkeys (2).csv", "queries.csv", "keys and queries.csv"])
def test_a_file_that_only_ends_like_another_matrix_is_not(file):
    app = open_page("emma_sentence")
    load(app, "queries", matrix_csv(sheet(app, preset_of(app)).inputs, "queries", False).encode(), file)
    assert len(app.warning) == 0


def test_text_can_be_pasted_instead():
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    app.text_area[0].set_value("\t".join("PANX") + "\n" + "1\t0\t0\t0\n" * 9).run()
    said = "**Names change, wherever they stand:** `Person` → `P`, `Animal` → `A`"
    assert said in words(app)
    use(app)
    assert numbers(app)[:, 0].tolist() == [1.2] * 9
    assert "**Edited:** dimension `Person` → `P`; dimension `Animal` → `A`;" in words(app)


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("names", [("is", "Emma", "hates"), ("Max", "Emma", "hates", "is")])
def test_what_is_put_in_the_order_of_the_page_is_told_where_names_come_and_go_too(names, way):
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.get_by_key("load-matrix").set_value("keys").run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    rows = "".join(f"{name};{place};0;0;0\n" for place, name in enumerate(names))
    app.text_area[0].set_value(f";Person;Animal;Noun;Adjective\n{rows}").run()
    way_to_place = asked(app, "way")
    way_to_place.set_value(way_to_place.options[way]).run()
    assert ("**Put in the order of this page**" in words(app)) == (names[0] == "is")
    app.button(key="use").click().run()
    before = ["Emma", "hates", "games", "but", "she", "is", "a", "great", "friend"]
    kept = before if way else [name for name in ("Max", *before) if name in names]
    scored = [float(names.index(name)) if name in names else 0.0 for name in kept]
    assert numbers(app)[kept.index("Emma")].tolist() == pytest.approx([1.1 * score for score in scored])


def test_keys_in_another_order_are_put_in_that_of_the_queries_by_their_names():
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.get_by_key("load-matrix").set_value("keys").run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    names = ("a", "but", "Emma", "friend", "games", "great", "hates", "is", "she")
    rows = "".join(f"{name};{place};0;0;0\n" for place, name in enumerate(names))
    app.text_area[0].set_value(f";Person;Animal;Noun;Adjective\n{rows}").run()
    assert "**Put in the order of this page**, by their names" in words(app)
    assert "Names change" not in words(app)
    use(app)
    assert numbers(app)[8].tolist() == [2, 6, 4, 1, 8, 7, 0, 5, 3]


def test_text_that_is_changed_with_the_click_is_read_before_it_is_used():
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    app.text_area[0].set_value("a,b,c,d\n" + "1,0,0,0\n" * 9).run()
    app.text_area[0].set_value("a,b,c,d\n" + "7,0,0,0\n" * 9)
    app.button(key="use").click().run()
    assert float(numbers(app)[8, 0]) == pytest.approx(2.42)
    assert float(numbers(use(app))[8, 0]) == pytest.approx(7 * 1.2)


def test_what_cannot_be_told_is_asked():
    app = open_page("emma_sentence")
    load(app, "queries", b"1,2,3,4\n" + b"5,6,7,8.5\n" * 9)
    question = asked(app, "reading")
    assert question.options == ["names in the first row, a comma between cells",
                                "numbers only, no names, a comma between cells"]  # fmt: skip
    assert question.value is None
    assert "use" not in [button.key for button in app.button]
    asked(app, "reading").set_value(0).run()
    use(app)
    assert sheet(app, "emma_sentence").inputs.column_names("queries") == ("1", "2", "3", "4")


def test_another_table_is_asked_about_anew():
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    for row in ("5,6,7,8.5\n", "5,6,7,9.5\n"):
        app.text_area[0].set_value("1,2,3,4\n" + 9 * row).run()
        assert asked(app, "reading").value is None
        assert "**Understood:**" not in words(app)
        asked(app, "reading").set_value(1).run()
        assert "**Understood:** 10 rows" in words(app)
        assert asked(app, "way").value is None
        asked(app, "way").set_value("Keep 9 × 4").run()
    app.selectbox(key="load-matrix").select("keys").run()
    assert asked(app, "reading").value == 1
    assert asked(app, "way").value is None


@pytest.mark.parametrize(
    ("way", "said", "numbers"),
    [
        (0, "a comma before decimals", [1.25, 1.375, 1.5, 2.125]),
        (1, "a comma between thousands", [1250, 1375, 1500, 2125]),
    ],
)
def test_three_decimals_that_could_be_thousands_are_asked_about(way, said, numbers):
    app = open_page("emma_sentence")
    load(app, "queries", b"1,250;1,375;1,500;2,125\n" * 9)
    question = asked(app, "reading")
    assert question.options == ["numbers only, no names, a comma before decimals",
                                "numbers only, no names, a comma between thousands"]  # fmt: skip
    assert question.value is None
    question.set_value(way).run()
    assert f"semicolon between cells; {said};" in words(app)
    use(app)
    assert sheet(app, "emma_sentence").inputs.matrices["queries"].values[8].tolist() == numbers


def test_a_table_without_one_of_the_words_says_what_becomes_of_it():
    app = open_page("emma_sentence")
    words_of_file = ["hates", "games", "but", "really", "she", "is", "nice", "friend"]
    rows = "".join(f"{word};{place};0;0;0\n" for place, word in enumerate(words_of_file))
    load(app, "queries", f";Person;Animal;Noun;Adjective\n{rows}".encode())
    way = asked(app, "way")
    way.set_value(way.options[1]).run()
    assert "**Of the table, not used:** `really`." in words(app)
    assert "**Not in the table, so zeros here:** `Emma`, `great`." in words(app)
    assert "**Names change, wherever they stand:** `a` → `nice`." in words(app)
    asked(app, "way").set_value(way.options[0]).run()
    assert "**Removed, wherever they stand, with their numbers:** `Emma`, `great`." in words(app)
    assert "**New, with zeros wherever else they stand:** `really`." in words(app)
    assert "**Names change, wherever they stand:** `a` → `nice`." in words(app)
    use(app)
    assert "**Edit:** token names: 9 → 8, 15 numbers changed." in words(app)
    inputs = sheet(app, "emma_sentence").inputs
    assert inputs.row_names("keys") == tuple(words_of_file)
    assert inputs.matrices["keys"].values[[3, -1]].tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]]


def test_a_key_that_goes_says_that_its_value_goes_too():
    app = open_page("animal_lookup")
    load(app, "keys", b";d1;d2;d3\nkitten;1;2;3\nlizard;1;2;3\nwhale;1;2;3\nwolf;1;2;3\n")
    way = asked(app, "way")
    way.set_value(way.options[0]).run()
    assert "**Removed, wherever they stand, with their numbers:** `salmon`, `slippery`." in words(app)
    use(app)
    assert sheet(app, "animal_lookup").inputs.row_names("values") == ("furry", "scaly", "huge", "ferocious")


def test_rows_that_no_other_matrix_has_stay_in_the_order_of_the_table():
    app = open_page("animal_lookup")
    load(app, "queries", b";d1;d2;d3\nreptile;1;2;3\nmammal;4;5;6\n")
    assert "**In the order of the table:** `reptile`, `mammal`." in words(app)
    assert "Names change" not in words(app)
    use(app)
    assert sheet(app, "animal_lookup").inputs.row_names("queries") == ("reptile", "mammal")


def test_the_numbers_that_a_page_has_already_are_told():
    app = open_page("emma_sentence")
    inputs = sheet(app, "emma_sentence").inputs
    load(app, "keys", matrix_csv(inputs, "keys", False).encode())
    assert "**These are the numbers of the page:** nothing would change." in words(app)
    app.selectbox(key="load-matrix").select("queries").run()
    assert "nothing would change" not in words(app)


def test_a_matrix_of_another_size_is_explained_and_the_way_is_chosen():
    app = open_page("animal_lookup")
    load(app, "keys", b",a,b\nx,1,2\ny,3,4\n")
    said = app.warning[0].value
    assert "Queries and keys need the same number of columns, dₖ: the table has 2, queries have 3." in said
    assert (
        "Keys and values need the same number of rows, one for each key: the table has 2, values have 5."
        in said
    )
    assert "use" not in [button.key for button in app.button]
    way = asked(app, "way")
    way.set_value(way.options[0]).run()
    use(app)
    shapes = {name: m.values.shape for name, m in sheet(app, "animal_lookup").inputs.matrices.items()}
    assert shapes == {"queries": (2, 2), "keys": (2, 2), "values": (2, 4)}


def test_every_number_of_a_larger_table_is_told_to_have_changed():
    app = open_page("your_vectors")
    table = "\n".join(";".join(["1,5"] * 40) for _ in range(60))
    load(app, "queries", table.encode())
    asked(app, "way").set_value("Take the whole table, 60 × 40").run()
    assert "**Edit:** token names: 6 → 60, dimension names: 4 → 40, 2,400 numbers changed." in words(use(app))


def test_a_table_that_lies_as_the_page_shows_it_is_used_so():
    """In C x T a token is a column; of a square table without names, one is asked if it is so there."""
    app = open_page("word_embeddings", layout="C x T")
    load(app, "embeddings", b"10;20;35\n40;50;60\n70;80;90\n")
    assert "use" not in [button.key for button in app.button]
    way = asked(app, "turned")
    assert way.options == ["a row, as in a template", "a column"]
    way.set_value(way.options[1]).run()
    assert "**Turned:** in the table, each token is a column." in words(app)
    use(app)
    embeddings = sheet(app, "i_love_coding").inputs.matrices["embeddings"].values
    assert embeddings.tolist() == [[10, 40, 70], [20, 50, 80], [35, 60, 90]]


def test_other_words_than_those_of_the_page_are_not_turned_for_their_number_alone():
    app = open_page("random_qkv")
    rows = "".join(f"{word};1;2;3;4\n" for word in ["the", "cat", "sat", "on", "the", "mat", "and", "slept"])
    load(app, "keys", f";size;fur;age;joy\n{rows}".encode())
    way = asked(app, "turned")
    way.set_value(way.options[0]).run()
    asked(app, "way").set_value("Take the whole table, 8 × 4").run()
    use(app)
    names = sheet(app, "random_qkv").inputs.row_names("keys")
    assert names == ("the", "cat", "sat", "on", "the", "mat", "and", "slept")


def test_a_table_with_the_tokens_of_the_page_above_is_turned():
    app = open_page("word_embeddings")
    load(app, "embeddings", b";coding;I;love\ne1;1;2;3\ne2;4;5;6\ne3;7;8;9\n")
    assert "**Turned:** in the table, each token is a column." in words(app)
    use(app)
    embeddings = sheet(app, "i_love_coding").inputs.matrices["embeddings"].values
    assert embeddings.tolist() == [[1, 4, 7], [2, 5, 8], [3, 6, 9]]


def test_what_cannot_be_used_in_the_editors_is_said_to_be_cleared():
    app = type_into(open_page("emma_sentence"), "keys", 0, 0, "1,2,3")
    load(app, "queries", matrix_csv(PRESETS["emma_sentence"].inputs, "queries").encode())
    assert "**What could not be used** in the editors is cleared when you use these." in words(app)


def test_a_lone_text_that_is_not_surely_right_is_asked_about():
    app = open_page("emma_sentence")
    load(app, "keys", ";颜色（红）;水果;大;小\nEmma;1;2;3;4\n".encode("gb18030"))
    assert "use" not in [button.key for button in app.button]
    assert [box.value for box in app.selectbox if box.key.startswith("load-encoding")] == [None]


def test_names_with_which_a_can_be_compared_no_more_are_told_before_they_are_used():
    told = "**A** has other names or sizes: with these numbers it cannot be compared any more."
    queries = matrix_csv(PRESETS["emma_sentence"].inputs, "queries").encode()
    app = load(open_page("emma_sentence"), "queries", queries.replace(b"Emma", b"Emily"))
    assert told not in words(app)
    for content, is_told in (
        (queries.replace(b"Emma", b"Emily"), True),
        (queries.replace(b"0.7", b"9"), False),
    ):
        app = open_page("emma_sentence")
        app.button(key="keep").click().run()
        assert (told in words(load(app, "queries", content))) is is_told


def test_a_zip_with_an_a_says_that_it_takes_the_place_of_the_one_that_is_kept():
    app = open_page("emma_sentence")
    app.button(key="keep").click().run()
    content = zip_of(app, "emma_sentence", "emma_sentence")
    told = "**It brings an A of its own**, and yours is no longer kept."
    assert told in words(load(app, "keys", content, "x.zip"))
    assert told not in words(load(open_page("emma_sentence"), "keys", content, "x.zip"))


def test_or_the_page_keeps_its_size():
    app = open_page("animal_lookup")
    load(app, "keys", b",a,b\nx,1,2\ny,3,4\n")
    way = asked(app, "way")
    way.set_value(way.options[1]).run()
    use(app)
    keys = sheet(app, "animal_lookup").inputs.matrices["keys"].values
    assert keys.tolist() == [[1, 2, 0], [3, 4, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_a_whole_table_that_is_too_large_for_the_page_is_not_offered():
    app = open_page("emma_sentence")
    load(app, "keys", b"\n".join([b",a,b", *(b"t%d,1,2" % row for row in range(500))]))
    assert "The table has 500 rows; at most 256 fit here." in app.warning[0].value
    way = asked(app, "way")
    assert way.options == ["Keep 9 × 4"]
    way.set_value(way.options[0]).run()
    use(app)
    keys = sheet(app, "emma_sentence").inputs.matrices["keys"].values
    assert keys.tolist() == [[1, 2, 0, 0]] * 9


def test_a_zip_brings_the_page_back_with_its_edits_toggles_and_stage():
    app = type_into(open_page("emma_sentence", causal="true", stage="weights"), "queries", 8, 0, "3")
    app.button(key="keep").click().run()
    weights, kept = numbers(app), app.session_state["kept"]
    content = zip_of(app, "emma_sentence", "emma_sentence")

    other = open_page("animal_lookup", stage="output", scale="false")  # which its link says
    load(other, "keys", content, "saved.zip")
    told = "**A saved page**: Emma sentence, “Emma hates games but she is a great friend”, 1 edit, "
    assert f"{told}with the tokens `Emma hates games but she is a great friend`." in words(other)
    other.button(key="open-zip").click().run()
    assert len(other.exception) == 0
    assert np.array_equal(numbers(other), weights)
    assert other.toggle(key="causal").value is True
    assert other.session_state["stage"] == "weights"
    assert not other.button(key="undo").disabled
    assert link_text(sheet(other, "emma_sentence")) == link_text(sheet(app, "emma_sentence"))
    assert other.session_state["kept"].text == kept.text


def test_a_zip_says_which_of_its_files_it_does_not_use_as_they_were_changed():
    content = zip_of(open_page("emma_sentence"), "emma_sentence", "emma_sentence")
    told = "`inputs/queries.csv` in this zip: changed since it was saved."
    untouched = load(open_page("emma_sentence"), "keys", content, "saved.zip")
    assert len(untouched.warning) == 0
    app = load(open_page("emma_sentence"), "keys", with_other_queries(content), "changed.zip")
    assert app.warning[0].value.startswith(told)
    app.button(key="open-zip").click().run()
    assert sheet(app, "emma_sentence").inputs.matrices["queries"].values[8, 3] == 1


def with_other_queries(content: bytes) -> bytes:
    """A zip in which the last number of the queries is 9."""
    return with_changed(content, "inputs/queries.csv", rb"1(\s*)$", rb"9\1")


def with_changed(content: bytes, name: str, pattern: bytes, new: bytes) -> bytes:
    """A zip in which a file of this name says something else."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(packed, "w") as after:
        for file in before.infolist():
            text = before.read(file)
            after.writestr(file.filename, re.sub(pattern, new, text) if file.filename == name else text)
    return packed.getvalue()


def test_a_zip_of_the_same_page_brings_it_back_too():
    app = type_into(open_page("your_vectors", causal="true"), "queries", 0, 0, "3")
    content, scores = zip_of(app, "your_vectors", "your_vectors"), numbers(app)
    fresh = open_page("your_vectors", stage="weights")
    load(fresh, "keys", content, "saved.zip")
    fresh.button(key="open-zip").click().run()
    assert fresh.session_state["stage"] == "scores"
    assert fresh.toggle(key="causal").value is True
    assert np.array_equal(numbers(fresh), scores)


def test_a_zip_that_is_opened_from_another_page_is_in_the_link_too():
    app = open_page("word_embeddings", stage="weights", causal="true", query="2 love", decimals="3 decimals")
    content = zip_of(app, "word_embeddings", "i_love_coding")
    other = load(open_page("emma_sentence"), "keys", content, "saved.zip")
    other.button(key="open-zip").click().run()
    wanted = {"stage": "weights", "causal": "true", "query": "2 love", "decimals": "3 decimals"}
    assert {name: other.query_params.get(name) for name in wanted} == wanted


def test_a_zip_of_another_example_opens_that_one_with_its_toggles():
    app = type_into(open_page("word_embeddings", preset="three tokens"), "W_key", 2, 1, "-4")
    app.toggle(key="causal").set_value(False).run()
    app.run()
    content, queries = zip_of(app, "word_embeddings", "three_tokens"), numbers(app)
    other = load(open_page("word_embeddings", causal="true"), "W_key", content, "saved.zip")
    other.button(key="open-zip").click().run()
    assert other.selectbox(key="preset").value == "three_tokens"
    assert (other.toggle(key="scale").value, other.toggle(key="causal").value) == (True, False)
    assert np.array_equal(numbers(other), queries)
    assert sheet(other, "three_tokens").inputs.matrices["W_key"].values[2, 1] == -4


def test_a_zip_opens_the_experiment_that_was_open_as_it_was_set():
    link = {"experiment": "soft lookup", "source": "a blend of two", "blend": "0.25", "hardness": "5"}
    content = zip_of(open_page("animal_lookup", **link), "animal_lookup", "animal_lookup")
    other = load(open_page("emma_sentence", experiment="arrows"), "keys", content, "saved.zip")
    other.button(key="open-zip").click().run()
    assert len(other.exception) == 0
    assert other.session_state["experiment"] == "soft lookup"
    assert (other.slider(key="blend").value, other.select_slider(key="hardness").value) == (0.25, 5)
    assert "`the blend` is q = [7.05, 4.88, 3.48]" in words(other)


def zip_of(app, page: str, preset: str) -> bytes:
    """What the button Zip gives, which a browser test downloads."""
    found, kept = sheet(app, preset), app.session_state.to_dict().get("kept")
    settings = {name: s.value for name, s in app.session_state["settings"][page].items()}
    edits = example_content(found.recipe, found.preset, found.inputs, found.before_edit)
    a = content_of_snapshot(kept.snapshot) if kept else None
    attention = kept.attention if kept else None
    if attention is None:
        attention = attend(found.inputs, scale=True, causal=True)
    return page_zip(SavedPage(page, settings, edits, a), attention.inputs, attention, "a page")


@pytest.mark.parametrize(
    ("page", "preset", "link"),
    [
        ("emma_sentence", "emma_sentence", {"what_if": "temperature", "temperature": "5"}),
        ("animal_lookup", "animal_lookup", {"experiment": "soft lookup", "source": "your own", "own_1": "3"}),
        (
            "random_qkv",
            "random_qkv",
            {"experiment": "why √d_k", "draw": "a draw with a seed", "tokens": "9", "seed": "77"},
        ),
    ],
)
def test_the_link_of_a_zip_that_is_opened_on_its_own_page_says_all_that_it_holds(page, preset, link):
    app = open_page(page, **link)
    other = load(open_page(page), "queries", zip_of(app, page, preset), "saved.zip")
    other.button(key="open-zip").click().run()
    assert {name: other.query_params.get(name) for name in link} == link


def test_a_zip_with_a_setting_that_its_page_does_not_have_opens_without_an_error():
    app = open_page("word_embeddings")
    app.session_state["settings"]["word_embeddings"]["only"] = Setting(1)
    content = zip_of(app, "word_embeddings", "i_love_coding")
    other = load(open_page("word_embeddings"), "W_query", content, "saved.zip")
    other.button(key="open-zip").click().run()
    assert len(other.exception) == 0
    assert np.array_equal(numbers(other), numbers(app))
    other.switch_page("pages/emma_sentence.py").run()
    other.switch_page("pages/word_embeddings.py").run()
    assert len(other.exception) == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 and then nothing", "this zip was not saved by this app, or was changed since"),
        (b"\x1f\x8b\x08", "this is a gzip file"),
    ],
)
def test_another_zip_is_refused_with_a_reason(content, reason):
    app = load(open_page("emma_sentence"), "keys", content, "x.zip")
    assert f"x.zip, {reason}" in words(app)


def test_a_zip_like_an_example_of_no_name_that_could_be_written_is_refused():
    like = {"preset": "your_vectors", "start": {"like": "animal_lookup"}}
    attention = attend(PRESETS["animal_lookup"].inputs, scale=True, causal=False)
    saved = SavedPage("your_vectors", {}, like, None)
    content = page_zip(saved, attention.inputs, attention, "a page")
    assert "**A saved page**: Your vectors" in words(
        load(open_page("emma_sentence"), "keys", content, "x.zip")
    )
    content = with_changed(content, SETTINGS, b'"animal_lookup"', rb'"\\ud800"')
    app = load(open_page("emma_sentence"), "keys", content, "x.zip")
    assert "the page in this zip cannot be opened: it begins with an example that is not there" in words(app)


def test_a_dialog_does_not_go_along_to_another_page():
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    assert len(app.file_uploader) == 1
    app.switch_page("pages/random_qkv.py").run()
    assert len(app.file_uploader) == 0


def test_names_are_data_whatever_they_say():
    hostile = '<script>alert("1")</script>,**b**,$x$,[a](http://x.org)\n' + "1,0,0,0\n" * 9
    app = use(load(open_page("emma_sentence"), "queries", hostile.encode()))
    assert sheet(app, "emma_sentence").inputs.column_names("keys")[0] == '<script>alert("1")</script>'
    assert "<script>" not in "".join(element.value for element in app.html)
    assert set(cells(app)["row_name"]) >= {"Emma", "friend"}


TEMPLATE = matrix_csv(PRESETS["emma_sentence"].inputs, "queries").encode()


def test_who_goes_to_pasted_text_and_uses_the_file_in_the_same_breath_is_asked_for_the_text():
    app = load(open_page("emma_sentence"), "queries", TEMPLATE.replace(b'"friend",1,', b'"friend",2,'))
    app.get_by_key("load-source-1").set_value("pasted text")
    app.button(key="use").click().run()
    assert len(app.exception) == 0
    assert app.text_area[0].value == ""
    assert sheet(app, "emma_sentence").inputs.same_as(PRESETS["emma_sentence"].inputs)


def test_a_dialog_that_is_opened_again_has_fields_that_no_browser_has_told_of():
    table = "Person;Animal;Noun;Adjective\n"
    app = open_page("emma_sentence")
    app.button(key="open-load").click().run()
    app.selectbox(key="load-matrix").select("keys").run()
    app.get_by_key("load-source-1").set_value("pasted text").run()
    app.get_by_key("load-text-1").set_value(table + "1;2;3;x\n" * 9).run()
    close_dialog(app)
    assert len(app.text_area) == 0
    app.button(key="open-load").click().run()
    assert app.get_by_key("load-source-2").value == "pasted text"
    assert app.get_by_key("load-text-2").value == table + "1;2;3;x\n" * 9
    assert app.selectbox(key="load-matrix").value == "keys"
    app.get_by_key("load-text-2").set_value(table + "1;2;3;4\n" * 9).run()
    app.button(key="use").click().run()
    app.button(key="open-load").click().run()
    assert app.get_by_key("load-source-3").value == "a file"
    assert app.selectbox(key="load-matrix").value == "queries"


def test_the_selection_stays_with_its_token_when_a_table_has_another_one_beside_it():
    app = open_page("your_vectors", query="3 sat", key="5 the")
    words = ["the", "sat", "new", "on", "the", "mat"]
    columns = sheet(app, "your_vectors").inputs.column_names("queries")
    rows = [",".join(["", *columns]), *(",".join([word] + ["1"] * len(columns)) for word in words)]
    use(load(app, "queries", "\n".join(rows).encode()))
    assert sheet(app, "your_vectors").inputs.row_names("queries") == tuple(words)
    assert (app.selectbox(key="query").value, app.selectbox(key="key").value) == (1, 4)


def test_a_page_is_drawn_behind_a_dialog_while_the_file_of_somebody_else_is_read():
    app = load(open_page("emma_sentence"), "queries", TEMPLATE)
    with crowd.one_file_at_a_time:
        app.run()
    assert len(app.exception) == 0
    app.button(key="use").click().run()
    assert READ not in app.session_state
