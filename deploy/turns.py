"""Whose page is drawn next: one after the other, in the order of the clicks.

Streamlit draws each click's page at once, in a thread of its own. Of many that are drawn in turns, all are
ready together, as late as the last; one after the other, the first are ready early, and the last no later.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Protocol

from streamlit.runtime.scriptrunner import ScriptRunner

from core.ui import crowd

LONG = 0.05  # seconds; what takes longer goes on, but the next does not wait for it
LATER = 1.0  # seconds, until what could not begin is tried again


class Run(Protocol):
    """What waits for its turn. Tells Turns.end() when it has ended."""

    def begin(self) -> None: ...


class Turns:
    """The runs of all sessions, on the thread of the event loop."""

    def __init__(self, waiting: deque[Run]) -> None:
        self._waiting = waiting
        self._present: Run | None = None
        self._timer: asyncio.TimerHandle | None = None

    def take(self, run: Run) -> None:
        """Have a run begin as soon as those before it have ended, or have been at it for long."""
        self._waiting.append(run)
        if not self._present:
            self._begin_next()

    def end(self, run: object) -> None:
        if run is self._present:
            self._begin_next()

    def _begin_next(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._present = self._timer = None
        if self._waiting:
            self._present = self._waiting.popleft()
            self._timer = asyncio.get_running_loop().call_later(LONG, self._begin_next)
            self._present.begin()


class RunInTurn(ScriptRunner):
    """A run of a session's page, which begins in its turn; later, where the system has no thread to give.

    What never begins would be waited for by all who ask for the same page.
    """

    def start(self) -> None:
        turns.take(self)

    def begin(self) -> None:
        try:
            super().start()
        except RuntimeError as error:
            logging.getLogger(__name__).warning("A page is drawn later: %s", error)
            self._script_thread = None  # for Streamlit to make another
            loop = asyncio.get_running_loop()
            loop.call_later(LATER, turns.take, self)
            loop.call_soon(turns.end, self)


turns = Turns(crowd.waiting)
