"""One row taken in hand: it is moved where it was told to, and what follows is that run's own."""

from dataclasses import replace

import numpy as np
import pytest

import core
from core import analysis
from tests.core.changed import EIGHT, opened

rows = analysis.rows


@pytest.fixture(scope="module")
def traced():
    return core.trace(opened("marian_mt"), EIGHT)


def test_a_part_of_a_share_is_moved_and_nothing_is_lost(traced):
    before = traced.pattern(1, 2, "encoder")[5]
    change = rows.moved(traced, 1, 2, 5, 3, 6, part=0.25)
    assert (change.side, change.layers, change.heads, change.row) == ("encoder", (1,), (2,), 5)
    after = np.array(change.shares)
    assert after.sum() == pytest.approx(before.sum(), abs=1e-6)
    assert after[3] == pytest.approx(0.75 * before[3], abs=1e-7)
    assert after[6] == pytest.approx(before[6] + 0.25 * before[3], abs=1e-7)
    others = [0, 1, 2, 4, 5, 7]
    np.testing.assert_allclose(after[others], before[others], atol=1e-8)


def test_moving_nothing_changes_nothing(traced):
    again = core.trace(traced.model, traced.sample, (rows.moved(traced, 1, 2, 5, 3, 6, part=0.0),))
    np.testing.assert_allclose(again.final, traced.final, atol=1e-5)


def test_how_likely_the_written_piece_stays_in_every_head(traced):
    place, ident = 2, int(traced.sample.target.ids[3])
    assert rows.written(traced, place) == ident
    found = rows.deciding(traced, 5, 3, 6, place)
    assert found.shape == (len(traced.layers("encoder")), traced.layer(0, "encoder").shape[0])
    again = core.trace(traced.model, traced.sample, (rows.moved(traced, 1, 2, 5, 3, 6),))
    logits = again.logits([place])[0].astype(float)
    assert found[1, 2] == pytest.approx(np.exp(logits - logits.max())[ident] / np.exp(logits - logits.max()).sum())
    assert len(np.unique(found)) > found.size // 2


def test_the_last_row_wrote_what_ends_the_answer(traced):
    cut = replace(traced.sample, target=traced.model.reader.of_ids(traced.sample.target.ids[:4].tolist()))
    short = core.trace(traced.model, cut)
    assert rows.written(short, 3) == int(short.logits([3])[0].argmax())
