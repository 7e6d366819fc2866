"""A hundred thousand positions: what is kept stays as small as it was, and memory does not grow with the square."""

import subprocess
import sys

import pytest
import torch

from benchmarks._memory import MEGABYTE, raised
from core.cache import Cache
from core.mixers import SelfAttention, mixer
from core.mixers.softmax import near_only
from core.tape import Place
from core.walk import Walk, walk_over

PLACE, WIDTH, STEPS, PIECE = Place("decoder", 0), 16, 100_000, 1000
NAMES = ("linear", "window", "mamba", "mamba2")
IN_PIECES, AT_ONCE = 5, 300  # MB; what comes out has 6.4, all pairs would have 40,000


def made(name):
    part = mixer(name, WIDTH)
    part.begin(torch.Generator().manual_seed(0))
    return part.eval()


def given(length):
    return torch.randn(1, length, WIDTH, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def at_once(part, hidden):
    return part(hidden, walk_over(torch.ones(hidden.shape[:2], dtype=torch.bool)), PLACE)


@torch.no_grad()
def in_pieces(part, hidden):
    """Read a text a piece at a time with what is kept of those before, and return what the last piece reads."""
    cache = Cache(windows={PLACE: near_only(part.rule)} if isinstance(part, SelfAttention) else {})
    for start in range(0, hidden.shape[1], PIECE):
        positions = torch.arange(start, start + PIECE)[None]
        mixed = part(hidden[:, start : start + PIECE], Walk(positions=positions, cache=cache), PLACE)
        cache.length += PIECE
    return mixed, cache.bytes


def measured(name):
    """Write how far each way of reading raises the highest memory of this process, which is a fresh one, in MB."""
    part, hidden = made(name), given(STEPS)
    for run in (in_pieces, at_once):
        run(part, hidden[:, : 2 * PIECE])
        sys.stdout.write(f"{raised(lambda run=run: run(part, hidden)) / MEGABYTE} ")


@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_thousand_positions_fit_in_little_memory(name):
    call = f"from tests.core.test_long import measured; measured({name!r})"
    done = subprocess.run([sys.executable, "-c", call], check=True, capture_output=True, text=True)
    pieces, whole = map(float, done.stdout.split())
    assert pieces < IN_PIECES
    assert whole < AT_ONCE


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_after_them_is_what_was_kept_after_a_thousand(name):
    part, hidden = made(name), given(10 * PIECE)
    last, kept = in_pieces(part, hidden)
    assert kept == in_pieces(part, hidden[:, :PIECE])[1]
    assert torch.allclose(last, at_once(part, hidden)[:, -PIECE:], rtol=1e-3, atol=1e-4)
