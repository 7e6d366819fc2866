"""Two vocabularies: texts are read with one, and answers written with another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.inputs.sample import Sample
from core.inputs.text import TextReader


@dataclass(frozen=True, kw_only=True)
class TranslatingReader:
    """Reads `source` texts for a model whose answers are pieces of `target`."""

    source: TextReader
    target: TextReader
    takes: tuple[str, ...] = ("text",)

    @property
    def specials(self) -> frozenset[int]:
        """The ids of pieces of an answer that stand for no text."""
        return self.target.specials

    def read(self, text: str, pair: str | None = None) -> Sample:
        """Return the sample of a text.

        Raises:
            CoreError: what reading a text raises.
        """
        return self.source.read(text, pair)

    def of_ids(self, ids: Sequence[int]) -> Sample:
        """Return the sample of pieces that a model wrote; its text begins with a capital, as a sentence does."""
        found = self.target.of_ids(ids)
        return replace(found, text=_begun(found.text))

    def spelled(self, ids: Sequence[int]) -> tuple[str, str]:
        """Return the label of the last of some pieces, and the text of all, as `of_ids` says it."""
        label, text = self.target.spelled(ids)
        return label, _begun(text)

    def written(self, text: str) -> Sample:
        """Return the sample of a text that a model is to have written.

        Raises:
            CoreError: what reading a text raises.
        """
        return self.target.written(text)


def _begun(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
