"""The word tables of the made-up language: nouns, adjectives, verbs and frames, read from `assets/training`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "training"
UNKNOWN = "<unk>"
ACTING = ("transitive", "intransitive")


@dataclass(frozen=True, kw_only=True, slots=True)
class Noun:
    """A noun in both languages; `plural` is empty where there is none, `gender` is m or f."""

    english: str
    plural: str
    french: str
    french_plural: str
    gender: str
    kind: str

    @property
    def is_name(self) -> bool:
        """Whether it is a person's name: no article, no plural."""
        return self.kind == "name"


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjective:
    """An adjective: one form in English, masculine and feminine in French."""

    english: str
    masculine: str
    feminine: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Verb:
    """A verb; `french` and `french_past` hold singular and plural. Without `french_past` it is "avoir" + participle."""

    english: str
    third: str
    past: str
    participle: str
    french: tuple[str, str]
    french_participle: str
    french_past: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """Who does what to whom, and which adjectives point to the first noun and which to the second."""

    kind: str
    verb: str
    nouns: tuple[str, str]
    adjectives: tuple[tuple[str, ...], tuple[str, ...]]
    not_enough: tuple[tuple[str, ...], tuple[str, ...]] | None = None


@cache
def nouns() -> dict[str, Noun]:
    """Return every noun by its English singular."""
    found = {}
    for kind, rows in table("nouns").items():
        if kind != "container":
            for english, (plural, french, french_plural, gender) in rows.items():
                found[english] = Noun(
                    english=english, plural=plural, french=french, french_plural=french_plural, gender=gender, kind=kind
                )
    return found


@cache
def nouns_of(kind: str, gender: str) -> tuple[Noun, ...]:
    """Return the nouns of one class and gender; the class `container` holds some of the objects."""
    if kind == "container":
        found = [nouns()[english] for english in table("nouns")["container"]["nouns"]]
    else:
        found = [noun for noun in nouns().values() if noun.kind == kind]
    return tuple(noun for noun in found if noun.gender == gender)


@cache
def adjectives() -> dict[str, Adjective]:
    """Return every adjective by its English form."""
    return {
        english: Adjective(english=english, masculine=masculine, feminine=feminine)
        for rows in table("adjectives").values()
        for english, (masculine, feminine) in rows.items()
    }


@cache
def adjectives_of(kind: str) -> tuple[str, ...]:
    """Return what is said of nouns of this class; of people the same as of animals."""
    rows = {"human": "animal", "name": "animal", "container": "object"}.get(kind, kind)
    return tuple(table("adjectives")[rows])


@cache
def verbs() -> dict[str, Verb]:
    """Return every verb by its English base."""
    tables = table("verbs")
    acting = {english: _acting(english, row) for group in ACTING for english, row in tables[group].items()}
    return acting | {english: _stative(english, row) for english, row in tables["stative"].items()}


@cache
def verbs_of(group: str) -> tuple[str, ...]:
    """Return the bases of the verbs that are transitive, intransitive or stative."""
    return tuple(table("verbs")[group])


@cache
def frames() -> tuple[Frame, ...]:
    """Return every frame, one verb each."""
    return tuple(_frame(row, verb) for row in table("frames")["frame"] for verb in row["verbs"])


@cache
def grammar(language: str) -> tuple[str, ...]:
    """Return the small words of one language, English or French, that stand in no other table."""
    return tuple(table("grammar")[language])


def _acting(english: str, row: list[str]) -> Verb:
    third, past, participle, one, many, french = row
    return Verb(
        english=english, third=third, past=past, participle=participle, french=(one, many), french_participle=french
    )


def _stative(english: str, row: list[str]) -> Verb:
    third, past, one, many, was, were = row
    return Verb(
        english=english,
        third=third,
        past=past,
        participle="",
        french=(one, many),
        french_participle="",
        french_past=(was, were),
    )


def _frame(row: dict[str, Any], verb: str) -> Frame:
    first, second = row["nouns"]
    return Frame(
        kind=row["kind"],
        verb=verb,
        nouns=(first, second),
        adjectives=_two(row.get("adjectives")) or (adjectives_of(first), adjectives_of(second)),
        not_enough=_two(row.get("not_enough")),
    )


def _two(lists: list[list[str]] | None) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    return (tuple(lists[0]), tuple(lists[1])) if lists else None


@cache
def table(name: str) -> dict[str, Any]:
    """Return one of the files of `assets/training` as it stands there."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
