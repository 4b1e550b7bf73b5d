"""Bytes of a file -> its text: in the encoding that can be told, else in each that may have been meant.

UTF-8 and UTF-16 can be told. A spreadsheet that saves in the encoding of its country does not say which that
is, and most bytes are letters in each of them, only other ones: who knows the words has to choose.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # which no text has
COUNTRIES = (  # what their spreadsheets call the encoding, Python's name for it, and who writes in it
    ("Windows-1252", "cp1252", "Western Europe"),
    ("MS-DOS 850", "cp850", "Western Europe, CSV (MS-DOS)"),
    ("Windows-1250", "cp1250", "Central Europe"),
    ("Windows-1251", "cp1251", "Cyrillic"),
    ("Windows-1253", "cp1253", "Greek"),
    ("Windows-1254", "cp1254", "Turkish"),
    ("Windows-1257", "cp1257", "Baltic"),
    ("Windows-1258", "cp1258", "Vietnamese"),
    ("Windows-1255", "cp1255", "Hebrew"),
    ("Windows-1256", "cp1256", "Arabic"),
    ("Windows-874", "cp874", "Thai"),
    ("Shift-JIS", "cp932", "Japanese"),
    ("GB18030", "gb18030", "Chinese, simplified"),
    ("Big5", "cp950", "Chinese, traditional"),
    ("EUC-KR", "cp949", "Korean"),
    ("Mac Roman", "mac_roman", "Western Europe, old Macintosh"),
)
SIGNS = set("\u00a0°§²³’€")  # that stand within the names of the west, beside letters
MORE_SIGNS = SIGNS | set("©®¿¡«»‘‚“”„–—…•£µ")  # that may stand there
BEYOND_ASCII = r"[^\x00-\x7f]"
WORDS = re.compile(rf"(?<!\w)\w*{BEYOND_ASCII}[^\s,;\t\"]*")  # where a word begins: in linear time
BLANKS = set("\t\r\n")
FRAMES = re.compile(r"[\u2500-\u259f]")  # which old encodings have, to draw tables with
# What no western word has: several such signs alone, a capital or § within it, or ƒ.
STRANGE = re.compile(
    rf"(?<![A-Za-z]){BEYOND_ASCII}{{2,}}(?![A-Za-z])|[a-zß-ÿ][À-ÖØ-ÞŠŽŒŸ]|[^\W\d_]§[^\W\d_]|[ƒˆ]"
)


@dataclass(frozen=True)
class Decoded:
    """The text of a file in one encoding.

    region is who writes in that encoding, empty where it can be told. is_likely is whether the text can be
    taken for right unless somebody knows better.
    """

    text: str
    encoding: str
    region: str = ""
    is_likely: bool = True

    @property
    def sample(self) -> tuple[str, ...]:
        """The first words by which the right encoding is known: those with letters beyond a to z."""
        return tuple(dict.fromkeys(WORDS.findall(self.text)))[:3]


def decodings(content: bytes) -> tuple[Decoded, ...]:
    """Every way to decode a file: one where it can be told; none if it is no text.

    Those that give letters come first. Of encodings that give the same text, the first stands for all.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = _decoded(content, "utf-16")
        return () if text is None else (Decoded(text, "UTF-16"),)
    text = _decoded(content, "utf-8-sig")
    if text is not None:
        return (Decoded(text, "UTF-8"),)
    found: dict[str, Decoded] = {}
    for encoding, codec, region in COUNTRIES:
        text = _decoded(content, codec)
        if text is not None and _is_written(text):
            is_likely = encoding == "Windows-1252" and _is_western(text)
            found.setdefault(text, Decoded(text, encoding, region, is_likely))
    return tuple(sorted(found.values(), key=lambda decoded: not _is_of_letters(decoded.text, MORE_SIGNS)))


def _decoded(content: bytes, codec: str) -> str | None:
    """The text, None where the bytes are none in this encoding."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if CONTROLS.search(text) else text


def _is_written(text: str) -> bool:
    """Whether every sign beyond ASCII is one that somebody writes: no control, no part of a frame."""
    return not any(unicodedata.category(sign)[0] == "C" or FRAMES.match(sign) for sign in set(text) - BLANKS)


def _is_western(text: str) -> bool:
    """Whether letters beyond ASCII stand among others, or alone, as they do in the languages of the west."""
    return _is_of_letters(text, SIGNS) and not STRANGE.search(text)


def _is_of_letters(text: str, besides: set[str]) -> bool:
    """Whether every sign is ASCII, a letter, what is set above or below one, or one of some others."""
    signs = {sign for sign in text if sign > "\x7f"}
    return all(unicodedata.category(sign)[0] in "LM" for sign in signs - besides)
