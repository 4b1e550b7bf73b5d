"""A classroom as it is hosted: two replicas with the files of the image behind a real nginx."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watching import watch_page
from tests.hosting.image import assemble, environment, launcher
from tests.hosting.nginx import nginx
from tests.servers import Server, active_sessions, serve

SLOW_START = 120  # seconds, for several at once on a machine that has other work

expect.set_options(timeout=15_000)


@dataclass(frozen=True)
class Classroom:
    port: int
    replicas: tuple[Server, ...]
    folder: Path
    home: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def visitors(self, replica: Server) -> int:
        """How many sessions a replica has."""
        return active_sessions(replica.port)


@contextmanager
def opened_classroom(folder: Path) -> Iterator[Classroom]:
    image, home, proxy = (folder / name for name in ("image", "home", "nginx"))
    home.mkdir()
    proxy.mkdir()
    assemble(image)
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        starting = [
            serve(launcher(), SLOW_START, folder=image, environment=environment(home)) for _ in range(2)
        ]
        replicas = tuple(pool.map(stack.enter_context, starting))
        port = stack.enter_context(nginx([replica.port for replica in replicas], proxy))
        yield Classroom(port, replicas, image, home)


@pytest.fixture(scope="session")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Classroom]:
    with opened_classroom(tmp_path_factory.mktemp("classroom")) as opened:
        yield opened


@pytest.fixture
def open_page(browser) -> Iterator[Callable[[str], Page]]:
    """A function that opens an address, and whose pages must not have complained in the end."""
    complaints: list[str] = []
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, permissions=["clipboard-read", "clipboard-write"]
    )

    def open_address(address: str) -> Page:
        page = context.new_page()
        watch_page(page, complaints, may_lose_server=False)  # what it asks is nginx, which goes on
        page.goto(address)
        return page

    yield open_address
    context.close()
    assert not complaints, complaints
