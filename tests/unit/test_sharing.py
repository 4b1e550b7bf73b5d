"""The text of a link gives back exactly what it was copied from, or a reason why it cannot."""

import base64
import json
import string
import unicodedata
import zlib
from dataclasses import replace

import numpy as np
import pytest

from core.matrices import (
    LONGEST_NAME,
    MOST_COLUMNS,
    MOST_TOKENS,
    insert,
    remove,
    rename,
    set_cells,
    set_matrix,
)
from core.recipes import Recipe, prepared
from core.sharing import (
    CHANGED,
    LONGEST_LINK,
    MOST_BYTES,
    OUTDATED,
    BadLink,
    checksum,
    edits_of,
    pack,
    unpack,
    with_edits,
)
from core.snapshots import Snapshot, before_in, content_of_snapshot, example_content, snapshot_of
from core.what_if import WhatIf
from tests.unit.cases import PRESETS
from tests.unit.hostile import HOSTILE

EMMA = PRESETS["emma_sentence"].inputs
ANIMALS = PRESETS["animal_lookup"].inputs
CODING = PRESETS["i_love_coding"].inputs
SIGNS = string.ascii_letters + string.digits + "-_"
NEWER = "it was made by a newer version of this app"

EDITED = rename(set_cells(EMMA, {("queries", 8, 3): 3.0, ("keys", 1, 2): -0.25}), "tokens", 8, "pal")
# A link of EDITED as version 1 wrote it, which has to be read for as long as there is a version 1.
OF_VERSION_1 = (
    "1JYtLCoAwEMXuMuun2E6r4lVKFyIDSot_QRHv7m-XQHJSvctC1UnrEKR_yGVQ0GAYWOQo4ErQWEfy_gI1EuOXT5vM3Xs6xxbsPSjI8"
    "XmOJEu1_ftWmkCVKjQbbSyr6wbuTokn"
)


def in_signs(content):
    """Bytes as the text of a link."""
    return "1" + base64.urlsafe_b64encode(content).decode().rstrip("=")


def text_of(json_text, more=b"", wbits=-15):
    """A link's text with any JSON, or what is none, in it, its checksum, and something more."""
    content = json_text if isinstance(json_text, bytes) else json_text.encode()
    return in_signs(zlib.compress(content, wbits=wbits) + zlib.crc32(content).to_bytes(4) + more)


def opened(text, example=EMMA):
    return with_edits(example, unpack(text))


def assert_same(found, wanted):
    """The same names from the same places, and the same numbers bit by bit."""
    assert found.axes == wanted.axes
    assert list(found.matrices) == list(wanted.matrices)
    for name, matrix in wanted.matrices.items():
        other = found.matrices[name]
        assert (other.rows, other.columns) == (matrix.rows, matrix.columns)
        assert (other.values.dtype, other.values.shape) == (np.float64, matrix.values.shape)
        assert other.values.tobytes() == matrix.values.tobytes()


def assert_refused(edits, reason, example=EMMA):
    with pytest.raises(BadLink) as bad:
        with_edits(example, json.loads(json.dumps(edits)))
    assert str(bad.value) == reason


def assert_same_or_refused(text, wanted):
    """A changed text is refused, whatever it says, or says exactly the same."""
    try:
        found, reason = unpack(text), None
    except BadLink as bad:
        found, reason = wanted, str(bad)
    assert found == wanted
    assert reason in (None, NEWER if text[:1] in tuple("23456789") else CHANGED)


def from_scratch(draw):
    """Queries and keys of nine tokens and four dimensions, every number drawn anew."""
    return set_matrix(set_matrix(EMMA, "queries", draw()), "keys", draw())


def with_origins(inputs, axis, origins):
    return replace(inputs, axes={**inputs.axes, axis: replace(inputs.axes[axis], origins=origins)})


def in_cells(number, matrix="queries", place=0):
    return {"cells": {matrix: [[place, number]]}}


def with_check(edits, now):
    return {**edits, "check": checksum(now)}


@pytest.mark.parametrize("preset", PRESETS)
def test_an_example_without_edits_gives_an_empty_content(preset):
    inputs = PRESETS[preset].inputs
    assert edits_of(inputs, inputs) == {}
    assert with_edits(inputs, {}) is inputs


def test_an_edit_that_is_taken_back_is_none():
    edited = set_cells(EMMA, {("queries", 0, 0): 5.0})
    assert edits_of(EMMA, set_cells(edited, {("queries", 0, 0): 1.1})) == {}


