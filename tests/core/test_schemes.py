"""One text through one small stack with one scheme after another; shuffles; and heads that live on position."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import core
from core.analysis import held, order, schemes, shuffles
from core.analysis.offsets import by_offset
from core.changes import NoMask, NoPositions
from core.inputs import Sample
from core.positions import POSITIONS
from core.positions.alibi import slopes
from tests.golden.fixtures import HERE

TEXT = "the dog bites the man"
WITH = [name for name in POSITIONS if name != "none"]


@cache
def small(name):
    """A tiny model of a family, and a trace of it."""
    model = core.open_model(HERE / "families" / name, device="cpu")
    ids = list(range(3, 15))
    sample = Sample.from_ids(ids)
    return core.trace(model, replace(sample, target=sample) if "decoder" in model.sides[1:] else sample)


def test_a_text_is_its_own_vocabulary():
    assert shuffles.parts_of("猫追狗") == ("猫", "追", "狗")
    assert shuffles.parts_of(" the  dog\nthe ") == ("the", "dog", "the")
    assert schemes.vocabulary("the dog the") == ("the", "dog")
    assert schemes.ids_of("the dog the").tolist() == [0, 1, 0]
    with pytest.raises(core.CoreError) as refused:
        schemes.ids_of(" \n")
    assert refused.value.key == "no_pieces"


def test_the_built_in_pair_is_turned_round():
    assert shuffles.shuffled("猫追狗", 0) == "狗追猫"
    assert shuffles.shuffled("dog bites man", 0) == "man bites dog"


@pytest.mark.parametrize("number", range(1, 30))
def test_a_shuffle_is_another_order_of_the_same_parts_and_always_the_same(number):
    places = shuffles.order_of(TEXT, number)
    assert sorted(places) == list(range(5))
    assert places != tuple(range(5))
    assert places == shuffles.order_of(TEXT, number)
    assert sorted(shuffles.shuffled(TEXT, number).split()) == sorted(TEXT.split())


def test_long_texts_are_begun_and_their_ends_shown():
    assert shuffles.begin("a b c d", 2) == "a b"
    assert shuffles.begin("猫追狗", 2) == "猫追"
    assert shuffles.short("x" * 40) == "…" + "x" * 31
    assert (shuffles.alone("a b"), shuffles.alone("猫追")) == (" a b", "猫追")


@pytest.mark.parametrize("text", ["猫追狗", TEXT])
def test_without_positions_a_shuffle_gives_the_same_outputs_shuffled(text):
    found = schemes.blind(text, "none")
    assert found.difference < 2e-6  # rounding: sums in another order
    np.testing.assert_allclose(found.shuffled, found.straight[list(found.order)], atol=2e-6)


@pytest.mark.parametrize("name", WITH)
def test_with_any_scheme_it_does_not(name):
    assert schemes.blind(TEXT, name).difference > 0.05


def test_nothing_is_added_where_nothing_is_told():
    found = schemes.added(TEXT, "none")
    assert found.manner == "nothing"
    assert np.nanmax(np.abs(found.added)) == 0
    assert np.isnan(found.added[np.triu_indices(5, 1)]).all()


def test_linear_biases_add_their_slope_times_the_distance():
    found = schemes.added(TEXT, "alibi", head=1)
    steep = float(slopes(schemes.HEADS)[1])
    assert found.manner == "exact"
    np.testing.assert_allclose(found.by_distance[::-1], -steep * np.arange(5), atol=1e-5)


def test_what_turning_adds_depends_on_what_the_pieces_are():
    assert schemes.added(TEXT, "rotary").manner == "spread"


def test_a_learned_table_stops_and_the_others_go_on():
    longer = "猫追狗" * 30
    with pytest.raises(core.CoreError) as refused:
        schemes.added(longer, "learned")
    assert (refused.value.key, refused.value.values) == ("too_long", {"came": 90, "allowed": 64})
    for name in WITH:
        reach, found = schemes.curve(name, 256)
        assert len(found) == len(reach) == (64 if name == "learned" else 257)
        assert np.isfinite(found).all()


def test_stretched_evenly_means_a_quarter_of_the_distance():
    plain, stretched = schemes.curve("rotary", 64)[1], schemes.curve("rotary-linear", 256)[1]
    np.testing.assert_allclose(stretched[::4], plain, atol=1e-5)
    np.testing.assert_allclose(schemes.curve("rotary-neighbours", 64)[1], plain, atol=1e-6)


@pytest.mark.parametrize("wrong", ["cubic", ""])
def test_a_scheme_that_does_not_exist_is_refused(wrong):
    with pytest.raises(core.CoreError) as refused:
        schemes.curve(wrong)
    assert refused.value.key == "unknown_choice"


def compared(model, texts, *changes):
    found = [shuffles.outputs(core.trace(model, core.read(model, text), changes)) for text in texts]
    return shuffles.compared(*found)


def test_an_encoder_without_positions_is_blind(minilm):
    pair = "dog bites man", "man bites dog"
    plain, blind = compared(minilm, pair), compared(minilm, pair, NoPositions())
    assert blind.difference < 1e-5 < 0.1 < plain.difference
    assert blind.alike == pytest.approx(1, abs=1e-6)
    assert plain.alike < 0.999


def test_a_decoder_still_knows_the_order_through_its_mask(smollm2):
    pair = " dog bites man", " man bites dog"
    masked, open_ = compared(smollm2, pair, NoPositions()), compared(smollm2, pair, NoPositions(), NoMask())
    assert masked.difference > 1
    assert open_.difference < 1e-4 * open_.largest
    assert open_.alike == pytest.approx(1, abs=1e-5)


def test_texts_of_other_pieces_are_not_compared_one_by_one(minilm):
    assert compared(minilm, ("dog", "cat")).difference is None


def test_what_comes_next_is_a_share_of_the_full_vocabulary(smollm2, minilm):
    trace = core.trace(smollm2, core.read(smollm2, "The capital of France is"))
    found = shuffles.likely(trace, 5)
    logits = trace.logits([len(trace.sample) - 1])[0].astype(np.float64)
    shares = np.exp(logits) / np.exp(logits).sum()
    assert found[0].label == "Paris"
    assert [one.ident for one in found] == np.argsort(-shares)[:5].tolist()
    assert [one.probability for one in found] == pytest.approx(sorted(shares)[::-1][:5])
    assert shuffles.likely(core.trace(minilm, core.read(minilm, "dog"))) is None


def test_a_model_s_own_slopes_and_buckets():
    steep = held.slopes(small("bloom"))
    assert steep.tolist() == slopes(len(steep)).tolist()
    assert held.names(small("bloom")) == ("alibi",)
    trace = small("t5_relu_tied")
    for side, both in (("encoder", True), ("decoder", False)):
        found = held.buckets(trace, 20, side)
        table = trace.model.network.get_parameter(f"{side}.layers.0.mixer.relative.table.weight").numpy()
        np.testing.assert_array_equal(found.values, table[list(found.buckets)].T)
        assert (found.buckets[-1] == 0) is not both
    assert held.names(trace, "encoder") == ("buckets",)


@pytest.mark.parametrize(
    ("name", "schemes"),
    [("marian_mt", ("sinusoidal",)), ("deberta_v3_mlm", ("relative",)), ("mpnet_mlm", ("learned", "buckets"))],
)
def test_what_a_model_is_told_order_by_is_named(name, schemes):
    assert held.names(small(name)) == schemes
    assert all(f"positions.scheme_{scheme}" in core.words.catalogue("zh") for scheme in schemes)


def test_a_narrow_table_of_positions_is_found():
    assert order.learned(small("albert_groups")) is not None


def pattern(offset, rows=8):
    """A head that looks at one offset, and at the first key where there is none."""
    found = np.zeros((rows, rows), dtype=np.float32)
    for row in range(rows):
        found[row, row + offset if 0 <= row + offset < rows else 0] = 1
    return found


@pytest.mark.parametrize(("offset", "name"), [(-1, "previous"), (0, "same"), (1, "next"), (-2, None)])
def test_heads_are_named_by_the_offset_they_look_at(offset, name):
    found = by_offset(pattern(offset))
    assert found.name == name
    assert found.explained > 0.85


def test_one_row_that_looks_far_back_does_not_take_the_name_away():
    cells = pattern(-1)
    cells[-1] = 0
    cells[-1, 0] = 1
    found = by_offset(cells)
    assert found.name == "previous"
    assert found.offsets[found.best] == -1
    assert (found.rows[found.offsets == -7].item(), found.rows[found.offsets == 0].item()) == (1, 8)


def test_what_a_rule_forbids_is_not_part_of_the_curve():
    cells = np.tril(np.ones((6, 6), dtype=np.float32))
    found = by_offset(cells / cells.sum(-1, keepdims=True), cells > 0)
    assert found.offsets[found.there].tolist() == [-5, -4, -3, -2, -1, 0]


def test_content_is_not_position():
    cells = np.zeros((9, 9), dtype=np.float32)
    cells[:, 4] = 1
    assert by_offset(cells).explained < 0.2


def test_the_previous_token_heads_of_the_models_are_found(minilm, smollm2):
    told = {}
    for model in (minilm, smollm2):
        trace = core.trace(model, core.read(model, "The animal didn't cross the street because it was too tired."))
        found = core.analysis.positional(trace, best=1000)
        told[model.name] = {(one.layer, one.head): one.name for one in found if one.name}
        assert found == tuple(sorted(found, key=lambda one: -one.explained))
    assert told["minilm"][0, 2] == "previous"
    assert told["smollm2"][16, 0] == "previous"
    assert told["smollm2"][11, 6] == "same"
