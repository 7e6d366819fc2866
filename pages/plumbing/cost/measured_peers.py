"""Against the peers: what is handed on step by step, and what looks at everything at once, on one chart."""

from __future__ import annotations

from typing import Any

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.cost import measured, measured_asking, measured_drawn
from pages.plumbing.cost.measured_asking import called
from pages.plumbing.sheets import measured as written

measure = core.measure
SERIAL, PARALLEL = measure.SERIAL, ("everyone", "full", measure.PLAIN)
LENGTHS = (256, 1024, 4096, 16_384)
MICRO = 1e6


def show(ref: core.TraceRef) -> None:
    """Show recurrent networks and attention of the same width: time against length, and time for each position."""
    fields.pick("measured.wide")
    run = measured.shown_run(measured_asking.bench().standing(measured_asking.session()))
    names = (*SERIAL, *PARALLEL)
    points = _points(run, names)
    if not all(any(name in points for name in some) for some in (SERIAL, PARALLEL)):
        run = next(iter(measure.saved().values()), None)
        points = _points(run, names)
    if not points:
        words.plain(words.t("measured.none"), "line", "none")
        return
    on = run.machine
    words.plain(words.t("measured.on_short", machine=on.name, device=on.device, date=on.date), "line", "machine")
    measured_drawn.timing(ref, points, {}, "peers")
    _said(points)
    _each(points)


def _points(run: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if run is None:
        return {}
    found = {name: run.of(name, back=False, width=measured_asking.wide(name)) for name in names}
    return {name: some for name, some in found.items() if some}


def _said(points: dict[str, Any]) -> None:
    """Name the last crossings of serial ones with parallel ones."""
    serial = {name for name in points if name in SERIAL}
    found = [one for one in measure.crossings(points) if (one.cheaper in serial) != (one.dearer in serial)]
    told = [
        words.t(
            "measured.crossing",
            cheaper=called(one.cheaper),
            dearer=called(one.dearer),
            length=f"{measured_drawn.rounded(one.length):,}",
        )
        for one in found
    ]
    words.plain("\n".join(told[-measured_drawn.NAMED :]) or words.t("measured.no_crossing"), "line", "crossings")


def _each(points: dict[str, Any]) -> None:
    """Show what a position takes at several lengths, and how many steps must wait for one another."""
    taken = {name: dict(measure.seconds(some)) for name, some in points.items()}
    lengths = [length for length in LENGTHS if any(length in one for one in taken.values())]
    columns = {
        words.t("measured.what"): [called(name) for name in points],
        words.t("measured.steps"): [words.t(f"measured.steps_{'n' if name in SERIAL else 'one'}") for name in points],
    }
    for length in lengths:
        each = [written(one[length] / length * MICRO) if length in one else "–" for one in taken.values()]
        columns[words.t("measured.each_at", length=f"{length:,}")] = each
    words.plain(words.t("measured.each"), "title", "each")
    drawn.table(columns, "measured.each", "time")
    words.plain(words.t("measured.peers_said"), "line", "peers")
