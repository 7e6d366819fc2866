"""What a loaded model itself holds of each position scheme, and the same as published where it holds none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.order import Likeness, gathered, picked, table_of
from core.blocks.computed import ComputedEmbeddings
from core.models import Model
from core.positions import Alibi, Neighbours, Rotary
from core.positions.alibi import slopes as published
from core.positions.buckets import Buckets, Ranges
from core.positions.disentangled import DistanceRows
from core.tracing import Trace

HEAD_WIDTH, STARTS, APART = 64, 16, 37


@dataclass(frozen=True, kw_only=True, eq=False)
class Turns:
    """By which angle each pair of dimensions is turned at some positions [position, pair], between -pi and pi.

    `wavelengths` [pair] says how many positions a pair takes to come round.
    """

    positions: tuple[int, ...]
    angles: Numbers
    wavelengths: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranged:
    """The bucket of each offset (key - query), and what the model adds for it in every head [head, offset] (None: no
    model, no values)."""

    offsets: tuple[int, ...]
    buckets: tuple[int, ...]
    values: Numbers | None


def names(trace: Trace, side: str | None = None, layer: int = 0) -> tuple[str, ...]:
    """Return by which schemes a layer of the model is told where a piece stands."""
    mixer = _mixer(trace.model, side, layer)
    turning, adding = getattr(mixer, "positions", None), getattr(mixer, "relative", None)
    parts = list(_stack(trace.model, side).modules())
    found = {
        "sinusoidal": any(isinstance(part, ComputedEmbeddings) for part in parts),
        "learned": table_of(trace.model) is not None,
        "rotary": turning is not None,
        "alibi": isinstance(adding, Alibi),
        "buckets": isinstance(adding, Buckets),
        "relative": any(isinstance(part, DistanceRows) for part in parts),
    }
    return tuple(name for name, there in found.items() if there)


def turns(trace: Trace, length: int, start: int = 0, side: str | None = None, layer: int = 0) -> Turns | None:
    """Return the angles of a layer of the model, None where it turns nothing."""
    scheme = getattr(_mixer(trace.model, side, layer), "positions", None)
    return None if scheme is None else _turns(scheme, length, start)


def turns_of(length: int, start: int = 0, base: float = 10_000.0, head_width: int = HEAD_WIDTH) -> Turns:
    """Return the angles of the paper (Su et al. 2021, section 3.2.2) for heads of some width."""
    return _turns(Rotary(head_width=head_width, base=base), length, start)


def slopes(trace: Trace, side: str | None = None) -> Numbers | None:
    """Return the slope of every head of the model, None where it has none."""
    part = getattr(_mixer(trace.model, side, 0), "relative", None)
    return (published(part.heads) * part.scale).numpy() if isinstance(part, Alibi) else None


def slopes_of(heads: int) -> Numbers:
    """Return the published slopes for a number of heads (Press et al. 2022, section 3)."""
    found: Numbers = published(heads).numpy()
    return found


def buckets(trace: Trace, farthest: int, side: str | None = None) -> Ranged | None:
    """Return the buckets of a side of the model and what it learned for each, None where it has none."""
    part = next((part for part in _stack(trace.model, side).modules() if isinstance(part, Buckets)), None)
    if part is None:
        return None
    found = buckets_of(farthest, part.ranges)
    values = part.table.weight.detach().float().cpu()[list(found.buckets)].T.numpy()
    return Ranged(offsets=found.offsets, buckets=found.buckets, values=values)


def buckets_of(farthest: int, ranges: Ranges | None = None) -> Ranged:
    """Return the published buckets, 32 of them and both ways (Raffel et al. 2020, section 2.1)."""
    offsets = torch.arange(-farthest, farthest + 1)
    found = (ranges or Ranges()).of(offsets[None])[0]
    return Ranged(offsets=tuple(offsets.tolist()), buckets=tuple(found.tolist()), values=None)


def biases(steep: Numbers, farthest: int) -> Numbers:
    """Return what slopes add at each distance behind the query, from 0 on [head, distance]."""
    return (-steep[:, None] * np.arange(farthest + 1)).astype(np.float32)


def likeness_of_turning(trace: Trace, layer: int, head: int, farthest: int, side: str | None = None) -> Likeness | None:
    """Return the product of the last token's query and key, turned back and then as if they stood at each distance.

    The pair is put at sixteen places for every distance: that lowest and highest agree is measured, not assumed. None
    for a layer that does not turn its heads.
    """
    attention, scheme = trace.layer(layer, side), getattr(_mixer(trace.model, side, layer), "positions", None)
    if scheme is None:
        return None
    query, key = attention.queries[:, head, None], attention.keys[:, head // attention.sharing, None]
    return _likeness(scheme, _turned_back(scheme, query), _turned_back(scheme, key), farthest)


def likeness_of_rotary(farthest: int, base: float = 10_000.0, head_width: int = HEAD_WIDTH) -> Likeness:
    """Return the product of a vector of ones with itself, turned by the paper's angles at each distance."""
    ones = torch.ones(1, 1, 1, head_width)
    return _likeness(Rotary(head_width=head_width, base=base), ones, ones, farthest)


def _turned_back(scheme: Any, heads: Tensor) -> Tensor:
    """Return the last of some turned queries or keys as it was before."""
    places = torch.arange(heads.shape[2], device=heads.device)[None]
    cosine, sine = (part[:, :, -1:].double() for part in scheme.angles(places))
    length = cosine.square() + sine.square()
    found: Tensor = scheme.turn(heads[:, :, -1:].double(), (cosine / length, -sine / length))
    return found


def _likeness(scheme: Any, query: Tensor, key: Tensor, farthest: int) -> Likeness:
    found = [_products(scheme, query, key, offset) for offset in range(farthest + 1)]
    itself = max(1e-30, float(np.abs(found[0]).mean()))
    return gathered([products / itself for products in found])


def _products(scheme: Any, query: Tensor, key: Tensor, offset: int) -> Any:
    keys = torch.arange(STARTS, device=query.device) * APART
    places = torch.cat((keys + offset, keys))[None]
    heads = torch.cat([part.double().expand(1, 1, STARTS, -1) for part in (query, key)], dim=2)
    turned = scheme.turn(heads, scheme.angles(places))[0, 0]
    return (turned[:STARTS] * turned[STARTS:]).sum(-1).cpu().numpy()


def _turns(scheme: Any, length: int, start: int) -> Turns:
    rotary = scheme.rotary if isinstance(scheme, Neighbours) else scheme
    positions = tuple(start + place for place in picked(length))
    places = torch.tensor(positions)
    cosine, sine = (part[0, 0] for part in scheme.angles(places[None]))
    frequencies = rotary.scaling.frequencies(rotary.base, rotary.head_width, places.amax()[None] + 1)[0]
    wavelengths = (2 * math.pi / frequencies).float().numpy()
    return Turns(positions=positions, angles=torch.atan2(sine, cosine).numpy(), wavelengths=wavelengths)


def _stack(model: Model, side: str | None) -> Any:
    return model.side(side if side in model.sides else model.sides[-1])


def _mixer(model: Model, side: str | None, layer: int) -> Any:
    return getattr(_stack(model, side).layers[layer], "mixer", None)
