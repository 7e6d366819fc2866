"""One replica of the engine of many machines: a LocalEngine of its own, asked from afar.

What goes wrong travels back as a value: Ray would write an exception into its logs, and what it says may hold words of
a visitor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from inspect import isfunction
from typing import Any

from core.engine.engine import LocalEngine
from core.engine.tally import Vitals
from core.engine.tickets import Request, TraceRef
from core.engine.writes import Wanted
from core.settings import Settings

ROOMS = ("core", "pages")


@dataclass(frozen=True, kw_only=True)
class Raised:
    """An error on its way back to whoever asked."""

    error: Exception


@dataclass(frozen=True, kw_only=True)
class Question:
    """A function of this project by the names under which every machine has it; no code ever travels."""

    module: str
    name: str

    @staticmethod
    def of(function: Callable[..., Any]) -> Question:
        """Name a function.

        Raises:
            LookupError: a function that cannot be found by its names, such as one that was made inside another.
        """
        named = Question(module=function.__module__, name=function.__qualname__)
        if named.function() is not function:
            raise LookupError(named)
        return named

    def function(self) -> Callable[..., Any]:
        """Find the function.

        Raises:
            LookupError: a name outside this project, or of something else than a function that stands there.
        """
        if self.module.split(".")[0] not in ROOMS:
            raise LookupError(self)
        found: Any = getattr(import_module(self.module), self.name, None)
        if not isfunction(found) or found.__module__ != self.module:
            raise LookupError(self)
        return found


def _told(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method return what it would raise."""

    @wraps(method)
    def told(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except Exception as error:  # whatever it is, whoever asked shall get it
            return Raised(error=error)

    return told


class Replica:
    """What a process of the cluster does for pages that are elsewhere. All replicas share one `salt`: a trace has the
    same key on each of them."""

    def __init__(self, settings: Settings, salt: bytes) -> None:
        self._engine, self._salt = LocalEngine(settings, salt), salt

    def salt(self) -> bytes:
        """Return what keys are made with, for the pages that belong to this cluster."""
        return self._salt

    @_told
    def report(self, model: str) -> Any:
        """Return how a model was loaded here."""
        return self._engine.report(model)

    @_told
    def read(self, request: Request) -> Any:
        """Return what a model would be given."""
        return self._engine.read(request)

    @_told
    def trace(self, request: Request) -> Any:
        """Trace a text here, or find it traced already."""
        return self._engine.trace(request)

    @_told
    def ask(self, ref: TraceRef, question: Question, arguments: dict[str, Any]) -> Any:
        """Answer a question about a trace; one that is not here, or no longer, is made."""
        return self._engine.ask(ref, question.function(), **arguments)

    @_told
    def free(self, ref: TraceRef) -> None:
        """Drop a trace."""
        self._engine.free(ref)

    def holds(self, name: str) -> bool:
        """Tell whether the files of an upload are here."""
        return self._engine.holds(name)

    @_told
    def hold(self, files: Sequence[tuple[str, bytes]], name: str) -> None:
        """Keep the files of an upload here."""
        self._engine.hold(files, name)

    def give_up(self, name: str) -> None:
        """Delete an upload here."""
        self._engine.give_up(name)

    def ref(self, key: str) -> TraceRef | None:
        """Return the ticket of a trace that was made here."""
        return self._engine.ref(key)

    def write(self, wanted: Wanted, name: str) -> Iterator[Any]:
        """Write under a name by which it can be stopped."""
        yield from _each(self._engine.write(wanted, name))

    def searching(self, wanted: Wanted, name: str, how: dict[str, Any]) -> Iterator[Any]:
        """Search under a name by which it can be stopped."""
        yield from _each(self._engine.searching(wanted, name, **how))

    def stop(self, name: str) -> None:
        """Stop what is written here under a name."""
        self._engine.stop(name)

    def weigh(self, keys: tuple[str, ...]) -> dict[str, int]:
        """Return the bytes of what is held here under some keys and names."""
        return self._engine.weigh(keys)

    def vitals(self) -> Vitals:
        """Return how this replica does."""
        return self._engine.vitals()


def _each(parts: Iterator[Any]) -> Iterator[Any]:
    """Yield the parts, and what ends them before their time."""
    try:
        yield from parts
    except Exception as error:  # whatever it is, whoever reads shall get it
        yield Raised(error=error)
