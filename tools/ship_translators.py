"""`python -m tools.ship_translators TRAINED`: put what was trained and measured into assets, few enough to come along.

TRAINED holds one folder for each training, called by its name. Of the two translators a few snapshots are kept, of the
short runs only what is told of them. The rows of all these files in the manifest are written anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.training import telling

ASSETS = Path(__file__).resolve().parent.parent / "assets"
WEIGHTS, RUNS, MANIFEST = ASSETS / "weights", ASSETS / "runs" / "training", ASSETS / "manifest.toml"
TRANSLATORS = ("translator", "translator-guided")
SHORT = ("short", "no-residual", "no-scale", "no-positions", "one-head")
KEPT = (0, 300, 500, 700, 1000, 2000, 3500)
FILES = ("config.json", "tokenizer.json", "target_tokenizer.json", "model.safetensors")
Row = dict[str, str]


def main() -> None:
    """Ship both translators and the short runs, then write the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path)
    trained = parser.parse_args().trained
    for name in TRANSLATORS:
        ship(trained / name, WEIGHTS / name)
    RUNS.mkdir(parents=True, exist_ok=True)
    for name in SHORT:
        write(RUNS / f"{name}.json", told(trained / name) | {"snapshots": []})
    rows = [*rows_of_others(), *rows_of_trained()]
    header = MANIFEST.read_text(encoding="utf-8").split("[[file]]")[0]
    MANIFEST.write_text(header + "\n".join(map(spelled, sorted(rows, key=lambda row: row["path"]))), encoding="utf-8")


def ship(source: Path, target: Path) -> None:
    """Copy a folder with those snapshots that are kept; its history names no others."""
    shutil.rmtree(target, ignore_errors=True)
    (target / "steps").mkdir(parents=True)
    for name in (*FILES, *(f"steps/{step:05}.safetensors" for step in KEPT)):
        shutil.copyfile(source / name, target / name)
    write(target / "history.json", told(source) | {"snapshots": list(KEPT)})


def told(folder: Path) -> dict[str, Any]:
    """Return what is told of a training."""
    found: dict[str, Any] = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    return found


def write(path: Path, found: dict[str, Any]) -> None:
    """Write what is told of a training."""
    path.write_text(telling.spelled(found), encoding="utf-8")


def is_trained(path: Path) -> bool:
    """Return whether this tool put a file into assets."""
    return path.parent == RUNS or any(path.is_relative_to(WEIGHTS / name) for name in TRANSLATORS)


def rows_of_others() -> list[Row]:
    """Return the rows of all other files, as they stand."""
    rows: list[Row] = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["file"]
    return [row for row in rows if not is_trained(ASSETS.parent / row["path"])]


def rows_of_trained() -> Iterator[Row]:
    """Yield the rows of all files that were trained here, with the command that makes them again."""
    for path in filter(is_trained, filter(Path.is_file, ASSETS.rglob("*"))):
        yield {
            "path": path.relative_to(ASSETS.parent).as_posix(),
            "source": json.loads(history_of(path).read_text(encoding="utf-8"))["command"],
            "licence": "Apache-2.0",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }


def history_of(path: Path) -> Path:
    """Return the file that tells of the training to which a file belongs."""
    if path.parent == RUNS:
        return path
    return (path.parent.parent if path.parent.name == "steps" else path.parent) / "history.json"


def spelled(row: Row) -> str:
    """Return a row as it stands in the manifest."""
    return "[[file]]\n" + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in row.items())


if __name__ == "__main__":
    main()
