"""`python -m tools.time_mixers`: how long recurrent mixers and attention take on this machine, into assets.

On one thread: all positions at once, one after another with what is kept, and the share of the time that products of
matrices take.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from core.analysis.timing import LENGTH, in_products, timed
from core.measure.machine import machine
from core.training.telling import spelled
from tools.ship_translators import ASSETS

TIMES = ASSETS / "runs" / "mixers" / "times.json"
NAMES = ("elman", "lstm", "gru", "full")
COMMAND = "python -m tools.time_mixers"


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=TIMES)
    out = parser.parse_args().out
    torch.set_num_threads(1)
    found: list[dict[str, Any]] = [{**asdict(timed(name)), "products": round(in_products(name), 4)} for name in NAMES]
    here = machine("cpu")
    told: dict[str, Any] = {
        "command": COMMAND,
        "machine": here.name,
        "date": here.date,
        "versions": here.versions,
        "length": LENGTH,
        "times": found,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(spelled(json.loads(json.dumps(told))), encoding="utf-8")


if __name__ == "__main__":
    main()
