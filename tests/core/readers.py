"""Readers for the tests of texts: tokenizer files of fixtures, whole or with parts of them replaced."""

import json
from functools import cache

from tokenizers import Tokenizer

from core.inputs import TextReader
from tests.golden.fixtures import HERE


@cache
def published(name):
    return (HERE / "families" / name / "tokenizer.json").read_text(encoding="utf-8")


@cache
def toy(name, **altered):
    """A reader from a fixture's tokenizer.json, with parts of it replaced by JSON."""
    parts = json.loads(published(name)) | {part: json.loads(text) for part, text in altered.items()}
    return TextReader(tokenizer=Tokenizer.from_str(json.dumps(parts)), limit=512, pairs=True)


NFKC = toy("bert_mlm", normalizer='{"type": "NFKC"}')
SCORED = toy(
    "bert_mlm",
    model='{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁a", -1], ["b", -2]]}',
    added_tokens='[{"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false,'
    ' "normalized": false, "special": true}]',
    normalizer="null",
    post_processor="null",
    pre_tokenizer='{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}',
)
READERS = {"word pieces": toy("bert_mlm"), "bytes": toy("llama_lm"), "nfkc": NFKC, "scores": SCORED}
