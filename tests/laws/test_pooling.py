"""Pooled maps say of the exact ones what they claim: block maxima, sums of columns, means of rows."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

import core
import core.tracing.pooling as pooling
from core.masks import Causal, Everyone
from core.mixers import softmax
from core.mixers.softmax import pattern
from core.tracing import Grouping, identity, pooled
from tests.golden.fixtures import HERE
from tests.laws.rules import attention

QUICK = settings(max_examples=60, deadline=None)
lengths, bins = some.integers(1, 41), some.integers(1, 50)


@pytest.fixture(scope="module")
def small():
    return core.open_model(HERE / "families" / "llama_lm", device="cpu")


def one(rule, rows, columns, **rest):
    return attention(rule, rows=rows, columns=columns, batch=1, heads=3, groups=1, **rest)


def exact(given):
    return pattern(given)[0].numpy()


def by_hand(square, height, width):
    """The maximum of each block, the slow way."""
    _, rows, columns = square.shape
    found = [
        [square[:, top : top + height, left : left + width].max((1, 2)) for left in range(0, columns, width)]
        for top in range(0, rows, height)
    ]
    return np.moveaxis(np.array(found), 2, 0)


@QUICK
@given(rows=lengths, columns=lengths, height=some.integers(1, 9), width=some.integers(1, 9), block=some.integers(1, 12))
def test_pooling_is_the_maximum_of_each_block(rows, columns, height, width, block):
    """Whatever the sizes, and however many rows are taken at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling, "BLOCK", block)
        for rule in (Everyone(), Causal()):
            layer = one(rule, rows, columns)
            found = pooled(layer, identity(rows), identity(columns), (height, width)).numpy()
            np.testing.assert_allclose(found, by_hand(exact(layer), height, width), atol=1e-6)


@QUICK
@given(length=some.integers(1, 33), wanted=bins)
def test_an_overview_never_loses_the_strongest_cell(small, length, wanted):
    trace = core.trace(small, core.Sample.from_ids(range(5, 5 + length)))
    found, block = trace.overview(wanted), -(-length // wanted)
    assert max(found.shape[2:]) <= wanted
    for layer in range(small.spec.layers):
        square = np.stack([trace.pattern(layer, head) for head in range(small.spec.heads.count)])
        np.testing.assert_allclose(found[layer], by_hand(square, block, block), atol=1e-6)
        np.testing.assert_allclose(found[layer].max((1, 2)), square.max((1, 2)), atol=1e-6)


@some.composite
def groupings(draw):
    """Groups in reading order, some positions left out, none of the groups empty."""
    sizes = draw(some.lists(some.integers(1, 4), min_size=1, max_size=7))
    group = [number for number, size in enumerate(sizes) for _ in range(size)]
    for _ in range(draw(some.integers(0, 3))):
        group.insert(draw(some.integers(0, len(group))), -1)
    return Grouping(group=torch.tensor(group), count=len(sizes))


@QUICK
@given(rows=groupings(), columns=groupings(), renormalise=some.booleans())
def test_columns_of_a_group_add_and_rows_average(rows, columns, renormalise):
    for rule in (Everyone(), Causal()):
        layer = one(rule, len(rows.group), len(columns.group))
        square, wanted = exact(layer), np.zeros((3, rows.count, columns.count), np.float32)
        for row in range(rows.count):
            for column in range(columns.count):
                cells = square[:, (rows.group == row).numpy()][:, :, (columns.group == column).numpy()]
                wanted[:, row, column] = cells.sum(2).mean(1)
        if renormalise:
            wanted = wanted / np.maximum(wanted.sum(-1, keepdims=True), 1e-30)
        found = pooled(layer, rows, columns, renormalise=renormalise).numpy()
        np.testing.assert_allclose(found, wanted, atol=2e-6)


@pytest.mark.parametrize("heads", [(0,), (2, 0), (1, 1)])
def test_some_heads_are_those_heads(heads):
    layer = one(Causal(), 9, 9)
    whole = pooled(layer, identity(9), identity(9), (2, 2))
    assert torch.allclose(pooled(layer, identity(9), identity(9), (2, 2), heads=heads), whole[list(heads)], atol=1e-6)


def test_long_texts_are_taken_in_blocks_of_rows():
    length = 2 * softmax.BLOCK + 3
    layer = one(Causal(), length, length)
    found = pooled(layer, identity(length), identity(length), (11, 11)).numpy()
    np.testing.assert_allclose(found, by_hand(exact(layer), 11, 11), atol=1e-6)
