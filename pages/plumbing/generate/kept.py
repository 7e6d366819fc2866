"""What lies in the cache: the keys and the values of every layer, to scale, and the numbers of one head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, words
from pages.plumbing.generate import controls
from pages.plumbing.sheets import amount, grid, numbered

MOST = 64


def bars(ref: core.TraceRef, told: Any, lengths: tuple[int, ...], length: int) -> None:
    """Draw what each layer keeps at one length, keys and values apart, to scale up to the longest text."""
    at, names = lengths.index(length), list(_names(told))
    halves = {side: iter(shares) for side, shares in doors.ask(ref, key_shares).items()}
    parts: dict[str, list[float]] = {name: [0.0] * len(names) for name in ("keys", "values", "state")}
    for place, (kind, row) in enumerate(zip(told.kinds, told.bytes, strict=True)):
        share = 0.0 if kind == "state" else next(halves["cross" if kind == "source" else "decoder"])
        for name, part in (("keys", share), ("values", 1 - share)):
            parts["state" if kind == "state" else name][place] += part * float(row[at])
    there = {words.t(f"generate.part_{name}"): amounts for name, amounts in parts.items() if any(amounts)}
    said = controls.say("title_layers", {"x": "bytes"}, length=f"{length:,}", total=amount(int(told.total[at])))
    chart = core.figures.rods(names, there, said, most=float(told.bytes.max()) * 1.02)
    drawn.figure(chart, "generate.layers", "cache", {words.t("generate.layer"): names, **there})


def key_shares(trace: core.Trace) -> dict[str, tuple[float, ...]]:
    """Ask what part of a layer's cache its keys are, by side, for each layer that has any: as they lie there."""
    sides = [side for side in trace.sides if side != "encoder"]
    looking = {side: trace.looking(side).values() for side in sides}
    return {side: tuple(_part(one) for one in layers) for side, layers in looking.items()}


def _part(one: Any) -> float:
    keys, values = one.keys.shape[-1], one.values.shape[-1]
    return float(keys / (keys + values))


def _names(told: Any) -> Iterator[str]:
    """Yield how each mixer is called: by its layer, its window, and whether it keeps what is read."""
    layer = -1
    for kind, window in zip(told.kinds, told.windows, strict=True):
        layer += kind != "source"
        name = words.t("generate.layer_of", layer=layer)
        more = words.t(f"generate.also_{kind}", window=window) if kind in ("source", "window") else ""
        yield f"{name} · {more}" if more else name


def numbers(ref: core.TraceRef, told: Any) -> None:
    """Draw the keys and the values of one head of one layer, as they lie there after this very text."""
    st.subheader(words.t("generate.lies_title"), anchor=False)
    groups = doors.ask(ref, held)
    if not groups:
        return
    side, layer, group = _place(groups)
    own = [window for kind, window in zip(told.kinds, told.windows, strict=True) if kind != "source"]
    most = min(MOST, own[layer] or MOST) if side == "decoder" else MOST
    found = doors.ask(ref, lying, side=side, layer=layer, group=group, most=most)
    told = {"count": found["count"], "shown": len(found["labels"]), "width": found["keys"].shape[1]}
    words.plain(words.t("generate.lies_told", **told), "line", "lies")
    top = max(core.figures.most(found[name]) for name in ("keys", "values"))
    for column, name in zip(st.columns(2, gap="large"), ("keys", "values"), strict=True):
        cells, rows = found[name], found["labels"]
        axes = {"rows": "token", "columns": "place", "value": "number"}
        said = controls.say(f"title_{name}", axes, layer=layer, group=group)
        chart = core.figures.part_map(cells, rows, said, top=top)
        with column:
            table = grid(words.t("generate.token"), numbered(rows), list(map(str, range(cells.shape[1]))), cells)
            drawn.figure(chart, f"generate.{name}", "lies", table)


def _place(groups: dict[str, dict[int, int]]) -> tuple[str, int, int]:
    """Show which layer and which key/value head it is, and return them with their side."""
    word = controls.now("kept").split(".")
    side = word[0] if word[0] in groups else next(iter(groups))
    layers = groups[side]
    wished, group = (int(word[1]), int(word[2])) if len(word) == 3 else (max(layers) // 2, 0)
    layer = min(layers, key=lambda number: abs(number - wished))
    group = min(group, layers[layer] - 1)
    with st.container(key="kept", horizontal=True, gap="medium"):
        if len(groups) > 1:
            controls.select("kept_side", list(groups), side, _pointed, wide=170, named=_side)
        controls.select("kept_layer", list(layers), layer, _pointed)
        controls.select("kept_head", range(layers[layer]), group, _pointed, wide=170)
    return side, layer, group


def _side(side: str) -> str:
    return words.t(f"frame.{side}")


def _pointed() -> None:
    side = st.session_state.get("field.generate.kept_side") or "decoder"
    controls.put("kept", f"{side}.{controls.chosen('kept_layer')}.{controls.chosen('kept_head')}")


def held(trace: core.Trace) -> dict[str, dict[int, int]]:
    """Ask how many key/value heads each layer of each side has, for those that keep any."""
    sides = [side for side in trace.sides if side != "encoder"]
    found = {side: {layer: one.keys.shape[1] for layer, one in trace.looking(side).items()} for side in sides}
    return {side: layers for side, layers in found.items() if layers}


def lying(trace: core.Trace, side: str, layer: int, group: int, most: int) -> dict[str, Any]:
    """Ask for the keys and values of one head [position, number], those of the last `most` tokens."""
    one = trace.looking(side)[layer]
    sample = trace.sample if side == "cross" else (trace.sample.target or trace.sample)
    kept = {name: getattr(one, name)[0, group, -most:].float().cpu().numpy() for name in ("keys", "values")}
    cells = {name: np.ascontiguousarray(some, dtype=np.float32) for name, some in kept.items()}
    return {**cells, "labels": list(sample.labels[-most:]), "count": len(sample)}
