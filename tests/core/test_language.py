"""The made-up language: famous sentences, French rules one by one, and sentences that can be read back."""

import subprocess
import sys
from dataclasses import replace

import pytest

from core.errors import CoreError
from core.training.language import (
    SPECIALS,
    english,
    french,
    held_out,
    join_english,
    join_french,
    minimal_pairs,
    pairs,
    split_english,
    split_french,
    vocabulary,
)
from core.training.language.clauses import PLAINLY, Mood, active, passive, who, whom
from core.training.language.composing import frames_of
from core.training.language.pair import pair
from core.training.language.phrases import Phrase, said
from core.training.language.scenes import FRONTED, Scene, say
from core.training.language.tables import adjectives, adjectives_of, frames, nouns, verbs, verbs_of

NOT = Mood(negated=True)


def phrase(noun, **more):
    return Phrase(noun=nouns()[noun], **more)


def scene(verb, first, second, adjective, about, **more):
    kind = {nouns()[first].kind, nouns()[second].kind}
    frame = next(one for one in frames() if one.verb == verb and (one.kind == "fit" or set(one.nouns) == kind))
    return Scene(
        frame=frame, subject=phrase(first), thing=phrase(second), about=about, adjective=adjective, mood=NOT, **more
    )


CROSSING = scene("cross", "animal", "street", "tired", 0)
FITTING = scene("fit", "trophy", "suitcase", "big", 0)


@pytest.mark.parametrize(
    ("told", "english", "french"),
    [
        (
            CROSSING,
            "The animal didn't cross the street because it was too tired.",
            "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
        ),
        (
            replace(CROSSING, about=1, adjective="wide"),
            "The animal didn't cross the street because it was too wide.",
            "L'animal n'a pas traversé la rue parce qu'elle était trop large.",
        ),
        (
            FITTING,
            "The trophy didn't fit in the suitcase because it was too big.",
            "Le trophée ne rentrait pas dans la valise parce qu'il était trop grand.",
        ),
        (
            replace(FITTING, about=1, adjective="small"),
            "The trophy didn't fit in the suitcase because it was too small.",
            "Le trophée ne rentrait pas dans la valise parce qu'elle était trop petite.",
        ),
        (
            replace(CROSSING, is_passive=True, mood=PLAINLY, about=1, adjective="wide", joined=FRONTED),
            "Because it was too wide, the street was crossed by the animal.",
            "Parce qu'elle était trop large, la rue a été traversée par l'animal.",
        ),
        (
            replace(
                FITTING,
                about=1,
                degree="enough",
                mood=Mood(past=False, negated=True),
                reason_mood=Mood(past=False, negated=True),
            ),
            "The trophy doesn't fit in the suitcase because it isn't big enough.",
            "Le trophée ne rentre pas dans la valise parce qu'elle n'est pas assez grande.",
        ),
    ],
)
def test_a_scene_becomes_its_sentence(told, english, french):
    assert (say(told).english, say(told).french) == (english, french)


@pytest.mark.parametrize("about", [0, 1])
@pytest.mark.parametrize("joined", ["because", "since", "but", "and", "yesterday", "once", FRONTED])
@pytest.mark.parametrize("is_passive", [False, True])
def test_places_are_where_the_words_stand(about, joined, is_passive):
    told = replace(
        CROSSING, about=about, joined=joined, is_passive=is_passive, degree="enough", reason_mood=Mood(negated=True)
    )
    found = say(replace(told, adjective=("tired", "wide")[about]))
    words, french = split_english(found.english), split_french(found.french)
    nouns = [words[found.antecedent], words[found.rival]]
    assert nouns == [["animal", "street"], ["street", "animal"]][about]
    assert (words[found.it], words[found.adjective]) == ("it", ("tired", "wide")[about])
    assert french[found.french_pronoun] == ("il", "elle")[about]


@pytest.mark.parametrize(
    ("words", "elided"),
    [
        ("le animal", "l' animal"),
        ("la île", "l' île"),
        ("le œuf", "l' œuf"),
        ("le homme", "l' homme"),
        ("ce oiseau", "cet oiseau"),
        ("ma araignée", "mon araignée"),
        ("ne était pas", "n' était pas"),
        ("parce que elle", "parce qu' elle"),
        ("que un chien", "qu' un chien"),
        ("que Anna", "qu' Anna"),
        ("le chien ne traverse", "le chien ne traverse"),
    ],
)
def test_before_a_vowel_words_are_shortened(words, elided):
    assert french.elide(words.split()) == tuple(elided.split())


@pytest.mark.parametrize(
    ("adjective", "forms"),
    [
        ("tired", "fatigué fatigués fatiguée fatiguées"),
        ("grey", "gris gris grise grises"),
        ("happy", "heureux heureux heureuse heureuses"),
        ("white", "blanc blancs blanche blanches"),
        ("wide", "large larges large larges"),
    ],
)
def test_an_adjective_agrees(adjective, forms):
    found = [french.agree(adjectives()[adjective], gender, plural) for gender in "mf" for plural in (False, True)]
    assert found == forms.split()


