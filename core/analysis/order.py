"""Order: the rows of position schemes, how they shift, and how alike two positions are at a distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.errors import CoreError
from core.models import Model
from core.positions import Sinusoidal
from core.tracing import Trace

DRAWN = 256
LONGEST = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Some positions of a scheme [position, dimension]: at most 256, evenly picked, so that any length can be drawn."""

    positions: tuple[int, ...]
    values: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Shift:
    """The matrix that moves every row by `offset` positions, and the largest error over all positions of a length."""

    offset: int
    matrix: Numbers
    error: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Likeness:
    """The product of the rows of two positions against their distance: mean, lowest and highest over where they stand.

    Divided by the mean product of a row with itself. Where lowest and highest agree, only the distance counts.
    """

    offsets: tuple[int, ...]
    mean: Numbers
    lowest: Numbers
    highest: Numbers


def picked(length: int, most: int = DRAWN) -> tuple[int, ...]:
    """Return at most `most` positions of a length, evenly spread, the first and the last among them.

    Raises:
        CoreError: `out_of_range` for a length below 1 or above a million.
    """
    if not 1 <= length <= LONGEST:
        raise CoreError("out_of_range", what="length", came=length, allowed=LONGEST)
    return tuple(sorted({int(place) for place in np.linspace(0, length - 1, min(length, most))}))


def rows(scheme: Sinusoidal, length: int) -> Rows:
    """Return the sinusoids of some positions of a length; what is not drawn is not computed."""
    positions = picked(length)
    return Rows(positions=positions, values=scheme.rows(torch.tensor(positions)).numpy())


def learned(trace: Trace) -> Rows | None:
    """Return the position table that the model was published with, None for one that has none."""
    table = _table(trace.model)
    if table is None:
        return None
    positions = picked(len(table))
    return Rows(positions=positions, values=table[list(positions)].float().cpu().numpy())


def shift(scheme: Sinusoidal, offset: int, length: int) -> Shift:
    """Return the block rotation of an offset, and how far M row(p) is from row(p + offset) over at most 256
    positions."""
    places = torch.tensor(picked(length))
    matrix = scheme.shift(offset)
    moved = scheme.rows(places).double() @ matrix.T
    error = float((moved - scheme.rows(places + offset).double()).abs().max())
    return Shift(offset=offset, matrix=matrix.float().numpy(), error=error)


def likeness(values: Tensor, farthest: int) -> Likeness:
    """Return how alike the rows of a table [position, dimension] are at each distance up to `farthest`."""
    table = values.double()
    farthest = min(farthest, len(table) - 1)
    itself = (table * table).sum(-1).mean()
    products = [(table[: len(table) - offset] * table[offset:]).sum(-1) / itself for offset in range(farthest + 1)]
    mean, lowest, highest = (
        np.array([float(how(product)) for product in products], dtype=np.float32)
        for how in (Tensor.mean, Tensor.min, Tensor.max)
    )
    return Likeness(offsets=tuple(range(farthest + 1)), mean=mean, lowest=lowest, highest=highest)


def likeness_of_scheme(scheme: Sinusoidal, farthest: int) -> Likeness:
    """Return how alike sinusoids are at each distance."""
    return likeness(scheme.rows(torch.arange(2 * farthest + 1)), farthest)


def likeness_of_learned(trace: Trace, farthest: int) -> Likeness | None:
    """Return how alike the rows of the model's learned table are at each distance, None where it has none."""
    table = _table(trace.model)
    return None if table is None else likeness(table.cpu(), farthest)


def likeness_of_turning(trace: Trace, layer: int, head: int, farthest: int, starts: int = 16) -> Likeness | None:
    """Return the product of one query and one key of the text, turned as if they stood at each distance.

    The pair is put at several places for every distance: that lowest and highest agree is measured, not assumed. None
    for a model that does not turn its heads.
    """
    attention = trace.layer(layer)
    scheme = _turning(trace.model)
    if scheme is None:
        return None
    query, key = attention.queries[:, head : head + 1, :1], attention.keys[:, head // attention.sharing, :1][:, None]
    places = torch.arange(starts) * 37
    found = np.stack([_products(scheme, query, key, places, offset) for offset in range(farthest + 1)])
    scaled = found / max(1e-30, float(np.abs(found[0]).mean()))
    return Likeness(
        offsets=tuple(range(farthest + 1)),
        mean=scaled.mean(1).astype(np.float32),
        lowest=scaled.min(1).astype(np.float32),
        highest=scaled.max(1).astype(np.float32),
    )


def _products(scheme: Any, query: Tensor, key: Tensor, places: Tensor, offset: int) -> Numbers:
    count = len(places)
    turned = [
        scheme.turn(part.double().expand(1, 1, count, -1), scheme.angles(where[None]))
        for part, where in ((query, places + offset), (key, places))
    ]
    products: Numbers = (turned[0] * turned[1]).sum(-1)[0, 0].cpu().numpy()
    return products


def _table(model: Model) -> Tensor | None:
    found = [p for name, p in model.network.named_parameters() if name.endswith("embed.positions.weight")]
    return found[0].detach() if found else None


def _turning(model: Model) -> Any:
    mixers = (getattr(layer, "mixer", None) for layer in model.side(model.sides[-1]).layers)
    schemes = (getattr(mixer, "positions", None) for mixer in mixers)
    return next((scheme for scheme in schemes if scheme is not None), None)
