"""The folders in data/ -> presets, each a worked example to start from.

A preset is a folder with a preset.toml and one CSV file per matrix. CONTRIBUTING.md shows how to write one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.caching import made_once
from core.csv_files import BadFile, Table, read_table
from core.matrices import MOST_TOKENS, Axis, Inputs, Matrix, Refused, clean_name, token_matrices
from core.stages import stage_names

DATA = Path(__file__).parents[1] / "data"
YOUR_VECTORS = "your_vectors"  # whose examples are made by a recipe
# The pages with examples, and the matrices that each cannot do without.
NEEDED: dict[str, tuple[str, ...]] = {
    "emma_sentence": (),
    "random_qkv": (),
    "word_embeddings": ("embeddings",),
    "animal_lookup": ("queries", "keys", "values"),
}
MARKDOWN = re.compile(r"[*_`~$\\\[\]<>]|:\w+:")
DIRECT = ("queries", "keys")
PROJECTED = ("embeddings", "W_query", "W_key", "W_value")


class BadPreset(ValueError):
    """A folder that cannot be used: a sentence that names folder, file, row and column."""


@dataclass(frozen=True)
class Start:
    """How a page opens: the toggles as the lecture has them, and the pair of tokens it talks about."""

    scale: bool
    causal: bool
    query: int
    key: int


@dataclass(frozen=True, eq=False)
class Preset:
    """A worked example.

    unordered says why a causal mask has no meaning for it, empty where it has one. notes holds a sentence
    for each stage that has one, true of the numbers as they open. Texts may use Markdown.
    """

    id: str
    page: str
    title: str
    question: str
    try_this: str
    source: str
    unordered: str
    notes: Mapping[str, str]
    inputs: Inputs
    start: Start

    @property
    def offers_one_query(self) -> bool:
        """Whether a query can be looked at alone: where there is no sequence, and no query is a key, too."""
        queries, keys = (self.inputs.matrices[name].rows for name in token_matrices(self.inputs.matrices))
        return bool(self.unordered) and queries != keys


def of_page(page: str) -> tuple[dict[str, Preset], list[str]]:
    """The presets of a page, and what is wrong with broken ones, of whichever page."""
    presets, problems = every_preset()
    return {id: preset for id, preset in presets.items() if preset.page == page}, problems


def every_preset() -> tuple[dict[str, Preset], list[str]]:
    """The presets as they lie in data/ now, and what is wrong with broken ones."""
    return _load(_fingerprint())


def _fingerprint() -> tuple[tuple[str, int, int], ...]:
    found = []
    for path in sorted(DATA.glob("*/*")):
        with suppress(OSError):  # of a file that an editor replaces just now
            stat = path.stat()
            found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)


@made_once(2)
def _load(fingerprint: tuple[tuple[str, int, int], ...]) -> tuple[dict[str, Preset], list[str]]:
    return load_presets(DATA)


def load_presets(folder: Path) -> tuple[dict[str, Preset], list[str]]:
    """All presets in a folder by the names of their folders, and a sentence for each broken one."""
    presets, problems = {}, []
    for home in sorted(path.parent for path in folder.glob("*/preset.toml")):
        try:
            presets[home.name] = read_preset(home)
        except BadPreset as problem:
            problems.append(str(problem))
    return presets, problems


def read_preset(home: Path) -> Preset:
    """The preset in one folder. Raises BadPreset."""
    toml = f"{home.name}/preset.toml"
    try:
        content = tomllib.loads((home / "preset.toml").read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadPreset(f"{toml} cannot be read: {error}") from None
    try:
        texts = {name: _text(content, name) for name in ("page", "title", "question", "source")}
        if sign := MARKDOWN.search(texts["title"]):
            raise Refused(f"the title holds '{sign[0]}'; it may not use Markdown")
        texts |= {name: _text(content, name, "") for name in ("try_this", "unordered")}
        axes = {name: _axis(name, given) for name, given in _section(content, "axes").items()}
        _check_follows(axes)
        matrices = {
            name: _matrix(home, axes, name, given) for name, given in _section(content, "matrices").items()
        }
        _check_matrices(axes, matrices)
        _check_page(home.name, texts["page"], texts["unordered"], axes, matrices)
        start = _start(_section(content, "start"), axes, matrices)
        if start.causal and texts["unordered"]:
            raise Refused("start.causal must be false, as unordered says that a causal mask has no meaning")
        notes = _notes(content.get("notes", {}), tuple(stage_names(Inputs(axes, matrices))))
    except Refused as refused:
        raise BadPreset(f"{toml}: {refused}") from None
    return Preset(id=home.name, inputs=Inputs(axes, matrices), start=start, notes=notes, **texts)


def _section(content: dict[str, Any], name: str) -> dict[str, Any]:
    section = content.get(name)
    if not isinstance(section, dict) or not section:
        raise Refused(f"the section [{name}] is missing")
    return section


def _text(content: dict[str, Any], name: str, default: str | None = None) -> str:
    text = content.get(name, default)
    if not isinstance(text, str) or (not text and default is None):
        raise Refused(f'{name} is missing; write {name} = "..."')
    return text


def _name(place: str, text: Any) -> str:
    try:
        return clean_name(str(text))
    except Refused as refused:
        raise Refused(f"{place}: {refused}") from None


def _axis(name: str, given: Any) -> Axis:
    names = given.get("names") if isinstance(given, dict) else None
    if not isinstance(names, list) or not 1 <= len(names) <= MOST_TOKENS:
        raise Refused(f"axes.{name}.names must be a list of 1 to {MOST_TOKENS} names")
    cleaned = tuple(_name(f"axes.{name}.names, name {place}", text) for place, text in enumerate(names, 1))
    follows = given.get("follows")
    if follows is not None and not isinstance(follows, str):
        raise Refused(f"axes.{name}.follows must be the name of another axis")
    return Axis(str(given.get("title", name)), cleaned, tuple(range(len(cleaned))), follows)


def _check_follows(axes: dict[str, Axis]) -> None:
    for name, axis in axes.items():
        if axis.follows is None:
            continue
        leader = axes.get(axis.follows)
        if leader is None or leader.follows is not None or axis.follows == name:
            raise Refused(f"axes.{name} follows '{axis.follows}', which is no axis that could be followed")
        if len(leader.names) != len(axis.names):
            raise Refused(f"axes.{name} needs as many names as axes.{axis.follows}, which it follows")


def _matrix(home: Path, axes: dict[str, Axis], name: str, given: Any) -> Matrix:
    if not isinstance(given, dict) or not all(
        isinstance(given.get(k), str) for k in ("file", "rows", "columns")
    ):
        raise Refused(f'[matrices.{name}] needs file = "...", rows = "..." and columns = "..."')
    for side in ("rows", "columns"):
        if given[side] not in axes:
            raise Refused(f"matrices.{name}.{side} is '{given[side]}', but there is no [axes.{given[side]}]")
    file = given["file"]
    if Path(file).name != file or not file.isprintable():
        raise Refused(f"matrices.{name}.file must be the name of a file in this folder")
    try:
        table = read_table((home / file).read_bytes())
    except OSError:
        raise BadPreset(f"{home.name}/{file} cannot be read; preset.toml names it for {name}") from None
    except BadFile as problem:
        raise BadPreset(f"{home.name}/{file}, {problem}") from None
    _check_names(f"{home.name}/{file}", table, axes[given["rows"]], axes[given["columns"]])
    table.values.flags.writeable = False
    return Matrix(table.values, given["rows"], given["columns"])


def _check_names(file: str, table: Table, rows: Axis, columns: Axis) -> None:
    for kind, found, expected in (("row", table.rows, rows.names), ("column", table.columns, columns.names)):
        if len(found) != len(expected):
            raise BadPreset(f"{file} has {len(found)} {kind}s, but preset.toml names {len(expected)}")
        for number, (name, wanted) in enumerate(zip(found, expected, strict=True), start=2):
            if name != wanted:
                raise BadPreset(
                    f"{file}, {kind} {number}: the name is '{name}', but preset.toml says '{wanted}'"
                )


def _check_matrices(axes: dict[str, Axis], matrices: dict[str, Matrix]) -> None:
    given = set(matrices)
    if given not in (set(DIRECT), {*DIRECT, "values"}, set(PROJECTED)):
        raise Refused(
            "the matrices must be queries and keys, with or without values, "
            f"or {', '.join(PROJECTED)}; found {', '.join(sorted(given))}"
        )
    same_axis = [("queries", "columns", "keys", "columns")]
    if "embeddings" in given:
        same_axis = [("embeddings", "columns", weight, "rows") for weight in PROJECTED[1:]]
        same_axis.append(("W_query", "columns", "W_key", "columns"))
    for first, side, second, other in same_axis:
        if getattr(matrices[first], side) != getattr(matrices[second], other):
            raise Refused(f"the {side} of {first} and the {other} of {second} must be the same axis")
    if "values" in given:
        keys, values = matrices["keys"].rows, matrices["values"].rows
        if values != keys and axes[values].follows != keys:
            raise Refused(
                f"the rows of values must be {keys}, as those of keys, or an axis that follows {keys}"
            )


def _check_page(
    id: str, page: str, unordered: str, axes: dict[str, Axis], matrices: dict[str, Matrix]
) -> None:
    if id == YOUR_VECTORS:
        raise Refused(f"the folder cannot be called {id}, which is the page of one's own vectors")
    if page not in NEEDED:
        raise Refused(f'page is "{page}"; it must be one of {", ".join(NEEDED)}')
    missing = [name for name in NEEDED[page] if name not in matrices]
    if missing:
        raise Refused(f"the page {page} needs the matrices {', '.join(NEEDED[page])}")
    if page == "animal_lookup" and matrices["queries"].rows == matrices["keys"].rows:
        raise Refused(f"on the page {page} the rows of queries and keys must be two axes")
    if page == "animal_lookup" and not unordered:
        raise Refused(f'on the page {page} queries and keys are no sequence; say so by unordered = "..."')
    titles = [axis.title for axis in axes.values()]
    for title in titles:
        if titles.count(title) > 1:
            raise Refused(f"two axes have the title '{title}'; each needs its own")


def _start(given: dict[str, Any], axes: dict[str, Axis], matrices: dict[str, Matrix]) -> Start:
    for name in ("scale", "causal"):
        if not isinstance(given.get(name), bool):
            raise Refused(f"start.{name} must be true or false")
    places = {}
    for name, matrix in zip(("query", "key"), token_matrices(matrices), strict=True):
        names = axes[matrices[matrix].rows].names
        if given.get(name) not in names:
            raise Refused(f"start.{name} must be one of {', '.join(names)}")
        places[name] = names.index(given[name])
    return Start(given["scale"], given["causal"], **places)


def _notes(given: Any, stages: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(given, dict):
        raise Refused("notes must be a section, [notes]")
    for name, text in given.items():
        if name not in stages or not isinstance(text, str):
            raise Refused(f"notes.{name} must be a text, and its name one of {', '.join(stages)}")
    return given
