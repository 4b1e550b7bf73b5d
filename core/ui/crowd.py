"""A class on one process: who draws when. Importing this changes how Python shares it among its threads.

Each click of each student is a thread, and Python runs one thread at a time. So all of them can take memory
from one heap: what one has given back, the next can use.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock, RLock
from typing import Any

import pyarrow as pa

# Looking for garbage among all objects stops everybody for half a second, with the pages of a class in
# memory, and the clicks that wait for it take seconds to be worked off. Python would do so at any time. Here
# it looks among new objects only, which takes hundredths of a second, and among all once in so many pages or
# parts: but for what was there when the first page had been drawn, the program itself, which is half of them
# and stays. Each part leaves some 2 kB that were no longer new when they became garbage: if nobody looked, an
# hour of a class that clicks would cost most of a gigabyte.
PAGES_TO_A_COLLECTION = 100
PARTS_TO_A_COLLECTION = 6_000  # a minute of a class of 300
NEVER = 1_000_000_000
gc.set_threshold(5_000, 5, NEVER)

# A thread goes on for 30 ms while others wait, not for 5: long enough for all that a toggle or a typed number
# takes. Interrupted, all that are waited for would be ready together, as late as the last.
sys.setswitchinterval(0.03)

# glibc would have up to eight heaps for each core, and Arrow one of its own: 8 MB more for a class of 300.
M_ARENA_MAX = -8
if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
    libc.mallopt(M_ARENA_MAX, 1)
pa.set_memory_pool(pa.system_memory_pool())

# The clicks that wait until others are answered, where the server keeps them in order (deploy/turns.py). What
# one can do without is left out as long as somebody waits.
waiting: deque[Any] = deque()

_drawing, _drawn, _parts_drawn = Lock(), count(1), count(1)


@contextmanager
def one_page_at_a_time() -> Iterator[None]:
    """Wait until no other page is being drawn, and have the others wait.

    Where 300 pages are opened at once and drawn in turns, none is ready before the last, and all lie
    half-drawn in memory; one after the other, half of them are ready in half of the time. A toggle does not
    wait for them: it takes turns with one page that is being drawn, not with 300.
    """
    with _drawing:
        try:
            yield
        finally:
            drawn = next(_drawn)
            if drawn == 1 or drawn % PAGES_TO_A_COLLECTION == 0:
                gc.collect()
            if drawn == 1:
                gc.freeze()


# Answers are sent by one thread, which has as many rivals as parts are being drawn. Among a hundred it sends
# next to nothing, and then all at once: the class waits, clicks again together, and waits again. Parts of
# large matrices take no turns, as each would have all others wait for a quarter of a second.
one_part_at_a_time = RLock()


def part_is_drawn() -> None:
    """Look for garbage, where many parts have been drawn since it was looked for."""
    if next(_parts_drawn) % PARTS_TO_A_COLLECTION == 0:
        gc.collect()


# Nor is more than one file read at a time: some take a second in each way in which they may be meant.
one_file_at_a_time = Lock()
