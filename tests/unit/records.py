"""Stages, and what is sent of their heatmaps, as a table to look into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from core.charts import CELLS, heatmap
from core.heatmap_data import Cells
from core.stages import Stage, attend, stage
from tests.examples import PRESETS


def shown(preset: str, name: str, causal: bool = False) -> Stage:
    return stage(attend(PRESETS[preset].inputs, scale=True, causal=causal), name)


def made(
    name: str, values: Any, rows: tuple[str, ...], columns: tuple[str, ...], hidden: Any = False
) -> Stage:
    values = np.array(values, float)
    hidden = np.broadcast_to(hidden, values.shape)
    bound = float(np.abs(values[~hidden]).max(initial=0))
    return Stage(name, values, rows, columns, "query", "key", hidden, bound, are_shares=name == "weights")


def records(*arguments: Any, **options: Any) -> pd.DataFrame:
    sent = heatmap(Cells(*arguments, **options))["datasets"][CELLS]
    return pa.ipc.open_stream(sent).read_pandas()
