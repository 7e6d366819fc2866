"""Says in words what the chosen head does with the chosen token. Knows no Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import core

Say = Callable[..., str]
Name = Callable[[Any], str]
SMALL = "₀₁₂₃₄₅₆₇₈₉"
MOSTLY = 0.5
EVEN = 0.93
LEAST = 0.0005
DIGITS = Decimal("0.001")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How many tokens a query may look at, whether it may only look back, and whether nothing comes after it."""

    count: int
    back_only: bool
    last: bool = False


def who(choice: core.Choice, t: Say) -> str:
    """Name the head, the heads or the mean that is shown."""
    if choice.layer is None:
        return t("heads.who_all")
    if not choice.heads:
        return t("heads.who_layer", layer=choice.layer)
    if len(choice.heads) == 1:
        return t("heads.who_head", layer=choice.layer, head=choice.heads[0])
    return t("heads.who_some", layer=choice.layer, heads=listed([str(head) for head in choice.heads], t))


def lines(focus: Any, reach: Reach, special: str, name: Name, t: Say) -> tuple[str, ...]:
    """Return the sentences: what the token looks at, what comes next, who looks at it, what its row sums to.

    `focus` is None where no token is chosen; `reach` is what the chosen one may look at; `name` names a token.
    """
    if focus is None:
        return (t("heads.no_query"),)
    said = [_first(focus, reach, name, t), _then(focus, reach, name, t), _received(focus, reach, name, t)]
    if special == "hide":
        said.append(t("heads.sums", sum=share(focus.total)))
    return tuple(line for line in said if line)


def naming(drawn: Any, quoted: Callable[[str, str], str]) -> Callable[[str, int], str]:
    """Return what names a token by its label and its position: quoted, and among its like with its number, small."""
    alike: dict[tuple[str, int], str] = {}
    for units in (drawn.columns, drawn.rows):
        marks = zip(units.labels, units.members, core.figures.occurrences(units.labels), strict=True)
        alike |= {(label, members[0]): core.figures.below(mark) for label, members, mark in marks}
    return lambda label, position: quoted(label, alike.get((label, position), ""))


def share(value: float) -> str:
    """Write a share with three digits, halves rounded up as a browser does; what is smaller but not nothing says so."""
    return "<0.001" if 0 < value < LEAST else str(Decimal(value).quantize(DIGITS, ROUND_HALF_UP))


def listed(names: Sequence[str], t: Say) -> str:
    """Join names the way the language does."""
    if len(names) == 1:
        return names[0]
    rest = names[0]
    for name in names[1:-1]:
        rest = t("frame.list_next", rest=rest, next=name)
    return t("frame.list_last", rest=rest, last=names[-1])


def _first(focus: Any, reach: Reach, name: Name, t: Say) -> str:
    best, manner = focus.looks_at[0], _manner(focus, focus.looks_at[0], reach)
    first = t("heads.own_self") if manner == "some" and best.unit == focus.unit else name(best)
    return t(f"heads.{manner}", query=name(focus), first=first, share=share(best.share), count=reach.count)


def _manner(focus: Any, best: Any, reach: Reach) -> str:
    if reach.count < 2:
        return "alone" if reach.back_only else "only"
    if focus.evenness > EVEN:
        return "even"
    if best.share < MOSTLY:
        return "some"
    return _whom(focus.unit - best.unit, best, reach)


def _whom(back: int, best: Any, reach: Reach) -> str:
    if back == 0:
        return "itself"
    if best.kind == "special":
        return "resting"
    if reach.back_only and best.unit == 0:
        return "sink"
    return {1: "previous", -1: "following"}.get(back, "mostly")


def _then(focus: Any, reach: Reach, name: Name, t: Say) -> str:
    after = [link for link in focus.looks_at[1:4] if link.share >= LEAST]
    if not after:
        return ""
    rest = focus.total - focus.looks_at[0].share - sum(link.share for link in after)
    key = "heads.then" if rest >= LEAST and reach.count > 4 else "heads.then_all"
    own = next((link for link in after if link.unit == focus.unit), None)
    return t(key, list=_links(after, lambda one: t("heads.own_self") if one is own else name(one), t), rest=share(rest))


def _received(focus: Any, reach: Reach, name: Name, t: Say) -> str:
    query = name(focus)
    if reach.back_only and reach.last:
        return t("heads.received_last", query=query)
    others = [link for link in focus.looked_at_by if link.unit != focus.unit and link.share >= LEAST][:3]
    return (
        t("heads.received", query=query, list=_links(others, name, t))
        if others
        else t("heads.received_none", query=query)
    )


def _links(links: Sequence[Any], name: Name, t: Say) -> str:
    return listed([t("heads.share_of", token=name(link), share=share(link.share)) for link in links], t)
