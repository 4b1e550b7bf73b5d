"""What a widget holds, as the page and the link call it."""

from __future__ import annotations

from typing import Any

from core.matrices import Inputs
from core.stages import column_names
from core.ui.page import NOTHING, Page
from core.what_if import KINDS

EVERY = "every query"
QUESTIONS = {
    "number": "this number",
    "softmax": "softmax",
    "values": "blend of values",
    "lines": "lines",
    "variance": "variance",
}


def in_link(page: Page, name: str, value: Any) -> str:
    """What the link calls that which the widget of this name holds, which is possible."""
    if name == "preset":
        return preset_label(value)
    if name == "ask":
        return QUESTIONS.get(value, "")
    if name == "what_if":
        return what_if_label(value)
    if name == "only":
        return only_label(page.inputs, value)
    if name in ("query", "key"):
        return token_label(page.query_names if name == "query" else page.key_names, value)
    if name == "look_at":
        return token_label(page.key_names, value)
    if name == "column":
        return column_label(value)
    if name in ("across", "up"):
        names = dimension_names(page.inputs)
        return names[value] if value < len(names) else ""
    if name == "heads":
        return heads_label(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def preset_label(preset: str) -> str:
    """A preset as the page and the link call it."""
    return preset.replace("_", " ")


def what_if_label(kind: str) -> str:
    """A what-if as the page and the link call it."""
    return KINDS[kind].title if kind in KINDS else kind


def only_label(inputs: Inputs, query: int) -> str:
    """A choice of queries in view as the page and the link call it."""
    titles = inputs.row_titles("queries")
    if query not in range(len(titles)):
        return EVERY
    return f"{query + 1} {EVERY}" if titles[query] == EVERY else titles[query]


def heads_label(heads: int) -> str:
    """A number of heads as the page and the link call it."""
    return "1 head" if heads == 1 else f"{heads} heads"


def dimension_names(inputs: Inputs) -> tuple[str, ...]:
    """The names of the dimensions that queries and keys share."""
    return column_names(inputs, "queries")


def token_label(names: tuple[str, ...], position: int) -> str:
    """A selected token as the page and the link call it: its number, from 1, and its name."""
    return f"{position + 1} {names[position]}" if position in range(len(names)) else "none"


def column_label(position: int) -> str:
    """A selected column as the link calls it: its number, from 1."""
    return "none" if position == NOTHING else str(position + 1)
