"""Analysis: every head at once, words and characters, and what one token looks at."""

from contextlib import contextmanager

import numpy as np
import pytest

import core
from core import analysis
from core.analysis.units import units_of

SENTENCE = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def tired(minilm):
    return core.trace(minilm, core.read(minilm, SENTENCE))


@pytest.fixture(scope="module")
def written(smollm2):
    return core.trace(smollm2, core.read(smollm2, "猫追狗 🙂 and a naïve dog."))


@contextmanager
def refused(key):
    with pytest.raises(core.CoreError) as told:
        yield
    assert told.value.key == key


def exact(trace, layer, head):
    return trace.pattern(layer, head)


def test_maps_hold_every_head_exactly_where_they_fit(tired):
    maps = analysis.maps(tired)
    assert maps.full
    assert maps.cells.shape == (6, 12, 16, 16)
    np.testing.assert_allclose(maps.cells[3, 1], exact(tired, 3, 1), atol=1e-6)
    assert maps.rules == (None,)


def test_maps_beyond_the_exact_budget_are_255ths_of_each_heads_maximum(tired):
    maps = analysis.maps(tired, budget=6 * 12 * 256)
    assert maps.full
    assert maps.cells.dtype == np.uint8
    shares = maps.cells[3, 1] * maps.maxima[3, 1] / 255
    np.testing.assert_allclose(shares, exact(tired, 3, 1), atol=maps.maxima[3, 1] / 500)


def test_thumbnails_never_lose_a_strong_cell(tired):
    maps = analysis.maps(tired, budget=6 * 12 * 25)
    assert not maps.full
    assert maps.cells.shape[2:] == (4, 4)
    assert maps.block == (4, 4)
    want = exact(tired, 5, 11).reshape(4, 4, 4, 4).max(axis=(1, 3))
    np.testing.assert_allclose(maps.cells[5, 11] * maps.maxima[5, 11] / 255, want, atol=2e-3)


def test_words_add_columns_and_average_rows(tired):
    maps = analysis.maps(tired, units="words")
    assert maps.rows.labels[3] == "didn't"
    assert maps.rows.members[3] == (3, 4, 5)
    pieces = exact(tired, 3, 1)
    assert maps.cells[3, 1, 3, 2] == pytest.approx(pieces[3:6, 2].mean(), abs=1e-6)
    assert maps.cells[3, 1, 2, 3] == pytest.approx(pieces[2, 3:6].sum(), abs=1e-6)
    np.testing.assert_allclose(maps.cells.sum(-1), 1, atol=1e-5)


def test_hidden_specials_leave_rows_below_one_and_renormalised_rows_at_one(tired):
    hidden, renormalised = (analysis.maps(tired, special=how) for how in ("hide", "renormalise"))
    assert hidden.cells.shape[2:] == (14, 14) == (len(hidden.rows), len(hidden.columns))
    np.testing.assert_allclose(hidden.cells[3, 1], exact(tired, 3, 1)[1:15, 1:15], atol=1e-6)
    assert hidden.cells[3, 1].sum(-1).max() < 1
    np.testing.assert_allclose(renormalised.cells.sum(-1), 1, atol=1e-5)


def test_a_causal_side_says_who_may_look_where(written):
    maps = analysis.maps(written)
    assert maps.rules[maps.rule_of[0]] == tuple((0, row + 1) for row in range(len(maps.rows)))


def test_no_unit_of_characters_is_part_of_one(written):
    labels = analysis.maps(written, units="characters").rows.labels
    assert labels[:4] == ("猫", "追", "狗", "🙂")
    assert "".join(labels).replace("naïve", "") != ""
    assert not any("⟨" in label or "\ufffd" in label for label in labels)


@pytest.mark.parametrize("units", ["characters", "words"])
def test_no_label_of_a_unit_is_blank_or_turns_the_page_around(smollm2, units):
    sample = core.read(smollm2, "a \u2800 \u3164 \u202e \ue000 \u115f b")
    labels = units_of(sample, units).labels
    unseen = {f"⟨U+{code}⟩" for code in ("2800", "3164", "202E", "E000", "115F")}
    assert unseen <= set(labels)
    assert set(labels) - unseen <= {"a", "b", "·"}


