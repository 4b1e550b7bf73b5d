"""A page saved as a zip holds its numbers in full, harms no spreadsheet, and opens as the same page."""

import csv
import io
import json
import math
import struct
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

from core.csv_files import BadFile, csv_text, readings, texts
from core.matrices import clean_name, insert, rename, set_cells
from core.recipes import Recipe, prepared
from core.saving import (
    CHANGED,
    LARGEST_SETTINGS,
    SETTINGS,
    SavedPage,
    changed_inputs,
    is_zip,
    matrix_csv,
    page_zip,
    saved_page,
    stage_csv,
)
from core.sharing import edits_of, with_edits
from core.snapshots import Snapshot, content_of_snapshot, snapshot_of
from core.stages import attend, stage, stage_names
from core.what_if import WhatIf, attend_if
from tests.unit.cases import PRESETS
from tests.unit.hostile import HOSTILE

NO_PAGE = "this zip holds no page of this app; unpack it and load a CSV file"
WORKBOOK = "this is an Excel workbook, not a CSV file; save the sheet as CSV"
NEWER = "this zip was saved by a newer version of this app"
PLAIN = SavedPage("emma_sentence", {}, {}, None)
GOOD = {"version": 1, "page": "emma_sentence", "settings": {}, "edits": {}, "a": None}
FORMULAS = ["=1+1", "-x", "+x", "@x", "=", "-1", "+1,5", "'=1+1", "''-x", '=HYPERLINK("http://x.org")', "@'"]
NAMES = [*HOSTILE, *FORMULAS, "'", "''", "'x'", '"', 'a"b', "a,b", "1", "0.5", "NaN", "sep=,", "ä", "猫"]
EMMA = PRESETS["emma_sentence"].inputs
ATTENTIONS = {
    id: attend(preset.inputs, scale=preset.start.scale, causal=preset.start.causal)
    for id, preset in PRESETS.items()
} | {
    "a causal mask": attend(EMMA, scale=True, causal=True),
    "one query alone": attend(PRESETS["animal_lookup"].inputs, scale=True, causal=False, only_query=1),
    "everything masked": attend_if(EMMA, WhatIf("blind_query", 1.0, 2, 0), scale=False, causal=True),
    "no maximum": attend_if(EMMA, WhatIf("no_maximum", 10000), scale=False, causal=False),
    "numbers of all sizes": attend(
        set_cells(EMMA, {("keys", 0, 0): 1 / 3, ("keys", 0, 1): 1e-300, ("queries", 0, 0): -1e6}),
        scale=True,
        causal=False,
    ),
}
each_attention = pytest.mark.parametrize("attention", ATTENTIONS.values(), ids=ATTENTIONS)
in_both_ways = pytest.mark.parametrize("decimal_comma", [False, True], ids=["point", "comma"])


