"""The two packaged models on the sentences of the product, as an independent implementation computed them."""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from safetensors.numpy import load_file

import core
from tests.golden.fixtures import HERE

PATTERN = 1e-5  # absolute; 2.7e-6 was measured, as large as float32 itself loses over 30 layers
HIDDEN = 1e-5  # of the state's largest value; 9e-7 was measured, the tanh form of GELU shows at 1e-4
LOGITS = 1e-5  # of the largest logit; 2e-6 was measured
STATES = {"minilm": range(7), "smollm2": (0, 1, 15, 30)}


@dataclass(frozen=True)
class Sentence:
    """One sentence through one model."""

    name: str

    @property
    def model(self):
        return self.name.partition("_")[0]

    @cached_property
    def told(self):
        return json.loads((HERE / "real" / f"{self.name}.json").read_text(encoding="utf-8"))

    @cached_property
    def tensors(self):
        return load_file(HERE / "real" / f"{self.name}.safetensors")

    def sample(self):
        types = self.tensors.get("token_type_ids")
        return core.Sample.from_ids(self.told["ids"], types=None if types is None else types[0].tolist())


SENTENCES = [Sentence(path.stem) for path in sorted((HERE / "real").glob("*.json"))]


def pattern_distance(sentence, trace):
    """The largest difference of any share of any head."""
    layers = range(sentence.told["layers"])
    return max(_away(heads(trace, layer), sentence.tensors[f"attentions.{layer}"][0]) for layer in layers)


def heads(trace, layer):
    return np.stack([trace.pattern(layer, head) for head in range(trace.model.spec.heads.count)])


def state_distance(sentence, trace):
    """The largest difference of a hidden state, as a fraction of that state's largest value."""
    wanted = [sentence.tensors[f"hidden_states.{number}"][0] for number in range(len(STATES[sentence.model]))]
    ours = [trace.hidden(number) for number in STATES[sentence.model]]
    ours[-1] = trace.final
    return max(_away(mine, want) / np.abs(want).max() for mine, want in zip(ours, wanted, strict=True))


def logits_distance(sentence, trace):
    """The largest difference of the last position's logits, as a fraction of the largest."""
    want = sentence.tensors["logits_last"][0]
    return _away(trace.logits([-1 + len(trace.sample)])[0], want) / np.abs(want).max()


def _away(mine, want):
    assert mine.shape == want.shape
    found = np.abs(mine.astype(np.float64) - want).max()
    return found if np.isfinite(found) else np.inf
