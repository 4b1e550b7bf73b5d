"""Results that a whole class asks for, kept so that they are computed once: only small ones, and not many.

Students look at the same examples with the same toggles. What is kept depends on nothing but what it was
computed from, and cannot be written to, so that it may be shown to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

MOST = 256  # results of one function
LONGEST = 20  # rows, or columns, of what is small


class Sizeable(Protocol):
    """What knows whether it is small enough for its results to be kept."""

    @property
    def is_small(self) -> bool: ...


First = TypeVar("First", bound=Sizeable)
Others = ParamSpec("Others")
Result = TypeVar("Result")


def kept(
    compute: Callable[Concatenate[First, Others], Result],
) -> Callable[Concatenate[First, Others], Result]:
    """Keep the last MOST results for a small first argument; all arguments must be hashable."""
    known = cast(Callable[Concatenate[First, Others], Result], lru_cache(maxsize=MOST)(compute))

    @wraps(compute)
    def recall(first: First, /, *args: Others.args, **kwargs: Others.kwargs) -> Result:
        return (known if first.is_small else compute)(first, *args, **kwargs)

    return recall