def files_of(content):
    """The files in a zip and what each of them holds."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def cells_of(content, decimal_comma=False):
    """The cells of a CSV file as a spreadsheet reads them."""
    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    return list(
        csv.reader(io.StringIO(text, newline=""), delimiter=";" if decimal_comma else ",", strict=True)
    )


def as_number(cell):
    return float(cell.replace(",", ".").replace("\u2212", "-").replace("∞", "inf"))


def zip_of(content, *names, method=zipfile.ZIP_DEFLATED):
    """A zip with files of these names, the settings without any, of a text, or of what json makes of it."""
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name in names or (SETTINGS,):
            archive.writestr(name, text)
    return packed.getvalue()


def with_field(content, of_local, of_central, number):
    """A zip of one file with another number in a field that stands in both of its headers."""
    changed = bytearray(content)
    struct.pack_into("<H", changed, of_local, number)
    struct.pack_into("<H", changed, content.index(b"PK\x01\x02") + of_central, number)
    return bytes(changed)


def with_member_at(offset):
    """A zip whose one file begins there, as the long form of a zip says it."""
    content = zip_of(GOOD)
    directory, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    entry, trailer = bytearray(content[directory:end]), bytearray(content[end:])
    long_form = struct.pack("<HHQ", 1, 8, offset)
    struct.pack_into("<H", entry, 30, len(long_form))
    struct.pack_into("<I", entry, 42, 0xFFFFFFFF)
    struct.pack_into("<I", trailer, 12, len(entry) + len(long_form))
    return content[:directory] + entry + long_form + trailer


def zipped(saved, attention, title, decimal_comma=False):
    """A page without a what-if as a zip."""
    return page_zip(saved, attention.inputs, attention, title, decimal_comma)


def assert_refused(content, reason):
    with pytest.raises(BadFile) as bad:
        saved_page(content)
    assert bad.value.problems == (reason,)


def test_the_inputs_in_a_zip_are_those_of_the_page_and_not_what_a_what_if_takes_in_their_place():
    inputs = ATTENTIONS["emma_sentence"].inputs
    attention = attend_if(inputs, WhatIf("longer_key", query=8, key=0), scale=False, causal=False)
    files = files_of(page_zip(PLAIN, inputs, attention, "Emma"))
    assert files["inputs/keys.csv"] == matrix_csv(inputs, "keys").encode("utf-8-sig")
    assert files["stages/1_scores.csv"] == stage_csv(stage(attention, "scores")).encode("utf-8-sig")
    assert attention.steps.scores[8, 0] == pytest.approx(4.84)


def test_a_page_of_queries_and_keys_has_these_files():
    assert list(files_of(zipped(PLAIN, ATTENTIONS["emma_sentence"], "Emma"))) == [
        "README.txt",
        "inputs/queries.csv",
        "inputs/keys.csv",
        "stages/1_scores.csv",
        "stages/2_scaled.csv",
        "stages/3_masked.csv",
        "stages/4_weights.csv",
        "attention.py",
        "settings.json",
    ]


def test_a_page_of_embeddings_has_these_files():
    assert list(files_of(zipped(PLAIN, ATTENTIONS["i_love_coding"], "Coding"))) == [
        "README.txt",
        "inputs/embeddings.csv",
        "inputs/W_query.csv",
        "inputs/W_key.csv",
        "inputs/W_value.csv",
        "stages/1_queries.csv",
        "stages/2_keys.csv",
        "stages/3_values.csv",
        "stages/4_scores.csv",
        "stages/5_scaled.csv",
        "stages/6_masked.csv",
        "stages/7_weights.csv",
        "stages/8_output.csv",
        "attention.py",
        "settings.json",
    ]


@in_both_ways
@each_attention
def test_every_matrix_reads_back_bit_by_bit_from_its_file(attention, decimal_comma):
    files = files_of(zipped(PLAIN, attention, "x", decimal_comma))
    inputs = attention.inputs
    for name, matrix in inputs.matrices.items():
        (reading,) = readings(texts(files[f"inputs/{name}.csv"])[0])
        table = reading.table
        assert table.values.tobytes() == matrix.values.tobytes()
        assert (table.rows, table.columns) == (inputs.row_names(name), inputs.column_names(name))


@in_both_ways
@each_attention
def test_every_stage_is_there_with_its_numbers_in_full(attention, decimal_comma):
    files = files_of(zipped(PLAIN, attention, "x", decimal_comma))
    for number, name in enumerate(stage_names(attention.inputs), start=1):
        shown = stage(attention, name)
        (_, *columns), *rows = cells_of(files[f"stages/{number}_{name}.csv"], decimal_comma)
        assert (tuple(columns), tuple(row[0] for row in rows)) == (shown.columns, shown.rows)
        found = np.array([[as_number(cell) for cell in row[1:]] for row in rows])
        np.testing.assert_array_equal(found, shown.values, name)


@in_both_ways
def test_a_score_that_a_mask_hides_is_minus_infinity_in_its_file_and_every_other_is_a_number(decimal_comma):
    shown = stage(ATTENTIONS["a causal mask"], "masked")
    cells = [row[1:] for row in cells_of(stage_csv(shown, decimal_comma), decimal_comma)[1:]]
    for i, row in enumerate(cells):
        assert row[i + 1 :] == ["\u2212∞"] * (8 - i)
        assert all(math.isfinite(as_number(cell)) for cell in row[: i + 1])


def test_what_is_not_a_number_is_called_so():
    weights = stage(ATTENTIONS["no maximum"], "weights")
    cells = np.array([row[1:] for row in cells_of(stage_csv(weights))[1:]])
    assert np.isnan(weights.values).any()
    np.testing.assert_array_equal(cells == "NaN", np.isnan(weights.values))


def test_numbers_are_written_the_shortest_way_that_reads_back():
    now = set_cells(EMMA, {("queries", 0, 0): 1 / 3, ("queries", 0, 1): 1e-5, ("queries", 0, 2): -1e6})
    assert cells_of(matrix_csv(now, "queries"))[1] == ["Emma", "0.3333333333333333", "1e-5", "-1000000", "0"]
    text = matrix_csv(now, "queries", decimal_comma=True)
    assert text.splitlines()[1] == '"Emma";0,3333333333333333;1e-5;-1000000;0'


@in_both_ways
def test_csv_files_begin_with_the_mark_by_which_a_spreadsheet_knows_utf_8(decimal_comma):
    files = files_of(zipped(PLAIN, ATTENTIONS["i_love_coding"], "x", decimal_comma))
    assert {name for name, content in files.items() if content.startswith(b"\xef\xbb\xbf")} == {
        name for name in files if name.endswith(".csv")
    }


@pytest.mark.parametrize("id", [*PRESETS, "a causal mask", "everything masked"])
def test_the_script_runs_and_prints_the_weights_and_the_output(id, tmp_path):
    attention = ATTENTIONS[id]
    (tmp_path / "attention.py").write_bytes(files_of(zipped(PLAIN, attention, "# ä\n1/0"))["attention.py"])
    command = [sys.executable, "-X", "utf8", "-W", "error", "attention.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=60)
    shown = [attention.steps.weights] + [attention.steps.output] * (attention.steps.output is not None)
    assert (run.stdout, run.stderr) == ("".join(f"{array.round(2)}\n" for array in shown), "")


@each_attention
def test_the_same_page_gives_the_same_bytes(attention):
    saved = SavedPage("emma_sentence", {"scale": True}, {}, None)
    content = zipped(saved, attention, "x")
    assert zipped(saved, attention, "x") == content
    assert zipped(PLAIN, attention, "x") != content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {file.date_time for file in archive.infolist()} == {(2000, 1, 1, 0, 0, 0)}


def test_a_zip_is_told_by_its_first_bytes():
    assert is_zip(zipped(PLAIN, ATTENTIONS["emma_sentence"], "x"))
    for other in (b"", b"PK", b"queries,d1\nEmma,1\n", b"PK\x05\x06", b"\x1f\x8b\x08"):
        assert not is_zip(other)


def test_settings_edits_and_a_come_back_as_they_were():
    now = insert(set_cells(EMMA, {("keys", 1, 1): 1 / 3}), "tokens", 9, "</script> ä 🐈")
    kept = Snapshot(PRESETS["emma_sentence"], None, now, True, True, None, WhatIf("temperature", 0.05, 8, 2))
    settings = {
        "preset": "emma_sentence",
        "scale": True,
        "causal": False,
        "decimals": 2,
        "what_if": None,
        "stage": "weights",
        "title": "“ä”\u2028\u2212\x00\\\"'🐈",
        "nothing": [],
    }
    saved = SavedPage("emma_sentence", settings, edits_of(EMMA, now), content_of_snapshot(kept))
    found = saved_page(zipped(saved, attend(now, scale=True, causal=False), "x"))
    assert found == saved
    assert with_edits(EMMA, found.edits).same_as(now)
    again = snapshot_of(found.a, PRESETS)
    assert again.description == kept.description
    assert again.attention().steps.weights.tobytes() == kept.attention().steps.weights.tobytes()


def test_a_page_without_an_a_comes_back_without_one():
    assert saved_page(zipped(PLAIN, ATTENTIONS["emma_sentence"], "x")) == PLAIN


def hostile_inputs(projected):
    """Inputs of which every row and every column has a name that would do harm."""
    count = len(NAMES)
    recipe = Recipe(tokens=tuple(NAMES), projected=projected, d_model=count, d_k=count, d_v=count)
    inputs = prepared(recipe, PRESETS).inputs
    for axis in inputs.axes:
        for position, name in enumerate(NAMES):
            inputs = rename(inputs, axis, position, name)
    return inputs


@in_both_ways
@pytest.mark.parametrize("projected", [False, True])
def test_no_name_in_a_csv_file_is_taken_for_a_formula_and_every_number_stays_one(projected, decimal_comma):
    attention = attend(hostile_inputs(projected), scale=True, causal=True)
    files = files_of(zipped(PLAIN, attention, "x", decimal_comma))
    tables = {name: cells_of(content, decimal_comma) for name, content in files.items() if "csv" in name}
    assert len(tables) == len(files) - 3
    for above, *rows in tables.values():
        texts = [*above, *(row[0] for row in rows)]
        assert [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
        assert all(isinstance(as_number(cell), float) for row in rows for cell in row[1:])


@in_both_ways
@pytest.mark.parametrize("projected", [False, True])
def test_names_that_would_do_harm_come_back_as_they_were(projected, decimal_comma):
    inputs = hostile_inputs(projected)
    files = files_of(zipped(PLAIN, attend(inputs, scale=True, causal=False), "x", decimal_comma))
    for name, matrix in inputs.matrices.items():
        (reading,) = readings(texts(files[f"inputs/{name}.csv"])[0])
        table = reading.table
        assert (table.rows, table.columns) == (inputs.row_names(name), inputs.column_names(name))
        assert table.values.tobytes() == matrix.values.tobytes()


@in_both_ways
@pytest.mark.parametrize("name", [*NAMES, "\tx", "\t=1+1", "\rx"])
def test_a_name_stands_in_one_cell_and_begins_with_no_sign_of_a_formula(name, decimal_comma):
    text = csv_text(np.array([[1.5]]), (name,), (name,), decimal_comma)
    (_, above), (left, number) = cells_of(text, decimal_comma)
    assert not left.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert (above, as_number(number)) == (left, 1.5)
    (reading,) = readings(texts(text.encode())[0])
    assert reading.table.rows == reading.table.columns == (clean_name(name),)


def test_a_name_without_danger_is_written_as_it_is():
    for name in ("Emma", "a b", "1", "'", "it's", "a=1", "x-y", "“Emma”"):
        assert cells_of(csv_text(np.array([[1.0]]), (name,), ("d",)))[1] == [name, "1"]


def test_a_title_of_several_lines_adds_no_code_to_the_script():
    script = files_of(zipped(PLAIN, ATTENTIONS["emma_sentence"], "a\nimport os\r\x85os.x()"))["attention.py"]
    assert [line for line in script.decode().splitlines() if "import os" in line] == ["# a import os os.x()"]


NO_ZIP = {
    "nothing": b"",
    "a text": b"queries,d1\nEmma,1\n",
    "the first bytes of a zip": b"PK\x03\x04",
    "the first bytes of a zip, and a text": b"PK\x03\x04" + b"nonsense" * 100,
    "the last bytes of a zip": b"PK\x05\x06" + b"\xff" * 18,
    "a gzip file": b"\x1f\x8b\x08\x00",
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("content", NO_ZIP.values(), ids=NO_ZIP)
def test_what_is_no_zip_was_not_saved_here(content):
    assert_refused(content, CHANGED)


WITHOUT_SETTINGS = {
    "an empty zip": b"PK\x05\x06" + bytes(18),
    "a CSV file": zip_of("queries,d1\nEmma,1\n", "queries.csv"),
    "files that are like those of a workbook": zip_of("<xml/>", "xlsx/workbook.xml", "my/xl/workbook.xml"),
    "settings deep in folders": zip_of(GOOD, "my/page/settings.json"),
    "settings in two folders": zip_of(GOOD, "one/settings.json", "two/settings.json"),
    "settings of another spelling": zip_of(GOOD, "Settings.json"),
    "settings above the folder": zip_of(GOOD, "../settings.json"),
}


@pytest.mark.parametrize("content", WITHOUT_SETTINGS.values(), ids=WITHOUT_SETTINGS)
def test_a_zip_without_settings_holds_no_page(content):
    assert_refused(content, NO_PAGE)


@pytest.mark.parametrize(
    "names", [["xl/workbook.xml"], ["[Content_Types].xml", "_rels/.rels", "xl/worksheets/sheet1.xml"]]
)
def test_a_workbook_is_told_how_to_become_a_csv_file(names):
    assert_refused(zip_of("<xml/>", *names), WORKBOOK)


def test_a_page_with_a_file_that_is_like_one_of_a_workbook_is_a_page():
    assert saved_page(zip_of(GOOD, "xl/workbook.xml", SETTINGS)) == PLAIN


def test_the_smallest_settings_are_a_page():
    assert saved_page(zip_of(GOOD)) == PLAIN
    assert saved_page(zip_of({**GOOD, "more": 1})) == PLAIN


BROKEN_SETTINGS = {
    "nothing": "",
    "no JSON": "{'version': 1}",
    "half of them": json.dumps(GOOD)[:-1],
    "twice": json.dumps(GOOD) * 2,
    "no UTF-8": json.dumps(GOOD).encode().replace(b"emma", b"\xff\xfe\xfd\xfc"),
    "UTF-16": json.dumps(GOOD).encode("utf-16"),
    "too many brackets": "[" * 100_000,
    "a number of too many digits": '{"version": ' + "1" * 5000 + "}",
    "a list": [],
    "a list of everything": list(GOOD.values()),
    "a text": '"settings"',
    "a number": 1,
    "null": None,
    "NaN": "NaN",
    "an empty object": {},
    "no version": {name: part for name, part in GOOD.items() if name != "version"},
    "no page": {name: part for name, part in GOOD.items() if name != "page"},
    "no settings": {name: part for name, part in GOOD.items() if name != "settings"},
    "no edits": {name: part for name, part in GOOD.items() if name != "edits"},
    "no A": {name: part for name, part in GOOD.items() if name != "a"},
    "a text for the version": {**GOOD, "version": "1"},
    "null for the version": {**GOOD, "version": None},
    "a list for the version": {**GOOD, "version": [1]},
    "an object for the version": {**GOOD, "version": {}},
    "version 0": {**GOOD, "version": 0},
    "a version below 0": {**GOOD, "version": -1},
    "true for the version": {**GOOD, "version": True},
    "a version that is written as a fraction": {**GOOD, "version": 1.0},
    "a version between two": {**GOOD, "version": 1.5},
    "an infinite version": {**GOOD, "version": math.inf},
    "a version that is no number": {**GOOD, "version": math.nan},
    "a number for the page": {**GOOD, "page": 1},
    "null for the page": {**GOOD, "page": None},
    "a list for the page": {**GOOD, "page": ["emma_sentence"]},
    "a list for the settings": {**GOOD, "settings": []},
    "a text for the settings": {**GOOD, "settings": "{}"},
    "null for the settings": {**GOOD, "settings": None},
    "a list for the edits": {**GOOD, "edits": [1]},
    "a text for the edits": {**GOOD, "edits": "1q64FAA"},
    "null for the edits": {**GOOD, "edits": None},
    "a number for A": {**GOOD, "a": 1},
    "a text for A": {**GOOD, "a": "emma_sentence"},
    "a list for A": {**GOOD, "a": [1]},
    "true for A": {**GOOD, "a": True},
    "false for A": {**GOOD, "a": False},
}


@pytest.mark.parametrize("settings", BROKEN_SETTINGS.values(), ids=BROKEN_SETTINGS)
def test_settings_that_are_no_page_were_not_saved_here(settings):
    assert_refused(zip_of(settings), CHANGED)


@pytest.mark.parametrize("version", [2, 3, 10**30])
def test_a_page_of_a_newer_version_says_so(version):
    assert_refused(zip_of({"version": version, "page": {"of": "the future"}}), NEWER)


def test_settings_may_be_as_large_as_the_limit_and_no_larger():
    text = json.dumps(GOOD)
    filled = text + " " * (LARGEST_SETTINGS - len(text))
    assert saved_page(zip_of(filled)) == PLAIN
    assert_refused(zip_of(filled + " "), CHANGED)


@pytest.mark.parametrize("junk", ["[[[]]" + ",[[]]" * 100_000 + "]", "[1" + ",1" * 500_000 + "]"])
def test_settings_that_would_take_a_hundred_times_their_room_are_not_read(junk):
    text = json.dumps(GOOD).removesuffix("}") + f', "junk": {junk}}}'
    packed = zip_of(text)
    tracemalloc.start()
    assert_refused(packed, CHANGED)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * len(text)


def test_settings_that_inflate_to_very_much_are_refused_without_being_inflated():
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(SETTINGS, "w") as file,
    ):
        for _ in range(20):
            file.write(bytes(LARGEST_SETTINGS))
    assert len(packed.getvalue()) < 200_000
    tracemalloc.start()
    assert_refused(packed.getvalue(), CHANGED)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * LARGEST_SETTINGS


def test_other_files_that_inflate_to_very_much_are_not_looked_at():
    packed = io.BytesIO(zip_of(GOOD))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("stages/1_scores.csv", bytes(10 * LARGEST_SETTINGS))
    tracemalloc.start()
    assert saved_page(packed.getvalue()) == PLAIN
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LARGEST_SETTINGS


def test_an_encrypted_zip_is_refused():
    encrypted = with_field(zip_of(GOOD), 6, 8, 1)
    with zipfile.ZipFile(io.BytesIO(encrypted)) as archive, pytest.raises(RuntimeError, match="encrypted"):
        archive.read(SETTINGS)
    assert_refused(encrypted, CHANGED)


def test_a_zip_whose_folder_was_packed_again_is_the_same_page():
    saved = zipped(PLAIN, ATTENTIONS["emma_sentence"], "x")
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as old, zipfile.ZipFile(packed, "w") as new:
        new.writestr("homework/", "")
        for name in old.namelist():
            new.writestr(f"homework/{name}", old.read(name) + b" " * (name == "inputs/keys.csv"))
        new.writestr("__MACOSX/homework/._settings.json", "x")
    assert saved_page(packed.getvalue()) == PLAIN
    assert changed_inputs(packed.getvalue(), saved_page(packed.getvalue()), EMMA) == ["inputs/keys.csv"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_that_was_packed_again_is_the_same_page(method):
    assert saved_page(zip_of({**GOOD, "a": {"scale": True}}, method=method)).a == {"scale": True}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_is_compressed_in_a_way_that_this_app_does_not_use_is_refused(method):
    assert_refused(zip_of(GOOD, method=method), CHANGED)


@pytest.mark.parametrize("method", [1, 9, 97, 99])
def test_a_zip_that_is_compressed_in_an_unknown_way_is_refused(method):
    assert_refused(with_field(zip_of(GOOD), 8, 10, method), CHANGED)


def test_a_zip_cut_at_any_length_is_refused():
    content = zipped(PLAIN, ATTENTIONS["emma_sentence"], "x")
    for length in range(len(content)):
        assert_refused(content[:length], CHANGED)


@pytest.mark.parametrize("bits", [0x01, 0x20, 0xFF])
def test_a_zip_with_one_changed_byte_is_the_same_page_or_refused(bits):
    saved = SavedPage("emma_sentence", {"scale": True, "decimals": 2}, {"check": 1}, None)
    content = zipped(saved, ATTENTIONS["emma_sentence"], "x")
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= bits
        try:
            found, reason = saved_page(bytes(changed)), None
        except BadFile as bad:
            found, reason = saved, str(bad)
        assert found == saved
        assert reason in (None, CHANGED, NO_PAGE)


@pytest.mark.parametrize("offset", [1, 2**62, 2**63, 2**64 - 1])
def test_a_zip_that_says_its_file_is_elsewhere_is_refused(offset):
    assert_refused(with_member_at(offset), CHANGED)
