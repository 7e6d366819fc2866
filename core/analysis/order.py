"""Order: the rows of position schemes, how they shift, and how alike two positions are at a distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.maps import Numbers
from core.errors import CoreError
from core.models import Model
from core.positions import Sinusoidal
from core.tracing import Trace

DRAWN = 256
CHECKED = 8192
ALIKE = 1024
LONGEST = 1_000_000
TABLES = ("embed.positions.weight", "narrow.positions.weight")


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Some positions of a scheme [position, dimension]: at most 256 of `length`, so that any length can be drawn."""

    positions: tuple[int, ...]
    values: Numbers
    length: int


@dataclass(frozen=True, kw_only=True)
class Wave:
    """What one dimension holds: the sine or the cosine of a wave, and how many positions it takes to come round."""

    dimension: int
    kind: str
    wavelength: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Shift:
    """The matrix that moves every row by `offset` positions, and the largest error over `checked` positions: all of
    a length, where they are at most 8,192."""

    offset: int
    matrix: Numbers
    error: float
    checked: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Likeness:
    """The product of the rows of two positions against their distance: mean, lowest and highest over where they stand.

    Divided by the mean product of a row with itself. Where lowest and highest agree, only the distance counts.
    """

    offsets: tuple[int, ...]
    mean: Numbers
    lowest: Numbers
    highest: Numbers

    @property
    def spread(self) -> float:
        """The largest difference between two pairs at one distance: rounding, where only the distance counts."""
        return float((self.highest - self.lowest).max())

    @property
    def reach(self) -> tuple[float, float]:
        """Where all means lie, and all bands from distance 1 on: one long row may take distance 0 far beyond."""
        shown = np.concatenate((self.mean, self.lowest[1:], self.highest[1:]))
        lowest, highest = shown.min(), shown.max()
        around = 0.05 * (highest - lowest)
        return float(lowest - around), float(highest + around)

    @property
    def beyond(self) -> float | None:
        """The highest product of a row with itself, where it lies outside `reach`."""
        return float(self.highest[0]) if self.highest[0] > self.reach[1] else None


def waves(scheme: Sinusoidal, dimensions: Sequence[int]) -> tuple[Wave, ...]:
    """Return which wave each of some dimensions holds."""
    sines, cosines = (places.tolist() for places in scheme.places())
    wavelengths = scheme.wavelengths().tolist()
    found = {place: ("sine", wave) for wave, place in enumerate(sines)}
    found |= {place: ("cosine", wave) for wave, place in enumerate(cosines)}
    return tuple(
        Wave(dimension=place, kind=found[place][0], wavelength=wavelengths[found[place][1]]) for place in dimensions
    )


def sinusoids(width: int, base: float, layout: str) -> Sinusoidal:
    """Return the sinusoids of the paper at any width and base, in one of its two layouts."""
    return Sinusoidal(width=width, base=base, layout=layout)


def picked(length: int, most: int = DRAWN) -> tuple[int, ...]:
    """Return at most `most` positions of a length, evenly spread, the first and the last among them.

    Raises:
        CoreError: `out_of_range` for a length below 1 or above a million.
    """
    if not 1 <= length <= LONGEST:
        raise CoreError("out_of_range", what="length", came=length, allowed=LONGEST)
    return tuple(sorted({int(place) for place in np.linspace(0, length - 1, min(length, most))}))


def rows(scheme: Sinusoidal, length: int, start: int = 0) -> Rows:
    """Return the sinusoids of some positions of a length, from `start` on; what is not drawn is not computed."""
    positions = tuple(start + place for place in picked(length))
    return Rows(positions=positions, values=scheme.rows(torch.tensor(positions)).numpy(), length=length)


def neighbours(scheme: Sinusoidal, dimensions: Sequence[int], length: int, start: int = 0) -> Rows:
    """Return some dimensions of at most 256 positions in a row, none left out, so that fast waves keep their shape.

    Raises:
        CoreError: `out_of_range` for a dimension that does not exist.
    """
    positions = tuple(range(start, start + min(length, DRAWN)))
    values = _dimensions(scheme.rows(torch.tensor(positions)), dimensions)
    return Rows(positions=positions, values=values.numpy(), length=length)


