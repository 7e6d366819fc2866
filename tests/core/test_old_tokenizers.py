"""Folders from before tokenizer.json: the same ids as the library that they were published with."""

import json

import pytest

import core
from core.inputs.tokenizer_files import BYTE_PAIRS, ENDED_PAIRS, SENTENCEPIECE, WORD_PIECES, read_tokenizer
from tests.core.changed import FAMILIES

transformers = pytest.importorskip("transformers")

TEXTS = [
    "Hello there",
    "hello  there\n\tYou",
    "The café, naïve 猫 — don't!",
    "a<mask>b [MASK] c <s> </s> d",
    "say <mask> .",
    "",
    " before after ",
    "É\u0301 ÀB x\u200by 👍",
]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
END = ["<|endoftext|>"]
OPT = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>", "add_bos_token": True}
MASK = transformers.AddedToken("<mask>", lstrip=True)  # a word like others: as published, and as the library had it
MASKS = {"roberta": {"mask_token": MASK}, "bart": {"mask_token": MASK}}
CLIP = ["<|startoftext|>", "<|endoftext|>"]
WITHOUT = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
ADDED = {
    "384": {"content": "naïve 猫", "special": False, **WITHOUT},
    "385": {"content": "<mask>", "special": True, **WITHOUT, "lstrip": True},
}
ROWS = [
    ("bert", "BertTokenizer", [], {"do_lower_case": True}),
    ("bert", "BertTokenizer", [], {"do_lower_case": False}),
    ("bert", "BertTokenizer", [], {"do_lower_case": False, "strip_accents": True}),
    ("bert", "BertTokenizer", [], {"tokenize_chinese_chars": False}),
    ("distilbert", "DistilBertTokenizer", [], {"do_lower_case": False}),
    ("electra", "ElectraTokenizer", [], {}),
    ("mpnet", "MPNetTokenizer", ROBERTA, {}),
    ("roberta", "RobertaTokenizer", ROBERTA, {}),
    ("roberta", "RobertaTokenizer", ROBERTA, {"add_prefix_space": True}),
    ("bart", "BartTokenizer", ROBERTA, {}),
    ("gpt2", "GPT2Tokenizer", END, {}),
    ("gpt2", "GPT2Tokenizer", END, {"add_prefix_space": True}),
    ("gpt2", "GPT2Tokenizer", [*END, "<s>", "<mask>"], {"mask_token": "<mask>"}),
    ("gpt_neo", "GPT2Tokenizer", END, {}),
    ("gptj", "GPT2Tokenizer", END, {}),
    ("gpt_neox", "GPTNeoXTokenizer", END, {}),
    ("opt", "GPT2Tokenizer", ROBERTA, OPT),
    ("phi", "CodeGenTokenizer", END, {}),
    ("qwen2", "Qwen2Tokenizer", END, {}),
    ("gpt2", "GPT2Tokenizer", END, {"added_tokens_decoder": ADDED}),
    ("clip", "CLIPTokenizer", CLIP, {}),
    ("clip_text_model", "CLIPTokenizer", CLIP, {}),
]


