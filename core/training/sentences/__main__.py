"""`python -m core.training.sentences --out FOLDER`: a model of one layer for every mixer; those that are there stay."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from time import process_time
from typing import Any

import torch
from tqdm import tqdm

from core.mixers import MIXERS
from core.training.batches import padded
from core.training.saving import small
from core.training.sentences.teaching import STEPS, Teaching, config, later, left_out, sentences, words
from core.training.telling import account, curve
from core.training.vocabularies import reading
from core.words import say

NAMES = tuple(kind.name for kind in MIXERS)
ASKED = 500
COMMAND = "python -m core.training.sentences --names {name} --seed {seed} --steps {steps}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    given = _parser().parse_args(arguments)
    torch.set_num_threads(given.threads)
    for name in given.names:
        folder = given.out / name
        if not (folder / "history.json").is_file():
            _run(name, given.seed, given.steps, folder)
    return 0


def _run(name: str, seed: int, steps: int, folder: Path) -> None:
    teaching, began = Teaching(name=name, seed=seed, steps=steps), process_time()
    for _ in (bar := tqdm(teaching.learn(sentences(seed)), total=steps, desc=name, unit="step", smoothing=0.05)):
        bar.set_postfix(loss=f"{teaching.losses[-1]:.3f}", refresh=False)
    story = _story(teaching, process_time() - began)
    small(folder, teaching.network, config(name), reading(words()), story)


def _story(teaching: Teaching, seconds: float) -> dict[str, Any]:
    command = COMMAND.format(name=teaching.name, seed=teaching.seed, steps=teaching.steps)
    return {
        **account(teaching.name, command, teaching.seed, teaching.network),
        "steps": teaching.steps,
        "seconds": round(seconds, 1),
        "loss": curve(teaching.losses, 50),
        "never_taught": round(_never_taught(teaching), 4),
    }


@torch.no_grad()
def _never_taught(teaching: Teaching) -> float:
    """Return the loss on sentences that were never taught."""
    known = set(sentences(teaching.seed))
    fresh = [row for row in sentences(teaching.seed + 1) if row not in known][:ASKED]
    rows = padded(fresh, 0)
    return teaching.loss(*(later(rows) if teaching.side == "decoder" else left_out(rows, random.Random(0)))).item()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.training.sentences", description=say("en", "training.mixers"))
    parser.add_argument("--out", type=Path, required=True, help=say("en", "training.out"))
    parser.add_argument("--names", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--seed", type=int, default=0, help=say("en", "training.seed"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1, help=say("en", "training.threads"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
