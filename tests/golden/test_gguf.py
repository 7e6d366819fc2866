"""A GGUF file says what the published folder says that it was made from."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGML_QUANT_SIZES, GGUFWriter
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFValueType as Value
from gguf.quants import dequantize, quantize
from safetensors.numpy import load_file, save_file

import core
from core.inputs import Sample, tokenizer_from_gguf
from core.weights import GgufFile
from core.weights.gguf_file import undone
from tests.golden.gguf_writing import converted, write

FAMILIES = Path(__file__).parent / "families"
TEXTS = ("Where is the station?", "  two  spaces\nnew line", "刺猬 2026 🦔", "it's <s> naïve")
RULES = {
    "qwen2_lm": "qwen2",
    "llama_lm": "llama-bpe",
    "llama3_biases": "gpt-2",
    "llama_yarn": "gpt-2",
    "qwen3_lm": "gpt-2",
}


def folder_of(name, tmp_path, **changed):
    """A copy of a fixture, some settings of its config changed."""
    folder = tmp_path / name
    shutil.copytree(FAMILIES / name, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changed}))
    return folder


UNSAID = {"llama_linear": {"hidden_act": "silu"}, "gemma2_lm": {"query_pre_attn_scalar": 8}}
UNSAID["gemma3_lm"] = UNSAID["gemma2_lm"]


def both(name, tmp_path, kind=Kind.F32, **more):
    """A fixture as a folder and as a GGUF file; what the format cannot say is changed to what it means."""
    folder = folder_of(name, tmp_path, **UNSAID.get(name, {}))
    (tmp_path / "gguf").mkdir()
    write(folder, tmp_path / "gguf" / "model.gguf", kind, rule=RULES.get(name), **more)
    return core.open_model(folder), core.open_model(tmp_path / "gguf")


def far(one, other, ids):
    first, second = (core.trace(model, Sample.from_ids(ids)) for model in (one, other))
    patterns = max(np.abs(first.pattern(n, h) - second.pattern(n, h)).max() for n in range(2) for h in range(4))
    return max(patterns, np.abs(first.logits() - second.logits()).max())


IDS = [5, 260, 7, 261, 9, 262, 11, 263, 13, 12, 8, 6, 270]


@pytest.mark.parametrize("name", ["llama_lm", "llama3_biases", "llama_linear", "llama_yarn", "qwen2_lm", "qwen3_lm"])
def test_the_same_numbers(name, tmp_path):
    folder, file = both(name, tmp_path)
    assert file.spec == folder.spec
    assert far(folder, file, IDS) < 1e-4 if name == "llama3_biases" else far(folder, file, IDS) == 0


def test_gemma_2_gains_windows_and_caps(tmp_path):
    folder, file = both("gemma2_lm", tmp_path)
    assert file.spec == folder.spec
    assert far(folder, file, IDS) < 2e-5


def test_gemma_3_layers_and_bases(tmp_path):
    config = json.loads((FAMILIES / "gemma3_lm" / "config.json").read_text())
    sees = [kind == "sliding_attention" for kind in config["layer_types"]]
    local = config["rope_parameters"]["sliding_attention"]["rope_theta"]
    folder, file = both(
        "gemma3_lm",
        tmp_path,
        gemma3__attention__sliding_window_pattern=(sees, Value.ARRAY, Value.BOOL),
        gemma3__rope__freq_base_swa=(local, Value.FLOAT32),
    )
    assert file.spec == folder.spec
    assert far(folder, file, IDS) < 2e-5


@pytest.mark.parametrize("name", ["llama_lm", "llama_linear", "gemma2_lm", "qwen2_lm", "qwen3_lm"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_same_pieces(name, text, tmp_path):
    folder, file = both(name, tmp_path)
    assert core.read(file, text).ids.tolist() == core.read(folder, text).ids.tolist()
    assert core.read(file, text).labels == core.read(folder, text).labels


@pytest.mark.parametrize("path", sorted((FAMILIES.parent / "gguf").glob("*.json")), ids=lambda path: path.stem)
def test_pieces_by_score_are_those_of_sentencepiece(path):
    told = json.loads(path.read_text(encoding="utf-8"))
    tokenizer = tokenizer_from_gguf(
        {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": told["pieces"],
            "tokenizer.ggml.scores": told["scores"],
            "tokenizer.ggml.token_type": told["kinds"],
            "tokenizer.ggml.add_space_prefix": told["add_space_prefix"],
            "tokenizer.ggml.add_bos_token": False,
        }
    )
    assert [tokenizer.encode(text).ids for text, _ in told["cases"]] == [ids for _, ids in told["cases"]]


@pytest.mark.parametrize(
    ("kind", "rule"), [("gpt2", "jais"), ("gpt2", None), ("bert", None), ("t5", None), (None, None), ([], {})]
)
def test_a_tokenizer_that_is_not_known_is_refused_by_name(kind, rule):
    with pytest.raises(core.CoreError) as caught:
        tokenizer_from_gguf({"tokenizer.ggml.model": kind, "tokenizer.ggml.pre": rule})
    assert caught.value.key == "unknown_tokenizer"
    assert "llama-bpe" in str(caught.value)


def wide(tmp_path, kind):
    """A Llama wide enough for blocks, its matrices rounded to what a kind of block can hold; as a folder and as a
    file."""
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path / "wide"
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=300,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    shutil.copy(FAMILIES / "llama3_biases" / "tokenizer.json", folder)
    weights = load_file(folder / "model.safetensors")
    rounded = {
        name: dequantize(quantize(converted(name, part, config.to_dict()), kind), kind) if part.ndim > 1 else part
        for name, part in weights.items()
    }
    save_file({name: restored(name, part, config) for name, part in rounded.items()}, folder / "model.safetensors")
    (tmp_path / "gguf").mkdir()
    write(folder, tmp_path / "gguf" / "model.gguf", kind, rule="gpt-2")
    return core.open_model(folder), core.open_model(tmp_path / "gguf")


def restored(name, part, config):
    """Rotary pairs in halves again."""
    if "q_proj" not in name and "k_proj" not in name:
        return part
    heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
    pairs = part.reshape(heads, part.shape[0] // heads // 2, 2, *part.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(part.shape))


BLOCKS = [Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1]


@pytest.mark.parametrize("kind", BLOCKS, ids=lambda kind: kind.name)
def test_blocks_are_undone(kind, tmp_path):
    folder, file = wide(tmp_path, kind)
    assert dict(file.report.stored)[kind.name] == 16
    assert far(folder, file, IDS) < 2e-4


READABLE = [kind for kind in Kind if undone(kind)]


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_kind_that_the_library_undoes_is_read(kind, tmp_path):
    block, size = GGML_QUANT_SIZES[kind]
    raw = np.random.default_rng(3).integers(0, 40, (5000, 2 * size), dtype=np.uint8)
    writer = GGUFWriter(tmp_path / "one.gguf", "llama")
    writer.add_tensor("one", raw, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = GgufFile(tmp_path / "one.gguf")
    assert (file.shape("one"), file.kind("one")) == ((5000, 2 * block), kind.name)
    assert np.array_equal(file.read("one", torch.float32).numpy(), dequantize(raw, kind), equal_nan=True)
