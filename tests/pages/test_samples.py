"""Every example can be read by the model it names, and shows what its words promise."""

import re

import pytest

import core
from pages.plumbing import doors, samples
from tests.pages.visits import chosen, click, header, shows, visit

EXAMPLES = samples.examples()
OPENINGS = [opening for example in EXAMPLES for opening in example.openings]
EACH = pytest.mark.parametrize("opening", OPENINGS, ids=[opening.asked.text.strip()[-12:] for opening in OPENINGS])


@EACH
def test_no_piece_of_an_example_is_unknown_to_its_model(opening):
    pieces = doors.ask(doors.trace(opening.asked), core.analysis.pieces)
    assert "unknown" not in {piece.kind for piece in pieces}


@pytest.mark.parametrize("example", [e for e in EXAMPLES if len(e.openings) > 1], ids=lambda example: example.name)
def test_the_two_sentences_of_an_example_differ(example):
    ids = [
        tuple(piece.ident for piece in doors.ask(doors.trace(opening.asked), core.analysis.pieces))
        for opening in example.openings
    ]
    assert len(set(ids)) == len(ids)


@EACH
def test_an_example_opens_on_its_own_tokens(opening):
    ref = doors.trace(opening.asked)
    pieces = doors.ask(ref, core.analysis.pieces)
    begin = samples.opening(opening.asked, pieces, doors.extent(ref))
    assert (begin.layer, begin.heads) == (opening.layer, (opening.head,))
    assert begin.query is not None
    assert begin.key is not None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_numbers_in_the_words_are_the_model_s_own(example):
    found = set()
    for opening in example.openings:
        ref = doors.trace(opening.asked)
        for units in ("pieces", opening.units):
            for head in HEADS[example.name]:
                choice = core.Choice(layer=head[0], heads=(head[1],))
                shares = doors.ask(ref, core.analysis.one_map, choice=choice, units=units)
                found |= {f"{share:.3f}" for share in shares.ravel()}
    for language in core.words.languages():
        told = re.findall(r"0\.\d{3}", core.words.say(language, f"samples.{example.name}_look"))
        assert told
        assert set(told) <= found


HEADS = {
    "pronoun": [(3, 1)],
    "trophy": [(3, 1)],
    "bank": [(0, 4), (2, 4)],
    "chase": [(13, 1)],
    "keys": [(3, 1)],
    "code": [(5, 6)],
    "emoji": [(13, 8)],
}


def test_numbers_that_no_longer_hold_say_for_what_they_hold():
    said = core.words.say("en", "heads.look_for_options", units="Pieces", special="Show")
    assert not shows(visit(), said)
    assert shows(visit(units="words"), said)
    assert shows(visit(special="hide"), said)
    cats = {"model": "smollm2", "text": "猫追狗"}
    assert shows(visit(**cats), core.words.say("en", "heads.look_for_options", units="Characters", special="Show"))


def test_in_a_model_that_looks_back_it_cannot_know_what_is_still_to_come():
    maps = [
        doors.ask(
            doors.trace(samples.Asked(model="smollm2", text=opening.asked.text)),
            core.analysis.one_map,
            choice=core.Choice(layer=13, heads=(8,)),
        )
        for opening in EXAMPLES[0].openings
    ]
    assert (maps[0][:8] == maps[1][:8]).all()


def test_cat_chases_dog_opens_on_the_model_that_can_read_it():
    tab = click(visit(), "samples.chase")
    assert not tab.exception
    assert tab.selectbox(key="field.model").value == "smollm2"
    assert header(tab)["rows"]["labels"] == ["猫", "追", "狗"]
    tab = click(tab, "samples.chase_1")
    assert header(tab)["rows"]["labels"] == ["狗", "追", "猫"]
    assert (chosen(tab)["layer"], chosen(tab)["heads"]) == (13, [1])
