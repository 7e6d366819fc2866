"""What does it cost to keep everything that a map needs? A full trace against `transformers`, in one run.

ours: `core.trace`. floor: the peer's fused kernel (sdpa), which keeps nothing. peer: its eager path with
`output_attentions` and `output_hidden_states`, the usual way to see attention. No output head on any side, no
gradients, the same parameters in the same memory, medians of interleaved runs. What is wanted is asked of the
processor's time on one thread, which leaves out what other programs do meanwhile and on an idle machine is the clock's;
the clock's medians stand beside it.

    python -m benchmarks.trace [--threads 1] [--lengths 16,64] [--save]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import torch

import core
from benchmarks._memory import MEGABYTE, apart, raised
from benchmarks._pairs import PAIRS, Pair, agree
from benchmarks._rows import digits, row, save, show

QUESTION = "What does a full trace cost, against the fused forward pass that keeps nothing?"
LENGTHS = (16, 32, 64, 128, 256, 512, 1024, 2048)
MEASURED = (512, 1024, 2048)
BOUNDS = {"BERT-base": 400, "SmolLM2": 480}
ALL = {"output_attentions": True, "output_hidden_states": True}
BINS = 48
SINGLE = (3, 1)
SECONDS = 2.5
REPEATS = (5, 25)

Peer = Callable[..., Any]
Row = dict[str, Any]


def timed(compute: Callable[[], Any]) -> tuple[float, float]:
    """Return the milliseconds of the processor and of the clock that one run takes, without dropping its result."""
    clock, processor = time.perf_counter(), time.process_time()
    kept = compute()
    found = (time.process_time() - processor) * 1e3, (time.perf_counter() - clock) * 1e3
    del kept
    return found


def interleaved(runs: dict[str, Callable[[], Any]], seldom: str) -> dict[str, tuple[float, float]]:
    """Return the medians of each, run in turn forwards and backwards for about SECONDS each; `seldom` only twice."""
    once = {name: timed(compute)[0] for name, compute in runs.items()}
    count = max(REPEATS[0], min(REPEATS[1], int(SECONDS * 1e3 / once["floor"])))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for turn in range(count):
        for name, compute in list(runs.items())[:: -1 if turn % 2 else 1]:
            if name != seldom or turn < 2:
                times[name].append(timed(compute))
    return {name: (median(p for p, _ in found), median(c for _, c in found)) for name, found in times.items()}


def speed(pair: Pair, length: int, floor: Peer, eager: Peer) -> list[Row]:
    """Return the rows of one model and one length."""
    sample = pair.sample(length)
    ids, traced = torch.from_numpy(sample.ids)[None], core.trace(pair.model, sample)
    runs = {
        "ours": lambda: core.trace(pair.model, sample),
        "floor": lambda: floor(ids),
        "overview": lambda: traced.overview(BINS),
        "peer": lambda: eager(ids, **ALL),
    }
    both, rows = interleaved(runs, seldom="peer"), []
    for kind, named in enumerate(("ms of the processor", "ms by the clock")):
        times = {name: pair[kind] for name, pair in both.items()}
        wanted = (("<= 1.10", "< 1.5" if length <= 512 else None), (None, None))[kind]
        seen = times["ours"] + times["overview"]
        setting = f"{pair.name}, {length} pieces"
        rows.append(compared(setting, f"trace, {named}", times["ours"], times, wanted[0]))
        rows.append(compared(setting, f"trace and overview({BINS}), {named}", seen, times, wanted[1]))
    return rows


def compared(setting: str, measure: str, ours: float, times: dict[str, float], wanted: str | None) -> Row:
    """Return a row whose ratio is to the floor."""
    numbers = {"peer": digits(times["peer"]), "floor": digits(times["floor"]), "ratio": digits(ours / times["floor"])}
    return row(setting, measure, float(f"{ours:.4g}"), **numbers, wanted=wanted)


def single(pair: Pair, length: int = 512) -> Row:
    """Return the row about one head's map, from a trace that is there."""
    traced = core.trace(pair.model, pair.sample(length))
    middle = median(timed(lambda: traced.pattern(*SINGLE))[1] for _ in range(REPEATS[1]))
    return row(
        f"{pair.name}, {length} pieces", "one head's map, ms by the clock", float(f"{middle:.4g}"), wanted="< 10"
    )


def memory(pair: Pair) -> list[Row]:
    """Return the rows about the highest memory above the parameters, each measured in a process of its own."""
    ours, floor = ({n: megabytes(pair.name, n, who) for n in MEASURED} for who in ("ours", "sdpa"))
    first, *_, last = MEASURED
    rows = [
        row(
            f"{pair.name}, {length} pieces",
            "highest memory above the weights, MB",
            ours[length],
            floor=floor[length],
            peer=megabytes(pair.name, last, "eager") if length == last else None,
            wanted=f"< {BOUNDS[pair.name]}" if length == last else None,
        )
        for length in MEASURED
    ]
    times, grown = last // first, float(f"{ours[last] / ours[first]:.4g}")
    measure = f"memory, how many times as much for {times} times the text"
    return [*rows, row(f"{pair.name}, {first} to {last} pieces", measure, grown, wanted=f"<= {1.15 * times:.1f}")]


def megabytes(name: str, length: int, who: str) -> float:
    """Measure one run's memory in a fresh process."""
    found: float = apart("benchmarks.trace", "--memory", name, str(length), who)["megabytes"]
    return float(f"{found:.4g}")


@torch.no_grad()
def one_memory(name: str, length: int, who: str) -> None:
    """Print as JSON how far one run of "ours", "sdpa" or "eager" raises this process's memory."""
    pair = PAIRS[name]()
    peer = None if who == "ours" else pair.peer(who)

    def compute(length: int) -> Any:
        sample = pair.sample(length)
        if peer is None:
            return core.trace(pair.model, sample)
        return peer(torch.from_numpy(sample.ids)[None], **(ALL if who == "eager" else {}))

    compute(16)
    print(json.dumps({"megabytes": raised(lambda: compute(length)) / MEGABYTE}))


@torch.no_grad()
def measure(name: str, lengths: Sequence[int]) -> list[Row]:
    """Return all rows of one model, and print them as they come."""
    pair = PAIRS[name]()
    floor, eager = pair.peer("sdpa"), pair.peer("eager")
    print(f"{name}: final states differ by {agree(pair, floor):.1e} of the largest value")
    rows = []
    for length in lengths:
        rows += (found := speed(pair, length, floor, eager))
        show(found)
    del floor, eager
    return [*rows, single(pair), *memory(pair)]


def main() -> None:
    """Read the command line, measure, and save where asked."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)))
    parser.add_argument("--save", action="store_true", help="replace benchmarks/results/trace.json")
    parser.add_argument("--memory", nargs=3, metavar=("MODEL", "LENGTH", "WHO"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    if given.memory:
        one_memory(given.memory[0], int(given.memory[1]), given.memory[2])
        return
    began, lengths = os.getloadavg()[0], [int(length) for length in given.lengths.split(",")]
    rows = [row for name in PAIRS for row in measure(name, lengths)]
    how = f"torch with {given.threads} thread(s), load average {began:.1f} to {os.getloadavg()[0]:.1f}"
    print(QUESTION, how, sep="\n")
    if given.save:
        save("trace", QUESTION, rows, how=how)
    else:
        show(rows)


if __name__ == "__main__":
    main()
