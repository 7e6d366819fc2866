"""The line of those who write: so many at once, and the others wait in the order in which they came."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Somebody waits for a turn; `ahead` is how many come before."""

    ahead: int


@dataclass(eq=False)
class Ticket:
    """One place in the line, of one session; once `stopped` is set, no further step is made for it."""

    session: str
    stopped: threading.Event = field(default_factory=threading.Event)


class Line:
    """At most `room` tickets are at work; a session has one, and a new one of its own stops the one before.

    Those at work take turns piece by piece: whoever has waited longest is next.
    """

    def __init__(self, room: int) -> None:
        self.room = max(1, room)
        self._tickets: list[Ticket] = []
        self._changed = threading.Condition()

    def join(self, session: str) -> Ticket:
        """Return a place at the end of the line."""
        ticket = Ticket(session)
        with self._changed:
            for other in [other for other in self._tickets if other.session == session]:
                other.stopped.set()
                self._tickets.remove(other)
            self._tickets.append(ticket)
            self._changed.notify_all()
        return ticket

    def ahead(self, ticket: Ticket, patience: float = 0.0) -> int:
        """Return how many must leave before a ticket's turn, 0 when it may work; wait so many seconds for that."""
        with self._changed:
            self._changed.wait_for(lambda: ticket.stopped.is_set() or self._before(ticket) == 0, patience)
            return self._before(ticket)

    def leave(self, ticket: Ticket) -> None:
        """Make room; a ticket that is not in the line is no error."""
        ticket.stopped.set()
        with self._changed:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            self._changed.notify_all()

    def stop(self, session: str) -> None:
        """Stop what a session has in the line, at work or not."""
        for ticket in [ticket for ticket in self._tickets if ticket.session == session]:
            self.leave(ticket)

    def __len__(self) -> int:
        return len(self._tickets)

    def _before(self, ticket: Ticket) -> int:
        place = self._tickets.index(ticket) if ticket in self._tickets else 0
        return max(0, place + 1 - self.room)
