"""What is sent of a heatmap, as a table to look into."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from core.charts import CELLS, heatmap


def records(*arguments: Any, **options: Any) -> pd.DataFrame:
    sent = heatmap(*arguments, **options)["datasets"][CELLS]
    return pa.ipc.open_stream(sent).read_pandas()
