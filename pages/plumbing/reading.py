"""Says in words what the chosen head does with the chosen token. Knows no Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import core

Say = Callable[..., str]
MOSTLY = 0.5
EVEN = 0.93
LEAST = 0.0005


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How many tokens a query may look at, and whether it may only look back."""

    count: int
    back_only: bool


def who(choice: core.Choice, t: Say) -> str:
    """Name the head, the heads or the mean that is shown."""
    if choice.layer is None:
        return t("heads.who_all")
    if not choice.heads:
        return t("heads.who_layer", layer=choice.layer)
    if len(choice.heads) == 1:
        return t("heads.who_head", layer=choice.layer, head=choice.heads[0])
    return t("heads.who_some", layer=choice.layer, heads=listed([str(head) for head in choice.heads], t))


def lines(focus: Any, reach: Reach, special: str, quoted: Callable[[str], str], t: Say) -> tuple[str, ...]:
    """Return the sentences: what the token looks at, what comes next, who looks at it, what its row sums to.

    `focus` is None where no token is chosen; `reach` is what the chosen one may look at.
    """
    if focus is None:
        return (t("heads.no_query"),)
    said = [_first(focus, reach, quoted, t), _then(focus, reach, quoted, t), _received(focus, quoted, t)]
    if special == "hide":
        said.append(t("heads.sums", sum=share(focus.total)))
    return tuple(line for line in said if line)


def share(value: float) -> str:
    """Write a share with three digits; what is smaller but not nothing says so."""
    return "<0.001" if 0 < value < LEAST else f"{value:.3f}"


def listed(names: Sequence[str], t: Say) -> str:
    """Join names the way the language does."""
    if len(names) == 1:
        return names[0]
    rest = names[0]
    for name in names[1:-1]:
        rest = t("frame.list_next", rest=rest, next=name)
    return t("frame.list_last", rest=rest, last=names[-1])


def _first(focus: Any, reach: Reach, quoted: Callable[[str], str], t: Say) -> str:
    best = focus.looks_at[0]
    said = {"query": quoted(focus.label), "first": quoted(best.label), "share": share(best.share), "count": reach.count}
    return t(f"heads.{_manner(focus, best, reach)}", **said)


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


def _then(focus: Any, reach: Reach, quoted: Callable[[str], str], t: Say) -> str:
    after = [link for link in focus.looks_at[1:4] if link.share >= LEAST]
    if not after:
        return ""
    rest = focus.total - focus.looks_at[0].share - sum(link.share for link in after)
    key = "heads.then" if rest >= LEAST and reach.count > 4 else "heads.then_all"
    return t(key, list=_links(after, quoted, t), rest=share(rest))


def _received(focus: Any, quoted: Callable[[str], str], t: Say) -> str:
    query = quoted(focus.label)
    others = [link for link in focus.looked_at_by if link.unit != focus.unit and link.share >= LEAST][:3]
    return (
        t("heads.received", query=query, list=_links(others, quoted, t))
        if others
        else t("heads.received_none", query=query)
    )


def _links(links: Sequence[Any], quoted: Callable[[str], str], t: Say) -> str:
    return listed([t("heads.share_of", token=quoted(link.label), share=share(link.share)) for link in links], t)
