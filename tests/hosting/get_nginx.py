"""Find an nginx for the tests of the hosting, or install one. `make test` runs this before the tests.

The environment variable NGINX names the one to use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from tests.packages import apt_install, as_administrator

PLACES = ("nginx", "/usr/sbin/nginx", "/opt/homebrew/bin/nginx", "/usr/local/bin/nginx")
ADVICE = (
    "The tests of the hosting need nginx, and none could be installed. Install it, on Debian and Ubuntu with "
    "sudo apt install nginx-light, on macOS with brew install nginx, or set NGINX to the path of one; then "
    "run this again."
)


def find_nginx() -> str | None:
    """The executable of nginx, or None."""
    if chosen := os.environ.get("NGINX"):
        return shutil.which(chosen)
    return next((path for place in PLACES if (path := shutil.which(place))), None)


def _install_with_apt() -> None:
    if (prefix := as_administrator()) is None:
        return
    print("Installing nginx-light with apt-get; its service is stopped and stays off", flush=True)
    apt_install("nginx-light", prefix)
    if shutil.which("systemctl"):
        subprocess.run([*prefix, "systemctl", "--quiet", "disable", "--now", "nginx"], capture_output=True)


def _install_with_brew() -> None:
    if not shutil.which("brew"):
        return
    print("Installing nginx with brew", flush=True)
    subprocess.run(["brew", "install", "--quiet", "nginx"])


def main() -> None:
    if (chosen := os.environ.get("NGINX")) and not find_nginx():
        sys.exit(f"NGINX is {chosen}, which is not a program that can be run.")
    for install in (_install_with_apt, _install_with_brew):
        if not find_nginx():
            install()
    if not (nginx := find_nginx()):
        sys.exit(ADVICE)
    print(f"nginx for the tests: {nginx}", flush=True)


if __name__ == "__main__":
    main()
