"""The browser of all tests that need one, as there can be only one in a process."""

import pytest

from tests.browser.chromium import chromium


@pytest.fixture(scope="session")
def browser():
    with chromium() as running:
        yield running
