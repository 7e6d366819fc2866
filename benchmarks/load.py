"""Sixty people open the page at once: how long does each of them wait, and what does the server keep of them?

Real page runs over real websockets against a server of this machine, which shares its cores with the people. A wait
is counted from the moment at which a person meant to act, whether or not the answer before had come. At the end half of
the lessons' people close their pages, and the others leave them open and do nothing, until the server lets them go.
"""

import argparse
import asyncio
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks._class import tell  # noqa: E402
from benchmarks._people import Person, WrongError, person  # noqa: E402
from benchmarks._rows import digits, row, save, show  # noqa: E402
from tests.conftest import free_port, serving  # noqa: E402

QUESTION = "Sixty people type at once: how long does each wait, and does the server stay small?"
CLASSES = (1, 5, 20, 60)
EVERY, TURNS = 10.0, 4  # seconds between two sentences of a person; a sentence, then three heads
IDLE, GIVEN_BACK = 30, 45  # seconds: until a page is let go, and until a page that was closed is given back
SMALL = {  # full within a lesson, so that growth would show
    "HEADS_UP_TRACE_MIB": "256",
    "HEADS_UP_ANSWER_MIB": "64",
    "HEADS_UP_IDLE_SECONDS": str(IDLE),
}
WANTED = {"errors": "== 0", "sentence": "< 3000", "memory": "< 3000", "growth": "<= 1.05", "pages": "== 0"}
STORES = ("models", "traces", "answers")
NAMES = ("door", "roof", "gate", "wall", "lock", "hall", "room", "bell", "yard", "barn", "well", "shed", "oven", "lamp")
AGES = ("old", "new", "red", "tall", "dark", "cold", "big", "small", "white", "quiet", "strange", "empty")
FRIENDS = ("sister", "brother", "teacher", "neighbour", "friend", "uncle", "aunt", "cousin", "doctor", "painter")
DAYS = ("today", "yesterday", "again", "early", "late", "twice")


@dataclass
class Waits:
    """Milliseconds that people waited for a page, a sentence and a head, and what went wrong."""

    open: list[float] = field(default_factory=list)
    sentence: list[float] = field(default_factory=list)
    head: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def sentences() -> Iterator[str]:
    """Yield sentences of twelve words, no two of them alike."""
    for age, day, friend, other, name in itertools.product(AGES, DAYS, FRIENDS, AGES, NAMES):
        yield f"The {name} of the {age} house was opened by my {other} {friend} {day}"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What a server keeps: its memory, what of it models, traces and answers take, both in MB, and for how many pages,
    open ones and those that were closed just now."""

    memory: float
    held: float
    pages: int


class Server:
    """The server's process, as the system sees it, and as it tells Prometheus on a port of its own."""

    def __init__(self, address: str, told: int) -> None:
        self.told = f"http://127.0.0.1:{told}/metrics"
        port = address.rpartition(":")[2]
        found = subprocess.run(["pgrep", "-f", f"server.port={port}"], capture_output=True, text=True, check=True)
        self.process = int(found.stdout.split()[0])

    def memory(self) -> float:
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000

    def kept(self) -> Kept:
        """Return what is kept now."""
        with urllib.request.urlopen(self.told, timeout=30) as answer:
            lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
        number = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}
        held = sum(number[f'heads_up_store_bytes{{store="{store}"}}'] for store in STORES)
        pages = number["heads_up_sessions"] + number["heads_up_sessions_kept"]
        return Kept(memory=self.memory(), held=held / 1e6, pages=int(pages))

    def seconds(self) -> float:
        """Return the processor seconds used so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def timed(into: list[float], waits: Waits, due: float, act: Any) -> None:
    """Do something at a moment, and note how long after that moment it was there."""
    await asyncio.sleep(max(0.0, due - time.monotonic()))
    try:
        await act()
        into.append(1000 * (time.monotonic() - due))
    except (WrongError, TimeoutError, OSError) as wrong:
        waits.errors.append(f"{type(wrong).__name__}: {str(wrong)[:200]}")


async def works(one: Person, said: Iterator[str], begin: float, rounds: int, waits: Waits) -> None:
    """Say a sentence every ten seconds and choose three heads in between."""
    for number in range(rounds):
        due, sentence = begin + number * EVERY, next(said)
        await timed(waits.sentence, waits, due, lambda sentence=sentence: one.say(sentence))
        for step in range(1, TURNS):
            layer, head = (number + step) % 6, (5 * number + 3 * step) % 12
            when = due + step * EVERY / TURNS
            await timed(waits.head, waits, when, lambda layer=layer, head=head: one.look(layer, head))


async def lesson(
    address: str, people: int, rounds: int, said: Iterator[str], then: Callable[[], object] | None = None
) -> Waits:
    """Let so many people open the page at once and work on it side by side; do something before they close it."""
    waits = Waits()
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(person(address)) for _ in range(people)]
        now = time.monotonic()
        await asyncio.gather(*(timed(waits.open, waits, now, one.open) for one in opened))
        begin = time.monotonic() + 1
        await asyncio.gather(
            *(works(one, said, begin + EVERY * n / people, rounds, waits) for n, one in enumerate(opened))
        )
        if then is not None:
            await asyncio.to_thread(then)
    return waits


def high(values: list[float], share: float = 0.95) -> float:
    """Return the value that a share of all do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def rows_of(people: int, waits: Waits, server: Server, spent: float, lasted: float) -> list[dict[str, Any]]:
    """Make the rows of one class."""
    setting = f"{people} {'person' if people == 1 else 'people'}, MiniLM"
    made = [row(setting, "errors", len(waits.errors), wanted=WANTED["errors"])]
    for name, measured, wanted in (
        ("open the page, all at once", waits.open, None),
        ("a new sentence of 12 words", waits.sentence, WANTED["sentence"]),
        ("another head", waits.head, None),
    ):
        made.append(row(setting, f"{name}, median ms", digits(statistics.median(measured))))
        made.append(row(setting, f"{name}, 95 % within ms", digits(high(measured)), wanted=wanted))
    requests = len(waits.sentence) + len(waits.head)
    made.append(row(setting, "requests answered a second", digits(requests / lasted)))
    made.append(row(setting, "processor seconds of the server per second", digits(spent / lasted)))
    return [*made, row(setting, "memory of the server, MB", digits(server.memory()), wanted=WANTED["memory"])]