def write(folder, model_type, extra, settings):
    """Write the lists of a fixture's tokenizer as folders had them before."""
    words = model_type in WORD_PIECES
    source = "bert_mlm" if words else "clip_both" if model_type in ENDED_PAIRS else "gpt2_lm"
    model = json.loads((FAMILIES / source / "tokenizer.json").read_text())["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].get)
    pieces += [piece for piece in extra if piece not in pieces]
    if words:
        (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    else:
        merges = (merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"])
        (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
        (folder / "merges.txt").write_text("\n".join(("#version: 0.2", *merges)) + "\n", encoding="utf-8")
    if settings:
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))


@pytest.mark.parametrize(("model_type", "library", "extra", "settings"), ROWS, ids=lambda value: str(value)[:40])
def test_the_same_ids_as_the_library(tmp_path, model_type, library, extra, settings):
    write(tmp_path, model_type, extra, settings)
    mine = read_tokenizer(tmp_path, model_type)
    theirs = getattr(transformers, library).from_pretrained(str(tmp_path), **MASKS.get(model_type, {}))
    for text in TEXTS:
        assert mine.encode(text).ids == list(theirs(text)["input_ids"]), text


def test_every_family_with_old_lists_is_compared():
    assert {row[0] for row in ROWS} | {"whisper"} == {*WORD_PIECES, *BYTE_PAIRS, *ENDED_PAIRS}


HEARD = ["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]


def test_a_whisper_knows_its_tasks_from_the_list_of_what_was_added(tmp_path):
    write(tmp_path, "whisper", END, {})
    added = {piece: 384 + number for number, piece in enumerate([*HEARD, "<|0.00|>"])}
    (tmp_path / "added_tokens.json").write_text(json.dumps(added))
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": HEARD}))
    mine = read_tokenizer(tmp_path, "whisper")
    settings = {str(ident): {"content": piece, "special": piece in HEARD, **WITHOUT} for piece, ident in added.items()}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": settings}))
    newer = read_tokenizer(tmp_path, "whisper")
    theirs = transformers.WhisperTokenizer.from_pretrained(str(tmp_path))
    for text in (*TEXTS, "<|startoftranscript|><|en|><|transcribe|> Hello<|0.00|>"):
        wanted = theirs(text, add_special_tokens=False)["input_ids"]
        assert mine.encode(text, add_special_tokens=False).ids == wanted, text
        assert newer.encode(text, add_special_tokens=False).ids == wanted, text
    special = {added.content for added in mine.get_added_tokens_decoder().values() if added.special}
    assert special == {*HEARD, *END}


def test_an_added_piece_with_another_number_than_it_would_get_is_refused(tmp_path):
    write(tmp_path, "gpt2", END, {})
    (tmp_path / "added_tokens.json").write_text('{"<mask>": 999}')
    with pytest.raises(core.CoreError) as caught:
        read_tokenizer(tmp_path, "gpt2")
    assert caught.value.key == "tokenizer_unreadable"
    assert "999" in str(caught.value)


def test_a_cased_bert_keeps_case_and_a_roberta_its_ends(tmp_path):
    for name in ("cased", "pairs"):
        (tmp_path / name).mkdir()
    (tmp_path / "cased" / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nHello\nhello\n")
    (tmp_path / "cased" / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert read_tokenizer(tmp_path / "cased", "bert").encode("Hello").tokens == ["[CLS]", "Hello", "[SEP]"]
    write(tmp_path / "pairs", "roberta", ROBERTA, {})
    found = read_tokenizer(tmp_path / "pairs", "roberta").encode("hello there").tokens
    assert (found[0], found[-1]) == ("<s>", "</s>")
    assert "".join(found[1:-1]) == "helloĠthere"


@pytest.mark.parametrize("name", SENTENCEPIECE)
@pytest.mark.parametrize("model_type", ["marian", "t5", "xlm-roberta", "llama", "bert"])
def test_sentencepiece_alone_is_refused_with_the_file_that_is_needed(tmp_path, name, model_type):
    (tmp_path / name).write_bytes(b"\n\x0e")
    with pytest.raises(core.CoreError) as caught:
        read_tokenizer(tmp_path, model_type)
    assert caught.value.key == "tokenizer_sentencepiece"
    for language in ("en", "zh"):
        said = core.words.say(language, f"errors.{caught.value.key}", **caught.value.values)
        assert "tokenizer.json" in said
        assert name in said


@pytest.mark.parametrize("content", ["[", "[]", '{"a": "b"}', '{"a": 1e99}', "\x00"])
def test_old_lists_that_make_no_sense_are_refused(tmp_path, content):
    write(tmp_path, "gpt2", END, {})
    (tmp_path / "vocab.json").write_text(content)
    with pytest.raises(core.CoreError) as caught:
        read_tokenizer(tmp_path, "gpt2")
    assert caught.value.key == "tokenizer_unreadable"


def test_a_list_without_the_marks_of_its_family_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_text("the\ncat\n")
    with pytest.raises(core.CoreError) as caught:
        read_tokenizer(tmp_path, "bert")
    assert caught.value.key == "tokenizer_unreadable"
