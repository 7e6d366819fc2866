"""Writing: what each step says, what ends it, other turns, settings at their very ends."""

import json

import numpy as np
import pytest
import torch

import core
from core import Choosing, Sample, cost
from core.decoding.spelling import Spelling
from core.decoding.writer import Writer
from core.serving import layers
from tests.core.changed import changed, opened, with_settings

PROMPT = (17, 40, 3, 99, 41, 8)


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


@pytest.mark.parametrize(("named", "ends"), [(0, {0}), (7, {7}), ([0, 9], {0, 9}), ([3], {3}), (None, set())])
@pytest.mark.parametrize("where", ["config.json", "generation_config.json"])
def test_the_pieces_that_end_a_text_are_those_that_the_folder_names(tmp_path, named, ends, where):
    """One or a list, and 0 is a piece like any other."""
    model = changed(tmp_path, "llama_lm", config=with_settings(eos_token_id=named))
    if where == "generation_config.json":
        changed(tmp_path, "llama_lm", config=with_settings(eos_token_id=None))
        (tmp_path / where).write_text(json.dumps({"eos_token_id": named}))
        model = core.open_model(tmp_path)
    assert model.spec.ends == ends


def test_a_text_ends_with_piece_0_where_that_is_one_that_ends_it():
    """Drawn from nearly even chances, the first text in which it appears; forced, it ends nothing."""
    model, sample = opened("llama_lm"), Sample.from_ids(PROMPT)
    found = {}
    for seed in range(60):
        given = {"limit": 12, "choosing": Choosing(temperature=9, seed=seed)}
        found = {**given, "ids": [step.ident for step in core.generate(model, sample, **given)]}
        if 0 in found["ids"]:
            break
    ids = found.pop("ids")
    steps = list(core.generate(model, sample, stop=[0], **found))
    assert [step.ident for step in steps] == ids[: ids.index(0) + 1]
    assert steps[-1].ended == "stop"
    forced = list(core.generate(model, sample, limit=3, stop=[0], forced=[4, 0]))
    assert [step.ended for step in forced] == [None, None, "limit"]


def written(**settings):
    chosen = Choosing(**{"temperature": 1.0, "seed": 5, **settings})
    steps = list(core.generate(opened("llama_lm"), Sample.from_ids(PROMPT), limit=8, choosing=chosen))
    assert all(np.isfinite([step.probability, step.chance, step.entropy]).all() for step in steps)
    return [step.ident for step in steps]


def test_settings_at_their_very_ends_i96():
    """Temperature 0 and 1e-4, top-k 0 and beyond the vocabulary, top-p 0 and 1."""
    greedy = [step.ident for step in core.generate(opened("llama_lm"), Sample.from_ids(PROMPT), limit=8)]
    warm = written()
    assert warm != greedy
    assert written(temperature=0) == written(temperature=1e-4) == greedy
    assert written(top_p=0) == written(top_k=1) == written(min_p=1) == greedy
    assert written(top_p=1) == written(top_k=0) == written(top_k=10_000) == written(min_p=0) == warm
    assert written(seed=6) != warm


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
