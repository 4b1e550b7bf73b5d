"""The experiments of each page, and what can be set in them, by the names that links use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from core.draws import MOST_DRAWN, MOST_WIDTH
from core.heads import MOST_HEADS
from core.matrices import MOST_COLUMNS, MOST_TOKENS
from core.naive import WAYS
from core.recipes import LARGEST_SEED
from core.what_if import MEASURES
from core.writings import WRITINGS

NONE = "experiments"  # what the list of experiments says where none is open
THREE_WAYS, MEANING, ARROWS = "three ways", "meaning space", "arrows"
WHY_SCALE, FROM_AVERAGE, ONE_WORD = "why √d_k", "from average", "one word"
SOFT_LOOKUP, HEADS = "soft lookup", "heads"
EXPERIMENTS = {
    "emma_sentence": (THREE_WAYS, MEANING, ARROWS),
    "random_qkv": (WHY_SCALE,),
    "word_embeddings": (FROM_AVERAGE, ONE_WORD, HEADS),
    "animal_lookup": (SOFT_LOOKUP, ARROWS),
    "your_vectors": (ARROWS, HEADS),
}

TITLES = {
    THREE_WAYS: "Three ways to write QKᵀ",
    MEANING: "A space of meaning",
    ARROWS: "Arrows: lengths and angles",
    WHY_SCALE: "Why divide by √dₖ?",
    FROM_AVERAGE: "From an average to attention",
    ONE_WORD: "One word looks up the others",
    SOFT_LOOKUP: "Hard and soft lookup",
    HEADS: "Several heads",
}
WITHOUT_TOGGLES = (THREE_WAYS, WHY_SCALE)  # experiments that neither scaling nor the mask changes
TRY_THIS = {
    THREE_WAYS: "Choose another pair, or click a cell: the same row meets the same column in all three.",
    MEANING: "Choose a query: which dimension makes it look where it looks? Then make it look elsewhere.",
    ARROWS: "Make a key longer: at the same angle, its score moves away from 0. Watch its weight, too.",
    WHY_SCALE: "Draw with a seed, with dₖ = 512: unscaled, rows often give one key nearly all the weight w. "
    "The slope w × (1 − w), which training follows, is then near 0.",
    FROM_AVERAGE: "Go through the five ways and watch the lengths: dot products as weights do not keep them.",
    ONE_WORD: "Choose a query and see what its word becomes. Then have it look at another word.",
    SOFT_LOOKUP: "Make T smaller: the soft lookup turns into the hard one. Then blend two queries.",
    HEADS: "Take more heads: each has its own columns of Q, K and V, and so its own weights.",
}

OF_THE_PAGE, SEEDED = NUMBERS_FROM = ("this page’s numbers", "a draw with a seed")
FROM_PAGE, BLEND, OWN = SOURCES = ("a query of the page", "a blend of two", "your own")
TWO_DIMENSIONS, BEST_VIEW = VIEWS = ("two dimensions", "best view")
STRETCHES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
OWN_NUMBERS = tuple(f"own_{number}" for number in range(1, 7))
MOST_OWN = 12.0  # the largest number of one's own query


def own_numbers(origins: Sequence[int | None]) -> list[str]:
    """The controls of one's own query, one for each dimension that began where origins tell.

    That of a dimension of the example stays with it when others come and go. One that was added has the last
    that is free.
    """
    free = [name for place, name in enumerate(OWN_NUMBERS) if place not in origins]
    kept = range(len(OWN_NUMBERS))
    return [OWN_NUMBERS[origin] if origin in kept else free.pop() for origin in origins]  # type: ignore[index]


@dataclass(frozen=True)
class Choice:
    """A control with options to choose from, and the first one."""

    options: Collection[Any]
    first: Any

    def allows(self, value: object) -> bool:
        return type(value) is type(self.first) and value in self.options


@dataclass(frozen=True)
class Number:
    """A control for a number, whole where the first one is."""

    lowest: float
    highest: float
    first: float

    def allows(self, value: object) -> bool:
        return type(value) is type(self.first) and self.lowest <= value <= self.highest


CONTROLS: dict[str, Choice | Number] = {
    "writing": Choice(WRITINGS, WRITINGS[0]),
    "look_at": Number(-1, MOST_TOKENS - 1, -1),
    "draw": Choice(NUMBERS_FROM, OF_THE_PAGE),
    "tokens": Number(2, MOST_DRAWN, 4),
    "d_k": Number(1, MOST_WIDTH, 8),
    "d_v": Number(1, MOST_WIDTH, 8),
    "seed": Number(0, LARGEST_SEED, 1),
    "drawn": Choice((False, True), False),
    "way": Choice(WAYS, WAYS[0]),
    "source": Choice(SOURCES, FROM_PAGE),
    "blend": Number(0.0, 1.0, 0.5),
    **{name: Number(-MOST_OWN, MOST_OWN, 0.0) for name in OWN_NUMBERS},
    "hardness": Choice(MEASURES["temperature"].amounts, 1.0),
    "same_values": Choice((False, True), False),
    "look_along": Choice(VIEWS, TWO_DIMENSIONS),
    "across": Number(0, MOST_COLUMNS - 1, 0),
    "up": Number(0, MOST_COLUMNS - 1, 1),
    "stretch": Choice(STRETCHES, 1.0),
    "heads": Number(1, MOST_HEADS, 1),
}
