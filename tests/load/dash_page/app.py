"""The same in Dash, as a yardstick: two tables to type into, two switches, and the heatmap that follows.

Nothing but the numbers of the heatmap goes to the browser when one of them changes.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from dash import Dash, Input, Output, Patch, State, dcc, html
from dash_ag_grid import AgGrid

from core.attention import scaled_dot_product_attention

EMMA = Path(__file__).parents[3] / "data" / "emma_sentence"
Records = list[dict[str, Any]]


def records(matrix: str) -> Records:
    with (EMMA / f"{matrix}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{"name": row.pop(matrix)} | {name: float(text) for name, text in row.items()} for row in rows]


QUERIES, KEYS = records("queries"), records("keys")
TOKENS = [record["name"] for record in QUERIES]


def masked_scores(queries: Records, keys: Records, scaled: bool, causal: bool) -> list[list[float | None]]:
    """What the heatmap shows, None where a query may not look."""
    q, k = ([list(record.values())[1:] for record in table] for table in (queries, keys))
    steps = scaled_dot_product_attention(
        np.array(q, float), np.array(k, float), is_causal=causal, scale=None if scaled else 1.0
    )
    return [[number if np.isfinite(number) else None for number in row] for row in steps.masked.tolist()]


def heatmap(numbers: list[list[float | None]]) -> go.Figure:
    positions = list(range(len(TOKENS)))
    figure = go.Figure(go.Heatmap(z=numbers, texttemplate="%{z:.2f}", colorscale="RdBu_r", zmid=0))
    names = {"tickvals": positions, "ticktext": TOKENS}
    figure.update_xaxes(title="key", side="top", **names)
    figure.update_yaxes(title="query", autorange="reversed", **names)
    return figure.update_layout(height=400, margin={"l": 80, "r": 10, "t": 80, "b": 10})


def table(matrix: str, rows: Records) -> AgGrid:
    columns: list[dict[str, Any]] = [
        {"field": name, "editable": name != "name", "cellDataType": "text" if name == "name" else "number"}
        for name in rows[0]
    ]
    return AgGrid(
        id=matrix,
        rowData=rows,
        columnDefs=columns,
        columnSize="responsiveSizeToFit",
        dashGridOptions={"domLayout": "autoHeight", "rowHeight": 22, "headerHeight": 36},
    )


app = Dash(__name__, title="Emma sentence")
server = app.server
app.layout = html.Div(
    [
        html.Div(
            [
                dcc.Checklist({"on": "Scale by 1/√d_k"}, [], id="scale", inline=True),
                dcc.Checklist({"on": "Causal mask"}, [], id="causal", inline=True),
                dcc.Graph(id="heatmap", figure=heatmap(masked_scores(QUERIES, KEYS, False, False))),
            ],
            style={"flex": 6},
        ),
        html.Div([table("queries", QUERIES), table("keys", KEYS)], style={"flex": 5}),
    ],
    style={"display": "flex", "gap": "1rem"},
)


@app.callback(
    Output("heatmap", "figure"),
    Input("scale", "value"),
    Input("causal", "value"),
    Input("queries", "cellValueChanged"),
    Input("keys", "cellValueChanged"),
    State("queries", "rowData"),
    State("keys", "rowData"),
    prevent_initial_call=True,
)
def follow(
    scaled: list[str], causal: list[str], _query: Any, _key: Any, queries: Records, keys: Records
) -> Patch:
    figure = Patch()
    figure["data"][0]["z"] = masked_scores(queries, keys, bool(scaled), bool(causal))
    return figure
