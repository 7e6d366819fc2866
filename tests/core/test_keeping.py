"""What a trace keeps lies in memory of its own, and is the same numbers."""

import gc
import weakref

import pytest
import torch

import core
from core.blocks import FeedForward, GatedFeedForward
from core.blocks.feed_forward import BLOCK
from core.mixers.softmax import Attention
from core.tape import Place, Tape
from core.tracing import keeping
from core.tracing.keeping import LARGE, KeepingTape, own_pages, put_away
from core.tracing.tracing import walks_over

SHAPES = [(1, 8, 16), (1, LARGE // 64, 16), (2, LARGE // 64, 32)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_what_is_put_away_comes_back_as_it_was(shape, dtype):
    value = torch.randn(shape).to(dtype)
    again = put_away(value)()
    assert again.dtype == dtype
    assert torch.equal(again, value)


def test_what_lies_across_comes_back_in_order():
    value = torch.randn(1, LARGE // 64, 4, 16).transpose(1, 2)
    assert torch.equal(put_away(value)(), value)


def test_only_what_is_large_moves():
    small, large = torch.randn(1, 8, 16), torch.randn(1, LARGE // 64, 16)
    assert put_away(small)().data_ptr() == small.data_ptr()
    assert put_away(large)().data_ptr() != large.data_ptr()


def test_pages_are_given_back_with_the_last_tensor(monkeypatch):
    made = []
    monkeypatch.setattr(keeping, "own_pages", lambda size: made.append(weakref.ref(pages := own_pages(size))) or pages)
    get_back = put_away(torch.ones(1, LARGE // 64, 16))
    again = get_back()
    del get_back
    assert made[0]() is not None
    assert float(again.mean()) == 1
    del again
    gc.collect()
    assert made[0]() is None


def test_a_tape_that_keeps_reads_like_one_that_does_not(smollm2):
    sample = core.read(smollm2, text="The cat sat on the mat. " * 60)
    batch = core.Sample.batch([sample])
    kept, plain = KeepingTape(), Tape()
    with torch.no_grad():
        for tape in (kept, plain):
            smollm2.run(*walks_over(smollm2, batch, tape=tape))
    for what in ("hidden", "final", "attention"):
        for one, other in zip(kept.read(what, "decoder"), plain.read(what, "decoder"), strict=True):
            assert all(torch.equal(*pair) for pair in zip(parts(one), parts(other), strict=True))


def parts(value):
    return (value.queries, value.keys, value.values) if isinstance(value, Attention) else (value,)


def test_what_nobody_wants_is_not_kept():
    tape = KeepingTape(wanted=frozenset({"hidden"}))
    tape.note("final", Place("encoder", 0), torch.randn(1, 2, 3))
    assert tape.read("final", "encoder") == []


@pytest.mark.parametrize("kind", [FeedForward, GatedFeedForward])
def test_a_long_text_goes_through_in_blocks_like_each_position_alone(kind):
    part = kind(12, 48, act=torch.nn.functional.silu)
    hidden, widest = torch.randn(2, 2 * BLOCK + 5, 12), []
    part.up.register_forward_hook(lambda *args: widest.append(args[-1].shape[1]))
    together = part(hidden)
    assert max(widest) == BLOCK
    alone = torch.stack([part(hidden[:, n : n + 1])[:, 0] for n in range(hidden.shape[1])], dim=1)
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5)
