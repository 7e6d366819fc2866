"""The address bar holds the whole state, and takes nothing that does not fit."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import core
from pages.plumbing import doors, link
from pages.plumbing.state import Asked, Extent, Look
from tests.pages.visits import address, chosen, click, header, payload, shows, steer, type_in, visit

WIDE = Extent(sides=("encoder", "cross"), layers=6, heads=12, queries=20, keys=20)
BEGIN = core.Choice(side="encoder", layer=3, heads=(1,), query=10, key=2)

VIEWS = [
    {"layer": "5", "heads": "11", "query": "13", "key": "1"},
    {"layer": "mean", "query": "none", "key": "none"},
    {"layer": "2", "heads": "mean"},
    {"layer": "4", "heads": "7,3,0", "units": "words", "special": "renormalise"},
    {"text": "naïve café <b>x</b> & 100% #1 ?a=b", "units": "characters", "special": "hide"},
    {"text": "Where is it?", "pair": "On the mat.", "scale": "head", "palette": "magma", "sort": "1"},
    {"model": "smollm2", "text": "猫追狗", "lang": "zh", "palette": "viridis"},
    {"model": "smollm2", "text": "line one\n\tline two  ", "layer": "29", "heads": "8"},
]


@pytest.mark.parametrize("words", VIEWS, ids=lambda words: "-".join(words))
def test_a_link_opens_the_same_view_in_a_fresh_profile(words):
    first = visit(**words)
    assert not first.exception
    assert address(first).items() >= words.items()
    second = visit(**address(first))
    assert payload(second) == payload(first)
    assert {**steer(second), "serial": 0} == {**steer(first), "serial": 0}
    assert address(second) == address(first)


def test_what_was_clicked_together_is_in_the_link():
    tab = type_in(visit(), "The cat sat because it was tired.")
    tab = click(tab, "samples.bank")
    tab = tab.segmented_control(key="field.palette").set_value("cividis").run()
    tab = tab.segmented_control(key="field.units").set_value("words").run()
    again = visit(**address(tab))
    assert payload(again) == payload(tab)
    assert chosen(again) == chosen(tab)
    assert steer(again)["palette"] == "cividis"


WRONG = {
    "model": "../../etc",
    "layer": "99",
    "heads": "-1",
    "query": "1e3",
    "key": "٣",
    "units": "letters",
    "special": "<b>",
    "scale": "",
    "palette": "jet",
    "side": "decoder",
    "sort": "yes",
    "lang": "../en",
    "unheard": "of",
}


def test_wrong_values_fall_to_what_the_page_opens_with():
    tab = visit(**WRONG)
    assert not tab.exception
    assert payload(tab) == payload(visit())
    assert chosen(tab) == chosen(visit())
    assert address(tab) == {}


@pytest.mark.parametrize("name", ["../../etc", "/etc", "minilm/../..", "C:\\Windows"])
def test_a_model_outside_the_list_is_not_opened(name):
    tab = visit(model=name)
    assert not tab.exception
    assert tab.selectbox(key="field.model").value == "minilm"


def test_folders_under_the_models_root_can_be_picked_and_nothing_else(tmp_path, monkeypatch):
    root, fixtures = tmp_path / "models", Path(__file__).parents[1] / "golden" / "families"
    for name, fixture in (("b_model", "llama_lm"), ("a_model", "gpt2_lm"), (".hidden", "gpt2_lm")):
        shutil.copytree(fixtures / fixture, root / name)
    (root / "empty").mkdir()
    (root / "file").touch()
    (root / "outside").symlink_to(tmp_path)
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(models_root=root))
    assert doors.models() == (*(entry.name for entry in core.catalog()), "a_model", "b_model")
    assert not visit(model="a_model").exception
    assert visit(model="empty").session_state["view"].asked.model == "minilm"


def test_each_side_has_its_own_bounds():
    encoder = Extent(sides=("encoder", "cross"), layers=6, heads=12, queries=20, keys=20)
    cross = Extent(sides=encoder.sides, layers=3, heads=4, queries=30, keys=20, middle=2)
    both = replace(encoder, each=(encoder, cross))
    here = link.wished({"side": "cross", "query": "25", "key": "25"}, BEGIN, both)
    assert here == core.Choice(side="cross", layer=2, heads=(1,), query=25, key=2)
    assert link.fitting(core.Choice(side="cross", heads=(5, 9, 1), query=30), both).heads == (3, 1)
    seen = {"side": "encoder", "layer": 5, "heads": [11], "query": 19, "key": 19}
    assert link.reported(seen, both).layer == 5
    assert link.reported(seen | {"side": "cross"}, both) is None
    assert link.reported(seen | {"side": "cross", "layer": 2, "heads": [3], "query": 29}, both).query == 29


def test_another_side_of_a_translator_is_shown_at_its_own_layers(tmp_path, monkeypatch):
    shutil.copytree(Path(__file__).parents[1] / "golden" / "families" / "marian_unshared", tmp_path / "marian")
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(models_root=tmp_path))
    tab = visit(model="marian", text="Where is it?", side="encoder", query="2")
    assert not tab.exception
    tab = tab.segmented_control(key="field.side").set_value("cross").run()
    assert not tab.exception
    for side in ("encoder", "decoder", "cross"):
        assert not visit(model="marian", text="Where is it?", side=side, query="8", key="8").exception


def test_a_long_text_is_not_in_the_link_and_the_page_says_so():
    text = "word " * 301
    tab = type_in(visit(palette="magma"), text)
    assert shows(tab, core.words.say("en", "frame.long_link", limit=1500))
    assert address(tab) == {"palette": "magma", "lang": "en"}
    tab = tab.segmented_control(key="field.palette").set_value("viridis").run()
    assert tab.text_area(key="field.text").value == text


def test_bytes_are_counted_not_characters():
    assert link.fits("猫" * 500, None)
    assert not link.fits("猫" * 501, None)
    assert not link.fits("a" * 1000, "b" * 501)


def test_another_page_keeps_what_was_chosen_and_a_new_tab_starts_clean():
    tab = type_in(visit(model="smollm2"), "The dog sleeps.")
    tab = click(tab, "samples.keys")
    tab = type_in(tab, "The dog that barked is asleep.")
    before, shown = chosen(tab), header(tab)
    tab = tab.switch_page("pages/models/models.py").run()
    assert not tab.exception
    tab = tab.switch_page("pages/heads/heads.py").run()
    assert tab.text_area(key="field.text").value == "The dog that barked is asleep."
    assert tab.selectbox(key="field.model").value == "minilm"
    assert chosen(tab) == before
    assert header(tab) == shown
    assert chosen(visit())["query"] == 10


def test_what_could_not_be_read_stays_in_the_box_across_pages():
    tab = type_in(visit(), "  ")
    tab = tab.switch_page("pages/models/models.py").run()
    tab = tab.switch_page("pages/heads/heads.py").run()
    assert tab.text_area(key="field.text").value == "  "
    assert chosen(tab)["query"] == 10


def test_the_same_word_stays_chosen_in_a_new_sentence():
    tab = type_in(visit(), "I saw that it rained.")
    assert header(tab)["rows"]["labels"][chosen(tab)["query"]] == "it"
    assert (chosen(tab)["layer"], chosen(tab)["heads"], chosen(tab)["key"]) == (3, [1], None)


REPORTS = [
    None,
    "choice",
    [],
    {},
    {"side": "encoder", "layer": 6, "heads": [0], "query": 0, "key": 0},
    {"side": "encoder", "layer": 0, "heads": [12], "query": 0, "key": 0},
    {"side": "encoder", "layer": 0, "heads": [0], "query": 20, "key": 0},
    {"side": "encoder", "layer": 0, "heads": [0], "query": 0, "key": -1},
    {"side": "encoder", "layer": True, "heads": [0], "query": 0, "key": 0},
    {"side": "encoder", "layer": 0.0, "heads": [0], "query": 0, "key": 0},
    {"side": "encoder", "layer": 0, "heads": ["0"], "query": 0, "key": 0},
    {"side": "decoder", "layer": 0, "heads": [0], "query": 0, "key": 0},
    {"side": ["encoder"], "layer": 0, "heads": [0], "query": 0, "key": 0},
    {"side": {}, "layer": 0, "heads": [[]], "query": {}, "key": []},
]


@pytest.mark.parametrize("came", REPORTS, ids=str)
def test_a_report_of_the_map_that_is_no_choice_is_dropped(came):
    assert link.reported(came, WIDE) is None


def test_a_report_of_the_map_becomes_a_choice():
    came = {"side": "encoder", "layer": 2, "heads": [7, 3, 7], "query": 4, "key": None, "more": 1}
    assert link.reported(came, WIDE) == core.Choice(side="encoder", layer=2, heads=(7, 3), query=4, key=None)
    mean = {"side": None, "layer": None, "heads": [1], "query": None, "key": None}
    assert link.reported(mean, WIDE) == core.Choice(side="encoder", layer=None, heads=(), query=None, key=None)


@pytest.mark.parametrize(
    "choice",
    [
        BEGIN,
        core.Choice(side="cross", layer=0, heads=(), query=None, key=None),
        core.Choice(side="encoder", layer=None, heads=(), query=0, key=19),
        core.Choice(side="encoder", layer=5, heads=(11, 0, 4), query=19, key=0),
    ],
)
def test_every_choice_survives_being_written_and_read(choice):
    words = link.write(Asked(), Look(), choice, BEGIN)
    assert link.wished(words, BEGIN, WIDE) == choice


def test_the_route_answers_with_the_exact_map_and_refuses_what_it_cannot_read():
    ref = doors.trace(Asked())
    content, kind = doors.head_bytes(ref.key, {"layer": "3", "heads": "1", "units": "pieces", "special": "show"})
    exact = doors.ask(ref, core.analysis.one_map, choice=BEGIN)
    assert (kind, content) == ("f4", exact.tobytes())
    cell, _ = doors.head_bytes(ref.key, {"query": "10", "key": "2"})
    assert len(cell) == 4 * 6 * 12
    assert doors.head_bytes("unknown", {"layer": "0", "heads": "0"}) is None
    for wrong in (
        {"layer": "x", "heads": "0"},
        {"layer": "0", "heads": "a"},
        {"units": "?", "layer": "0", "heads": "0"},
    ):
        with pytest.raises(ValueError, match=r"layer|heads|units"):
            doors.head_bytes(ref.key, wrong)


def test_the_route_answers_with_one_exact_row_or_column_and_refuses_others():
    ref = doors.trace(Asked())
    exact = doors.ask(ref, core.analysis.one_map, choice=BEGIN)
    for name, line in (("row", exact[10]), ("column", exact[:, 10])):
        content, kind = doors.head_bytes(ref.key, {"layer": "3", "heads": "1", name: "10"})
        assert kind == "f4"
        assert abs(np.frombuffer(content, "<f4") - line).max() < 1e-6
        with pytest.raises(core.CoreError, match="16"):
            doors.head_bytes(ref.key, {"layer": "3", "heads": "1", name: "16"})


def test_where_no_route_answers_exact_rows_ride_along():
    text = ("a b " * 270).strip()
    tab = visit(model="smollm2", text=text, layer="0", heads="0,1", query="6")
    exact = core.analysis.one_row
    ref = doors.trace(Asked(model="smollm2", text=text))
    rows = steer(tab)["rows"]
    assert [(row["heads"], row["row"]) for row in rows] == [([0], 6), ([1], 6)]
    for row in rows:
        wanted = doors.ask(ref, exact, choice=core.Choice(layer=0, heads=tuple(row["heads"])), row=6)
        assert np.float32(row["shares"]).tolist() == wanted.tolist()
    assert steer(visit())["rows"] == []


def test_a_sentence_of_ones_own_opens_where_most_is_to_be_seen_and_says_why():
    tab = visit(text="If the king moves his castle, the queen will lose her crown.")
    labels, now = header(tab)["rows"]["labels"], chosen(tab)
    assert (labels[now["query"]], labels[now["key"]]) == ("lose", "crown")
    assert shows(tab, core.words.say("en", "heads.opened_note"))
    assert address(tab).items() >= {"layer": "3", "heads": "1", "query": "11", "key": "13"}.items()
    assert not shows(visit(**{**address(tab), "layer": "2"}), core.words.say("en", "heads.opened_note"))
    assert chosen(visit(text="Hi."))["key"] is None


def test_a_head_of_ones_own_choice_stays_for_the_next_sentence():
    tab = visit(layer="5", heads="11")
    tab = type_in(tab, "My cats sleep all day in the garden.")
    assert (chosen(tab)["layer"], chosen(tab)["heads"]) == (5, [11])
    assert chosen(tab)["key"] is not None


def test_two_tokens_that_are_chosen_in_the_question_sort_the_grid():
    tab = visit()
    assert not steer(tab)["sort"]
    tab = tab.selectbox(key="field.key").select_index(7).run()
    assert (chosen(tab)["query"], chosen(tab)["key"], steer(tab)["sort"]) == (10, 7, True)
    assert (address(tab)["key"], address(tab)["sort"]) == ("7", "1")
    tab = visit(key="none").selectbox(key="field.query").select_index(3).run()
    assert (chosen(tab)["query"], chosen(tab)["key"], steer(tab)["sort"]) == (3, None, False)
