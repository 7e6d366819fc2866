"""RNN, LSTM and GRU are PyTorch's fused ones, number by number, whether stepped through or read in pieces."""

import pytest
import torch

from core.mixers import mixer
from core.mixers.recurrent import PIECE
from core.tape import Place
from core.walk import walk_over

PEERS = {"elman": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
WIDTH = 8
each = pytest.mark.parametrize("name", PEERS)


def pair(name):
    """Return ours and PyTorch's with the same drawn parameters, and a way to run ours."""
    ours, peer = mixer(name, WIDTH).double(), PEERS[name](WIDTH, WIDTH, batch_first=True).double()
    source = torch.Generator().manual_seed(3)
    for mine, theirs in zip(ours.parameters(), peer.parameters(), strict=True):
        drawn = 0.4 * torch.randn(mine.shape, generator=source, dtype=torch.float64)
        mine.data, theirs.data = drawn, drawn.clone()
    place = Place("decoder", 0)
    return ours, peer, lambda given: ours(given, walk_over(torch.ones(given.shape[:2], dtype=torch.bool)), place)


def drawn(length):
    return torch.randn(2, length, WIDTH, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@each
@pytest.mark.parametrize("length", [1, 65, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 37])
def test_ours_is_the_fused_one(name, length):
    _, peer, run = pair(name)
    given = drawn(length)
    assert torch.allclose(run(given), peer(given)[0], rtol=0, atol=1e-12)


@each
def test_the_formula_is_the_fused_one(name):
    ours, peer, _ = pair(name)
    given = drawn(65)
    assert torch.allclose(ours.plain(given), peer(given)[0], rtol=0, atol=1e-12)


@each
@pytest.mark.parametrize("length", [65, PIECE + 37])
def test_gradients_are_those_of_the_fused_one(name, length):
    ours, peer, run = pair(name)
    given, found = drawn(length), []
    for part, mixed in ((ours, run), (peer, lambda entering: peer(entering)[0])):
        entering = given.clone().requires_grad_()
        found.append(torch.autograd.grad(mixed(entering).square().sum(), [entering, *part.parameters()]))
    for mine, theirs in zip(*found, strict=True):
        assert torch.allclose(mine, theirs, rtol=1e-9, atol=1e-9)
