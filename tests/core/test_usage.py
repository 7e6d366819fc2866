"""Memory that is reserved and memory that is used: pages against stretches."""

import numpy as np
import pytest

from core import CoreError, serving
from core.serving import Replay, Served
from core.serving.events import Event, Occupancy


def request(number, prompt, written, arrived=0):
    return Served(
        number=number,
        ids=tuple(range(prompt)),
        labels=("x",) * prompt,
        written=tuple(range(written)),
        written_labels=("x",) * written,
        arrived=arrived,
        began=arrived,
        ended=arrived + written - 1,
        matched=0,
        computed=prompt,
        preemptions=0,
        reason="limit",
    )


def replay(*requests, slots=32, size=1, together=4):
    return Replay(
        events=(),
        requests=requests,
        block_size=size,
        blocks=slots // size,
        together=together,
        per_token=1,
        sharing=False,
    )


def test_a_stretch_is_reserved_for_the_longest_and_used_step_by_step():
    use = serving.contiguous(replay(request(0, 3, 5)), longest=16)
    assert use.used.tolist() == [3, 4, 5, 6, 0]
    assert use.ahead.tolist() == [4, 3, 2, 1, 0]
    assert use.never.tolist() == [9, 9, 9, 9, 0]
    assert use.waste[:2] == pytest.approx([13 / 16, 12 / 16])
    assert use.mean_waste == pytest.approx(1 - 18 / 64)


def test_an_oracle_wastes_only_what_is_still_to_come_and_a_power_of_two_less_than_half():
    given = replay(request(0, 6, 4))
    assert not serving.contiguous(given, policy="oracle").never.any()
    assert serving.contiguous(given, policy="power").never.tolist() == [7, 7, 7, 0]


def test_a_gap_that_is_too_small_is_external_fragmentation():
    """Two gaps of six and seven are thirteen, and eight do not fit into either."""
    short, long = request(0, 5, 2), request(1, 5, 20)
    again, wide = request(2, 1, 2), request(3, 7, 2, arrived=1)
    use = serving.contiguous(replay(short, long, again, wide, slots=39), policy="oracle")
    assert use.ends[3] < use.ends[1]
    use = serving.contiguous(replay(short, long, wide_later(), slots=37), policy="oracle")
    assert use.outside.tolist()[2:5] == [13, 13, 13]
    assert use.ends[2] > use.ends[1]


def wide_later():
    return request(2, 7, 2, arrived=2)


def test_who_does_not_fit_waits_and_everybody_ends():
    use = serving.contiguous(replay(*(request(n, 4, 4) for n in range(6))), longest=16)
    assert use.ends == (3, 3, 7, 7, 11, 11)
    assert (use.used + use.ahead + use.never + use.outside <= use.slots).all()


@pytest.mark.parametrize(
    ("how", "key"),
    [({"policy": "guess"}, "unknown_choice"), ({"longest": 5}, "serving_value"), ({"longest": 33}, "serving_value")],
)
def test_what_cannot_be_reserved_is_refused(how, key):
    with pytest.raises(CoreError) as refused:
        serving.contiguous(replay(request(0, 3, 5)), **how)
    assert refused.value.key == key


def test_pages_waste_less_than_a_block_for_each_text(smollm2):
    found = serving.replay(smollm2, ("One two three.", "Four five six seven."), block_size=4, blocks=32, limit=8)
    use = serving.paged(found)
    running = [len(event.pool.tables) for event in found.ends()]
    assert ((use.ahead + use.never) <= 3 * np.array(running)).all()
    assert use.mean_waste < serving.contiguous(found).mean_waste
    assert len(use.used) == found.rounds


def test_a_shared_block_is_counted_once_and_a_remembered_one_can_be_had():
    pool = Occupancy(
        holders=np.array([2, 1, 1, 0], dtype=np.int16),
        filled=np.array([4, 2, 3, 0], dtype=np.int16),
        tables=((0, (0, 1), 6), (1, (0,), 4)),
        tree=(),
    )
    event = Event(kind="wrote", round=0, request=0, tokens=1, blocks=(), ident=1, pool=pool)
    told = Replay(
        events=(event,),
        requests=(request(0, 5, 3), request(1, 4, 1)),
        block_size=4,
        blocks=4,
        together=2,
        per_token=1,
        sharing=True,
    )
    use = serving.paged(told)
    row = [int(part[0]) for part in (use.used, use.ahead, use.never, use.outside, use.kept, use.saved)]
    assert row == [6, 1, 1, 0, 4, 4]
