"""How long mixers take on this machine, one position after another and all at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from threading import Lock
from time import perf_counter

import torch
from torch.profiler import ProfilerActivity, profile

from core.analysis.spending import WIDTH, spelled_out
from core.blocks.untrained import drawn
from core.cache import Cache
from core.mixers import Mixer, SelfAttention, mixer
from core.mixers.softmax import near_only
from core.tape import Place
from core.walk import Walk

LENGTH, TIMES, WIDE = 256, 3, 512
PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv")
_one_at_a_time = Lock()


@dataclass(frozen=True, kw_only=True)
class Timed:
    """Seconds that a mixer of 64 numbers a position takes for 256 positions: all of them given `together`, and one
    after the other with what it keeps (`apart`; None for one that cannot write)."""

    name: str
    together: float
    apart: float | None


def timed(name: str) -> Timed:
    """Return how long a mixer takes, the median of three runs.

    Raises:
        CoreError: `config_value` for an unknown mixer.
    """
    part = mixer(name, WIDTH)
    part.begin(torch.Generator().manual_seed(0))
    with _one_at_a_time, torch.no_grad():
        apart = _median(lambda: _step(part, 1)) if part.causal else None
        return Timed(name=name, together=_median(lambda: _step(part, LENGTH)), apart=apart)


@torch.no_grad()
def in_products(name: str) -> float:
    """Return the share of the processor's time that goes into products of matrices when a mixer of 512 numbers a
    position reads 256 of them, 0 to 1, as PyTorch's profiler sees it: recurrences step by step, softmax by its formula.

    Raises:
        CoreError: `config_value` for an unknown mixer.
    """
    part, given = mixer(name, WIDE), drawn(1, LENGTH, WIDE, seed=0)
    part.begin(torch.Generator().manual_seed(0))
    with _one_at_a_time:
        spelled_out(part, given)
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            for _ in range(TIMES):
                spelled_out(part, given)
    times = {one.key: one.self_cpu_time_total for one in seen.key_averages()}
    return float(sum(times.get(f"aten::{product}", 0.0) for product in PRODUCTS) / sum(times.values()))


def _step(part: Mixer, size: int) -> None:
    """Read the positions, `size` at a time."""
    place, given = Place("decoder", 0), drawn(1, LENGTH, WIDTH, seed=0)
    cache = None if size == LENGTH else Cache(windows=_windows(part, place))
    for start in range(0, LENGTH, size):
        positions = torch.arange(start, start + size)[None]
        part(given[:, start : start + size], Walk(positions=positions, cache=cache), place)
        if cache is not None:
            cache.length += size


def _windows(part: Mixer, place: Place) -> dict[Place, int]:
    return {place: near_only(part.rule)} if isinstance(part, SelfAttention) else {}


def _median(run: Callable[[], None]) -> float:
    def once() -> float:
        began = perf_counter()
        run()
        return perf_counter() - began

    return median(once() for _ in range(TIMES))
