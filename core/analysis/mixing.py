"""Every mixer as its formula: what its plain form takes for a text of any length, from its sizes alone."""

from __future__ import annotations

from core.cost import Work, between, mixing
from core.cost.mixing import Scan, Sizes
from core.cost.work import each
from core.mixers import Dual, Mixer, Selective, SelfAttention
from core.mixers.best import BestKeys
from core.mixers.convolution import Around, LooksBack, Masked, Near
from core.mixers.delta import Delta, Gated
from core.mixers.linear import Linear, Projected
from core.mixers.recurrent import GRU, LSTM, Elman
from core.mixers.statespace import StateSpace

REWRITTEN: dict[type[Mixer], tuple[int, int]] = {Elman: (1, 2), LSTM: (4, 13), GRU: (3, 11)}


def mixed(part: Mixer, rows: int) -> Work:
    """Return what a mixer's plain form takes for a text of so many rows.

    Raises:
        TypeError: a mixer without a formula.
    """
    if isinstance(part, SelfAttention):
        formula = mixing.best_keys if isinstance(part, BestKeys) else mixing.attention
        return formula(sizes(part), rows)
    if isinstance(part, Projected):
        return _matrix(part, rows)
    if isinstance(part, StateSpace):
        return _scanned(part, rows)
    if type(part) in REWRITTEN:
        gates, each_row = REWRITTEN[type(part)]
        return mixing.recurrent(part.width, rows, gates=gates, each_row=each_row)
    return _convolved(part, rows)


def in_turn(part: Linear, rows: int) -> Work:
    """Return what linear attention takes one row after another."""
    return mixing.sums(_heads(part), rows)


def sizes(part: SelfAttention) -> Sizes:
    """Return the sizes of softmax attention."""
    heads = part.heads
    return Sizes(
        width=part.width,
        heads=heads.count,
        groups=heads.groups,
        key_width=heads.head_width,
        value_width=heads.read_width,
    )


def scan(part: StateSpace) -> Scan:
    """Return the sizes of a mixer with a state."""
    space = part.space
    return Scan(
        width=part.width,
        inner=space.inner,
        state=space.state,
        taps=space.kernel,
        rank=space.rank,
        heads=space.heads,
        groups=space.groups,
        bias="projections" in space.biases,
        near_bias="near" in space.biases,
    )


def _matrix(part: Projected, rows: int) -> Work:
    given = _heads(part)
    if isinstance(part, Linear):
        return mixing.kernel(given, rows)
    fades = isinstance(part, Gated) and part.fading is not None
    return mixing.matrix(given, rows, fades=fades, corrects=isinstance(part, Delta))


def _heads(part: Projected) -> Sizes:
    one = part.head_width
    return Sizes(width=part.width, heads=part.heads, groups=part.heads, key_width=one, value_width=one)


def _scanned(part: StateSpace, rows: int) -> Work:
    given, norm = scan(part), between.root_mean_square
    if isinstance(part, Dual):
        return mixing.dual(given, rows) + each(rows * norm(given.inner, groups=getattr(part.norm, "groups", 1)))
    found = mixing.selective(given, rows)
    if isinstance(part, Selective) and part.norms is not None:
        found += each(rows * (norm(given.rank) + 2 * norm(given.state)))
    return found


def _convolved(part: Mixer, rows: int) -> Work:
    if isinstance(part, Near):
        return mixing.near(part.width, rows, taps=part.near.kernel_size[0])
    if isinstance(part, Around):
        return mixing.convolution(part.width, rows, taps=part.kernel)
    if isinstance(part, LooksBack):
        hidden = isinstance(part, Masked)
        taps = 2 * part.kernel - 1 if hidden else part.kernel
        return mixing.convolution(part.width, rows, taps=taps, layers=len(part.stack), masked=hidden)
    raise TypeError(type(part).__name__)
