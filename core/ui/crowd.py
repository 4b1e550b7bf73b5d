"""A class on one process: who draws when, and how seldom Python looks for what nobody holds any more.

Importing this changes the process: Python looks through its objects every 10,000 new ones, not every 700.
With the pages of a class in memory, looking through all of them stops everybody for half a second.
"""

from __future__ import annotations

import gc
from threading import Lock

OBJECTS = 10_000  # that come before Python looks for those that nobody holds

gc.set_threshold(OBJECTS)

# Python runs one thread at a time. Where 300 pages are drawn in turns of 5 ms, the first is ready with the
# last, and all lie half-drawn in memory; one after the other, half of them are ready in half of the time.
# A toggle does not wait for them: it shares the processor with one page that is being drawn, not with 300.
one_page_at_a_time = Lock()
