"""The decoders from GPT-2 to Phi-3: how their files lie, how they count positions, what is refused."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core import CoreError, Sample, generate, trace
from tests.core.changed import EIGHT, FAMILIES, changed, opened, with_settings


@pytest.mark.parametrize(
    ("size", "row"), [(4, [1, 2, 3, 4, 4, 4, 4, 4]), (None, range(1, 9)), (0, range(1, 9)), (8, range(1, 9))]
)
def test_a_window_counts_the_position_itself(tmp_path, size, row):
    model = changed(tmp_path, "phi3_long", config=with_settings(sliding_window=size))
    assert (trace(model, EIGHT).pattern(0, 0) > 0).sum(-1).tolist() == list(row)


def test_every_other_layer_has_a_window():
    found = trace(opened("gpt_neo"), EIGHT)
    assert [int((found.pattern(layer, 0)[-1] > 0).sum()) for layer in range(3)] == [8, 4, 4]


def test_positions_of_opt_begin_at_row_2():
    table = opened("opt_before").network.decoder.embed
    assert table.positions.weight.shape[0] == 48 + 2


def to_parameters(config):
    """The config as today's folders spell it."""
    share = config.pop("partial_rotary_factor", config.pop("rotary_pct", None))
    base = config.pop("rope_theta", config.pop("rotary_emb_base", 10_000.0))
    settings = {"rope_type": "default", "rope_theta": base, **(config.pop("rope_scaling", None) or {})}
    return {**config, "rope_parameters": settings if share is None else {**settings, "partial_rotary_factor": share}}


@pytest.mark.parametrize("name", ["gpt_neox_sequential", "falcon_one_key_head"])
def test_both_spellings_give_the_same_maps(tmp_path, name):
    today = trace(changed(tmp_path, name, config=to_parameters), EIGHT)
    assert np.array_equal(today.final, trace(opened(name), EIGHT).final)


def as_early_folders(kind):
    def spelled(config):
        settings = config.pop("rope_parameters")
        factors = {name: settings[name] for name in ("short_factor", "long_factor")}
        return {**config, "rope_theta": settings["rope_theta"], "rope_scaling": {"type": kind, **factors}}

    return spelled


@pytest.mark.parametrize("kind", ["su", "yarn", "longrope"])
def test_early_names_of_the_two_tables(tmp_path, kind):
    early = trace(changed(tmp_path, "phi3_long", config=as_early_folders(kind)), Sample.from_ids(range(10, 30)))
    assert np.array_equal(early.final, trace(opened("phi3_long"), Sample.from_ids(range(10, 30))).final)


def renamed(**names):
    return lambda config: {names.get(name, name): value for name, value in config.items()}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("gpt2_lm", {"n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads"}),
        ("gpt_neo", {"num_layers": "num_hidden_layers", "num_heads": "num_attention_heads"}),
        ("bloom", {"hidden_size": "n_embed", "n_layer": "num_hidden_layers"}),
    ],
)
def test_other_names_of_the_same_settings(tmp_path, name, names):
    found = trace(changed(tmp_path, name, config=renamed(**names)), EIGHT)
    assert np.array_equal(found.final, trace(opened(name), EIGHT).final)


@pytest.mark.parametrize(
    ("name", "settings", "setting"),
    [
        ("gpt2_lm", {"add_cross_attention": True}, "add_cross_attention"),
        ("gpt2_lm", {"n_head": 3}, "num_attention_heads"),
        ("gpt_neo", {"attention_types": [[["global"], 2]]}, "attention_types"),
        ("gpt_neo", {"attention_types": [[["global", "local", "far"], 1]]}, "attention_types"),
        ("gptj", {"rotary_dim": None}, "rotary_dim"),
        ("gptj", {"rotary_dim": 12}, "rotary_dim"),
        ("gptj", {"rotary_dim": 5}, "rotary_dim"),
        ("gpt_neox_sequential", {"rotary_pct": 0.2}, "partial_rotary_factor x head_dim"),
        ("falcon_groups", {"parallel_attn": False}, "parallel_attn"),
        ("falcon_one_key_head", {"num_ln_in_parallel_attn": 2}, "num_ln_in_parallel_attn"),
        (
            "falcon_one_key_head",
            {"apply_residual_connection_post_layernorm": True},
            "apply_residual_connection_post_layernorm",
        ),
        ("phi", {"num_key_value_heads": 4}, "num_key_value_heads"),
    ],
)
def test_what_a_family_cannot_do_is_refused(tmp_path, name, settings, setting):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, name, config=with_settings(**settings))
    assert (refused.value.key, refused.value.values["name"]) == ("config_value", setting)


