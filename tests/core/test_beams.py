"""Beam search: the same answers as the library's, as a tree whose numbers add up, with the winner's maps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import core
from core import CoreError, Sample
from tests.golden.fixtures import Fixture

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
SOURCE = (17, 40, 3, 99, 41, 8, 2)


@pytest.mark.golden
@pytest.mark.parametrize("name", ["marian_mt", "bart_lm", "t5_relu_tied"])
@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.0])
def test_the_winner_is_the_librarys(name, penalty):
    from transformers import AutoModelForSeq2SeqLM

    model, peer = core.open_model(FAMILIES / name), AutoModelForSeq2SeqLM.from_pretrained(FAMILIES / name).eval()
    start, end = model.spec.start, max(model.spec.ends)
    given = {"num_beams": 3, "max_new_tokens": 8, "do_sample": False, "length_penalty": penalty, "eos_token_id": end}
    begun = {"decoder_input_ids": torch.tensor([start]), "forced_eos_token_id": None, "early_stopping": False}
    with torch.inference_mode():
        wanted = peer.generate(torch.tensor([SOURCE]), **given, **begun)[0, len(start) :].tolist()
    found = core.search(model, Sample.from_ids(SOURCE), limit=8, beams=3, length_penalty=penalty, stop=[end])
    assert list(found.ids) == wanted


def test_the_tree_adds_up_and_its_winner_has_maps():
    model = core.open_model(FAMILIES / "marian_mt")
    found = core.search(model, Sample.from_ids(SOURCE), limit=6, beams=3, stop=())
    for node in found.nodes:
        before = 0.0 if node.parent is None else found.nodes[node.parent].total
        assert node.total == pytest.approx(before + node.log_probability, abs=1e-4)
        assert (node.fate == "winner") == (node.number in found.winner)
    assert {node.fate for node in found.nodes} >= {"winner", "dropped"}
    assert found.path(found.winner[-1]) == found.winner
    ended = [node.score for node in found.nodes if node.fate in ("finished", "winner") and node.depth == 5]
    assert found.score == max(ended)
    cross = core.trace(model, found.answered).pattern(0, 0, "cross")
    assert cross.shape == (len(model.spec.start) + len(found.ids), len(SOURCE))
    assert np.allclose(cross.sum(-1), 1, atol=1e-5)
    greedy = core.search(model, Sample.from_ids(SOURCE), limit=6, beams=1, stop=())
    assert greedy.ids == tuple(step.ident for step in core.generate(model, Sample.from_ids(SOURCE), limit=6))


@pytest.mark.parametrize("name", ["marian_mt", "bart_lm", "t5_relu_tied", "whisper_asr"])
def test_the_maps_of_the_winner_are_those_of_its_own_text_i97(name):
    """What beam search thought of each piece is what one pass over the winning text thinks: its rows are the winner's
    and not those of the place in which it was kept."""
    fixture = Fixture(FAMILIES / name)
    model, sample = core.open_model(fixture.folder), replace(fixture.sample(0), target=None)
    found = core.search(model, sample, limit=6, beams=3, stop=())
    start, answer = list(model.spec.start), [*model.spec.start, *found.ids]
    assert found.answered.target.ids.tolist() == answer
    whole = core.trace(model, found.answered)
    assert whole.pattern(0, 0, "cross").shape[0] == len(answer)
    logs = torch.from_numpy(whole.logits(range(len(start) - 1, len(answer) - 1))).log_softmax(-1).numpy()
    told = [found.nodes[number].log_probability for number in found.winner]
    assert np.allclose(told, logs[np.arange(len(told)), found.ids], atol=1e-4)
    assert found.nodes[found.winner[-1]].fate == "winner"


@pytest.mark.parametrize("beams", [0, 17])
def test_too_few_or_too_many(beams):
    with pytest.raises(CoreError) as refused:
        core.search(core.open_model(FAMILIES / "marian_mt"), Sample.from_ids(SOURCE), beams=beams)
    assert refused.value.key == "beams"
