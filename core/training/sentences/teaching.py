"""Teaching a model of one mixer to say the next word of the made-up English; one that looks ahead, a word left out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.models import Network
from core.models.mixing import untrained
from core.training.batches import Marks, padded
from core.training.language import pairs, split_english, vocabulary
from core.training.schedule import Twentieth
from core.walk import walk_over

WIDTH, INNER, STEPS, ROWS, PEAK, WARM_UP, CLIP = 64, 128, 1500, 64, 3e-3, 100, 1.0
SENTENCES = 20_000
BLANK = "<blank>"


@cache
def words() -> tuple[str, ...]:
    """Return the vocabulary: the made-up English, and the piece that stands for a word left out."""
    return (*vocabulary().english, BLANK)


@cache
def sentences(seed: int) -> tuple[tuple[int, ...], ...]:
    """Return sentences in ids, each closed by its end piece."""
    places = {word: number for number, word in enumerate(words())}
    taught = pairs(seed, SENTENCES)
    return tuple((*(places[word] for word in split_english(pair.english)), Marks().end) for pair in taught)


def config(name: str) -> dict[str, Any]:
    """Return the config of a model of one layer with this mixer."""
    told = {"model_type": "mixing", "width": WIDTH, "inner": [INNER], "mixers": [name], "pieces": len(words())}
    return {**told, "eos_token_id": Marks().end}


@dataclass(kw_only=True, eq=False)
class Teaching:
    """One model under way: what a step does follows from the seed and its number."""

    name: str
    seed: int
    steps: int = STEPS
    side: str = field(init=False)
    network: Network = field(init=False)
    losses: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        plan, self.network = untrained(config(self.name), seed=self.seed)
        self.side = plan.spec.kind

    def learn(self, taught: Sequence[Sequence[int]]) -> Iterator[int]:
        """Do every step; yield the number of each when it is done."""
        optimiser = torch.optim.AdamW(self.network.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
        rate = Twentieth(peak=PEAK, warm_up=WARM_UP, steps=self.steps)
        for step in range(self.steps):
            chance = random.Random(f"{self.seed}/{step}")
            rows = padded(chance.sample(taught, ROWS), Marks().padding)
            loss = self.loss(*(later(rows) if self.side == "decoder" else left_out(rows, chance)))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
            for group in optimiser.param_groups:
                group["lr"] = rate(step + 1)
            optimiser.step()
            self.losses.append(loss.item())
            yield step + 1

    def loss(self, given: Tensor, wanted: Tensor) -> Tensor:
        """Return the mean cross-entropy where something is wanted, in nats."""
        asked = wanted != Marks().padding
        walk = walk_over(given != Marks().padding, ids=given)
        final = cast(Any, self.network.get_submodule(self.side))(walk)[asked]
        logits: Tensor = cast(Any, self.network.output)(final[None])[0]
        return cross_entropy(logits, wanted[asked])


def later(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return what is read, and the same one place later."""
    return rows[:, :-1], rows[:, 1:]


def left_out(rows: Tensor, chance: random.Random) -> tuple[Tensor, Tensor]:
    """Return rows in each of which one word is left out, and that word where it stood (Devlin et al. 2018, 3.1)."""
    lengths = (rows != Marks().padding).sum(1) - 1
    places = torch.tensor([[chance.randrange(int(length))] for length in lengths])
    given = rows.scatter(1, places, len(words()) - 1)
    return given, torch.full_like(rows, Marks().padding).scatter(1, places, rows.gather(1, places))
