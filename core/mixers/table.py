"""The table of mixers that can be set beside one another: what each is, and how one is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn
from torch.nn.functional import silu

from core.errors import CoreError
from core.masks import Causal, Everyone, Globals, Rule, Summaries, Window
from core.mixers.attention import Heads, SelfAttention
from core.mixers.best import BestKeys
from core.mixers.convolution import Around, LooksBack, Masked, Near
from core.mixers.delta import Delta, Gated
from core.mixers.linear import Linear
from core.mixers.mixer import Mixer
from core.mixers.recurrent import GRU, LSTM, Elman
from core.mixers.statespace import Dual, Selective, Space

HEADS, NEAR, BEST = 4, 16, 4


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One row: a mixer's name, its family of ideas, the year of its paper, the mixers it came from, and how one of a
    width (a multiple of 8) is made."""

    name: str
    idea: str
    year: int
    make: Callable[[int], Mixer]
    after: tuple[str, ...] = ()


def _looking(rule: Rule) -> Callable[[int], Mixer]:
    return lambda width: SelfAttention(width, _heads(width), rule=rule)


def _heads(width: int) -> Heads:
    head_width = width // HEADS
    return Heads(count=HEADS, groups=HEADS, head_width=head_width, scale=head_width**-0.5)


def _selective(width: int) -> Mixer:
    space = Space(inner=2 * width, state=16, kernel=4, rank=max(1, width // 16), biases=frozenset({"near"}))
    return Selective(width, space, act=silu)


def _dual(width: int) -> Mixer:
    space = Space(inner=2 * width, state=16, kernel=4, heads=HEADS, biases=frozenset({"near"}))
    return Dual(width, space, act=silu, norm=nn.RMSNorm(2 * width, eps=1e-5))


MIXERS = (
    Kind(name="elman", idea="recurrent", year=1990, make=Elman),
    Kind(name="lstm", idea="recurrent", year=1997, after=("elman",), make=LSTM),
    Kind(name="gru", idea="recurrent", year=2014, after=("lstm",), make=GRU),
    Kind(name="near", idea="convolution", year=2023, after=("convolution",), make=Near),
    Kind(name="convolution", idea="convolution", year=1989, make=LooksBack),
    Kind(
        name="dilated",
        idea="convolution",
        year=2016,
        after=("masked",),
        make=lambda width: LooksBack(width, kernel=2, dilations=(1, 2, 4, 8)),
    ),
    Kind(name="masked", idea="convolution", year=2016, after=("convolution",), make=Masked),
    Kind(name="around", idea="convolution", year=2013, after=("convolution",), make=Around),
    Kind(name="everyone", idea="softmax", year=2017, make=_looking(Everyone())),
    Kind(name="full", idea="softmax", year=2017, after=("everyone",), make=_looking(Causal())),
    Kind(
        name="window",
        idea="sparse",
        year=2020,
        after=("full", "summaries"),
        make=_looking(Causal() & Window(size=NEAR)),
    ),
    Kind(name="summaries", idea="sparse", year=2019, after=("full",), make=_looking(Causal() & Summaries(size=NEAR))),
    Kind(
        name="globals",
        idea="sparse",
        year=2020,
        after=("window",),
        make=_looking(Causal() & (Window(size=NEAR) | Globals())),
    ),
    Kind(
        name="best",
        idea="sparse",
        year=2019,
        after=("full",),
        make=lambda width: BestKeys(width, _heads(width), rule=Causal(), best=BEST),
    ),
    Kind(name="linear", idea="linear", year=2020, after=("full",), make=Linear),
    Kind(name="gated", idea="linear", year=2023, after=("linear", "lstm"), make=Gated),
    Kind(name="delta", idea="linear", year=2021, after=("linear",), make=lambda width: Delta(width, fades=False)),
    Kind(name="gated_delta", idea="linear", year=2024, after=("delta", "gated"), make=Delta),
    Kind(name="mamba", idea="state", year=2023, after=("gru", "near"), make=_selective),
    Kind(name="mamba2", idea="state", year=2024, after=("mamba", "linear"), make=_dual),
)


def mixer(name: str, width: int) -> Mixer:
    """Return a mixer by its name.

    Raises:
        CoreError: `config_value` for a name that is not in the table, or a width that its heads do not divide.
    """
    makes = {kind.name: kind.make for kind in MIXERS}
    if name not in makes:
        raise CoreError("config_value", name="mixers", came=name[:80], allowed=", ".join(makes))
    if width < 1 or width % (2 * HEADS):
        raise CoreError("config_value", name="width", came=width, allowed=f"{2 * HEADS} n")
    return makes[name](width)
