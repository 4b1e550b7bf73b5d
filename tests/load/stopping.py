"""How a measurement ends early: by Ctrl-C, by a request to end, or because it takes too long."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopper(longest: float) -> Iterator[threading.Event]:
    """Set when the work has to end. What it raises then is because of that, so it ends with one sentence."""
    stop = threading.Event()
    handlers = {number: signal.signal(number, lambda *_: stop.set()) for number in ENDS}
    timer = threading.Timer(longest, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    except BaseException:
        if not stop.is_set():
            raise
        sys.exit(f"Stopped: interrupted, or not done in {longest:g} s. See --quick.")
    finally:
        timer.cancel()
        for number, handler in handlers.items():
            signal.signal(number, handler)
