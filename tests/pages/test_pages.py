"""Every page opens in every language with every model of the catalogue, and shows what a person typed as it is."""

import pytest

import core
from pages import PAGES
from tests.pages.visits import address, chosen, click, header, shows, steer, texts, type_in, visit

MODELS = [entry.name for entry in core.catalog()]
HOSTILE = (
    "a<b<c",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="x',
    "<s> </s> <b>hi</b>",
    "![x](https://evil.example/p.png) [a](javascript:1) $x^2$ :red[boo] **bold**",
    "{0} {name} %s",
    "=1+1",
    "שלום \u202eevil",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.section)
@pytest.mark.parametrize("language", core.words.languages())
@pytest.mark.parametrize("model", MODELS)
def test_every_page_opens_in_every_language_with_every_model(page, language, model):
    tab = visit(lang=language, model=model)
    if page is not PAGES[0]:
        tab.switch_page(page.file).run()
    assert not tab.exception
    assert tab.title[0].value == core.words.say(language, f"{page.section}.question")


def test_it_opens_on_the_animal():
    tab = visit()
    assert chosen(tab) == {"side": "encoder", "layer": 3, "heads": [1], "query": 10, "key": 2}
    assert header(tab)["rows"]["labels"][10] == "it"
    assert shows(tab, "(0.677)")
    assert "L3 · H1  **0.677**" in [button.label for button in tab.button]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_person_typed_is_shown_as_it_is(text):
    tab = visit(text=text)
    assert not tab.exception
    assert tab.text_area(key="field.text").value == text
    parsed = [element.value for element in (*tab.markdown, *tab.caption, *tab.title, *tab.subheader)]
    assert not any(text in shown for shown in parsed)


@pytest.mark.parametrize("text", ["", "   ", "\n", "\t\n "])
def test_nothing_to_read_is_said_and_the_last_picture_stays(text):
    tab = visit()
    before = header(tab)
    tab = type_in(tab, text)
    assert not tab.exception
    assert shows(tab, core.words.say("en", "heads.blank"))
    assert tab.text_area(key="field.text").value == text
    assert header(tab) == before


def test_a_text_that_is_too_long_says_how_long_it_is_and_stays_in_the_box():
    tab = visit()
    before, text = header(tab), "word " * 700
    tab = type_in(tab, text)
    assert not tab.exception
    assert shows(tab, core.words.say("en", "errors.too_long", came=702, allowed=512))
    assert tab.text_area(key="field.text").value == text
    assert header(tab) == before


def test_a_first_text_that_cannot_be_read_leaves_a_page_without_a_picture():
    tab = visit(text="word " * 700)
    assert not tab.exception
    assert shows(tab, "702")
    assert not tab.get("bidi_component")
    tab = type_in(tab, "Now it can.")
    assert "can" in header(tab)["rows"]["labels"]


@pytest.mark.parametrize(
    "text",
    ["a\u0000b\u0007c\u001b[31m", "x" * 10_000, "a\u200bb", "e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467"],
)
@pytest.mark.parametrize("model", MODELS)
def test_odd_texts_open_or_are_refused_in_words(model, text):
    tab = visit(model=model, text=text)
    assert not tab.exception
    assert tab.get("bidi_component") or any("tokens" in shown for shown in texts(tab))


def test_half_a_character_is_replaced_and_said():
    """A browser sends half a surrogate pair, and a link an undecodable byte, as U+FFFD."""
    tab = visit(text="a \ufffd b")
    assert not tab.exception
    assert shows(tab, core.words.say("en", "notes.replaced", count=1))


def test_unknown_pieces_are_said_beside_the_box():
    assert shows(visit(text="猫追狗"), core.words.say("en", "notes.unknown", count=3))


def test_a_second_sentence_is_read_with_the_first():
    tab = click(visit(text="Where does the cat sleep?"), "pair.add")
    tab = tab.text_area(key="field.pair").set_value("It sleeps on the sofa.").run()
    assert not tab.exception
    assert header(tab)["boundary"] == 8
    assert address(tab)["pair"] == "It sleeps on the sofa."
    tab = click(tab, "pair.drop")
    assert header(tab)["boundary"] is None


def test_a_model_without_a_second_sentence_offers_none():
    assert "pair.add" not in [button.key for button in visit(model="smollm2").button]


def test_the_other_language_changes_the_words_and_not_the_numbers():
    english = visit()
    chinese = visit(lang="zh")
    assert header(chinese) == header(english)
    assert shows(chinese, "主要看")
    assert steer(chinese)["words"] != steer(english)["words"]


def test_hidden_special_tokens_are_said_to_be_missing():
    tab = visit(special="hide")
    assert "[CLS]" not in header(tab)["rows"]["labels"]
    assert shows(tab, core.words.say("en", "heads.special_hide_note"))
    assert shows(tab, "This row sums to 0.8")


def test_a_listed_head_is_chosen_by_its_button():
    tab = visit()
    serial = steer(tab)["serial"]
    tab = click(tab, "sender.5.11")
    assert (chosen(tab)["layer"], chosen(tab)["heads"]) == (5, [11])
    assert steer(tab)["serial"] > serial
    assert shows(tab, "(0.673)")


def test_two_boxes_changed_in_one_moment_are_both_taken():
    tab = click(visit(text="Where is it?"), "pair.add")
    tab.text_area(key="field.text").set_value("Where is she?")
    tab = tab.text_area(key="field.pair").set_value("At home.").run()
    assert not tab.exception
    assert (address(tab)["text"], address(tab)["pair"]) == ("Where is she?", "At home.")


def test_an_example_clicked_while_typing_wins():
    tab = visit()
    tab.text_area(key="field.text").set_value("half a sen")
    tab = click(tab, "samples.keys")
    assert not tab.exception
    assert tab.text_area(key="field.text").value.startswith("The keys")
