"""Results that a whole class asks for, computed once, and as many of each function kept as there is room for.

Students look at the same examples with the same toggles, and often at the same moment. What is kept depends
on nothing but what it was computed from, and nobody writes to it, so that it may be shown to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

MOST_RESULTS = 640  # of a function: for a class of 300, what each has now, and had before the last edit
SMALL_SIDE = 20  # rows, or columns, of what is small


class Sizeable(Protocol):
    """What knows whether it is small enough for its results to be kept."""

    @property
    def is_small(self) -> bool: ...


First = TypeVar("First", bound=Sizeable)
Others = ParamSpec("Others")
Result = TypeVar("Result")


def cached(
    compute: Callable[Concatenate[First, Others], Result],
) -> Callable[Concatenate[First, Others], Result]:
    """Keep the last results where all that can be large is small; all arguments must be hashable."""
    return cached_at_most(MOST_RESULTS)(compute)


def cached_at_most(
    most: int,
) -> Callable[[Callable[Concatenate[First, Others], Result]], Callable[Concatenate[First, Others], Result]]:
    """Keep fewer results, of what takes more room: the last most of them."""

    def decorate(
        compute: Callable[Concatenate[First, Others], Result],
    ) -> Callable[Concatenate[First, Others], Result]:
        known = cast(Callable[Concatenate[First, Others], Result], lru_cache(maxsize=most)(compute))

        @wraps(compute)
        def recall(first: First, /, *args: Others.args, **kwargs: Others.kwargs) -> Result:
            is_small = all(getattr(given, "is_small", True) for given in (first, *args, *kwargs.values()))
            return (known if is_small else compute)(first, *args, **kwargs)

        return recall

    return decorate


def made_once(most: int) -> Callable[[Callable[Others, Result]], Callable[Others, Result]]:
    """Keep the last results of what takes long, and have the first who asks for one make it for all who wait.

    Without that, a class that asks for it at the same moment has it made as many times. All arguments must be
    hashable.
    """

    def decorate(make: Callable[Others, Result]) -> Callable[Others, Result]:
        known, turn = cast(Callable[Others, Result], lru_cache(maxsize=most)(make)), Lock()

        @wraps(make)
        def recall(*args: Others.args, **kwargs: Others.kwargs) -> Result:
            with turn:
                return known(*args, **kwargs)

        return recall

    return decorate
