"""A user's words in Markdown, where every character is shown as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

ICON = ":material/"  # Streamlit writes it as :material_ wherever it stands, in a code span, too
NO_ICON = ":material\u200b/"
SHORT_NAME = 12  # characters, of a name where there is little room


def verbatim(text: str) -> str:
    """Text as a Markdown code span, which shows every character as it is, and an end of a line as a space."""
    text = text.replace(ICON, NO_ICON)
    if "\n" in text or "\r" in text:
        text = re.sub(r"\s*[\r\n]\s*", " ", text)  # an empty line would end the span
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (1 + max(len(run) for run in re.findall("`+", text)))
    return f"{fence} {text} {fence}"


def enumerated(names: Sequence[str]) -> str:
    """One, two, or more: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def short(name: str) -> str:
    """A name as a code span of at most SHORT_NAME characters, for a line that has to stay one line."""
    return verbatim(shortened(name))


def shortened(name: str, longest: int = SHORT_NAME) -> str:
    """A name of at most so many characters, which is no Markdown yet."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
