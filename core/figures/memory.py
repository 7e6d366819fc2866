"""What memory holds, drawn to scale by the page itself: rods that lie, layers over time, and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.sketches import Sketch, Values, stacked


def rods(
    names: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str], *, most: float | None = None
) -> Sketch:
    """Draw one lying bar per name, its parts one after another, the first name on top; the axis ends at `most`.

    `words` has `title` and `x`.
    """
    header = {**words, "y": "", "kind": "rods", "labels": [*names], "names": [*series], "most": most}
    return Sketch(header={**header, "row": max(15, 34 - len(names))}, values=stacked(series))


def layers(
    x: Sequence[int | float],
    series: Mapping[str, Values],
    words: Mapping[str, str],
    *,
    steps: bool = False,
    piled: bool = True,
) -> Sketch:
    """Draw amounts along an axis, one on top of another, or each as a line of its own where they are not `piled`.

    `words` has `title`, `x` and `y`; with `steps` an amount holds from its place to the next one.
    """
    how = {"kind": "layers", "along": [*map(float, x)], "names": [*series], "steps": steps, "piled": piled}
    return Sketch(header={**words, **how, "height": 300}, values=stacked(series))


def blocks(
    owners: NDArray[Any],
    filled: NDArray[Any],
    told: Sequence[str],
    words: Mapping[str, str],
    *,
    size: int,
    marked: Sequence[int] = (),
) -> Sketch:
    """Draw blocks of memory, as many in a row as there is room for, each as full as it is.

    `owners` says whose each block is: -1 nobody's, -2 kept for whoever comes, else a number that has a colour; `filled`
    how many of its `size` slots are written, `told` what a pointer reads. A frame goes around the `marked` ones.
    `words` has `title`.
    """
    whose = {"owners": np.asarray(owners).tolist(), "told": [*told], "marked": [*map(int, marked)]}
    header = {**words, "x": "", "y": "", "kind": "blocks", "names": None, **whose, "size": size}
    return Sketch(header=header, values=np.asarray(filled, dtype=np.float32))
