"""Writing: what each step says, what ends it, other turns, several texts at once, and the maps stitched together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import core
from core import Choosing, Sample, cost
from core.decoding.spelling import Spelling
from core.decoding.writer import Writer
from core.serving import layers

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
PROMPT, SHORT = (17, 40, 3, 99, 41, 8), (5, 77)


def opened(name):
    return core.open_model(FAMILIES / name)


def test_a_step_says_what_the_model_thought():
    step = next(core.generate(opened("llama_lm"), Sample.from_ids(PROMPT)))
    shares = np.exp(step.logits.astype(float) - step.logits.max())
    shares /= shares.sum()
    order = np.argsort(-shares)
    assert (step.ident, step.rank, step.chance) == (order[0], 0, 1.0)
    assert step.others == tuple(order[1:11])
    assert np.allclose((step.probability, *step.other_probabilities), shares[order[:11]], atol=1e-6)
    assert step.entropy == pytest.approx(-(shares * np.log2(shares)).sum(), abs=1e-4)


def test_what_ends_a_text():
    model = opened("llama_lm")
    steps = list(core.generate(model, Sample.from_ids(PROMPT), limit=5))
    assert [step.ended for step in steps] == [None] * 4 + ["limit"]
    stopped = list(core.generate(model, Sample.from_ids(PROMPT), limit=5, stop=[steps[1].ident]))
    assert [step.ended for step in stopped] == [None, "stop"]
    room = model.spec.positions
    last = list(core.generate(model, Sample.from_ids([5] * (room - 2)), limit=9))
    assert [(step.position, step.ended) for step in last] == [(room - 2, None), (room - 1, "positions")]


def test_another_turn_goes_on_from_there():
    model, sample = opened("llama_lm"), Sample.from_ids(PROMPT)
    warm = Choosing(temperature=1.5, seed=1)
    steps = list(core.generate(model, sample, limit=6, choosing=warm))
    same = list(core.generate(model, sample, limit=6, choosing=warm, forced=[step.ident for step in steps[:3]]))
    assert [step.ident for step in same] == [step.ident for step in steps]
    assert np.allclose([step.probability for step in same], [step.probability for step in steps], atol=1e-5)
    turned = list(core.generate(model, sample, limit=6, forced=core.branch(steps, 2, 9)))
    assert [step.ident for step in turned[:3]] == [steps[0].ident, steps[1].ident, 9]
    assert [step.forced for step in turned] == [True] * 3 + [False] * 3
    after = list(core.generate(model, Sample.from_ids([*PROMPT, *(step.ident for step in turned[:3])]), limit=3))
    assert [step.ident for step in after] == [step.ident for step in turned[3:]]


@pytest.mark.parametrize(
    "name", ["llama_lm", "gemma2_lm", "mistral_window", "bloom", "jamba_lm", "marian_mt", "t5_relu_tied"]
)
def test_several_at_once_write_what_each_writes_alone(name):
    model = opened(name)
    samples = [Sample.from_ids(PROMPT), Sample.from_ids(SHORT)]
    rounds = list(core.together(model, Sample.batch(samples), limit=6))
    for row, sample in enumerate(samples):
        alone = list(core.generate(model, sample, limit=6))
        assert [steps[row].ident for steps in rounds] == [step.ident for step in alone]
        for steps, step in zip(rounds, alone, strict=True):
            assert np.abs(steps[row].logits - step.logits).max() < 1e-4


@pytest.mark.parametrize("name", ["llama_lm", "mistral_window", "marian_mt"])
def test_rows_stitched_together_are_one_whole_pass(name):
    model, sample = opened(name), Sample.from_ids(PROMPT)
    steps = list(core.generate(model, sample, limit=4, watch=True))
    found = core.stitched(steps)
    answers = "encoder" in model.sides
    ids = [*(model.spec.start if answers else PROMPT), *(step.ident for step in steps[:-1])]
    assert found.shape[2:] == (len(ids), len(ids))
    assert steps[0].rows["decoder"].shape[2:] == (len(ids) - 3,) * 2
    assert [step.rows["decoder"].shape[2:] for step in steps[1:]] == [(1, len(ids) - 2 + n) for n in range(3)]
    whole = core.trace(model, _whole(sample, ids, answers))
    assert np.isnan(found[0, 0, -2, -1])
    for layer in range(found.shape[0]):
        for head in range(found.shape[1]):
            full, made = whole.pattern(layer, head, "decoder"), found[layer, head]
            known = ~np.isnan(made)
            assert np.allclose(made[known], full[known], atol=1e-5)
            assert not full[~known].any()


def _whole(sample, ids, answers):
    return replace(sample, target=Sample.from_ids(ids)) if answers else Sample.from_ids(ids)


@pytest.mark.parametrize("name", ["llama_lm", "mistral_window", "gemma2_lm", "jamba_lm", "marian_mt"])
def test_the_cache_takes_the_bytes_that_are_counted(name):
    model = opened(name)
    sample = Sample.from_ids(PROMPT)
    writer = Writer(model, Sample.batch([sample]))
    for length in range(1, 24):
        writer.read(torch.tensor([[5]]))
        kept = layers(model, len(sample) if "encoder" in model.sides else 0)
        assert writer.cache.bytes == cost.cache_bytes(kept, length)


def test_a_character_appears_when_it_is_whole(smollm2):
    text = "né 🙂 你"
    ids = smollm2.reader.tokenizer.encode(text).ids
    spelling = Spelling(smollm2.reader)
    told = [spelling.take(ident).text for ident in ids]
    assert "".join(told) == text
    assert "" in told
    assert not any("\ufffd" in part for part in told)