def measured(address: str, people: int, rounds: int, said: Iterator[str], server: Server) -> list[dict[str, Any]]:
    """Measure one class."""
    began, used = time.monotonic(), server.seconds()
    waits = asyncio.run(lesson(address, people, rounds, said))
    for wrong in sorted(set(waits.errors)):
        sys.stderr.write(f"{wrong}\n")
    made = rows_of(people, waits, server, server.seconds() - used, time.monotonic() - began)
    show(made)
    return made


def kept(address: str, people: int, requests: int, said: Iterator[str], server: Server) -> list[dict[str, Any]]:
    """Measure what stays after many requests: of the people of the first half, who close their pages, and of those of
    the second, who leave them open."""
    rounds, seen = -(-requests // (people * TURNS * 2)), []

    def look(after: float = 0.0) -> None:
        time.sleep(after)
        seen.append(server.kept())

    first = asyncio.run(lesson(address, people, rounds, said, then=look))
    look(GIVEN_BACK)
    second = asyncio.run(lesson(address, people, rounds, said, then=lambda: (look(), look(IDLE + GIVEN_BACK))))
    wrong = first.errors + second.errors
    setting = f"{people} people, {2 * rounds * people * TURNS} requests"
    made = [row(setting, "errors", len(wrong), wanted=WANTED["errors"]), *rows_kept(setting, *seen)]
    show(made)
    return made


def rows_kept(setting: str, half: Kept, closed: Kept, end: Kept, idle: Kept) -> list[dict[str, Any]]:
    """Make the rows of what stays: half-way, when all have closed their pages, at the end, and when all were let go."""
    made = [
        row(
            setting,
            measure,
            digits(ours),
            floor=digits(floor),
            ratio=digits(ours / floor),
            wanted=WANTED["growth"],
        )
        for measure, ours, floor in (
            ("memory at the end over memory half-way", end.memory, half.memory),
            ("the same without models, traces and answers", end.memory - end.held, half.memory - half.held),
        )
    ]
    for when, now in (("after all closed their pages", closed), (f"after {IDLE} s in which nobody did anything", idle)):
        made += [
            row(setting, f"pages kept {when}", now.pages, wanted=WANTED["pages"]),
            row(setting, f"memory {when}, MB", digits(now.memory), wanted=WANTED["memory"]),
            row(setting, f"models, traces and answers in it {when}, MB", digits(now.held)),
        ]
    return made


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=CLASSES)
    parser.add_argument("--rounds", type=int, default=6, help="sentences of each person")
    parser.add_argument("--requests", type=int, default=2000, help="requests over which memory must be flat; 0: none")
    parser.add_argument("--save", action="store_true", help="write results/load.json")
    given = parser.parse_args()
    told = free_port()
    small = {**SMALL, "HEADS_UP_METRICS_PORT": str(told)}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "log", **small) as address:
        server, said, rows = Server(address, told), sentences(), []
        asyncio.run(lesson(address, 1, 1, said))  # the model is opened
        for people in given.people:
            rows += measured(address, people, given.rounds, said, server)
        if given.requests:
            rows += kept(address, max(given.people), given.requests, said, server)
    if given.save:
        save("load", QUESTION, rows)
        tell()


if __name__ == "__main__":
    main()
