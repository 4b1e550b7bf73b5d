"""How a measurement ends early: by Ctrl-C, by a request to end, or because it takes too long."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

ENDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopper(longest: float) -> Iterator[threading.Event]:
    """Set when the work has to end. All that was started ends then, so that nothing waits for it any more."""
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                process.terminate()

    handlers = {number: signal.signal(number, end) for number in ENDS}
    timer = threading.Timer(longest, end)
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
