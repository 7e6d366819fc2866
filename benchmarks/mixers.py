"""Are the fast forms of the mixers fast, and does their time grow as theory says?

One run, interleaved, medians of the processor's time on one thread, which leaves out what other programs do meanwhile
and on an idle machine is the clock's. Ours and the peers compute with the same parameters; where they disagree nothing
is measured.

    python -m benchmarks.mixers [--save]
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from math import log
from statistics import linear_regression, median
from time import process_time
from typing import Any

import torch

from benchmarks._memory import MEGABYTE, apart, raised
from benchmarks._mixing import Beside, given, linear_attention, running, selective_scan, sliding_window
from benchmarks._rows import digits, row, save, show
from core.mixers import mixer

QUESTION = "Are the fast forms of the mixers fast, and does their time grow as theory says?"
GROWTH = (4096, 8192, 16_384, 32_768)
THEORY = dict.fromkeys(("elman", "lstm", "gru", "convolution", "dilated", "window", "linear", "mamba", "mamba2"), 1)
WIDTH, REPEATS, MEMORY = 64, 5, (2048, 4096, 8192, 16_384)
Row = dict[str, Any]


def medians(runs: dict[Any, Callable[[], Any]], repeats: int = REPEATS) -> dict[Any, float]:
    """Return the median milliseconds of the processor of each, in turns, after one that does not count."""
    times: dict[Any, list[float]] = {name: [] for name in runs}
    for _ in range(repeats + 1):
        for name, run in runs.items():
            began = process_time()
            run()
            times[name].append(1000 * (process_time() - began))
    return {name: median(found[1:]) for name, found in times.items()}


def agreed(beside: Beside, name: str) -> None:
    """Look that a peer computes the same.

    Raises:
        SystemExit: when it does not; times of two different computations say nothing.
    """
    ours, theirs = beside.ours(), beside.others[name]()
    theirs = theirs[0] if isinstance(theirs, tuple) else theirs
    apart = float((ours - theirs).abs().max() / theirs.abs().max())
    if apart > 1e-4:
        raise SystemExit(f"{beside.setting}: {name} disagrees by {apart:.1e}; nothing is measured.")


def against(beside: Beside) -> list[Row]:
    """Return a row for each peer: how many times as long it takes as ours, wanted twice at least."""
    for name in beside.others:
        agreed(beside, name)
    times = medians({"ours": beside.ours, **beside.others})
    return [
        row(
            beside.setting,
            f"ms of the processor, peer {name}",
            float(f"{times['ours']:.4g}"),
            peer=digits(times[name]),
            ratio=digits(times[name] / times["ours"]),
            wanted=">= 2",
        )
        for name in beside.others
    ]


def above(beside: Beside) -> list[Row]:
    """Return a row for each floor: how many times as long as it ours takes, wanted 1.5 times at most."""
    times = medians({"ours": beside.ours, **beside.others})
    return [
        row(
            beside.setting,
            f"ms of the processor, floor the {name}",
            float(f"{times['ours']:.4g}"),
            floor=digits(times[name]),
            ratio=digits(times["ours"] / times[name]),
            wanted="<= 1.5",
        )
        for name in beside.others
    ]


def growing() -> list[Row]:
    """Return the exponent with which the time of each mixer grows with the length, and how far it is from theory's."""
    theory, runs = {**THEORY, "full": 2}, {}
    for name in theory:
        part = mixer(name, WIDTH)
        part.begin(torch.Generator().manual_seed(0))
        runs |= {(name, length): running(part, given(WIDTH, length)) for length in GROWTH}
    times, rows = medians(runs, 3), []
    for name, wanted in theory.items():
        logs = [log(times[name, length]) for length in GROWTH]
        slope = linear_regression([log(length) for length in GROWTH], logs).slope
        setting = f"{name}, width {WIDTH}, {GROWTH[0]:,} to {GROWTH[-1]:,} positions"
        last = f"ms of the processor, {GROWTH[-1]:,} positions"
        rows += [
            row(setting, last, float(f"{times[name, GROWTH[-1]]:.4g}")),
            row(setting, "exponent of the time", float(f"{slope:.3g}"), floor=wanted),
            row(
                setting, "exponent of the time, how far from theory's", round(abs(slope - wanted), 3), wanted="<= 0.15"
            ),
        ]
    return rows


def memory() -> list[Row]:
    """Return how far the selective scan raises the highest memory, each run in a process of its own."""
    found = {who: [megabytes(who, length) for length in MEMORY] for who in ("ours", "mambapy", "transformers")}
    rows = [
        row(
            f"selective scan, width 256, {length:,} positions",
            "highest memory above the weights, MB, peer the smaller of both",
            found["ours"][at],
            peer=min(found["mambapy"][at], found["transformers"][at]),
        )
        for at, length in enumerate(MEMORY)
    ]
    times, grown = MEMORY[-1] // MEMORY[1], float(f"{found['ours'][-1] / found['ours'][1]:.4g}")
    setting = f"selective scan, width 256, {MEMORY[1]:,} to {MEMORY[-1]:,} positions"
    measure = f"memory, how many times as much for {times} times the text"
    return [*rows, row(setting, measure, grown, wanted=f"<= {1.15 * times:.1f}")]


def megabytes(who: str, length: int) -> float:
    """Measure one run's memory in a fresh process."""
    found: float = apart("benchmarks.mixers", "--memory", who, str(length))["megabytes"]
    return float(f"{found:.4g}")


def one_memory(who: str, length: int) -> None:
    """Print as JSON how far one run raises this process's memory."""

    def run(length: int) -> Any:
        beside = selective_scan(length)
        theirs = {name.partition(",")[0]: other for name, other in beside.others.items()}
        return {"ours": beside.ours, **theirs}[who]

    run(64)()
    print(json.dumps({"megabytes": raised(run(length)) / MEGABYTE}))


@torch.no_grad()
def main() -> None:
    """Read the command line, measure, and save where asked."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--save", action="store_true", help="replace benchmarks/results/mixers.json")
    parser.add_argument("--memory", nargs=2, metavar=("WHO", "LENGTH"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.memory:
        one_memory(arguments.memory[0], int(arguments.memory[1]))
        return
    began, rows = os.getloadavg()[0], []
    compared = (partial(against, selective_scan(2048)), partial(against, sliding_window(4096)))
    for measure in (*compared, partial(above, linear_attention(4096)), memory, growing):
        rows += (found := measure())
        show(found)
    how = f"torch with 1 thread, load average {began:.1f} to {os.getloadavg()[0]:.1f}"
    if arguments.save:
        save("mixers", QUESTION, rows, how=how)


if __name__ == "__main__":
    main()
