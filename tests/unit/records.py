"""What is sent of a heatmap, as a table to look into."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from core.charts import heatmap_data


def records(*arguments: Any, **options: Any) -> pd.DataFrame:
    return pa.ipc.open_stream(heatmap_data(*arguments, **options)).read_pandas()
