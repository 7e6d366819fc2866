"""On a GPU: the same numbers to rounding, the same text, and everything that is asked of a trace works there too."""

import numpy as np
import pytest
import torch

import core
from core import analysis
from core.analysis.checking import check
from tests.golden.fixtures import HERE, alone, distances, fixtures_in

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here; these tests run where one is"),
]

TEXT = "The animal didn't cross the street because it was too tired."
LOOSER = 10  # matrix products on a GPU add in another order


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def pair(request):
    return core.open_model(request.param, device="cpu"), core.open_model(request.param, device="cuda")


def test_patterns_and_states_are_those_of_the_cpu(pair):
    there, here = (core.trace(model, core.read(model, TEXT)) for model in pair)
    assert here.layer(0).queries.device.type == "cuda"
    for layer in range(pair[0].spec.layers):
        np.testing.assert_allclose(here.pattern(layer, 0), there.pattern(layer, 0), atol=1e-4)
    assert np.abs(here.final - there.final).max() / np.abs(there.final).max() < 1e-4


def test_the_laws_hold(pair):
    found = check(pair[1], core.read(pair[1], TEXT))
    assert all(law.worst <= LOOSER * law.tolerance for law in found), found


def test_the_same_text_is_written(pair):
    if pair[0].spec.kind != "decoder":
        pytest.skip("an encoder does not write")
    written = [
        [step.ident for step in core.generate(model, core.read(model, "The capital of France is"))] for model in pair
    ]
    assert written[0] == written[1]


def test_every_question_is_answered(pair):
    trace = core.trace(pair[1], core.read(pair[1], TEXT))
    whole = analysis.maps(trace)
    np.testing.assert_allclose(whole.cells[1, 2], trace.pattern(1, 2), atol=1e-6)
    assert analysis.maps(trace, units="words", special="renormalise").cells.shape[0] == pair[1].spec.layers
    assert analysis.senders(trace, query=8, key=1, best=1)[0].share > 0.1
    assert max(analysis.explain(trace, 1, 2, 8, 1).errors.values()) < 1e-4
    assert analysis.projections.projections(trace, 1, 2).queries.used.shape[0] == len(trace.sample)
    assert analysis.depth.stream(trace).sizes.shape[1] == len(trace.sample)
    assert analysis.positional(trace, best=1)
    analysis.order.likeness_of_turning(trace, 1, 2, 8)


def test_memory_grows_with_the_length_and_not_with_its_square():
    model = core.open_model("smollm2", device="cuda")

    def peak(length):
        sample = core.Sample.from_ids(np.arange(length) % 1000 + 100)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        kept = core.trace(model, sample)
        torch.cuda.synchronize()
        assert len(kept.sample) == length
        return torch.cuda.max_memory_allocated() - before

    peak(512)
    assert peak(4096) < 10 * peak(512)


@pytest.mark.golden
@pytest.mark.parametrize("fixture", list(fixtures_in(HERE / "families")), ids=lambda fixture: fixture.name)
def test_every_family_computes_what_it_should(fixture):
    found = distances(fixture, alone(fixture, core.open_model(fixture.folder, device="cuda")))
    assert max(found.values()) <= LOOSER, found
