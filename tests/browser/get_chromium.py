"""Find a Chromium for the browser tests, or install one. `make test` runs this before the tests.

The environment variable CHROMIUM names the one to use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from tests.packages import apt_install, as_administrator, is_ubuntu

SHELL = "chromium-headless-shell"  # without windows: a sixth less work than the same browser with them
COMMANDS = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "%LocalAppData%/Chromium/Application/chrome.exe",
    "%ProgramFiles%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Google/Chrome/Application/chrome.exe",
    "%LocalAppData%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Microsoft/Edge/Application/msedge.exe",
)
ASK_PLAYWRIGHT = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def find_chromium() -> str | None:
    """The executable of a Chromium, Chrome or Edge that starts, or None."""
    if chosen := os.environ.get("CHROMIUM"):
        return shutil.which(chosen)
    for candidate in (*COMMANDS, *map(os.path.expandvars, PLACES)):
        if (path := shutil.which(candidate)) and _starts(path):
            return path
    # In a process of its own, as Playwright's synchronous interface cannot be started twice in one.
    asked = subprocess.run([sys.executable, "-c", ASK_PLAYWRIGHT], capture_output=True, text=True)
    path = shutil.which(asked.stdout.strip())
    return path if path and _starts(path) else None


def _starts(path: str) -> bool:
    if sys.platform == "win32":
        return True  # there, --version opens a window instead of printing
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _install_with_apt() -> None:
    prefix = as_administrator()
    if prefix is None or is_ubuntu():
        return  # Ubuntu's package chromium is only a pointer to a snap
    for package in (SHELL, "chromium"):
        print(f"Installing {package} with apt-get", flush=True)
        if apt_install(package, prefix):
            return


def _install_with_playwright() -> None:
    print("Downloading Chromium with Playwright", flush=True)
    libraries = [] if as_administrator() is None else ["--with-deps"]
    subprocess.run([sys.executable, "-m", "playwright", "install", "--no-shell", *libraries, "chromium"])


def main() -> None:
    if (chosen := os.environ.get("CHROMIUM")) and not find_chromium():
        sys.exit(f"CHROMIUM is {chosen}, which is not a program that can be run.")
    for install in (_install_with_apt, _install_with_playwright):
        if not find_chromium():
            install()
    if not (browser := find_chromium()):
        sys.exit(
            "The browser tests need a Chromium, and none could be installed. Install Chromium, Google Chrome "
            "or Microsoft Edge, or set CHROMIUM to the path of one; then run this again."
        )
    print(f"Browser for the tests: {browser}", flush=True)


if __name__ == "__main__":
    main()
