"""`python -m core.training.stacking --out FOLDER`: stacks of every depth; what is there already stays."""

from __future__ import annotations

import argparse
import json
import sys
from math import isfinite
from pathlib import Path
from time import process_time
from typing import Any

import torch
from tqdm import tqdm

from core.training.stacking.teaching import DEPTHS, MIXERS, STEPS, Stack, frequencies, learn, never_taught
from core.training.telling import account, spelled
from core.words import say

COMMAND = "python -m core.training.stacking --names {name} --seed {seed} --steps {steps}"
WAYS = {"bare": False, "around": True}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    given = _parser().parse_args(arguments)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names:
        for way in WAYS:
            for depth in given.depths:
                _run(given.out / f"{name}-{way}-{depth:02}.json", name, way, depth, given)
    return 0


def _run(path: Path, name: str, way: str, depth: int, given: argparse.Namespace) -> None:
    if path.is_file():
        return
    stack, began = Stack(name, depth, around=WAYS[way], seed=given.seed), process_time()
    for loss in (bar := tqdm(learn(stack, given.seed, given.steps), total=given.steps, desc=path.stem, unit="step")):
        bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
    left, command = never_taught(stack, given.seed), COMMAND.format(name=name, seed=given.seed, steps=given.steps)
    told: dict[str, Any] = {
        **account(name, command, given.seed, stack),
        "around": WAYS[way],
        "depth": depth,
        "steps": given.steps,
        "seconds": round(process_time() - began, 1),
        "never_taught": round(left, 4) if isfinite(left) else None,
        "frequencies": round(frequencies(given.seed), 4),
    }
    path.write_text(spelled(json.loads(json.dumps(told))), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core.training.stacking", description=say("en", "training.stacking")
    )
    parser.add_argument("--out", type=Path, required=True, help=say("en", "training.runs_out"))
    parser.add_argument("--names", nargs="+", choices=MIXERS, default=MIXERS)
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS)
    parser.add_argument("--seed", type=int, default=0, help=say("en", "training.seed"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1, help=say("en", "training.threads"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
