"""Every mixer of the table side by side: operations, cells that may be seen, and bytes, by formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch

from core.analysis.mixing import in_turn, mixed, scan
from core.cost import Keys, Layer, State, Work, cells
from core.masks import Both, Causal, Either, Everyone, Rule, Summaries, Window
from core.mixers import MIXERS, Mixer, SelfAttention, mixer
from core.mixers.convolution import LooksBack, Near
from core.mixers.linear import Linear, Projected
from core.mixers.recurrent import Recurrent
from core.mixers.softmax import near_only
from core.mixers.statespace import Dual, StateSpace

SIZE = 4


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What one mixer takes for a text of `rows` positions, alone, in float32.

    `work` is its plain form's, `least` without what falls on cells that may not be seen, or, of linear attention, one
    row after another. `hidden` are the operations of the two products that fall on hidden cells. `weights` are the
    bytes of its parameters, `text` those of what goes in and comes out, `pattern` those of all cells of all heads where
    it writes them down, `kept` those that it keeps (None for one that cannot write).
    """

    name: str
    idea: str
    rows: int
    work: Work
    least: int
    hidden: int
    weights: int
    text: int
    pattern: int
    kept: int | None

    @property
    def intensity(self) -> float:
        """Operations for every byte, where everything in between stays on the chip."""
        return self.work.total / (self.weights + self.text)

    @property
    def spelled(self) -> float:
        """The same where the pattern is written down and read again."""
        return self.work.total / (self.weights + self.text + 2 * self.pattern)


@cache
def taken(name: str, width: int, rows: int) -> Taken:
    """Return what a mixer of some width takes.

    Raises:
        CoreError: `config_value` for an unknown mixer.
    """
    with torch.device("meta"):
        part = mixer(name, width)
    keeps = keeping(part)
    return Taken(
        name=name,
        idea=next(kind.idea for kind in MIXERS if kind.name == name),
        rows=rows,
        work=mixed(part, rows),
        least=least(part, rows),
        hidden=hidden(part, rows),
        weights=SIZE * sum(one.numel() for one in part.parameters()),
        text=SIZE * 2 * rows * width,
        pattern=SIZE * heads(part) * rows * rows,
        kept=None if keeps is None else keeps.bytes(rows),
    )


def least(part: Mixer, rows: int) -> int:
    """Return the operations without hidden cells; of linear attention those of one row after another."""
    if isinstance(part, Linear):
        return min(in_turn(part, rows).total, mixed(part, rows).total - hidden(part, rows))
    return mixed(part, rows).total - hidden(part, rows)


def heads(part: Mixer) -> int:
    """Return how many maps of cells a mixer's plain form writes down."""
    if isinstance(part, SelfAttention):
        return part.heads.count
    return part.heads if isinstance(part, Linear) else 0


def hidden(part: Mixer, rows: int) -> int:
    """Return the operations of the two products that fall on cells which may not be seen."""
    if isinstance(part, Linear):
        return 2 * part.heads * (2 * part.head_width + 1) * (rows * rows - cells(0, rows))
    if not isinstance(part, SelfAttention):
        return 0
    each = part.heads.head_width + part.heads.read_width
    return 2 * part.heads.count * each * (rows * rows - seen(part.rule, rows))


def seen(rule: Rule, rows: int) -> int:
    """Return how many cells of a square map a rule of the table allows.

    Raises:
        TypeError: another rule.
    """
    if isinstance(rule, Everyone):
        return rows * rows
    if isinstance(rule, Causal):
        return cells(0, rows)
    if isinstance(rule, Both) and isinstance(rule.first, Causal):
        return _seen_back(rule.second, rows)
    raise TypeError(type(rule).__name__)


def _seen_back(rule: Rule, rows: int) -> int:
    """Return how many cells are left of a causal map: a stripe, a stripe and the first column, or blocks on the
    diagonal and the last columns of those before."""
    if isinstance(rule, Window):
        return cells(0, rows, rule.size)
    if isinstance(rule, Either) and isinstance(rule.first, Window):
        return cells(0, rows, rule.first.size) + max(0, rows - rule.first.size)
    if isinstance(rule, Summaries):
        blocks, rest = divmod(rows, rule.size)
        inside = blocks * cells(0, rule.size) + cells(0, rest)
        return inside + rule.kept * (rule.size * cells(0, max(0, blocks - 1)) + blocks * rest)
    raise TypeError(type(rule).__name__)


def keeping(part: Mixer) -> Layer | None:
    """Return what a mixer keeps while it writes, in float32; None for one that sees what comes later."""
    if not part.causal:
        return None
    if isinstance(part, SelfAttention):
        one = part.heads
        return Keys(
            heads=one.count,
            groups=one.groups,
            key_width=one.head_width,
            value_width=one.read_width,
            size=SIZE,
            window=near_only(part.rule),
        )
    numbers = _state(part)
    return State(numbers=numbers, held=SIZE * numbers)


def _state(part: Mixer) -> int:
    """Return how many numbers a mixer hands on."""
    if isinstance(part, Recurrent):
        return part.vectors * part.width
    if isinstance(part, Projected):
        return part.heads * part.head_width * (part.head_width + isinstance(part, Linear))
    if isinstance(part, Near):
        return (part.near.kernel_size[0] - 1) * part.width
    if isinstance(part, LooksBack):
        return (part.kernel - 1) * sum(part.dilations) * part.width
    if isinstance(part, StateSpace):
        given = scan(part)
        near = given.inner + (2 * given.groups * given.state if isinstance(part, Dual) else 0)
        return given.inner * given.state + (given.taps - 1) * near
    raise TypeError(type(part).__name__)
