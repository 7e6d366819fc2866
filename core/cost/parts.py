"""What the parts of a model take: matrices that every row meets, and cells in which rows meet one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.cost.keeping import cells
from core.cost.work import Work, each, product, together

KINDS = ("embedding", "stream", "projections", "positions", "looking", "state", "feed_forward", "head")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """How many rows go through a side: `own` positions, those of the `source` that it reads, the `judged` ones that a
    head speaks of, and `distances` that have a row of their own (He et al. 2021, section 3.1)."""

    own: int
    source: int = 0
    judged: int = 0
    distances: int = 0


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a model in numbers.

    `kind` is one of KINDS, `layer` where it is (None: outside of the layers). `matrix` is inputs x outputs, which each
    row of the kind `rows` meets, but for so many that are `spared`; of several matrices that share out the rows, the
    sum of those that a row meets. `looking` is heads x (key width + value width), which each cell of a map of own rows
    against `columns` costs; a row looks at no more than `window` cells (0: no window), and at nothing after it where it
    is `causal`. Besides products `each` row, and of a map each cell (`shares`), computes so many numbers, and so many
    are computed `once`, however long the text is.
    """

    kind: str
    layer: int | None = None
    rows: str = "own"
    matrix: int = 0
    spared: int = 0
    looking: int = 0
    columns: str = "own"
    window: int = 0
    causal: bool = False
    each: int = 0
    shares: int = 0
    once: int = 0

    def plain(self, given: Rows) -> Work:
        """Return what the plain form takes, which computes every cell and then hides what may not be seen."""
        return self._straight(given) + self._looked(given.own * getattr(given, self.columns))

    def needed(self, given: Rows) -> Work:
        """Return what is left when no cell is computed that is hidden: half of a causal map, and of a long text with a
        window a stripe."""
        return self._straight(given) + self._looked(self.cells(given))

    def cells(self, given: Rows) -> int:
        """Return how many cells may be looked at."""
        if not (self.looking or self.shares):
            return 0
        if self.columns == "own" and self.causal:
            return cells(0, given.own, self.window)
        if self.columns == "own" and self.window:
            return 2 * cells(0, given.own, self.window) - given.own
        columns: int = getattr(given, self.columns)
        return given.own * columns

    def _straight(self, given: Rows) -> Work:
        """Return what grows with the rows alone."""
        rows = getattr(given, self.rows)
        alone = each((rows - self.spared) * self.each + self.once)
        return product(rows - self.spared, self.matrix, 1) + alone

    def _looked(self, cells: int) -> Work:
        """Return what grows with the cells."""
        return product(cells, self.looking, 1) + each(cells * self.shares)


def plain(parts: Iterable[Part], given: Rows) -> Work:
    """Return what all parts take in their plain form."""
    return together(part.plain(given) for part in parts)


def needed(parts: Iterable[Part], given: Rows) -> Work:
    """Return what all parts take without hidden cells."""
    return together(part.needed(given) for part in parts)


def two_products(heads: int, head_width: int, length: int) -> int:
    """Return the operations of queries with keys and of shares with values, all cells of all heads: 4 x heads x head
    width x length^2 (Vaswani et al. 2017, table 1)."""
    return Part(kind="looking", looking=2 * heads * head_width).plain(Rows(own=length)).products
