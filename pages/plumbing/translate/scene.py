"""A sentence of a pair in one model: where in it stand "it", what decides, and both nouns; and which heads tell them
apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import core
from pages.plumbing import ask, doors, words
from pages.plumbing.translate import asking, controls, language, saved
from pages.plumbing.translate.language import Pair

IT = "it"
ENCODER = "encoder"
writing, rows = core.analysis.writing, core.analysis.rows


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One sentence, traced: the places of its words in the source, and how it was translated."""

    model: str
    ref: core.TraceRef
    told: Any
    labels: tuple[str, ...]
    places: dict[str, int]

    def place(self, name: str) -> int:
        """Return the place of "it", of the "word" that decides, of the noun "meant", or of the "other" one."""
        return self.places[name]

    def label(self, name: str) -> str:
        """Return one of these words, quoted."""
        return words.quoted(self.labels[self.places[name]])

    def shares(self, layer: int, head: int, looks: str) -> np.ndarray:
        """Return what one of these words gives to every token in one head of the encoder."""
        found: np.ndarray = doors.ask(self.ref, rows.row, layer=layer, head=head, query=self.place(looks))
        return found


def scene(model: str, pair: Pair, which: int, *, step: int | None = None) -> Scene:
    """Return a sentence of a pair in a model, or in what it was at a step of its training.

    Raises:
        CoreError: what opening and tracing raise; `out_of_range` for a model that cuts these words into pieces.
    """
    ref = doors.changed(model, pair.sentence(which), step=step)
    labels = doors.ask(ref, core.analysis.maps, side=ENCODER).rows.labels
    wanted = {"it": IT, "word": pair.words[which], "meant": pair.nouns[which], "other": pair.nouns[1 - which]}
    for word in wanted.values():
        if word not in labels:
            raise core.CoreError("out_of_range", what=word, came=-1, allowed=len(labels) - 1)
    places = {name: labels.index(word) for name, word in wanted.items()}
    return Scene(model=model, ref=ref, told=doors.ask(ref, writing.writing), labels=labels, places=places)


def telling(model: str, looks: str, pair: Pair) -> tuple[int, int]:
    """Return layer and head that tell best which noun is meant, when "it" looks or the "word" that decides.

    As it was measured over many sentences when the model was trained; where nothing was written down, in this pair.
    """
    found = saved.story(model).telling({"it": "it", "word": "adjective"}[looks])
    if found is not None:
        return found
    both = [scene(model, pair, which) for which in (0, 1)]
    leads = [_leads(one, looks) for one in both]
    layer, head = np.unravel_index(int(np.minimum(*leads).argmax()), leads[0].shape)
    return int(layer), int(head)


def prettiest(one: Scene) -> tuple[int, int]:
    """Return layer and head in which "it" gives most to both nouns together."""
    heads = doors.ask(one.ref, writing.looks, side=ENCODER)[:, :, one.place("it")]
    both = heads[:, :, one.place("meant")] + heads[:, :, one.place("other")]
    layer, head = np.unravel_index(int(both.argmax()), both.shape)
    return int(layer), int(head)


def parting(one: Any, other: Any) -> int | None:
    """Return the first step at which two translations part, None where they do not."""
    pairs = zip(one.moments, other.moments, strict=False)
    return next((step for step, (a, b) in enumerate(pairs) if a.written.ident != b.written.ident), None)


def pair() -> tuple[Pair, int]:
    """Show which pair of sentences is looked at, and return it with the sentence of it that is chosen."""
    known = language.pairs()
    number = min(int(controls.now("pair")), len(known) - 1)
    names = [words.t("translate.template", one=one.nouns[0], other=one.nouns[1]) for one in known]
    controls.select("pair", range(len(known)), number, _paired, names.__getitem__)
    return known[number], int(controls.now("word"))


def which(pair: Pair) -> None:
    """Show which of the two sentences is looked at."""
    named = {str(number): word for number, word in enumerate(pair.words)}
    controls.buttons("word", named, controls.now("word"))


def missing(*names: str) -> bool:
    """Say which models are not here, if any is not."""
    lacking = [name for name in names if not asking.have(name)]
    if lacking:
        listed = ", ".join(map(ask.called, lacking))
        words.plain(words.t("translate.lacking", models=listed), "refused", "lacking")
    return bool(lacking)


def _leads(one: Scene, looks: str) -> np.ndarray:
    heads = doors.ask(one.ref, writing.looks, side=ENCODER)[:, :, one.place(looks)]
    found: np.ndarray = heads[:, :, one.place("meant")] - heads[:, :, one.place("other")]
    return found


def _paired() -> None:
    controls.put("pair", controls.chosen("pair"))
