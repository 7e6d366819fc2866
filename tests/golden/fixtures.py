"""Folders of numbers that an independent implementation computed, and how far a model of ours is from them.

A fixture is a published folder (config.json, model.safetensors, tokenizer.json) with `expected.safetensors` and
`expected.json`.
"""

import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

import core
from core.blocks import SharedSpace

HERE = Path(__file__).resolve().parent
KINDS = {"causal", "mlm", "base", "cls", "tokcls", "seq2seq", "vision", "clip", "mamba"}
SIDES = {"encoder_": "encoder", "decoder_": "decoder", "cross_": "cross"}
SIGNALS = ("input_features", "pixel_values")
INPUTS = ("input_ids", *SIGNALS)
TOWERS = {"text_": INPUTS[:1], "vision_": ("pixel_values",)}
OTHER_HEADS = ("pooler_output", "seq_relationship_logits", "last_hidden_state")
COMPARED = ("attentions", "hidden_states", "logits", "embeds")
ONE_ROW = {"cls", "vision"}


@dataclass(frozen=True)
class Fixture:
    """One folder; `tensors` are inputs and expected outputs under the names that the library gives them.

    A folder with two encoders is two fixtures: `tower` is what the names of one's outputs begin with.
    """

    folder: Path
    tower: str = ""

    @property
    def name(self):
        return f"{self.folder.name}_{self.tower}".rstrip("_")

    @property
    def inputs(self):
        """The names of what may go in."""
        return TOWERS.get(self.tower, INPUTS)

    @cached_property
    def told(self):
        return json.loads((self.folder / "expected.json").read_text(encoding="utf-8"))

    @cached_property
    def tensors(self):
        return load_file(self.folder / "expected.safetensors")

    @property
    def rows(self):
        return len(next(self.tensors[name] for name in self.inputs if name in self.tensors))

    @property
    def groups(self):
        """The kinds of numbers that are compared: attentions, hidden_states, logits, with their side in front."""
        found = {name.partition(".")[0] for name, value in self.tensors.items() if value.dtype.kind == "f"}
        found = {name for name in found - set(SIGNALS) if name.startswith(self.tower)}
        return sorted(name for name in found if not name.endswith(OTHER_HEADS))

    def keep(self, row, side="encoder"):
        """Which places of a row are not padding."""
        decoder = side == "decoder" and "decoder_input_ids" in self.tensors
        ids, mask = ("decoder_input_ids", "decoder_attention_mask") if decoder else ("input_ids", "attention_mask")
        if ids not in self.inputs and not decoder:
            return np.ones(self.tensors[f"{self.tower}hidden_states.0"].shape[1], bool)
        if mask in self.tensors:
            return self.tensors[mask][row].astype(bool)
        count = self.tensors[ids].shape[1] if ids in self.tensors else self._places
        return np.ones(count, bool)

    @property
    def _places(self):
        names = ("encoder_hidden_states.0", "hidden_states.0")
        return next(self.tensors[name].shape[1] for name in names if name in self.tensors)

    def sample(self, row):
        """One sentence without its padding."""
        keep, types = self.keep(row), self.tensors.get("token_type_ids")
        given = None if types is None else types[row][keep].tolist()
        has = {name for name in self.inputs if name in self.tensors}
        ids = self.tensors["input_ids"][row] if "input_ids" in has else np.zeros(len(keep), int)
        signal = next((self.tensors[name][row] for name in SIGNALS if name in has), None)
        found = replace(core.Sample.from_ids(ids[keep], types=given), signal=signal)
        if "decoder_input_ids" not in self.tensors:
            return found
        answer = self.tensors["decoder_input_ids"][row][self.keep(row, "decoder")]
        return replace(found, target=core.Sample.from_ids(answer))

    @property
    def begun(self):
        """What the greedy pieces follow: a text, or the source of an answer and how it begins."""
        start = core.Sample.from_ids(self.tensors["greedy_start"][0])
        return replace(self.sample(0), target=start) if self.told["kind"] == "seq2seq" else start

    def numbers(self, group, row):
        """The expected tensors of one group for one sentence, in the order of the layers, without padding."""
        names = [name for name in self.tensors if name.partition(".")[0] == group]
        found = [self.tensors[name][row] for name in sorted(names, key=lambda name: int(name.partition(".")[2] or 0))]
        queries, keys = self._keeps(group, row)
        if group.endswith("attentions"):
            return [one[:, queries][:, :, keys] for one in found]
        if group.endswith("embeds") or (self.told["kind"] in ONE_ROW and group.endswith("logits")):
            return [one[None] for one in found]
        rows = [one[queries] for one in found]
        return [one[:, None] if one.ndim == 1 else one for one in rows]

    def _keeps(self, group, row):
        """The places of the rows and of the columns."""
        reads = self.told["kind"] == "seq2seq" and not group.startswith("encoder_")
        queries = self.keep(row, "decoder" if reads else "encoder")
        return queries, self.keep(row) if group.startswith("cross_") else queries

    def tolerance(self, group):
        """1e-5 for shares, 5e-6 of the largest value for the rest; never under 3 x what float32 itself loses."""
        noise = 3 * self.told["float64_gap"].get(group, 0)
        size = 0 if group.endswith("attentions") else 5e-6 * self.told["max_abs"][group]
        return max(1e-5, size, noise)

    def check(self):
        """Say what is wrong with the folder's form, or nothing."""
        if self.told.get("kind") not in KINDS:
            return f"{self.folder}: kind {self.told.get('kind')!r} is not one of {sorted(KINDS)}"
        strange = [group for group in self.groups if not group.endswith(COMPARED)]
        wanted = "hidden_states" if self.told["kind"] == "mamba" else "attentions"
        if (
            strange
            or not any(group.endswith(wanted) for group in self.groups)
            or not any(name in self.tensors for name in INPUTS)
        ):
            return f"{self.folder}: not the known form; {strange or f'no attentions, or none of {INPUTS}'}"
        return None


