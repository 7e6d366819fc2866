"""Fixtures as GGUF files: written with the format's own library, named by its own tables, as its converters do."""

import json
import math
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from safetensors.numpy import load_file

CLASSES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "gemma2": gguf.MODEL_ARCH.GEMMA2,
    "gemma3_text": gguf.MODEL_ARCH.GEMMA3,
}
TYPE = gguf.TokenType


def write(folder: Path, path: Path, kind=gguf.GGMLQuantizationType.F32, *, rule: str | None = None, **more) -> Path:
    """Write a published folder as one GGUF file; matrices in `kind`, vectors as they are; `more` keys last."""
    config = json.loads((folder / "config.json").read_text())
    arch = CLASSES[config["model_type"]]
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
    write_config(writer, config)
    write_tokenizer(writer, json.loads((folder / "tokenizer.json").read_text()), rule, config)
    for key, value in more.items():
        writer.add_key_value(key.replace("__", "."), *value)
    names = gguf.get_tensor_name_map(arch, config["num_hidden_layers"])
    for name, tensor in load_file(folder / "model.safetensors").items():
        wanted = kind if tensor.ndim > 1 else gguf.GGMLQuantizationType.F32
        data = quantize(converted(name, tensor, config), wanted)
        writer.add_tensor(names.get_name(name, (".weight", ".bias")), data, raw_dtype=wanted)
    if scaling(config).get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", divisors(config))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def converted(name, tensor, config):
    """What the format's converter does to a tensor: rotary pairs side by side for Llama, gains plus one for Gemma."""
    if config["model_type"] == "llama" and ("q_proj" in name or "k_proj" in name):
        heads = config["num_attention_heads" if "q_proj" in name else "num_key_value_heads"]
        halves = tensor.reshape(heads, 2, tensor.shape[0] // heads // 2, *tensor.shape[1:])
        return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(tensor.shape))
    return tensor + 1 if config["model_type"].startswith("gemma") and name.endswith("norm.weight") else tensor


def scaling(config, kind="full_attention"):
    """The rotary settings, in whichever spelling."""
    given = config.get("rope_parameters") or {
        "rope_theta": config.get("rope_theta", 1e4),
        **(config.get("rope_scaling") or {}),
    }
    return given.get(kind, given)


def write_config(writer, config):
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    if config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
    if config["model_type"].startswith("gemma"):
        writer.add_sliding_window(config["sliding_window"])
    if config["model_type"] == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    write_rotary(writer, config)


def write_rotary(writer, config):
    settings = scaling(config)
    writer.add_rope_freq_base(settings["rope_theta"])
    kind = settings.get("rope_type", "default")
    if kind in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(settings["factor"])
    if kind == "yarn":
        writer.add_rope_scaling_orig_ctx_len(settings["original_max_position_embeddings"])


def divisors(config):
    """Llama 3's scaling as the table that the format carries: what each frequency is divided by."""
    settings, width = scaling(config), config["head_dim"]
    low, high, factor = (settings[key] for key in ("low_freq_factor", "high_freq_factor", "factor"))
    trained, found = settings["original_max_position_embeddings"], []
    for pair in range(width // 2):
        wave = 2 * math.pi * settings["rope_theta"] ** (2 * pair / width)
        share = (trained / wave - low) / (high - low)
        between = 1 / ((1 - share) / factor + share)
        found.append(1.0 if wave < trained / high else factor if wave > trained / low else between)
    return np.array(found, dtype=np.float32)


def write_tokenizer(writer, stored, rule, config):
    """Pieces and merges, or pieces and scores that sort as the merges do."""
    model = stored["model"]
    added = {one["content"]: one for one in stored["added_tokens"]}
    pieces = {ident: piece for piece, ident in model["vocab"].items()}
    pieces |= {one["id"]: one["content"] for one in stored["added_tokens"]}
    listed = [pieces.get(ident, f"[PAD{ident}]") for ident in range(config["vocab_size"])]
    marked = rule is None
    writer.add_tokenizer_model("llama" if marked else "gpt2")
    if not marked:
        writer.add_tokenizer_pre(rule)
        writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    ranks = {"".join(pair): -float(rank) for rank, pair in reversed(list(enumerate(model["merges"])))}
    writer.add_token_list(listed)
    if marked:
        writer.add_token_scores([ranks.get(piece, -1e6) for piece in listed])
        writer.add_add_space_prefix("Prepend" in json.dumps(stored["normalizer"]))
    writer.add_token_types([type_of(piece, added, marked) for piece in listed])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])


def type_of(piece, added, marked):
    if piece in added:
        special = TYPE.UNKNOWN if piece == "<unk>" else TYPE.CONTROL
        return special if added[piece]["special"] else TYPE.USER_DEFINED
    byte = marked and len(piece) == 6 and piece.startswith("<0x")
    return TYPE.BYTE if byte else TYPE.NORMAL