STATES = {
    "one cell": (EMMA, set_cells(EMMA, {("queries", 8, 3): 3.0}), {"cells": {"queries": [[35, 3]]}}),
    "cells of two matrices": (
        EMMA,
        set_cells(EMMA, {("keys", 0, 0): -0.5, ("queries", 0, 1): 1e-5, ("queries", 3, 0): 0.1}),
        {"cells": {"queries": [[1, 1e-5], [12, 0.1]], "keys": [[0, -0.5]]}},
    ),
    "a new name": (
        EMMA,
        rename(EMMA, "tokens", 8, "pal"),
        {"axes": {"tokens": [0, 1, 2, 3, 4, 5, 6, 7, [8, "pal"]]}},
    ),
    "one more": (
        EMMA,
        insert(EMMA, "tokens", 1, "dog"),
        {"axes": {"tokens": [0, "dog", 1, 2, 3, 4, 5, 6, 7, 8]}},
    ),
    "one more, with a number": (
        EMMA,
        set_cells(insert(EMMA, "dimensions", 4, "Verb"), {("keys", 1, 4): 2.0}),
        {"axes": {"dimensions": [0, 1, 2, 3, "Verb"]}, "cells": {"keys": [[9, 2]]}},
    ),
    "one less": (EMMA, remove(EMMA, "dimensions", 1), {"axes": {"dimensions": [0, 2, 3]}}),
    "one of the same name in its place": (
        EMMA,
        insert(remove(EMMA, "dimensions", 0), "dimensions", 0, "Person"),
        {
            "axes": {"dimensions": ["Person", 1, 2, 3]},
        },
    ),
    "a key less, and its value with it": (
        ANIMALS,
        remove(ANIMALS, "keys", 1),
        {"axes": {"keys": [0, 2, 3, 4], "value_names": [0, 2, 3, 4]}},
    ),
    "a key more, and the new name of its value": (
        ANIMALS,
        rename(insert(ANIMALS, "keys", 5, "dog"), "value_names", 5, "loyal"),
        {"axes": {"keys": [0, 1, 2, 3, 4, "dog"], "value_names": [0, 1, 2, 3, 4, "loyal"]}},
    ),
    "half of a matrix, by its places": (
        CODING,
        set_cells(
            insert(CODING, "tokens", 3, "now"),
            {("embeddings", i, j): 50 + 3 * i + j for i in (0, 1) for j in range(3)},
        ),
        {
            "axes": {"tokens": [0, 1, 2, "now"]},
            "cells": {"embeddings": [[place, 50 + place] for place in range(6)]},
        },
    ),
    "most of a matrix, row by row": (
        ANIMALS,
        set_cells(ANIMALS, {("queries", i, j): i + j + 1.0 for i, j in ((0, 0), (0, 1), (1, 0), (1, 2))}),
        {"cells": {"queries": [1, 2, 4.1, 2, 9.9, 4]}},
    ),
}


@pytest.mark.parametrize(("example", "now", "content"), STATES.values(), ids=STATES)
def test_a_link_holds_what_is_different_and_gives_it_back(example, now, content):
    assert edits_of(example, now) == with_check(content, now)
    assert_same(opened(pack(edits_of(example, now)), example), now)


def test_zero_comes_back_without_a_sign():
    now = set_cells(EMMA, {("keys", 0, 0): 0.0})
    assert edits_of(EMMA, now)["cells"] == {"keys": [[0, 0]]}
    assert not np.signbit(opened(pack(edits_of(EMMA, now))).matrices["keys"].values[0, 0])


@pytest.mark.parametrize(
    "number", [5e-324, 2.2250738585072014e-308, 0.1, 1 / 3, 1e6, -1e6, 999999.9999999999]
)
def test_any_number_that_can_be_typed_comes_back_to_the_last_bit(number):
    now = set_cells(EMMA, {("queries", 4, 2): number})
    assert_same(opened(pack(edits_of(EMMA, now))), now)


@pytest.mark.parametrize(
    "name", [*HOSTILE, "ä", "Ὀδυσσεύς", "猫", "🐈", "x" * LONGEST_NAME, "null", "1", "0"]
)
def test_any_name_comes_back_as_it_was(name):
    now = insert(rename(EMMA, "dimensions", 0, name), "tokens", 9, name)
    found = opened(pack(edits_of(EMMA, now)))
    assert (found.axes["dimensions"].names[0], found.axes["tokens"].names[9]) == (name, name)
    assert_same(found, now)


def test_the_most_rows_and_columns_come_back():
    now = ANIMALS
    for number in range(MOST_TOKENS - 2):
        now = insert(now, "queries", 2 + number, f"q{number}")
    for number in range(MOST_COLUMNS - 3):
        now = insert(now, "dimensions", 3, f"d{number + 4}")
    content = json.loads(json.dumps(edits_of(ANIMALS, now)))
    assert_same(with_edits(ANIMALS, content), now)


