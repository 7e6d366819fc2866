"""Trees that the page draws itself: what follows what, from left to right, each node with its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.figures.sketches import Sketch


def tree(
    parents: Sequence[int | None],
    labels: Sequence[str],
    told: Sequence[str],
    words: Mapping[str, str],
    *,
    kinds: Mapping[str, tuple[str, Sequence[int]]],
    least: int = 58,
) -> Sketch:
    """Draw a tree whose nodes come after their parents (None: they begin it).

    `told` is what a pointer reads at each node; `kinds` sorts the nodes under the names that the legend has, each with
    its look: "strong" (with the edges between two such), "done", "pale" or "faint". A step is `least` pixels wide or
    more; what is wider than its place scrolls. `words` has `title` and `x`.
    """
    looks = {node: look for look, nodes in kinds.values() for node in nodes}
    header = {
        **words,
        "y": "",
        "kind": "tree",
        "names": [*kinds],
        "looks": [look for look, _ in kinds.values()],
        "labels": [*labels],
        "told": [*told],
        "parents": [*parents],
        "node_looks": [looks[node] for node in range(len(parents))],
        "least": least,
    }
    return Sketch(header=header, values=np.array(_rows(parents), dtype=np.float32))


def _rows(parents: Sequence[int | None]) -> list[int]:
    """Return a row for each node: a leaf has one of its own, a parent stands at its first child's."""
    children: dict[int | None, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    found, free = [0] * len(parents), 0
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        node = waiting.pop()
        found[node] = free
        below = children.get(node, [])
        waiting += reversed(below)
        free += 0 if below else 1
    return found
