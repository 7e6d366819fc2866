"""Text in: a tokenizer's pieces, and everything a person should know about what it did to the text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tokenizers import AddedToken, Encoding, Tokenizer

from core.errors import CoreError
from core.inputs import segments
from core.inputs.labels import byte_alphabet, byte_labels, piece_label, visible
from core.inputs.refusing import refusing
from core.inputs.sample import Note, Sample, Span

Spans = Sequence[Span | None]
Numbers = tuple[int | None, ...]
BYTE = re.compile(r"<0x([0-9A-F]{2})>")
Numbering = Callable[[Spans, Sequence[Span]], list[int | None]]

CHARACTER_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class TextReader:
    """Reads text for one model; `limit` is the most positions that the model takes (0: no bound).

    The saved truncation and padding of a tokenizer file are switched off: nothing is cut or padded unasked.
    """

    tokenizer: Tokenizer
    limit: int
    pairs: bool = False
    takes: tuple[str, ...] = ("text",)

    def __post_init__(self) -> None:
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def read(self, text: str, pair: str | None = None) -> Sample:
        """Return the sample of a text, or of two.

        Raises:
            CoreError: `pair_not_taken`, `tokenizer_stopped`, `no_pieces` or `too_long`.
        """
        if pair is not None and not self.pairs:
            raise CoreError("pair_not_taken")
        texts = tuple(whole(part) for part in (text, pair) if part is not None)
        with refusing("tokenizer_stopped"):
            encoding = self.tokenizer.encode(texts[0], texts[1] if pair is not None else None)
        if not len(encoding):
            raise CoreError("no_pieces", came=len(text))
        if self.limit and len(encoding) > self.limit:
            raise CoreError("too_long", came=len(encoding), allowed=self.limit)
        return self._sample(encoding, texts, halves(text + (pair or "")))

    def written(self, text: str) -> Sample:
        """Return the sample of a text that a decoder is to have written: its own pieces, with none around them.

        Raises:
            CoreError: `tokenizer_stopped`.
        """
        with refusing("tokenizer_stopped"):
            encoding = self.tokenizer.encode(whole(text), add_special_tokens=False)
        return self._sample(encoding, (whole(text),), halves(text))

    def of_ids(self, ids: Sequence[int]) -> Sample:
        """Return the sample of pieces that a model wrote; it has labels, and no spans since nobody typed it."""
        pieces = tuple(self.tokenizer.id_to_token(ident) or f"⟨{ident}⟩" for ident in ids)
        labels, broken = self._labels(ids, pieces)
        words = (None,) * len(pieces)
        return Sample(
            ids=np.asarray(ids, dtype=np.int64),
            pieces=pieces,
            labels=labels,
            spans=words,
            words=words,
            characters=words,
            kinds=self._kinds(ids, words, broken),
            parts=(0,) * len(pieces),
            text=self.tokenizer.decode(list(ids)),
        )

    def spelled(self, ids: Sequence[int]) -> tuple[str, str]:
        """Return the label of the last of some pieces, and the text of all: what `of_ids` says of them, in a quarter of
        the time, since a label hangs on no more pieces than a character has bytes."""
        last = ids[-CHARACTER_BYTES:]
        pieces = tuple(self.tokenizer.id_to_token(ident) or f"⟨{ident}⟩" for ident in last)
        return self._labels(last, pieces)[0][-1], self.tokenizer.decode(list(ids))

    def _sample(self, encoding: Encoding, texts: tuple[str, ...], replaced: int) -> Sample:
        parts = tuple(
            min(kind, len(texts) - 1) if part is None else part
            for part, kind in zip(encoding.sequence_ids, encoding.type_ids, strict=True)
        )
        spans = [_trimmed(span, texts[part]) for span, part in zip(encoding.offsets, parts, strict=True)]
        silent = self.specials - {self.unknown}
        shown = [None if ident in silent else span for ident, span in zip(encoding.ids, spans, strict=True)]
        words = _per_part(shown, parts, [segments.words(text) for text in texts], segments.number)
        labels, broken = self._labels(encoding.ids, encoding.tokens)
        return Sample(
            ids=np.asarray(encoding.ids, dtype=np.int64),
            pieces=tuple(encoding.tokens),
            labels=labels,
            spans=tuple(spans),
            words=words,
            characters=_per_part(shown, parts, [segments.characters(text) for text in texts], segments.joined),
            kinds=self._kinds(encoding.ids, words, broken),
            parts=parts,
            notes=self._notes(encoding, spans, parts, texts, replaced),
            text=texts[0],
            pair=texts[1] if len(texts) > 1 else None,
        )

    @cached_property
    def added(self) -> dict[int, AddedToken]:
        """The pieces that are not cut but found as they are, by id."""
        return dict(self.tokenizer.get_added_tokens_decoder())

    @cached_property
    def specials(self) -> frozenset[int]:
        """The ids of pieces that stand for no text."""
        return frozenset(ident for ident, added in self.added.items() if added.special)

    @cached_property
    def byte_level(self) -> bool:
        """Whether the vocabulary is written in the byte alphabet."""
        return '"ByteLevel"' in _settings(self.tokenizer.decoder) + _settings(self.tokenizer.pre_tokenizer)

    @cached_property
    def unknown(self) -> int | None:
        """The id that stands for whatever the vocabulary does not have."""
        name = getattr(self.tokenizer.model, "unk_token", None)
        return self.tokenizer.token_to_id(name) if isinstance(name, str) else self.scored.get("unk_id")

    @cached_property
    def goes_on(self) -> str | None:
        """What begins a piece that continues a word, where the vocabulary marks those and not the beginnings."""
        return getattr(self.tokenizer.model, "continuing_subword_prefix", None)

    @cached_property
    def ends_word(self) -> str:
        """What ends the last piece of a word, where the vocabulary marks the ends; else nothing."""
        return getattr(self.tokenizer.model, "end_of_word_suffix", None) or ""

    @cached_property
    def spelling(self) -> tuple[str, ...]:
        """How the vocabulary writes its pieces: in letters that stand for bytes, with marks where words begin, go on or
        end."""
        begins = '"Metaspace"' in _settings(self.tokenizer.decoder) + _settings(self.tokenizer.pre_tokenizer)
        found = {"bytes": self.byte_level, "begins": begins, "goes_on": self.goes_on, "ends": self.ends_word}
        return tuple(name for name, has in found.items() if has)

    @cached_property
    def bytes_too(self) -> bool:
        """Whether the vocabulary spells what it lacks as bytes, <0x00> .. <0xFF>."""
        return bool(getattr(self.tokenizer.model, "byte_fallback", self.scored.get("byte_fallback")))

    @cached_property
    def scored(self) -> dict[str, Any]:
        """The settings of a vocabulary with scores (Kudo 2018), which the library does not tell otherwise."""
        model = self.tokenizer.model
        return dict(json.loads(model.__getstate__())) if type(model).__name__ == "Unigram" else {}

    def _labels(self, ids: Sequence[int], tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        shown = list(map(self._unended, ids, tokens))
        labels = byte_labels(map(self._bytes, ids, shown))
        if not self.byte_level:
            marked = map(self._marked_label, ids, shown)
            labels = [label if label[1] else (text, False) for label, text in zip(labels, marked, strict=True)]
        return tuple(text for text, _ in labels), tuple(part for _, part in labels)

    def _unended(self, ident: int, piece: str) -> str:
        """Return a piece without the mark that a word ends with it."""
        bare = piece.removesuffix(self.ends_word)
        return bare if bare and ident not in self.added else piece

    def _bytes(self, ident: int, piece: str) -> bytes:
        """Return the bytes that a piece stands for."""
        alphabet = byte_alphabet() if self.byte_level and ident not in self.added else {}
        if alphabet and set(piece) <= alphabet.keys():
            return bytes(alphabet[character] for character in piece)
        return self._single(piece) or piece.encode()

    def _single(self, piece: str) -> bytes | None:
        spelled = BYTE.fullmatch(piece) if self.bytes_too else None
        return bytes([int(spelled[1], 16)]) if spelled else None

    def _marked_label(self, ident: int, piece: str) -> str:
        if (ident in self.added and piece == self.added[ident].content) or (ident == self.unknown and not self.scored):
            return visible(piece)
        if single := self._single(piece):
            return piece_label(single.decode("utf-8", "replace"))
        if self.goes_on and piece.startswith(self.goes_on) and piece != self.goes_on:
            return piece_label(piece.removeprefix(self.goes_on))
        return piece_label(piece.replace("▁", " "), starts_word=piece.startswith("▁"))

    def _kinds(self, ids: Sequence[int], words: Sequence[int | None], broken: Sequence[bool]) -> tuple[str, ...]:
        kinds = []
        for place, ident in enumerate(ids):
            goes_on = place > 0 and words[place] is not None and words[place] == words[place - 1]
            kind = "continuation" if goes_on else "word"
            kind = "byte" if broken[place] else kind
            kind = "unknown" if ident == self.unknown else kind
            kinds.append("special" if ident in self.specials and ident != self.unknown else kind)
        return tuple(kinds)

    def _notes(
        self, encoding: Encoding, spans: Sequence[Span], parts: Sequence[int], texts: tuple[str, ...], replaced: int
    ) -> tuple[Note, ...]:
        notes = [Note(key="replaced", values={"count": replaced})] if replaced else []
        dropped = [c for number, text in enumerate(texts) for c in self._dropped(text, spans, parts, number)]
        if dropped:
            shown = " ".join(f"U+{ord(character):04X}" for character in dict.fromkeys(dropped))
            notes.append(Note(key="dropped", values={"count": len(dropped), "which": shown[:200]}))
        unknown = encoding.ids.count(self.unknown) if self.unknown is not None else 0
        if unknown:
            notes.append(Note(key="unknown", values={"count": unknown}))
        if self._normalised(texts):
            notes.append(Note(key="normalised"))
        if any(self._collapsed(text) for text in texts):
            notes.append(Note(key="collapsed"))
        return tuple(notes)

    def _collapsed(self, text: str) -> bool:
        """Whether white space in the text made no difference."""
        single = " ".join(text.split())
        if self.byte_level or single == text:
            return False
        return bool(self.tokenizer.encode(text).ids == self.tokenizer.encode(single).ids)

    def _dropped(self, text: str, spans: Sequence[Span], parts: Sequence[int], number: int) -> list[str]:
        """Return the characters of which nothing is left: no piece covers them, or they are normalised away."""
        covered = bytearray(len(text))
        for (start, end), part in zip(spans, parts, strict=True):
            if part == number:
                covered[start:end] = b"\x01" * (end - start)
        gone = {character for character in set(text) if self._gone(character)}
        return [c for c, seen in zip(text, covered, strict=True) if (not seen or c in gone) and not c.isspace()]

    def _gone(self, character: str) -> bool:
        normalizer = self.tokenizer.normalizer
        return normalizer is not None and character != "▁" and not _bare(normalizer.normalize_str(character))

    def _normalised(self, texts: tuple[str, ...]) -> bool:
        normalizer = self.tokenizer.normalizer
        return normalizer is not None and any(_bare(normalizer.normalize_str(text)) != _bare(text) for text in texts)


def whole(text: str) -> str:
    """Return the text with surrogates, which no encoding can carry, replaced by U+FFFD one for one."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def halves(text: str) -> int:
    """Return how many halves of a character stand alone in a text."""
    return sum("\ud800" <= character <= "\udfff" for character in text)


def _bare(text: str) -> str:
    return text.replace("▁", " ").strip()


def _settings(part: Any) -> str:
    return "{}" if part is None else json.dumps(json.loads(part.__getstate__()))


def _trimmed(span: Span, text: str) -> Span:
    start, end = span
    stretch = text[start:end]
    if not stretch.strip():
        return span
    return start + len(stretch) - len(stretch.lstrip()), end - len(stretch) + len(stretch.rstrip())


def _per_part(spans: Spans, parts: Sequence[int], found: Sequence[Sequence[Span]], number: Numbering) -> Numbers:
    result: list[int | None] = [None] * len(spans)
    shift = 0
    for which, segment in enumerate(found):
        mine = number([span if part == which else None for span, part in zip(spans, parts, strict=True)], segment)
        for place, value in enumerate(mine):
            if value is not None:
                result[place] = value + shift
        shift += len(segment) + 1
    return tuple(result)
