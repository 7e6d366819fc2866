"""Stacks of one mixer that learn to say the next word of the made-up English: bare, as recurrent layers were stacked at
first, or with a residual and a norm around each, as the Transformer has them (He et al. 2016; Vaswani et al. 2017,
section 3.1). Nothing else differs, and there are no feed-forward parts.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from core.mixers import Mixer, mixer
from core.tape import Place
from core.training.schedule import Twentieth
from core.training.sentences.teaching import sentences, words
from core.walk import walk_over

WIDTH, LENGTH, ROWS, STEPS, PEAK, WARM_UP, CLIP, ASKED = 32, 8, 32, 300, 3e-3, 50, 1.0, 400
MIXERS, DEPTHS = ("elman", "lstm", "full"), (1, 2, 4, 8, 16, 32, 64)


class Stack(nn.Module):
    """Words, `depth` mixers, and what comes next; `around` each there is a residual and a norm, or nothing."""

    def __init__(self, name: str, depth: int, *, around: bool, seed: int) -> None:
        super().__init__()
        self.around = around
        self.words = nn.Embedding(len(words()), WIDTH)
        self.mixers = nn.ModuleList(mixer(name, WIDTH) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(depth) if around)
        self.final, self.next = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(words()))
        self._begin(torch.Generator().manual_seed(seed))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits [row, position, word] of what comes next."""
        hidden, walk = self.words(ids), walk_over(torch.ones_like(ids, dtype=torch.bool))
        for number, part in enumerate(self.mixers):
            entering = self.norms[number](hidden) if self.around else hidden
            mixed = part(entering, walk, Place("decoder", number))
            hidden = hidden + mixed if self.around else mixed
        logits: Tensor = self.next(self.final(hidden))
        return logits

    def _begin(self, source: torch.Generator) -> None:
        """Draw matrices as Glorot does and words normally; gains are one, biases zero, then each mixer has its say."""
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter, generator=source)
            else:
                nn.init.constant_(parameter, 0.0 if "bias" in name else 1.0)
        nn.init.normal_(self.words.weight, std=1.0, generator=source)
        for part in self.mixers:
            cast(Mixer, part).begin(source)


@cache
def rows(seed: int) -> tuple[tuple[int, ...], ...]:
    """Return the beginnings of those sentences that are long enough, so that nothing needs padding."""
    return tuple(row[: LENGTH + 1] for row in sentences(seed) if len(row) > LENGTH)


def learn(stack: Stack, seed: int, steps: int) -> Iterator[float]:
    """Do every step; yield the loss of each, in nats a word."""
    optimiser = torch.optim.AdamW(stack.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    rate, taught = Twentieth(peak=PEAK, warm_up=WARM_UP, steps=steps), rows(seed)
    for step in range(steps):
        found = loss(stack, torch.tensor(random.Random(f"{seed}/{step}").sample(taught, ROWS)))
        optimiser.zero_grad()
        found.backward()
        torch.nn.utils.clip_grad_norm_(stack.parameters(), CLIP)
        for group in optimiser.param_groups:
            group["lr"] = rate(step + 1)
        optimiser.step()
        yield found.item()


def loss(stack: Stack, given: Tensor) -> Tensor:
    """Return the mean cross-entropy of each next word."""
    return cross_entropy(stack(given[:, :-1]).flatten(0, 1), given[:, 1:].flatten())


@torch.no_grad()
def never_taught(stack: Stack, seed: int) -> float:
    """Return the loss on sentences that were not among those taught."""
    return loss(stack, torch.tensor(fresh(seed))).item()


def frequencies(seed: int) -> float:
    """Return the loss on the same sentences of somebody who knows only how frequent each word is."""
    counts = Counter(word for row in rows(seed) for word in row[1:])
    total, asked = sum(counts.values()) + len(words()), [word for row in fresh(seed) for word in row[1:]]
    return -sum(log((counts[word] + 1) / total) for word in asked) / len(asked)


@cache
def fresh(seed: int) -> tuple[tuple[int, ...], ...]:
    """Return sentences of another seed that this one did not draw."""
    known = set(rows(seed))
    return tuple(row for row in rows(seed + 1) if row not in known)[:ASKED]
