"""The words beside the picture say what the numbers say."""

from types import SimpleNamespace

import pytest

import core
from pages.plumbing import reading
from pages.plumbing.reading import Reach
from pages.plumbing.words import BESIDE_QUOTES
from tests.pages.visits import shows, texts, visit


def t(key, **values):
    return core.words.say("en", key, **values)


def plain(one):
    return one.label


def link(unit, share, kind="word"):
    return core.analysis.Link(unit=unit, position=unit, label=f"w{unit}", kind=kind, share=share)


def focus(*looks_at, unit=5, evenness=0.4, total=1.0, looked_at_by=()):
    return core.analysis.Focus(
        unit=unit,
        position=unit,
        label=f"w{unit}",
        kind="word",
        looks_at=looks_at,
        looked_at_by=looked_at_by,
        total=total,
        evenness=evenness,
    )


FREE, BACK = Reach(count=9, back_only=False), Reach(count=6, back_only=True)
MANNERS = [
    ("mostly", focus(link(2, 0.7), link(3, 0.2)), FREE),
    ("some", focus(link(2, 0.4), link(3, 0.3)), FREE),
    ("even", focus(link(2, 0.12), link(3, 0.11), evenness=0.99), FREE),
    ("itself", focus(link(5, 0.8)), FREE),
    ("previous", focus(link(4, 0.8)), BACK),
    ("following", focus(link(6, 0.8)), FREE),
    ("resting", focus(link(0, 0.8, kind="special")), FREE),
    ("sink", focus(link(0, 0.8)), BACK),
    ("mostly", focus(link(0, 0.8)), FREE),
    ("alone", focus(link(0, 1.0), unit=0), Reach(count=1, back_only=True)),
    ("only", focus(link(0, 0.3), unit=0), Reach(count=1, back_only=False)),
]


@pytest.mark.parametrize(("manner", "found", "reach"), MANNERS, ids=[f"{n}-{m[0]}" for n, m in enumerate(MANNERS)])
def test_what_a_head_does_with_a_token_is_named(manner, found, reach):
    best = found.looks_at[0]
    said = t(f"heads.{manner}", query=found.label, first=best.label, share=reading.share(best.share), count=reach.count)
    assert reading.lines(found, reach, "show", plain, t)[0] == said


def test_what_comes_next_and_the_rest_add_up_to_the_row():
    found = focus(link(2, 0.5), link(3, 0.2), link(4, 0.1), link(1, 0.05), link(0, 0.04))
    assert reading.lines(found, FREE, "show", plain, t)[1] == (
        "After that: w3 (0.200), w4 (0.100) and w1 (0.050). All the others together: 0.150."
    )


def test_who_looks_at_a_token_leaves_the_token_itself_out():
    found = focus(link(2, 0.9), looked_at_by=(link(5, 0.9), link(7, 0.3), link(1, 0.0001)))
    assert reading.lines(found, FREE, "show", plain, t)[-1] == "w5 itself is looked at most by w7 (0.300)."


def test_among_others_the_token_itself_is_called_itself():
    divided = focus(link(5, 0.4), link(3, 0.3))
    assert reading.lines(divided, FREE, "show", plain, t)[0] == (
        "w5 looks first at itself (0.400), but divides its attention."
    )
    after = focus(link(2, 0.5), link(5, 0.2), link(4, 0.1))
    assert reading.lines(after, FREE, "show", plain, t)[1].startswith("After that: itself (0.200) and w4 (0.100).")


def test_what_comes_last_in_a_model_that_looks_back_is_not_blamed_for_it():
    last = Reach(count=6, back_only=True, last=True)
    assert reading.lines(focus(link(2, 0.7)), last, "show", plain, t)[-1] == t("heads.received_last", query="w5")
    assert reading.lines(focus(link(2, 0.7)), BACK, "show", plain, t)[-1] == t("heads.received_none", query="w5")


def test_tokens_that_are_written_alike_say_which_they_are():
    labels = ("the", "cat", "the")
    units = core.analysis.Units(members=((0,), (1, 2), (3,)), labels=labels, titles=labels, kinds=labels, length=4)
    name = reading.naming(SimpleNamespace(rows=units, columns=units), "{}{}".format)
    assert [name("the", 0), name("cat", 1), name("the", 3)] == ["the₁", "cat", "the₂"]


def test_a_half_is_rounded_as_a_browser_rounds_it():
    assert [reading.share(value) for value in (0.0625, 0.1875, 0.3125)] == ["0.063", "0.188", "0.313"]


@pytest.mark.parametrize(
    ("look", "derived"), [({}, False), ({"special": "renormalise"}, True), ({"units": "words"}, True)]
)
def test_numbers_that_are_no_longer_the_models_own_are_not_called_so(look, derived):
    tab = visit(**look)
    assert shows(tab, t("heads.derived_note")) == derived
    assert shows(tab, t("heads.table_note")) != derived


def test_leaving_out_special_tokens_where_there_are_none_says_so():
    tab = visit(model="smollm2", special="renormalise")
    assert shows(tab, t("heads.special_none_note"))
    assert shows(tab, t("heads.table_note"))


def test_the_heads_that_send_a_token_are_named_in_the_units_that_are_shown():
    cats = {"model": "smollm2", "text": "猫追狗", "query": "7", "key": "2"}
    assert any(
        "猫" in text and "狗" in text and "ten heads" in text for text in texts(visit(**cats, units="characters"))
    )
    assert shows(visit(**cats), t("heads.bytes_note"))
    assert not shows(visit(**cats, units="characters"), t("heads.bytes_note"))


def test_without_a_token_there_is_an_invitation():
    assert reading.lines(None, FREE, "show", plain, t) == (t("heads.no_query"),)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (core.Choice(layer=3, heads=(1,)), "Layer 3, head 1"),
        (core.Choice(layer=3, heads=()), "Layer 3, mean of its heads"),
        (core.Choice(layer=None, heads=()), "Mean of all layers and heads"),
        (core.Choice(layer=3, heads=(1, 4)), "Layer 3, mean of heads 1 and 4"),
        (core.Choice(layer=3, heads=(1, 4, 7)), "Layer 3, mean of heads 1, 4 and 7"),
    ],
)
def test_what_is_shown_is_named(choice, said):
    assert reading.who(choice, t) == said


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, "0.000"), (1e-7, "<0.001"), (0.0006, "0.001"), (0.67685, "0.677"), (1.0, "1.000")]
)
def test_a_small_share_is_not_called_nothing(share, said):
    assert reading.share(share) == said


@pytest.mark.parametrize("language", core.words.languages())
@pytest.mark.parametrize("choice", [{"layer": "mean"}, {"heads": "mean"}, {"heads": "1,4"}, {"query": "none"}])
def test_every_kind_of_choice_is_read_on_the_page(language, choice):
    tab = visit(lang=language, **choice)
    assert not tab.exception
    assert any(text for text in texts(tab))
    assert shows(tab, core.words.say(language, "heads.no_query")) == (choice.get("query") == "none")


def test_a_chinese_line_may_end_beside_a_quotation_mark_and_not_before_what_follows_it():
    said = "“it”主要看“cat”（0.5），不看“它”。"
    assert BESIDE_QUOTES.sub("|", said) == "“it”|主要看|“cat”（0.5），不看|“它”。"
    assert BESIDE_QUOTES.sub("|", "“it” looks at “cat”.") == "“it” looks at “cat”."
