"""What a widget holds, as the page and the link call it."""

from __future__ import annotations

from core.digits import counted
from core.matrices import Inputs, token_matrices
from core.stages import column_names
from core.what_if import KINDS

EVERY = "every query"
# Of controls that have no label, which a question mark would stand beside: by their keys, under the pointer.
HINTS = {
    "preset": "The worked example that this page opens. Your edits of each are kept.",
    "layout": "T x C: a row for each token, as in the paper. C x T: a column for each token.",
    "decimals": "Decimals shown. Inside, every number keeps its full precision.",
    "only": "All queries as one matrix, or one of them alone: the same numbers.",
}
QUESTIONS = {
    "number": "this number",
    "softmax": "softmax",
    "values": "blend of values",
    "lines": "lines",
    "variance": "variance",
}


def preset_label(preset: str) -> str:
    """A preset as the page and the link call it."""
    return preset.replace("_", " ")


def what_if_label(kind: str) -> str:
    """A what-if as the page and the link call it."""
    return KINDS[kind].title if kind in KINDS else kind


def only_label(inputs: Inputs, query: int) -> str:
    """A choice of queries in view as the page and the link call it."""
    titles = inputs.row_titles(token_matrices(inputs.matrices)[0])
    if query not in range(len(titles)):
        return EVERY
    return f"{query + 1} {EVERY}" if titles[query] == EVERY else titles[query]


def heads_label(heads: int) -> str:
    """A number of heads as the page and the link call it."""
    return counted(heads, "head")


def dimension_names(inputs: Inputs) -> tuple[str, ...]:
    """The names of the dimensions that queries and keys share."""
    return column_names(inputs, "queries")


def token_label(names: tuple[str, ...], position: int) -> str:
    """A selected token as the page and the link call it: its number, from 1, and its name."""
    return f"{position + 1} {names[position]}" if position in range(len(names)) else "none"


def column_label(position: int) -> str:
    """A selected column as the link calls it: its number, from 1."""
    return str(position + 1) if position >= 0 else "none"
