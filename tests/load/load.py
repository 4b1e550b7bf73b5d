"""A whole class on one server process: all open the link at once, then each clicks or types every 3 s.

`make load` runs this, and `make bench` as its first part. Server and students have a core each, where the
system can bind them. The same class does the same on an empty Streamlit page, in turns: trust the ratios
more than the times.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

sys.path.append(str(Path(__file__).parents[2]))

from tests.load.client import Client, Failed
from tests.load.figures import Row, Run, of_times
from tests.load.session import SOCKET, Session, socket_address
from tests.load.stopping import stopper
from tests.servers import CLASS_APP, EMPTY_APP, LEAST_APP, PAGES, SLOW_START, Server, serve

LONGEST = 180  # seconds for all of it
PATIENCE = 60  # seconds for one action
THINKING = 3.0  # seconds from one action to the next, half as long or half as long again
TURNS = 2
MOST_ACTIONS = 1_000  # of a student, many more than there is time for
TOGGLE = "scale"
ACTS = ("toggle", "edit", "mix")
CALM = 1.0  # seconds, in which a server does next to nothing when it has done all
LEAST = "least_page"  # no page of the app, but the least that one can be
MOST_OPEN, MOST_ACT, MOST_MEMORY = 2000, 50, 300  # ms, ms, MB


@dataclass(frozen=True)
class Plan:
    """What the class does."""

    students: int = 300
    page: str = "emma_sentence"
    acts: tuple[str, ...] = ACTS[:1]
    seconds: float = 12  # of one turn
    in_haste: bool = False  # they act as soon as the page is there, which it is before the server is done

    @property
    def script(self) -> str:
        return LEAST_APP if self.page == LEAST else CLASS_APP

    @property
    def path(self) -> str:
        return "" if self.page == LEAST else self.page


@dataclass
class Classroom:
    """The students of one page, and what they met."""

    server: Server
    students: list[Student]
    opening: list[float] = field(default_factory=list)  # milliseconds
    calm_after: float = 0.0  # milliseconds
    acting: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    async def all(self, act: Callable[[Student], Awaitable[None]]) -> None:
        """Everyone at once; a student who meets an error does no more."""
        await asyncio.gather(*(self._one(student, act) for student in self.students))
        self.students = [student for student in self.students if student.socket]

    async def _one(self, student: Student, act: Callable[[Student], Awaitable[None]]) -> None:
        try:
            await act(student)
        except (Failed, WebSocketException, OSError, TimeoutError) as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            await student.close()

    async def open(self) -> None:
        async def open_link(student: Student) -> None:
            self.opening.append(await student.open())

        await self.all(open_link)

    async def until_calm(self) -> None:
        """Wait until the server has done what it does for pages that are there already."""
        begin, before, now = time.perf_counter(), 0.0, self.server.cpu()
        while now - before > 50 * CALM:
            await asyncio.sleep(CALM)
            before, now = now, self.server.cpu()
        self.calm_after = 1000 * (time.perf_counter() - begin - CALM)

    async def act(self, act: str, seconds: float) -> None:
        """Act for a while. A student acts again only when the page has answered."""
        times, cpu = self.acting.setdefault(act, []), self.server.cpu()
        end = time.perf_counter() + seconds

        async def go_on(student: Student) -> None:
            thinking = THINKING * random.random()
            while time.perf_counter() + thinking < end:
                await asyncio.sleep(thinking)
                times.append(await student.act(act))
                thinking = THINKING * random.uniform(0.5, 1.5)

        await self.all(go_on)
        self.cpu[act] = self.cpu.get(act, 0.0) + self.server.cpu() - cpu


class Student:
    def __init__(self, server: Server, page: str) -> None:
        self.client, self.port = Client(f"{server.url}/{page}"), server.port
        self.socket: ClientConnection | None = None
        self.numbers = new_numbers()

    async def open(self) -> float:
        """Open the link. Milliseconds until the page is there."""
        begin = time.perf_counter()
        opening = connect(socket_address(self.port), open_timeout=PATIENCE, ping_interval=None, **SOCKET)
        self.socket = await opening
        await self._run(self.client.request())
        return 1000 * (time.perf_counter() - begin)

    async def close(self) -> None:
        if self.socket:
            self.socket.transport.abort()
        self.socket = None

    async def act(self, act: str) -> float:
        """Click the toggle, or type a number into a cell. Milliseconds until the page has answered."""
        does = random.choice(ACTS[:2]) if act == "mix" else act
        message = self.client.toggle(TOGGLE) if does == "toggle" else self._edit()
        begin = time.perf_counter()
        await self._run(message)
        milliseconds = 1000 * (time.perf_counter() - begin)
        self.client.check_changed()
        return milliseconds

    def _edit(self) -> bytes:
        editor, rows, columns = self.client.first_editor()
        return self.client.edit(editor, random.randrange(rows), random.choice(columns), next(self.numbers))

    async def _run(self, message: bytes) -> None:
        assert self.socket
        async with asyncio.timeout(PATIENCE):
            await self.socket.send(message)
            while not self.client.take(await self.socket.recv()):
                pass


def new_numbers() -> Iterator[str]:
    """Numbers from -2 to 2 to type: none twice, and none of an example, which has three decimals at most.

    One that is there already changes nothing, and would count as an error.
    """
    return (f"{number / 10_000:.4f}" for number in random.sample(range(-19_999, 20_000, 2), MOST_ACTIONS))


async def hold(plan: Plan, app: Classroom, floor: Classroom) -> None:
    """All that is planned, in turns."""
    for students in (floor, app):
        await students.open()
        if not plan.in_haste:
            await students.until_calm()
    gc.collect()
    gc.freeze()  # a collection among the students would count as the server's time
    gc.disable()
    try:
        for act in plan.acts:
            for _ in range(TURNS):
                await app.act(act, plan.seconds)
                await floor.act("toggle", plan.seconds / 2)
    finally:
        gc.enable()
        gc.unfreeze()
        for student in (*app.students, *floor.students):
            await student.close()


async def until_stopped(work: Awaitable[None], stop: threading.Event) -> None:
    task = asyncio.ensure_future(work)
    while not task.done():
        if stop.is_set():
            task.cancel()
        await asyncio.wait({task}, timeout=0.2)
    await task


def measure(plan: Plan, run: Run) -> None:
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    server_core, client_core = (cores[0], cores[-1]) if len(cores) > 1 else (None, None)
    with ExitStack() as servers:
        with on_core(server_core):
            app, floor = (
                servers.enter_context(serve(script, SLOW_START)) for script in (plan.script, EMPTY_APP)
            )
        warm_up(app, plan.path)
        warm_up(floor, "")
        classes = [
            Classroom(server, [Student(server, page) for _ in range(plan.students)])
            for server, page in ((app, plan.path), (floor, ""))
        ]
        with on_core(client_core), run.part("class"):
            began, own = time.perf_counter(), time.process_time()
            asyncio.run(until_stopped(hold(plan, *classes), run.stop))
            busy = (time.process_time() - own) / (time.perf_counter() - began)
        run.notes.append(f"{plan.students} students kept {busy:.2f} of a core busy")
        run.notes += [f"Error: {error}" for students in classes for error in sorted(set(students.errors))[:3]]
        for students in classes:
            if not all((students.opening, *students.acting.values())):
                sys.exit(f"Nobody got through: {'; '.join(sorted(set(students.errors))[:3])}")
        if server_core is None:
            run.notes.append("The server was not bound to a core of its own")
        run.rows += rows_of(plan, *classes)


def warm_up(server: Server, page: str) -> None:
    with Session(server.port, page) as session:
        for _ in range(2):
            session.toggle(TOGGLE)


@contextmanager
def on_core(number: int | None) -> Iterator[None]:
    """What is started here runs on this core alone, and so does this program meanwhile."""
    if number is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def rows_of(plan: Plan, app: Classroom, floor: Classroom) -> list[Row]:
    who = f"{plan.students} on {plan.page}"
    rows = of_times(f"{who} open at once", app.opening, floor.opening, max=MOST_OPEN)
    if not plan.in_haste:
        rows.append(Row(f"{who} open at once", "calm after", app.calm_after))
    for act in plan.acts:
        what, on_floor = f"{who}: {act}", floor.acting["toggle"]
        rows += of_times(what, app.acting[act], on_floor, p95=MOST_ACT)
        cpu = app.cpu[act] / len(app.acting[act]), floor.cpu["toggle"] / len(on_floor)
        rows.append(Row(what, "server CPU", *cpu))
    memory = app.server.peak_memory(), floor.server.peak_memory()
    rows.append(Row(who, "memory, peak", *memory, unit="MB", most=MOST_MEMORY))
    rows.append(Row(who, "errors", len(app.errors), len(floor.errors), unit="", most=0))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--students", type=int, default=Plan.students, help=f"how many sessions ({Plan.students})"
    )
    pages = [*PAGES, LEAST]
    parser.add_argument("--page", choices=pages, default=Plan.page, help=f"what they open ({Plan.page})")
    parser.add_argument("--act", nargs="+", choices=ACTS, default=["toggle"], help="what they do (toggle)")
    parser.add_argument(
        "--seconds", type=float, default=Plan.seconds, help=f"how long a turn lasts ({Plan.seconds})"
    )
    parser.add_argument("--haste", action="store_true", help="they act as soon as they see the page")
    parser.add_argument("--quick", action="store_true", help="50 students for a few seconds, for a look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    options = parser.parse_args()
    students, seconds = (50, 4) if options.quick else (options.students, options.seconds)
    plan = Plan(students, options.page, tuple(options.act), seconds, options.haste)
    with stopper(LONGEST) as stop:
        run = Run(stop)
        try:
            measure(plan, run)
        finally:
            run.show()
        if options.json:
            run.keep(options.json)


if __name__ == "__main__":
    main()
