"""Pages are drawn one after the other, but nobody waits for one that takes long."""

import asyncio
import threading
from collections import deque

from deploy import turns as module
from deploy.turns import RunInTurn, Turns


class Noting:
    """A run that notes its beginning."""

    def __init__(self, name, begun):
        self.name, self.begun = name, begun

    def begin(self):
        self.begun.append(self.name)


def runs(names):
    begun = []
    return [Noting(name, begun) for name in names], begun


def test_a_run_begins_when_the_one_before_it_has_ended():
    async def take():
        turns, (waiting, begun) = Turns(deque()), runs("abc")
        for run in waiting:
            turns.take(run)
        seen = [list(begun)]
        for run in waiting:
            turns.end(run)
            seen.append(list(begun))
        return seen

    assert asyncio.run(take()) == [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]]


def test_after_all_have_ended_the_next_begins_at_once():
    async def take():
        turns, (waiting, begun) = Turns(deque()), runs("ab")
        turns.take(waiting[0])
        turns.end(waiting[0])
        turns.take(waiting[1])
        return begun

    assert asyncio.run(take()) == ["a", "b"]


def test_a_long_run_is_not_waited_for_and_its_end_lets_nobody_else_go_first(monkeypatch):
    monkeypatch.setattr(module, "LONG", 0.01)

    async def take():
        turns, (waiting, begun) = Turns(deque()), runs("abc")
        for run in waiting[:2]:
            turns.take(run)
        async with asyncio.timeout(10):
            while "b" not in begun:
                await asyncio.sleep(0)
        monkeypatch.setattr(module, "LONG", 10)
        turns.end(waiting[1])
        turns.take(waiting[2])
        turns.take(Noting("d", begun))
        turns.end(waiting[0])  # the long one, whose turn it is no more
        return begun

    assert asyncio.run(take()) == ["a", "b", "c"]


def test_a_run_for_which_there_is_no_thread_begins_later_and_nobody_waits_for_it(monkeypatch):
    class Lacking(threading.Thread):
        """A thread that the system gives only at the second time."""

        asked_for = 0

        def start(self):
            Lacking.asked_for += 1
            if Lacking.asked_for == 1:
                raise RuntimeError("can't start new thread")
            begun.append("lacking")

    async def take():
        turns = Turns(deque())
        monkeypatch.setattr(module, "turns", turns)
        monkeypatch.setattr(module, "LATER", 0.01)
        monkeypatch.setattr(threading, "Thread", Lacking)
        lacking = RunInTurn.__new__(RunInTurn)
        lacking._script_thread = None
        lacking.start()
        turns.take(Noting("next", begun))
        assert begun == []
        async with asyncio.timeout(10):
            while begun != ["next"]:
                await asyncio.sleep(0)
            turns.end(turns._present)
            while len(begun) < 2:
                await asyncio.sleep(0)

    begun = []
    asyncio.run(take())
    assert begun == ["next", "lacking"]
