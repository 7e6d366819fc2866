"""`python -m tools.ship_mixers SENTENCES RECALL STACKS`: put the small models of every mixer into assets, with what is
told of them.

SENTENCES holds what `python -m core.training.sentences` left, RECALL what `python -m core.training.recall` did; of the
latter weights are kept for seed 0 only. STACKS has what `python -m core.training.stacking` measured, which becomes one
file. The rows of all these files in the manifest are written anew, with those of `tools.time_mixers`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

from core.training import telling
from tools.ship_translators import ASSETS, MANIFEST, WEIGHTS, Row, spelled

RUNS = ASSETS / "runs" / "mixers"
PLACES = ("mixers", "recall")
FILES = ("config.json", "tokenizer.json", "model.safetensors", "history.json")


def main() -> None:
    """Ship all three, then write the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    for place in (*PLACES, "stacks"):
        parser.add_argument(place, type=Path)
    given = vars(parser.parse_args())
    for place in PLACES:
        shutil.rmtree(WEIGHTS / place, ignore_errors=True)
        for history in sorted(given[place].glob("*/history.json")):
            ship(history.parent, WEIGHTS / place / history.parent.name)
    stacks(given["stacks"])
    rows = [*rows_of_others(), *rows_of_shipped()]
    header = MANIFEST.read_text(encoding="utf-8").split("[[file]]")[0]
    MANIFEST.write_text(header + "\n".join(map(spelled, sorted(rows, key=lambda row: row["path"]))), encoding="utf-8")


def ship(source: Path, target: Path) -> None:
    """Copy what is told of one model and, for the first seed, the model."""
    target.mkdir(parents=True)
    told = json.loads((source / "history.json").read_text(encoding="utf-8"))
    for name in FILES if told["seed"] == 0 else FILES[-1:]:
        shutil.copyfile(source / name, target / name)


def stacks(source: Path) -> None:
    """Write one file of what was measured of every stack."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(source.glob("*.json"))]
    told = {name: found[0][name] for name in ("machine", "date", "versions", "seed", "steps", "frequencies")}
    kept = ("name", "around", "depth", "never_taught", "parameters", "seconds")
    rows = [{name: one[name] for name in kept} for one in found]
    RUNS.mkdir(parents=True, exist_ok=True)
    text = telling.spelled({"command": "python -m core.training.stacking", **told, "stacks": rows})
    (RUNS / "stacks.json").write_text(text, encoding="utf-8")


def is_shipped(path: Path) -> bool:
    """Return whether this tool put a file into assets."""
    return any(path.is_relative_to(place) for place in (*(WEIGHTS / place for place in PLACES), RUNS))


def rows_of_others() -> list[Row]:
    """Return the rows of all other files, as they stand."""
    rows: list[Row] = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["file"]
    return [row for row in rows if not is_shipped(ASSETS.parent / row["path"])]


def rows_of_shipped() -> Iterator[Row]:
    """Yield the rows of all files that were shipped, with the command that makes them again."""
    for path in filter(is_shipped, filter(Path.is_file, ASSETS.rglob("*"))):
        history = path if path.parent == RUNS else path.parent / "history.json"
        told = json.loads(history.read_text(encoding="utf-8"))
        yield {
            "path": path.relative_to(ASSETS.parent).as_posix(),
            "source": told["command"],
            "licence": "Apache-2.0",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }


if __name__ == "__main__":
    main()
