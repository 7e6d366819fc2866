"""The map's modules, tested by node where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_the_modules_of_the_map() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the map's modules are then only tested in the browser")
    run = subprocess.run(
        [node, "--test", *sorted(map(str, HERE.glob("*.test.mjs")))],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
