"""What tests of a deployment share: nginx, and the page below /attn/ behind it."""

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import serving
from tests.server.proxy import Proxy, proxying

HOW_TO_GET_ONE = "no nginx here; on Debian and Ubuntu `apt install nginx-light`"


@pytest.fixture(scope="session")
def nginx() -> str:
    """The path of nginx; without one the test is skipped, or fails where REQUIRE_BROWSER=1."""
    path = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if path is None and os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(HOW_TO_GET_ONE)
    if path is None:
        pytest.skip(HOW_TO_GET_ONE)
    return path


@pytest.fixture(scope="session")
def below(tmp_path_factory) -> Iterator[str]:
    """The address of a page below /attn."""
    with serving(tmp_path_factory.mktemp("below") / "log", base="/attn", HEADS_UP_UPLOAD_MIB="4") as address:
        yield address


@pytest.fixture(scope="session")
def proxy(nginx, below, tmp_path_factory) -> Iterator[Proxy]:
    """The shipped nginx before it."""
    with proxying(nginx, tmp_path_factory.mktemp("proxy"), below) as running:
        yield running
