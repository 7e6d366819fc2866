"""Where a sentence is worth opening, and single rows and columns of a map."""

import numpy as np
import pytest

import core
from core.analysis import Striking, one_column, one_map, one_row, striking

KING = "If the king moves his castle, the queen will lose her crown."
TEXTS = (KING, "A tired dog saw the cat.", "the cat sat on the mat", "When Mary met John, she gave him the book.")


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def model(request):
    return request.getfixturevalue(request.param)


def worth(sample, query, key):
    """Whether a key is another word of letters, not beside the query, not the first position."""
    apart = abs(sample.words[query] - sample.words[key]) > 1 if sample.words[key] is not None else False
    return key > 0 and apart and sample.surface(key).isalnum() and sample.labels[key] != sample.labels[query]


@pytest.mark.parametrize("text", TEXTS)
def test_no_other_head_and_word_has_a_larger_share(model, text):
    trace = core.trace(model, core.read(model, text))
    found, sample = striking(trace), trace.sample
    assert worth(sample, found.query, found.key)
    assert striking(trace) == found
    queries = [at for at in range(len(sample)) if sample.surface(at).isalnum()]
    ends = [at for at in queries if at + 1 not in queries or sample.words[at + 1] != sample.words[at]]
    every = (
        [
            float(one_map(trace, core.Choice(layer=layer, heads=(head,)))[query, key])
            for layer in trace.looking()
            for head in range(trace.layer(layer).shape[0])
            for query in ends
            for key in range(len(sample))
            if worth(sample, query, key)
        ]
        if text == TEXTS[2]
        else [found.share]
    )
    assert found.share == pytest.approx(max(every), abs=1e-6)


def test_the_queen_loses_her_crown(minilm):
    found = striking(core.trace(minilm, core.read(minilm, KING)))
    assert found == Striking(layer=3, head=1, query=11, key=13, share=found.share)
    assert found.share == pytest.approx(0.786, abs=1e-3)


def test_the_search_can_be_narrowed_to_a_head(minilm):
    trace = core.trace(minilm, core.read(minilm, KING))
    found = striking(trace, layer=2, heads=(4,))
    assert (found.layer, found.head) == (2, 4)
    assert found.share <= striking(trace).share


@pytest.mark.parametrize("text", ["Hi.", "hello world", "x x x x", "猫 👍🏽 ok", "..."])
def test_where_nothing_stands_out_nothing_is_found(minilm, text):
    assert striking(core.trace(minilm, core.read(minilm, text))) is None


CHOICES = [
    core.Choice(layer=3, heads=(1,)),
    core.Choice(layer=2, heads=()),
    core.Choice(layer=4, heads=(0, 5)),
    core.Choice(layer=None),
]


@pytest.mark.parametrize("choice", CHOICES, ids=["head", "layer", "overlay", "all"])
@pytest.mark.parametrize("drawing", [{}, {"units": "words", "special": "renormalise"}], ids=["pieces", "words"])
def test_a_row_and_a_column_are_those_of_the_map(model, choice, drawing):
    trace = core.trace(model, core.read(model, "The internationalization of trade"))
    whole = one_map(trace, choice, **drawing)
    for at in (0, len(whole) - 1):
        np.testing.assert_allclose(one_row(trace, choice, at, **drawing), whole[at], atol=1e-6)
        np.testing.assert_allclose(one_column(trace, choice, at, **drawing), whole[:, at], atol=1e-6)
    for line in (one_row, one_column):
        with pytest.raises(core.CoreError, match=str(len(whole))):
            line(trace, choice, len(whole), **drawing)


def test_a_head_that_is_not_there_has_no_row(minilm):
    trace = core.trace(minilm, core.read(minilm, "a b"))
    with pytest.raises(core.CoreError, match="12"):
        one_row(trace, core.Choice(layer=0, heads=(12,)), 0)
