"""A noun with what stands around it, said in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from core.training.language import english, french
from core.training.language.tables import UNKNOWN, Adjective, Noun


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The same words in both languages, before French elides."""

    english: tuple[str, ...]
    french: tuple[str, ...]

    def __add__(self, more: Said) -> Said:
        return Said(english=self.english + more.english, french=self.french + more.french)


def said(english_words: str, french_words: str) -> Said:
    """Return words given as two texts."""
    return Said(english=tuple(english_words.split()), french=tuple(french_words.split()))


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """A noun phrase, whose noun is its last English word; `unknown` puts a word nobody knows in its place."""

    noun: Noun
    determiner: str = "the"
    plural: bool = False
    colour: Adjective | None = None
    unknown: bool = False

    @property
    def gender(self) -> str:
        """m or f; what nobody knows is masculine."""
        return "m" if self.unknown else self.noun.gender

    @property
    def name(self) -> str:
        """The noun as English lists it, in the singular."""
        return UNKNOWN if self.unknown else self.noun.english

    @property
    def pronoun(self) -> Said:
        """What stands for it: it, he, she or they."""
        human = self.noun.kind in {"human", "name"}
        one = english.PRONOUNS[self.gender] if human else "it"
        return said("they" if self.plural else one, french.PRONOUNS[self.gender, self.plural])

    def say(self) -> Said:
        """Return the phrase in both languages; a name stands alone."""
        if self.noun.is_name:
            return said(self.noun.english, self.noun.french)
        return Said(english=self._english(), french=self._french())

    def _english(self) -> tuple[str, ...]:
        noun = UNKNOWN if self.unknown else self.noun.plural if self.plural else self.noun.english
        words = (self.colour.english, noun) if self.colour else (noun,)
        return (english.article(self.determiner, words[0], self.plural), *words)

    def _french(self) -> tuple[str, ...]:
        noun = UNKNOWN if self.unknown else self.noun.french_plural if self.plural else self.noun.french
        words = (french.article(self.determiner, self.gender, self.plural), noun)
        return (*words, french.agree(self.colour, self.gender, self.plural)) if self.colour else words
