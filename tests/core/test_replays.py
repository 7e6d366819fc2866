"""Serving prompts: the same pieces as alone, fewer computed, and never a crash."""

import numpy as np
import pytest

from core import CoreError, generate, open_model, read, serving, trace
from tests.core.changed import FAMILIES

LIKE = "The animal didn't cross the street because it was too tired."
UNLIKE = "The animal didn't cross the street because it was too wide."
PROMPTS = (LIKE, UNLIKE, "The animal")
SMALL = {"block_size": 4, "limit": 6}


@pytest.fixture(scope="module")
def roomy(smollm2):
    return serving.replay(smollm2, PROMPTS, blocks=32, **SMALL)


@pytest.fixture(scope="module")
def tight(smollm2):
    return serving.replay(smollm2, PROMPTS, blocks=6, **SMALL)


@pytest.fixture(scope="module")
def apart(smollm2):
    return serving.replay(smollm2, PROMPTS, blocks=32, sharing=False, **SMALL)


@pytest.fixture(scope="module")
def alone(smollm2):
    return [[step.ident for step in generate(smollm2, read(smollm2, text), limit=6)] for text in PROMPTS]


def kinds(replay, *wanted):
    return [(event.kind, event.request) for event in replay.events if event.kind in wanted]


@pytest.mark.parametrize("name", ["roomy", "tight", "apart"])
def test_everybody_gets_the_pieces_that_it_gets_alone(name, request, alone):
    replay = request.getfixturevalue(name)
    assert [list(served.written) for served in replay.requests] == alone
    assert {served.reason for served in replay.requests} == {"limit"}


def test_what_is_known_is_not_computed_again(roomy, apart):
    shared, own = roomy.requests[1], apart.requests[1]
    assert (shared.matched, shared.computed) == (11, 2)
    assert (own.matched, own.computed) == (0, 13)
    assert (roomy.matched + roomy.computed, apart.matched) == (apart.computed, 0)


def test_two_texts_hold_the_same_blocks_until_they_part(roomy):
    during = next(e for e in roomy.events if e.kind == "computed" and e.request == 1)
    tables = {number: table for number, table, _ in during.pool.tables}
    assert tables[0][:2] == tables[1][:2]
    assert tables[0][2] != tables[1][2]
    assert ("copied", 1) in kinds(roomy, "copied")


def test_sharing_is_bytes_not_a_drawing(roomy, apart):
    used = [max(serving.paged(replay).used) for replay in (roomy, apart)]
    assert used[0] < used[1]
    assert max(serving.paged(roomy).saved) >= 8
    assert not serving.paged(apart).saved.any()


def test_without_room_the_last_one_gives_way_and_all_finish(tight):
    assert kinds(tight, "preempted")
    assert kinds(tight, "queued")
    assert kinds(tight, "evicted")
    assert tight.requests[0].preemptions == 0
    assert sum(served.preemptions for served in tight.requests) == len(kinds(tight, "preempted"))


@pytest.mark.parametrize("name", ["roomy", "tight", "apart"])
def test_every_event_tells_the_pool_as_it_is(name, request):
    replay = request.getfixturevalue(name)
    for event in replay.events:
        pool = event.pool
        held = [block for _, table, _ in pool.tables for block in table]
        held += [block for branch in pool.tree for block in branch.blocks]
        leaving = event.kind in ("matched", "queued", "evicted")
        counted = np.bincount(held, minlength=replay.blocks)
        assert (pool.holders == counted).all() or (leaving and (pool.holders >= counted).all())
        assert (pool.filled <= replay.block_size).all()
        assert not pool.filled[pool.holders == 0].any()
        for _, table, length in pool.tables:
            assert len(table) * replay.block_size >= length


@pytest.mark.parametrize("name", ["roomy", "tight", "apart"])
def test_in_the_end_only_the_tree_holds_blocks(name, request):
    last = request.getfixturevalue(name).events[-1]
    assert last.pool.tables == ()
    assert last.pool.free == len(last.pool.holders) - len({b for branch in last.pool.tree for b in branch.blocks})
    assert not any(branch.locks for branch in last.pool.tree)


def test_each_request_arrives_begins_and_ends_once(tight):
    for served in tight.requests:
        for kind in ("arrived", "finished", "freed"):
            assert len([e for e in tight.events if (e.kind, e.request) == (kind, served.number)]) == 1
        wrote = [e.ident for e in tight.events if (e.kind, e.request) == ("wrote", served.number)]
        assert tuple(wrote) == served.written
        assert served.arrived <= served.began <= served.ended
    assert {event.kind for event in tight.events} <= set(serving.KINDS)


def test_a_pool_for_one_serves_many_one_after_the_other(smollm2, alone):
    replay = serving.replay(smollm2, (LIKE, LIKE, LIKE), block_size=6, blocks=3, limit=6)
    assert [list(served.written) for served in replay.requests] == [alone[0]] * 3


def test_the_same_prompt_again_computes_one_token(smollm2):
    replay = serving.replay(smollm2, (LIKE, LIKE), block_size=4, blocks=32, limit=2, apart=4)
    assert [served.computed for served in replay.requests] == [13, 1]


def test_bytes_of_a_token_are_those_of_the_formula(roomy):
    assert roomy.per_token == 2 * 30 * 3 * 64 * 4
    assert roomy.bytes == 32 * 4 * roomy.per_token


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"block_size": 0}, "serving_value"),
        ({"blocks": 513}, "serving_value"),
        ({"limit": 0}, "serving_value"),
        ({"together": 0}, "serving_value"),
        ({"apart": -1}, "serving_value"),
        ({"blocks": 2, "block_size": 4}, "pool_too_small"),
        ({"prompts": ()}, "serving_value"),
        ({"prompts": ("hello",) * 17}, "serving_value"),
        ({"prompts": ("",)}, "no_pieces"),
        ({"prompts": ("word " * 1100,) * 4, "blocks": 512}, "too_long"),
    ],
)
def test_what_cannot_be_served_is_refused(smollm2, given, key):
    with pytest.raises(CoreError) as refused:
        serving.replay(smollm2, **{"prompts": PROMPTS, **given})
    assert refused.value.key == key
    assert str(refused.value)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("bert_mlm", "not_a_writer"),
        ("gpt2_classes", "classes_only"),
        ("mamba_lm", "not_paged"),
        ("llama_dynamic", "not_paged"),
        ("phi3_long", "not_paged"),
        ("bart_lm", "not_paged"),
    ],
)
def test_a_model_without_keys_that_stay_is_refused(name, key):
    with pytest.raises(CoreError) as refused:
        serving.replay(open_model(FAMILIES / name), ("a b",))
    assert refused.value.key == key


def test_states_are_not_shared_and_texts_are_still_served():
    model = open_model(FAMILIES / "jamba_lm")
    text = "a b c d e"
    replay = serving.replay(model, (text, text), block_size=2, limit=4)
    wanted = [step.ident for step in generate(model, read(model, text), limit=4)]
    assert not replay.sharing
    assert [list(served.written) for served in replay.requests] == [wanted] * 2


def test_labels_are_readable(roomy, smollm2):
    assert roomy.requests[0].labels == trace(smollm2, read(smollm2, LIKE)).sample.labels
    assert len(roomy.requests[0].written_labels) == 6
