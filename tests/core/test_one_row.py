"""What is done more quickly for a single row gives what it gives among others."""

import pytest
import torch

import core
from core import products
from core.blocks import RMSNorm
from core.decoding.spelling import Spelling
from core.decoding.steps import likeliest, thought
from tests.laws.writers import FAMILIES


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_a_norm_of_one_position_is_that_among_others(dtype):
    norm = RMSNorm(96, epsilon=1e-5, offset=1.0).requires_grad_(False).to(dtype)
    norm.weight.copy_(torch.linspace(-1, 1, 96))
    rows = (torch.randn(3, 96, generator=torch.Generator().manual_seed(0)) * torch.tensor([[1e-3], [1.0], [50.0]])).to(
        dtype
    )
    for row, among in zip(rows, norm(rows), strict=True):
        with torch.inference_mode():
            alone = norm(row[None, None])
        assert (alone.shape, alone.dtype) == ((1, 1, 96), dtype)
        near = 4 * torch.finfo(dtype).eps
        torch.testing.assert_close(alone[0, 0], among, rtol=near, atol=near)


@pytest.mark.parametrize("pieces", [7, 300, 5000, 49152, 50257])
def test_the_likeliest_pieces_are_found_wherever_they_are(pieces):
    """Spread over all rows, all in one, and in what is left over behind the last whole row."""
    spread = torch.randn(pieces, generator=torch.Generator().manual_seed(1))
    behind = spread.clone()
    behind[-6:] += 20
    for logits in (spread, behind, torch.arange(pieces).float(), -torch.arange(pieces).float()):
        count = min(11, pieces)
        assert likeliest(logits, count) == logits.topk(count).indices.tolist()


def test_what_is_thought_of_a_large_vocabulary_is_its_softmax():
    logits = 4 * torch.randn(50257, generator=torch.Generator().manual_seed(2)) + 300
    logits[7] = -torch.inf
    shares = torch.softmax(logits.double(), 0)
    found, order = thought(logits, 40000), shares.argsort(descending=True)
    assert found.probability == pytest.approx(float(shares[40000]), rel=1e-4)
    assert found.rank == int((shares > shares[40000]).sum())
    assert found.others == tuple(order[:10].tolist())
    assert found.other_probabilities == pytest.approx(shares[order[:10]].tolist(), rel=1e-4)
    assert found.entropy == pytest.approx(-float((shares * shares.clamp(min=1e-300).log2()).sum()), rel=1e-5)


def test_a_long_text_is_spelled_out_as_it_is(smollm2):
    """Many times more pieces than are looked back at, begun in the middle of it."""
    text = "Wärme né 🙂 你好，世界。 don't  stop\n\n" * 5
    ids = smollm2.reader.tokenizer.encode(text).ids
    spelling = Spelling(smollm2.reader, ids[:9])
    begun = smollm2.reader.of_ids(ids[:9]).text
    assert begun + "".join(spelling.take(ident).text for ident in ids[9:]) == text


@pytest.mark.parametrize("name", ["llama_lm", "marian_mt", "whisper_asr", "translator"])
def test_pieces_are_spelled_as_their_sample_says(name, smollm2):
    """Half characters, bytes that belong to none, special pieces; of readers that cut differently."""
    reader = core.open_model(name if name == "translator" else FAMILIES / name).reader
    for one in (reader, smollm2.reader):
        text = getattr(one, "target", getattr(one, "text", one))
        ids = torch.randint(
            0, text.tokenizer.get_vocab_size(), (60,), generator=torch.Generator().manual_seed(3)
        ).tolist()
        for end in range(1, len(ids) + 1):
            whole = one.of_ids(ids[:end])
            assert one.spelled(ids[:end]) == (whole.labels[-1], whole.text)


def test_a_decoder_s_matrices_lie_in_one_piece_of_memory(smollm2):
    """All of them, each once, so that large pages hold them."""
    large = [part for part in smollm2.network.parameters() if part.ndim == 2]
    assert len({part.untyped_storage().data_ptr() for part in large}) == 1
    held = sum(part.nbytes for part in large)
    assert held <= large[0].untyped_storage().nbytes() <= 1.01 * held
    assert large[0].untyped_storage().data_ptr() % 4096 == 0


def test_memory_without_large_pages_does_as_well(monkeypatch):
    monkeypatch.delattr("mmap.MADV_HUGEPAGE", raising=False)
    room = products.room_for(5, torch.device("cpu"), torch.bfloat16)
    assert room.fill_(2).tolist() == [2.0] * 5
