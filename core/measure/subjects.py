"""What can be measured: every mixer, full attention with its whole pattern written down, and the catalogue's models;
and how time and memory of each must grow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from core.blocks.untrained import drawn
from core.catalog import catalog, open_model
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.measure.results import Unit
from core.mixers import MIXERS, SelfAttention, mixer
from core.mixers.softmax import pattern
from core.models import Model
from core.tape import Place
from core.tracing.tracing import walks_over
from core.walk import walk_over

PLAIN = "plain"
NAMES = (PLAIN, *(kind.name for kind in MIXERS))
USUAL = (PLAIN, "everyone", "full", "window", "linear", "mamba2", "dilated", "lstm")
SQUARED = frozenset({PLAIN, "everyone", "full", "best", "summaries"})
SERIAL = ("elman", "lstm", "gru")
WIDTHS = (64, 256)
PLACE = Place("decoder", 0)


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A subject that is ready to run: `run(length)` prepares a text and returns what computes its output."""

    run: Callable[[int], Callable[[], Tensor]]
    module: torch.nn.Module

    @property
    def weights(self) -> int:
        """Bytes of its parameters."""
        return sum(part.numel() * part.element_size() for part in self.module.parameters())


def models() -> tuple[str, ...]:
    """Return the models that can be measured: those of the catalogue whose files are here."""
    return tuple(entry.name for entry in catalog() if entry.place is not None)


def order(subject: str) -> int:
    """Return the power of the length with which a subject's time grows in the end: 2 where every position looks at
    every other, or at a share of them, else 1."""
    return 2 if subject in SQUARED or subject not in NAMES else 1


def known(subject: str) -> None:
    """Make sure that there is such a subject.

    Raises:
        CoreError: `unknown_choice`.
    """
    allowed = (*NAMES, *models())
    if subject not in allowed:
        raise CoreError("unknown_choice", came=subject[:80], allowed=", ".join(allowed))


def prepared(unit: Unit, device: str) -> Prepared:
    """Make a subject on a device.

    Raises:
        CoreError: `unknown_choice`, and what making or opening it raises.
    """
    known(unit.subject)
    if unit.subject in NAMES:
        return _mixer(unit, device)
    return _model(open_model(unit.subject, device=device), unit.back)


def written_down(part: SelfAttention, hidden: Tensor) -> Tensor:
    """Mix with the pattern of all heads written down whole, [head, query, key] (Vaswani et al. 2017, equation 1)."""
    attention = part.attention(hidden, _walk(hidden), PLACE)
    return part.joined(pattern(attention) @ attention.values)


def _mixer(unit: Unit, device: str) -> Prepared:
    part = mixer("everyone" if unit.subject == PLAIN else unit.subject, unit.width)
    part.begin(torch.Generator().manual_seed(0))
    part = part.to(device)

    def run(length: int) -> Callable[[], Tensor]:
        given = drawn(1, length, unit.width, seed=0).to(device)
        if unit.back:
            given.requires_grad_()
        if unit.subject == PLAIN:
            return lambda: written_down(cast(SelfAttention, part), given)
        return lambda: part(given, _walk(given), PLACE)

    return Prepared(run=run, module=part)


def _walk(hidden: Tensor) -> Any:
    return walk_over(torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device))


def _model(model: Model, back: bool) -> Prepared:
    """Make a whole model up to its last hidden state, without the output head."""

    def run(length: int) -> Callable[[], Tensor]:
        if model.spec.positions and length > model.spec.positions:
            raise CoreError("too_long", came=length, allowed=model.spec.positions)
        batch = Batch(samples=(text_of(model, length),))
        return lambda: model.run(*walks_over(model, batch))

    model.network.requires_grad_(back)
    return Prepared(run=run, module=model.network)


def text_of(model: Model, length: int) -> Sample:
    """Return a text of so many pieces, drawn from a seed; for a translator, with an answer of the same length."""
    source = np.random.default_rng(0)
    sample = Sample.from_ids(source.integers(0, model.spec.pieces, length))
    if {"encoder", "decoder"} <= set(model.sides):
        target = Sample.from_ids(source.integers(0, model.spec.written_pieces, length))
        return replace(sample, target=target)
    return sample
