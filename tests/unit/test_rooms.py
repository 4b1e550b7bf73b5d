"""The rooms of the house keep to themselves: no streamlit in the pure ones, no arithmetic in the pages."""

import ast
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from core import experiments
from core.presets import NEEDED, YOUR_VECTORS
from core.ui import header
from core.ui.in_browser import SCRIPTS_OF_OURS

ROOT = Path(__file__).parents[2]
PURE = sorted(f"core.{path.stem}" for path in (ROOT / "core").glob("*.py") if path.stem != "__init__")
PAGES = sorted((ROOT / "pages").glob("*.py"))


def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def imported(tree):
    """The packages that a module imports."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return {name.partition(".")[0] for name in names}


IMPORT_ALL = """
import importlib, sys
for module in sys.argv[1:]:
    importlib.import_module(module)
    if "streamlit" in sys.modules:
        sys.exit(f"{module} imports streamlit")
"""


def test_pure_rooms_are_imported_without_streamlit():
    run = subprocess.run([sys.executable, "-c", IMPORT_ALL, *PURE], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert {"core.attention", "core.charts", "core.presets"} <= set(PURE)


def test_the_mechanism_imports_nothing_but_numpy_and_the_standard_library():
    others = imported(parsed(ROOT / "core" / "attention.py")) - set(sys.stdlib_module_names)
    assert others == {"numpy"}


def is_formatting(node):
    """Whether an operator joins or fills in text: "a" + b, "%s" % a."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_no_arithmetic(page):
    tree = parsed(page)
    operators = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and not is_formatting(node)]
    operators += [node for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
    assert [f"line {node.lineno}: {ast.unparse(node)}" for node in operators] == []
    assert "numpy" not in imported(tree)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_at_most_100_lines(page):
    assert len(page.read_text("utf-8").splitlines()) <= 100


def test_there_are_pages():
    assert {"animal_lookup", "emma_sentence", "random_qkv", "word_embeddings"} <= {
        page.stem for page in PAGES
    }


def test_a_page_is_in_the_sidebar_has_experiments_and_says_which_matrices_its_examples_need():
    files = {page.stem for page in PAGES}
    assert {name: entry.file for name, entry in header.PAGES.items()} == {
        name: f"pages/{name}.py" for name in files
    }
    assert {name for name, offered in experiments.EXPERIMENTS.items() if offered} == files
    assert {*NEEDED, YOUR_VECTORS} == files
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [entry.title for entry in header.PAGES.values() if f"| {entry.title} |" not in readme] == []


def test_contributing_says_where_everything_lives():
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    ends = ("\ncore/attention.py", "\ncore/ui/ ", "\ndata/ ", "\ndeploy/ ", "\ntests/ ")
    core, ui, _, deploy = (told[told.index(a) : told.index(b)] for a, b in pairwise(ends))
    assert rooms_of("core") == {
        f"core/{name}.py" for name in re.findall(r"^core/(\w+).py ", core, re.MULTILINE)
    }
    for folder, words in (("core/ui", ui), ("deploy", deploy)):
        assert {Path(room).stem for room in rooms_of(folder)} <= set(re.findall(r"\w+", words))


def rooms_of(folder: str) -> set[str]:
    files = (path for path in (ROOT / folder).iterdir() if path.suffix in (".py", ".js"))
    return {f"{folder}/{path.name}" for path in files if path.stem != "__init__"}


def test_what_a_browser_is_told_has_each_name_once():
    """All of it is one script, in which the later of two functions of a name would take the place of both."""
    script = "\n".join((ROOT / "core" / "ui" / name).read_text("utf-8") for name in SCRIPTS_OF_OURS)
    kinds = "(?:export default )?(?:async )?(?:function|const|let|var|class)"
    names = re.findall(rf"^{kinds} (\w+)", script, re.MULTILINE)
    assert len(names) > 50
    assert [name for name, times in Counter(names).items() if times > 1] == []
