"""`python -m core.training.recall --out FOLDER`: every contestant with every seed; runs that are there already stay."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tqdm import tqdm

from core.training.recall.contestants import CONTESTANTS, config
from core.training.recall.tasks import KEYS, VALUES
from core.training.recall.teaching import LENGTHS, STEPS, Teaching, carried, curves
from core.training.saving import small
from core.training.telling import account, curve
from core.words import say

SEEDS = (0, 1, 2)
COMMAND = "python -m core.training.recall --names {name} --seeds {seed} --steps {steps}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    given = _parser().parse_args(arguments)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    for seed in given.seeds:
        for name in given.names:
            folder = given.out / f"{name}-{seed}"
            if not (folder / "history.json").is_file():
                _run(name, seed, given.steps, folder)
    return 0


def _run(name: str, seed: int, steps: int, folder: Path) -> None:
    teaching, began = Teaching(name=name, seed=seed, steps=steps), process_time()
    bar = tqdm(teaching.learn(), total=steps, desc=f"{name} {seed}", unit="step", smoothing=0.05)
    for _ in bar:
        bar.set_postfix(loss=f"{teaching.losses[-1]:.3f}", refresh=False)
    story = _story(teaching, process_time() - began)
    small(folder, teaching.network, config(name), symbols(), story)


def symbols() -> Tokenizer:
    """Return the tokenizer of the tasks: · is a pause, k1 to k64 are keys, v1 to v64 values."""
    names = ["·", *(f"k{n + 1}" for n in range(KEYS)), *(f"v{n + 1}" for n in range(VALUES))]
    tokenizer = Tokenizer(WordLevel({name: number for number, name in enumerate(names)}, unk_token="·"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return tokenizer


def _story(teaching: Teaching, seconds: float) -> dict[str, Any]:
    command = COMMAND.format(name=teaching.name, seed=teaching.seed, steps=teaching.steps)
    return {
        **account(teaching.name, command, teaching.seed, teaching.network),
        "config": config(teaching.name),
        "steps": teaching.steps,
        "seconds": round(seconds, 1),
        "loss": curve(teaching.losses, 50),
        "state": [[length, carried(teaching.network, length)] for length in LENGTHS],
        **curves(teaching.network, teaching.seed),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.training.recall", description=say("en", "training.recall"))
    parser.add_argument("--out", type=Path, required=True, help=say("en", "training.out"))
    parser.add_argument("--names", nargs="+", choices=tuple(CONTESTANTS), default=tuple(CONTESTANTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS, help=say("en", "training.seed"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1, help=say("en", "training.threads"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
