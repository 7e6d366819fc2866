"""Products of rows with a matrix: the part of a model in which nearly all of its time goes.

Numbers of float32 are multiplied by oneDNN's kernel, where PyTorch has it, instead of the usual one. Of many rows it
takes half the time on the AMD processor that this was measured on, from five rows to thousands. While a text is written
one row goes through each matrix, so every parameter is read to be multiplied once: what counts is how fast memory is
read, by the usual kernel at about 12 GB/s, by oneDNN's at 25, by one thread of OpenBLAS, which NumPy brings, at 33.

Numbers of bfloat16 are multiplied in pairs, and a matrix whose pairs do not lie as the processor wants them is turned
over for every row, at half that speed or less. So a decoder's large matrices of bfloat16 are held in that order too, as
twins of the parameters: twice the bytes (those of float32), for a little more than twice the speed.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear

Kernel = Callable[..., Tensor]
LARGE, WORTHWHILE, ALIGNED, FEW_THREADS = 1 << 17, 1 << 16, 64, 2
TWIN, JOINT = "twin", "joint_twin"


def product_kernel() -> Kernel | None:
    """Return oneDNN's product of rows with a matrix, None where PyTorch was built without it."""
    found: Any = getattr(getattr(torch.ops, "mkldnn", None), "_linear_pointwise", None)
    if found is None or not torch.backends.mkldnn.is_available():
        return None
    kernel: Kernel = found.default
    return kernel


def in_pairs() -> Kernel | None:
    """Return what puts a matrix of bfloat16 into oneDNN's own order for so many rows at once, None where the processor
    does not multiply such numbers."""
    group: Any = getattr(torch.ops, "mkldnn", None)
    known = getattr(group, "_is_mkldnn_bf16_supported", None)
    if PRODUCT is None or known is None or not known():
        return None
    kernel: Kernel = group._reorder_linear_weight
    return kernel


def has_openblas() -> bool:
    """Tell whether NumPy multiplies by OpenBLAS, in the thread that asks (`core.waiting`)."""
    made: Any = np.show_config(mode="dicts")
    name = made.get("Build Dependencies", {}).get("blas", {}).get("name", "")
    return "openblas" in name and os.environ.get("OPENBLAS_NUM_THREADS") == "1"


PRODUCT = product_kernel()
OPENBLAS = has_openblas()
IN_PAIRS = in_pairs()


def is_one_row(rows: Tensor) -> bool:
    """Tell whether this is a single position on the processor, with nobody asking for gradients: a step of writing."""
    return rows.numel() == rows.shape[-1] and not torch.is_grad_enabled() and rows.device.type == "cpu"


def times(rows: Tensor, weight: Tensor, bias: Tensor | None = None, twin: Tensor | None = None) -> Tensor:
    """Return rows weight^T + bias [..., outputs]: the same number, by whichever kernel is the fastest; `twin` is the
    matrix in the order of oneDNN's for one row."""
    if PRODUCT is None or rows.dtype is not weight.dtype or torch.is_grad_enabled():
        return linear(rows, weight, bias)
    if rows.dtype is torch.float32 and weight.numel() >= WORTHWHILE and rows.device.type == "cpu":
        if OPENBLAS and rows.numel() == rows.shape[-1] and torch.get_num_threads() <= FEW_THREADS:
            return by_openblas(rows, weight, bias)
        return PRODUCT(rows, weight, bias, "none", [], "")
    if twin is not None and is_one_row(rows):
        return PRODUCT(rows, twin, bias, "none", [], "")
    return linear(rows, weight, bias)