def test_an_unknown_activation_is_refused(tmp_path):
    with pytest.raises(CoreError, match="gelu_maybe"):
        changed(tmp_path, "gpt2_lm", config=with_settings(activation_function="gelu_maybe"))


def test_a_scaling_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, "gpt_neox_sequential", config=with_settings(rope_scaling={"type": "spiral", "factor": 2.0}))
    assert refused.value.key == "rotary_scaling"


EMBEDDED = "transformer.wte.weight"


def test_rows_shared_with_the_output_may_lie_under_either_name(tmp_path):
    weights = load_file(FAMILIES / "gpt2_lm" / "model.safetensors")
    other = {"lm_head.weight": weights[EMBEDDED]}
    found = [
        trace(changed(tmp_path / "other", "gpt2_lm", lost=(EMBEDDED,), tensors=other), EIGHT).logits() for _ in range(2)
    ]
    wanted = trace(opened("gpt2_lm"), EIGHT).logits()
    assert all(np.array_equal(one, wanted) for one in found)


def test_output_rows_that_are_neither_there_nor_shared_are_missed(tmp_path):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, "gpt2_lm", config=with_settings(tie_word_embeddings=False))
    assert (refused.value.key, refused.value.values["name"]) == ("tensor_missing", "output.pieces.weight")


def test_half_precision_stays_finite_and_close():
    half, single = (opened("gpt2_lm", dtype=dtype) for dtype in (torch.float16, torch.float32))
    found, wanted = trace(half, EIGHT), trace(single, EIGHT)
    assert np.isfinite(found.final).all()
    assert max(np.abs(found.pattern(n, h) - wanted.pattern(n, h)).max() for n in range(3) for h in range(4)) < 1e-2


def test_more_layers_than_anybody_builds_are_refused_before_they_are_built(tmp_path):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, "gpt2_lm", config=with_settings(n_layer=10**9))
    assert refused.value.key == "config_value"


def test_a_head_of_classes_does_not_write():
    for name in ("gpt2_classes", "bloom_tags"):
        with pytest.raises(CoreError) as refused:
            generate(opened(name), EIGHT)
        assert refused.value.key == "classes_only"


def mask(places=48):
    return torch.tril(torch.ones(1, 1, places, places, dtype=torch.bool))


AS_FIRST_PUBLISHED = [
    ("gpt2_lm", "transformer.", {"h.{n}.attn.bias": mask(), "h.{n}.attn.masked_bias": torch.tensor(-1e4)}),
    ("gpt_neo", "", {"transformer.h.{n}.attn.attention.bias": mask()}),
    ("gptj", "", {"transformer.h.{n}.attn.bias": mask(), "transformer.h.{n}.attn.masked_bias": torch.tensor(-1e9)}),
    (
        "gpt_neox_parallel",
        "",
        {
            "gpt_neox.layers.{n}.attention.bias": mask(),
            "gpt_neox.layers.{n}.attention.masked_bias": torch.tensor(-1e9),
            "gpt_neox.layers.{n}.attention.rotary_emb.inv_freq": torch.ones(3),
        },
    ),
    ("opt_before", "model.", {}),
    ("bloom", "transformer.", {}),
    ("falcon_one_key_head", "", {"transformer.h.{n}.self_attention.rotary_emb.inv_freq": torch.ones(3)}),
    ("phi", "", {"model.layers.{n}.self_attn.rotary_emb.inv_freq": torch.ones(3)}),
    ("phi3_long", "", {"model.layers.{n}.self_attn.rotary_emb.inv_freq": torch.ones(3)}),
]


@pytest.mark.parametrize(("name", "before", "buffers"), AS_FIRST_PUBLISHED, ids=lambda value: str(value)[:20])
def test_names_and_buffers_of_the_first_folders(tmp_path, name, before, buffers):
    tensors = {key.format(n=n): value.clone() for key, value in buffers.items() for n in range(3)}
    found = changed(tmp_path, name, tensors=tensors, rename=lambda key: key.removeprefix(before))
    assert np.array_equal(trace(found, EIGHT).logits(), trace(opened(name), EIGHT).logits())
    assert sorted(found.report.ignored) == sorted((name, "buffer") for name in tensors)


def test_a_model_saved_without_its_head_has_no_logits(tmp_path):
    bare = changed(
        tmp_path, "gpt_neox_parallel", lost=("embed_out.weight",), rename=lambda key: key[len("gpt_neox.") :]
    )
    assert np.array_equal(trace(bare, EIGHT).final, trace(opened("gpt_neox_parallel"), EIGHT).final)
    with pytest.raises(CoreError) as refused:
        trace(bare, EIGHT).logits()
    assert refused.value.key == "no_output"