def test_one_map_is_one_head_or_a_mean(tired):
    both = np.mean([exact(tired, 3, 1), exact(tired, 3, 4)], axis=0)
    layer = np.mean([exact(tired, 3, head) for head in range(12)], axis=0)
    every = np.mean([exact(tired, n, head) for n in range(6) for head in range(12)], axis=0)
    for choice, want in (
        (core.Choice(layer=3, heads=(1,)), exact(tired, 3, 1)),
        (core.Choice(layer=3, heads=(1, 4)), both),
        (core.Choice(layer=3, heads=()), layer),
        (core.Choice(layer=None, heads=()), every),
    ):
        np.testing.assert_allclose(analysis.one_map(tired, choice), want, atol=1e-6)


def test_a_choice_that_does_not_exist_is_refused(tired):
    every = core.Choice(layer=None, heads=(12,))
    for choice in (core.Choice(layer=6), core.Choice(heads=(12,)), core.Choice(heads=(-1,)), every):
        for ask in (analysis.one_map, analysis.offsets):
            with refused("out_of_range"):
                ask(tired, choice)
    with refused("unknown_side"):
        analysis.one_map(tired, core.Choice(side="cross"))
    with refused("unknown_choice"):
        analysis.maps(tired, units="letters")
    with refused("unknown_side"):
        analysis.axes(tired, "cross", "pieces", "show")


@pytest.mark.parametrize("position", [-1, 16])
def test_a_position_that_does_not_exist_is_refused_and_one_that_is_left_out_is_told(tired, position):
    for ask in (
        lambda where, **how: analysis.cell(tired, where, 1, **how),
        lambda where, **how: analysis.cell(tired, 1, where, **how),
        lambda where, **how: analysis.senders(tired, where, 1, **how),
    ):
        with refused("out_of_range"):
            ask(position)
        with refused("left_out"):
            ask(0, special="hide")
    with refused("out_of_range"):
        analysis.focus(tired, core.Choice(query=position))


@pytest.mark.parametrize("budget", [-1, 0, 1, 71])
def test_a_budget_that_holds_nothing_leaves_a_cell_of_every_head(tired, budget):
    maps = analysis.maps(tired, budget=budget)
    assert maps.cells.shape == (6, 12, 1, 1)
    assert maps.maxima[3, 1] == pytest.approx(exact(tired, 3, 1).max(), abs=1e-6)


@pytest.mark.parametrize("best", [-2, 0])
def test_none_of_the_best_are_none(tired, best):
    assert analysis.senders(tired, 10, 2, best=best) == analysis.positional(tired, best=best) == ()
    found = analysis.focus(tired, core.Choice(query=10), best=best)
    assert found.looks_at == found.looked_at_by == ()


def test_senders_are_the_published_best_heads(tired):
    best = analysis.senders(tired, query=10, key=2, best=2)
    assert [(one.layer, one.head) for one in best] == [(3, 1), (5, 11)]
    assert [one.share for one in best] == pytest.approx([0.677, 0.673], abs=5e-4)
    cells = analysis.cell(tired, 10, 2)
    assert best[0].share == cells.max() == pytest.approx(exact(tired, 3, 1)[10, 2], abs=1e-6)


def test_focus_tells_both_directions(tired):
    found = analysis.focus(tired, core.Choice(layer=3, heads=(1,), query=10))
    assert (found.label, found.looks_at[0].label) == ("it", "animal")
    by = exact(tired, 3, 1)[:, 10]
    assert found.looked_at_by[0].share == pytest.approx(by.max(), abs=1e-6)
    assert found.total == pytest.approx(1, abs=1e-5)
    assert analysis.focus(tired, core.Choice(query=0), special="hide") is None
    assert analysis.focus(tired, core.Choice(query=None)) is None


def test_evenness_is_one_for_equal_shares_and_zero_for_a_single_key(tired, written):
    uniform = core.trace(tired.model, tired.sample, (core.changes.Uniform(),))
    assert analysis.focus(uniform, core.Choice(query=3)).evenness == pytest.approx(1, abs=1e-6)
    assert analysis.focus(written, core.Choice(query=0)).evenness == 0


def test_the_table_of_pieces_has_every_position(written):
    table = analysis.pieces(written)
    assert [row.ident for row in table] == written.sample.ids.tolist()
    assert table[0].surface == "猫"
    assert table[0].kind == "byte"


def test_the_second_sentence_begins_after_the_first_separator(minilm):
    sample = core.read(minilm, "the cat", "the dog")
    assert sample.parts == (0, 0, 0, 0, 1, 1, 1)
    assert units_of(sample).boundary == 4
    assert units_of(sample, special="hide").boundary == 2
