"""Threads that wait for each other sleep instead of spinning; it must be said before torch is loaded.

Torch's OpenMP threads spin by default, which is fastest on an idle machine of one's own. On a shared one the spinning
takes the cores from whoever has work: with two busy neighbours on two cores a short sentence took 1.7 s, asleep 0.09 s.
NumPy's OpenBLAS has threads of its own, which spin whatever is said to OpenMP's: it does with one, where it can still
be told (`core.products` multiplies single rows by it only then; whoever loads NumPy first can say it himself).
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
if "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
