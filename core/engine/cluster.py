"""The engine of many machines: replicas on Ray Serve hold models and traces, this end holds tickets and answers.

Requests of one trace go to one replica: Ray Serve hashes the trace's key onto a ring of replicas. One that dies is
replaced; what it was asked is asked again of another, which makes the trace anew from the request in its ticket.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar

from core.catalog import LoadReport
from core.decoding import Step, Tree
from core.engine import rays
from core.engine.bench import Bench
from core.engine.line import Waiting
from core.engine.replica import Question, Raised
from core.engine.store import Held, Store, hold
from core.engine.tally import Vitals, summed
from core.engine.tickets import Request, TraceRef, key_of
from core.engine.uploads import Uploads
from core.engine.writes import Searching, Wanted
from core.errors import CoreError
from core.inputs import Sample
from core.settings import Settings

Answer = TypeVar("Answer")
TRIES, TICKETS = 6, 10_000
PAUSE, MOST, PATIENCE = 0.2, 2.0, 60.0
LONGEST, SHORTLY = 600.0, 5.0


class Patience:
    """How long it is asked again after a loss: until Ray has noticed that a replica is gone, requests go on being sent
    there and are lost at once. That takes seconds where all machines are busy, and longer where one is gone."""

    def __init__(self) -> None:
        self._came, self._until, self._pause = 0, 0.0, 0.0

    def new(self, number: int | None) -> bool:
        """Tell whether a part with this number has not come before, or has none; one that is new ends the loss."""
        if number is None:
            return True
        if number < self._came:
            return False
        self._came, self._until, self._pause = number + 1, 0.0, 0.0
        return True

    def again(self) -> bool:
        """Wait a little, longer each time, and tell whether to ask again: not a minute after the first loss."""
        now = time.monotonic()
        self._until = self._until or now + PATIENCE
        if now >= self._until:
            return False
        time.sleep(self._pause)
        self._pause = min(MOST, self._pause + PAUSE)
        return True


class ClusterEngine:
    """The engine whose replicas Ray Serve keeps; what pages may ask of it is what they ask of a LocalEngine."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.bench = settings, Bench(settings)
        self._uploads = Uploads(settings.upload_bytes)
        self._replicas = rays.joined(settings)
        with ThreadPoolExecutor(1) as aside:  # a server starts in its event loop, where Ray Serve lets nobody wait
            self._salt: bytes = aside.submit(self._call, "salt", "").result()
        self._answers: Store[Held[Any]] = Store(settings.answer_bytes)
        self._refs: dict[str, TraceRef] = {}
        self._writing: dict[str, str] = {}
        self._vitals, self._seen = Vitals.none(), 0.0
        self._lock, self._looking = threading.Lock(), threading.Lock()

    def report(self, model: str) -> LoadReport:
        """Return how a model was loaded on one of the replicas.

        Raises:
            CoreError: what `LocalEngine` raises, here and below, and `ray_lost` where no replica answers.
        """
        report: LoadReport = self._about(model, "report", model, model)
        return report

    def read(self, request: Request) -> Sample:
        """Return what a model would be given, without running it."""
        sample: Sample = self._about(request.model, "read", key_of(request, self._salt), request)
        return sample

    def trace(self, request: Request) -> TraceRef:
        """Trace a text, or find it traced already."""
        ref: TraceRef = self._about(request.model, "trace", key_of(request, self._salt), request)
        with self._lock:
            self._refs[ref.key] = ref
            while len(self._refs) > TICKETS:
                self._refs.pop(next(iter(self._refs)))
        return ref

    def ask(self, ref: TraceRef, question: Callable[..., Answer], **arguments: Any) -> Answer:
        """Return the answer to a question of `core` or `pages`; answers are kept a while on this side too.

        Raises:
            CoreError: what the question raises.
            LookupError: a question that the replicas cannot find by its name.
        """
        named = Question.of(question)

        def answer() -> Held[Answer]:
            return hold(self._about(ref.request.model, "ask", ref.key, ref, named, arguments))

        with self._answers.use((ref.key, named, tuple(sorted(arguments.items()))), answer) as held:
            return held.value

    def free(self, ref: TraceRef) -> None:
        """Drop a trace; asking for it again recomputes it."""
        self._about(ref.request.model, "free", ref.key, ref)

    def ref(self, key: str) -> TraceRef | None:
        """Return the ticket that belongs to a key, whichever server of pages it was given to."""
        found: TraceRef | None = self._refs.get(key) or self._call("ref", key, key)
        return found

    def write(self, wanted: Wanted, session: str) -> Iterator[Waiting | Step]:
        """Write, and yield each step; what a lost replica had written is written again by another, unnoticed."""
        yield from self._stream(session, "write", wanted)

    def searching(
        self, wanted: Wanted, session: str, *, beams: int = 4, length_penalty: float = 1.0
    ) -> Iterator[Waiting | Searching | Tree]:
        """Search for a likely answer, yield how far it is, and the tree at last."""
        yield from self._stream(session, "searching", wanted, {"beams": beams, "length_penalty": length_penalty})

    def search(self, wanted: Wanted, *, beams: int = 4, length_penalty: float = 1.0) -> Tree:
        """Return the tree of a search."""
        parts = self.searching(wanted, secrets.token_hex(8), beams=beams, length_penalty=length_penalty)
        return next(part for part in parts if isinstance(part, Tree))

    def stop(self, session: str) -> None:
        """Stop what a session has being written; nothing to stop is no error."""
        with self._lock:
            name = self._writing.pop(session, None)
        if name is not None:
            self._everywhere("stop", name)

    def take(self, files: Sequence[tuple[str, bytes]]) -> str:
        """Keep the files of one model folder on this side, and open it on the replica that its name leads to.

        Raises:
            CoreError: what `LocalEngine.take` raises; then nothing is kept.
        """
        return self._uploads.open_with(files, self.report, self.give_up)

    def give_up(self, name: str) -> None:
        """Delete an upload, here and wherever it was brought, and everything that was computed with it."""
        self._uploads.drop(name)
        with self._lock:
            gone = {key for key, ref in self._refs.items() if ref.request.model == name}
            for key in gone:
                del self._refs[key]
        self._answers.drop_all(lambda key: isinstance(key, tuple) and key[0] in gone)
        aside = threading.Thread(target=self._everywhere, args=("give_up", name), daemon=True)
        aside.start()  # a visit ends in the server's event loop

    def gone(self, name: str) -> bool:
        """Tell whether a name is that of an upload that is given up."""
        return self._uploads.gone(name)

    def weigh(self, keys: Collection[str]) -> dict[str, int]:
        """Return the bytes of what is held under some keys of traces and names of uploads, here and by all replicas."""
        weighed = [self._uploads.weigh(keys), *self._everywhere("weigh", tuple(keys))]
        found: Counter[str] = Counter()
        for one in weighed:
            found.update(one if isinstance(one, dict) else {})
        return dict(found)

    def vitals(self) -> Vitals:
        """Return how all replicas do together, no older than a second."""
        with self._looking:
            if time.monotonic() - self._seen > 1.0:
                came = [one for one in self._everywhere("vitals") if isinstance(one, Vitals)]
                self._vitals, self._seen = summed(came), time.monotonic()
            return replace(self._vitals, measuring=len(self.bench))

    def _call(self, method: str, key: str, *given: Any) -> Any:
        """Ask the replica that a key leads to, and another if that one is lost."""
        patience = Patience()
        while True:
            try:
                asked = self._replicas.options(method_name=method, session_id=key).remote(*given)
                return _plain(asked.result(timeout_s=LONGEST))
            except rays.lost():
                if not patience.again():
                    break
            except TimeoutError:
                break
        raise CoreError("ray_lost", address=self.settings.ray_address)

    def _about(self, model: str, method: str, key: str, *given: Any) -> Any:
        """Ask about a model: the replica that a key leads to, or, of one that was brought along, the one that its name
        leads to, which gets the files if it does not have them."""
        if self._uploads.folder(model) is None:
            return self._call(method, key, *given)
        for _ in range(TRIES):
            self._bring(model)
            try:
                return self._call(method, model, *given)
            except CoreError:
                if self._uploads.folder(model) is None or self._call("holds", model, model):
                    raise
        raise CoreError("ray_lost", address=self.settings.ray_address)

    def _bring(self, model: str) -> None:
        """See to it that the replica to which the name of an upload leads has its files."""
        if self._uploads.folder(model) is not None and not self._call("holds", model, model):
            self._call("hold", model, self._uploads.files(model), model)

    def _everywhere(self, method: str, *given: Any) -> list[Any]:
        """Tell all replicas something; what one that is just being lost would say is left out."""
        with suppress(TimeoutError, *rays.lost()):
            said = self._replicas.broadcast(method, *given)
            found: list[Any] = said.results(timeout_s=SHORTLY, return_exceptions=True)
            return found
        return []

    def _stream(self, session: str, method: str, *given: Any) -> Iterator[Any]:
        """Yield what a replica makes piece by piece; a session has one such work, and its own new one ends it."""
        name, patience = secrets.token_hex(8), Patience()
        self.stop(session)
        self._writing[session] = name
        try:
            while True:
                try:
                    for number, part in self._numbered(method, name, *given):
                        if patience.new(number):
                            yield part
                    return
                except rays.lost():
                    if self._writing.get(session) != name:
                        return
                    if not patience.again():
                        break
            raise CoreError("ray_lost", address=self.settings.ray_address)
        finally:
            if self._writing.get(session) == name:
                self.stop(session)

    def _numbered(self, method: str, name: str, wanted: Wanted, *rest: Any) -> Iterator[tuple[int | None, Any]]:
        """Yield each part with its number; how many come first has none."""
        self._bring(wanted.model)
        place = wanted.model if self._uploads.folder(wanted.model) else name
        asked = self._replicas.options(method_name=method, session_id=place, stream=True)
        number = 0
        for part in asked.remote(wanted, name, *rest):
            waits = isinstance(part, Waiting)
            yield (None if waits else number), _plain(part)
            number += not waits


def _plain(came: Any) -> Any:
    """Return what came as memory of this process, so that Ray's store is free of it; raise what was raised there."""
    if isinstance(came, Raised):
        raise came.error
    return deepcopy(came)
