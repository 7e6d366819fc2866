"""The Cost page: what is counted, the roofline, reading against writing, and the cache."""

import pytest

import core
from pages.plumbing import drawn
from pages.plumbing.extras import EXTRAS
from pages.plumbing.sheets import sheet
from tests.pages.visits import address, charts, shows, texts, type_in, visit

PAGE = "pages/cost/cost.py"
SECTIONS = ("counted", "roofline", "reading", "keeping")
LANGUAGES = core.words.languages()


def opened(section, **given):
    return visit(**{"cost.show": section, "lang": "en"} | given).switch_page(PAGE).run()


def table(tab, first):
    """The table whose first cell says something."""
    return next(frame.value for frame in tab.dataframe if frame.value.iloc[0, 0] == first)


def told(chart):
    return [mark["text"].strip("\u2068\u2069") for mark in chart["layout"]["annotations"]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_and_every_figure_has_its_source_and_its_numbers(section, language):
    tab = opened(section, lang=language)
    assert not tab.exception
    known = core.words.catalogue(language)
    sources = {text for name, text in known.items() if name.startswith("cost.source_")}
    there = sum(text.rpartition(" · ")[2] in sources for text in texts(tab))
    assert there == len(tab.get("download_button")) == len(charts(tab)) + len(tab.dataframe) > 0


@pytest.mark.parametrize("section", SECTIONS)
def test_numbers_to_take_along_are_numbers(section, monkeypatch):
    taken, under = {}, drawn.under

    def noted(name, source, numbers, shown="", **_):
        taken[name] = sheet(numbers).splitlines()
        under(name, source, numbers, shown)

    monkeypatch.setattr(drawn, "under", noted)
    assert not opened(section).exception
    assert taken
    assert all(len(lines) > 1 for lines in taken.values())
    if section == "counted":
        full = next(line for line in taken["cost.mixer_table"] if line.startswith('"Full, causal"'))
        assert full.split(",")[2:4] == ["1610612736", "4456448"]


@pytest.mark.parametrize("model", ["minilm", "smollm2", "translator"])
def test_twice_the_text_is_four_times_the_matrix(model):
    tab = opened("counted", model=model)
    assert not tab.exception
    grown = table(tab, "cells of one map")
    assert [cell.split("× ")[1].rstrip(")") for cell in grown.iloc[0, 1:]] == ["1", "4", "16"]
    assert [cell.split("× ")[1].rstrip(")") for cell in grown.iloc[1, 1:]] == ["1", "4", "16"]
    assert [cell.split("× ")[1].rstrip(")") for cell in grown.iloc[2, 1:]] == ["1", "2", "4"]


@pytest.mark.parametrize(("model", "there"), [("smollm2", False), ("translator", True)])
def test_a_model_with_two_sides_says_how_long_its_answer_is_taken_to_be(model, there):
    assert shows(opened("counted", model=model), "as long as the text") is there


def test_the_roofs_go_on_to_the_last_point():
    traces = charts(opened("roofline", **{"cost.length": "1000000", "cost.batch": "64"}))[0]["data"]
    points = [trace["x"][0] for trace in traces if "markers" in trace["mode"]]
    assert max(points) < max(max(trace["x"]) for trace in traces if trace["mode"] == "lines")


def test_the_sentence_of_the_visit_is_marked_by_its_tokens():
    tab = opened("counted")
    first = [mark for mark in told(charts(tab)[0]) if mark.startswith("you are here")]
    tab = type_in(tab, "One two three four.")
    second = [mark for mark in told(charts(tab)[0]) if mark.startswith("you are here")]
    assert first == ["you are here: 16"]
    assert second == ["you are here: 7"]


def test_where_looking_overtakes_is_said_and_drawn():
    """SmolLM2: 30 layers of 3,538,944 parameters against 2 x 9 x 128 operations a cell of half a map, which is 6,144 by
    products alone; shares of the softmax, norms, turns and the rest make it a little less."""
    tab = opened("counted", model="smollm2")
    assert "looking overtakes: 6,130" in told(charts(tab)[0])
    assert shows(tab, "from 6,130 tokens on")


def test_the_chosen_model_is_counted_part_by_part():
    parts = table(opened("counted"), "embeddings, and what closes the stack")
    found = {row[0]: row[1:] for row in parts.itertuples(index=False)}
    assert found["looking: products and shares"][:2] == (f"{6 * 4 * 384 * 16**2:,}", f"{6 * 12 * 16**2:,}")
    assert found["norms, and sums onto the stream"][:2] == ("0", f"{6 * 4 * 384 * 16:,}")


def test_a_chosen_chip_and_model_come_from_the_address_and_go_back_into_it():
    given = {"cost.chip": "a100", "cost.model": "deepseek-v3", "cost.length": "32000", "cost.batch": "8"}
    tab = opened("roofline", **given)
    assert "ridge of this chip: 153" in told(charts(tab)[0])
    assert "DeepSeek-V3, 32,000 tokens" in charts(tab)[0]["layout"]["title"]["text"]
    assert {name: address(tab)[name] for name in given} == given


@pytest.mark.parametrize("given", [{"cost.model": "nobody"}, {"cost.chip": "nothing"}, {"cost.models": "nobody,jamba"}])
@pytest.mark.parametrize("section", ["roofline", "reading", "keeping"])
def test_a_name_that_is_not_there_gives_one_that_is(section, given):
    assert not opened(section, **given).exception


def test_a_price_follows_what_an_hour_costs():
    first = table(opened("reading"), "read (in)")
    twice = table(opened("reading", **{"cost.price": "4"}), "read (in)")
    prices = [[float(cell) for cell in bill.iloc[:, 1]] for bill in (first, twice)]
    assert prices[1] == pytest.approx([2 * one for one in prices[0]], rel=0.02)
    assert prices[0][1] > 100 * prices[0][0]


def test_many_texts_at_once_are_the_way_out():
    alone, together = (table(opened("reading", **{"cost.batch": count}), "read (in)") for count in ("1", "64"))
    assert float(together.iloc[1, 1]) < float(alone.iloc[1, 1]) / 20


def test_a_text_longer_than_a_model_was_published_for_is_said_to_be():
    assert shows(opened("reading", **{"cost.length": "200000"}), "published for texts of up to 131,072 tokens")
    assert not shows(opened("reading"), "published for texts")


def test_a_shortcut_sets_the_length():
    tab = opened("keeping")
    shortcut = next(group for group in tab.get("button_group") if group.proto.id.endswith("shortcut.cost.length"))
    tab = shortcut.set_value("repository").run()
    assert address(tab)["cost.length"] == "1000000"


def test_sixteen_models_and_published_bytes():
    every = table(opened("keeping"), "GPT-2 XL")
    assert len(every) == 16
    each = dict(zip(every.iloc[:, 0], every.iloc[:, 4], strict=True))
    assert (each["Qwen3 4B"], each["Llama 3.1 8B"]) == ("147,456", "131,072")
    assert each["Mamba 2.8B"] == "0"


def test_a_text_that_fits_but_is_longer_than_a_model_goes_is_told_with_both_lengths():
    tab = opened("keeping")
    fits = next(frame.value for frame in tab.dataframe if "NVIDIA L4 24 GB" in frame.value.columns)
    on_a100 = dict(zip(fits.iloc[:, 0], fits.iloc[:, 1], strict=True))
    assert on_a100["GPT-2 XL"] == "1,024 (250,275)"
    assert on_a100["Mistral 7B v0.1"] == "32,768 (any length)"
    assert (on_a100["Mamba 2.8B"], on_a100["Llama 2 70B"]) == ("any length", "weights alone: 2 cards")
    assert shows(tab, "Published for shorter texts than 2,000 tokens: GPT-2 XL.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_chip_and_every_model_says_where_its_numbers_are_from(language):
    chips = table(opened("roofline", lang=language), "NVIDIA A100 80 GB SXM")
    stated = [core.words.say(language, f"cost.chip_{one.name}") for one in core.cost.chips()]
    assert [cell.split(" · ")[0] for cell in chips.iloc[: len(stated), -1]] == stated
    models = table(opened("keeping", lang=language), "GPT-2 XL")
    assert set(models.iloc[:, -2]) == {core.words.say(language, f"cost.read_{one}") for one in ("own", "copy")}
    assert all(" · " in cell for cell in models.iloc[:, -1])


@pytest.mark.parametrize("option", ["cost.width", "cost.rows", "measured.longest"])
def test_numbers_to_choose_from_stand_in_their_order(option):
    numbers = [int(word) for word in EXTRAS[option].words]
    assert numbers == sorted(numbers)
    assert EXTRAS[option].usual in EXTRAS[option].words


def test_curves_of_mixers_are_those_that_are_chosen():
    two = opened("counted", **{"cost.drawn": "lstm,full"})
    names = [trace["name"].strip("\u2068\u2069") for trace in charts(two)[1]["data"]]
    assert names == ["LSTM", "Full, causal"]
    plain = opened("counted", **{"cost.drawn": "full", "cost.form": "plain"})
    left_out = opened("counted", **{"cost.drawn": "full"})
    assert charts(plain)[1]["data"][0]["y"] != charts(left_out)[1]["data"][0]["y"]
    assert len(charts(opened("counted", **{"cost.drawn": ""}))) == 1


@pytest.mark.parametrize("section", SECTIONS)
def test_formulas_are_one_click_away(section):
    tab = opened(section)
    assert [box.label for box in tab.expander][-1] == "The formulas, and where they come from"


@pytest.mark.parametrize("section", ["roofline", "keeping"])
def test_where_numbers_were_read_is_one_click_away(section):
    assert opened(section).expander[0].label == "Where each of these numbers was read"
