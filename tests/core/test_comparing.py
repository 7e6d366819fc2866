"""With the cache and without: the same pieces, other costs."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core import CoreError, Sample, generate, open_model, serving
from core.cache import Cache
from core.changes import Plain
from core.serving import comparing
from core.serving.comparing import operations, parameters
from core.serving.reading import layers
from core.walk import Walk
from tests.core.changed import FAMILIES

PROMPT = (17, 40, 3, 99, 41)
GROWING = {"llama_dynamic", "phi3_long"}
WRITERS = sorted(
    path.parent.name
    for path in FAMILIES.glob("*/expected.json")
    if json.loads(path.read_text(encoding="utf-8"))["kind"] in ("causal", "mamba") and path.parent.name not in GROWING
)


@pytest.mark.parametrize("name", [*WRITERS, "bart_lm", "t5_relu_tied"])
def test_both_ways_write_the_same(name):
    model, sample = open_model(FAMILIES / name), Sample.from_ids(PROMPT)
    told = serving.compare(model, sample, limit=4)
    assert told.identical
    assert told.apart <= 1e-4
    assert list(told.cached.written) == [found.ident for found in generate(model, sample, limit=4)][:4]


def test_with_the_cache_a_step_costs_one_position_and_without_it_all(smollm2):
    told = serving.compare(smollm2, Sample.from_ids(PROMPT), limit=6)
    assert told.lengths.tolist() == [5, 6, 7, 8, 9, 10]
    assert told.cached.operations[0] == told.whole.operations[0]
    assert (np.diff(told.cached.operations[1:]) == 4 * 9 * 64 * 30).all()
    assert (told.whole.operations[1:] > 4 * told.cached.operations[1:]).all()
    assert (told.cache_bytes == told.lengths * 2 * 30 * 3 * 64 * 4).all()
    assert told.weight_bytes == smollm2.bytes
    assert (told.cached.seconds > 0).all()
    assert told.cached.labels == smollm2.reader.of_ids(told.cached.written).labels


@pytest.mark.parametrize(("patience", "repeats"), [(10.0, 3), (0.0, 1)])
def test_seconds_are_medians_of_runs_in_turn(monkeypatch, patience, repeats):
    """Where one run takes long there is no other; a run that a neighbour slowed down is not believed."""
    model, sample = open_model(FAMILIES / "llama_lm"), Sample.from_ids(PROMPT)
    ways, real = [], comparing._way

    def slowed(*given, keep):
        ways.append(keep)
        found = real(*given, keep=keep)
        return replace(found, seconds=np.full(3, {1: 1.0, 2: 9.0, 3: 2.0}[ways.count(keep)]))

    monkeypatch.setattr(comparing, "_way", slowed)
    monkeypatch.setattr(comparing, "PATIENCE", patience)
    told = serving.compare(model, sample, limit=3)
    assert ways == [True, False] * repeats
    assert told.repeats == repeats
    assert (told.cached.seconds == (2.0 if repeats == 3 else 1.0)).all()


@pytest.fixture
def ordinary(monkeypatch):
    """No product by a kernel that the machine's own counting does not know."""
    monkeypatch.setattr("core.products.PRODUCT", None)


@torch.no_grad()
def counted(model, ids, cache):
    """What the machine itself counts on the plain path, where every product is one of matrices."""
    positions = torch.arange(cache.length, cache.length + len(ids))[None]
    with FlopCounterMode(display=False) as counter:
        final = model.side("decoder")(
            Walk(positions=positions, ids=torch.tensor([ids]), cache=cache, changes=(Plain(),))
        )
        model.logits(final[:, -1:])
    cache.length += len(ids)
    return counter.get_total_flops()


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("name", ["llama_lm", "gpt2_lm", "phi", "falcon_one_key_head", "qwen3_lm", "olmo2_lm"])
def test_the_formula_counts_what_the_machine_counts(name):
    model, cache = open_model(FAMILIES / name), Cache()
    counted(model, PROMPT, cache)
    for length in (6, 7):
        assert counted(model, (9,), cache) == operations(model, length - 1, length)


@pytest.mark.usefixtures("ordinary")
def test_of_several_positions_the_machine_counts_the_masked_cells_too():
    model = open_model(FAMILIES / "llama_lm")
    met, layer = parameters(model), layers(model)[0]
    square = 2 * layer.heads * (layer.key_width + layer.value_width) * 25 * model.spec.layers
    assert counted(model, PROMPT, Cache()) == 2 * (5 * met.layers + met.head) + square
    assert operations(model, 0, 5) == 2 * (5 * met.layers + met.head) + square * 15 // 25


def test_of_experts_only_the_chosen_are_counted():
    model = open_model(FAMILIES / "mixtral_lm")
    everything = sum(p.numel() for p in model.side("decoder").layers.parameters() if p.dim() == 2)
    assert parameters(model).layers < everything


@pytest.mark.parametrize(
    ("name", "how", "key"),
    [
        ("llama_lm", {"limit": 0}, "serving_value"),
        ("llama_lm", {"limit": 129}, "serving_value"),
        ("llama_dynamic", {}, "not_kept"),
        ("bert_mlm", {}, "not_a_writer"),
        ("gpt2_classes", {}, "classes_only"),
        ("opt_before", {"limit": 128}, "too_long"),
    ],
)
def test_what_cannot_be_compared_is_refused(name, how, key):
    with pytest.raises(CoreError) as refused:
        serving.compare(open_model(FAMILIES / name), Sample.from_ids(PROMPT), **how)
    assert refused.value.key == key


def test_a_loaded_model_keeps_nothing_of_it(smollm2):
    before = {name: id(value) for name, value in smollm2.network.named_buffers()}
    serving.compare(smollm2, Sample.from_ids(PROMPT), limit=2)
    assert {name: id(value) for name, value in smollm2.network.named_buffers()} == before
    assert not any(parameter.grad is not None for parameter in smollm2.network.parameters())
    assert torch.is_grad_enabled()
