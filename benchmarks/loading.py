"""How long does a model take to open, and how much memory? Ours against `transformers`, each in a fresh process.

Both read the same files from the page cache, make float32 parameters and the tokenizer; ours checks the checksum as
well. Memory is what the process holds after opening and one short trace (or forward pass), less what it held before: a
file that is only mapped is not in memory until it is used. What is imported is imported before.

    python -m benchmarks.loading [--save]

Of a GGUF file at most a third of the peer's time is wanted. `transformers` reads such files only where `accelerate` is
installed (requirements-dev.txt); without it, that peer is left out.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import torch

import core
from benchmarks._memory import MEGABYTE, apart, resident
from benchmarks._rows import digits, row, save, show
from core.catalog import Entry
from core.catalog.folders import locate, open_folder
from core.weights import checksum

QUESTION = "How long does a model take to open, and how much memory does it take?"
REPEATS = 3
WITHIN = {"minilm": "< 4", "smollm2": "< 4"}
IDS = tuple(range(100, 116))

Row = dict[str, Any]


def entry_of(name: str) -> Entry:
    """Return a model's row of the catalogue."""
    return next(entry for entry in core.catalog() if entry.name == name)


@torch.no_grad()
def once(name: str, who: str) -> None:
    """Print as JSON what one opening by "ours" or "peer" took in this process."""
    open_it = ours if who == "ours" else peer(name)
    gc.collect()
    before, began = resident(), time.perf_counter()
    run, size = open_it(name)
    seconds = time.perf_counter() - began
    run()
    gc.collect()
    print(json.dumps({"seconds": seconds, "grown": resident() - before, "size": size}))


def ours(name: str) -> tuple[Callable[[], Any], int]:
    """Open a model; return how to use it once and the bytes of its parameters."""
    model = core.open_model(name, device="cpu")
    return partial(core.trace, model, core.Sample.from_ids(IDS)), model.bytes


def peer(name: str) -> Callable[[str], tuple[Callable[[], Any], int]]:
    """Import `transformers`, and return how it opens the same model."""
    from transformers import AutoModel, AutoTokenizer

    entry = entry_of(name)
    folder = locate(entry)
    gguf = {"gguf_file": entry.weights} if entry.weights.endswith(".gguf") else {}

    def open_it(_: str) -> tuple[Callable[[], Any], int]:
        model = AutoModel.from_pretrained(folder, dtype=torch.float32, **gguf)
        AutoTokenizer.from_pretrained(folder, **gguf)
        return partial(model, torch.tensor([IDS])), sum(part.nbytes for part in model.parameters())

    return open_it


def medians(name: str, who: str, times: int) -> dict[str, float]:
    """Return the medians of some openings, each in a fresh process."""
    found = [apart("benchmarks.loading", "--once", name, who) for _ in range(times)]
    return {key: median(one[key] for one in found) for key in found[0]}


def rows_of(name: str) -> list[Row]:
    """Return the rows of one model."""
    entry = entry_of(name)
    mine = medians(name, "ours", REPEATS)
    readable = entry.weights.endswith(".safetensors") or find_spec("accelerate") is not None
    other = medians(name, "peer", 1) if readable else None
    seconds = None if other is None else other["seconds"]
    growth = None if other is None else other["grown"] / other["size"]
    return [
        row(entry.title, "seconds to open", float(f"{mine['seconds']:.4g}"), peer=digits(seconds), wanted=WITHIN[name]),
        *([] if seconds is None else [against(entry, mine["seconds"], seconds)]),
        row(
            entry.title,
            "growth of the process, times the parameters' bytes",
            float(f"{mine['grown'] / mine['size']:.4g}"),
            peer=digits(growth),
            wanted="<= 1.25",
        ),
        row(entry.title, "parameters, MB", float(f"{mine['size'] / MEGABYTE:.4g}")),
        *parts(entry),
    ]


def against(entry: Entry, mine: float, other: float) -> Row:
    """Return the row that compares our seconds with the peer's."""
    return row(
        entry.title,
        "seconds to open, against the peer",
        float(f"{mine:.4g}"),
        peer=digits(other),
        ratio=digits(mine / other),
        wanted="<= 0.333" if entry.weights.endswith(".gguf") else "<= 1",
    )


def parts(entry: Entry) -> list[Row]:
    """Return where our time goes; the checksum is computed beside the rest, on another thread."""
    folder = locate(entry)
    source = open_folder(folder, entry.weights)
    steps: dict[str, Callable[[], Any]] = {
        "its header and config": lambda: open_folder(folder, entry.weights),
        "its numbers": lambda: sum(len(source.stored.read(name, torch.float32)) for name in source.stored.names),
        "its tokenizer": source.tokenizer,
        "its checksum": lambda: [checksum(Path(file)) for file in source.files],
    }
    return [row(entry.title, f"seconds for {step}", float(f"{timed(do):.4g}")) for step, do in steps.items()]


def timed(do: Callable[[], Any]) -> float:
    """Return the median seconds of some runs."""
    found = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        do()
        found.append(time.perf_counter() - began)
    return median(found)


def main() -> None:
    """Read the command line, measure, and save where asked."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--save", action="store_true", help="replace benchmarks/results/loading.json")
    parser.add_argument("--once", nargs=2, metavar=("MODEL", "WHO"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    if given.once:
        once(*given.once)
        return
    began = os.getloadavg()[0]
    rows = [row for entry in core.catalog() if entry.name in WITHIN for row in rows_of(entry.name)]
    how = f"torch with {torch.get_num_threads()} thread(s), load average {began:.1f} to {os.getloadavg()[0]:.1f}"
    if find_spec("accelerate"):
        how += f", accelerate {version('accelerate')}"
    else:
        print("transformers reads no GGUF file without accelerate: that peer is left out.")
    print(QUESTION, how, sep="\n")
    if given.save:
        save("loading", QUESTION, rows, how=how)
    else:
        show(rows)


if __name__ == "__main__":
    main()
