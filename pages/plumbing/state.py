"""What a visit is made of: small frozen values. Knows no Streamlit."""

from __future__ import annotations

from dataclasses import dataclass

import core

OPENING = "The animal didn't cross the street because it was too tired."


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is read: a model's name, a text, and a second text for models that take a pair."""

    model: str = "minilm"
    text: str = OPENING
    pair: str | None = None


@dataclass(frozen=True, kw_only=True)
class Look:
    """How it is drawn."""

    units: str = "pieces"
    special: str = "show"
    scale: str = "shared"
    palette: str = "ink"
    sort: bool = False


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How far a choice may reach: sides, layers, heads, and the positions of queries and of keys.

    `middle` is a layer about half way up that has maps. Where there are several sides, the numbers are those of the
    first, and `each` has those of every one.
    """

    sides: tuple[str, ...]
    layers: int
    heads: int
    queries: int
    keys: int
    middle: int = 0
    each: tuple[Extent, ...] = ()

    def of(self, side: str | None) -> Extent:
        """Return how far a choice may reach on one side."""
        return dict(zip(self.sides, self.each, strict=False)).get(side or "", self)


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything a link restores.

    `choice` is None until the sentence was read once; `begin` is what the sentence opens with; `wish` what a link asked
    for; `extras` are the options of single pages that are not what they usually are.
    """

    language: str
    asked: Asked = Asked()
    look: Look = Look()
    choice: core.Choice | None = None
    begin: core.Choice | None = None
    wish: tuple[tuple[str, str], ...] = ()
    extras: tuple[tuple[str, str], ...] = ()

    @property
    def chosen(self) -> core.Choice:
        """The choice of a sentence that was read.

        Raises:
            LookupError: nothing was read yet.
        """
        if self.choice is None:
            raise LookupError(self.asked)
        return self.choice
