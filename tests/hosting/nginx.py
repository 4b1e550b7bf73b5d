"""nginx with the project's own configuration, on this machine alone."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.hosting.get_nginx import find_nginx
from tests.servers import PROJECT, free_port, started

MAIN = PROJECT / "deploy" / "nginx" / "nginx.conf"
TEMPLATE = MAIN.with_name("classroom.conf.template")
READ_TIMEOUT, PATIENCE = "proxy_read_timeout {};", "2m"
SERVER = "    server ${CLASSROOM} "


@contextmanager
def nginx(
    replicas: Sequence[int], folder: Path, frame_ancestors: str = "'self'", patience: str = PATIENCE
) -> Iterator[int]:
    """Run nginx in front of replicas on these ports of this machine. Its own port.

    patience is how long it waits for an answer.
    """
    port = free_port()
    (folder / "nginx.conf").write_text(_main(folder), "utf-8")
    configuration = _configuration(port, replicas, folder, frame_ancestors, patience)
    (folder / "classroom.conf").write_text(configuration, "utf-8")
    command = [find_nginx() or "nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with started(command, port, "_stcore/health", folder=folder, log=folder / "stderr.log"):
        yield port


def _main(folder: Path) -> str:
    """All of nginx but the classroom, in the foreground, and with its files in a folder."""
    main = MAIN.read_text("utf-8").replace("/etc/nginx/conf.d/*.conf", "classroom.conf")
    return f"daemon off;\n{_workers_of_root()}{main.replace('/tmp/', f'{folder}/')}"


def _configuration(
    port: int, replicas: Sequence[int], folder: Path, frame_ancestors: str, patience: str
) -> str:
    """The template with addresses and a folder. A name of many addresses is many servers to nginx, too.

    An address has no name to look up, and Debian's nginx could not do so.
    """
    template = TEMPLATE.read_text("utf-8").replace(" resolve;", ";")
    assert READ_TIMEOUT.format(PATIENCE) in template
    line = next(line for line in template.splitlines() if line.startswith(SERVER))
    lines = "\n".join(line.replace("${CLASSROOM}", f"127.0.0.1:{replica}") for replica in replicas)
    return (
        template.replace(line, lines)
        .replace("${LISTEN}", f"127.0.0.1:{port}")
        .replace("${CACHE}", str(folder / "static"))
        .replace("${FRAME_ANCESTORS}", frame_ancestors)
        .replace(READ_TIMEOUT.format(PATIENCE), READ_TIMEOUT.format(patience))
    )


def _workers_of_root() -> str:
    """Started by root, nginx would run its workers as a user who may not look into the folder."""
    if os.geteuid() != 0:
        return ""
    return f"user {pwd.getpwuid(0).pw_name} {grp.getgrgid(0).gr_name};\n"
