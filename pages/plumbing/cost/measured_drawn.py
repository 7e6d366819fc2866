"""A run, drawn: time and memory against length, with which power they grow, where they cross, what doubling costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import core
from pages.plumbing import ask, drawn, fields, words
from pages.plumbing.cost.amounts import many, size
from pages.plumbing.cost.measured_asking import back, called, lasting, wide
from pages.plumbing.sheets import measured

figures, measure = core.figures, core.measure
say = partial(fields.say, "measured")
MILLI, MEGA, NAMED, LENGTH = 1e3, 1e-6, 6, 1024


def everything(ref: core.TraceRef, run: Any, beside: Any, subjects: tuple[str, ...]) -> None:
    """Show all that a run says of some subjects; `beside` is another run that is dotted into the charts."""
    points = {subject: run.of(subject, back=back(), width=wide(subject)) for subject in subjects}
    points = {subject: some for subject, some in points.items() if some}
    _where(run, subjects, points)
    if not points:
        return
    others = {name: beside.of(name, back=back(), width=wide(name)) if beside else () for name in points}
    timing(ref, points, others, "time")
    _here(ref, points)
    _memory(ref, points, others)
    _slopes(points)
    _crossings(points)
    _doublings(points)
    _numbers(points)


def _where(run: Any, subjects: tuple[str, ...], points: dict[str, Any]) -> None:
    """Say on which machine, and what was not measured there."""
    on = run.machine
    versions = words.t("measured.comma").join(f"{name} {version}" for name, version in on.versions.items())
    said = {"machine": on.name, "device": on.device, "threads": on.threads, "versions": versions, "date": on.date}
    words.plain(words.t("measured.on", **said), "line", "machine")
    if all(one.device == "cpu" for one in (on, *(saved.machine for saved in measure.saved().values()))):
        words.plain(words.t("measured.no_gpu"), "note", "gpu")
    if on.operations:
        reached = {"speed": many(on.operations), "read": size(on.read)}
        words.plain(words.t("measured.reached", **reached), "note", "reached")
    absent = [called(name) for name in subjects if name not in points]
    if absent:
        words.plain(words.t("measured.absent", names=words.t("measured.apart").join(absent)), "note", "absent")


def timing(ref: core.TraceRef, points: dict[str, Any], others: dict[str, Any], name: str) -> None:
    """Draw time against length."""
    title = say(f"title_{name}", {"x": "length", "y": "milliseconds", "beside": "beside", "lost": "lost"})
    curves = {called(subject): _timed(some, others.get(subject, ())) for subject, some in points.items()}
    chart = figures.sweeps(curves, title, marks=_marks(ref))
    drawn.figure(chart, f"measured.{name}", "time", _sheet(points, "seconds", MILLI))


def _timed(points: Any, others: Any) -> Any:
    there = [point for point in points if point.there]
    return figures.Curve(
        x=[point.unit.length for point in there],
        middle=[point.seconds * MILLI for point in there],
        low=[point.spread[0] * MILLI for point in there],
        high=[point.spread[1] * MILLI for point in there],
        beside=_line(measure.seconds(others), MILLI),
        lost=_expected(points),
    )


def _line(curve: Any, factor: float) -> tuple[list[int], list[float]]:
    return [length for length, _ in curve], [value * factor for _, value in curve]


def _expected(points: Any) -> tuple[list[int], list[float]]:
    """Return where a time would have been expected that could not be measured: further up the fitted slope."""
    lost = [point.unit.length for point in points if point.outcome in (measure.REFUSED, measure.MEMORY)]
    slope = measure.slope(measure.seconds(points))
    return (lost, [slope.at(length) * MILLI for length in lost]) if slope else ([], [])


def _marks(ref: core.TraceRef) -> dict[str, float]:
    return {words.t("measured.here", length=f"{ref.length:,}"): ref.length}


def _here(ref: core.TraceRef, points: dict[str, Any]) -> None:
    """Say what the sentence of this visit would take."""
    text = ref.request.text + (ref.request.pair or "")
    said: dict[str, Any] = {"length": ref.length, "characters": len(text), "model": ask.called(ref.request.model)}
    curves = {name: measure.seconds(some) for name, some in points.items()}
    taken = {name: measure.interpolated(curve, ref.length) for name, curve in curves.items() if curve}
    told = [
        words.t("measured.takes", name=called(name), time=_spelled(seconds))
        for name, seconds in sorted(taken.items(), key=lambda one: one[1] or 0)
        if seconds is not None
    ]
    if told:
        words.plain(words.t("measured.you", told=words.t("measured.apart").join(told), **said), "line", "here")
    else:
        words.plain(words.t("measured.you_outside", **said), "line", "here")


def _spelled(seconds: float) -> str:
    return lasting(seconds) if seconds >= 1 else words.t("measured.ms", time=measured(float(f"{seconds * MILLI:.3g}")))


def _memory(ref: core.TraceRef, points: dict[str, Any], others: dict[str, Any]) -> None:
    title = say("title_memory", {"x": "length", "y": "megabytes", "beside": "beside", "lost": "lost"})
    curves = {called(subject): _held(some, others[subject]) for subject, some in points.items()}
    chart = figures.sweeps(curves, title, marks=_marks(ref))
    drawn.figure(chart, "measured.memory", "memory", _sheet(points, "bytes", 1))
    words.plain(words.t("measured.counter"), "note", "counter")


def _held(points: Any, others: Any) -> Any:
    lost = [point for point in points if not point.there and point.bytes]
    there = _line(measure.held(points), MEGA)
    missing = [point.unit.length for point in lost], [point.bytes * MEGA for point in lost]
    return figures.Curve(x=there[0], middle=there[1], beside=_line(measure.held(others), MEGA), lost=missing)


def _sheet(points: dict[str, Any], what: str, factor: float) -> dict[str, Any]:
    """Return one column for each subject, a row for each length; what was not measured stays empty."""
    lengths = sorted({point.unit.length for some in points.values() for point in some})
    columns: dict[str, Any] = {words.t("measured.length"): lengths}
    for name, some in points.items():
        found = {point.unit.length: getattr(point, what) * factor for point in some if point.there}
        columns[called(name)] = [found.get(length, float("nan")) for length in lengths]
    return columns


def _slopes(points: dict[str, Any]) -> None:
    """Show with which power time and memory grow at the top end, beside the power with which they must."""
    every = {name: measure.slope(measure.seconds(some)) for name, some in points.items()}
    found = {name: slope for name, slope in every.items() if slope is not None}
    if not found:
        return
    memory = {name: measure.slope(measure.held(points[name])) for name in found}
    words.plain(words.t("measured.slopes"), "title", "slopes")
    columns = {
        words.t("measured.what"): [called(name) for name in found],
        words.t("measured.time_grows"): [_power(slope) for slope in found.values()],
        words.t("measured.by_theory"): [words.t(f"measured.order_{measure.order(name)}") for name in found],
        words.t("measured.memory_grows"): [_power(slope) for slope in memory.values()],
        words.t("measured.over"): [f"{slope.first:,} – {slope.last:,}" for slope in found.values()],
    }
    whole = {words.t("measured.what"): columns[words.t("measured.what")]}
    for key in ("exponent", "low", "high", "first", "last"):
        whole[words.t(f"measured.{key}")] = [getattr(slope, key) for slope in found.values()]
    drawn.table(columns, "measured.slopes", "slopes", whole)


def _power(slope: Any) -> str:
    if slope is None:
        return "–"
    return f"{slope.exponent:.2f}  ({slope.low:.2f} … {slope.high:.2f})"


def _crossings(points: dict[str, Any]) -> None:
    """Name every length from which on one takes less than another."""
    words.plain(words.t("measured.crossings"), "title", "crossings")
    found = measure.crossings(points)
    if not found:
        words.plain(words.t("measured.no_crossing"), "line", "crossings")
        return
    names = {key: [called(getattr(one, key)) for one in found] for key in ("cheaper", "dearer")}
    lengths = [rounded(one.length) for one in found]
    told = zip(names["cheaper"], names["dearer"], lengths, strict=True)
    said = [words.t("measured.crossing", cheaper=one, dearer=other, length=f"{at:,}") for one, other, at in told]
    words.plain("\n".join(said[-NAMED:]), "line", "crossings")
    words.plain(words.t("measured.crossings_said"), "note", "crossings-said")
    columns = {words.t("measured.from"): [f"{length:,}" for length in lengths]}
    columns |= {words.t(f"measured.{key}"): values for key, values in names.items()}
    columns[words.t("measured.surely")] = [f"{one.before:,} – {one.after:,}" for one in found]
    drawn.table(columns, "measured.crossings", "crossings", {**columns, words.t("measured.from"): lengths})


def rounded(length: float) -> int:
    """Round to the two digits that a crossing deserves."""
    return int(float(f"{length:.2g}"))


def _doublings(points: dict[str, Any]) -> None:
    """Show what twice and four times the text took, at a short and at the longest length, beside the formula."""
    found = [(name, one) for name, some in points.items() for one in _ends(measure.doublings(measure.seconds(some)))]
    if not found:
        return
    words.plain(words.t("measured.doubling"), "title", "doubled")
    columns = {
        words.t("measured.what"): [called(name) for name, _ in found],
        words.t("measured.lengths"): [f"{one.length:,} → {2 * one.length:,} → {4 * one.length:,}" for _, one in found],
        words.t("measured.took"): [f"1 : {one.twice:.2f} : {one.four:.2f}" for _, one in found],
        words.t("measured.counted"): [_counted(name, one.length) for name, one in found],
    }
    drawn.table(columns, "measured.doubled", "doubling")
    words.plain(words.t("measured.doubling_said"), "line", "doubled")


def _ends(found: Any) -> list[Any]:
    short = [one for one in found if one.length == LENGTH and one is not found[-1]]
    return [*short, *found[-1:]]


def _counted(name: str, length: int) -> str:
    """Return what the formula makes of doubling: of softmax attention its operations, of others their power."""
    if name not in measure.NAMES:
        return "–"
    if measure.order(name) == 1:
        return "1 : 2 : 4"
    one = "everyone" if name in (measure.PLAIN, "full") else name
    taken = [core.analysis.mixers_cost.taken(one, wide(name), length * more).work.total for more in (1, 2, 4)]
    return f"1 : {taken[1] / taken[0]:.2f} : {taken[2] / taken[0]:.2f}"


def _numbers(points: dict[str, Any]) -> None:
    """Show every point."""
    every = [point for some in points.values() for point in some]
    words.plain(words.t("measured.numbers"), "title", "numbers")
    columns: dict[str, list[Any]] = {
        words.t("measured.what"): [called(point.unit.subject) for point in every],
        words.t("measured.length"): [point.unit.length for point in every],
        words.t("measured.outcome"): [words.t(f"measured.{point.outcome}") for point in every],
    }
    for key in ("seconds", "low", "high"):
        values = [round(getattr(point, key) * MILLI, 4) if point.there else None for point in every]
        columns[words.t(f"measured.column_{key}")] = values
    columns[words.t("measured.column_times")] = [point.times for point in every]
    columns[words.t("measured.column_bytes")] = [round(point.bytes * MEGA, 3) for point in every]
    resident = [None if point.resident is None else round(point.resident * MEGA, 3) for point in every]
    columns[words.t("measured.column_resident")] = resident
    columns[words.t("measured.column_weights")] = [round(point.weights * MEGA, 3) for point in every]
    drawn.table(columns, "measured.numbers", "numbers", {name: _plain(values) for name, values in columns.items()})


def _plain(values: list[Any]) -> list[Any]:
    return [float("nan") if value is None else value for value in values]
