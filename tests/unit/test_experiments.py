"""The names of the experiments and of what can be set in them, which links use."""

from pathlib import Path

import numpy as np
import pytest

from core import experiments
from core.experiments import CONTROLS, EXPERIMENTS, OWN_NUMBERS, TITLES, TRY_THIS, Choice, Number
from core.matrices import MOST_COLUMNS, MOST_TOKENS
from core.presets import load_presets
from core.recipes import LARGEST_SEED

DATA = Path(__file__).parents[2] / "data"
NAMES = {name for names in EXPERIMENTS.values() for name in names}
ELSEWHERE = {  # what links, widgets and the session already call something
    "preset", "scale", "causal", "layout", "decimals", "stage", "only", "query", "key", "ask", "what_if",
    "temperature", "times", "compare", "experiment", "edits", "a", "hide", "stages", "present", "page",
    "view", "wanted", "settings", "entered", "put_back", "arrives", "saved", "presets", "lessons",
    "worksheets", "captions", "clicks", "clicked", "selected_from", "kept", "axis", "new_name", "switches",
    "table", "code", "undo", "reset", "refused",
}  # fmt: skip


def test_every_experiment_has_a_title_and_something_to_try():
    assert set(TITLES) == set(TRY_THIS) == NAMES
    assert len(set(TITLES.values())) == len(NAMES)
    assert experiments.NONE not in NAMES
    assert all(text.endswith((".", "?")) for text in TRY_THIS.values())


def test_every_page_with_an_example_has_experiments_and_none_twice():
    assert set(EXPERIMENTS) == {preset.page for preset in load_presets(DATA)[0].values()} | {"your_vectors"}
    assert all(len(set(names)) == len(names) > 0 for names in EXPERIMENTS.values())


def test_the_first_setting_of_every_control_is_one_that_it_allows():
    for name, control in CONTROLS.items():
        assert control.allows(control.first), name


def test_no_control_has_the_name_of_anything_else_in_the_link_or_the_session():
    assert not set(CONTROLS) & ELSEWHERE


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.parametrize(
    "value", [None, "", "nonsense", [], {}, 10**400, float("nan"), float("inf"), -2, 1e9]
)
def test_a_control_allows_no_nonsense(name, value):
    assert not CONTROLS[name].allows(value)


def test_a_choice_allows_its_options_alone_and_no_other_kind_of_number():
    choice = Choice((0.5, 1.0, 2.0), 1.0)
    assert [choice.allows(value) for value in (0.5, 1.0, 2.0, 3.0, 1, True)] == [True] * 3 + [False] * 3
    toggle = Choice((False, True), False)
    assert [toggle.allows(value) for value in (False, True, 0, 1)] == [True, True, False, False]


def test_a_number_allows_what_is_between_its_ends_and_whole_where_the_first_one_is():
    whole, part = Number(1, 4, 2), Number(-1.0, 1.0, 0.0)
    assert [whole.allows(value) for value in (0, 1, 4, 5, 2.0, True)] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]
    assert [part.allows(value) for value in (-1.0, 1.0, 1.1, 1)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("tokens", 2, 64), ("d_k", 1, 512), ("d_v", 1, 512), ("seed", 0, LARGEST_SEED), ("heads", 1, 8),
        ("look_at", -1, MOST_TOKENS - 1), ("across", 0, MOST_COLUMNS - 1), ("up", 0, MOST_COLUMNS - 1),
        ("blend", 0.0, 1.0), ("own_1", -12.0, 12.0),
    ],
)  # fmt: skip
def test_the_ends_of_the_numbers(name, lowest, highest):
    control, step = CONTROLS[name], type(lowest)(1)
    assert control.allows(lowest)
    assert control.allows(highest)
    assert not control.allows(lowest - step)
    assert not control.allows(highest + step)


def test_ones_own_query_can_be_any_query_of_the_example_that_has_them():
    queries = load_presets(DATA)[0]["animal_lookup"].inputs.matrices["queries"].values
    assert queries.shape[1] <= len(OWN_NUMBERS)
    assert np.abs(queries).max() <= experiments.MOST_OWN


def test_a_key_may_become_longer_and_shorter_and_stay_as_it_is():
    assert list(experiments.STRETCHES) == sorted(experiments.STRETCHES)
    assert experiments.STRETCHES[0] < 1.0 in experiments.STRETCHES
    assert 2.0 in experiments.STRETCHES
