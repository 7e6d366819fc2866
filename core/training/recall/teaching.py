"""Teaching one contestant the two tasks, and asking it at lengths and numbers of pairs that it never met."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.cache import Cache
from core.mixers import SelfAttention
from core.mixers.softmax import near_only
from core.models import Network
from core.models.mixing import untrained
from core.tape import Place
from core.training.recall.contestants import config
from core.training.recall.tasks import Exercise, induction, recall
from core.training.schedule import Twentieth
from core.walk import walk_over

STEPS, ROWS, LENGTH, PEAK, WARM_UP, CLIP = 2000, 64, 64, 3e-3, 100, 1.0
TAUGHT = (2, 4, 6, 8, 12, 16, 20, 24)
LENGTHS = (64, 128, 256)
ASKED_PAIRS = (2, 4, 8, 16, 24, 32, 48, 64)
QUESTIONS = 64  # rows for each point of the curves


@dataclass(kw_only=True, eq=False)
class Teaching:
    """One contestant under way: what a step does follows from the seed and its number."""

    name: str
    seed: int
    steps: int = STEPS
    network: Network = field(init=False)
    losses: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.network = untrained(config(self.name), seed=self.seed)[1]

    def learn(self) -> Iterator[int]:
        """Do every step; yield the number of each when it is done."""
        optimiser = torch.optim.AdamW(self.network.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
        rate = Twentieth(peak=PEAK, warm_up=WARM_UP, steps=self.steps)
        for step in range(self.steps):
            exercise = taught(self.seed, step)
            asked = exercise.wanted > 0
            loss = cross_entropy(answers(self.network, exercise), exercise.wanted[asked])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
            for group in optimiser.param_groups:
                group["lr"] = rate(step + 1)
            optimiser.step()
            self.losses.append(loss.item())
            yield step + 1


def taught(seed: int, step: int) -> Exercise:
    """Return the batch of a step: half recall with any of the taught numbers of pairs, half induction."""
    source = torch.Generator().manual_seed(seed * 1_000_003 + step)
    pairs = random.Random(f"{seed}/{step}").choice(TAUGHT)
    one = recall(ROWS // 2, pairs=pairs, length=LENGTH, source=source)
    other = induction(ROWS // 2, length=LENGTH, source=source)
    return Exercise(given=torch.cat((one.given, other.given)), wanted=torch.cat((one.wanted, other.wanted)))


def answers(network: Network, exercise: Exercise) -> Tensor:
    """Return the logits [question, piece] after every symbol where something is asked."""
    walk = walk_over(torch.ones_like(exercise.given, dtype=torch.bool), ids=exercise.given)
    final = network.get_submodule("decoder")(walk)[exercise.wanted > 0]
    return cast(Tensor, cast(Any, network.output)(final[None])[0])


@torch.no_grad()
def right(network: Network, exercise: Exercise) -> float:
    """Return the share of questions that are answered rightly."""
    wanted = exercise.wanted[exercise.wanted > 0]
    return float((answers(network, exercise).argmax(-1) == wanted).float().mean())


def curves(network: Network, seed: int) -> dict[str, list[list[float]]]:
    """Return [length, pairs, share of right answers] for recall and [length, share] for induction, on rows that were
    never taught."""
    source = torch.Generator().manual_seed(777_000_000 + seed)
    asked = [(length, pairs) for length in LENGTHS for pairs in ASKED_PAIRS if 2 * (pairs + min(pairs, 8)) <= length]
    exercises = [(at, recall(QUESTIONS, pairs=at[1], length=at[0], source=source)) for at in asked]
    return {
        "recall": [[*at, right(network, exercise)] for at, exercise in exercises],
        "induction": [
            [length, right(network, induction(QUESTIONS, length=length, source=source))] for length in LENGTHS
        ],
    }


@torch.no_grad()
def carried(network: Network, length: int) -> int:
    """Return how many bytes are kept for one text after so many positions (as float32): counted, not computed."""
    decoder = cast(Any, network.get_submodule("decoder"))
    looking = {n: layer.mixer.rule for n, layer in enumerate(decoder.layers) if isinstance(layer.mixer, SelfAttention)}
    windows = {Place("decoder", n): near_only(rule) for n, rule in looking.items()}
    cache, ids = Cache(windows=windows), torch.ones(1, length, dtype=torch.long)
    decoder(walk_over(torch.ones_like(ids, dtype=torch.bool), ids=ids, cache=cache))
    return cache.bytes
