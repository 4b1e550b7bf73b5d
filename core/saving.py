"""A page as files: any matrix or stage as CSV, and everything as one zip, which can be opened again."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Any

from core.csv_files import ZIP, BadFile, csv_text
from core.matrices import Inputs, number_text
from core.script import script
from core.sharing import Content, holds_little
from core.stages import Attention, Stage, stage, stage_names

SETTINGS, INPUTS = "settings.json", "inputs/"
VERSION = 1
LARGEST_SETTINGS = 5_000_000  # bytes
MOST_BRACKETS, MOST_COMMAS = 200_000, 500_000  # in them
WORDS = {math.inf: "∞", -math.inf: "\u2212∞"}  # with a true minus, as -∞ would be a formula
CHANGED = "this zip was not saved by this app, or was changed since"
DAY = (2000, 1, 1, 0, 0, 0)  # of every file in a zip, so that the same page gives the same zip
ABOUT = """{title}: a page of the attention classroom, as it was saved.

inputs/        the matrices of the page as they are, as CSV files; each can be loaded by itself on its page
stages/        every stage that is computed from them, with the what-if if there is one;
               \u2212\u221e stands where a mask hides a score
attention.py   the same computation as a NumPy script: python attention.py
settings.json  what opens the page again, as it was saved: choose this zip under Load on any page

CSV files hold the numbers in full; the app shows them rounded.
"""


# What a file that is not quite a zip, or holds something else, ends in.
UNREADABLE_ZIP = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError,
    KeyError, TypeError, ValueError, OverflowError, RuntimeError,
)  # fmt: skip


@dataclass(frozen=True)
class SavedPage:
    """What settings.json says, not yet checked: the page, what its widgets hold, its edits, and its A.

    checks are the checksums of its CSV files as they were saved.
    """

    page: str
    settings: dict[str, Any]
    edits: Content
    a: Content | None
    checks: dict[str, Any] = field(default_factory=dict, compare=False)


def matrix_csv(inputs: Inputs, name: str, decimal_comma: bool = False) -> str:
    """A matrix as a CSV file, which reads back as exactly the same numbers and names."""
    return csv_text(
        inputs.matrices[name].values, inputs.row_names(name), inputs.column_names(name), decimal_comma
    )


def stage_csv(shown: Stage, decimal_comma: bool = False) -> str:
    """A stage as a CSV file, every number in full."""
    texts = [
        [number_text(number) if math.isfinite(number) else WORDS.get(number, "NaN") for number in row]
        for row in shown.values.tolist()
    ]
    return csv_text(texts, shown.rows, shown.columns, decimal_comma)


def page_zip(
    saved: SavedPage, inputs: Inputs, attention: Attention, title: str, decimal_comma: bool = False
) -> bytes:
    """Everything on a page: its inputs, and the attention that is computed from them, be it with a what-if.

    The same page gives the same bytes.
    """
    files = {"README.txt": ABOUT.replace("{title}", title)}
    for name in inputs.matrices:
        files[f"{INPUTS}{name}.csv"] = matrix_csv(inputs, name, decimal_comma)
    for number, name in enumerate(stage_names(attention.inputs), start=1):
        files[f"stages/{number}_{name}.csv"] = stage_csv(stage(attention, name), decimal_comma)
    files["attention.py"] = script(attention, title)
    checks = {name: zlib.crc32(_encoded(name, files[name])) for name in files if name.startswith(INPUTS)}
    settings = {"version": VERSION, **vars(saved), "checks": checks}
    files[SETTINGS] = json.dumps(settings, ensure_ascii=False, indent=1)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, DAY), _encoded(name, text), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _encoded(name: str, text: str) -> bytes:
    """A file, with the mark by which a spreadsheet knows UTF-8."""
    return text.encode("utf-8-sig" if name.endswith(".csv") else "utf-8")


def is_zip(content: bytes) -> bool:
    return content.startswith(ZIP)


def saved_page(content: bytes) -> SavedPage:
    """The page that a zip holds. Raises BadFile."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            settings = _folder(names) + SETTINGS
            if settings not in names:
                if any(name.startswith("xl/") for name in names):
                    raise BadFile("this is an Excel workbook, not a CSV file; save the sheet as CSV")
                raise BadFile("this zip holds no page of this app; unpack it and load a CSV file")
            if archive.getinfo(settings).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadFile(CHANGED)
            with archive.open(settings) as file:
                written = file.read(LARGEST_SETTINGS + 1)
        if len(written) > LARGEST_SETTINGS:
            raise BadFile(CHANGED)
        text = written.decode()
        if not holds_little(text, MOST_BRACKETS, MOST_COMMAS):
            raise BadFile(CHANGED)
        found = json.loads(text)
        if type(found["version"]) is not int or found["version"] < 1:
            raise BadFile(CHANGED)
        if found["version"] > VERSION:
            raise BadFile("this zip was saved by a newer version of this app")
        checks = found.get("checks")
        checks = checks if isinstance(checks, dict) else {}
        saved = SavedPage(found["page"], found["settings"], found["edits"], found["a"], checks)
    except BadFile:
        raise
    except UNREADABLE_ZIP:
        raise BadFile(CHANGED) from None
    kinds = ((saved.page, str), (saved.settings, dict), (saved.edits, dict), (saved.a, dict | None))
    if not all(isinstance(value, kind) for value, kind in kinds):
        raise BadFile(CHANGED)
    return saved


def _folder(names: list[str]) -> str:
    """The folder that holds a saved page, where somebody unpacked its zip and packed the folder again."""
    found = [name for name in names if re.fullmatch(rf"[^./][^/]*/{re.escape(SETTINGS)}", name)]
    return found[0].removesuffix(SETTINGS) if len(found) == 1 and SETTINGS not in names else ""


def changed_inputs(content: bytes, saved: SavedPage, inputs: Inputs) -> list[str]:
    """The matrices in the zip of a saved page which somebody has changed in their CSV files since."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        folder = _folder(archive.namelist())
        now = {file.filename.removeprefix(folder): file.CRC for file in archive.infolist()}
    files = {f"{INPUTS}{name}.csv" for name in inputs.matrices} & now.keys()
    return sorted(name for name in files if name in saved.checks and saved.checks[name] != now[name])
