"""Filling a network from a weights file: rename by table, check every shape, leave nothing over unexplained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from core.errors import CoreError
from core.products import give_twins, side_by_side
from core.weights.stored import Stored

Split = Callable[[Tensor], Mapping[str, Tensor]]

NUMBER = re.compile(r"\.(\d+)\.")
OLD_LEAVES = {"gamma": "weight", "beta": "bias", "final_logits_bias": "bias"}


def as_stored(name: str, tensor: Tensor) -> Tensor:  # noqa: ARG001
    """Return a tensor as the file has it."""
    return tensor


@dataclass(frozen=True, kw_only=True)
class Table:
    """How published names become ours, which parameters may be shared, and which tensors may be left out and why.

    `splits` gives for a published name the function that takes its matrix, or its bias, apart into parameters by our
    names. It is asked first with a tensor that has a shape and no numbers, so that shapes are checked before reading.
    """

    names: Mapping[str, str]
    splits: Mapping[str, Split] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()
    tied: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)
    published: Callable[[str], str] = str
    change: Callable[[str, Tensor], Tensor] = as_stored


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What became of each tensor of the file: read (name and stored kind), or ignored and why."""

    read: tuple[tuple[str, str], ...]
    ignored: tuple[tuple[str, str], ...]


def fill(network: nn.Module, stored: Stored, table: Table, *, device: torch.device, dtype: torch.dtype) -> Filled:
    """Put every tensor of the file into its place in a network that was built on the meta device.

    A part that several layers share is filled once, under the name of the first. A decoder's large matrices of bfloat16
    are held in the order of the processor's kernel as well.

    Raises:
        CoreError: `tensor_shape`, `tensor_left_over` or `tensor_missing`, naming the tensor.
    """
    wanted = dict(network.named_parameters())
    found: dict[str, Tensor] = {}
    read, ignored = [], []
    room = side_by_side(network, device, dtype, but=table.tied)
    for name in stored.names:
        published = without_prefix(table.published(name), table.prefixes)
        reason = _reason(published, table.ignored)
        if reason:
            ignored.append((name, reason))
            continue
        _check(name, _parts(published, torch.empty(stored.shape(name), device="meta"), table), wanted)
        parts = _parts(published, table.change(published, stored.read(name, dtype)), table)
        found |= {target: _placed(part, room.get(target), device) for target, part in parts.items()}
        read.append((name, stored.kind(name)))
    _share(found, {one: other for one, other in table.tied.items() if one in wanted})
    _assign(network, found, wanted)
    give_twins(network)
    return Filled(read=tuple(read), ignored=tuple(ignored))


def _placed(part: Tensor, room: Tensor | None, device: torch.device) -> Tensor:
    """Return a parameter on its device, in the room that was made for it where there is any."""
    return part.to(device) if room is None else room.copy_(part)


def ours(published: str, names: Mapping[str, str]) -> str | None:
    """Return our name of a published tensor, or None; an exact name in the table goes before one with `{n}` in it.

    Names in the table are those of parts, or the whole name of a tensor for one that is called otherwise.
    """
    whole = names.get(_general(published))
    if whole is not None:
        return _numbered(whole, published)
    stem = published.rpartition(".")[0]
    target = names.get(stem) or names.get(_general(stem))
    return None if target is None else _named(target, published)


def _general(stem: str) -> str:
    return NUMBER.sub(".{n}.", f".{stem}.").strip(".")


def _named(target: str, published: str) -> str:
    """Return our name of a parameter with the numbers (of the layer, of the expert) and the leaf that the published
    name has."""
    stem, _, leaf = published.rpartition(".")
    return f"{_numbered(target, stem)}.{OLD_LEAVES.get(leaf, leaf)}"


def _numbered(target: str, published: str) -> str:
    """Return a name of ours with the numbers of the published one in it."""
    for number in NUMBER.findall(f".{published}."):
        target = target.replace("{n}", number, 1)
    return target


def _parts(published: str, tensor: Tensor, table: Table) -> dict[str, Tensor]:
    """Return the parameters that a published tensor holds, by our names; none where the family has no place for it."""
    whole = table.splits.get(_general(published))
    if whole is not None:
        return {_numbered(target, published): part for target, part in whole(tensor).items()}
    split = table.splits.get(_general(published.rpartition(".")[0]))
    if split is not None and tensor.ndim:
        return {_named(target, published): part for target, part in split(tensor).items()}
    target = ours(published, table.names)
    return {} if target is None else {target: tensor}


def _check(name: str, parts: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    if not parts or not parts.keys() <= wanted.keys():
        raise CoreError("tensor_left_over", name=name)
    for target, part in parts.items():
        if part.shape != wanted[target].shape:
            raise CoreError("tensor_shape", name=name, came=tuple(part.shape), allowed=tuple(wanted[target].shape))


def without_prefix(name: str, prefixes: Iterable[str]) -> str:
    """Return a published name without what may stand before it."""
    for prefix in prefixes:
        name = name.removeprefix(prefix)
    return name


def _reason(published: str, ignored: Mapping[str, str]) -> str | None:
    general = NUMBER.sub(".{n}.", published)
    return next((reason for beginning, reason in ignored.items() if general.startswith(beginning)), None)


def _share(found: dict[str, Tensor], tied: Mapping[str, str]) -> None:
    for one, other in tied.items():
        if one in found and other not in found:
            found[other] = found[one]
        elif other in found and one not in found:
            found[one] = found[other]


def _assign(network: nn.Module, found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise CoreError("tensor_missing", name=missing[0], count=len(missing))
    shared: dict[int, nn.Parameter] = {}
    for name, tensor in found.items():
        parameter = shared.setdefault(id(tensor), nn.Parameter(tensor, requires_grad=False))
        owner, _, leaf = name.rpartition(".")
        setattr(network.get_submodule(owner), leaf, parameter)
