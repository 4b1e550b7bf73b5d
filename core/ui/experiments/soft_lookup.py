"""A dictionary that is asked softly beside one that is asked hard, with a query of one's own."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.attention import Array, AttentionSteps, scaled_dot_product_attention
from core.digits import apart, counted, listed
from core.experiment_charts import lookup_data, lookup_spec
from core.experiments import BLEND, FROM_PAGE, OWN, OWN_NUMBERS, own_numbers
from core.lookup import all_equal, blended, hard_weights
from core.markdown import enumerated, short, verbatim
from core.stages import Attention, column_axis
from core.ui import matrix_view
from core.ui.experiments.controls import choose, slide, step_through
from core.ui.page import Page
from core.ui.tables import number_table

MOST_NAMED = 3  # keys
ALL_THE_SAME = "All values are the same here, the mean of V: **any** weights give the same output."
# As many lines, so that nothing moves.
WERE_THEY_THE_SAME = "Would other weights give another output if all values were equal? Turn it on and see."


def draw(page: Page, attention: Attention) -> None:
    """The query and the temperature beside what they find, and below it what they blend."""
    asking, finding = st.columns(2, gap="medium")
    with asking:
        query, place, name = _query(page, attention)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            temperature = step_through("hardness", "Temperature T: small is hard")
            same_values = st.toggle(
                "All values equal", key="same_values", bind="query-params", width="content"
            )
    value = _values(attention, same_values)
    steps = _look_up(attention, query[None], value, temperature)
    hard = hard_weights(steps.scaled[0])
    with asking:
        word = verbatim(name)
        st.markdown(f"{word} is q = {listed(query, page.decimals)}")
        best = [short(attention.key_titles[key]) for key in np.flatnonzero(hard)]
        named = enumerated(best if len(best) <= MOST_NAMED else [f"{len(best)} keys"])
        which = "only the best key counts" if len(best) == 1 else "the best keys, which fit equally, share"
        st.markdown(f"**Hard**: {which}, {named}: {listed(hard @ value, page.decimals)}")
        soft = listed((steps.weights @ value)[0], page.decimals)
        st.markdown(f"**Soft**: every key counts by {_formula(attention)}: **{soft}**")
        if same_values:
            st.markdown(ALL_THE_SAME)
        elif not page.presenting:  # there is no room for it
            st.markdown(WERE_THEY_THE_SAME)
    with finding:
        st.vega_lite_chart(
            lookup_data(hard, steps.weights[0], attention.key_titles, page.decimals),
            lookup_spec(len(attention.key_titles)),
            alt="Bars: the weight of each key, hard and soft",
        )
    # What is presented has to be on one screen, whichever of its sides is the higher one.
    blend, matrix = (asking, finding) if page.presenting else st.columns(2, gap="medium")
    with blend:
        _blend(page, attention, steps.weights[0], value, name)
    with matrix:
        _side_by_side(page, attention, (query, place, name), steps, temperature)


def _query(page: Page, attention: Attention) -> tuple[Array, int | None, str]:
    """The query that looks up, its row among the queries of the page where it is one, and what to call it."""
    queries, names = attention.query, attention.query_titles
    width = queries.shape[1]
    sources = [FROM_PAGE, BLEND] if len(queries) > 1 else [FROM_PAGE]
    source = choose("source", "Which query", (*sources, OWN) if width <= len(OWN_NUMBERS) else tuple(sources))
    if source == BLEND:
        share = slide(page, "blend", f"From {short(names[0])} (0) to {short(names[1])} (1)", 0.05)
        return blended(queries[0], queries[1], share), None, "the blend"
    if source == OWN:
        dimensions = column_axis(page.inputs, "queries")
        numbers = []
        with st.container(key="own-query").grid(min_column_width=110, gap="small"):
            for own, name in zip(own_numbers(dimensions.origins), dimensions.names, strict=True):
                with st.container():
                    numbers.append(slide(page, own, short(name), 0.1))
        return np.array(numbers), None, "your query"
    place = page.query_of_experiment
    return queries[place], place, names[place]


def _values(attention: Attention, same_values: bool) -> Array:
    value = np.zeros((len(attention.key), 1)) if attention.value is None else attention.value
    return all_equal(value) if same_values else value


def _look_up(attention: Attention, query: Array, value: Array, temperature: float) -> AttentionSteps:
    return scaled_dot_product_attention(
        query, attention.key, value, scale=None if attention.scale else 1.0, temperature=temperature
    )


def _formula(attention: Attention) -> str:
    divide_by = rf"\sqrt{{{attention.query.shape[1]}}}\, T" if attention.scale else "T"
    return rf"$\operatorname{{softmax}}(\tfrac{{q K^{{\top}}}}{{{divide_by}}})$"


def _blend(page: Page, attention: Attention, weights: Array, value: Array, name: str) -> None:
    """Whose values are blended, and how much of each."""
    st.markdown(f"**Whose values {verbatim(name)} is given**: weights times values, added up")
    parts = weights[:, None] * value
    columns = page.inputs.column_names("values")
    pairs = zip(attention.key_titles, attention.value_titles, strict=True)
    rows = tuple(key if key == value else f"{key}: {value}" for key, value in pairs)
    number_table(
        np.vstack([np.column_stack([weights, parts]), [weights.sum(), *parts.sum(axis=0)]]),
        (*rows, "output"),
        ("weight", *columns),
        page.decimals,
        "key: value",
    )


def _side_by_side(
    page: Page,
    attention: Attention,
    asked: tuple[Array, int | None, str],
    alone: AttentionSteps,
    temperature: float,
) -> None:
    """One query as a vector, and the same as a row of a matrix of queries."""
    query, place, name = asked
    rows = attention.query if place is not None else np.vstack([attention.query, query])
    names = attention.query_titles if place is not None else (*attention.query_titles, name)
    here = len(rows) - 1 if place is None else place
    together = _look_up(attention, rows, _values(attention, same_values=False), temperature)
    size = apart(alone.weights[0], together.weights[here])
    width, keys = query.shape[0], len(attention.key)
    st.markdown(
        f"**One vector** q (1 × {width}) times Kᵀ ({width} × {keys}): 1 × {counted(keys, 'score')}, "
        "and as many weights"
    )
    matrix_view.heatmap(
        page, "weights of one query", matrix_view.weights(alone.weights, (name,), attention.key_titles)
    )
    st.markdown(f"**A matrix** Q ({len(rows)} × {width}): the same row; largest difference {size}")
    matrix_view.heatmap(
        page,
        "weights of all queries",
        matrix_view.weights(together.weights, names, attention.key_titles),
        (here, None),
    )
