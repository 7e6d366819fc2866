"""Products of rows with a matrix: the part of a model in which nearly all of its time goes.

While a text is written one row goes through each matrix, so every parameter is read to be multiplied once: what counts
is how fast memory is read. For one row of float32 the usual kernel reads at about 16 GB/s per thread, oneDNN's at 25.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
LARGE = 1 << 17


def times(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return rows weight^T + bias [..., outputs]: the same number, by whichever kernel reads the matrix faster."""
    if (
        rows.dtype is torch.float32
        and rows.numel() == rows.shape[-1]
        and weight.numel() >= LARGE
        and ONE_ROW is not None
        and rows.device.type == "cpu"
        and not torch.is_grad_enabled()
    ):
        return ONE_ROW(rows, weight, bias, "none", [], "")
    return linear(rows, weight, bias)


class Linear(nn.Linear):
    """y = x W^T + b."""

    def forward(self, rows: Tensor) -> Tensor:
        """Multiply, and add the bias where there is one."""
        return times(rows, self.weight, self.bias)


def all_of(rows: Tensor, *parts: Any) -> tuple[Tensor, ...]:
    """Return what several products make of the same rows; one product where their matrices lie one after another in
    memory (`side_by_side`) and a single row comes, which costs less than several."""
    if rows.numel() == rows.shape[-1] and not torch.is_grad_enabled():
        weights = [part.weight for part in parts]
        joined = one_matrix(weights)
        if joined is not None and parts[0].bias is None:
            return times(rows, joined).split([len(weight) for weight in weights], dim=-1)
    return tuple(part(rows) for part in parts)


def one_matrix(weights: Sequence[Tensor]) -> Tensor | None:
    """Return matrices [outputs, inputs] as the one that they are in memory, without a copy; None if they are not."""
    first, count = weights[0], 0
    size, start = first.element_size() * first.shape[1], first.data_ptr()
    for weight in weights:
        if weight.data_ptr() != start + count * size or not weight.is_contiguous():
            return None
        count += len(weight)
    return first.as_strided((count, first.shape[1]), (first.shape[1], 1))


def side_by_side(network: nn.Module, device: torch.device, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return room for the matrices of a decoder's parts that multiply the same rows, one after another in memory, by
    their names: those that a part names in `together`, and only where none has a bias."""
    found: dict[str, Tensor] = {}
    for path, part in network.named_modules():
        if not path.startswith("decoder."):
            continue
        linears = {name: getattr(part, name) for name in getattr(part, "together", ())}
        if len(linears) > 1 and all(one.bias is None for one in linears.values()):
            counts = [len(one.weight) for one in linears.values()]
            room = torch.empty(
                sum(counts), part.get_submodule(next(iter(linears))).in_features, device=device, dtype=dtype
            )
            found |= {f"{path}.{name}.weight": some for name, some in zip(linears, room.split(counts), strict=True)}
    return found
