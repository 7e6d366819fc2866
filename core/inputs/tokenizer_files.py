"""Tokenizers from the files of a published folder: tokenizer.json, or the older lists that it replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from core.errors import CoreError
from core.inputs.refusing import refusing

SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "source.spm", "spm.model")
WORD_PIECES = {"bert": "[CLS] [SEP]", "distilbert": "[CLS] [SEP]", "electra": "[CLS] [SEP]", "mpnet": "<s> </s>"}
BYTE_PAIRS = {
    "roberta": "<s> </s>",
    "bart": "<s> </s>",
    "gpt2": "",
    "gpt_neo": "",
    "gptj": "",
    "gpt_neox": "",
    "opt": "</s>",
    "phi": "",
    "qwen2": "",
    "whisper": "",
}
ENDED_PAIRS = {"clip": "<|startoftext|> <|endoftext|>", "clip_text_model": "<|startoftext|> <|endoftext|>"}
PICTURED = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"  # of CLIP
SPECIAL = {"mpnet": "<s> </s> <pad> <mask> [UNK]", "opt": "</s> <pad>"}
SPECIAL |= dict.fromkeys(("bert", "distilbert", "electra"), "[CLS] [SEP] [PAD] [MASK] [UNK]")
SPECIAL |= dict.fromkeys(("roberta", "bart"), "<s> </s> <pad> <unk> <mask>") | ENDED_PAIRS
ANSWERS = "target_tokenizer.json"
ROLES = ("bos_token", "eos_token", "unk_token", "pad_token", "mask_token", "sep_token", "cls_token")
SWALLOWS = {"roberta": ("<mask>",), "bart": ("<mask>",), "mpnet": ("<mask>",)}


def read_tokenizer(folder: Path, model_type: str) -> Tokenizer:
    """Return the tokenizer of a folder.

    Raises:
        CoreError: `no_tokenizer`, `tokenizer_sentencepiece` (naming the file that is needed) or `tokenizer_unreadable`.
    """
    with refusing("tokenizer_unreadable", name=folder.name):
        if (folder / "tokenizer.json").is_file():
            return Tokenizer.from_file(str(folder / "tokenizer.json"))
        if (folder / "vocab.txt").is_file() and model_type in WORD_PIECES:
            return word_pieces(folder, model_type)
        if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            if model_type in BYTE_PAIRS:
                return byte_pairs(folder, model_type)
            if model_type in ENDED_PAIRS:
                return ended_pairs(folder, model_type)
    found = next((name for name in SENTENCEPIECE if (folder / name).is_file()), None)
    if found:
        raise CoreError("tokenizer_sentencepiece", name=folder.name, came=found)
    raise CoreError("no_tokenizer", name=folder.name)


def read_answering(folder: Path) -> Tokenizer:
    """Return the tokenizer of answers, where they have a vocabulary of their own.

    Raises:
        CoreError: `tokenizer_unreadable`.
    """
    with refusing("tokenizer_unreadable", name=folder.name):
        return Tokenizer.from_file(str(folder / ANSWERS))


def word_pieces(folder: Path, model_type: str) -> Tokenizer:
    """Return the WordPiece tokenizer that vocab.txt describes, with case and accents as tokenizer_config.json says."""
    settings = _settings(folder)
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = {piece: number for number, piece in enumerate(lines)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case", True),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    _special(tokenizer, vocabulary, model_type, settings)
    first, last = ((end, vocabulary[end]) for end in WORD_PIECES[model_type].split())
    tokenizer.post_processor = processors.BertProcessing(last, first)
    return tokenizer


def byte_pairs(folder: Path, model_type: str) -> Tokenizer:
    """Return the byte-level BPE tokenizer that vocab.json and merges.txt describe, with the family's marks around every
    text."""
    settings = _settings(folder)
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    prefix = bool(settings.get("add_prefix_space", False))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.decoder = decoders.ByteLevel()
    _special(tokenizer, vocabulary, model_type, settings)
    _added(tokenizer, folder, settings)
    tokenizer.post_processor = _around(BYTE_PAIRS[model_type].split(), vocabulary)
    return tokenizer


def ended_pairs(folder: Path, model_type: str) -> Tokenizer:
    """Return the tokenizer of CLIP (Radford et al. 2021, section 2.4): lower case, byte-level pairs, and a mark at the
    end of every word."""
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    ends = ENDED_PAIRS[model_type].split()
    files = str(folder / "vocab.json"), str(folder / "merges.txt")
    tokenizer = Tokenizer(models.BPE.from_file(*files, unk_token=ends[1], end_of_word_suffix="</w>"))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), spaces, normalizers.Lowercase()])
    words = pre_tokenizers.Split(Regex(PICTURED), behavior="removed", invert=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    _special(tokenizer, vocabulary, model_type, _settings(folder))
    first, last = ((end, vocabulary[end]) for end in ends)
    tokenizer.post_processor = processors.RobertaProcessing(last, first, trim_offsets=False, add_prefix_space=False)
    return tokenizer


def _added(tokenizer: Tokenizer, folder: Path, settings: dict[str, Any]) -> None:
    """Add the pieces that the vocabulary does not have, as tokenizer_config.json says, or in older folders
    added_tokens.json.

    Raises:
        ValueError: for one whose number would be another.
    """
    older = _json(folder / "added_tokens.json")
    special = set(_json(folder / "special_tokens_map.json").get("additional_special_tokens", ()))
    wanted = {int(ident): added for ident, added in settings.get("added_tokens_decoder", {}).items()}
    for content, ident in older.items() if not wanted else ():
        wanted[ident] = {"content": content, "special": content in special}
    for ident, added in sorted(wanted.items()):
        known = tokenizer.token_to_id(added["content"])
        if known is None or (known == ident and added.get("special")):
            strips = {name: bool(added.get(name)) for name in ("special", "lstrip", "rstrip", "single_word")}
            tokenizer.add_tokens([AddedToken(added["content"], normalized=bool(added.get("normalized")), **strips)])
        if known is None and tokenizer.token_to_id(added["content"]) != ident:
            raise ValueError(f"{added['content']}: {tokenizer.token_to_id(added['content'])} ≠ {ident}")


def _around(ends: list[str], vocabulary: dict[str, int]) -> Any:
    marks = [(end, vocabulary[end]) for end in ends]
    if len(marks) == 2:
        return processors.RobertaProcessing(marks[1], marks[0], trim_offsets=True, add_prefix_space=False)
    if marks:
        return processors.TemplateProcessing(single=f"{ends[0]} $A", special_tokens=marks)
    return processors.ByteLevel(trim_offsets=True)


def _special(tokenizer: Tokenizer, vocabulary: dict[str, int], model_type: str, settings: dict[str, Any]) -> None:
    """Make the family's marks, and those that the settings name, pieces that are never taken apart."""
    given = (settings.get(role) for role in ROLES)
    named = [one.get("content") if isinstance(one, dict) else one for one in given]
    wanted = dict.fromkeys([*SPECIAL.get(model_type, "<|endoftext|>").split(), *named])
    swallows = SWALLOWS.get(model_type, ())
    tokenizer.add_special_tokens(
        [
            AddedToken(name, special=True, normalized=False, lstrip=name in swallows)
            for name in wanted
            if name in vocabulary
        ]
    )


def _settings(folder: Path) -> dict[str, Any]:
    return _json(folder / "tokenizer_config.json")


def _json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found
