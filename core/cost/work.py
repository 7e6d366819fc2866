"""Operations, added up: products of matrices, and everything that is computed number by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Number = int | float


@dataclass(frozen=True, kw_only=True)
class Work:
    """How many operations something takes.

    `products` are those of matrix products and convolutions, a multiplication and an addition for each pair that is
    summed; `each` are all others, one for every number that is computed (of a sum, one for every number that goes in).
    Choosing, masking and moving numbers is none.
    """

    products: int = 0
    each: int = 0

    @property
    def total(self) -> int:
        """Both together."""
        return self.products + self.each

    def __add__(self, other: Work) -> Work:
        return Work(products=self.products + other.products, each=self.each + other.each)

    def __mul__(self, times: int) -> Work:
        return Work(products=self.products * times, each=self.each * times)

    __rmul__ = __mul__


def together(parts: Iterable[Work]) -> Work:
    """Return the operations of several things."""
    return sum(parts, Work())


def product(rows: int, inner: int, columns: int) -> Work:
    """Return what a product of matrices [rows, inner] and [inner, columns] takes: 2 x rows x inner x columns (Golub and
    Van Loan 2013, section 1.1.15)."""
    return Work(products=2 * rows * inner * columns)


def dense(rows: int, inputs: int, outputs: int, *, bias: bool = False) -> Work:
    """Return what a matrix takes that every row meets, and the bias that is added to what comes out."""
    return product(rows, inputs, outputs) + each(rows * outputs * bias)


def each(numbers: int) -> Work:
    """Return what it takes to compute so many numbers, one operation for each."""
    return Work(each=numbers)
