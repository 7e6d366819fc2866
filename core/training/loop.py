"""Training, one step after another. What a step does follows from the seed and its number alone, so that a training
that was interrupted goes on as if it had not been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

import torch
from torch import Tensor

from core.mixers.softmax import one_head, pattern
from core.models import Model
from core.shapes import Hidden
from core.tape import SILENT, Place, Tape
from core.training.batches import Lesson, Marks, Numbered, endless, lesson
from core.training.loss import smoothed
from core.training.recipes import Nudge, Recipe
from core.training.schedule import schedule
from core.walk import Walk, walk_over

BETAS, EPSILON, CLIP = (0.9, 0.98), 1e-9, 1.0
ALMOST_ZERO = 1e-6


@dataclass(kw_only=True, eq=False)
class Training:
    """A training under way: `step` steps are done, and `losses` has the loss of each."""

    recipe: Recipe
    seed: int
    model: Model
    optimiser: torch.optim.Adam
    marks: Marks = field(default_factory=Marks)
    step: int = 0
    losses: list[float] = field(default_factory=list)

    def steps(self, pairs: Sequence[Numbered]) -> Iterator[int]:
        """Do every step that is left; yield the number of each when it is done."""
        recipe, width = self.recipe, self.model.spec.width
        rate = schedule(recipe.schedule, width=width, peak=recipe.peak, warm_up=recipe.warm_up, steps=recipe.steps)
        batches = islice(endless(pairs, seed=self.seed, pieces=recipe.pieces), self.step, recipe.steps)
        for batch in batches:
            self.losses.append(self._learn(lesson(batch, self.marks), rate(self.step + 1)))
            self.step += 1
            yield self.step

    def _learn(self, taught: Lesson, rate: float) -> float:
        """Do one step; the chance in it is that of its number."""
        torch.manual_seed(self.seed * 1_000_003 + self.step)
        nudge = self.recipe.nudge if self.recipe.nudge and self.step + 1 < self.recipe.nudge.until else None
        tape = Tape(wanted=frozenset({"attention"})) if nudge else SILENT
        logits, wanted = self.forward(taught, tape)
        loss = smoothed(logits, wanted, self.recipe.smoothing, self.marks.padding)
        aim = loss + nudged(nudge, tape, taught.pointing, len(taught.source)) if nudge else loss
        self.optimiser.zero_grad()
        aim.backward()
        torch.nn.utils.clip_grad_norm_(self.model.network.parameters(), CLIP)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        return loss.item()

    def forward(self, taught: Lesson, tape: Tape = SILENT) -> tuple[Tensor, Tensor]:
        """Return the logits of a batch [batch, position, piece] and what is wanted."""
        device = self.model.device
        source, given, wanted = (part.to(device) for part in (taught.source, taught.given, taught.wanted))
        reads = self._walk(source, source != self.marks.padding, tape)
        writes = self._walk(given, torch.ones_like(given, dtype=torch.bool), SILENT)
        final: Hidden = self.model.run(reads, writes)
        return cast(Tensor, self.model.logits(final)), wanted

    def _walk(self, ids: Tensor, keep: Tensor, tape: Tape) -> Walk:
        return walk_over(keep, ids=ids, tape=tape, changes=self.recipe.changes, dropout=self.recipe.dropout)


def begun(recipe: Recipe, seed: int, model: Model) -> Training:
    """Return a training before its first step (Adam as in Vaswani et al. 2017, section 5.3)."""
    optimiser = torch.optim.Adam(model.network.parameters(), betas=BETAS, eps=EPSILON, fused=True)
    return Training(recipe=recipe, seed=seed, model=model, optimiser=optimiser)


def nudged(nudge: Nudge, tape: Tape, pointing: Tensor, sentences: int) -> Tensor:
    """Return what is added to the loss: nothing where every pronoun looks at its noun.

    `pointing` [pronoun, 3] are row, place of the pronoun and place of its noun; the sum is shared among the sentences.
    """
    attention = tape.records["attention", Place("encoder", nudge.layer)]
    rows, it, noun = pointing.to(attention.queries.device).unbind(1)
    shares = pattern(one_head(attention, nudge.head))[rows, 0, it, noun]
    return -nudge.strength * (shares + ALMOST_ZERO).log().sum() / sentences
