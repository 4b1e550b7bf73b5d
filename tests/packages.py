"""Debian packages that the tests need, installed where that needs no question."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys


def as_administrator() -> list[str] | None:
    """What to put before an apt-get command; None where there is no apt-get or no right to run it."""
    if sys.platform != "linux" or not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    asks_no_password = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True)
    return sudo if asks_no_password and asks_no_password.returncode == 0 else None


def is_ubuntu() -> bool:
    release = platform.freedesktop_os_release()
    return "ubuntu" in (release["ID"], *release.get("ID_LIKE", "").split())


def apt_install(package: str, prefix: list[str]) -> bool:
    """Whether the package is there now."""
    apt_get = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    subprocess.run([*apt_get, "update"])
    return subprocess.run([*apt_get, "install", "-y", "--no-install-recommends", package]).returncode == 0
