"""What holds for every row of the table of position schemes."""

from itertools import pairwise

import pytest
import torch

from core.analysis.schemes import HEAD_WIDTH, HEADS, WIDTH, attention
from core.masks import Everyone
from core.mixers.softmax import scores
from core.positions.table import POSITIONS, at_heads, at_scores, input_rows

COUNT = 12
DOORS = ("none", "input", "heads", "scores")
every = pytest.mark.parametrize("scheme", POSITIONS.values(), ids=lambda scheme: scheme.name)


def heads(*, same=False, dtype=torch.float32, device="cpu"):
    drawn = torch.randn(1, HEADS, 1 if same else COUNT, HEAD_WIDTH, generator=torch.Generator().manual_seed(3))
    return drawn.expand(1, HEADS, COUNT, HEAD_WIDTH).to(device, dtype)


def places(device="cpu"):
    return torch.arange(COUNT, device=device)


def bias(scheme, queries, keys, positions):
    part = at_scores(scheme.name, HEADS)
    part = part.to(queries.device) if isinstance(part, torch.nn.Module) else part
    return None if part is None else part(queries, keys, positions[None])


@every
def test_a_scheme_enters_by_its_door_and_by_no_other(scheme):
    entered = {
        "input": bool(input_rows(scheme.name, WIDTH, places()).any()),
        "heads": at_heads(scheme.name, HEAD_WIDTH) is not None,
        "scores": at_scores(scheme.name, HEADS) is not None,
    }
    assert scheme.door in DOORS
    assert [door for door, there in entered.items() if there] == [scheme.door] * (scheme.door != "none")


@every
def test_shapes(scheme):
    assert input_rows(scheme.name, WIDTH, places()).shape == (COUNT, WIDTH)
    turning, added = at_heads(scheme.name, HEAD_WIDTH), bias(scheme, heads(), heads(), places())
    assert turning is None or turning.turn(heads(), turning.angles(places()[None])).shape == heads().shape
    assert added is None or added.at(places()[:5], places()).shape == (1, HEADS, 5, COUNT)


@every
def test_only_the_distance_counts_where_that_is_claimed(scheme):
    """With one and the same piece everywhere, scores differ only by where it stands."""
    ids = torch.zeros(COUNT, dtype=torch.long)
    found = scores(attention(ids, scheme.name, Everyone()))[0]
    along = [found.diagonal(offset, 1, 2) for offset in range(1 - COUNT, COUNT)]
    spread = max(float((one.amax(-1) - one.amin(-1)).max()) for one in along)
    tolerance = 2e-6 * float(found.abs().max())  # angles and products are rounded to float32
    assert (spread <= tolerance) == scheme.by_distance


@every
def test_somebody_who_has_a_position_is_told_from_somebody_who_has_another(scheme):
    ids = torch.zeros(COUNT, dtype=torch.long)
    found = scores(attention(ids, scheme.name, Everyone()))[0, 0]
    assert (float(found.max() - found.min()) > 1e-3) == (scheme.name != "none")


@every
@pytest.mark.parametrize("place", [0, 5, COUNT - 1])
def test_a_position_alone_equals_that_position_of_the_whole(scheme, place):
    one, whole = torch.tensor([place]), places()
    assert torch.equal(input_rows(scheme.name, WIDTH, one)[0], input_rows(scheme.name, WIDTH, whole)[place])
    turning = at_heads(scheme.name, HEAD_WIDTH)
    if turning is not None:
        assert turning.settled
        alone = turning.turn(heads()[:, :, place, None], turning.angles(one[None]))
        assert torch.equal(alone[:, :, 0], turning.turn(heads(), turning.angles(whole[None]))[:, :, place])
    kept = whole[: place + 1]
    added = bias(scheme, heads()[:, :, place, None], heads()[:, :, kept], one)
    if added is not None:
        assert torch.equal(added.at(one, kept), bias(scheme, heads(), heads(), whole).at(one, kept))


@every
def test_the_last_length_it_serves_is_the_last(scheme):
    far = scheme.longest or 100_000
    assert input_rows(scheme.name, WIDTH, torch.tensor([far - 1])).isfinite().all()
    if scheme.longest is not None:
        with pytest.raises(IndexError):
            input_rows(scheme.name, WIDTH, torch.tensor([far]))


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_turned_heads_keep_their_precision(scheme, dtype):
    turning = at_heads(scheme.name, HEAD_WIDTH)
    if turning is not None:
        assert turning.turn(heads(dtype=dtype), turning.angles(places()[None])).dtype == dtype
    assert input_rows(scheme.name, WIDTH, places()).dtype == torch.float32


@every
@pytest.mark.parametrize("device", ["meta", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_everything_happens_where_the_positions_are(scheme, device):
    """The meta device computes nothing and refuses to mix with any other, so it tells everywhere what a GPU would."""
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
    there, given = places(device), heads(device=device)
    assert input_rows(scheme.name, WIDTH, there).device.type == device
    turning, added = at_heads(scheme.name, HEAD_WIDTH), bias(scheme, given, given, there)
    assert turning is None or turning.turn(given, turning.angles(there[None])).device.type == device
    assert added is None or added.at(there, there).device.type == device


def test_the_table_is_ordered_by_door():
    doors = [DOORS.index(scheme.door) for scheme in POSITIONS.values()]
    assert all(first <= second for first, second in pairwise(doors))
    assert all(name == scheme.name for name, scheme in POSITIONS.items())