def learned(trace: Trace, most: int = DRAWN) -> Rows | None:
    """Return the position table that the model was published with, None for one that has none."""
    table = table_of(trace.model)
    if table is None:
        return None
    positions = picked(len(table), most)
    return Rows(positions=positions, values=table[list(positions)].float().cpu().numpy(), length=len(table))


def learned_neighbours(trace: Trace, dimensions: Sequence[int], start: int = 0) -> Rows | None:
    """Return some dimensions of at most 256 rows of the model's own table that follow one another.

    Raises:
        CoreError: `out_of_range` for a dimension that does not exist.
    """
    table = table_of(trace.model)
    if table is None:
        return None
    positions = range(len(table))[start : start + DRAWN] or range(len(table))[-DRAWN:]
    values = _dimensions(table[positions.start : positions.stop], dimensions)
    return Rows(positions=tuple(positions), values=values.float().cpu().numpy(), length=len(table))


def _dimensions(values: Tensor, dimensions: Sequence[int]) -> Tensor:
    last = values.shape[1] - 1
    for dimension in dimensions:
        if not 0 <= dimension <= last:
            raise CoreError("out_of_range", what="dimension", came=dimension, allowed=last)
    return values[:, list(dimensions)]


def shift(scheme: Sinusoidal, offset: int, length: int) -> Shift:
    """Return the block rotation of an offset, and how far M row(p) is from row(p + offset); of more than 8,192
    positions that many are checked, evenly spread."""
    matrix, error, places = scheme.shift(offset), 0.0, torch.tensor(picked(length, CHECKED))
    for some in places.split(DRAWN):
        moved = scheme.rows(some).double() @ matrix.T
        error = max(error, float((moved - scheme.rows(some + offset).double()).abs().max()))
    return Shift(offset=offset, matrix=matrix.float().numpy(), error=error, checked=len(places))


def block(scheme: Sinusoidal, found: Shift, wave: int) -> tuple[float, float]:
    """Return the cosine and the sine by which one wave is turned."""
    sine, cosine = (int(places[wave]) for places in scheme.places())
    return float(found.matrix[sine, sine]), float(found.matrix[sine, cosine])


def likeness(values: Tensor, farthest: int) -> Likeness:
    """Return how alike the rows of a table [position, dimension] are at each distance up to `farthest`; of a longer
    table, its first 1,024 rows."""
    table = values[:ALIKE].double()
    products = table @ table.T
    products = products / products.diagonal().mean()
    offsets = tuple(range(min(farthest, len(table) - 1) + 1))
    return gathered([products.diagonal(-offset).numpy() for offset in offsets])


def gathered(products: Sequence[NDArray[np.float64]]) -> Likeness:
    """Return mean, lowest and highest of what was found at each distance, from distance 0 on."""
    mean, lowest, highest = (
        np.array([how(found) for found in products], dtype=np.float32) for how in (np.mean, np.min, np.max)
    )
    return Likeness(offsets=tuple(range(len(products))), mean=mean, lowest=lowest, highest=highest)


def likeness_of_scheme(scheme: Sinusoidal, farthest: int) -> Likeness:
    """Return how alike sinusoids are at each distance."""
    return likeness(scheme.rows(torch.arange(2 * farthest + 1)), farthest)


def likeness_of_learned(trace: Trace, farthest: int) -> Likeness | None:
    """Return how alike the rows of the model's learned table are at each distance, None where it has none."""
    table = table_of(trace.model)
    return None if table is None else likeness(table.cpu(), farthest)


def table_of(model: Model) -> Tensor | None:
    """Return the learned rows of a model [position, width], None where it has none."""
    found = [part for name, part in model.network.named_parameters() if name.endswith(TABLES)]
    return found[0].detach() if found else None
