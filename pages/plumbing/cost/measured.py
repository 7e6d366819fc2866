"""Measured: time and memory against length on this machine, and on others that were saved."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, fields, words
from pages.plumbing.cost import formula, measured_asking, measured_drawn

measure = core.measure
AGAIN = 1.5


def show(ref: core.TraceRef) -> None:
    """Show what can be measured; while it is, the rest is drawn anew with every point, and the page stays usable."""
    wanted = measured_asking.wanted()
    standing = _standing()
    on = standing is not None and not standing.ended
    st.fragment(_live, run_every=AGAIN if on else None)(ref, wanted, on)
    formula.show("measured")


def keep_going() -> None:
    """Ask how the work of this visit stands from every section of the page, so that it goes on."""
    standing = _standing()
    if standing is not None and not standing.ended:
        st.fragment(_ask, run_every=AGAIN)()


def _ask() -> None:
    _standing()


def _standing() -> Any:
    return measured_asking.bench().standing(measured_asking.session())


def _live(ref: core.TraceRef, wanted: Any, on: bool) -> None:
    standing = _standing()
    going = standing is not None and not standing.ended
    if on != going:
        st.rerun()  # with a page that asks again, or no longer does
    if going:
        measured_asking.going(standing)
    else:
        _ended(standing)
        measured_asking.start(wanted)
    measured_asking.meanwhile(standing)
    shown = shown_run(standing)
    if shown is None:
        words.plain(words.t("measured.none"), "line", "none")
    else:
        measured_drawn.everything(ref, shown, beside(standing), wanted.subjects)
    choice.publish()


def _ended(standing: Any) -> None:
    """Say why a measurement ended, where it did not simply come to its end."""
    if standing is not None and standing.ended in ("stopped", "failed"):
        said = words.t(f"measured.ended_{standing.ended}", done=len(standing.points), count=standing.count)
        words.plain(said, "line", "ended")


def shown_run(standing: Any) -> Any:
    """Return what this visit has measured; where that is nothing yet, the saved run that is chosen."""
    if standing is not None and standing.run is not None and any(point.there for point in standing.points):
        return standing.run
    return _saved()


def beside(standing: Any) -> Any:
    """Return the saved run that is drawn beside one's own."""
    own = standing is not None and standing.run is not None
    return _saved() if own else None


def _saved() -> Any:
    """Return the saved run that is chosen: the first, unless another is."""
    runs = measure.saved()
    if not runs:
        return None
    named = {name: f"{run.machine.name}, {run.machine.date}" for name, run in runs.items()}
    if len(runs) == 1:
        return next(iter(runs.values()))
    return runs[fields.choose("measured.saved", tuple(named), named.__getitem__, 420)]
