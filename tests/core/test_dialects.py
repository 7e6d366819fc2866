"""Folders in older dialects hold the same model: names, prefixes, buffers, ties, lists of pieces, names of families."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core import CoreError, open_model, read, trace
from tests.core.changed import EIGHT, FAMILIES, changed, opened, with_settings

OLD = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}


def in_old_words(name):
    ending = next((old for old in OLD if name.endswith(old)), None)
    return name.removesuffix(ending) + OLD[ending] if ending else name


def same(one, other):
    return np.array_equal(trace(one, EIGHT).final, trace(other, EIGHT).final)


def weights(name):
    return load_file(FAMILIES / name / "model.safetensors")


@pytest.mark.parametrize("name", ["bert_mlm", "bert_tags", "roberta_mlm", "electra_generator", "xlm_roberta_mlm"])
def test_norms_may_be_called_gamma_and_beta(tmp_path, name):
    assert any(in_old_words(key) != key for key in weights(name))
    found = changed(tmp_path, name, rename=in_old_words)
    assert same(found, opened(name))
    assert found.report.ignored == ()


PREFIXES = {
    "bert_mlm": "bert.",
    "roberta_mlm": "roberta.",
    "distilbert_mlm": "distilbert.",
    "albert_groups": "albert.",
    "electra_generator": "electra.",
    "mpnet_mlm": "mpnet.",
    "deberta_v3_mlm": "deberta.",
}


@pytest.mark.parametrize(("name", "prefix"), PREFIXES.items())
def test_the_name_of_the_family_may_stand_before_the_others_or_not(tmp_path, name, prefix):
    assert any(key.startswith(prefix) for key in weights(name))
    assert same(changed(tmp_path, name, rename=lambda key: key.removeprefix(prefix)), opened(name))


@pytest.mark.parametrize("name", ["bert_mlm", "roberta_mlm", "distilbert_mlm", "albert_groups", "electra_generator"])
def test_places_that_were_stored_are_left_out_and_told(tmp_path, name):
    stored = f"{PREFIXES[name]}embeddings.position_ids"
    found = changed(tmp_path, name, tensors={stored: torch.arange(64)[None]})
    assert same(found, opened(name))
    assert found.report.ignored == ((stored, "buffer"),)


TIED = [
    ("bert_mlm", "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    ("roberta_mlm", "roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight"),
    ("distilbert_mlm", "distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight"),
    ("gpt2_lm", "transformer.wte.weight", "lm_head.weight"),
    ("llama_yarn", "model.embed_tokens.weight", "lm_head.weight"),
    ("qwen3_lm", "model.embed_tokens.weight", "lm_head.weight"),
    ("gemma2_lm", "model.embed_tokens.weight", "lm_head.weight"),
    ("bloom", "transformer.word_embeddings.weight", "lm_head.weight"),
]


@pytest.mark.parametrize(("name", "rows", "head"), TIED, ids=[name for name, *_ in TIED])
def test_tied_rows_may_lie_under_either_name_or_under_both(tmp_path, name, rows, head):
    logits, table = trace(opened(name), EIGHT).logits(), weights(name)[rows]
    ways = {"first": {"lost": (head,)}, "second": {"lost": (rows,), "tensors": {head: table}}}
    ways["both"] = {"tensors": {head: table.clone()}}
    for way, how in ways.items():
        assert np.array_equal(trace(changed(tmp_path / way, name, **how), EIGHT).logits(), logits), way


def test_rows_of_their_own_are_used_where_the_file_has_both(tmp_path):
    own = weights("gpt2_lm")["transformer.wte.weight"] * 2
    how = {"tensors": {"lm_head.weight": own}, "config": with_settings(tie_word_embeddings=False)}
    found = trace(changed(tmp_path, "gpt2_lm", **how), EIGHT).logits()
    np.testing.assert_allclose(found, 2 * trace(opened("gpt2_lm"), EIGHT).logits(), rtol=1e-5, atol=1e-5)


LISTS = [("bert_mlm", "vocab.txt"), ("gpt2_lm", "vocab.json"), ("roberta_mlm", "vocab.json")]


@pytest.mark.parametrize(("name", "listed"), LISTS)
def test_a_folder_with_lists_alone_opens_and_reads(tmp_path, name, listed):
    folder = shutil.copytree(FAMILIES / name, tmp_path / name)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").unlink()
    model, added = tokenizer["model"], [one["content"] for one in tokenizer["added_tokens"]]
    pieces = list(dict.fromkeys([*sorted(model["vocab"], key=model["vocab"].get), *added]))
    if listed == "vocab.txt":
        (folder / listed).write_text("\n".join(pieces) + "\n", encoding="utf-8")
        (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    else:
        (folder / listed).write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
        merges = (merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"])
        (folder / "merges.txt").write_text("\n".join(("#version: 0.2", *merges)) + "\n", encoding="utf-8")
    text = "where is the station"
    assert read(open_model(folder), text).ids.tolist() == read(opened(name), text).ids.tolist()


def in_the_first_spelling(config):
    before = {"num_attention_heads": "n_head", "num_hidden_layers": "n_layer", "num_kv_heads": "n_head_kv"}
    lost = ("new_decoder_architecture", "num_ln_in_parallel_attn", "rope_theta", "rope_scaling", "rope_parameters")
    kept = {before.get(key, key): value for key, value in config.items() if key not in lost}
    return {**kept, "model_type": "RefinedWeb" if config["new_decoder_architecture"] else "RefinedWebModel"}


@pytest.mark.parametrize("name", ["falcon_groups", "falcon_one_key_head", "falcon_biases"])
def test_a_falcon_under_its_first_name(tmp_path, name):
    found = changed(tmp_path, name, config=in_the_first_spelling)
    assert same(found, opened(name))
    assert found.spec.family == "falcon"


def test_a_family_that_was_never_known_is_still_refused(tmp_path):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, "falcon_groups", config=with_settings(model_type="RefinedWebs"))
    assert refused.value.key == "unknown_family"
