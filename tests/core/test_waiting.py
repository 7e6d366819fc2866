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
        if name == "{library}":
            seen.append(os.environ.get("{name}"))
sys.meta_path.insert(0, Watch())
import {module}
print(seen[0])
"""


POLICY, READERS = ("torch", "OMP_WAIT_POLICY", "PASSIVE"), ("numpy", "OPENBLAS_NUM_THREADS", "1")


@pytest.mark.parametrize("module", ["core", "server"])
@pytest.mark.parametrize("told", [POLICY, READERS], ids=lambda told: told[0])
def test_what_threads_do_is_said_before_a_library_is_loaded(module, told):
    library, name, value = told
    environment = {other: kept for other, kept in os.environ.items() if other != name}
    asking = ASK.format(module=module, library=library, name=name)
    done = subprocess.run([sys.executable, "-c", asking], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == value, done.stderr
