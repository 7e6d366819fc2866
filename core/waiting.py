"""Threads that wait for each other sleep instead of spinning; it must be said before torch is loaded.

Torch's OpenMP threads spin by default, which is fastest on an idle machine of one's own. On a shared one the spinning
takes the cores from whoever has work: with two busy neighbours on two cores a short sentence took 1.7 s, asleep 0.09 s.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
