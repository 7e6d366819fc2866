"""The engine of one process: models and traces live here; everybody else holds a TraceRef and asks it questions."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import torch

from core.catalog import LoadReport, catalog, entry_of, open_model
from core.catalog.memory import memory_told
from core.decoding import Step, Tree
from core.engine.admitting import Admission
from core.engine.bench import Bench
from core.engine.line import Line, Waiting
from core.engine.store import Held, Store, hold
from core.engine.tally import Tally, Vitals
from core.engine.tickets import Request, TraceRef, key_of
from core.engine.uploads import Uploads
from core.engine.writes import Searching, Wanted, search_steps, steps, waited
from core.errors import CoreError
from core.inputs import Sample, read
from core.models import Model
from core.serving import in_turns
from core.settings import Settings, from_environment
from core.tracing import Trace, trace, with_target

Answer = TypeVar("Answer")


class LocalEngine:
    """The engine in this process: three stores bounded in bytes, and one run at a time.

    Keys of traces are made with `salt`, so that nobody guesses them; engines with the same one give the same keys.
    """

    def __init__(self, settings: Settings | None = None, salt: bytes | None = None) -> None:
        self.settings = settings or from_environment()
        if self.settings.threads:
            torch.set_num_threads(self.settings.threads)
        self._models: Store[Model] = Store(self.settings.model_bytes)
        self._traces: Store[Trace] = Store(self.settings.trace_bytes)
        self._answers: Store[Held[Any]] = Store(self.settings.answer_bytes)
        self._uploads = Uploads(self.settings.upload_bytes)
        self._refs: dict[str, TraceRef] = {}
        self._tally = Tally()
        self._admission = Admission(self.settings, self._tally)
        self._running = self._admission.turn
        self._line = Line(self.settings.writers)
        self.bench = Bench(self.settings)
        self._salt = salt or secrets.token_bytes(16)

    def report(self, model: str) -> LoadReport:
        """Return how a model was loaded, loading it if need be.

        Raises:
            CoreError: what `open_model` raises.
        """
        with self._opened(model) as opened:
            report: LoadReport = opened.report
            return report

    def read(self, request: Request) -> Sample:
        """Return what a model would be given, without running it.

        Raises:
            CoreError: what `open_model` and `read` raise; `too_long` for what this server does not take.
        """
        with self._opened(request.model, request.step) as model:
            return self._read(model, request)

    def trace(self, request: Request) -> TraceRef:
        """Trace a text, or find it traced already.

        Raises:
            CoreError: what `open_model`, `read` and `trace` raise; `too_long` for what this server does not take, and
                `busy`, `run_memory` or `run_memory_ended` for what it cannot take now.
        """
        key = self._key(request)
        with self._tally.refusals(), self._traces.use(key, lambda: self._make(request)) as found:
            ref = TraceRef(key=key, request=request, length=len(found.sample), sides=found.sides)
        self._remember(ref)
        if self._uploads.gone(request.model):  # given up while this ran
            self.give_up(request.model)
        return ref

    def ask(self, ref: TraceRef, question: Callable[..., Answer], **arguments: Any) -> Answer:
        """Return the answer to a question of `core.analysis`; a trace that was dropped is made again.

        Answers are frozen values and are kept a while, so that asking the same again costs nothing.

        Raises:
            CoreError: what the question raises.
        """

        def answer() -> Held[Answer]:
            with (
                self._traces.use(ref.key, lambda: self._make(ref.request)) as found,
                in_turns(self._running),
                self._tally.timed("ask"),
                memory_told("memory_ended", model=ref.request.model),
            ):
                return hold(question(found, **arguments))

        asked = (ref.key, question.__module__, question.__qualname__, tuple(sorted(arguments.items())))
        with self._answers.use(asked, answer) as held:
            return held.value

    def free(self, ref: TraceRef) -> None:
        """Drop a trace; asking for it again recomputes it."""
        self._traces.drop(ref.key)

    def write(self, wanted: Wanted, session: str) -> Iterator[Waiting | Step]:
        """Write, and yield each step as it is made; while others write, how many of them come first.

        Nothing is computed until a step is asked for, and nothing more once the iterator is closed or dropped, the
        session begins another text, or `stop` is called for it: work ends within one step.

        Raises:
            CoreError: what `open_model`, `read` and `generate` raise; `too_long` for what this server does not take.
        """
        yield from self._in_line(wanted, session, steps)

    def stop(self, session: str) -> None:
        """Stop what a session has being written; nothing to stop is no error."""
        self._line.stop(session)

    def searching(
        self, wanted: Wanted, session: str, *, beams: int = 4, length_penalty: float = 1.0
    ) -> Iterator[Waiting | Searching | Tree]:
        """Search for a likely answer with several beginnings in view: while others write, yield how many of them come
        first, then how far the search is, and the tree at last. It ends as `write` ends.

        Raises:
            CoreError: what `open_model`, `read` and `search` raise; `too_long` for what this server does not take.
        """
        how = partial(search_steps, beams=beams, length_penalty=length_penalty)
        yield from self._in_line(wanted, session, how)

    def search(self, wanted: Wanted, *, beams: int = 4, length_penalty: float = 1.0) -> Tree:
        """Return the tree of a search, once it had its turn in the line.

        Raises:
            CoreError: what `searching` raises.
        """
        parts = self.searching(wanted, secrets.token_hex(8), beams=beams, length_penalty=length_penalty)
        return next(part for part in parts if isinstance(part, Tree))

    def take(self, files: Sequence[tuple[str, bytes]]) -> str:
        """Keep the files of one model folder and return the name under which it opens; the name is the permission.

        Raises:
            CoreError: `upload_off`, `upload_name`, `upload_kind`, `upload_twice`, `upload_too_big` or `upload_disk`,
                and what opening the folder raises; then nothing is kept.
        """
        return self._uploads.open_with(files, self.report, self.give_up)

    def holds(self, name: str) -> bool:
        """Tell whether the files of an upload are here."""
        return self._uploads.folder(name) is not None

    def hold(self, files: Sequence[tuple[str, bytes]], name: str) -> None:
        """Keep the files of an upload that was taken elsewhere, under the name that it has there.

        Raises:
            CoreError: `upload_off`, `upload_too_big` or `upload_disk`.
        """
        if not self.holds(name):
            self._uploads.keep(files, name)

    def give_up(self, name: str) -> None:
        """Delete an upload and everything that was computed with it; a name that is not held is no error."""
        self._uploads.drop(name)
        gone = {key for key, ref in tuple(self._refs.items()) if ref.request.model == name}
        for key in gone:
            self._refs.pop(key, None)
        self._models.drop_all(lambda key: isinstance(key, tuple) and key[0] == name)
        self._traces.drop_all(lambda key: key in gone)
        self._answers.drop_all(lambda key: isinstance(key, tuple) and key[0] in gone)

    def gone(self, name: str) -> bool:
        """Tell whether a name is that of an upload that is given up."""
        return self._uploads.gone(name)

    def ref(self, key: str) -> TraceRef | None:
        """Return the ticket that belongs to a key, None for a key that was never given out or is long forgotten."""
        return self._refs.get(key)

    def weigh(self, keys: Collection[str]) -> dict[str, int]:
        """Return the bytes of what is held under some keys of traces and names of uploads; what is not is left out."""
        return {str(key): taken for key, taken in self._traces.weigh(keys).items()} | self._uploads.weigh(keys)

    def vitals(self) -> Vitals:
        """Return how this engine does, in numbers."""
        stores: dict[str, Store[Any]] = {"models": self._models, "traces": self._traces, "answers": self._answers}
        return Vitals(
            stores={name: store.kept() for name, store in stores.items()},
            phases=self._tally.phases(),
            refused=self._tally.refused(),
            writing=len(self._line),
            measuring=len(self.bench),
            waiting=self._running.waiting,
        )

    def _make(self, request: Request) -> Trace:
        with self._opened(request.model, request.step) as model:
            sample = self._read(model, request)

            def run() -> Trace:
                given = sample if request.own else with_target(model, sample)
                return trace(model, given, request.changes)

            return self._admission.run(request.model, len(sample), run)

    def _in_line(self, wanted: Wanted, session: str, work: Callable[..., Iterator[Any]]) -> Iterator[Any]:
        """Wait for a turn among those who write, then work; whatever happens, make room at the end."""
        ticket = self._line.join(session)
        try:
            yield from waited(self._line, ticket)
            if ticket.stopped.is_set():
                return
            with self._opened(wanted.model, wanted.step) as model:
                sample = self._read(model, Request(model=wanted.model, text=wanted.text))
                limit = min(wanted.limit, self.settings.max_written)
                yield from work(model, sample, replace(wanted, limit=limit), ticket, self._running)
        finally:
            self._line.leave(ticket)

    def _opened(self, name: str, step: int | None = None) -> AbstractContextManager[Model]:
        def opened() -> Model:
            with self._tally.timed("open"), memory_told("memory_ended", model=name):
                return self._open(name, step)

        return self._models.use((name, step), opened)

    def _open(self, name: str, step: int | None) -> Model:
        """Open a model of the catalogue, a folder of the models root or an upload: visitors reach no other folder."""
        uploaded = self._uploads.folder(name)
        if uploaded is not None:
            return open_model(uploaded, step=step, settings=replace(self.settings, models_root=None))
        if self.settings.models_root is None and entry_of(name) is None:
            raise CoreError("unknown_model", came=name, allowed=", ".join(entry.name for entry in catalog()))
        return open_model(name, step=step, settings=self.settings)

    def _read(self, model: Model, request: Request) -> Sample:
        characters = len(request.text) + len(request.pair or "")
        if characters > self.settings.max_characters:
            raise CoreError("too_many_characters", came=characters, allowed=self.settings.max_characters)
        sample = read(model, request.text, request.pair)
        if len(sample) > self.settings.max_pieces:
            raise CoreError("too_long", came=len(sample), allowed=self.settings.max_pieces)
        return sample

    def _key(self, request: Request) -> str:
        return key_of(request, self._salt)

    def _remember(self, ref: TraceRef) -> None:
        self._refs[ref.key] = ref
        while len(self._refs) > 10_000:
            self._refs.pop(next(iter(self._refs)), None)
