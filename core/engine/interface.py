"""What pages may ask of an engine, wherever it runs: in their own process, or on other machines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from core.catalog import LoadReport
from core.decoding import Step, Tree
from core.engine.bench import Bench
from core.engine.line import Waiting
from core.engine.tally import Vitals
from core.engine.tickets import Request, TraceRef
from core.engine.writes import Searching, Wanted
from core.inputs import Sample
from core.settings import Settings

Answer = TypeVar("Answer")


@runtime_checkable
class Engine(Protocol):
    """Where models and traces live; `bench` measures on the machine that serves the page."""

    settings: Settings
    bench: Bench

    def report(self, model: str) -> LoadReport:
        """Return how a model was loaded, loading it if need be."""

    def read(self, request: Request) -> Sample:
        """Return what a model would be given, without running it."""

    def trace(self, request: Request) -> TraceRef:
        """Trace a text, or find it traced already."""

    def ask(self, ref: TraceRef, question: Callable[..., Answer], **arguments: Any) -> Answer:
        """Run a question of `core.analysis` where the trace lives."""

    def free(self, ref: TraceRef) -> None:
        """Drop a trace; asking for it again recomputes it."""

    def ref(self, key: str) -> TraceRef | None:
        """Return the ticket that belongs to a key, None where there is none."""

    def write(self, wanted: Wanted, session: str) -> Iterator[Waiting | Step]:
        """Write, and yield each step as it is made; while others write, how many of them come first."""

    def searching(
        self, wanted: Wanted, session: str, *, beams: int = 4, length_penalty: float = 1.0
    ) -> Iterator[Waiting | Searching | Tree]:
        """Search for a likely answer, yield how far it is, and the tree at last."""

    def search(self, wanted: Wanted, *, beams: int = 4, length_penalty: float = 1.0) -> Tree:
        """Return the tree of a search."""

    def stop(self, session: str) -> None:
        """Stop what a session has being written."""

    def take(self, files: Sequence[tuple[str, bytes]]) -> str:
        """Keep the files of one model folder and return the name under which it opens."""

    def give_up(self, name: str) -> None:
        """Delete an upload and everything that was computed with it."""

    def gone(self, name: str) -> bool:
        """Tell whether a name is that of an upload that is given up."""

    def weigh(self, keys: Collection[str]) -> dict[str, int]:
        """Return the bytes of what is held under some keys of traces and names of uploads; what is not is left out."""

    def vitals(self) -> Vitals:
        """Return how the engine does, in numbers."""
