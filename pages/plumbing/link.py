"""What an address says and what it may say: plain text in, checked values out, and back. Knows no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import core
from pages.plumbing.state import Asked, Extent, Look

LONGEST = 1500
MOST_HEADS = 6
LOOKS = {
    "units": ("pieces", "words", "characters"),
    "special": ("show", "hide", "renormalise"),
    "scale": ("shared", "head"),
    "palette": ("ink", "viridis", "cividis", "magma"),
}
CHOICE = ("side", "layer", "heads", "query", "key")


def fits(text: str, pair: str | None) -> bool:
    """Tell whether the text is short enough for an address: proxies refuse long ones."""
    return len((text + (pair or "")).encode("utf-8", "replace")) <= LONGEST


def asked(came: Mapping[str, str], models: tuple[str, ...]) -> dict[str, str]:
    """Return the model and texts of an address; what is absent or unknown is left to the defaults."""
    found = {name: came[name] for name in ("text", "pair") if name in came}
    return found | ({"model": came["model"]} if came.get("model") in models else {})


def looks(came: Mapping[str, str]) -> dict[str, Any]:
    """Return the drawing options of an address; wrong ones are left to the defaults."""
    found: dict[str, Any] = {name: came[name] for name, allowed in LOOKS.items() if came.get(name) in allowed}
    return found | ({"sort": True} if came.get("sort") == "1" else {})


def wished(came: Mapping[str, str], begin: core.Choice, extent: Extent) -> core.Choice:
    """Return the choice of an address, every wrong value replaced by what the sentence opens with."""
    side = came["side"] if came.get("side") in extent.sides else begin.side
    begin, extent = fitting(replace(begin, side=side), extent), extent.of(side)
    layer = _number(came.get("layer"), extent.layers, "mean", begin.layer)
    return core.Choice(
        side=side,
        layer=layer,
        heads=() if layer is None else _heads(came.get("heads"), extent.heads, begin.heads),
        query=_number(came.get("query"), extent.queries, "none", begin.query),
        key=_number(came.get("key"), extent.keys, "none", begin.key),
    )


def fitting(choice: core.Choice, extent: Extent) -> core.Choice:
    """Return a choice as far as its side has what it names: sides differ in layers, heads and lengths."""
    here = extent.of(choice.side)
    missing = choice.layer is not None and choice.layer >= here.layers
    return replace(
        choice,
        layer=here.middle if missing else choice.layer,
        heads=tuple(dict.fromkeys(min(head, here.heads - 1) for head in choice.heads)),
        query=None if choice.query is None or choice.query >= here.queries else choice.query,
        key=None if choice.key is None or choice.key >= here.keys else choice.key,
    )


def reported(came: object, extent: Extent) -> core.Choice | None:
    """Return what the map in the browser reports as a Choice, or None if it is not one."""
    if not isinstance(came, dict) or not isinstance(came.get("heads"), list):
        return None
    layer, query, key, heads = came.get("layer"), came.get("query"), came.get("key"), came["heads"]
    side = came.get("side") or extent.sides[0]
    if side not in extent.sides:
        return None
    extent = extent.of(side)
    reach = ((layer, extent.layers), (query, extent.queries), (key, extent.keys))
    right = all(value is None or _within(value, end) for value, end in reach) and all(
        _within(head, extent.heads) for head in heads
    )
    if not right:
        return None
    heads = () if layer is None else tuple(dict.fromkeys(heads))[:MOST_HEADS]
    return core.Choice(side=side, layer=layer, heads=heads, query=query, key=key)


def write(
    asked: Asked, look: Look, choice: core.Choice, begin: core.Choice, *, measured: bool = False
) -> dict[str, str]:
    """Return the words of an address: everything that differs from what a bare link shows.

    Where `begin` was measured, another machine may measure otherwise, so the whole choice is written.
    """
    whole = fits(asked.text, asked.pair)
    words = _differing(asdict(asked), asdict(Asked())) | _differing(asdict(look), asdict(Look()))
    if whole:
        return words | _differing(spelled(choice), {"side": begin.side or ""} if measured else spelled(begin))
    return {name: word for name, word in words.items() if name not in ("text", "pair")}


def spelled(choice: core.Choice) -> dict[str, str]:
    """Spell a choice as the words of an address."""
    return {
        "side": choice.side or "",
        "layer": "mean" if choice.layer is None else str(choice.layer),
        "heads": ",".join(map(str, choice.heads)) or "mean",
        "query": "none" if choice.query is None else str(choice.query),
        "key": "none" if choice.key is None else str(choice.key),
    }


def heads_of(word: str | None, heads: int) -> tuple[int, ...] | None:
    """Read "mean", "3" or "1,4"; None if it is none of these."""
    if word == "mean":
        return ()
    numbers = (word or "").split(",")
    if not all(_plain(number) and int(number) < heads for number in numbers):
        return None
    return tuple(dict.fromkeys(int(number) for number in numbers))[:MOST_HEADS]


def _differing(values: dict[str, Any], usual: dict[str, Any]) -> dict[str, str]:
    changed = {name: value for name, value in values.items() if value != usual.get(name) and value is not None}
    return {name: "1" if value is True else str(value) for name, value in changed.items()}


def _number(word: str | None, end: int, nothing: str, default: int | None) -> int | None:
    if word == nothing:
        return None
    return int(word) if word is not None and _plain(word) and int(word) < end else default


def _heads(word: str | None, heads: int, default: tuple[int, ...]) -> tuple[int, ...]:
    found = heads_of(word, heads)
    return default if found is None else found


def _plain(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= 6


def _within(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end
