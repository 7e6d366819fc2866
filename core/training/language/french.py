"""French by rule: articles, agreement in gender and number, elision, and where "ne ... pas" goes."""

from __future__ import annotations

from collections.abc import Sequence

from core.training.language.tables import Adjective, Verb

VOWELS = frozenset("aàâeéèêiîoôuûœ")
MUTE = frozenset("h")  # every h of this language is mute: l'homme
ARTICLES = {
    "the": ("le", "la", "les"),
    "a": ("un", "une", "des"),
    "this": ("ce", "cette", "ces"),
    "my": ("mon", "ma", "mes"),
    "our": ("notre", "notre", "nos"),
    "your": ("votre", "votre", "vos"),
}
BEFORE_VOWEL = {"le": "l'", "la": "l'", "que": "qu'", "ne": "n'", "ce": "cet", "ma": "mon"}
PRONOUNS = {("m", False): "il", ("f", False): "elle", ("m", True): "ils", ("f", True): "elles"}


def article(determiner: str, gender: str, plural: bool) -> str:
    """Return the French for an English determiner, before elision."""
    masculine, feminine, many = ARTICLES[determiner]
    return many if plural else feminine if gender == "f" else masculine


def agree(adjective: Adjective, gender: str, plural: bool) -> str:
    """Return the adjective's form for a gender and number."""
    return _number(adjective.feminine if gender == "f" else adjective.masculine, plural)


def participle(verb: Verb, gender: str, plural: bool) -> str:
    """Return the participle as it agrees after "être" or with an object that stands in front."""
    return _number(verb.french_participle + ("e" if gender == "f" else ""), plural)


def deny(words: Sequence[str], negated: bool) -> tuple[str, ...]:
    """Put "ne ... pas" around the finite verb, the first of the words."""
    return ("ne", words[0], "pas", *words[1:]) if negated else tuple(words)


def have(plural: bool) -> str:
    """Return the present of "avoir"."""
    return "ont" if plural else "a"


def be(plural: bool, past: bool) -> str:
    """Return the present or imperfect of "être"."""
    if past:
        return "étaient" if plural else "était"
    return "sont" if plural else "est"


def elide(words: Sequence[str]) -> tuple[str, ...]:
    """Shorten or change what stands before a vowel or a mute h: le animal -> l' animal, ma île -> mon île."""
    following = (*words[1:], "")
    return tuple(
        BEFORE_VOWEL[word] if word in BEFORE_VOWEL and starts_with_vowel(after) else word
        for word, after in zip(words, following, strict=True)
    )


def starts_with_vowel(word: str) -> bool:
    """Return whether a word is spoken with a vowel in front."""
    return word[:1].lower() in VOWELS or word[:1].lower() in MUTE


def _number(word: str, plural: bool) -> str:
    return word + "s" if plural and word[-1] not in "sx" else word