def computed(trace, group):
    """Our tensors of one group for one sentence, in the order of the layers."""
    side = next((side for beginning, side in SIDES.items() if group.startswith(beginning)), trace.model.sides[0])
    if group.endswith("attentions"):
        layers = trace.looking(side).items()
        return [np.stack([trace.pattern(n, head, side) for head in range(a.shape[0])]) for n, a in layers]
    if group.endswith("hidden_states"):
        return stream(trace, side)
    if group in ("cls_logits", "distillation_logits"):
        both = trace.model.network.output.both(trace.finals[side])
        return [both[group == "distillation_logits"][0].numpy()]
    return [trace.logits()]


def stream(trace, side):
    """Our hidden states as the library tells them: what enters layer 0, what leaves each, the last one normed.

    Of pictures, and of texts that are compared with them, the last is not; of Mamba the first is left out.
    """
    states = [trace.hidden(number, side) for number in range(len(trace.hiddens[side]))]
    last = trace.finals[side][0].numpy()
    if trace.sample.given == "image" or isinstance(trace.model.network.output, SharedSpace):
        return states
    return [*states[:-1], last] if trace.attention else [*states[1:], last]


def distances(fixture, traces):
    """How far we are from each group, in tolerances: 1 is the limit."""
    found = {}
    for group in fixture.groups:
        for row, trace in enumerate(traces):
            for mine, want in zip(computed(trace, group), fixture.numbers(group, row), strict=True):
                assert mine.shape == want.shape, (group, mine.shape, want.shape)
                away = float(np.abs(mine.astype(np.float64) - want).max()) / fixture.tolerance(group)
                found[group] = max(found.get(group, 0), away if np.isfinite(away) else np.inf)
    return found


def alone(fixture, model):
    """Trace every sentence of a fixture by itself."""
    return [core.trace(model, fixture.sample(row)) for row in range(fixture.rows)]


def shorter(sample):
    """The first three pieces of a sentence, and the first two of what its decoder reads."""
    found = sample if sample.signal is not None else core.Sample.from_ids(sample.ids[:3], types=sample.parts[:3])
    target = None if sample.target is None else core.Sample.from_ids(sample.target.ids[:2])
    return replace(found, target=target)


def together(fixture, model, padding):
    """Trace all sentences at once, and a shorter one so that there is padding."""
    samples = [fixture.sample(row) for row in range(fixture.rows)]
    short = shorter(samples[0])
    batch = core.trace(model, core.Sample.batch([*samples, short], padding=padding))
    return [batch.item(row) for row in range(fixture.rows)]


def places(environment=os.environ):
    """The folders to look in: our own, and those that GOLDEN_DIRS names."""
    named = environment.get("GOLDEN_DIRS", "").split(os.pathsep)
    return [HERE / "families"], [Path(place) for place in named if place]


def fixtures_in(place):
    """The fixtures in a folder: the folder itself, or those directly inside."""
    folders = [place] if (place / "expected.json").is_file() else sorted(place.glob("*/"))
    folders = [folder for folder in folders if (folder / "expected.json").is_file()]
    return [Fixture(folder, tower) for folder in folders for tower in towers(folder)]


def towers(folder):
    """What the outputs of each encoder begin with, where there are two."""
    return tuple(TOWERS) if Fixture(folder).told.get("kind") == "clip" else ("",)


def problems(place):
    """What is wrong with a folder that GOLDEN_DIRS names: not there, empty, or of a form that is not known."""
    if not place.is_dir():
        return [f"{place}: no such folder"]
    if strays := [inner for inner in place.iterdir() if inner.is_dir() and not (inner / "expected.json").is_file()]:
        return [f"{inner}: no expected.json" for inner in strays]
    found = fixtures_in(place)
    return [said for fixture in found if (said := fixture.check())] if found else [f"{place}: no fixture"]
