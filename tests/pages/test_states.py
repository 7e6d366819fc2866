"""Models whose layers do not all look, or none of which does: the page says so and shows nothing that is not there."""

from functools import partial

import pytest

import core
from pages.plumbing import doors, tables
from tests.core.changed import FAMILIES
from tests.pages.visits import chosen, header, shows, visit

TEXT = "Where is the station?"


@pytest.fixture(autouse=True)
def fixtures_can_be_picked(monkeypatch):
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(device="cpu", models_root=FAMILIES))


def test_a_hybrid_opens_at_a_layer_that_looks():
    tab = visit(model="jamba_lm", text=TEXT, lang="en")
    assert not tab.exception
    assert chosen(tab)["layer"] == 1
    assert header(tab)["rule_of"] == [0, 1, 0]
    assert shows(tab, f"Layer 1, head {chosen(tab)['heads'][0]}")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "Layers that look at positions: 1."), ("zh", "会“看”其他位置的层：1。")]
)
def test_a_layer_that_carries_a_state_is_said_to_have_no_pattern(language, said):
    tab = visit(model="jamba_lm", text=TEXT, lang=language, layer="0")
    assert not tab.exception
    assert chosen(tab)["layer"] == 0
    assert shows(tab, said)


def test_the_mean_of_all_layers_is_that_of_the_layers_that_look():
    tab = visit(model="jamba_lm", text=TEXT, lang="en", layer="mean")
    assert not tab.exception
    assert not shows(tab, "nothing but itself")


@pytest.mark.parametrize("name", ["mamba_lm", "mamba2_lm"])
def test_a_model_in_which_nobody_looks_is_refused_with_the_reason(name):
    tab = visit(model=name, text=TEXT, lang="en")
    assert not tab.exception
    assert shows(tab, "there are no shares to show")


def test_a_model_that_sees_is_not_given_text():
    tab = visit(model="vit_cls", text=TEXT, lang="en")
    assert not tab.exception
    assert shows(tab, "It takes: image.")


def test_of_a_model_with_two_encoders_the_one_for_texts_is_walked():
    tab = visit(model="clip_both", text="the key", lang="en")
    assert not tab.exception
    assert (header(tab)["layers"], header(tab)["heads"]) == (2, 3)
    assert "</w>" not in "".join(header(tab)["rows"]["labels"])


@pytest.mark.parametrize(
    ("name", "row", "said"), [("mamba_lm", "heads", "none: no layer looks"), ("vit_cls", "pieces", "0")]
)
def test_the_load_report_tells_no_heads_and_no_pieces_where_there_are_none(name, row, said, monkeypatch):
    monkeypatch.setattr(tables.words, "t", partial(core.words.say, "en"))
    assert tables._told(doors.report(name))[row].startswith(said)
