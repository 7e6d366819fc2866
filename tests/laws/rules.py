"""Every rule of who may look at whom, and attentions of odd shapes to try them on."""

import torch

from core.masks import Causal, Either, Everyone, Globals, Padding, Prefix, Summaries, Window
from core.mixers import Attention

LENGTH, BATCH = 13, 2


def kept(*lengths, side="right", length=LENGTH):
    """Where sentences of these lengths stand when padded on one side."""
    keep = torch.zeros(len(lengths), length, dtype=torch.bool)
    for row, count in enumerate(lengths):
        keep[row, slice(length - count, None) if side == "left" else slice(count)] = True
    return keep


RIGHT, LEFT = (Padding(keep=kept(13, 6, side=side)) for side in ("right", "left"))

RULES = {
    "everyone": Everyone(),
    "causal": Causal(),
    "window": Window(size=3),
    "window of one": Window(size=1),
    "window longer than the text": Window(size=40),
    "window behind": Causal() & Window(size=4),
    "padding right": RIGHT,
    "padding left": LEFT,
    "causal, padding right": Causal() & RIGHT,
    "causal, padding left": Causal() & LEFT,
    "window behind, padding left": Causal() & Window(size=4) & LEFT,
    "causal or near": Either(first=Causal(), second=Window(size=3)),
    "causal or near, padding left": (Causal() & LEFT) | (Window(size=3) & LEFT),
    "near or everyone kept": Window(size=2) | RIGHT,
    "prefix read whole": Causal() | Prefix(count=5),
    "summaries": Summaries(size=4),
    "summaries behind": Causal() & Summaries(size=5, kept=2),
    "summaries behind, padding left": Causal() & Summaries(size=3) & LEFT,
    "globals and window": Window(size=2) | Globals(places=(0, 7, 40)),
    "globals and window behind": Causal() & (Window(size=2) | Globals(places=(3, 0))),
}


def attention(rule, *, groups=2, heads=6, rows=LENGTH, columns=LENGTH, width=5, batch=BATCH, seed=0, **rest):
    """An attention of seeded numbers, three query heads to a group."""
    source = torch.Generator().manual_seed(seed)

    def numbers(count, length):
        return torch.randn(batch, count, length, width, generator=source)

    return Attention(
        queries=2 * numbers(heads, rows),
        keys=2 * numbers(groups, columns),
        values=numbers(groups, columns),
        scale=0.3,
        rule=rule,
        **rest,
    )
