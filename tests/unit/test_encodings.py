"""Files whose encoding can be told, and others, of which the words in the right one are to choose from."""

import pytest

from core.encodings import COUNTRIES, decodings

WORDS = {
    "cp1252": "Größe\nKätzchen\ncréée\n",
    "cp850": "Größe\nKätzchen\nação\n",
    "cp1250": "żółw\nkočka\n",
    "cp1251": "кот\nсобака\n",
    "cp1253": "γάτα\nσκύλος\n",
    "cp1254": "kuş\nköpek\n",
    "cp1257": "žirafė\nšuo\n",
    "cp1258": "đơn\nchó\n",
    "cp1255": "חתול\nכלב\n",
    "cp1256": "قطة\nكلب\n",
    "cp874": "แมว\nหมา\n",
    "cp932": "猫\n犬\nネコ\n",
    "gb18030": "猫\n坐\n在\n",
    "cp950": "貓\n狗\n",
    "cp949": "고양이\n개\n",
    "mac_roman": "Größe\nKätzchen\n",
}


@pytest.mark.parametrize(("encoding", "codec", "region"), COUNTRIES)
def test_the_words_of_every_country_are_among_those_to_choose_from(encoding, codec, region):
    text = f"tokens;d1\n{WORDS[codec]}"
    found = {decoded.encoding: decoded for decoded in decodings(text.encode(codec))}
    assert (found[encoding].text, found[encoding].region) == (text, region)
    assert not any(decoded.is_likely for name, decoded in found.items() if name != "Windows-1252")


@pytest.mark.parametrize(
    "codec", sorted(WORDS.keys() - {"cp1252", "cp1254", "cp1257", "cp1258", "mac_roman"})
)
def test_what_can_hardly_be_words_of_the_west_is_asked_about(codec):
    """What Turkish, for one, writes otherwise, are single letters there, too: one has to look."""
    assert not any(decoded.is_likely for decoded in decodings(WORDS[codec].encode(codec)))


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", WORDS.values())
def test_an_encoding_that_can_be_told_leaves_nothing_to_choose(codec, text):
    (decoded,) = decodings(text.encode(codec))
    assert (decoded.text, decoded.region, decoded.is_likely) == (text, "", True)


@pytest.mark.parametrize(
    "text",
    ["Bär", "été", "l’œuvre", "ação", "niño", "það", "smørrebrød", "Ångström", "naïveté", "5 °C", "m²", "ü"],
)
def test_the_languages_of_the_west_are_likely(text):
    assert decodings(text.encode("cp1252"))[0].is_likely


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp949", ";동물·식물;명사;감정;크기\n"),
        ("gb18030", ";颜色（红）;水果\n"),
        ("gb18030", "词;名词、人;动物\n"),
        ("mac_roman", ";a≠b;Café\n"),
        ("cp1252", ";Größe × 2;½ Länge\n"),
        ("cp932", ";ネコ・イヌ（大）;－1\n"),
        ("cp1251", ";№ 5;кот\n"),
    ],
)
def test_signs_beside_letters_leave_the_right_words_to_choose_from(codec, text):
    found = decodings(text.encode(codec))
    assert text in {decoded.text for decoded in found}
    assert not any(decoded.is_likely for decoded in found if decoded.text != text)


@pytest.mark.parametrize(
    ("codec", "text"), [("mac_roman", "Größe;Café\n"), ("mac_roman", "Café\n"), ("cp932", "アイ\n")]
)
def test_what_only_looks_like_the_west_is_asked_about(codec, text):
    assert not any(decoded.is_likely for decoded in decodings(text.encode(codec)))


def test_encodings_that_give_the_same_words_are_one_choice():
    texts = [decoded.text for decoded in decodings("Größe;1\nHöhe;2\n".encode("cp1252"))]
    assert len(texts) == len(set(texts)) > 1
    assert texts[0] == "Größe;1\nHöhe;2\n"


def test_the_words_by_which_one_chooses_are_the_first_with_letters_beyond_a_to_z():
    text = 'tokens;d1\nthe;1\n"Kätzchen";2\nGröße;3\nKätzchen;4\nBär;5\nTür;6\n'
    assert decodings(text.encode("cp1252"))[0].sample == ("Kätzchen", "Größe", "Bär")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a\x00b", b"\xe4\x07"])
def test_what_is_no_text_has_no_decoding(content):
    assert decodings(content) == ()


def test_words_are_found_as_soon_behind_letters_without_end():
    """Which took hours: the letters were gone through once more from each of them."""
    found = {
        decoded.encoding: decoded for decoded in decodings(f"{'a' * 1_000_000};načín;1\n".encode("cp1250"))
    }
    assert found["Windows-1250"].sample == ("načín",)
