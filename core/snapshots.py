"""A page at one moment: all that its numbers depend on, to be kept and compared with, and put into a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.digits import counted
from core.matrices import Inputs, Refused, count_changes
from core.presets import YOUR_VECTORS, Preset
from core.recipes import Recipe, content_of, prepared, recipe_of
from core.sharing import CHANGED, OUTDATED, BadLink, Content, edits_of, with_edits
from core.stages import Attention, attend, token_axes
from core.what_if import KINDS, MEASURES, WhatIf, attend_if, offered

EDITED = ("axes", "cells", "check")  # what a link holds of edits: edits_of()


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An example with its edits, and how its attention is computed; recipe where it was made on the page."""

    preset: Preset
    recipe: Recipe | None
    inputs: Inputs
    scale: bool
    causal: bool
    only_query: int | None
    what_if: WhatIf | None

    def attention(self) -> Attention:
        """Every stage of it."""
        if self.what_if is None:
            return attend(self.inputs, scale=self.scale, causal=self.causal, only_query=self.only_query)
        return attend_if(
            self.inputs, self.what_if, scale=self.scale, causal=self.causal, only_query=self.only_query
        )

    @property
    def description(self) -> str:
        """What it is, in a few words."""
        edits = edits_told(self.preset, self.inputs)
        parts = [
            f"“{self.preset.title}”",
            "scaled" if self.scale else "not scaled",
            "causal mask" if self.causal else "no mask",
        ]
        if edits:
            parts.append(edits)
        if self.what_if:
            parts.append(f"what if: {KINDS[self.what_if.kind].title}")
        return ", ".join(parts)


def edits_told(preset: Preset, inputs: Inputs) -> str:
    """How many edits an example has, empty where it has none."""
    found = count_changes(preset.inputs, inputs)
    return counted(found, "edit") if found else ""


def example_content(
    recipe: Recipe | None, preset: Preset, inputs: Inputs, before: Inputs | None = None
) -> Content:
    """What a link holds of an example: its recipe where it was made here, and what was edited.

    before is how it was before the last edit, where the link is to tell what that did.
    """
    start = content_of(recipe) if recipe else {}
    told = {} if before is None else {"before": edits_of(preset.inputs, before)}
    return {**({"start": start} if start else {}), **edits_of(preset.inputs, inputs), **told}


def recipe_in(content: Content) -> Recipe:
    """The recipe that a link holds. Raises BadLink."""
    return recipe_of(content.get("start", {}))


def check_belongs(content: Content, recipe: Recipe | None) -> None:
    """Raise BadLink where a link holds what is of another page, or of none."""
    if content.keys() - {"start", *EDITED, "before"}:
        raise BadLink(CHANGED)
    if "start" in content and recipe is None:
        raise BadLink(OUTDATED)


def inputs_in(content: Content, preset: Preset) -> Inputs:
    """The example with the edits that a link holds. Raises BadLink."""
    return with_edits(preset.inputs, {name: content[name] for name in EDITED if name in content})


def before_in(content: Content, preset: Preset) -> Inputs | None:
    """How the example was before the last edit, None where the link does not tell. Raises BadLink."""
    before = content.get("before")
    if before is None:
        return None
    if not isinstance(before, dict):
        raise BadLink(CHANGED)
    return inputs_in(before, preset)


def content_of_snapshot(snapshot: Snapshot) -> Content:
    """A snapshot as a link holds it."""
    what_if = snapshot.what_if
    return {
        "preset": snapshot.preset.id,
        "scale": snapshot.scale,
        "causal": snapshot.causal,
        "only": snapshot.only_query,
        "what_if": [what_if.kind, what_if.amount, what_if.query, what_if.key] if what_if else None,
        **example_content(snapshot.recipe, snapshot.preset, snapshot.inputs),
    }


def snapshot_of(content: Content, presets: Mapping[str, Preset]) -> Snapshot:
    """The snapshot that a link holds; presets are all that there are. Raises BadLink."""
    id, scale, causal = content.get("preset"), content.get("scale"), content.get("causal")
    recipe = recipe_in(content) if id == YOUR_VECTORS else None
    try:
        preset = prepared(recipe, presets) if recipe else presets.get(str(id))
    except Refused:
        preset = None
    if preset is None or not isinstance(scale, bool) or not isinstance(causal, bool):
        raise BadLink(CHANGED)
    inputs = inputs_in(content, preset)
    return Snapshot(
        preset,
        recipe,
        inputs,
        scale,
        causal and not preset.unordered,
        _only(content.get("only"), inputs, preset),
        _what_if(content.get("what_if"), inputs, preset),
    )


def _only(given: object, inputs: Inputs, preset: Preset) -> int | None:
    if given is not None and not (preset.offers_one_query and _is_place(given, inputs, 0)):
        raise BadLink(CHANGED)
    return given if isinstance(given, int) else None


def _what_if(given: object, inputs: Inputs, preset: Preset) -> WhatIf | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 4:
        raise BadLink(CHANGED)
    kind, amount, query, key = given
    if kind not in offered(inputs, bool(preset.unordered)):
        raise BadLink(CHANGED)
    amounts = MEASURES[kind].amounts if kind in MEASURES else (1,)
    if (
        amount not in amounts
        or isinstance(amount, bool)
        or not (_is_place(query, inputs, 0) and _is_place(key, inputs, 1))
    ):
        raise BadLink(CHANGED)
    return WhatIf(kind, amount, query, key)


def _is_place(given: object, inputs: Inputs, side: int) -> bool:
    """Whether this is the place of a query (side 0) or of a key (side 1)."""
    return type(given) is int and given in range(len(inputs.axes[token_axes(inputs)[side]].names))
