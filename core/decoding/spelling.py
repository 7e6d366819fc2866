"""Spelling out pieces as they come: what can be read appears, and half a character waits for its other half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

BEFORE, MOST = 6, 12
BROKEN = "\ufffd"


class Spelled(NamedTuple):
    """How one piece is shown, and what can be read since the one before."""

    label: str
    text: str


class Spelling:
    """Turns ids into text one by one; `reader` knows the pieces (a reader that does not spells nothing).

    A piece is decoded together with the last ones before it, since a space may belong to either; what is new in that
    text is handed out unless its end is not whole yet.
    """

    def __init__(self, reader: Any, before: Sequence[int] = ()) -> None:
        self.reader = reader if hasattr(reader, "spelled") else None
        self.ids = list(before[-BEFORE:])
        self.known = self._text()

    def take(self, ident: int) -> Spelled:
        """Return the label of one more piece, and the text that it completes."""
        if self.reader is None:
            return Spelled(str(ident), "")
        self.ids.append(ident)
        label, whole = self.reader.spelled(self.ids)
        if whole.endswith(BROKEN):
            return Spelled(label, "")
        text, self.known = whole[len(self.known) :], whole
        if len(self.ids) > MOST:
            self.ids = self.ids[-BEFORE:]
            self.known = self._text()
        return Spelled(label, text)

    def _text(self) -> str:
        return str(self.reader.spelled(self.ids)[1]) if self.reader and self.ids else ""
