"""How the next piece is chosen: filters in the published order, and settings at their very ends."""

import numpy as np
import pytest
import torch

from core import Choosing, CoreError
from core.decoding.choosing import candidates, choose

LOGITS = torch.tensor([2.0, 0.5, 2.5, -1.0, -torch.inf, 0.0])
ORDER = [2, 0, 1, 5, 3]


def left(**settings):
    ids, shares = candidates(LOGITS, Choosing(**{"temperature": 1.0, **settings}))
    assert shares.sum() == pytest.approx(1, abs=1e-6)
    return ids.tolist()


def test_what_the_filters_leave():
    assert left() == ORDER
    assert left(top_k=0) == left(top_k=99) == left(top_p=1) == left(min_p=0) == ORDER
    assert left(top_k=2) == ORDER[:2]
    assert left(top_p=0) == ORDER[:1]
    shares = torch.softmax(LOGITS, 0).sort(descending=True).values
    assert left(top_p=float(shares[:2].sum()) + 1e-4) == ORDER[:3]
    assert left(min_p=float(np.exp(-2.2))) == ORDER[:3]
    assert left(min_p=1) == ORDER[:1]


@pytest.mark.parametrize("temperature", [0, 1e-4, 1e-30])
def test_cold_is_greedy_and_nothing_overflows(temperature):
    chosen = choose(1e4 * LOGITS.half().float(), Choosing(temperature=temperature), 7)
    assert chosen == (2, 1.0)


def test_the_same_seed_draws_alike_and_as_often_as_is_likely():
    warm = Choosing(temperature=1.0, seed=3)
    drawn = [choose(LOGITS, warm, place).ident for place in range(4000)]
    assert drawn == [choose(LOGITS, warm, place).ident for place in range(4000)]
    assert drawn != [choose(LOGITS, Choosing(temperature=1.0, seed=4), place).ident for place in range(4000)]
    often = np.bincount(drawn, minlength=6) / 4000
    assert np.abs(often - torch.softmax(LOGITS, 0).numpy()).max() < 0.03  # four standard deviations of 4000 draws


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"top_p": 1.5}, {"min_p": -0.1}, {"top_k": -1}])
def test_settings_out_of_range(wrong):
    with pytest.raises(CoreError) as refused:
        Choosing(**wrong)
    assert refused.value.key == "choosing"
    assert refused.value.values["name"] in wrong
