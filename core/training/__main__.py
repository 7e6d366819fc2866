"""`python -m core.training NAME --seed 0 --out FOLDER`: train a model, or go on where it was interrupted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

import torch
from tqdm import tqdm

from core.catalog.opening import choose_device
from core.errors import CoreError
from core.training.batches import Marks
from core.training.beginning import config_of, tokenizers, untrained
from core.training.corpus import numbered
from core.training.language import pairs, vocabulary
from core.training.loop import begun
from core.training.recipes import RECIPES, recipe
from core.training.saving import Folder
from core.training.telling import story
from core.words import languages, say

KEPT_EVERY = 250


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 0 when the model is trained, 1 if it cannot be."""
    given = _parser().parse_args(arguments)
    try:
        _train(given)
    except CoreError as error:
        _write(say(given.language, f"errors.{error.key}", **error.values))
        return 1
    return 0


def _train(given: argparse.Namespace) -> None:
    if given.threads:
        torch.set_num_threads(given.threads)
    made, words = recipe(given.name), vocabulary()
    model = untrained(given.name, made, words, seed=given.seed, device=choose_device(given.device))
    training, folder = begun(made, given.seed, model), Folder(path=given.out)
    _write(say(given.language, "training.drawing", count=made.pairs))
    taught = numbered(pairs(given.seed, made.pairs), words, training.marks)
    folder.begin(config_of(made, words, Marks()), *tokenizers(words))
    folder.resume(training, given.name)
    if not training.step:
        folder.snapshot(training)
    began, bar = process_time(), tqdm(total=made.steps, initial=training.step, unit="step", smoothing=0.05)
    for step in training.steps(taught):
        bar.update()
        bar.set_postfix(loss=f"{training.losses[-1]:.3f}", refresh=False)
        folder.snapshot(training)
        if step % KEPT_EVERY == 0 or step in made.snapshots:
            folder.keep(training, given.name)
    bar.close()
    folder.history(story(training, given.name, seconds=process_time() - began))
    folder.finish()
    _write(say(given.language, "training.done", folder=given.out, loss=training.losses[-1]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.training", description=say("en", "training.about"))
    parser.add_argument("name", choices=tuple(RECIPES), help=say("en", "training.name"))
    parser.add_argument("--out", type=Path, required=True, help=say("en", "training.out"))
    parser.add_argument("--seed", type=int, default=0, help=say("en", "training.seed"))
    parser.add_argument("--device", default="cpu", help=say("en", "training.device"))
    parser.add_argument("--threads", type=int, default=0, help=say("en", "training.threads"))
    parser.add_argument("--language", default="en", choices=languages(), help=say("en", "check.language"))
    return parser


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
