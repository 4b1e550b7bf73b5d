"""What is kept for a class is the same for all, is little, and cannot be written to."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from core.caching import MOST_RESULTS, SMALL_SIDE, cached, made_once
from core.matrices import set_cells
from core.stages import attend, stage
from tests.unit.cases import PRESETS
from tests.unit.records import records


@dataclass(frozen=True)
class Thing:
    size: int

    @property
    def is_small(self) -> bool:
        return self.size <= SMALL_SIDE


def counted() -> tuple[list[int], Callable[..., int]]:
    asked: list[int] = []

    @cached
    def double(thing: Thing, times: int = 2) -> int:
        """Twice its size."""
        asked.append(thing.size)
        return times * thing.size

    return asked, double


def test_what_is_small_is_computed_once_and_what_is_large_each_time():
    asked, double = counted()
    assert [double(Thing(3)), double(Thing(3)), double(Thing(3), times=5)] == [6, 6, 15]
    assert [double(Thing(SMALL_SIDE + 1)), double(Thing(SMALL_SIDE + 1))] == [2 * SMALL_SIDE + 2] * 2
    assert asked == [3, 3, SMALL_SIDE + 1, SMALL_SIDE + 1]
    assert double.__doc__ == "Twice its size."


def test_nothing_is_kept_that_holds_a_large_thing_beside_a_small_one():
    """Edits are told from a small example to a table of any size: 640 of those were 765 MB."""
    asked = []

    @cached
    def together(one: Thing, other: Thing, *, third: Thing | None = None) -> int:
        asked.append(one.size)
        return one.size + other.size + (third.size if third else 0)

    for _ in range(2):
        assert together(Thing(1), Thing(2)) == 3
        assert together(Thing(2), Thing(SMALL_SIDE + 1)) == SMALL_SIDE + 3
        assert together(Thing(3), Thing(2), third=Thing(SMALL_SIDE + 1)) == SMALL_SIDE + 6
    assert asked == [1, 2, 3, 2, 3]


def test_no_more_is_kept_than_the_bound():
    asked, double = counted()
    for times in range(MOST_RESULTS + 1):
        double(Thing(1), times)
    double(Thing(1), MOST_RESULTS)
    assert len(asked) == MOST_RESULTS + 1
    double(Thing(1), 0)  # forgotten, as it was asked for longest ago
    assert len(asked) == MOST_RESULTS + 2


def test_what_takes_long_is_made_once_for_all_who_ask_for_it_meanwhile():
    asked: list[int] = []

    with ThreadPoolExecutor() as others:

        @made_once(most=2)
        def double(number: int) -> int:
            """Twice a number."""
            asked.append(number)
            if len(asked) == 1:
                with pytest.raises(TimeoutError):
                    others.submit(double, number).result(timeout=0.3)
            return 2 * number

        assert double(4) == 8
    assert asked == [4]
    assert [double(5), double(6), double(5), double(4)] == [10, 12, 10, 8]
    assert asked == [4, 5, 6, 4]  # no more than two are kept
    assert double.__doc__ == "Twice a number."


def test_the_same_numbers_give_the_same_objects_and_others_do_not():
    inputs = PRESETS["emma_sentence"].inputs
    now = attend(inputs, scale=True, causal=False)
    assert attend(inputs, scale=True, causal=False) is now
    assert attend(inputs, scale=False, causal=False) is not now
    shown = stage(now, "weights")
    assert stage(now, "weights") is shown
    assert stage(now, "scores") is not shown
    edited = attend(set_cells(inputs, {("keys", 0, 0): 5.0}), scale=True, causal=False)
    assert edited is not now
    assert edited.steps.weights[8, 0] != now.steps.weights[8, 0]


def test_marks_are_not_kept_with_the_cells():
    shown = stage(attend(PRESETS["emma_sentence"].inputs, scale=True, causal=False), "weights")
    marked = records(shown, 2, marked=(8, 0))["mark"].tolist()
    assert marked.index("selected") == 8 * 9
    assert not any(records(shown, 2)["mark"].tolist())


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_can_write_to_what_all_are_shown(preset: str):
    attention = attend(PRESETS[preset].inputs, scale=True, causal=True)
    steps = attention.steps
    for array in (steps.scores, steps.scaled, steps.mask, steps.masked, steps.weights, steps.output):
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = np.inf
