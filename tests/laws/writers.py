"""What every model that writes is held to, as distances: tests ask that they are small, and that a planted fault makes
them large."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from core import Sample, generate, open_model, stitched, together, trace
from tests.golden.fixtures import Fixture

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
KINDS = {path.parent.name: json.loads(path.read_text())["kind"] for path in sorted(FAMILIES.glob("*/expected.json"))}
AFTER = [name for name, kind in KINDS.items() if kind in ("causal", "mamba")]
ANSWERING = [name for name, kind in KINDS.items() if kind == "seq2seq"]
WRITERS = [*AFTER, *ANSWERING]
LOGITS, SHARES = 1e-4, 1e-5
PROMPT, WRITTEN = (17, 40, 3, 99, 41), 8
LONG = (17, 40, 3, 99, 41, 8, 60, 11, 5, 33, 29)


@cache
def opened(name):
    return open_model(FAMILIES / name, device="cpu")


def asked(name, ids=PROMPT):
    """A text to go on after; for a model that answers, a source of its own and an answer begun with `ids`."""
    if name in AFTER:
        return Sample.from_ids(ids)
    source = replace(Fixture(FAMILIES / name).sample(0), target=None)
    return replace(source, target=Sample.from_ids([*opened(name).spec.start, *ids]))


def begins(sample):
    return (sample.target or sample).ids.tolist()


def going(sample, ids):
    """The sample with the whole of what is read and written."""
    text = Sample.from_ids(ids)
    return text if sample.target is None else replace(sample, target=text)


def from_whole_passes(model, sample, limit=WRITTEN):
    """How far the logits of each step are from those of one pass over all that stands there, and whether the same
    pieces are written."""
    ids, apart, same = begins(sample), 0.0, True
    for number, step in enumerate(generate(model, sample, limit=limit)):
        whole = trace(model, going(sample, ids)).logits([len(ids) - 1])[0]
        apart = max(apart, float(np.abs(step.logits - whole).max()))
        same = same and step.ident == _likeliest(model, whole, number) and step.position == len(ids)
        ids.append(step.ident)
    return apart if same else np.inf


def from_alone(model, samples, limit=6):
    """How far what several write at once, the shorter ones padded on the left, is from what each writes alone."""
    rounds, apart = list(together(model, Sample.batch(samples), limit=limit)), 0.0
    for row, sample in enumerate(samples):
        for steps, step in zip(rounds, generate(model, sample, limit=limit), strict=True):
            if steps[row].ident != step.ident:
                return np.inf
            apart = max(apart, float(np.abs(steps[row].logits - step.logits).max()))
    return apart


def from_one_map(model, sample, limit=4):
    """How far the stitched maps are from those of one pass over the same pieces, side by side; a cell that was never
    computed is blank, and is one that nobody may look at."""
    steps = list(generate(model, sample, limit=limit, watch=True))
    whole = trace(model, going(sample, [*begins(sample), *(step.ident for step in steps[:-1])]))
    sides = [side for side in ("decoder", "cross") if side in whole.sides and whole.attention]
    return max((_side(steps, whole, side) for side in sides), default=0.0)


def _side(steps, whole, side):
    found, looking = stitched(steps, side), whole.looking(side)
    apart = [0.0]
    for layer in range(len(found)):
        for head in range(found.shape[1]):
            made = found[layer, head]
            known = ~np.isnan(made)
            if layer not in looking:
                apart.append(np.inf if known.any() else 0.0)
                continue
            full = whole.pattern(layer, head, side)
            if full.shape != made.shape or full[~known].any() or (side == "decoder") != bool((~known).any()):
                return np.inf
            apart.append(float(np.abs(made[known] - full[known]).max()))
    return max(apart)


def _likeliest(model, logits, number):
    banned = model.spec.never | (model.spec.never_first if number == 0 else frozenset())
    allowed = logits.copy()
    allowed[sorted(banned)] = -np.inf
    return int(allowed.argmax())
