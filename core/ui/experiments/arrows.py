"""Queries and keys as arrows, the dot product as lengths and an angle, and a key that grows longer."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import streamlit as st

from core import explain
from core.attention import Array
from core.digits import bracketed, readable
from core.experiment_charts import arrows_data, arrows_spec, frame_of
from core.experiments import BEST_VIEW, VIEWS
from core.geometry import Plane, best_plane, of_dimensions, stretched
from core.markdown import short, verbatim
from core.stages import Attention
from core.tolerances import ADDED_ROUNDINGS
from core.ui.experiments.controls import choose, pick, step_through
from core.ui.labels import dimension_names
from core.ui.page import Page
from core.ui.tables import number_table
from core.working import length_factors

MOST_NAMED = 8
BEST_DIRECTIONS = ("direction 1", "direction 2")  # names of those of the best view
ROOM_FOR = 2.0  # times as long, a key still fits into the picture as it is


def draw(page: Page, attention: Attention) -> None:
    """The arrows, and beside them the selected pair in numbers."""
    query, key = page.query_of_experiment, page.pair()[1]
    picture, words = st.container(key="arrows").columns([6, 5], gap="medium")
    with picture.container(key="arrows-choice", horizontal=True, vertical_alignment="bottom", gap="small"):
        plane, directions = _plane(page, np.vstack([attention.query, attention.key]))
    with words:
        times = step_through("stretch", "Make the key longer, times")
        points = plane.flat(attention.query), plane.flat(attention.key)
        _lengths(page, attention, query, key, times)
        _in_the_picture(page, attention, query, key, plane, times)
        _weights(page, attention, query, key, times)
    with picture:
        frame = frame_of(np.vstack([*points, points[1][key] * max(times, ROOM_FOR)]))
        points[1][key] *= times
        names = attention.query_titles, attention.key_titles
        drawn = arrows_data(points, names, (query, key), directions, frame, page.decimals)
        st.container(key="chart-arrows").vega_lite_chart(
            drawn,
            arrows_spec(frame),
            height="stretch",
            alt="Arrows from the origin: one for each query and one for each key",
        )
        if hidden := _at_origin(points, names):
            st.caption(f"At the origin, 0 across and 0 up: {hidden}.")
        longer = attention.key.copy()
        longer[key] *= times
        vectors = np.vstack([attention.query, longer])
        _share(plane, vectors, is_best=directions is BEST_DIRECTIONS, is_longer=times != 1)
        if not page.presenting and (unnamed := _without_name(drawn)):
            st.caption(f"No room for the name of {unnamed}: point at its arrow, or tap it.")


def _plane(page: Page, vectors: Array) -> tuple[Plane, tuple[str, str]]:
    """The plane to look at, and what its directions are called; draws the choice."""
    names = dimension_names(page.inputs)
    if len(names) == 1:
        st.caption(f"Queries and keys have one dimension, {short(names[0])}: all arrows lie on a line.")
        return of_dimensions(vectors, 0, 0), (names[0], "")
    if choose("look_along", "What to look along", VIEWS) == BEST_VIEW:
        return best_plane(vectors), BEST_DIRECTIONS
    options = list(range(len(names)))
    across = pick("across", "Across", options, names.__getitem__, 0, width=125)
    others = [dimension for dimension in options if dimension != across]
    second = min(others, key=lambda dimension: (dimension != 1, dimension))
    up = pick("up", "Up", others, names.__getitem__, second, width=125)
    return of_dimensions(vectors, across, up), (names[across], names[up])


def _share(plane: Plane, vectors: Array, is_best: bool, is_longer: bool) -> None:
    """How much of the arrows (n, d_k) the picture shows."""
    count = vectors.shape[1]
    if count == 1:
        return
    kept = plane.kept(vectors)
    share = f"**{_percent(kept)} %** of the squared lengths"
    if is_best:
        when = ", before the key was made longer" if is_longer else ""
        keep = f"The two directions through the origin that keep the most of all {count} dimensions"
        st.caption(f"{keep} (PCA without centring{when}): {share}.")
    else:
        st.caption(f"Two of {count} dimensions: {share} is in the picture.")


def _percent(share: float) -> str:
    """A share that reads as all only where it is, but for a rounding, and as nothing only where it is 0."""
    if share > 1 - ADDED_ROUNDINGS:
        return "100"
    texts = [f"{100 * share:.{decimals}f}" for decimals in range(1, 13)]
    return next((text for text in texts if float(text) not in (0, 100)), "0")


def _at_origin(points: tuple[Array, Array], names: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    """The names of the arrows that have no length in the picture, but for a rounding of the longest."""
    rounding = ADDED_ROUNDINGS * max(np.abs(tips).max() for tips in points)
    return _of_each_role(
        [of[place] for place in np.flatnonzero((np.abs(tips) <= rounding).all(axis=1))]
        for tips, of in zip(points, names, strict=True)
    )


def _without_name(drawn: pa.Table) -> str:
    """The names of the arrows that have a length, but no room for their names."""
    arrows = [arrow for arrow in drawn.to_pylist() if not arrow["label"] and (arrow["x"] or arrow["y"])]
    return _of_each_role(
        [arrow["name"] for arrow in arrows if arrow["role"] == role] for role in ("query", "key")
    )


def _of_each_role(names: Iterable[list[str]]) -> str:
    """The first names of queries, then of keys."""
    found = []
    for role, of in zip(("query", "key"), names, strict=True):
        more = " and more" if len(of) > MOST_NAMED else ""
        found += [f"{role} {', '.join(map(short, of[:MOST_NAMED]))}{more}"] if of else []
    return "; ".join(found)


def _lengths(page: Page, attention: Attention, query: int, key: int, times: float) -> None:
    """|q| |k| cosine = score, with the numbers of all dimensions."""
    found = explain.lengths(attention, query, key)
    one, other = verbatim(attention.query_titles[query]), verbatim(attention.key_titles[key])
    if math.isnan(found.cosine):
        is_zero = not attention.query[query].any() and attention.key[key].any()
        zero = one if is_zero else other
        st.markdown(
            f"{zero} has a vector of zeros: no length, no direction, and a score of **0** with any other."
        )
        return
    score = float(attention.steps.scores[query, key]) * times
    st.markdown(f"**{one} · {other}** = length × length × cosine of the angle")
    st.markdown(_product(found.query, found.key * times, found.cosine, score, page.decimals))


def _in_the_picture(
    page: Page, attention: Attention, query: int, key: int, plane: Plane, times: float
) -> None:
    """The part of the score that the picture shows, where it does not show all of it."""
    q, k = plane.flat(attention.query[query]), plane.flat(attention.key[key]) * times
    lengths = math.hypot(*q), math.hypot(*k)
    part, whole = float(q @ k), float(attention.steps.scores[query, key]) * times
    found = explain.lengths(attention, query, key)
    if math.isclose(part, whole, abs_tol=ADDED_ROUNDINGS * found.query * found.key * times):
        return
    rest = readable(whole - part, page.decimals)
    shown = "nothing"
    if lengths[0] * lengths[1]:
        shown = _product(*lengths, part / (lengths[0] * lengths[1]), part, page.decimals)
    st.caption(
        f"Of that, the picture shows {shown}. The rest, about {rest}, is in directions that it leaves out."
    )


def _product(q: float, k: float, cosine: float, score: float, decimals: int) -> str:
    """Two lengths times a cosine, in so many digits that the product can be checked."""
    degrees = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    shown = readable(score, decimals)
    factors = map(bracketed, length_factors(q, k, cosine, shown, decimals))
    return f"{' × '.join(factors)} ({degrees:.0f}°) ≈ **{shown}**"


def _weights(page: Page, attention: Attention, query: int, key: int, times: float) -> None:
    """The weight of the pair before and after, and those of all keys of the query."""
    steps = attention.steps
    scale = 1 / math.sqrt(attention.rules.divide_by)
    after = stretched(steps.scores[query], steps.masked[query], scale, key, times)
    before = steps.weights[query]
    one, other = verbatim(attention.query_titles[query]), verbatim(attention.key_titles[key])
    old, new = (readable(float(row[key]), page.decimals) for row in (before, after.weights))
    moved = f"Weight {old} → **{new}**" if times != 1 else f"Weight **{new}**"
    is_hidden = steps.hidden[query]
    masked = " It is masked: length does not matter." if is_hidden[key] else ""
    cosine = explain.lengths(attention, query, key).cosine if attention.query[query].any() else None
    why = masked or _direction(cosine, times, is_alone=(~is_hidden).sum() == 1)
    st.markdown(f"{one} → {other}: {moved}.{why}")
    columns = {"score": steps.scores[query], "weight": before}
    if times != 1:
        columns |= {"score now": after.scores, "weight now": after.weights}
    number_table(
        np.column_stack(list(columns.values())),
        tuple(
            f"{name} (masked)" if hidden else name
            for name, hidden in zip(attention.key_titles, is_hidden, strict=True)
        ),
        tuple(columns),
        page.decimals,
        "key",
        (key, None),
        hidden=np.outer(is_hidden, [name.startswith("weight") for name in columns]),
    )
    divided = f" divided by √{attention.rules.divide_by}" if attention.scale else ""
    left_out = ", without the masked keys" if is_hidden.any() else ""
    if divided or left_out:
        st.caption(f"Weights are the softmax of the scores{divided}{left_out}.")


def _direction(cosine: float | None, times: float, is_alone: bool) -> str:
    """Which way a longer key moves; cosine is that of its angle to the query.

    It is NaN for a key without length, None for a query.
    """
    if times == 1:
        return ""
    if is_alone:
        return " It is the only key that this query sees: it gets all the weight, however long."
    if cosine is None:
        return " A query of zeros gives any key a score of 0, however long."
    if math.isnan(cosine) or abs(cosine) < ADDED_ROUNDINGS:
        return " At a right angle, or of no length, a key scores 0 however long."
    if cosine < 0:
        return " It points away (a score below 0), so being longer makes it less."
    return ""
