"""The Positions page: every section in both languages with both models, its address, and its numbers."""

import csv
import io

import numpy as np
import pytest

import core
from pages.plumbing import extras
from pages.plumbing.positions import draw
from pages.plumbing.sheets import sheet
from tests.pages.visits import address, charts, click, shows, texts, visit

PAGE = "pages/positions/positions.py"
MODELS = [entry.name for entry in core.catalog()]
LANGUAGES = core.words.languages()
SECTIONS = extras.EXTRAS["positions.show"].words
SCHEMES = extras.EXTRAS["positions.scheme"].words

VIEWS = [
    {"positions.length": "100000", "positions.start": "7", "positions.width": "256", "positions.base": "500"},
    {"positions.scheme": "learned", "positions.curves": "3,5,8", "lang": "zh"},
    {"positions.scheme": "alibi", "positions.slopes": "12", "positions.farthest": "32"},
    {"positions.show": "linear", "positions.offset": "17", "positions.layout": "halves", "model": "smollm2"},
    {"positions.show": "blind", "positions.text": "own", "positions.order": "3", "text": "The dog bites the man."},
    {"positions.show": "schemes", "positions.beyond": "1024", "lang": "zh"},
    {"positions.show": "heads", "layer": "0", "heads": "2"},
]


def opened(**words):
    return visit(PAGE, **words)


def sheets(tab):
    return [element.proto.label for element in tab.get("download_button")]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_and_every_figure_has_its_source_and_its_numbers(section, language, model):
    tab = opened(**{"positions.show": section, "lang": language, "model": model})
    assert not tab.exception
    figures = charts(tab)
    assert figures
    assert sheets(tab) == [core.words.say(language, "positions.csv")] * len(figures)
    known = core.words.catalogue(language)
    sources = {text for name, text in known.items() if name.startswith("positions.source_")}
    assert sum(text.partition(" · ")[2] in sources for text in texts(tab)) == len(figures)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_is_drawn_or_said_to_be_missing(scheme, model):
    tab = opened(**{"positions.scheme": scheme, "model": model, "lang": "zh"})
    assert not tab.exception
    own = {"minilm": "learned", "smollm2": "rotary"}.get(model, "sinusoidal")
    has = {"sinusoidal", own}
    called = next(entry.title for entry in core.catalog() if entry.name == model)
    missing = core.words.catalogue("zh").get(f"positions.none_{scheme}", "").split("{there}")[0].format(model=called)
    assert (bool(missing) and shows(tab, missing)) == (scheme not in has)
    assert bool(charts(tab)) == (scheme in has or scheme != "learned")


@pytest.mark.parametrize("words", VIEWS, ids=lambda words: "-".join(words))
def test_a_link_opens_the_same_section_with_the_same_options(words):
    first = opened(**words)
    assert not first.exception
    assert address(first).items() >= words.items()
    second = opened(**address(first))
    assert address(second) == address(first)
    assert charts(second) == charts(first)


WRONG = {
    "positions.show": "everything",
    "positions.length": "1e5",
    "positions.width": "63",
    "positions.base": "1",
    "positions.curves": "0,0",
    "positions.offset": "-1",
    "positions.order": "٣",
    "positions.text": "<b>",
    "positions.unheard": "of",
}


def test_wrong_options_fall_to_what_the_page_opens_with():
    tab = opened(**WRONG)
    assert not tab.exception
    assert not any(name.startswith("positions") for name in address(tab))
    assert charts(tab) == charts(opened())


def test_options_are_written_as_they_are_set_and_what_is_usual_is_not():
    tab = opened()
    tab = tab.number_input(key="field.positions.length").set_value(300).run()
    tab = tab.segmented_control(key="field.positions.layout").set_value("halves").run()
    tab = tab.multiselect(key="field.positions.curves").set_value([1, 2]).run()
    told = {"positions.length": "300", "positions.layout": "halves", "positions.curves": "1,2"}
    assert address(tab).items() >= told.items()
    assert shows(tab, "256 of 300 positions")
    tab = tab.segmented_control(key="field.positions.layout").set_value("neighbours").run()
    assert "positions.layout" not in address(tab)


def test_a_hundred_thousand_positions_compute_only_the_rows_that_are_drawn(monkeypatch):
    computed = []
    order = core.analysis.order

    def counting(function):
        def counted(*given, **named):
            found = function(*given, **named)
            computed.append(len(found.positions))
            return found

        return counted

    for name in ("rows", "neighbours"):
        monkeypatch.setattr(order, name, counting(getattr(order, name)))
    tab = opened(**{"positions.length": "100000", "positions.width": "512"})
    assert not tab.exception
    assert computed == [256, 256]
    assert shows(tab, "256 of 100,000 positions")


