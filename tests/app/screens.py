"""Pages run through the real entry without a browser, and the numbers that they would draw."""

import io
import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from core.matrices import set_cells
from core.recipes import Recipe, prepared
from core.sharing import pack
from core.snapshots import example_content
from core.ui.state import OPEN_DIALOG

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "tests" / "reference"


def reference(name: str) -> dict:
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))


def open_page(page: str, folder: Path = PROJECT, **link: str) -> AppTest:
    """A page as a link opens it."""
    app = AppTest.from_file(str(folder / "streamlit_app.py"), default_timeout=30).run()
    app.switch_page(f"pages/{page}.py")
    for name, text in link.items():
        app.query_params[name] = text
    app.run()
    assert len(app.exception) == 0
    return app


def cells(app: AppTest, chart: int = 0) -> pd.DataFrame:
    """The records of a heatmap, or of another chart, as they are sent to the browser."""
    proto = app.get("vega_lite_chart")[chart].proto
    named = [dataset.data for dataset in proto.datasets]
    (sent,) = named or [proto.data]
    return pa.ipc.open_stream(io.BytesIO(sent.data)).read_all().to_pandas()


def numbers(app: AppTest, chart: int = 0) -> np.ndarray:
    """The numbers of a heatmap as a matrix, as its tooltips have them."""
    frame = cells(app, chart)
    return (
        frame["precise"].str.replace("∞", "inf").astype(float).to_numpy().reshape(frame["row"].nunique(), -1)
    )


def texts(app: AppTest, chart: int = 0) -> list[list[str]]:
    """The numbers of a heatmap as they are written in it."""
    frame = cells(app, chart)
    return frame["text"].to_numpy().reshape(frame["row"].nunique(), -1).tolist()


def words(app: AppTest) -> str:
    """All the prose on the page, whichever its spaces are."""
    said = "\n".join(element.value for element in (*app.markdown, *app.caption, *app.text, *app.error))
    return said.replace("\u00a0", " ")


def editor_key(app: AppTest, matrix: str) -> str:
    keys = [key for key in app.session_state.to_dict() if f".{matrix}." in str(key)]
    assert len(keys) == 1, keys
    return keys[0]


def type_into(app: AppTest, matrix: str, row: int, column: int, text: str | None) -> AppTest:
    """Type into a cell of an editor, in addition to what has been typed there."""
    return paste_into(app, matrix, {(row, column): text})


def paste_into(app: AppTest, matrix: str, block: dict[tuple[int, int], str | None]) -> AppTest:
    """The same with several cells at once, by their row and column."""
    key = editor_key(app, matrix)
    edited = {place: dict(row_edits) for place, row_edits in app.session_state[key]["edited_rows"].items()}
    for (row, column), text in block.items():
        edited.setdefault(row, {})[f"c{column}"] = text
    app.session_state[key] = {"edited_rows": edited, "added_rows": [], "deleted_rows": []}
    return app.run()


def close_dialog(app: AppTest) -> AppTest:
    """Close the dialog that is open, as a tap beside it does."""
    del app.session_state[OPEN_DIALOG]
    return app.run()


def link_of(app: AppTest) -> dict[str, str]:
    """The parameters of the link in the share dialog."""
    app.button(key="open-share").click().run()
    assert len(app.exception) == 0
    return link_in(app)


def link_in(app: AppTest) -> dict[str, str]:
    """The same where the dialog is open."""
    query = urlsplit(app.code[0].value).query
    return {name: texts[0] for name, texts in parse_qs(query).items()}


def edits_of_length(least: int, most: int) -> str:
    """What a link says of so many edited numbers that it is at least and at most so long."""
    recipe = Recipe(tokens=tuple(f"token{i}" for i in range(16)), d_k=64, random=False)
    preset = prepared(recipe, {})
    numbers = np.random.default_rng(1).normal(size=(16, 64)).round(9)
    for count in range(80, numbers.size):
        cells = {("queries", *divmod(place, 64)): numbers.flat[place] for place in range(count)}
        content = example_content(recipe, preset, set_cells(preset.inputs, cells), None)
        if least <= len(text := pack(content)) <= most:
            return text
    raise AssertionError("there are no such edits")