def spoken(words):
    return pair(words, "", ()).french


def test_a_participle_agrees_with_what_it_happened_to():
    cross, surprise = verbs()["cross"], verbs()["surprise"]
    dog, streets = phrase("dog"), phrase("street", plural=True)
    assert spoken(passive(cross, streets, PLAINLY, dog)) == "Les rues ont été traversées par le chien."
    assert spoken(passive(surprise, dog, NOT, streets)) == "Le chien n'a pas été surpris par les rues."
    assert spoken(whom(cross, streets, dog)) == "Les rues que le chien a traversées."
    assert spoken(who(cross, dog, streets.say())) == "Le chien qui a traversé les rues."
    assert spoken(active(cross, phrase("cow"), PLAINLY, streets.say())) == "La vache a traversé les rues."


def test_a_phrase_agrees_in_article_and_colour():
    owls = phrase("owl", determiner="this", plural=True, colour=adjectives()["grey"])
    assert (owls.say().english, owls.say().french) == (("these", "grey", "owls"), ("ces", "chouettes", "grises"))
    assert phrase("anna", determiner="a").say() == said("anna", "Anna")
    assert phrase("owl", unknown=True).say() == said("the <unk>", "le <unk>")
    assert phrase("owl", determiner="a").say().english == ("an", "owl")


def test_he_and_she_are_people():
    told = [(phrase(noun).pronoun.english[0], phrase(noun).pronoun.french[0]) for noun in ("anna", "king", "cow")]
    assert told == [("she", "elle"), ("he", "il"), ("it", "elle")]
    assert phrase("cow", plural=True).pronoun == said("they", "elles")


def test_no_is_said_in_two_ways():
    assert english.deny("was", negated=True, contracted=True) == ("wasn't",)
    assert english.deny("was", negated=True, contracted=False) == ("was", "not")


def test_text_is_split_and_joined():
    assert split_english("The dog didn’t see Marie, <unk>!") == (
        "the",
        "dog",
        "didn't",
        "see",
        "marie",
        ",",
        "<unk>",
        "!",
    )
    assert split_french("L’animal n'a pas vu Marie.") == ("l'", "animal", "n'", "a", "pas", "vu", "Marie", ".")
    assert split_french("Marie dort.")[0] == "Marie"
    assert join_french(("l'", "œuf", ",", "l'", "île", ".")) == "L'œuf, l'île."
    assert split_english("") == split_french("") == ()


@pytest.mark.parametrize("told", pairs(3, 400), ids=lambda told: told.kind)
def test_a_sentence_can_be_read_back(told):
    assert join_english(split_english(told.english)) == told.english
    assert join_french(split_french(told.french)) == told.french


def test_the_vocabulary_is_what_can_be_said():
    known = vocabulary()
    told = [*pairs(0, 3000), *held_out(0, 500), *held_out(0, 500, "combination")]
    assert {word for one in told for word in split_english(one.english)} <= set(known.english)
    assert {word for one in told for word in split_french(one.french)} <= set(known.french)
    assert known.english[:4] == known.french[:4] == SPECIALS
    assert len(known.english) == len(set(known.english)) == 414
    assert len(known.french) == len(set(known.french)) == 659


def test_tables_do_not_contradict_each_other():
    singular, plural = {one.english for one in nouns().values()}, {one.plural for one in nouns().values()} - {""}
    assert not singular & plural
    assert not (singular | plural) & set(adjectives())
    assert all(word in adjectives() for one in frames() for side in one.adjectives for word in side)
    assert all(frames_of(kind) for kind in ("class", "place", "human", "role", "fit"))
    assert {one.verb for one in frames()} == {*verbs_of("transitive"), *verbs_of("intransitive"), *verbs_of("stative")}
    assert set(adjectives_of("human")) == set(adjectives_of("animal"))


def test_where_classes_differ_no_adjective_fits_both():
    both = [(one.verb, set(one.adjectives[0]) & set(one.adjectives[1])) for one in frames()]
    assert [verb for verb, shared in both if shared] == []


SAYING = "from core.training.language import pairs; print([one.english for one in pairs(5, 50)])"


def test_a_seed_says_the_same_in_another_process():
    told = subprocess.run(
        [sys.executable, "-c", SAYING], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert told.stdout.strip() == str([one.english for one in pairs(5, 50)])
    assert pairs(5, 50) != pairs(6, 50)


def test_more_pairs_begin_with_the_same():
    assert pairs(0, 300)[:100] == pairs(0, 100)


def test_a_kind_of_held_out_that_does_not_exist_is_refused():
    with pytest.raises(CoreError, match="pair, combination"):
        held_out(0, 1, "triple")


def test_minimal_pairs_differ_in_one_adjective():
    for first, second in minimal_pairs(0, 50):
        words, others = split_english(first.english), split_english(second.english)
        assert [at for at, word in enumerate(words) if word != others[at]] == [first.adjective]
        assert (first.antecedent, first.rival) == (second.rival, second.antecedent)
