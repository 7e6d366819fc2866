"""Laying parts out before their weights come: shapes only, nothing allocated, nothing filled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

FILLING = (torch.Tensor.normal_, torch.Tensor.uniform_)


class Unfilled(TorchFunctionMode):
    """Skips the random numbers that torch puts into new parts; on the meta device even they load half a compiler."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, given: tuple[Any, ...] = (), named: Any = None
    ) -> Any:
        """Do what was asked, unless it only fills."""
        if function in FILLING or getattr(function, "__module__", None) == torch.nn.init.__name__:
            return given[0] if given else named["tensor"]
        return function(*given, **(named or {}))


@contextmanager
def laying_out() -> Iterator[None]:
    """Make every part that is constructed inside a shape without numbers."""
    with torch.device("meta"), Unfilled():
        yield
