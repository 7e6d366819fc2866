"""Writing through the engine: what is wanted, and the steps as they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from core.changes import Change
from core.decoding import GREEDY, Choosing, Step, Tree, generate, searching
from core.engine.line import Line, Ticket, Waiting
from core.engine.tally import Turn
from core.inputs import Sample
from core.models import Model

PATIENCE = 0.25
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to write: a model by name, what it goes on after (or answers), and how, as for `core.generate`.

    `stop` None takes the pieces that the folder names as ends; `watch` adds the rows of every map to the steps.
    """

    model: str
    text: str
    limit: int = 64
    choosing: Choosing = GREEDY
    stop: tuple[int, ...] | None = None
    forced: tuple[int, ...] = ()
    changes: tuple[Change, ...] = ()
    watch: bool = False
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class Searching:
    """A search is under way: how many pieces long the answers in view are."""

    length: int


def waited(line: Line, ticket: Ticket) -> Iterator[Waiting]:
    """Yield how many are ahead until it is the ticket's turn, or until it is stopped."""
    while not ticket.stopped.is_set() and line.ahead(ticket):
        yield Waiting(ahead=line.ahead(ticket))
        line.ahead(ticket, PATIENCE)


def steps(model: Model, sample: Sample, wanted: Wanted, ticket: Ticket, turn: Turn) -> Iterator[Step]:
    """Yield the steps, each made while nobody else runs; none is begun once the ticket is stopped.

    They hold no tensor and no model, so whoever gets them may keep them.
    """
    given: dict[str, Any] = {
        "limit": wanted.limit,
        "choosing": wanted.choosing,
        "forced": wanted.forced,
        "watch": wanted.watch,
    }
    with turn:
        source = generate(model, sample, wanted.changes, stop=ends(model, wanted), **given)
    for step in taken(source, ticket, turn):
        yield replace(step, score=None)


def search_steps(
    model: Model, sample: Sample, wanted: Wanted, ticket: Ticket, turn: Turn, **how: Any
) -> Iterator[Searching | Tree]:
    """Yield how far a search is, step by step, each made while nobody else runs, and the tree at last."""
    with turn:
        source = searching(model, sample, wanted.changes, limit=wanted.limit, stop=ends(model, wanted), **how)
    for found in taken(source, ticket, turn):
        yield found if isinstance(found, Tree) else Searching(length=found)


def ends(model: Model, wanted: Wanted) -> tuple[int, ...]:
    """Return the pieces that end a text."""
    return tuple(model.spec.ends) if wanted.stop is None else wanted.stop


def taken(source: Iterator[Made], ticket: Ticket, turn: Turn) -> Iterator[Made]:
    """Yield what is made, each while nobody else runs; nothing is begun once the ticket is stopped."""
    while not ticket.stopped.is_set():
        with turn:
            made = next(source, None)
        if made is None:
            return
        yield made
