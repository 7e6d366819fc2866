"""What every mixer takes for a whole text, written as its paper writes it: operations by the sizes of the part.

A row is a position; sums over rows are written out, so that each line is a line of the mixer's own formula.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.cost.work import Work, dense, each, product


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a mixer that looks with heads: numbers a position, heads that look, groups that share keys, numbers
    of a key and of a value."""

    width: int
    heads: int
    groups: int
    key_width: int
    value_width: int


def projected(sizes: Sizes, rows: int) -> Work:
    """Return what queries, keys, values and the way back take (Vaswani et al. 2017, section 3.2.2)."""
    outputs = (sizes.heads + sizes.groups) * sizes.key_width + sizes.groups * sizes.value_width
    return product(rows, sizes.width, outputs) + product(rows, sizes.heads * sizes.value_width, sizes.width)


def looking(sizes: Sizes, rows: int, columns: int) -> Work:
    """Return what one softmax takes, every cell of it: queries scaled, their products with keys, the shares, and their
    products with values (Vaswani et al. 2017, equation 1)."""
    cells = sizes.heads * rows * columns
    scaled, shares = each(sizes.heads * rows * sizes.key_width), each(cells)
    return scaled + product(cells, sizes.key_width, 1) + shares + product(cells, sizes.value_width, 1)


def attention(sizes: Sizes, rows: int) -> Work:
    """Return what softmax attention takes, whatever it hides: the plain form computes the hidden cells too."""
    return projected(sizes, rows) + looking(sizes, rows, rows)


def best_keys(sizes: Sizes, rows: int) -> Work:
    """Return the same where only the best shares of a row are kept: they are added up and divided by their sum (Gupta
    et al. 2021, section 3)."""
    return attention(sizes, rows) + each(2 * sizes.heads * rows * rows)


def kernel(sizes: Sizes, rows: int) -> Work:
    """Return what linear attention takes over all pairs: elu + 1 of queries and keys, the kernel, its products with
    values and with a 1 beside them, which adds up the kernel, and the division by that sum (Katharopoulos et al. 2020,
    equation 4)."""
    features, cells = each(4 * rows * sizes.heads * sizes.key_width), sizes.heads * rows * rows
    weighed = product(cells, sizes.key_width, 1) + product(cells, sizes.value_width + 1, 1)
    return projected(sizes, rows) + features + weighed + each(rows * sizes.heads * sizes.value_width)


def sums(sizes: Sizes, rows: int) -> Work:
    """Return what linear attention takes one row after another: each writes its value, and a 1 beside it, under its key
    into sums that the later ones read (Katharopoulos et al. 2020, equations 18 to 20)."""
    wide = sizes.heads * sizes.value_width
    held = sizes.heads * sizes.key_width * (sizes.value_width + 1)
    features = each(4 * rows * sizes.heads * sizes.key_width)
    return projected(sizes, rows) + features + rows * (each(2 * held) + product(held, 1, 1) + each(wide))


def matrix(sizes: Sizes, rows: int, *, fades: bool, corrects: bool) -> Work:
    """Return what a matrix takes that is handed on from row to row, S(t) = a S(t-1) + b v k^T, y = S q; where it
    `corrects`, v is what S k lacks of it (Yang et al. 2024, "Gated Delta Networks", equation 10)."""
    heads, wide = sizes.heads, sizes.heads * sizes.key_width
    cells = wide * sizes.value_width
    given = each(rows * wide) + each(2 * rows * wide + rows * heads)  # scaled queries; keys of length one
    gates = (int(fades) + int(corrects)) * (dense(rows, sizes.width, heads, bias=True) + each(rows * heads))
    faded, written, read = each(heads + cells), each(wide + 2 * cells), product(cells, 1, 1)
    lacking = product(cells, 1, 1) + each(wide) if corrects else Work()
    return projected(sizes, rows) + given + gates + rows * (faded + lacking + written + read)


def recurrent(width: int, rows: int, *, gates: int, each_row: int) -> Work:
    """Return what a vector takes that is rewritten at every row: `gates` products with what comes and as many with what
    was handed on, and `each_row` numbers computed per number of the vector (Elman 1990: 2; Gers et al. 2000: 13; Cho et
    al. 2014: 11)."""
    return rows * (2 * dense(1, width, gates * width, bias=True) + each(each_row * width))


def convolution(width: int, rows: int, *, taps: int, layers: int = 1, masked: bool = False) -> Work:
    """Return what a stack of convolutions takes, tap by tap: each tap a product, and sums with the bias; from the
    second on a ReLU before and what came in added after (van den Oord et al. 2016, "WaveNet", section 2.1).

    A `masked` kernel is multiplied by its mask first.
    """
    one = product(rows, taps * width, width) + each(taps * rows * width)
    hidden = each(taps * width * width) if masked else Work()
    return layers * (one + hidden) + each(2 * (layers - 1) * rows * width)


def near(width: int, rows: int, *, taps: int) -> Work:
    """Return what a short convolution of each channel for itself takes: taps products and as many sums, the last with
    the bias (Gu and Dao 2023, section 3.4)."""
    return each(2 * taps * rows * width)


@dataclass(frozen=True, kw_only=True)
class Scan:
    """The sizes of a mixer with a state: numbers a position, `inner` of them inside, each with `state` to remember by,
    `taps` convolved before, `rank` that make the steps, `heads` that share a decay, `groups` of them that write
    alike; whether there is a bias in the projections, and in the convolution."""

    width: int
    inner: int
    state: int
    taps: int
    rank: int = 0
    heads: int = 0
    groups: int = 1
    bias: bool = False
    near_bias: bool = False


def selective(scan: Scan, rows: int) -> Work:
    """Return what Mamba takes, h(t) = exp(step A) h(t-1) + step B x, y = C h + D x (Gu and Dao 2023, equation 2 and
    section 3.4)."""
    inner, cells = scan.inner, scan.inner * scan.state
    chosen = dense(rows, inner, scan.rank + 2 * scan.state) + dense(rows, scan.rank, inner, bias=True)
    passed = each(rows * inner) + each(2 * cells) + rows * each(inner + 7 * cells)
    return _around(scan, rows, 2 * inner, inner) + chosen + passed + each(4 * rows * inner)


def dual(scan: Scan, rows: int) -> Work:
    """Return what Mamba-2 takes one row after another, without its last norm: all of a head's state fades by one number
    (Dao and Gu 2024, section 5.1)."""
    inner, cells, heads = scan.inner, scan.inner * scan.state, scan.heads
    near = inner + 2 * scan.groups * scan.state
    steps = each(5 * rows * heads + 2 * heads) + each(rows * inner)
    passed = rows * (each(3 * cells) + product(cells, 1, 1))
    return _around(scan, rows, inner + near + heads, near) + steps + passed + each(4 * rows * inner)


def _around(scan: Scan, rows: int, widened: int, near: int) -> Work:
    """Return what both generations share: widen, convolve what is near, bend it, and narrow at the end."""
    convolved = dense(rows, scan.taps, near, bias=scan.near_bias) + each(rows * near)
    wide = dense(rows, scan.width, widened, bias=scan.bias)
    return wide + convolved + dense(rows, scan.inner, scan.width, bias=scan.bias)
