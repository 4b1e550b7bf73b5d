"""A class on one process: who draws when. Importing this changes how Python shares it among its threads.

Each click of each student is a thread, and Python runs one thread at a time.
"""

from __future__ import annotations

import gc
import sys
from threading import Lock, RLock

# With the pages of a class in memory, looking through all objects for garbage stops everybody for half a
# second. It is done after every 10,000 new objects, not after 700.
gc.set_threshold(10_000)

# A thread goes on for 30 ms while others wait, not for 5: long enough for all that a toggle or a typed number
# takes. Interrupted, all that are waited for would be ready together, as late as the last.
sys.setswitchinterval(0.03)

# A whole page takes longer. Where 300 are opened at once and drawn in turns, none is ready before the last,
# and all lie half-drawn in memory; one after the other, half of them are ready in half of the time. A toggle
# does not wait for them: it takes turns with one page that is being drawn, not with 300.
one_page_at_a_time = Lock()

# Answers are sent by one thread, which has as many rivals as parts are being drawn. Among a hundred it sends
# next to nothing, and then all at once: the class waits, clicks again together, and waits again. Parts of
# large matrices take no turns, as each would have all others wait for a quarter of a second.
one_part_at_a_time = RLock()
