"""Experts: several feed-forward parts of which each position uses a few."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from core.shapes import Hidden


class Experts(nn.Module):
    """A router gives each position to the `chosen` likeliest experts, whose answers are added by their shares (Jiang et
    al. 2024, section 2.1).

    Shares are a softmax over the chosen ones only; with `among_all` one over all experts, so that those of the chosen
    do not add up to one (Lieber et al. 2024, as published).
    """

    def __init__(self, width: int, experts: Sequence[nn.Module], *, chosen: int, among_all: bool = False) -> None:
        super().__init__()
        self.chosen, self.among_all = chosen, among_all
        self.router = nn.Linear(width, len(experts), bias=False)
        self.experts = nn.ModuleList(experts)

    def forward(self, hidden: Hidden) -> Hidden:
        """Ask every expert for the positions that chose it."""
        flat = hidden.flatten(0, 1)
        shares, which = (part.flatten(0, 1) for part in self.choice(hidden))
        mixed = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            places, rank = (which == number).nonzero(as_tuple=True)
            if len(places):
                mixed.index_add_(0, places, expert(flat[None, places])[0] * shares[places, rank, None])
        return mixed.view_as(hidden)

    def choice(self, hidden: Hidden) -> tuple[Tensor, Tensor]:
        """Return shares and numbers of the chosen experts, each [batch, position, chosen], likeliest first."""
        logits = self.router(hidden)
        best, which = logits.topk(self.chosen, dim=-1)
        return torch.softmax(logits, dim=-1).gather(-1, which) if self.among_all else torch.softmax(best, dim=-1), which