def test_a_link_of_ten_edited_cells_stays_under_200_characters():
    draw = np.random.default_rng(1)
    places = draw.choice(36, 10, replace=False)
    edited = {("queries", int(place) // 4, int(place) % 4): round(draw.normal(), 2) for place in places}
    assert len(pack(edits_of(EMMA, set_cells(EMMA, edited)))) < 200


@pytest.mark.parametrize("decimals", [2, 17], ids=["two decimals", "all decimals"])
def test_a_link_of_nine_queries_and_keys_typed_from_scratch_stays_under_1500_characters(decimals):
    draw = np.random.default_rng(2)
    now = from_scratch(lambda: np.round(draw.normal(0, 3, (9, 4)), decimals) + 0.0)
    text = pack(edits_of(EMMA, now))
    assert len(text) < 1500
    assert_same(opened(text), now)


def test_a_link_needs_no_sign_that_an_address_would_write_in_another_way():
    draw = np.random.default_rng(3)
    for _ in range(20):
        text = pack(edits_of(EMMA, from_scratch(lambda: draw.normal(size=(9, 4)))))
        assert text[0] == "1"
        assert set(text) <= set(SIGNS)


def test_a_link_of_version_1_is_read_for_ever():
    assert_same(opened(OF_VERSION_1), EDITED)


def test_a_link_cut_at_any_length_is_refused():
    draw = np.random.default_rng(4)
    long = pack(edits_of(EMMA, from_scratch(lambda: draw.normal(size=(9, 4)))))
    for text in (OF_VERSION_1, long):
        for length in range(len(text)):
            with pytest.raises(BadLink) as bad:
                opened(text[:length])
            assert str(bad.value) == CHANGED


LINKS = {name: (example, now) for name, (example, now, _) in STATES.items()} | {"edited": (EMMA, EDITED)}


@pytest.mark.parametrize(("example", "now"), LINKS.values(), ids=LINKS)
def test_a_link_with_one_other_sign_gives_the_same_or_nothing(example, now):
    content = json.loads(json.dumps(edits_of(example, now)))
    text = pack(content)
    for place in range(len(text)):
        for sign in SIGNS + "=+/ %":
            assert_same_or_refused(f"{text[:place]}{sign}{text[place + 1 :]}", content)


def test_a_link_with_one_sign_more_or_less_or_two_that_changed_places_gives_the_same_or_nothing():
    text, content = OF_VERSION_1, unpack(OF_VERSION_1)
    for i in range(len(text)):
        swapped = text[:i] + text[i : i + 2][::-1] + text[i + 2 :]
        for changed in (
            text[:i] + text[i + 1 :],
            f"{text[:i]}A{text[i:]}",
            swapped,
            text[:i] + text[i:].upper(),
        ):
            assert_same_or_refused(changed, content)


BROKEN_TEXTS = {
    "nothing": ("", CHANGED),
    "the version alone": ("1", CHANGED),
    "an older version": ("0" + OF_VERSION_1[1:], CHANGED),
    "no version": (OF_VERSION_1[1:], CHANGED),
    "a newer version": ("2" + OF_VERSION_1[1:], NEWER),
    "a much newer version": ("9", NEWER),
    "a digit of another writing for the version": ("٢" + OF_VERSION_1[1:], CHANGED),
    "a square for the version": ("²" + OF_VERSION_1[1:], CHANGED),
    "half for the version": ("½", CHANGED),
    "a letter for the version": ("A" + OF_VERSION_1[1:], CHANGED),
    "the sign after 9 for the version": (":" + OF_VERSION_1[1:], CHANGED),
    "a sign before the version": (" " + OF_VERSION_1, CHANGED),
    "too long": (
        "1" + "A" * LONGEST_LINK,
        f"it has {LONGEST_LINK + 1:,} characters; at most {LONGEST_LINK:,} can be used",
    ),
    "as long as can be, and nonsense": ("1" + "A" * (LONGEST_LINK - 1), CHANGED),
    "not base64": ("1a!b", CHANGED),
    "not ASCII": ("1aäb", CHANGED),
    "half a character of two": ("1\ud800", CHANGED),
    "as an address writes it": (OF_VERSION_1 + "%3D", CHANGED),
    "a line end": (OF_VERSION_1 + "\n", CHANGED),
    "base64 of an impossible length": ("1AAAAA", CHANGED),
    "not deflated": (in_signs(b"{}" + zlib.crc32(b"{}").to_bytes(4)), CHANGED),
    "no checksum": (in_signs(zlib.compress(b"{}", wbits=-15)), CHANGED),
    "another checksum": (in_signs(zlib.compress(b"{}", wbits=-15) + bytes(4)), CHANGED),
    "half a checksum": (
        in_signs(zlib.compress(b"{}", wbits=-15) + zlib.crc32(b"{}").to_bytes(4)[:2]),
        CHANGED,
    ),
    "a checksum written backwards": (
        in_signs(zlib.compress(b"{}", wbits=-15) + zlib.crc32(b"{}").to_bytes(4, "little")),
        CHANGED,
    ),
    "deflated, and something more": (text_of("{}", more=b"more"), CHANGED),
    "deflated with a header": (text_of("{}", wbits=15), CHANGED),
    "a bomb": (text_of(json.dumps({"axes": "x" * MOST_BYTES})), CHANGED),
    "a larger bomb": (text_of(" " * 4_000_000), CHANGED),
    "no UTF-8": (text_of(b'{"a":"\xff"}'), CHANGED),
    "no JSON": (text_of("{'axes': 1}"), CHANGED),
    "half a JSON": (text_of('{"axes": '), CHANGED),
    "JSON in too many brackets": (text_of('{"a":' + "[" * 100_000), CHANGED),
    "a number of too many digits": (text_of('{"a":' + "9" * 5000 + "}"), CHANGED),
    "a list": (text_of("[]"), CHANGED),
    "a text": (text_of('"axes"'), CHANGED),
    "a number": (text_of("1"), CHANGED),
    "null": (text_of("null"), CHANGED),
    "NaN": (text_of("NaN"), CHANGED),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN_TEXTS.values(), ids=BROKEN_TEXTS)
def test_a_text_that_is_none_of_a_link_is_refused_with_its_reason(text, reason):
    with pytest.raises(BadLink) as bad:
        unpack(text)
    assert str(bad.value) == reason


def test_the_text_of_a_link_is_its_version_and_deflated_json_with_a_checksum():
    assert unpack(text_of('{"a": [1, "ä"]}')) == {"a": [1, "ä"]}
    packed = base64.b64decode(pack({"a": [1, "ä"]})[1:] + "==", altchars="-_")
    json_text = '{"a":[1,"ä"]}'.encode()
    assert zlib.decompress(packed[:-4], wbits=-15) == json_text
    assert packed[-4:] == zlib.crc32(json_text).to_bytes(4, "big")


def test_bombs_are_short_enough_to_come_as_a_link():
    assert len(BROKEN_TEXTS["a bomb"][0]) < LONGEST_LINK
    assert len(BROKEN_TEXTS["a larger bomb"][0]) < LONGEST_LINK


def test_a_text_that_is_just_short_enough_is_read():
    draw = np.random.default_rng(5)
    content = {"filling": draw.bytes(4550).hex()}
    while len(pack(content)) > LONGEST_LINK:
        content["filling"] = content["filling"][:-1]
    assert len(pack(content)) > LONGEST_LINK - 5
    assert unpack(pack(content)) == content


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1000000.0000000001e0", "1000001", "-1e7"]
)
@pytest.mark.parametrize("shape", ["[[0,{}]]", "[{}{}]"], ids=["one cell", "a whole matrix"])
def test_a_number_that_could_not_be_typed_is_refused(number, shape):
    cells = shape.format(number, ",0" * 35)
    with pytest.raises(BadLink) as bad:
        opened(text_of(f'{{"cells":{{"queries":{cells}}},"check":1}}'))
    assert str(bad.value) == CHANGED


ONE = set_cells(EMMA, {("queries", 0, 0): 1.0})
LESS = remove(EMMA, "dimensions", 1)
ALL_ONES = set_matrix(EMMA, "queries", np.ones((9, 4)))

FORGED = {
    "true for 1": with_check(in_cells(True), ONE),
    "a text for 1": with_check(in_cells("1"), ONE),
    "a list for 1": with_check(in_cells([1]), ONE),
    "null for a number": with_check(in_cells(None), ONE),
    "true for 1 in a whole matrix": with_check({"cells": {"queries": [True] * 36}}, ALL_ONES),
    "a whole matrix of one number too few": with_check({"cells": {"queries": [1] * 35}}, ALL_ONES),
    "a whole matrix of one number too many": with_check({"cells": {"queries": [1] * 37}}, ALL_ONES),
    "a place before the first": with_check(in_cells(1, place=-36), ONE),
    "a place after the last": with_check(in_cells(1, place=36), ONE),
    "a place that is no whole number": with_check(in_cells(1, place=0.0), ONE),
    "false for the first place": with_check(in_cells(1, place=False), ONE),
    "a text for a place": with_check(in_cells(1, place="0"), ONE),
    "a place without a number": with_check({"cells": {"queries": [[0]]}}, ONE),
    "a place with two numbers": with_check({"cells": {"queries": [[0, 1, 1]]}}, ONE),
    "a place far after the last": with_check(in_cells(1, place=10**400), ONE),
    "a place far before the first": with_check(in_cells(1, place=-(10**400)), ONE),
    "a number far too large": with_check(in_cells(10**400), ONE),
    "a number far too small": with_check(in_cells(-(10**400)), ONE),
    "a number far too large in a whole matrix": with_check({"cells": {"queries": [10**400] * 36}}, ONE),
    "an origin far after the last": with_check({"axes": {"dimensions": [0, 2, 10**400]}}, LESS),
    "an origin far before the first": with_check({"axes": {"dimensions": [[-(10**400), "x"], 2, 3]}}, LESS),
    "a place and a number among places": with_check({"cells": {"queries": [[0, 1], 1]}}, ONE),
    "a number for the cells of a matrix": with_check({"cells": {"queries": 1}}, ONE),
    "an object for the cells of a matrix": with_check({"cells": {"queries": {"0": 1}}}, ONE),
    "a list for all cells": with_check({"cells": [[0, 1]]}, ONE),
    "a text for all cells": with_check({"cells": "queries"}, ONE),
    "null for all cells": with_check({"cells": None}, ONE),
    "a list for all names": with_check({"axes": [[0, 2, 3]]}, LESS),
    "null for all names": with_check({"axes": None}, EMMA),
    "a text for the names of a side": with_check({"axes": {"dimensions": "abc"}}, LESS),
    "an object for the names of a side": with_check({"axes": {"dimensions": {"0": 0}}}, LESS),
    "no name at all": with_check({"axes": {"dimensions": []}}, LESS),
    "an origin below 0": with_check({"axes": {"dimensions": [0, -2, 3]}}, LESS),
    "an origin counted from the end": with_check({"axes": {"dimensions": [-4, 2, 3]}}, LESS),
    "an origin after the last": with_check({"axes": {"dimensions": [0, 2, 4]}}, LESS),
    "an origin of the wrong order": with_check({"axes": {"dimensions": [2, 0, 3]}}, LESS),
    "an origin twice": with_check({"axes": {"dimensions": [0, 0, 3]}}, LESS),
    "an origin twice, with another name": with_check({"axes": {"dimensions": [0, [0, "x"]]}}, LESS),
    "an origin that is no whole number": with_check({"axes": {"dimensions": [0.0, 2, 3]}}, LESS),
    "true for an origin": with_check({"axes": {"dimensions": [False, 2, 3]}}, LESS),
    "null for a name": with_check({"axes": {"dimensions": [0, None, 3]}}, LESS),
    "null for a new name": with_check({"axes": {"dimensions": [0, [2, None], 3]}}, LESS),
    "a number for a new name": with_check({"axes": {"dimensions": [0, [2, 2], 3]}}, LESS),
    "a list of letters for a new name": with_check({"axes": {"dimensions": [0, [2, ["a"]], 3]}}, LESS),
    "two new names": with_check(
        {"axes": {"dimensions": [0, [2, "x", "y"], 3]}}, rename(LESS, "dimensions", 1, "x")
    ),
    "a new name and nothing": with_check(
        {"axes": {"dimensions": [0, [2, "x", None], 3]}}, rename(LESS, "dimensions", 1, "x")
    ),
    "a new name of nothing": with_check({"axes": {"dimensions": [[], 2, 3]}}, LESS),
    "an empty name": with_check({"axes": {"dimensions": [0, "", 3]}}, LESS),
    "a name that begins with a blank": with_check({"axes": {"dimensions": [0, " a", 3]}}, LESS),
    "a name with two blanks": with_check({"axes": {"dimensions": [0, [2, "a  b"], 3]}}, LESS),
    "a name of two lines": with_check({"axes": {"dimensions": [0, "a\nb", 3]}}, LESS),
    "a name with a control character": with_check({"axes": {"dimensions": [0, "a\0b", 3]}}, LESS),
    "a name that turns the writing": with_check({"axes": {"dimensions": [0, "a\u202eb", 3]}}, LESS),
    "a name with half a character": with_check({"axes": {"dimensions": [0, "\ud800", 3]}}, LESS),
    "a name that is too long": with_check({"axes": {"dimensions": [0, "x" * (LONGEST_NAME + 1), 3]}}, LESS),
    "one column too many": with_check(
        {"axes": {"dimensions": [0, 1, 2, 3, *(f"x{i}" for i in range(MOST_COLUMNS - 3))]}}, LESS
    ),
    "one row too many": with_check({"axes": {"tokens": [*range(9), *["x"] * (MOST_TOKENS - 8)]}}, LESS),
    "no checksum": in_cells(1),
    "something unknown alone": {"unknown": 1},
}


@pytest.mark.parametrize("edits", FORGED.values(), ids=FORGED)
def test_what_no_link_of_this_app_holds_is_refused(edits):
    assert_refused(edits, CHANGED)


FORGED_FOLLOWERS = {
    "the leader alone": {"keys": [0, 2, 3, 4]},
    "the follower alone": {"value_names": [0, 2, 3, 4]},
    "another one removed": {"keys": [0, 2, 3, 4], "value_names": [0, 1, 2, 3]},
    "one more in another place": {
        "keys": [0, 1, 2, 3, 4, "dog"],
        "value_names": [0, 1, 2, 3, "loyal", 4],
    },
    "an old one for a new one": {"keys": [0, 1, 2, 3, 4], "value_names": [0, 1, 2, 3, "ferocious"]},
    "one less": {"keys": [0, 1, 2, 3], "value_names": [0, 1, 2]},
}


@pytest.mark.parametrize("axes", FORGED_FOLLOWERS.values(), ids=FORGED_FOLLOWERS)
def test_a_follower_of_other_places_than_its_leader_is_refused(axes):
    assert_refused(with_check({"axes": axes}, ANIMALS), CHANGED, ANIMALS)


OUTDATED_BY = {
    "another number": set_cells(EMMA, {("keys", 7, 1): 0.5}),
    "another number in the edited cell's matrix": set_cells(EMMA, {("queries", 0, 0): 1.2}),
    "a number's last bit": set_cells(EMMA, {("queries", 0, 0): np.nextafter(1.1, 2)}),
    "another name": rename(EMMA, "tokens", 0, "Emily"),
    "another name of a dimension": rename(EMMA, "dimensions", 0, "Human"),
    "a token more": insert(EMMA, "tokens", 9, "indeed"),
    "a dimension more": insert(EMMA, "dimensions", 4, "Verb"),
}


@pytest.mark.parametrize("example", OUTDATED_BY.values(), ids=OUTDATED_BY)
def test_a_link_of_an_example_that_has_changed_since_says_so(example):
    edits = edits_of(EMMA, set_cells(EMMA, {("queries", 1, 1): 3.0}))
    assert_refused(edits, OUTDATED, example)


@pytest.mark.parametrize("check", [0, -1, 1.5, 10**40, -(10**400), "1", None, True, [], {}])
def test_a_wrong_checksum_is_that_of_an_example_that_has_changed(check):
    assert_refused({**in_cells(3), "check": check}, OUTDATED)


def test_a_name_with_accents_of_their_own_in_a_link_stays_as_it_was_saved():
    """A name that is typed gets its accents within its letters; older links hold others."""
    name = unicodedata.normalize("NFD", "Zoé")
    axes = dict(EMMA.axes)
    axes["tokens"] = replace(axes["tokens"], names=(name, *axes["tokens"].names[1:]))
    now = replace(EMMA, axes=axes)
    assert with_edits(EMMA, unpack(pack(edits_of(EMMA, now)))).axes["tokens"].names[0] == name


def test_edits_under_names_that_the_example_does_not_have_are_those_of_one_that_has_changed():
    assert_refused(with_check({"axes": {"words": [0, 1]}}, LESS), OUTDATED)
    assert_refused(with_check(in_cells(1, matrix="values"), ONE), OUTDATED)
    assert_refused(edits_of(ANIMALS, set_cells(ANIMALS, {("values", 0, 0): 1.0})), OUTDATED)


def test_what_was_replaced_by_the_same_is_another_state_than_what_stayed():
    now = insert(remove(EMMA, "dimensions", 0), "dimensions", 0, "Person")
    now = set_matrix(
        set_matrix(now, "queries", EMMA.matrices["queries"].values), "keys", EMMA.matrices["keys"].values
    )
    assert now.axes["dimensions"].names == EMMA.axes["dimensions"].names
    assert checksum(now) != checksum(EMMA)
    edits = edits_of(EMMA, now)
    assert_same(opened(pack(edits)), now)
    assert_refused({**edits, "check": checksum(EMMA)}, OUTDATED)


def test_two_links_that_changed_places_open_neither():
    for example, other in ((EMMA, ANIMALS), (ANIMALS, EMMA)):
        with pytest.raises(BadLink):
            with_edits(other, edits_of(example, set_cells(example, {("queries", 1, 1): 3.0})))


def test_opening_a_link_leaves_the_example_as_it_was():
    before = {name: matrix.values.tobytes() for name, matrix in EMMA.matrices.items()}
    found = opened(OF_VERSION_1)
    assert found.matrices["queries"].values is not EMMA.matrices["queries"].values
    assert {name: matrix.values.tobytes() for name, matrix in EMMA.matrices.items()} == before


def test_a_checksum_is_that_of_names_their_origins_and_numbers():
    numbers = np.array(EMMA.matrices["queries"].values)
    assert checksum(set_matrix(EMMA, "queries", numbers)) == checksum(EMMA)
    assert checksum(replace(EMMA, axes=dict(reversed(EMMA.axes.items())))) == checksum(EMMA)
    assert checksum(replace(EMMA, matrices=dict(reversed(EMMA.matrices.items())))) == checksum(EMMA)
    numbers[3, 0] = -0.0
    assert checksum(set_matrix(EMMA, "queries", numbers)) == checksum(EMMA)
    others = [
        *OUTDATED_BY.values(),
        ONE,
        LESS,
        ALL_ONES,
        set_matrix(EMMA, "queries", EMMA.matrices["keys"].values),
        set_matrix(set_matrix(EMMA, "queries", EMMA.matrices["keys"].values), "keys", numbers),
        rename(rename(EMMA, "tokens", 0, "hates"), "tokens", 1, "Emma"),
        with_origins(EMMA, "tokens", (0, 1, 2, 3, 4, 5, 6, 7, None)),
        with_origins(EMMA, "tokens", (None, 1, 2, 3, 4, 5, 6, 7, 8)),
        with_origins(EMMA, "dimensions", (0, 1, 2, None)),
        with_origins(LESS, "dimensions", (0, 1, 2)),
        with_origins(LESS, "dimensions", (0, 1, 3)),
    ]
    assert len({checksum(EMMA), *map(checksum, others)}) == len(others) + 1


def test_an_example_made_here_is_shared_with_its_recipe():
    recipe = Recipe(tokens=("I", "sing"), d_k=2)
    preset = prepared(recipe, PRESETS)
    assert example_content(Recipe(), prepared(Recipe(), PRESETS), prepared(Recipe(), PRESETS).inputs) == {}
    assert example_content(recipe, preset, preset.inputs) == {"start": {"tokens": ["I", "sing"], "d_k": 2}}
    now = set_cells(preset.inputs, {("keys", 1, 1): 4.0})
    assert example_content(recipe, preset, now) == with_check(
        {"start": {"tokens": ["I", "sing"], "d_k": 2}, "cells": {"keys": [[3, 4]]}}, now
    )


SNAPSHOT = {"preset": "emma_sentence", "scale": False, "causal": True, "only": None, "what_if": None}


def test_a_snapshot_is_written_with_all_that_its_numbers_depend_on():
    preset = PRESETS["emma_sentence"]
    plain = Snapshot(preset, None, EMMA, False, True, None, None)
    assert content_of_snapshot(plain) == SNAPSHOT
    rich = Snapshot(preset, None, ONE, True, False, None, WhatIf("temperature", 0.5, 8, 2))
    assert content_of_snapshot(rich) == {
        "preset": "emma_sentence",
        "scale": True,
        "causal": False,
        "only": None,
        "what_if": ["temperature", 0.5, 8, 2],
        **with_check(in_cells(1), ONE),
    }


def test_a_snapshot_says_in_a_few_words_what_it_is():
    preset = PRESETS["emma_sentence"]
    two = set_cells(ONE, {("keys", 0, 0): 2.0})
    title = "“Emma hates games but she is a great friend”"
    assert Snapshot(preset, None, EMMA, True, True, None, None).description == f"{title}, scaled, causal mask"
    found = Snapshot(preset, None, ONE, False, False, None, WhatIf("blind_query")).description
    assert found == f"{title}, not scaled, no mask, 1 edit, what if: everything masked"
    assert Snapshot(preset, None, two, False, True, None, None).description.endswith("causal mask, 2 edits")


def test_a_snapshot_of_queries_and_keys_that_are_no_sequence_has_no_mask():
    given = {"preset": "animal_lookup", "scale": True, "causal": True, "only": 1, "what_if": None}
    found = snapshot_of(given, PRESETS)
    assert (found.causal, found.only_query, found.recipe) == (False, 1, None)
    assert found.attention().query_names == ("reptile",)


def test_a_what_if_is_about_a_query_among_the_queries_and_a_key_among_the_keys():
    given = {**SNAPSHOT, "preset": "animal_lookup", "causal": False, "what_if": ["longer_key", 1, 1, 4]}
    assert snapshot_of(given, PRESETS).what_if == WhatIf("longer_key", 1, 1, 4)
    with pytest.raises(BadLink):
        snapshot_of({**given, "what_if": ["longer_key", 1, 4, 1]}, PRESETS)


def test_what_was_before_the_last_edit_comes_back_and_is_nothing_where_a_link_has_none():
    preset = PRESETS["emma_sentence"]
    content = unpack(pack(example_content(None, preset, EMMA, ONE)))
    assert before_in(content, preset).same_as(ONE)
    assert before_in(unpack(pack(example_content(None, preset, ONE, EMMA))), preset).same_as(EMMA)
    assert before_in(example_content(None, preset, ONE), preset) is None


@pytest.mark.parametrize("before", [[], "1", 0, False, {"cells": {"queries": [[0, 1]]}}, {"axes": 1}])
def test_what_no_page_could_have_been_before_is_refused(before):
    with pytest.raises(BadLink):
        before_in({"before": before}, PRESETS["emma_sentence"])


FORGED_SNAPSHOTS = {
    "an unknown example": {"preset": "unknown"},
    "no name of an example": {"preset": None},
    "a list for an example": {"preset": ["emma_sentence"]},
    "an object for an example": {"preset": {}},
    "0 for scale": {"scale": 0},
    "null for scale": {"scale": None},
    "1 for the mask": {"causal": 1},
    "a text for the mask": {"causal": "true"},
    "one query of a sequence alone": {"only": 0},
    "false for one query": {"only": False},
    "the place of a query that is not there": {"preset": "animal_lookup", "only": 2},
    "a place below 0": {"preset": "animal_lookup", "only": -1},
    "true for the place of a query": {"preset": "animal_lookup", "only": True},
    "a what-if that is not there": {"what_if": ["unknown", 1, 0, 0]},
    "a what-if that has no meaning here": {"what_if": ["equal_values", 1, 0, 0]},
    "the mask of what has no order": {"preset": "animal_lookup", "what_if": ["masked_zero", 1, 0, 0]},
    "an object for a what-if": {"what_if": {}},
    "a text for a what-if": {"what_if": "temp"},
    "a list for the kind of a what-if": {"what_if": [["temperature"], 1, 0, 0]},
    "a what-if without its key": {"what_if": ["temperature", 1, 0]},
    "a what-if with one thing more": {"what_if": ["temperature", 1, 0, 0, 0]},
    "a temperature that cannot be chosen": {"what_if": ["temperature", 3, 0, 0]},
    "a temperature of 0": {"what_if": ["temperature", 0, 0, 0]},
    "a temperature that is none": {"what_if": ["temperature", float("nan"), 0, 0]},
    "a text for a temperature": {"what_if": ["temperature", "1", 0, 0]},
    "true for a temperature of 1": {"what_if": ["temperature", True, 0, 0]},
    "true for the amount of what has none": {"what_if": ["shuffled", True, 0, 0]},
    "a temperature far too high": {"what_if": ["temperature", 10**400, 0, 0]},
    "an amount of what has none": {"what_if": ["shuffled", 2, 0, 0]},
    "a what-if about a query that is not there": {"what_if": ["blind_query", 1, 9, 0]},
    "a what-if about a key that is not there": {"what_if": ["longer_key", 1, 0, 9]},
    "a what-if about a place below 0": {"what_if": ["longer_key", 1, 0, -1]},
    "a what-if about a place far too large": {"what_if": ["longer_key", 1, 0, 10**400]},
    "a what-if about true": {"what_if": ["blind_query", 1, True, 0]},
    "a what-if about half a place": {"what_if": ["blind_query", 1, 0.5, 0]},
    "a recipe that is none": {"preset": "your_vectors", "start": []},
    "a recipe of an example that is not there": {"preset": "your_vectors", "start": {"like": "unknown"}},
    "edits of another example": edits_of(ANIMALS, set_cells(ANIMALS, {("queries", 0, 0): 1.0})),
}


@pytest.mark.parametrize("change", FORGED_SNAPSHOTS.values(), ids=FORGED_SNAPSHOTS)
def test_a_snapshot_that_no_page_could_have_is_refused(change):
    assert content_of_snapshot(snapshot_of(SNAPSHOT, PRESETS)) == SNAPSHOT
    with pytest.raises(BadLink):
        snapshot_of({**SNAPSHOT, **change}, PRESETS)


@pytest.mark.parametrize("missing", ["preset", "scale", "causal"])
def test_a_snapshot_without_one_of_its_parts_is_refused(missing):
    with pytest.raises(BadLink):
        snapshot_of({name: part for name, part in SNAPSHOT.items() if name != missing}, PRESETS)


def test_two_dimensions_of_one_name_are_refused():
    axis = replace(EMMA.axes["dimensions"], names=("Person", "Person", "Noun", "Adjective"))
    now = replace(EMMA, axes={**EMMA.axes, "dimensions": axis})
    assert_refused(edits_of(EMMA, now), CHANGED)
