"""How fast is a text written, one piece after another? Ours against `transformers` with its cache, in one run.

SmolLM2 with the very same parameters, greedy, in float32 and in bfloat16: a prompt of 128 pieces is read and 128 are
written, ours and the peer's in turn, with one thread and with as many as PyTorch takes. Tokens per second count the
reading of the prompt, as whoever waits does.

Writing reads every parameter and the whole cache for each piece, so it can be no faster than memory is read: the bound
is the time in which one product of a row with a matrix of as many bytes is computed, by whichever kernel here is the
fastest. What a step spends beside its products is measured by leaving these out.

    python -m benchmarks.decode [--save] [--llama PYTHON]

Beside it stands what llama.cpp makes of the published file, by `llama-cpp-python` in an environment of its own: a new
one where the package index has it ready to install, or the one whose Python is named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

import core
from benchmarks._pairs import llama_config
from benchmarks._rows import digits, row, save, show
from core import products, serving
from core.catalog.folders import locate
from core.cost import cache_bytes
from core.models import Model
from core.models.llama import NAMES
from core.weights.filling import ours as our_name

QUESTION = "How fast is a text written, one piece after another?"
PROMPT, WRITTEN, REPEATS, READINGS = 128, 128, 3, 9
TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
GIGABYTE = 1e9
LLAMA = """
import json, sys, time
from llama_cpp import Llama
path, threads, ids, count = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]), int(sys.argv[4])
model = Llama(path, n_ctx=512, n_threads=threads, n_threads_batch=threads, verbose=False)
found = []
for _ in range(4):
    model.reset()
    began = time.perf_counter()
    model.eval(ids)
    for _ in range(count - 1):
        model.eval([model.sample(temp=0)])
    found.append(time.perf_counter() - began)
print(json.dumps(sorted(found[1:])[1]))
"""

Row = dict[str, Any]


@dataclass
class Times:
    """Seconds of each repeat: of a whole text, ours and the peer's, of one step of ours and of the bound."""

    ours: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)
    step: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)


def prompt(model: Model) -> Tensor:
    """Return 128 pieces at random, always the same."""
    chance = torch.Generator().manual_seed(1)
    return torch.randint(5, model.spec.pieces, (PROMPT,), generator=chance)


def written(model: Model, ids: Tensor, times: Times) -> list[int]:
    """Write with ours; note how long all of it took, and the median step after the first."""
    moments, found = [time.perf_counter()], []
    for step in core.generate(model, core.Sample.from_ids(ids.numpy()), limit=WRITTEN):
        moments.append(time.perf_counter())
        found.append(step.ident)
    times.ours.append(moments[-1] - moments[0])
    times.step.append(median(after - before for before, after in pairwise(moments[1:])))
    return found


def peer_of(model: Model) -> Any:
    """Return the model of `transformers` that computes with our own tensors."""
    from transformers import LlamaForCausalLM

    with torch.device("meta"):
        found = LlamaForCausalLM(llama_config(model))
    parameters = dict(model.network.named_parameters())
    names = (name for name in found.state_dict() if name != "lm_head.weight")
    wanted = {name: parameters[str(our_name(name.removeprefix("model."), NAMES))] for name in names}
    found.load_state_dict({**wanted, "lm_head.weight": wanted["model.embed_tokens.weight"]}, assign=True)
    found.model.rotary_emb = type(found.model.rotary_emb)(found.config)
    return found.eval()


@torch.inference_mode()
def written_by(peer: Any, ids: Tensor, times: Times) -> list[int]:
    """Write with the peer; note how long all of it took."""
    how = {"max_new_tokens": WRITTEN, "min_new_tokens": WRITTEN, "do_sample": False, "pad_token_id": 0}
    began = time.perf_counter()
    found: list[int] = peer.generate(ids[None], attention_mask=torch.ones_like(ids)[None], **how)[0, PROMPT:].tolist()
    times.peer.append(time.perf_counter() - began)
    return found