def by_openblas(row: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return row weight^T + bias [..., outputs] of a single row, in this thread: that reads a matrix nearly as fast as
    two of oneDNN's, which have to be woken first."""
    found = row.new_empty(*row.shape[:-1], weight.shape[0])
    np.dot(weight.detach().numpy(), row.reshape(-1).numpy(), out=found.view(-1).numpy())
    return found if bias is None else found.add_(bias)


class Linear(nn.Linear):
    """y = x W^T + b."""

    def forward(self, rows: Tensor) -> Tensor:
        """Multiply, and add the bias where there is one."""
        weight = self.weight
        return times(rows, weight, self.bias, getattr(weight, TWIN, None))


def all_of(rows: Tensor, *parts: Any) -> tuple[Tensor, ...]:
    """Return what several products make of the same rows; one product where their matrices lie one after another in
    memory (`side_by_side`) and a single row comes, which costs less than several, unless somebody listens to one."""
    if is_one_row(rows) and not any(part._forward_hooks for part in parts):
        joined = one_matrix(parts)
        if joined is not None:
            found = times(rows, joined, None, getattr(parts[0].weight, JOINT, None))
            return found.split_with_sizes([part.out_features for part in parts], dim=-1)
    return tuple(part(rows) for part in parts)


def one_matrix(parts: Sequence[Any]) -> Tensor | None:
    """Return the matrices [outputs, inputs] of parts without biases as the one that they are in memory, without a copy;
    None if they are not."""
    if not parts or parts[0].bias is not None:
        return None
    first = parts[0].weight
    start = end = first.data_ptr()
    for part in parts:
        weight = part.weight
        if weight.data_ptr() != end or not weight.is_contiguous():
            return None
        end += weight.nbytes
    inputs = first.shape[1]
    return first.as_strided(((end - start) // (first.element_size() * inputs), inputs), (inputs, 1))


def side_by_side(
    network: nn.Module, device: torch.device, dtype: torch.dtype, but: Collection[str] = ()
) -> dict[str, Tensor]:
    """Return room for a decoder's large matrices (`but` some) by their names, in one piece of memory: without gaps
    those of parts without biases that multiply the same rows, which a part names in `together`."""
    places, end = dict[str, tuple[int, torch.Size]](), 0
    for group in _groups(network, frozenset(but)):
        for name, shape in group.items():
            places[name] = end, shape
            end += shape.numel()
        end += -end % ALIGNED
    room = room_for(end, device, dtype) if end else torch.empty(0)
    return {name: room[start : start + shape.numel()].view(shape) for name, (start, shape) in places.items()}


def room_for(count: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return room for so many numbers, on the processor in large pages where the system has them.

    A processor remembers where some thousand pages lie. Of 4 kB, a model of 135 million float32 numbers has 132
    thousand of them, of 2 MB 257: with those it is read a sixth faster.
    """
    if device.type != "cpu":
        return torch.empty(count, device=device, dtype=dtype)
    memory = mmap.mmap(-1, count * dtype.itemsize, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError, AttributeError):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return torch.frombuffer(memory, dtype=dtype)


def _groups(network: nn.Module, taken: frozenset[str]) -> Iterator[dict[str, torch.Size]]:
    """Yield the shapes of matrices that lie side by side, by their names; then, alone, of the other large ones."""
    for path, part in network.named_modules():
        linears = dict(zip(getattr(part, "together", ()), _together(part), strict=True))
        if path.startswith("decoder.") and len(linears) > 1 and all(one.bias is None for one in linears.values()):
            group = {f"{path}.{name}.weight": one.weight.shape for name, one in linears.items()}
            taken |= group.keys()
            yield group
    for name, one in network.named_parameters():
        if name.startswith(("decoder.", "output")) and name not in taken and one.ndim == 2 and one.numel() >= LARGE:
            yield {name: one.shape}


def give_twins(network: nn.Module) -> None:
    """Hold a decoder's large matrices of bfloat16 in the order of the processor's kernel as well: those that lie side
    by side as one."""
    parts = [part for path, part in network.named_modules() if path.startswith(("decoder.", "output"))]
    groups = [_together(part) for part in parts]
    joined = [(group, matrix) for group in groups if (matrix := one_matrix(group)) is not None]
    for group, matrix in joined:
        _give(group[0].weight, JOINT, matrix)
    in_groups = {id(one) for group, _ in joined for one in group}
    for part in parts:
        if isinstance(part, Linear) and id(part) not in in_groups:
            _give(part.weight, TWIN, part.weight)


def held_as(dtype: torch.dtype, device: torch.device) -> torch.dtype:
    """Return a type of as many bytes as a decoder's numbers take, twins included."""
    twice = dtype is torch.bfloat16 and device.type == "cpu" and IN_PAIRS is not None
    return torch.float32 if twice else dtype


def parameter_bytes(network: nn.Module) -> int:
    """Return the bytes of all parameters, shared ones counted once."""
    return sum(part.nbytes for part in network.parameters())


def twin_bytes(network: nn.Module) -> int:
    """Return the bytes of all twins."""
    twins = (getattr(part, name, None) for part in network.parameters() for name in (TWIN, JOINT))
    return sum(twin.numel() * twin.element_size() for twin in twins if twin is not None)


def _together(part: nn.Module) -> list[Any]:
    return [getattr(part, name) for name in getattr(part, "together", ())]


def _give(weight: Tensor, name: str, matrix: Tensor) -> None:
    if IN_PAIRS is None or weight.dtype is not torch.bfloat16 or weight.device.type != "cpu" or matrix.numel() < LARGE:
        return
    setattr(weight, name, IN_PAIRS(matrix.detach(), 1))
