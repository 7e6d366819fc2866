"""What holds for softmax attention under every rule."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from core import masks
from core.cache import Cache
from core.masks import Causal, Everyone, Globals, Rule, Summaries, Window
from core.mixers import softmax
from core.mixers.softmax import allowed, fused, of_sentence, one_head, pattern, plain
from core.tape import Place
from tests.laws.rules import BATCH, LENGTH, RULES, attention, kept

each = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
LOOK_BACK = {name: RULES[name] for name in RULES if ("causal" in name or "behind" in name) and "near" not in name}


def close(one, other, tolerance=2e-6):
    return float((one - other).abs().max()) <= tolerance


def test_every_rule_of_the_core_is_tried():
    def parts(rule):
        return {type(rule)}.union(*(parts(getattr(rule, half)) for half in ("first", "second") if hasattr(rule, half)))

    known = {rule for rule in vars(masks).values() if isinstance(rule, type) and issubclass(rule, Rule)}
    assert set().union(*map(parts, RULES.values())) == known - {Rule}


@each
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_plain_and_fused_agree(rule, groups):
    given = attention(rule, groups=groups)
    assert close(plain(given), fused(given))


@each
def test_plain_and_fused_agree_in_the_gradient(rule):
    def gradients(mix):
        leaves = [part.clone().requires_grad_() for part in (given.queries, given.keys, given.values)]
        mixed = mix(replace(given, queries=leaves[0], keys=leaves[1], values=leaves[2]))
        return torch.autograd.grad((mixed * wanted).sum(), leaves)

    given = attention(rule)
    wanted = torch.randn(given.queries.shape, generator=torch.Generator().manual_seed(1))
    assert all(close(one, other, 2e-5) for one, other in zip(gradients(plain), gradients(fused), strict=True))


@pytest.mark.parametrize("rule", [Everyone(), Causal(), RULES["window behind"], RULES["causal or near"]])
@pytest.mark.parametrize(
    ("rows", "columns", "start"), [(1, 1, 0), (1, 7, 6), (1, 7, 0), (3, 7, 4), (7, 7, 2), (2, 9, 0)]
)
def test_plain_and_fused_agree_wherever_the_queries_stand_among_the_keys(rule, rows, columns, start):
    given = attention(rule, rows=rows, columns=columns, start=start)
    assert close(plain(given), fused(given))


def test_plain_and_fused_agree_over_several_blocks():
    for rule in (Everyone(), Causal(), RULES["window behind"]):
        given = attention(rule, rows=2 * softmax.BLOCK + 1, columns=2 * softmax.BLOCK + 1, batch=1, heads=2, groups=1)
        assert close(plain(given), fused(given), 5e-6)


@each
def test_patterns_are_shares_of_what_is_allowed(rule):
    given = attention(rule)
    shares = pattern(given)
    assert close(shares.sum(-1), torch.tensor(1.0))
    assert shares.min() >= 0
    assert not shares.masked_fill(allowed(given), 0).any()


@each
def test_some_rows_are_those_rows_of_the_whole(rule):
    given, rows = attention(rule), torch.tensor([12, 0, 7])
    assert close(pattern(given, rows), pattern(given)[:, :, rows], 1e-6)


@each
def test_one_head_is_that_head_of_the_layer(rule):
    given = attention(rule)
    for head in range(6):
        assert close(pattern(one_head(given, head)), pattern(given)[:, head : head + 1], 1e-6)
        assert close(plain(one_head(given, head)), plain(given)[:, head : head + 1])


@each
def test_reach_leaves_out_only_what_nobody_looks_at(rule):
    given = attention(rule)
    for last in range(LENGTH):
        near = softmax.within_reach(given, last)
        rows, missing = torch.arange(last + 1), LENGTH - near.keys.shape[2]
        shares = torch.nn.functional.pad(pattern(near, rows), (0, missing))
        assert close(shares, pattern(given, rows), 1e-6)


@each
def test_stretches_leave_out_only_what_nobody_looks_at(rule):
    everywhere = torch.arange(LENGTH)
    looked_at = rule.at(everywhere, everywhere).any(0)
    for start in range(LENGTH):
        for end in range(start + 1, LENGTH + 1):
            covered = torch.zeros(LENGTH, dtype=torch.bool)
            stretches = rule.spans(range(start, end), LENGTH)
            for some in stretches:
                assert 0 <= some.start < some.stop <= LENGTH
                covered[some.start : some.stop] = True
            assert all(one.stop < other.start for one, other in pairwise(stretches))
            assert not (looked_at[start:end].any(0) & ~covered).any()


def test_a_window_is_not_paid_for_by_the_length():
    """Of 4,096 keys, a block of queries with a window behind is given those of the window, and no others."""
    given = attention(Causal() & Window(size=128), rows=4096, columns=4096, batch=1, heads=1, groups=1)
    assert len(softmax.near(given, range(2048, 2048 + softmax.BLOCK))) == softmax.BLOCK + 127
    few = attention(Causal() & (Window(size=128) | Globals()), rows=4096, columns=4096, batch=1, heads=1, groups=1)
    assert len(softmax.near(few, range(2048, 2048 + softmax.BLOCK))) == softmax.BLOCK + 128
    ends = attention(Causal() & Summaries(size=128), rows=4096, columns=4096, batch=1, heads=1, groups=1)
    assert len(softmax.near(ends, range(2048, 2048 + softmax.BLOCK))) == softmax.BLOCK + 2048 // 128


@pytest.mark.parametrize("rule", LOOK_BACK.values(), ids=LOOK_BACK)
def test_the_future_never_reaches_the_past(rule, request):
    given = attention(rule)
    for mix in (plain, fused):
        before = mix(given)
        for seen in (1, 6, 12):
            later = torch.arange(LENGTH) >= seen
            other = replace(
                given,
                keys=torch.where(later[:, None], 9.0, given.keys),
                values=torch.where(later[:, None], 9.0, given.values),
            )
            real = kept(LENGTH, 6, side="left" if "left" in request.node.name else "right")[:, None, :seen, None]
            assert close((mix(other)[:, :, :seen] - before[:, :, :seen]) * real, torch.tensor(0.0), 0)


def test_a_rule_that_looks_ahead_is_noticed():
    given = attention(Everyone())
    other = replace(given, values=given.values.clone().index_fill_(2, torch.tensor([12]), 9.0))
    assert not close(fused(given)[:, :, :3], fused(other)[:, :, :3], 1e-3)


@pytest.mark.parametrize("name", ["causal", "window behind"])
def test_one_at_a_time_equals_all_at_once(name):
    given, cache, place = attention(RULES[name]), Cache(), Place("decoder", 0)
    rows = []
    for step in range(LENGTH):
        now = slice(step, step + 1)
        keys, values = cache.extend(place, given.keys[:, :, now], given.values[:, :, now])
        rows.append(fused(replace(given, queries=given.queries[:, :, now], keys=keys, values=values, start=step)))
        cache.length += 1
    assert close(torch.cat(rows, dim=2), plain(given))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("order", [Everyone(), Causal(), RULES["window behind"]])
def test_sentences_in_a_batch_do_not_meet(side, order):
    lengths = (LENGTH, 6)
    keep = kept(*lengths, side=side)
    given = attention(order & masks.Padding(keep=keep))
    noise = torch.where(keep[:, None, :, None], given.values, 1e4)
    assert close((fused(replace(given, values=noise)) - fused(given)) * keep[:, None, :, None], torch.tensor(0.0), 0)
    for sentence in range(BATCH):
        own = of_sentence(given, sentence, keep[sentence], keep[sentence])
        alone = replace(own, rule=order)
        assert own.shape == (6, lengths[sentence], lengths[sentence])
        assert close(pattern(own), pattern(alone), 1e-6)
        assert close(fused(alone), fused(given)[sentence : sentence + 1, :, keep[sentence]])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [1, 30, 300])
def test_half_precision_shares_are_those_of_its_numbers(dtype, size):
    """Scores beyond 65504 too, which the fused kernel takes in its stride."""
    given = attention(Causal(), width=16)
    half = {name: (size * getattr(given, name)).to(dtype) for name in ("queries", "keys")}
    found = replace(given, **half, values=given.values.to(dtype))
    exact = replace(given, **{name: part.float() for name, part in half.items()})
    assert close(pattern(found), pattern(exact), 1e-6)
    assert close(plain(found), fused(found), 0.05)


def test_cells_that_are_masked_twice_stay_finite():
    given = attention(RULES["causal, padding right"])
    for part in (
        given,
        replace(given, queries=given.queries.half(), keys=given.keys.half(), values=given.values.half()),
    ):
        assert pattern(part).isfinite().all()
        assert fused(part).isfinite().all()


OPENED = {
    "causal": Everyone(),
    "window behind": Everyone(),
    "causal or near": Everyone(),
    "padding left": RULES["padding left"],
    "causal, padding left": RULES["padding left"],
    "window behind, padding left": RULES["padding left"],
    "causal or near, padding left": RULES["padding left"],
}


@pytest.mark.parametrize("name", OPENED)
def test_opening_a_rule_forgets_order_and_keeps_padding(name):
    rows = torch.arange(LENGTH)
    opened, wanted = RULES[name].open().at(rows, rows), OPENED[name].at(rows, rows)
    assert (opened == wanted).all()


@pytest.mark.parametrize(
    ("rule", "counts"),
    [
        (Causal() & Window(size=4), [1, 2, 3, 4, 4, 4, 4, 4]),
        (Causal() & Window(size=8), [1, 2, 3, 4, 5, 6, 7, 8]),
        (Causal(), [1, 2, 3, 4, 5, 6, 7, 8]),
        (Window(size=2), [2, 3, 3, 3, 3, 3, 3, 2]),
        (Everyone(), [8] * 8),
    ],
)
def test_how_many_keys_a_row_may_look_at(rule, counts):
    """A window counts the position itself."""
    given = attention(rule, rows=8, columns=8)
    assert (pattern(given)[0, 0] > 0).sum(-1).tolist() == counts


def test_query_heads_share_groups_in_a_row():
    """Eight query heads over two groups: 0 0 0 0 1 1 1 1, never 0 1 0 1."""
    given = attention(Everyone(), heads=8, groups=2)
    used = [one_head(given, head).keys.equal(given.keys[:, group : group + 1]) for head in range(8) for group in (0, 1)]
    assert used == [True, False] * 4 + [False, True] * 4
    marked = replace(given, values=torch.tensor([0.0, 1.0])[None, :, None, None].expand(given.values.shape))
    for mix in (plain, fused):
        assert mix(marked)[0, :, 0, 0].round().tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
