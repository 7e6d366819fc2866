"""A text in the making: its steps as they come, why it ended, and what it stands in for. Knows no Streamlit."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import core

KEPT = 16 * 1024 * 1024
BROKEN = "\ufffd"
STOPPED = "stopped"


@dataclass(kw_only=True, eq=False)
class Run:
    """What was wanted, the steps so far, and why there are no more of them ("" while there may be).

    `before` is the text from which this one branched off.
    """

    wanted: core.engine.Wanted
    before: str = ""
    steps: list[core.Step] = field(default_factory=list)
    ended: str = ""

    @property
    def text(self) -> str:
        """What is written so far."""
        return "".join(step.text for step in self.steps)

    def go_on(self, engine: Any, session: str) -> Generator[Any, None, None]:
        """Yield how many are ahead while there is a queue, then each step as it is made.

        Whoever goes away in between ends the work: the engine makes no step that nobody asks for. What was made
        before that is not made again; it goes in as forced tokens, in one pass, and the same tokens follow.
        """
        made = tuple(step.ident for step in self.steps)
        forced = max(made, self.wanted.forced, key=len)
        begin = engine.write
        with closing(begin(replace(self.wanted, forced=forced), session)) as coming:
            number = 0
            for one in coming:
                if isinstance(one, core.Step):
                    number += 1
                    if number <= len(made):
                        continue
                    self.take(one)
                yield one
        self.ended = self.ended or STOPPED

    def take(self, step: core.Step) -> None:
        """Add a step."""
        number = len(self.steps)
        self.steps.append(replace(step, forced=number < len(self.wanted.forced)))
        self.ended = self.ended or step.ended or ""


def watched(wanted: core.engine.Wanted, pieces: int, heads: int) -> core.engine.Wanted:
    """Return the same with the rows of every map, where `heads` maps of so long a text are not too much to keep."""
    length = pieces + wanted.limit
    return replace(wanted, watch=heads * length * length * 4 <= KEPT)


def most(heads: int) -> int:
    """Return how long a text may become for its maps to be kept."""
    return int((KEPT / (4 * max(1, heads))) ** 0.5)


def readable(text: str) -> str:
    """Return a text without the half of a character with which it may end."""
    return text.rstrip(BROKEN)
