"""What a model answers at the end of a row of symbols: its likeliest word, and the head that looks most clearly."""

import numpy as np
import pytest

import core
from core.training.recall.__main__ import main

TOLD = (("red", "7"), ("blue", "9"), ("red", "8"))


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    root = tmp_path_factory.mktemp("recall")
    main(["--out", str(root), "--steps", "1", "--names", "full", "--seeds", "0"])
    return core.trace(core.open_model(root / "full-0"), core.runs.paired(TOLD, "blue"))


@pytest.mark.parametrize("layer", [1, 2])
def test_the_head_is_the_one_that_takes_most_from_a_single_position(trace, layer):
    found = core.analysis.recalled(trace, "9", layer)
    cells = core.analysis.influence(trace, layer).cells[:, -1]
    assert found.row.max() == pytest.approx(cells.max(), rel=1e-5)
    assert found.head == np.unravel_index(cells.argmax(), cells.shape)[0]
    assert np.abs(found.row).sum() == pytest.approx(1, rel=1e-5)


def test_probabilities_are_those_of_the_last_position(trace):
    found, (logits,) = core.analysis.recalled(trace, "9", 1), trace.logits([6])
    odds = np.exp(logits) / np.exp(logits).sum()
    assert found.wanted == pytest.approx(odds[66], rel=1e-4)
    assert found.probability == pytest.approx(odds.max(), rel=1e-4)
    named = dict(zip(trace.sample.ids.tolist(), trace.sample.labels, strict=True))
    assert found.word == named.get(int(odds.argmax()))
