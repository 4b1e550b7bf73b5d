"""What the page of one's own vectors begins with: tokens, sizes and first numbers -> an example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.attention import Array
from core.markdown import shortened
from core.matrices import MOST_COLUMNS, MOST_TOKENS, Axis, Inputs, Matrix, Refused, clean_name, is_name, words
from core.presets import YOUR_VECTORS, Preset, Start
from core.sharing import CHANGED, BadLink, Content
from core.stages import WEIGHT_MATRICES

LARGEST_SEED = 2**32 - 1
NOT_THERE = "it begins with an example that is not there"
SENTENCE = ("the", "cat", "sat", "on", "the", "mat")


@dataclass(frozen=True)
class Recipe:
    """How to begin: from an example (like is its name, and all else is its own), or from tokens and sizes.

    projected is True for embeddings X and their W, False for queries, keys and values. Numbers are zeros, or
    drawn with a seed. d_model counts only where there are embeddings.
    """

    like: str = ""
    tokens: tuple[str, ...] = SENTENCE
    projected: bool = False
    random: bool = True
    seed: int = 1
    d_model: int = 4
    d_k: int = 4
    d_v: int = 3


def tokens_of(sentence: str) -> tuple[str, ...]:
    """The words of a sentence. Raises Refused for none, for too many, and for one that is too long."""
    found = words(sentence)
    if not found:
        raise Refused("the sentence is empty; write at least one word")
    if len(found) > MOST_TOKENS:
        raise Refused(f"the sentence has {len(found)} words; at most {MOST_TOKENS} fit")
    return tuple(_name(place, word) for place, word in enumerate(found, start=1))


def _name(place: int, word: str) -> str:
    try:
        return clean_name(word)
    except Refused as refused:
        raise Refused(f"word {place}, '{shortened(word)}': {refused}") from None


def prepared(recipe: Recipe, presets: Mapping[str, Preset]) -> Preset:
    """The example that a recipe gives. Raises Refused where it is like an example that is not there."""
    if recipe.like:
        if recipe.like not in presets:
            raise Refused(NOT_THERE)
        like = presets[recipe.like]
        return _preset(like.inputs, like.start, like.unordered)
    inputs = _inputs(recipe)
    return _preset(inputs, Start(scale=True, causal=False, query=len(recipe.tokens) - 1, key=0), "")


def _preset(inputs: Inputs, start: Start, unordered: str) -> Preset:
    return Preset(
        id=YOUR_VECTORS,
        page=YOUR_VECTORS,
        title="Your vectors",
        question="Whom do your words look at?",
        try_this="Start anew with your own sentence, type into the matrices, or load a CSV file: "
        "Load is in the sidebar.",
        source="Made on this page",
        unordered=unordered,
        notes={},
        inputs=inputs,
        start=start,
    )


def _inputs(recipe: Recipe) -> Inputs:
    """Standard normal numbers, a W's divided by sqrt(d_model), so that queries spread as embeddings do."""
    axes = {
        "tokens": _axis("token", recipe.tokens),
        "dimensions": _axis("dimension", _numbered("d", recipe.d_k)),
        "value_dimensions": _axis("value dimension", _numbered("v", recipe.d_v)),
    }
    sides = {
        "queries": ("tokens", "dimensions"),
        "keys": ("tokens", "dimensions"),
        "values": ("tokens", "value_dimensions"),
    }
    if recipe.projected:
        axes["embedding_dimensions"] = _axis("embedding dimension", _numbered("e", recipe.d_model))
        sides = {
            "embeddings": ("tokens", "embedding_dimensions"),
            "W_query": ("embedding_dimensions", "dimensions"),
            "W_key": ("embedding_dimensions", "dimensions"),
            "W_value": ("embedding_dimensions", "value_dimensions"),
        }
    draw = np.random.default_rng(recipe.seed)
    matrices = {}
    for name, (rows, columns) in sides.items():
        values: Array = np.zeros((len(axes[rows].names), len(axes[columns].names)))
        if recipe.random:
            spread = 1 / np.sqrt(recipe.d_model) if name in WEIGHT_MATRICES else 1.0
            values = np.round(draw.normal(0, spread, values.shape), 2) + 0.0  # -0 becomes 0
        values.flags.writeable = False
        matrices[name] = Matrix(values, rows, columns)
    return Inputs(axes, matrices)


def _axis(title: str, names: tuple[str, ...]) -> Axis:
    return Axis(title, names, tuple(range(len(names))))


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def content_of(recipe: Recipe) -> Content:
    """A recipe as a link holds it: what is different from the first one."""
    first = Recipe()
    if recipe.like:
        return {"like": recipe.like}
    found = {name: getattr(recipe, name) for name in vars(first)}
    return {
        name: list(value) if name == "tokens" else value
        for name, value in found.items()
        if value != getattr(first, name)
    }


def recipe_of(content: Content) -> Recipe:
    """The recipe that a link holds. Raises BadLink."""
    if not isinstance(content, dict):
        raise BadLink(CHANGED)
    if not all(name in FIELD_CHECKS and FIELD_CHECKS[name](value) for name, value in content.items()):
        raise BadLink(CHANGED)
    recipe = replace(Recipe(), **content)
    return replace(recipe, tokens=tuple(recipe.tokens))


def _are_tokens(value: object) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_TOKENS:
        return False
    return all(isinstance(token, str) and is_name(token) for token in value)


def _is_seed(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_SEED


def _is_size(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_COLUMNS


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


# What of a recipe a link may hold, and whether it is of its kind.
FIELD_CHECKS: dict[str, Callable[[object], bool]] = {
    "like": _is_text,
    "tokens": _are_tokens,
    "projected": _is_bool,
    "random": _is_bool,
    "seed": _is_seed,
    "d_model": _is_size,
    "d_k": _is_size,
    "d_v": _is_size,
}
