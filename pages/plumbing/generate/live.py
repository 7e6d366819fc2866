"""A text while it is written: each token as it comes, what else could have stood there, the row it added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.generate import component, maps, stitch, telling
from pages.plumbing.generate.run import Run

NEWEST = 24


@dataclass(frozen=True, kw_only=True)
class Live:
    """The picture of a text in the making, under the name `serial`; `place` is where news of it are put."""

    run: Run
    ref: core.TraceRef
    serial: str
    labels: Mapping[str, tuple[str, ...]]
    place: Any

    def tell(self) -> None:
        """Show the newest step; a few before it come along, in case that they passed by too quickly."""
        steps, number = self.run.steps, len(self.run.steps) - 1
        named = iter(doors.ask(self.ref, telling.names, idents=steps[-1].others))
        first = max(0, len(steps) - NEWEST)
        with self.place.container():
            component.news(
                {
                    "serial": self.serial,
                    "number": number,
                    "first": first,
                    "tokens": [telling.short(one) for one in steps[first:]],
                    "step": telling.told(steps[-1], self.run, named),
                    "row": telling.row(self.run, self.labels, maps.wished(stitch.sides(steps[-1:])), number),
                }
            )


def begin(ref: core.TraceRef, run: Run) -> Live:
    """Show what is read and what is written already, and return where news go."""
    labels, serial = doors.ask(ref, telling.axes), f"{run.wanted!r} {len(run.steps)}"
    given = {
        "serial": serial,
        "made": [telling.short(one) for one in run.steps],
        **shared(ref, labels),
    }
    component.live(given, key="generate.live")
    return Live(run=run, ref=ref, serial=serial, labels=labels, place=st.empty())


def shared(ref: core.TraceRef, labels: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return what the browser is told of a text before any step: what is read, and the words."""
    return {
        "prompt": list(labels.get("cross", labels["decoder"])),
        "pieces": doors.report(ref.request.model).spec.written_pieces,
        "palette": choice.view().look.palette,
        "words": {name: words.t(f"generate.at_{name}", **telling.values(name)) for name in telling.SPOKEN},
    }
