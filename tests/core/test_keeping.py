"""What a trace keeps lies in memory of its own, and is the same numbers."""

import subprocess
import sys

import pytest
import torch

import core
from benchmarks._memory import FORGET
from core.blocks import FeedForward, GatedFeedForward
from core.blocks.feed_forward import BLOCK
from core.mixers.softmax import Attention
from core.tape import Place, Tape
from core.tracing import keeping
from core.tracing.keeping import LARGE, KeepingTape, put_away
from core.tracing.pages import Pages
from core.tracing.tracing import walks_over
from tests.conftest import ROOT

SHAPES = [(1, 8, 16), (1, LARGE // 64, 16), (2, LARGE // 64, 32)]


def lent(pages, like):
    return pages.tensor(pages.take(like.nbytes), like.dtype, like.shape)


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


def test_what_is_asked_for_twice_is_one_tensor_and_its_memory_comes_back_once(monkeypatch):
    monkeypatch.setattr(keeping, "PAGES", Pages())
    value = torch.randn(1, LARGE // 64, 16)
    get_back = put_away(value)
    assert get_back() is get_back()
    del get_back
    assert keeping.PAGES.waiting == value.nbytes


def test_only_what_is_large_moves():
    small, large = torch.randn(1, 8, 16), torch.randn(1, LARGE // 64, 16)
    assert put_away(small)().data_ptr() == small.data_ptr()
    assert put_away(large)().data_ptr() != large.data_ptr()


def test_memory_is_lent_again_once_its_last_user_has_gone():
    pages, value = Pages(), torch.ones(1, LARGE // 64, 16)
    kept = lent(pages, value).copy_(value)
    view, place = kept[:, 5:, :3].numpy(), kept.data_ptr()
    del kept
    assert pages.waiting == 0
    assert lent(pages, value).data_ptr() != place
    assert float(view.mean()) == 1
    del view
    assert pages.waiting == 2 * value.nbytes
    assert place in {one.data_ptr() for one in [lent(pages, value), lent(pages, value)]}


def test_memory_that_waits_suits_what_is_a_little_smaller_and_nothing_larger():
    pages, value = Pages(), torch.ones(LARGE)
    for size in (LARGE, LARGE * 9 // 10):
        lent(pages, value[:size])
    assert pages.waiting == value.nbytes
    lent(pages, value[: LARGE // 2])
    assert pages.waiting == value.nbytes * 3 // 2
    assert len(lent(pages, torch.ones(LARGE * 5 // 4))) == LARGE * 5 // 4


def test_of_what_waits_the_oldest_goes_at_the_limit():
    value = torch.ones(LARGE)
    pages = Pages(spare=2 * value.nbytes)
    held = [lent(pages, value) for _ in range(3)]
    places = [one.data_ptr() for one in held]
    for number in range(3):
        held[number] = None
    assert pages.waiting == 2 * value.nbytes
    assert {lent(pages, value).data_ptr() for _ in range(2)} <= set(places[1:])


def test_a_dropped_trace_leaves_its_memory_to_the_next_one(smollm2, monkeypatch):
    monkeypatch.setattr(keeping, "PAGES", Pages())
    sample = core.read(smollm2, text="The cat sat on the mat. " * 60)
    first = core.trace(smollm2, sample).final
    left = keeping.PAGES.waiting
    assert left > 30 * sample.ids.size * 576 * 4
    second = core.trace(smollm2, sample)
    assert keeping.PAGES.waiting == 0
    assert (second.final == first).all()
    del second
    assert keeping.PAGES.waiting == left


RAISED = """
import core
from benchmarks._memory import raised
model = core.open_model("smollm2")
sample, made = core.read(model, text="The cat sat on the mat. " * 290), []
core.trace(model, core.read(model, text="a cat"))
print(raised(lambda: made.append(core.trace(model, sample))) / made[0].bytes)
"""


@pytest.mark.skipif(not FORGET.exists(), reason="only Linux tells a process the highest memory that it took")
def test_a_run_takes_little_more_memory_than_what_it_keeps():
    """Next to what is kept lies what one layer has in work; gaps between the two would double it."""
    done = subprocess.run([sys.executable, "-c", RAISED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.4


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
