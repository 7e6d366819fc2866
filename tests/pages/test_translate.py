"""Translate: every section opens, unknown words are marked first, a moved row is a run of its own, links restore."""

import json

import pytest

import core
from pages.plumbing import doors, extras
from pages.plumbing.translate import language, saved
from tests.golden.fixtures import HERE
from tests.pages.visits import address, chosen, click, given, shows, texts, visit

PAGE = "pages/translate/translate.py"
SECTIONS = extras.EXTRAS["translate.show"].words
TIRED, WIDE = (language.pairs()[0].sentence(which) for which in (0, 1))
IL = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
ELLE = "L'animal n'a pas traversé la rue parce qu'elle était trop large."
ODD = "The zebra didn't cross the street because it was too <b>tired</b>."


def translate(**words):
    tab = visit(**{name if name == "lang" else f"translate.{name}": word for name, word in words.items()})
    return tab.switch_page(PAGE).run()


def written(tab):
    """What the browser was given to show a translation."""
    return json.loads(given(tab, "writing").json)


def is_written(tab):
    return any(element.proto.component_name == "writing" for element in tab.get("bidi_component"))


@pytest.fixture
def families(monkeypatch):
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(models_root=HERE / "families"))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("language", core.words.languages())
def test_every_section_opens_in_every_language(section, language):
    tab = translate(show=section, lang=language)
    assert not tab.exception
    assert core.words.say(language, f"translate.{section}_title") in [element.value for element in tab.subheader]
    assert not any("{" in text for text in texts(tab))


def test_without_a_translator_the_page_says_what_is_missing(monkeypatch):
    others = tuple(entry for entry in core.catalog() if entry.kind != "encoder-decoder")
    monkeypatch.setattr(core, "catalog", lambda **_: others)
    tab = translate()
    assert not tab.exception
    assert shows(tab, "There is no translator here.")


def test_the_famous_sentences_come_out_and_every_step_is_shown():
    for text, wanted in ((TIRED, IL), (WIDE, ELLE)):
        told = written(translate(text=text))
        assert told["text"] == wanted
        assert [step["label"] for step in told["steps"]][10] == wanted.split("qu'")[1].split()[0]
        assert told["steps"][-1]["text"] == wanted
        for step in told["steps"]:
            assert len(step["best"]) == 10
            assert [one["written"] for one in step["best"]] == [True, *[False] * 9]
            assert 0 < sum(one["probability"] for one in step["best"]) <= 1
            rows = [head[step["row"]] for layer in told["cross"] for head in layer]
            assert all(sum(row) == pytest.approx(1, abs=2e-3) for row in rows)
        for head in told["self"][0]:
            assert all(not any(row[place + 1 :]) for place, row in enumerate(head))


def test_the_page_rests_where_the_two_sentences_part():
    told = written(translate())
    assert told["steps"][told["rest"]]["label"] == "il"


def test_unknown_words_are_marked_before_anything_is_translated():
    tab = translate(text=ODD)
    assert not is_written(tab)
    marked = [element.value for element in tab.text]
    assert {"zebra", "didn't", "street"} <= set(marked)
    assert shows(tab, "Not among its words: “\u2068zebra\u2069”")
    tab = click(tab, "anyway")
    assert is_written(tab)
    assert not is_written(translate(text=ODD.replace("street", "motorway")))


def test_what_stands_on_the_page_is_kept_in_the_address_and_comes_back():
    tab = translate(model="translator-guided", show="wheel", row="it", moved="40", text=WIDE)
    assert not tab.exception
    kept = address(tab)
    assert kept["translate.row"] == "it"
    again = visit(**kept).switch_page(PAGE).run()
    assert texts(again) == texts(tab)
    tab = tab.segmented_control(key="field.translate.show").set_value("write").run()
    assert address(tab).items() >= {"translate.text": WIDE, "translate.model": "translator-guided"}.items()
    assert "translate.show" not in address(tab)


def test_options_take_their_place_in_an_address_that_came_and_the_rest_stays():
    came = {"text": "a", "translate.step": "3", "translate.show": "learn"}
    assert extras.replaced(came, (("translate.step", "4"),)) == {"text": "a", "translate.step": "4"}


