"""Products of rows with a matrix: the part of a model in which nearly all of its time goes.

While a text is written one row goes through each matrix, so every parameter is read to be multiplied once: what counts
is how fast memory is read. For one row of float32 the usual kernel reads at about 16 GB/s per thread, oneDNN's at 25.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


def one_row_kernel() -> Callable[..., Tensor] | None:
    """Return oneDNN's product of rows with a matrix, None where PyTorch was built without it."""
    found: Any = getattr(getattr(torch.ops, "mkldnn", None), "_linear_pointwise", None)
    if found is None or not torch.backends.mkldnn.is_available():
        return None
    kernel: Callable[..., Tensor] = found.default
    return kernel


ONE_ROW = one_row_kernel()


def times(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return rows weight^T + bias [..., outputs]: the same number, by whichever kernel reads the matrix faster."""
    one = rows.numel() == rows.shape[-1] and rows.dtype is torch.float32 and rows.device.type == "cpu"
    if one and ONE_ROW is not None and not torch.is_grad_enabled():
        return ONE_ROW(rows, weight, bias, "none", [], "")
    return linear(rows, weight, bias)


class Linear(nn.Linear):
    """y = x W^T + b."""

    def forward(self, rows: Tensor) -> Tensor:
        """Multiply, and add the bias where there is one."""
        return times(rows, self.weight, self.bias)
