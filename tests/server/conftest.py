"""A server of the app as it is started for one, and as it is for a class."""

import pytest

from tests.servers import APP, CLASS_APP, SLOW_START, serve


@pytest.fixture(scope="module", params=[APP, CLASS_APP])
def server(request):
    with serve(request.param, SLOW_START) as server:
        yield server


@pytest.fixture
def port(server):
    return server.port
