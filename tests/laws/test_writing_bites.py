"""Faults that others have made in writing with a cache, planted one by one: each law sees its own."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from core import cache, decoding, search, trace
from core.cache import Cache, Room
from core.decoding import stitching, writer
from core.masks import Everyone
from core.mixers import softmax
from core.walk import Walk
from tests.laws.writers import (
    ANSWERING,
    LOGITS,
    LONG,
    PROMPT,
    SHARES,
    asked,
    from_alone,
    from_one_map,
    from_whole_passes,
    opened,
)

FAR = 10
ROTARY = ["llama_lm", "gptj", "phi", "gemma2_lm", "qwen3_lm", "gpt_neox_parallel", "mixtral_lm", "olmo2_lm"]
LEARNED = ["gpt2_lm", "opt_before", "gpt_neo", "bart_lm", "mbart_lm", "whisper_asr", "marian_mt", "m2m_100_lm"]
WINDOWS = ["mistral_window", "qwen2_window", "gemma2_lm", "gemma3_lm"]
GROUPED = ["llama_lm", "falcon_groups", "mixtral_lm", "llama_yarn", "qwen3_lm"]
BATCH = ((5,), PROMPT, LONG)


def several(name):
    return [asked(name, ids) for ids in BATCH]


@pytest.fixture
def plant(monkeypatch):
    """Put a fault in the place of what is right; the fault is given that."""

    def planted(owner, name, fault):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, **named: fault(real, *given, **named))

    return planted


@pytest.mark.parametrize("name", [name for name in ROTARY if name != "gpt_neox_parallel"] + LEARNED[:-1])
def test_a_position_counted_once_too_often_is_seen_i93(name, plant):
    model, sample = opened(name), asked(name)
    assert from_whole_passes(model, sample, limit=4) <= LOGITS
    plant(writer.Writer, "_positions", lambda real, self, start: real(self, start) + bool(start))
    assert from_whole_passes(model, sample, limit=4) > FAR * LOGITS


@pytest.mark.parametrize("name", [*ROTARY, *LEARNED[:-1]])
def test_positions_that_begin_anew_with_every_step_are_seen_i93(name, plant):
    plant(writer.Writer, "_positions", lambda real, self, start: real(self, start) - start)
    assert from_whole_passes(opened(name), asked(name), limit=4) > FAR * LOGITS


@pytest.mark.parametrize("name", LEARNED)
def test_positions_that_count_padding_are_seen_b13(name, plant, monkeypatch):
    def counting(_, self, start):
        return torch.arange(start, self.length).expand(len(self.ids), -1)

    plant(writer.Writer, "_positions", counting)
    monkeypatch.setattr(Walk, "before", property(lambda walk: walk.start))
    assert from_alone(opened(name), several(name)) > FAR * LOGITS


@pytest.mark.parametrize("name", [*ROTARY, *LEARNED, "bloom", "t5_relu_tied"])
def test_padding_in_the_cache_that_is_looked_at_is_seen_b13(name, monkeypatch):
    monkeypatch.setattr(Walk, "padding", Everyone())
    assert from_alone(opened(name), several(name)) > FAR * LOGITS


@pytest.mark.parametrize("name", sorted({*ANSWERING} - {"whisper_asr"}))
def test_padding_of_the_source_that_is_looked_at_is_seen_b13(name, plant):
    sample = asked(name)
    shorter = replace(sample, ids=sample.ids[:2], **{field: getattr(sample, field)[:2] for field in SPELLED})
    plant(writer.Writer, "_padding", lambda *_: Everyone())
    assert from_alone(opened(name), [sample, shorter]) > FAR * LOGITS


SPELLED = ("pieces", "labels", "spans", "words", "kinds", "parts")


@pytest.mark.parametrize("name", WINDOWS)
def test_a_key_let_go_one_step_too_early_is_seen(name, plant):
    """Of the keys within a window one is that of the query itself, so what is kept may be one fewer."""
    model, sample = opened(name), asked(name, LONG)
    assert from_whole_passes(model, sample) <= LOGITS
    plant(writer, "near_only", lambda real, rule: max(0, real(rule) - 2))
    assert from_whole_passes(model, sample) > FAR * LOGITS


@pytest.mark.parametrize("name", GROUPED)
def test_heads_that_read_the_keys_of_another_group_are_seen(name, plant):
    def tiled(_, queries, keys, values, scale):
        sharing = queries.shape[1] // keys.shape[1]
        keys, values = (part.repeat(1, sharing, 1, 1) for part in (keys, values))
        return scaled_dot_product_attention(queries, keys, values, scale=scale)

    plant(softmax, "one_row", tiled)
    assert from_whole_passes(opened(name), asked(name)) > FAR * LOGITS


@pytest.mark.parametrize("name", ["llama_lm", "gpt2_lm", "bloom", "mamba_lm", "jamba_lm", "marian_mt"])
def test_what_an_earlier_text_left_is_seen_i93(name, monkeypatch):
    """A cache that several texts share."""
    model, kept = opened(name), Cache()
    monkeypatch.setattr(writer, "Cache", lambda **_: kept)
    list(decoding.generate(model, asked(name, (9, 8)), limit=2))
    kept.length = 0
    assert from_whole_passes(model, asked(name), limit=3) > FAR * LOGITS


@pytest.mark.parametrize("name", ["llama_lm", "gemma2_lm", "gpt2_lm"])
def test_room_that_grows_without_what_lay_in_it_is_seen(name, plant, monkeypatch):
    monkeypatch.setattr(cache, "FIRST", 4)
    assert from_whole_passes(opened(name), asked(name)) <= LOGITS

    def emptied(real, self, new):
        before = self.tensor
        found = real(self, new)
        return found if before is None or found is before else found.zero_()

    plant(Room, "_room", emptied)
    assert from_whole_passes(opened(name), asked(name)) > FAR * LOGITS


@pytest.mark.parametrize("name", ["marian_mt", "bart_lm", "t5_relu_tied", "llama_lm"])
def test_beams_that_keep_the_cache_of_their_place_are_seen_i97(name, plant):
    """The beginnings change places; what is kept of them must change with them."""
    model, sample = opened(name), asked(name)

    def apart():
        found = search(model, sample, limit=6, beams=4, stop=())
        whole = trace(model, found.answered)
        count = len(found.ids)
        rows = range(len((found.answered.target or found.answered).ids) - count - 1, 1000)[:count]
        logs = torch.from_numpy(whole.logits(list(rows))).log_softmax(-1).numpy()
        told = {n.number: n for n in found.nodes}
        winner = [told[number].log_probability for number in found.winner]
        return float(np.abs(np.array(winner) - logs[np.arange(count), found.ids]).max())

    assert apart() <= LOGITS
    plant(Cache, "take", lambda _, self, rows: _first(self, rows))
    assert apart() > FAR * LOGITS


def _first(kept, rows):
    """Make room for as many as there are, all of them twins of the first."""
    for pair in kept.rooms.values():
        for room in pair:
            room.take(torch.zeros_like(rows))
    kept.source = {place: (keys[rows], values[rows]) for place, (keys, values) in kept.source.items()}


@pytest.mark.parametrize("name", ["llama_lm", "mistral_window", "marian_mt"])
def test_rows_under_the_wrong_query_and_cells_that_were_never_computed_are_seen_a3(name, plant, monkeypatch):
    model, sample = opened(name), asked(name)
    assert from_one_map(model, sample) <= SHARES
    plant(stitching, "_rows", lambda real, attention, new: real(attention, new).roll(1, dims=-1))
    assert from_one_map(model, sample) > FAR * SHARES
    monkeypatch.undo()
    monkeypatch.setattr(stitching.np, "nan", 0.0)
    assert from_one_map(model, sample) == np.inf
