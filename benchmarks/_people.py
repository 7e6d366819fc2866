"""A person without a browser: speaks to the server as the page does, over a real websocket with real page runs."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 120
ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
VALUES = {
    "text_area": lambda part: {"string_value": part.value if part.set_value else part.default},
    "selectbox": lambda part: {"string_value": _picked(part)},
    "button_group": lambda part: {"string_array_value": StringArray(data=_pressed(part))},
    "bidi_component": lambda _part: {"json_value": "{}"},
}


class WrongError(Exception):
    """What the page showed instead of what was asked for."""


@dataclass
class Person:
    """One open page: what stands in its boxes, and where its map lives."""

    channel: ClientConnection
    query: str = ""
    boxes: dict[str, WidgetState] = field(default_factory=dict)
    fragment: str = ""
    words: set[str] = field(default_factory=set)
    seen: list[ForwardMsg] = field(default_factory=list)
    kept: dict[str, ForwardMsg] = field(default_factory=dict)

    async def open(self) -> None:
        """Let the page run for the first time."""
        request = BackMsg()
        request.rerun_script.query_string = self.query
        await self._run(request)

    async def say(self, sentence: str) -> None:
        """Write another sentence into the box and leave it: the whole page runs, and its picture is of it."""
        self.boxes["field.text"].string_value = sentence
        await self._run(self._filled())
        missing = {word.lower() for word in sentence.split()} - self.words
        if missing:
            raise WrongError(f"not in the picture: {missing}")

    async def look(self, layer: int, head: int) -> None:
        """Choose another head, as the map reports it after the picture has changed: one fragment runs."""
        choice = {"side": "encoder", "layer": layer, "heads": [head], "query": 1, "key": 2}
        self.boxes["map.heads"].json_value = json.dumps({"choice": choice})
        request = self._filled()
        request.rerun_script.fragment_id = self.fragment
        await self._run(request)

    def _filled(self) -> BackMsg:
        request = BackMsg()
        request.rerun_script.query_string = self.query
        request.rerun_script.widget_states.widgets.extend(self.boxes.values())
        return request

    async def _run(self, request: BackMsg) -> None:
        self.seen = []
        request.rerun_script.cached_message_hashes.extend(self.kept)
        await self.channel.send(request.SerializeToString())
        while not self.seen or self.seen[-1].WhichOneof("type") != "script_finished":
            async with asyncio.timeout(PATIENCE):
                self.seen.append(self._known(ForwardMsg.FromString(await self.channel.recv(decode=False))))
        if self.seen[-1].script_finished not in ENDED:
            raise WrongError("the page did not finish")
        for element, fragment in _elements(self.seen):
            self._take(element, fragment)

    def _known(self, message: ForwardMsg) -> ForwardMsg:
        """Keep what may be kept, as a browser does, and look up what came before."""
        if message.WhichOneof("type") == "ref_hash":
            return self.kept[message.ref_hash]
        if message.metadata.cacheable:
            self.kept[message.hash] = message
        return message

    def _take(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind in ("exception", "alert"):
            raise WrongError(str(element))
        read = VALUES.get(kind)
        if read is None:
            return
        part = getattr(element, kind)
        name = part.id.rpartition("-")[2]
        if name == "field.query":
            self.words = {option.rstrip("₀₁₂₃₄₅₆₇₈₉") for option in part.options}
        if name == "map.heads":
            self.fragment = fragment
        told = name not in self.boxes or part.id != self.boxes[name].id or getattr(part, "set_value", False)
        if told:
            self.boxes[name] = WidgetState(id=part.id, **read(part))


def _picked(part: Any) -> str | None:
    if part.set_value:
        return part.raw_value if part.HasField("raw_value") else None
    return part.options[part.default] if part.HasField("default") else None


def _pressed(part: Any) -> list[str]:
    return list(part.raw_values) if part.set_value else [part.options[number].content for number in part.default]


def _elements(messages: list[ForwardMsg]) -> list[tuple[Any, str]]:
    deltas = (message.delta for message in messages if message.WhichOneof("type") == "delta")
    return [(one.new_element, one.fragment_id) for one in deltas if one.WhichOneof("type") == "new_element"]


@asynccontextmanager
async def person(address: str, query: str = "") -> AsyncIterator[Person]:
    """Connect as one more visitor, and leave at the end."""
    parts = urlsplit(address)
    stream = f"ws://{parts.netloc}{parts.path}/_stcore/stream"
    options: dict[str, Any] = {"subprotocols": ["streamlit"], "compression": None, "max_size": None}
    async with connect(stream, open_timeout=PATIENCE, **options) as channel:
        yield Person(channel, query)