def test_the_learned_table_on_the_screen_is_the_model_s(minilm):
    tab = opened(**{"positions.scheme": "learned"})
    table = minilm.network.get_parameter("encoder.embed.positions.weight").numpy()
    drawn = charts(tab)[0]["data"][0]["z"]
    assert drawn["shape"] == "256, 384"
    assert table.shape == (512, 384)


def test_cat_chases_dog_is_the_same_to_a_layer_without_positions():
    tab = opened(**{"positions.show": "blind", "lang": "zh", "model": "smollm2"})
    assert [text for text in texts(tab) if text in ("猫追狗", "狗追猫")] == ["猫追狗", "狗追猫"]
    assert shows(tab, "只是舍入")
    assert shows(tab, core.words.say("zh", "positions.compared_decoder"))
    assert any("猫追狗" in chart["layout"]["title"]["text"] for chart in charts(tab))


def test_a_model_that_lacks_the_characters_says_so():
    assert shows(opened(**{"positions.show": "blind"}), core.words.say("en", "positions.unknown", count=3))


def test_the_own_sentence_is_shuffled_by_the_button():
    tab = opened(**{"positions.show": "blind", "positions.text": "own", "text": "The dog bites the man"})
    assert shows(tab, "man the bites dog The")
    tab = click(tab, "positions.shuffle")
    assert not tab.exception
    assert address(tab)["positions.order"] == "1"
    assert not shows(tab, "man the bites dog The")


@pytest.mark.parametrize("text", ["<b>x</b> ![y](https://evil.example/p.png) $z$", "q", "猫", "\u202ex y", "x " * 200])
@pytest.mark.parametrize("section", ["blind", "schemes"])
def test_odd_sentences_open_and_are_never_read_as_markup(section, text):
    tab = opened(**{"positions.show": section, "positions.text": "own", "text": text})
    assert not tab.exception
    parsed = [element.value for element in (*tab.markdown, *tab.caption, *tab.title, *tab.subheader)]
    assert len(text) == 1 or not any(text in shown for shown in parsed)


def test_a_table_that_ends_is_said_to_end_and_the_others_are_drawn():
    tab = opened(**{"positions.show": "schemes", "text": "word " * 70})
    assert shows(tab, core.words.say("en", "positions.stops", came=70, allowed=64))
    assert len(charts(tab)) == 8 + 2


def test_found_heads_lead_to_the_heads_page():
    tab = opened(**{"positions.show": "heads"})
    assert shows(tab, core.words.say("en", "positions.found_previous", count=1))
    tab = click(tab, "positions.head.0.2")
    assert not tab.exception
    assert (address(tab)["layer"], address(tab)["heads"]) == ("0", "2")
    assert tab.title[0].value == core.words.say("en", "heads.question")


def test_another_head_is_chosen_here_too():
    tab = opened(**{"positions.show": "heads"})
    tab = tab.selectbox(key="field.positions.layer").set_value(0).run()
    tab = tab.selectbox(key="field.positions.head").set_value(2).run()
    assert (address(tab)["layer"], address(tab)["heads"]) == ("0", "2")
    assert shows(tab, "It is a previous-token head")


def test_what_the_core_refuses_is_said_in_words(monkeypatch):
    def refuse(*_, **__):
        raise core.CoreError("out_of_range", what="head", came=9, allowed=3)

    monkeypatch.setattr(core.analysis, "positional", refuse)
    tab = opened(**{"positions.show": "heads", "lang": "zh"})
    assert not tab.exception
    assert shows(tab, core.words.say("zh", "errors.out_of_range", what="head", came=9, allowed=3))
    assert address(tab)["positions.show"] == "heads"


def read(sheet):
    return list(csv.reader(io.StringIO(sheet)))


def test_csv_gives_every_number_back_exactly():
    cells = np.array([[0.1, -1e-8], [np.nan, 3.0]], dtype=np.float32)
    rows = read(sheet(draw.grid(cells, ["a,b", '"'], [0, 5])))
    assert rows[0] == ["", "0", "5"]
    assert [row[0] for row in rows[1:]] == ["a,b", '"']
    assert [np.float32(value) for value in rows[1][1:]] == cells[0].tolist()
    assert rows[2][1:] == ["", "3"]


def test_a_curve_that_ends_earlier_leaves_the_rest_empty():
    rows = read(sheet({"x": [0, 1, 2], "y": np.array([0.5], dtype=np.float32)}))
    assert rows == [["x", "y"], ["0", "0.5"], ["1", ""], ["2", ""]]
