"""One cell, followed from the two tokens to the output: the sums are sums, and the fused run was within rounding."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import core
from core.analysis import explain, recomputing, weighted
from core.masks import Causal
from core.positions.doors import Bias
from tests.golden.fixtures import HERE, alone, fixtures_in

TIRED = "The animal didn't cross the street because it was too tired."
FIXTURES = [one for one in fixtures_in(HERE / "families") if "input_ids" in one.tensors]
ROUNDING = 1e-5


@pytest.fixture(scope="module")
def tired(minilm):
    return core.trace(minilm, core.read(minilm, TIRED))


def test_the_famous_cell(tired):
    told = explain(tired, layer=3, head=1, query=10, key=2)
    cell = told.cell
    assert cell.shares[2] == pytest.approx(0.677, abs=5e-4)
    assert cell.products.sum() == pytest.approx(cell.dot, rel=1e-5)
    assert cell.score == pytest.approx(cell.dot / np.sqrt(32), rel=1e-6)
    assert cell.exponentials[2] / cell.total == pytest.approx(cell.shares[2], rel=1e-5)
    assert cell.shares.sum() == pytest.approx(1, abs=1e-6)
    assert max(told.errors.values()) < ROUNDING


def test_what_is_moved_is_the_weighted_sum_and_all_heads_together_leave_the_mixer(tired):
    told = [explain(tired, layer=3, head=head, query=10, key=2) for head in range(12)]
    values = tired.layer(3).values[0, 1].numpy()
    np.testing.assert_allclose(told[1].moved.mixed, told[1].cell.shares @ values, atol=1e-5)
    bias = tired.model.side("encoder").layers[3].mixer.output.bias.numpy()
    mixer = next(stage for stage in told[0].stages if stage.part == "mixer")
    np.testing.assert_array_equal(told[1].moved.joined, told[0].moved.joined)
    np.testing.assert_allclose(told[1].moved.joined[told[1].moved.first :][:32], told[1].moved.mixed, atol=1e-6)
    np.testing.assert_allclose(sum(one.moved.written for one in told) + bias, mixer.values, atol=1e-4)


def test_the_parts_are_heard_in_their_order_and_the_last_one_leaves_the_layer(tired):
    stages = explain(tired, layer=3, head=1, query=10, key=2).stages
    parts = [stage.part for stage in stages]
    assert parts.index("mixer") < parts.index("mixer_norm") < parts.index("feed_forward") < parts.index("feed_norm")
    np.testing.assert_allclose(stages[-1].values, tired.hidden(4)[10], atol=1e-5)


def test_sums_of_the_stream_are_what_entered_and_what_was_added(tired):
    stages = explain(tired, layer=3, head=1, query=10, key=2).stages
    parts = [stage.part for stage in stages]
    mixer, total, norm = (stages[parts.index(part)] for part in ("mixer", "stream", "mixer_norm"))
    np.testing.assert_allclose(total.values, tired.hidden(3)[10] + mixer.values, atol=1e-5)
    assert parts.index("mixer") < parts.index("stream") < parts.index("mixer_norm")
    assert norm.error < ROUNDING


def test_every_part_is_within_rounding_of_the_fast_run(tired):
    errors = [stage.error for stage in explain(tired, layer=3, head=1, query=10, key=2).stages]
    assert max(errors) < ROUNDING
    assert min(errors) > 0


@pytest.mark.parametrize("side", ["encoder", "decoder", "cross"])
def test_a_row_of_the_weighted_map_is_what_the_cell_says_is_moved(side):
    fixture = next(one for one in FIXTURES if one.name == "marian_mt")
    trace = alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]
    told = explain(trace, layer=1, head=2, query=1, key=0, side=side)
    np.testing.assert_allclose(weighted(trace, 1, 2, side)[1], told.moved.strength, atol=1e-5)
    assert told.wiring == "PostNorm"


@pytest.mark.golden
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_every_family_every_side_every_layer_is_within_rounding(fixture):
    trace = alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]
    for side in trace.sides:
        for layer, attention in trace.looking(side).items():
            if attention is None:
                with pytest.raises(core.CoreError):
                    explain(trace, layer, 0, query=1, key=0, side=side)
                continue
            head = attention.shape[0] - 1
            told = explain(trace, layer, head, query=1, key=0, side=side)
            assert max(told.errors.values()) < ROUNDING, (side, layer, told.errors)
            assert told.group == head // attention.sharing


def test_both_packaged_models_are_within_rounding_in_every_layer(tired, smollm2):
    written = core.trace(smollm2, core.read(smollm2, TIRED))
    for trace in (tired, written):
        worst = max(max(explain(trace, n, 0, 8, 1).errors.values()) for n in range(trace.model.spec.layers))
        assert worst < ROUNDING


def test_a_text_of_one_token_is_heard_part_by_part_too(smollm2):
    """Where a single row is multiplied by matrices that lie side by side, each part is asked itself all the same."""
    told = core.analysis.explain(core.trace(smollm2, core.read(smollm2, "a")), layer=2, head=1, query=0, key=0)
    assert {"mixer.queries", "mixer.keys", "mixer.values"} <= {stage.part for stage in told.stages}
    assert max(stage.error for stage in told.stages) < 1e-5


def named(name):
    fixture = next(one for one in FIXTURES if one.name == name)
    return alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]


@pytest.mark.parametrize(
    ("name", "steps"),
    [("marian_mt", []), ("t5_relu_tied", ["bias"]), ("gemma2_lm", ["cap"]), ("bloom", ["bias"])],
)
def test_every_step_that_a_family_has_carries_its_own_difference(name, steps):
    trace = named(name)
    told = explain(trace, layer=0, head=1, query=2, key=1, side=trace.sides[0])
    has = [step for step in told.errors if step in ("dot", "scale", "bias", "cap", "mask", "written")]
    assert has == ["dot", "scale", *steps, "mask", "written"]


@pytest.mark.parametrize("wrong", ["dot", "scale", "bias", "cap", "mask", "written"])
def test_a_step_that_goes_wrong_is_told_by_its_own_difference(wrong, monkeypatch):
    trace = named("gemma2_lm" if wrong == "cap" else "bloom" if wrong == "bias" else "marian_mt")
    seen = trace.layer(0, trace.sides[0])
    before = explain(trace, 0, 1, 2, 1, trace.sides[0]).errors
    wronged = {
        "dot": lambda: replace(seen, queries=seen.queries * 1.01),
        "scale": lambda: replace(seen, scale=seen.scale * 1.01),
        "bias": lambda: replace(seen, bias=Doubled(seen.bias)),
        "cap": lambda: replace(seen, cap=seen.cap / 9),
        "mask": lambda: replace(seen, rule=Causal()),
        "written": lambda: replace(seen, values=seen.values * 1.01),
    }[wrong]()
    monkeypatch.setattr(type(trace), "layer", lambda *_: wronged)
    after = explain(trace, 0, 1, 2, 1, trace.sides[0]).errors
    assert after[wrong] > 100 * ROUNDING > before[wrong]
    earlier = list(after)[list(after).index("dot") : list(after).index(wrong)]
    assert all(after[step] < ROUNDING for step in earlier if wrong != "written")


class Doubled(Bias):
    """A bias that is twice what it should be."""

    def __init__(self, bias):
        self.bias = bias

    def at(self, rows, columns):
        return 2 * self.bias.at(rows, columns)


def test_one_wrong_weight_is_told():
    model = core.open_model("minilm")
    trace = core.trace(model, core.read(model, TIRED))
    with torch.no_grad():
        model.side("encoder").layers[3].mixer.queries.weight[40, 7] += 0.5
    told = explain(trace, layer=3, head=1, query=10, key=2)
    assert told.errors["queries"] > 100 * ROUNDING
    assert told.errors["keys"] < ROUNDING


def test_the_model_is_left_as_it_was(tired):
    before = [part.clone() for part in tired.model.network.parameters()]
    explain(tired, layer=0, head=0, query=0, key=0)
    assert all(torch.equal(old, new) for old, new in zip(before, tired.model.network.parameters(), strict=True))
    assert not any(module._forward_hooks for module in tired.model.network.modules())


@pytest.mark.parametrize("wrong", [{"layer": 6}, {"head": 12}, {"query": 16}, {"key": -1}, {"side": "cross"}])
def test_a_cell_that_does_not_exist_is_refused(tired, wrong):
    with pytest.raises(core.CoreError):
        explain(tired, **({"layer": 0, "head": 0, "query": 0, "key": 0} | wrong))


def test_another_cell_of_a_layer_is_told_without_computing_the_layer_again(minilm, monkeypatch):
    trace, made = core.trace(minilm, core.read(minilm, TIRED)), []
    again = recomputing.layer_again
    monkeypatch.setattr(recomputing, "layer_again", lambda *asked: made.append(asked[1:]) or again(*asked))
    plain = trace.bytes
    for layer, head, query, key in ((3, 1, 10, 2), (3, 1, 10, 5), (3, 7, 4, 5), (2, 7, 4, 5), (3, 1, 10, 2)):
        told = explain(trace, layer=layer, head=head, query=query, key=key)
    assert made == [(3, "encoder"), (2, "encoder"), (3, "encoder")]
    fresh = explain(core.trace(minilm, trace.sample), layer=3, head=1, query=10, key=2)
    assert told.errors == fresh.errors
    assert all((one.values == other.values).all() for one, other in zip(told.stages, fresh.stages, strict=True))
    assert trace.bytes == plain + trace.shelf.bytes > plain + len(told.stages) * 16 * 384 * 4
