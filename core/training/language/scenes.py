"""Sentences in which a pronoun could mean either of two nouns, and one adjective says which."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from core.training.language.clauses import ENOUGH, PLAINLY, Mood, active, being, passive
from core.training.language.pair import Pair, pair
from core.training.language.phrases import Phrase, Said, said
from core.training.language.tables import Frame, verbs

FRONTED = "fronted"
NOTHING = said("", "")
COMMA = said(",", ",")
BECAUSE = said("because", "parce que")
LINKS = {"since": said("since", "puisqu'"), "but": said("but", "mais"), "and": said("and", "et")}
OPENINGS = {
    "yesterday": said("yesterday ,", "hier ,"),
    "once": said("once ,", "un jour ,"),
    "now": said("now ,", "maintenant ,"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """All that one such sentence says; `about` is 0 where the pronoun means `subject`, 1 where it means `thing`.

    `mood` is the main clause's, `reason_mood` the other's; `joined` is of LINKS or OPENINGS, "because" or FRONTED.
    """

    frame: Frame
    subject: Phrase
    thing: Phrase
    about: int
    adjective: str
    degree: str = "too"
    mood: Mood = PLAINLY
    reason_mood: Mood = PLAINLY
    is_passive: bool = False
    joined: str = "because"

    @property
    def phrases(self) -> tuple[Phrase, Phrase]:
        """Both phrases in the order in which they stand."""
        return (self.thing, self.subject) if self.is_passive else (self.subject, self.thing)

    @property
    def meant(self) -> Phrase:
        """The phrase that the pronoun means."""
        return (self.subject, self.thing)[self.about]

    def main(self) -> Said:
        """What happened."""
        verb = verbs()[self.frame.verb]
        if self.is_passive:
            return passive(verb, self.thing, self.mood, self.subject)
        between = said("in", "dans") if self.frame.kind in {"place", "fit"} else NOTHING
        return active(verb, self.subject, self.mood, between + self.thing.say())

    def reason(self) -> Said:
        """What the one who is meant was like."""
        return being(self.meant.pronoun, self.meant, self.reason_mood, self.degree, self.adjective)

    def parts(self) -> tuple[Said, Said, Said, Said]:
        """The sentence in four parts: what opens it, a clause, what links, a clause."""
        if self.joined == FRONTED:
            return BECAUSE, self.reason(), COMMA, self.main()
        opening, link = OPENINGS.get(self.joined, NOTHING), LINKS.get(self.joined, BECAUSE)
        return opening, self.main(), link, self.reason()


def say(scene: Scene) -> Pair:
    """Return the sentence of a scene, and where its nouns, its pronoun and its adjective stand."""
    parts = scene.parts()
    main, reason = (3, 1) if scene.joined == FRONTED else (1, 3)
    ends = tuple(accumulate(len(part.english) for part in parts))
    main_at, reason_at = ends[main - 1], ends[reason - 1]
    first, second = scene.phrases
    nouns_at = (main_at + len(first.say().english) - 1, ends[main] - 1)
    antecedent, rival = nouns_at if scene.meant is first else nouns_at[::-1]
    return pair(
        sum(parts[1:], parts[0]),
        scene.frame.kind,
        (first.name, second.name),
        antecedent=antecedent,
        rival=rival,
        it=reason_at,
        adjective=ends[reason] - (2 if scene.degree == ENOUGH else 1),
        french_pronoun=sum(len(part.french) for part in parts[:reason]),
    )
