"""Path length and forgetting: through how much a word goes before it arrives, and what is left of its gradient."""

from __future__ import annotations

import streamlit as st

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.mixers import beside, controls

figures, forgetting = core.figures, core.analysis.forgetting
spending, timing = core.analysis.spending, core.analysis.timing
FIELDS = ("convolution", "dilated", "full")
DEPTHS = (1, 2, 4, 8)
DISTANCES = (1, 2, 4, 8, 16, 32, 63)


def show() -> None:
    """Show steps against distance, gradients against distance, and how much can be done at once."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        names = controls.several("drawn", forgetting.CAUSAL)
        depth = int(controls.pick("depth"))
    with st.spinner(words.t("mixers.working")):
        if names:
            left, right = st.columns(2, gap="large")
            with left:
                _paths(names)
            with right:
                _reach(names, depth)
            _field(FIELDS)
        else:
            words.plain(words.t("mixers.choose"), "note", "choose")
        words.plain(words.t("mixers.at_once"), "title", "once")
        st.markdown(words.t("mixers.at_once_lead"))
        _at_once()
        beside.show()


def _paths(names: tuple[str, ...]) -> None:
    steps = {name: [forgetting.path(name, distance) for distance in DISTANCES] for name in names}
    series = {
        controls.called(name): [float("nan") if one is None else one for one in found] for name, found in steps.items()
    }
    title = fields.say("mixers", "title_path", {"x": "distance", "y": "steps"})
    chart = figures.curves(DISTANCES, series, title, tall=True)
    drawn.figure(chart, "mixers.path", "path", {words.t("mixers.distance"): DISTANCES, **series})
    words.plain(words.t("mixers.said_path"), "line", "path")


def _reach(names: tuple[str, ...], depth: int) -> None:
    series = {controls.called(name): forgetting.reach(name, depth).sizes for name in names}
    distances = list(range(forgetting.LENGTH))
    title = fields.say("mixers", "title_reach", {"x": "distance", "y": "left"}, depth=depth)
    shown = {name: [size if size > LEAST else float("nan") for size in sizes] for name, sizes in series.items()}
    chart = figures.curves(distances, shown, title, tall=True, reach=(-16.5, 1.5))
    drawn.figure(chart, "mixers.reach", "reach", {words.t("mixers.distance"): distances, **series})
    words.plain(words.t("mixers.said_reach"), "line", "reach")


def _at_once() -> None:
    found = [spending.spent(name) for name, _ in spending.NAMES]
    few, many = spending.LENGTHS[:2]
    columns = {
        words.t("mixers.mixer"): [controls.called(one.name) for one in found],
        words.t("mixers.chain", length=few): [one.chain[0] for one in found],
        words.t("mixers.chain", length=many): [one.chain[1] for one in found],
        words.t("mixers.grows"): [words.t(f"mixers.grows_{'yes' if one.serial else 'no'}") for one in found],
        words.t("mixers.work", length=few): [one.work[0] for one in found],
        words.t("mixers.abreast"): [one.abreast for one in found],
    }
    drawn.table(columns, "mixers.once", "once")
    if st.button(words.t("mixers.time_it"), key="mixers.time"):
        with st.spinner(words.t("mixers.working")):
            _times()


def _times() -> None:
    """Measure how long every mixer takes on this machine, now."""
    found = [timing.timed(name) for name, _ in spending.NAMES]
    apart = [float("nan") if one.apart is None else 1000 * one.apart for one in found]
    columns = {
        words.t("mixers.mixer"): [controls.called(one.name) for one in found],
        words.t("mixers.together", length=timing.LENGTH): [round(1000 * one.together, 3) for one in found],
        words.t("mixers.apart", length=timing.LENGTH): [round(one, 3) for one in apart],
        words.t("mixers.faster"): [
            round(one / (1000 * its.together), 1) for one, its in zip(apart, found, strict=True)
        ],
    }
    drawn.table(columns, "mixers.times", "times")


def _field(names: tuple[str, ...]) -> None:
    """Show how many words the last one hears of, layer by layer."""
    sizes = {
        name: [sum(size > 0 for size in forgetting.reach(name, depth).sizes) for depth in DEPTHS] for name in names
    }
    series = {controls.called(name): [float(count) for count in found] for name, found in sizes.items()}
    title = fields.say("mixers", "title_field", {"x": "layers_deep", "y": "heard"})
    chart = figures.curves(DEPTHS, series, title)
    drawn.figure(chart, "mixers.field", "field", {words.t("mixers.layers_deep"): DEPTHS, **series})
    words.plain(words.t("mixers.said_field", most=forgetting.LENGTH), "line", "field")


LEAST = 1e-16