def test_a_wrong_address_is_left_to_what_is_usual():
    tab = translate(show="evil", step="-3", map="encoder.9.9.99.99", model="evil", head="<b>", moved="7")
    assert not tab.exception
    assert written(tab)["text"] == IL
    assert written(translate(step="99"))["step"] is None
    assert chosen(tab) == {"side": "encoder", "layer": 2, "heads": [], "query": None, "key": None}


def test_a_template_and_a_composed_sentence_are_taken():
    tab = click(translate(), "word.1")
    assert written(tab)["text"] == ELLE
    tab = click(tab, "pair.1")
    assert written(tab)["text"].startswith("Le trophée")


def test_everything_that_can_be_composed_is_made_of_known_words():
    known = set(saved.vocabulary("translator"))
    for verb in language.verbs():
        for subject in language.subjects(verb):
            things = language.things(verb, subject)
            assert things
            assert {verb, subject, *things, *language.adjectives(subject, things[0])} <= known
    odd = language.Composed(subject="street", verb="eat", thing="animal", adjective="deep")
    mended = language.fitted(odd)
    assert mended.verb == "eat"
    assert mended.subject in language.subjects("eat")
    assert mended.adjective in language.adjectives(mended.subject, mended.thing)


def test_every_sentence_of_a_pair_is_known():
    for pair in language.pairs():
        for which in (0, 1):
            assert "unknown" not in doors.read("translator", pair.sentence(which)).kinds
            assert language.pair_of(pair.sentence(which)) == (pair, which)


def test_moving_a_row_that_decides_changes_the_answer_and_nobody_else_notices():
    tab = translate(show="wheel")
    assert shows(tab, "The answer changed: il → elle, fatigué → fatiguée")
    assert shows(translate(show="wheel", moved="0"), "The answer did not change")
    assert written(translate(model="translator-guided"))["text"] == IL


def test_in_the_plain_model_the_deciding_word_decides_and_the_row_of_it_does_not():
    assert shows(translate(show="wheel", row="word"), "il → elle")
    assert shows(translate(show="wheel", row="it"), "The answer did not change")


def test_any_row_can_be_taken():
    tab = translate(show="wheel", row="own", own="0.1.2.3.4")
    assert not tab.exception
    assert shows(tab, "In layer 0, head 1, “\u2068didn't\u2069” gives “\u2068cross\u2069”")
    assert not translate(show="wheel", row="own", own="77.1.2.3.4").exception


def test_the_nudge_is_told_wherever_the_guided_model_is_shown():
    said = core.words.say("en", "translate.guided_note")
    guided = [{"model": "translator-guided"}, {"show": "compare"}, {"show": "wheel"}]
    guided += [{"show": "learn", "model": "translator-guided"}]
    assert all(said in texts(translate(**where)) for where in guided)
    assert said not in texts(translate())


def test_a_step_of_the_training_is_beside_random_numbers():
    tab = translate(show="learn", trained="300")
    assert not tab.exception
    assert shows(tab, "Step 0: random numbers")
    assert shows(tab, "Step 300")
    assert not shows(translate(show="learn", trained="0"), IL)
    last = translate(show="learn", trained="1000000")
    assert shows(last, IL)
    assert not translate(show="learn", head="cross.0.1").exception


@pytest.mark.parametrize(("threshold", "said"), [(0.99, "Do not trust this one"), (0.01, "were nearly always right")])
def test_an_unsure_translation_says_so(monkeypatch, threshold, said):
    told = saved.Story(told={"measured": {"confidence": {"threshold": threshold}}})
    monkeypatch.setattr(saved, "story", lambda _: told)
    assert shows(translate(), said)


@pytest.mark.usefixtures("families")
def test_any_translator_of_ones_own_can_be_looked_at():
    tab = translate(model="marian_mt", text="The cat sat.")
    assert not tab.exception
    assert len(written(tab)["cross"]) == 2


@pytest.mark.usefixtures("families")
def test_a_model_that_does_not_translate_says_so():
    tab = translate(model="gpt2_lm", text="The cat sat.")
    assert not tab.exception
    assert shows(tab, "does not answer one text with another")
