"""A model before any training: its numbers are drawn from a seed, and gradients reach them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.models.laying_out import laying_out
from core.models.model import Network
from core.models.plan import Config, Family, Plan


def fresh(family: Family, config: Config, *, seed: int, device: torch.device | None = None) -> tuple[Plan, Network]:
    """Return a family's plan and its network with numbers of its own, the same for one seed on every machine.

    Matrices are drawn evenly from where their outputs keep their size (Glorot and Bengio 2010, equation 16), rows of
    embeddings normally with 1/sqrt(width), gains are one and biases zero.

    Raises:
        CoreError: what the family raises.
    """
    with laying_out():
        plan = family.plan(config, frozenset())
        network = Network(plan)
    generator = torch.Generator().manual_seed(seed)
    made: dict[int, nn.Parameter] = {}
    for part in network.modules():
        for leaf, laid in part.named_parameters(recurse=False):
            if id(laid) not in made:
                made[id(laid)] = nn.Parameter(_drawn(part, leaf, laid, generator).to(device))
            setattr(part, leaf, made[id(laid)])
    for one, other in plan.tied.items():
        owner, _, leaf = one.rpartition(".")
        setattr(network.get_submodule(owner), leaf, network.get_parameter(other))
    return plan, network


def _drawn(part: nn.Module, leaf: str, laid: Tensor, generator: torch.Generator) -> Tensor:
    if isinstance(part, nn.Embedding):
        return torch.empty(laid.shape).normal_(0, laid.shape[1] ** -0.5, generator=generator)
    if laid.ndim == 2:
        return nn.init.xavier_uniform_(torch.empty(laid.shape), generator=generator)
    return torch.zeros(laid.shape) if leaf == "bias" else torch.ones(laid.shape)
