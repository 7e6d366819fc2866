"""What is computed number by number between the products: norms, activations, positions.

What PyTorch carries out in one piece (a LayerNorm, a softmax, a GELU) is one operation for every number that comes out.
"""

from __future__ import annotations


def root_mean_square(width: int, *, groups: int = 1) -> int:
    """Return what an RMSNorm takes for one row: squares, their mean, a root, the division and the gain (Zhang and
    Sennrich 2019, equation 4)."""
    return 4 * width + 2 * groups


def turned(width: int) -> int:
    """Return what turning one key or query takes: of each pair four products and two sums (Su et al. 2021, equation
    34)."""
    return 6 * (width // 2)


def angles(width: int) -> int:
    """Return what the angles of one position take: position times frequency, cosine and sine, each times a strength
    (Su et al. 2021, section 3.2.2; Peng et al. 2023, equation 22)."""
    return 5 * (width // 2)


def waves(width: int) -> tuple[int, int]:
    """Return what sines and cosines of one position take, and what their frequencies take once (Vaswani et al. 2017,
    section 3.5)."""
    half = width // 2
    return 3 * half, 2 * half


def slopes(heads: int) -> int:
    """Return what the slopes of all heads take: two for each up to the last power of two, four for each of the others
    (Press et al. 2022, section 3)."""
    whole = 1 << (heads.bit_length() - 1)
    return 2 * whole + 4 * (heads - whole)


def shares(heads: int, *, biased: bool, capped: bool) -> int:
    """Return what one cell takes in all heads besides products: a share of the softmax, a bias that is added, and a
    soft cap, divided, bent and multiplied (Vaswani et al. 2017, equation 1; Gemma Team 2024, section 2)."""
    return heads * (1 + int(biased) + 3 * int(capped))
