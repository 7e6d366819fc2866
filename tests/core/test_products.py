"""One row goes through a matrix the fast way, and it is the same product."""

import pytest
import torch
from torch import nn

from core import open_model, products
from core.blocks import GatedFeedForward
from core.products import Linear, all_of, give_twins, one_matrix, side_by_side, twin_bytes

WIDTH, INNER = 256, 768
needs_pairs = pytest.mark.skipif(
    products.IN_PAIRS is None, reason="this processor does not multiply bfloat16, so nothing is held twice"
)


class Small(nn.Module):
    """A decoder of one feed-forward part and an output head."""

    def __init__(self, dtype):
        super().__init__()
        self.decoder = GatedFeedForward(WIDTH, INNER, act=torch.nn.functional.silu)
        self.output = Linear(WIDTH, 1024, bias=True)
        self.requires_grad_(False)
        self.to(dtype)
        self.together()

    def together(self):
        """Lay the matrices side by side, as filling does."""
        inner = nn.Module()
        inner.add_module("decoder", nn.ModuleList([self.decoder]))
        room = side_by_side(inner, torch.device("cpu"), self.output.weight.dtype)
        for name, place in room.items():
            part = getattr(self.decoder, name.split(".")[2])
            part.weight = nn.Parameter(place.copy_(part.weight), requires_grad=False)


@pytest.fixture(params=[torch.float32, torch.bfloat16], ids=str)
def small(request):
    torch.manual_seed(0)
    found = Small(request.param)
    give_twins(found)
    return found


def rows(count, dtype, width=WIDTH):
    return torch.randn(1, count, width, generator=torch.Generator().manual_seed(1)).to(dtype)


def test_one_row_alone_is_that_row_among_others(small):
    """Within the rounding of the type: the kernels add in another order."""
    several = rows(3, small.output.weight.dtype)
    with torch.inference_mode():
        for part in (small.decoder, small.output):
            alone = torch.cat([part(several[:, place : place + 1]) for place in range(3)], dim=1)
            largest = float(part(several).float().abs().max())
            near = 16 * torch.finfo(several.dtype).eps * largest
            torch.testing.assert_close(alone.float(), part(several).float(), rtol=0, atol=near)


@pytest.mark.parametrize("shape", [(1, 1, WIDTH), (1, WIDTH), (WIDTH,), (2, 3, WIDTH), (1, 0, WIDTH)], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("openblas", [True, False])
def test_every_kernel_gives_the_same_product(shape, threads, openblas, monkeypatch):
    asked = []
    real = products.by_openblas
    monkeypatch.setattr(products, "OPENBLAS", openblas)
    monkeypatch.setattr(products, "by_openblas", lambda *given: (asked.append(given), real(*given))[1])
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    chance = torch.Generator().manual_seed(5)
    weight, bias, some = (torch.randn(*size, generator=chance) for size in ((512, WIDTH), (512,), shape))
    weight = nn.Parameter(weight)
    with torch.inference_mode():
        for added in (None, bias):
            found = products.times(some, weight, added)
            expected = torch.nn.functional.linear(
                some.double(), weight.double(), None if added is None else bias.double()
            )
            torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-4)
    one_row_alone = products.PRODUCT is not None and some.numel() == WIDTH and threads == 1
    assert len(asked) == (2 if openblas and one_row_alone else 0)


def test_matrices_that_lie_side_by_side_are_one(small):
    gate, up = small.decoder.gate, small.decoder.up
    assert torch.equal(one_matrix((gate, up)), torch.cat((gate.weight, up.weight)))
    assert one_matrix((up, gate)) is None
    assert one_matrix((small.output,)) is None
    one = rows(1, gate.weight.dtype)
    with torch.inference_mode():
        for joined, part in zip(all_of(one, gate, up), (gate, up), strict=True):
            torch.testing.assert_close(joined, part(one), rtol=0.02, atol=0.02)


@needs_pairs
def test_only_bfloat16_has_twins_and_each_matrix_once(small):
    every = [small.decoder.gate, small.decoder.up, small.decoder.down, small.output]
    bytes_ = sum(part.weight.nbytes for part in every)
    assert twin_bytes(small) == (bytes_ if small.output.weight.dtype is torch.bfloat16 else 0)


@needs_pairs
@pytest.mark.parametrize("dtype", [torch.bfloat16], ids=str)
def test_a_twin_goes_with_its_parameter(dtype):
    """Whoever puts another matrix in its place gets the products of that one."""
    part = Linear(WIDTH, 1024, bias=False).requires_grad_(False).to(dtype)
    network = nn.Module()
    network.output = part
    give_twins(network)
    with torch.inference_mode():
        assert part(rows(1, dtype)).abs().max() > 0
        part.weight = nn.Parameter(torch.zeros_like(part.weight), requires_grad=False)
        assert part(rows(1, dtype)).abs().max() == 0


@needs_pairs
def test_a_model_in_bfloat16_says_that_it_takes_twice_the_bytes(smollm2):
    half = open_model("smollm2", device="cpu", dtype=torch.bfloat16)
    assert half.weight_bytes == smollm2.weight_bytes / 2 == smollm2.bytes / 2
    assert 1.99 < half.bytes / half.weight_bytes <= 2
