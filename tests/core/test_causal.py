"""The mask: nothing in a sentence knows how it goes on."""

import numpy as np
import pytest

from core import CoreError, Sample, analysis, open_model, read, trace
from core.analysis import causal
from tests.core.changed import FAMILIES

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."


@pytest.fixture(scope="module")
def written(smollm2):
    return trace(smollm2, read(smollm2, TIRED))


@pytest.fixture(scope="module")
def alike(written):
    return causal.beginnings(written, WIDE)


def test_it_cannot_have_read_tired(alike):
    assert "it" in alike.labels
    assert (alike.first, alike.second) == ("tired", "wide")
    assert alike.shares.max() <= 1e-6
    assert alike.states.max() <= 1e-4


def test_an_encoder_reads_the_end_at_the_beginning(minilm):
    told = causal.beginnings(trace(minilm, read(minilm, TIRED)), WIDE)
    assert told.shares[told.labels.index("it")] > 0.01
    assert told.states[0] > 0.01


def test_texts_that_differ_from_the_first_token_have_no_common_rows(written):
    with pytest.raises(CoreError) as refused:
        causal.beginnings(written, "A cat")
    assert refused.value.key == "no_common_start"


def test_one_text_may_be_the_beginning_of_the_other(written):
    told = causal.beginnings(written, "The animal")
    assert (told.labels, told.first, told.second) == (("The", "animal"), "didn", "")


def test_scores_are_there_before_the_mask_and_not_after(written):
    told = causal.masked(written, 13, 8)
    upper = np.triu(np.ones(told.scores.shape, dtype=bool), 1)
    assert (told.allowed == ~upper).all()
    assert np.isfinite(told.scores).all()
    assert (np.isnan(told.kept) == upper).all()
    assert (told.kept[~upper] == told.scores[~upper]).all()
    assert not told.pattern[upper].any()


def test_shares_after_the_mask_are_those_before_it_shared_out_again(written):
    told = causal.masked(written, 3, 1)
    left = np.where(told.allowed, told.unmasked, 0)
    assert np.allclose(left / left.sum(-1, keepdims=True), told.pattern, atol=1e-5)
    assert np.allclose(1 - left.sum(-1), told.ahead, atol=1e-5)
    assert told.ahead[0] > told.ahead[-1] == 0


@pytest.mark.parametrize(
    ("name", "layer", "kind", "window"),
    [("mistral_window", 0, "window", 4), ("llama_lm", 0, "causal", 0), ("bert_mlm", 0, "everyone", 0)],
)
def test_the_rule_of_a_layer_has_a_name(name, layer, kind, window):
    model = open_model(FAMILIES / name)
    told = causal.masked(trace(model, Sample.from_ids(range(5, 17))), layer, 0)
    assert told.kind == kind
    assert (told.window > 0) == (window > 0)
    if window:
        assert told.allowed.sum(-1).max() == told.window


def test_a_head_with_a_bias_is_masked_like_the_others():
    model = open_model(FAMILIES / "bloom")
    found = trace(model, Sample.from_ids(range(5, 17)))
    told = causal.masked(found, 1, 2)
    assert (told.pattern == found.pattern(1, 2)).all()
    assert np.allclose(np.exp(told.kept[-1]) / np.exp(told.kept[-1]).sum(), told.pattern[-1], atol=1e-5)


def test_the_kinds_of_rules_drawn():
    told = causal.variants(6, window=2, prefix=3)
    assert told["everyone"].all()
    assert told["causal"].sum() == 21
    assert told["window"].sum(-1).tolist() == [1, 2, 2, 2, 2, 2]
    assert told["prefix"].sum(-1).tolist() == [3, 3, 3, 4, 5, 6]


def test_one_pass_foresees_every_next_token(smollm2, written):
    told = causal.foreseen(written)
    logits = written.logits().astype(np.float64)
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    wanted = shares[np.arange(12), written.sample.ids[1:]]
    assert np.allclose(told.probability, wanted, atol=1e-6)
    assert told.loss == pytest.approx(-np.log(wanted).mean())
    assert (told.next_labels, len(told.labels)) == (written.sample.labels[1:], 12)
    assert ((told.rank == 0) == (told.probability == told.best)).all()
    assert told.best_labels[-1] == smollm2.reader.of_ids([int(logits[-2].argmax())]).labels[0]


def test_what_a_position_foresees_does_not_depend_on_what_follows(smollm2, written):
    part = Sample.from_ids(written.sample.ids[:6])
    told = causal.foreseen(trace(smollm2, part))
    assert np.allclose(told.probability, causal.foreseen(written).probability[:5], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "ids", "key"), [("bert_mlm", (5, 6), "not_a_writer"), ("llama_lm", (5,), "one_token")]
)
def test_what_foresees_nothing_is_refused(name, ids, key):
    found = trace(open_model(FAMILIES / name), Sample.from_ids(ids))
    with pytest.raises(CoreError) as refused:
        causal.foreseen(found)
    assert refused.value.key == key


def test_a_state_has_no_mask_but_is_causal_all_the_same():
    model = open_model(FAMILIES / "jamba_lm")
    told = causal.beginnings(trace(model, read(model, "a b c d")), "a b c e")
    assert told.shares.max() <= 1e-6


def test_the_cache_fills_by_the_same_bytes_for_every_token(written):
    told = analysis.filling(written)
    assert told.one_more == 2 * 30 * 3 * 64 * 4
    assert told.total.tolist() == [told.one_more * length for length in range(1, 14)]
    assert (told.every_head == 3 * told.total).all()
    assert (told.total == 3 * told.one_head).all()
    assert set(told.kinds) == {"keys"}
    assert told.weight_bytes == written.model.bytes


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("mistral_window", {"window"}),
        ("gemma2_lm", {"keys", "window"}),
        ("jamba_lm", {"keys", "state"}),
        ("mamba2_lm", {"state"}),
        ("bart_lm", {"keys", "source"}),
        ("gpt_neo", {"keys", "window"}),
    ],
)
def test_every_kind_of_layer_has_its_formula(name, kinds):
    model = open_model(FAMILIES / name)
    told = analysis.filling(trace(model, Sample.from_ids(range(5, 13))), lengths=(1, 50, 100))
    assert set(told.kinds) == kinds
    for kind, window, row in zip(told.kinds, told.windows, told.bytes, strict=True):
        grows = {
            "keys": row[2] == 2 * row[1] > row[1],
            "window": row[2] <= 2 * row[1] and window,
            "state": row[2] == row[0],
        }
        assert grows.get(kind, row[2] == row[0])


def test_where_every_head_has_its_own_keys_nothing_is_saved():
    model = open_model(FAMILIES / "bart_lm")
    told = analysis.filling(trace(model, Sample.from_ids(range(5, 13))), lengths=(1, 50))
    assert (told.every_head == told.total).all()
    assert (told.one_head * told.heads[0] == told.total).all()
