"""Servers of this project, each on a free port of this machine."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import psutil

PROJECT = Path(__file__).parents[1]
PAGES = tuple(sorted(file.stem for file in (PROJECT / "pages").glob("*.py")))
APP, EMPTY_APP = "streamlit_app.py", "tests/load/empty_page/streamlit_app.py"
CLASS_APP = "deploy/server.py"  # the app as a class gets it
LEAST_APP = "tests/load/least_page/streamlit_app.py"
PATIENCE = 30  # seconds
SLOW_START = 60  # seconds, for the first start on a new machine


@dataclass(frozen=True)
class Server:
    port: int
    process: psutil.Popen

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu(self) -> float:
        """Milliseconds of processor time since the server started."""
        times = self.process.cpu_times()
        return 1000 * (times.user + times.system)

    def peak_memory(self) -> float:
        """The most memory that it has held, in MB; on systems that do not tell, what it holds now."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return float(self.process.memory_info().rss) / 1e6
        (peak,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024 / 1e6


@contextmanager
def serve(
    script: str,
    patience: float = PATIENCE,
    port: int | None = None,
    folder: Path = PROJECT,
    log: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a script of the project, or of a copy of it, with the settings in its .streamlit/config.toml."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    options = ["--server.address=127.0.0.1", "--server.headless=true", "--server.fileWatcherType=none"]
    health = "_stcore/health"
    with started(command + options, port, health, patience, folder, log, environment) as server:
        yield server


@contextmanager
def started(
    command: list[str],
    port: int,
    health: str,
    patience: float = PATIENCE,
    folder: Path = PROJECT,
    log: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a server from a folder, and have it when it answers at the path health."""
    with open(log or os.devnull, "wb") as output:
        process = psutil.Popen(
            command,
            cwd=folder,
            env=os.environ | dict(environment or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            server = Server(port, process)
            _wait_for(server, health, patience)
            yield server
        finally:
            _stop(process)


def active_sessions(port: int) -> int:
    """How many sessions a server has, which it tells only on its own port."""
    address = f"http://127.0.0.1:{port}/_stcore/metrics?families=active_sessions"
    metrics = urllib.request.urlopen(address, timeout=PATIENCE).read().decode()
    return int(re.findall(r"^active_sessions (\d+)", metrics, re.MULTILINE)[0])


def fetched(server: Server, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    """What a server answers, with its headers, and what is in it, as it was sent."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait_for(server: Server, health: str, patience: float) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{server.url}/{health}", timeout=1).read()
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if server.process.poll() is not None:
                raise RuntimeError(f"the server ended with {server.process.poll()} as it started") from None
            time.sleep(0.05)
    raise TimeoutError(f"the server did not start within {patience:g} seconds")


def _stop(process: psutil.Popen) -> None:
    with suppress(psutil.NoSuchProcess):  # one that a test has killed
        process.terminate()
    try:
        process.wait(10)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(10)
