"""Blocks, tables and the tree of beginnings: who holds what, and when it is free."""

import numpy as np
import pytest
import torch

from core.cache import Cache
from core.errors import CoreError
from core.serving import PagedCache, Pages, Pool, PrefixTree
from core.tape import Place

PLACE = Place("decoder", 0)


def pool(blocks=8, size=4):
    return Pool(blocks=blocks, size=size)


def numbers(count, seed=0):
    source = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(1, 2, count, width, generator=source) for width in (3, 5))


def written(pages, *counts):
    """A paged cache and an ordinary one that were handed the same numbers."""
    paged, plain, kept = PagedCache(pages), Cache(), None
    for seed, count in enumerate(counts):
        new = numbers(count, seed)
        kept = paged.extend(PLACE, *new), plain.extend(PLACE, *new)
        paged.length, plain.length = paged.length + count, plain.length + count
    return paged, kept


def test_a_block_is_free_when_the_last_one_lets_go():
    blocks = pool(2)
    one = blocks.take()
    blocks.share(one)
    assert not blocks.let_go(one)
    assert blocks.free == 1
    assert blocks.let_go(one)
    assert blocks.free == 2


def test_a_full_pool_says_so():
    blocks = pool(2)
    for _ in range(2):
        blocks.take()
    with pytest.raises(CoreError) as refused:
        blocks.take()
    assert (refused.value.key, refused.value.values) == ("pool_full", {"came": 3, "allowed": 2})


@pytest.mark.parametrize("size", [1, 2, 4, 16])
def test_pages_give_back_what_an_ordinary_cache_gives(size):
    _, kept = written(Pages(pool(32, size)), 5, 1, 1, 3, 1)
    for paged, plain in zip(*kept, strict=True):
        assert torch.equal(paged, plain)


def test_blocks_of_several_texts_lie_between_each_other():
    pages = Pages(pool(8, 2))
    first, _ = written(pages, 3)
    second, _ = written(pages, 3)
    first.extend(PLACE, *numbers(2, 9))
    assert (first.table, second.table) == ((0, 1, 4), (2, 3))


def test_a_shared_last_block_is_copied_when_it_is_written_and_the_other_text_keeps_its_own():
    pages = Pages(pool())
    first, ((before, _), _) = written(pages, 6)
    for block in first.table:
        pages.pool.share(block)
    second = PagedCache(pages, table=first.table, length=6)
    assert second.needs(1) == 1
    together, _ = second.extend(PLACE, *numbers(1, 3))
    assert second.table[0] == first.table[0]
    assert second.table[1] != first.table[1]
    assert torch.equal(together[:, :, :6], before)
    first.length = 5
    assert first.needs(1) == 0
    assert torch.equal(pages.gather(PLACE, torch.tensor(first.table), 6)[0], before)


def test_the_bytes_of_the_pages_are_those_of_the_formula():
    pages = Pages(pool(8, 4))
    written(pages, 3)
    assert pages.bytes == 8 * 4 * 2 * (3 + 5) * 4


def test_what_is_given_back_is_free():
    pages = Pages(pool())
    cache, _ = written(pages, 9)
    assert (pages.pool.free, len(cache.let_go())) == (5, 3)
    assert (pages.pool.free, cache.table, cache.length) == (8, (), 0)


def planted(tree, *texts):
    """Put texts into a tree, each in blocks of its own that nobody else holds any more."""
    for ids in texts:
        table = [tree.pool.take() for _ in range(tree.pool.covering(len(ids)))]
        found = tree.match(ids)
        for number, block in enumerate(found.table[: found.length // tree.pool.size]):
            tree.pool.let_go(table[number])
            table[number] = block
            tree.pool.share(block)
        tree.insert(ids, table)
        for block in table:
            tree.pool.let_go(block)


def test_the_longest_known_beginning_is_found():
    tree = PrefixTree(pool())
    planted(tree, (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 9, 9, 9, 9, 9), (7, 7))
    lengths = [tree.match(ids).length for ids in ((1, 2, 3, 4, 9, 9, 8), (1, 2, 5), (8,), (), (7, 7, 7))]
    assert lengths == [6, 2, 0, 0, 2]


def test_an_edge_is_split_where_texts_part_and_a_block_that_is_cut_belongs_to_both_parts():
    tree = PrefixTree(pool())
    planted(tree, (1, 2, 3, 4, 5, 6, 7, 8))
    found = tree.match((1, 2, 3, 4, 5, 6, 0))
    assert (found.length, found.table) == (6, (0, 1))
    front, back = tree
    assert (front.ids, back.ids, back.start) == ((1, 2, 3, 4, 5, 6), (7, 8), 6)
    assert (front.blocks, back.blocks) == ([0, 1], [1])
    assert tree.pool.holders[:2] == [1, 2]


def test_of_two_branches_each_reads_its_own_block():
    tree = PrefixTree(pool())
    planted(tree, (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 9))
    tables = {tree.match(ids).table for ids in ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 9))}
    assert [len(table) for table in tables] == [2, 2]
    assert {table[0] for table in tables} == {0}
    assert len({table[1] for table in tables}) == 2


def test_what_was_used_longest_ago_goes_first_and_leaves_before_their_stems():
    tree = PrefixTree(pool())
    planted(tree, (1, 1, 1, 1, 2, 2, 2, 2), (1, 1, 1, 1, 3, 3, 3, 3), (5, 5, 5, 5))
    tree.match((1, 1, 1, 1, 2, 2, 2, 2))
    gone = [tree.evict()[0].ids for _ in range(4)]
    assert gone == [(3,) * 4, (5,) * 4, (2,) * 4, (1,) * 4]
    assert tree.evict() is None
    assert tree.pool.free == len(tree.pool)


def test_what_is_locked_stays_and_a_split_keeps_the_lock():
    tree = PrefixTree(pool())
    planted(tree, (1, 1, 1, 1, 2, 2, 2, 2))
    node = tree.match((1,) * 4 + (2,) * 4).node
    tree.lock(node)
    assert tree.match((1, 1, 1)).node.locks == 1
    assert tree.evict() is None
    tree.unlock(node)
    assert tree.evict()[0] is node


def test_a_block_that_a_text_in_work_holds_stays_with_it_when_the_tree_is_emptied():
    tree = PrefixTree(pool())
    planted(tree, (1, 2, 3, 4, 5, 6, 7, 8))
    tree.pool.share(0)
    assert tree.clear() == (1,)
    assert tree.match((1, 2, 3)).length == 0
    assert tree.pool.free == len(tree.pool) - 1


def test_a_tree_of_many_texts_never_loses_a_block():
    source = np.random.default_rng(0)
    tree = PrefixTree(pool(64, 3))
    for _ in range(60):
        ids = tuple(source.integers(0, 2, source.integers(1, 14)).tolist())
        while tree.pool.free < 6:
            assert tree.evict() is not None
        planted(tree, ids)
        assert tree.match(ids).length == len(ids)
        held = [block for node in tree for block in node.blocks]
        assert [held.count(block) for block in range(64)] == tree.pool.holders
        for node in tree:
            assert len(node.blocks) == tree.pool.covering(node.end) - node.start // 3
    tree.clear()
    assert tree.pool.free == 64
