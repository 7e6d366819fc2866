"""Waiting threads sleep: it is said before torch is loaded, whichever door is taken."""

import os
import subprocess
import sys

import pytest

ASK = """
import os, sys
seen = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            seen.append(os.environ.get("OMP_WAIT_POLICY"))
sys.meta_path.insert(0, Watch())
import {module}
print(seen[0])
"""


@pytest.mark.parametrize("module", ["core", "server"])
def test_the_policy_is_set_before_torch_is_loaded(module):
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(module=module)], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "PASSIVE", done.stderr
