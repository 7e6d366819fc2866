"""`python -m core.training.measuring FOLDER`: measure what was trained there and write it into its history.json."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from core.catalog import open_model
from core.errors import CoreError
from core.training.measuring import glanced, measured
from core.training.recipes import recipe
from core.training.saving import HISTORY
from core.training.telling import spelled
from core.words import languages, say


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 0 when all is measured, 1 if it cannot be."""
    given = _parser().parse_args(arguments)
    try:
        _measure(given.folder, given.beside)
    except CoreError as error:
        sys.stdout.write(f"{say(given.language, f'errors.{error.key}', **error.values)}\n")
        return 1
    return 0


def _measure(folder: Path, beside: list[Path]) -> None:
    story = _read(folder)
    changes = recipe(story["name"]).changes
    story["measured"] = measured(open_model(folder), changes)
    story["along"] = {
        str(step): glanced(open_model(folder, step=step), changes) for step in tqdm(story["snapshots"], unit="step")
    }
    story["other_seeds"] = [_other(_read(one)) for one in beside]
    _write(folder, story)


def _other(story: dict[str, Any]) -> dict[str, Any]:
    """Return what is told of the same training with another seed, whose weights are not kept."""
    told = ("command", "seed", "date", "machine", "versions", "seconds", "loss", "measured")
    return {name: story[name] for name in told}


def _read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / HISTORY).read_text(encoding="utf-8"))
    return found


def _write(folder: Path, story: dict[str, Any]) -> None:
    (folder / HISTORY).write_text(spelled(story), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.training.measuring", description=say("en", "measuring.about"))
    parser.add_argument("folder", type=Path, help=say("en", "measuring.folder"))
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help=say("en", "measuring.beside"))
    parser.add_argument("--language", default="en", choices=languages(), help=say("en", "check.language"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