def reading(bytes_: int, width: int) -> dict[str, Callable[[], Tensor]]:
    """Return products of one row with a matrix of so many bytes, by each kernel that reads fast."""
    room = products.room_for(bytes_ // (4 * width) * width, torch.device("cpu"), torch.float32)
    matrix, vector = room.normal_().view(-1, width), torch.randn(1, width)
    found: dict[str, Callable[[], Tensor]] = {
        "float32, mv": lambda: torch.mv(matrix, vector[0]),
        "float32, times": lambda: products.times(vector, matrix),
    }
    kernel = products.PRODUCT
    if kernel is not None:
        found["float32, oneDNN"] = lambda: kernel(vector, matrix, None, "none", [], "")
    if products.IN_PAIRS is not None:
        halves = products.IN_PAIRS(torch.randn(bytes_ // (2 * width), width).bfloat16(), 1)
        half, plain = vector.bfloat16(), torch.empty(0, dtype=torch.bfloat16)
        found["bfloat16, times"] = lambda: products.times(half, plain, None, halves)
    return found


@torch.inference_mode()
def fastest(kernels: dict[str, Callable[[], Tensor]], times: Times) -> None:
    """Note how long the fastest of some products takes, each computed several times."""
    times.bound.append(min(median(seconds(kernel) for _ in range(READINGS)) for kernel in kernels.values()))


def seconds(run: Callable[[], Any]) -> float:
    """Return how long one run takes."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


@contextmanager
def no_products() -> Iterator[None]:
    """Leave products of one row out: something of their shape comes instead."""
    kept = products.times

    def instead(rows: Tensor, weight: Tensor, bias: Tensor | None = None, twin: Tensor | None = None) -> Tensor:
        if rows.numel() != rows.shape[-1]:
            return kept(rows, weight, bias, twin)
        return torch.full((*rows.shape[:-1], weight.shape[0]), 0.1, dtype=rows.dtype)

    products.times = instead
    try:
        yield
    finally:
        products.times = kept


def rows_of(kind: str, threads: int) -> list[Row]:
    """Return the rows of one type of numbers, computed by so many threads."""
    torch.set_num_threads(threads)
    model = core.open_model("smollm2", device="cpu", dtype=TYPES[kind])
    peer, ids, times = peer_of(model), prompt(model), Times()
    bytes_ = model.weight_bytes + cache_bytes(serving.layers(model), PROMPT + WRITTEN // 2)
    kernels = reading(bytes_, model.spec.width)
    mine, other = written(model, ids, Times()), written_by(peer, ids, Times())
    if kind == "float32" and mine != other:
        raise SystemExit("The two write different pieces; nothing is measured.")
    fastest(kernels, Times())
    for _ in range(REPEATS):
        written(model, ids, times)
        written_by(peer, ids, times)
        fastest(kernels, times)
    empty = Times()
    with no_products():
        written(model, ids, empty)
    return told(f"{kind}, {threads} thread(s)", times, bytes_, empty.step[0], alike(mine, other))


def alike(mine: list[int], other: list[int]) -> int:
    """Return how many pieces are the same before the first that differs."""
    return next((place for place, pair in enumerate(zip(mine, other, strict=True)) if pair[0] != pair[1]), len(mine))


def told(kind: str, times: Times, bytes_: int, empty: float, same: int) -> list[Row]:
    """Make rows of what was measured; ratios are medians of the ratios of each turn."""
    setting = f"SmolLM2, {kind}, {PROMPT} pieces read, {WRITTEN} written"
    against = median(peer / ours for ours, peer in zip(times.ours, times.peer, strict=True))
    share = median(bound / step for bound, step in zip(times.bound, times.step, strict=True))
    step, bound = median(times.step), median(times.bound)
    speeds = [digits(WRITTEN / median(seconds)) for seconds in (times.ours, times.peer)]
    return [
        row(setting, "tokens per second", speeds[0], peer=speeds[1], ratio=digits(against), wanted=">= 1.5"),
        row(setting, "share of what memory allows", digits(share), wanted=">= 0.5"),
        row(setting, "milliseconds of a step", digits(1e3 * step), floor=digits(1e3 * bound)),
        row(setting, "milliseconds of a step beside its products", digits(1e3 * empty)),
        row(
            setting,
            "GB/s read while writing",
            digits(bytes_ / step / GIGABYTE),
            floor=digits(bytes_ / bound / GIGABYTE),
        ),
        row(setting, "pieces that are the peer's before the first other", same),
    ]


def llama(python: str | None) -> list[Row]:
    """Return the row of llama.cpp, by a Python that has it or one that is made here; where that fails, say why."""
    entry = next(entry for entry in core.catalog() if entry.name == "smollm2")
    ids = json.dumps(prompt(core.open_model("smollm2", device="cpu")).tolist())
    given = [str(locate(entry) / entry.weights), str(torch.get_num_threads()), ids, str(WRITTEN)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = ran(python or made(Path(folder)), "-c", LLAMA, *given)
        except (subprocess.CalledProcessError, OSError) as error:
            why = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
            print("llama-cpp-python does not install or run here, so its figure is left out:", why[:200])
            return []
    speed = digits(WRITTEN / float(done.splitlines()[-1]))
    found = [row(f"SmolLM2, {entry.weights}, llama.cpp", "tokens per second", speed)]
    show(found)
    return found


def made(folder: Path) -> str:
    """Make an environment with llama-cpp-python, and return its Python; what has to be compiled is not taken."""
    ran(sys.executable, "-m", "venv", str(folder))
    python = str(folder / "bin" / "python")
    ran(python, "-m", "pip", "install", "--quiet", "--only-binary", "llama-cpp-python", "llama-cpp-python")
    return python


def ran(*command: str) -> str:
    """Run a command, and return what it printed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Read the command line, measure, and save where asked."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--save", action="store_true", help="replace benchmarks/results/decode.json")
    parser.add_argument("--llama", metavar="PYTHON", help="a Python that has llama-cpp-python")
    given = parser.parse_args()
    began = os.getloadavg()[0]
    rows: list[Row] = []
    every = torch.get_num_threads()
    for threads, kind in product(sorted({1, every}), TYPES):
        rows += rows_of(kind, threads)
        show(rows[-6:])
    rows += llama(given.llama)
    how = f"load average {began:.1f} to {os.getloadavg()[0]:.1f}"
    print(QUESTION, how, sep="\n")
    if given.save:
        save("decode", QUESTION, rows, how=how)


if __name__ == "__main__":
    main()
