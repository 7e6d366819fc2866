"""Operations, counted while something runs: what PyTorch is asked to compute, seen from below.

PyTorch's own counter says nothing of a fused softmax or of an LSTM on a processor; here the plain forms are run, in
which every product is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from core.cost import Work

aten = torch.ops.aten
MOVED = {
    aten.cat, aten.clone, aten._to_copy, aten.copy_, aten.gather, aten.scatter, aten.index, aten.index_put_,
    aten.index_select, aten.masked_fill, aten.where, aten.tril, aten.triu, aten.topk, aten.zeros, aten.ones,
    aten.full, aten.empty, aten.arange, aten.new_zeros, aten.new_ones, aten.new_full, aten.new_empty, aten.zeros_like,
    aten.ones_like, aten.full_like, aten.empty_like, aten.fill, aten.fill_, aten.constant_pad_nd, aten.embedding,
    aten.repeat, aten.diag_embed, aten.scalar_tensor, aten.lift_fresh, aten.new_empty_strided, aten.zero_,
    aten.stack, aten._unsafe_view, aten.repeat_interleave,
}  # fmt: skip
ADDED = {aten.addmm, aten.baddbmm}
SUMMED = {aten.sum, aten.mean, aten.linalg_vector_norm, aten.var_mean}
JOINED = {aten.index_add_: 3}


class Counting(TorchDispatchMode):
    """Counts what is computed: products by their formula and their biases, of sums the numbers that go in, of all else
    those that come out. Choosing, masking, moving and looking at numbers in another way count as nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.work = Work()

    def __torch_dispatch__(
        self, function: Any, types: Iterable[type], given: tuple[Any, ...] = (), named: Any = None
    ) -> Any:
        """Run an operation and count it."""
        named = named or {}
        found = function(*given, **named)
        packet = function._overloadpacket
        formula: Callable[..., int] | None = flop_registry.get(packet)
        if formula is not None:
            added = packet in ADDED or (packet is aten.convolution and given[2] is not None)
            self.work += Work(products=formula(*given, **named, out_val=found), each=_numbers(found) if added else 0)
        elif not function.is_view and packet not in MOVED:
            self.work += Work(each=_numbers(_told(packet, given, found)))
        return found


def _told(packet: Any, given: tuple[Any, ...], found: Any) -> Any:
    """Return the numbers that an operation is counted by: those that go in where it sums, those that are added where it
    adds to some rows only, else those that come out."""
    if packet in SUMMED:
        return given[0]
    return given[JOINED[packet]] if packet in JOINED else found


def _numbers(found: Any) -> int:
    """Return how many numbers a result has; of several results, the first."""
    first = found[0] if isinstance(found, tuple | list) and found else found
    return first.numel() if isinstance(first, Tensor) and first.is_floating_point() else 0
