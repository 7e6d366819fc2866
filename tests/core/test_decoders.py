"""The decoders from GPT-2 to Phi-3: how their files lie, how they count positions, what is refused."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from core import CoreError, Sample, open_model, trace
from core.blocks.feed_forward import activation
from core.positions import LongRope, Neighbours, Rotary
from core.positions.alibi import Alibi, slopes

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
EIGHT = Sample.from_ids(range(10, 18))


def opened(name, **how):
    return open_model(FAMILIES / name, **how)


def changed(folder, name, *, lost=(), tensors=None, rename=str, config=dict):
    """Open a copy of a fixture whose config and tensors are changed."""
    shutil.copytree(FAMILIES / name, folder, dirs_exist_ok=True)
    settings = config(json.loads((folder / "config.json").read_text()))
    (folder / "config.json").write_text(json.dumps(settings))
    weights = {rename(key): value for key, value in load_file(folder / "model.safetensors").items() if key not in lost}
    save_file({**weights, **(tensors or {})}, folder / "model.safetensors")
    return open_model(folder)


def with_settings(**settings):
    return lambda config: {**config, **settings}


def norm(x, weights, name, epsilon=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    return (
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * weights[f"{name}.weight"]
        + weights[f"{name}.bias"]
    )


def product(x, weights, name):
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def attended(x, weights, name, heads):
    looking = product(x, weights, f"{name}.c_attn")
    queries, keys, values = (part.reshape(len(x), heads, -1).swapaxes(0, 1) for part in np.split(looking, 3, axis=-1))
    scores = queries @ keys.swapaxes(1, 2) / math.sqrt(queries.shape[-1])
    shares = np.exp(scores - scores.max(-1, keepdims=True)) * np.tril(np.ones((len(x), len(x))))
    mixed = shares / shares.sum(-1, keepdims=True) @ values
    return product(mixed.swapaxes(0, 1).reshape(x.shape), weights, f"{name}.c_proj")


def bent(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def as_stored(folder, ids, heads):
    """GPT-2 as its authors wrote it, every product x W + b with W as it lies in the file."""
    weights = {
        name.removeprefix("transformer."): value.double().numpy()
        for name, value in load_file(folder / "model.safetensors").items()
    }
    x = weights["wte.weight"][ids] + weights["wpe.weight"][: len(ids)]
    for layer in range(3):
        at = f"h.{layer}"
        x = x + attended(norm(x, weights, f"{at}.ln_1"), weights, f"{at}.attn", heads)
        inner = bent(product(norm(x, weights, f"{at}.ln_2"), weights, f"{at}.mlp.c_fc"))
        x = x + product(inner, weights, f"{at}.mlp.c_proj")
    return norm(x, weights, "ln_f") @ weights["wte.weight"].T


def square(folder):
    """Make a GPT-2 folder in which every matrix but the fused one is square."""
    source = torch.Generator().manual_seed(0)
    weights = {
        name: torch.randn(*(40 if size == 96 else size for size in value.shape), generator=source) * 0.3
        for name, value in load_file(FAMILIES / "gpt2_lm" / "model.safetensors").items()
    }
    return changed(folder, "gpt2_lm", tensors=weights, config=with_settings(n_inner=40))


@pytest.mark.parametrize("make", [lambda folder: changed(folder, "gpt2_lm"), square], ids=["published", "square"])
def test_matrices_stored_input_by_output_are_turned(tmp_path, make):
    model = make(tmp_path)
    wanted = as_stored(tmp_path, EIGHT.ids, heads=4)
    found = trace(model, EIGHT).logits()
    assert np.abs(found - wanted).max() <= 1e-5 * max(1, np.abs(wanted).max())


def test_pairs_of_halves_and_pairs_of_neighbours():
    query, one = torch.tensor([1.0, 0, 0, 0]).reshape(1, 1, 1, 4), torch.tensor([[1]])
    halves = Rotary(head_width=4)
    neighbours = Neighbours(rotary=halves)
    cosine, sine = math.cos(1), math.sin(1)
    assert torch.allclose(halves.turn(query, halves.angles(one))[0, 0, 0], torch.tensor([cosine, 0, sine, 0]))
    assert torch.allclose(neighbours.turn(query, neighbours.angles(one))[0, 0, 0], torch.tensor([cosine, sine, 0, 0]))
    assert torch.equal(neighbours.turn(query, neighbours.angles(one - 1)), query)


def test_the_slopes_are_those_of_the_paper():
    assert slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert slopes(1).tolist() == [2.0**-8]
    twelve = [*(2.0**-n for n in range(1, 9)), *(2.0 ** -(n - 0.5) for n in range(1, 5))]
    assert torch.allclose(slopes(12), torch.tensor(twelve))


def test_linear_biases_grow_with_the_distance_also_behind_kept_keys():
    keys, queries, places = torch.zeros(1, 2, 5, 3), torch.zeros(1, 2, 2, 3), torch.tensor([[3, 4]])
    bias = Alibi(heads=2)(queries, keys, places).at(torch.tensor([3, 4]), torch.arange(5))
    assert bias[0, 0].tolist() == [[-3 / 16, -2 / 16, -1 / 16, 0, 1 / 16], [-4 / 16, -3 / 16, -2 / 16, -1 / 16, 0]]


def test_long_texts_take_the_other_table():
    scaling = LongRope(short=(1.0, 1.0), long=(2.0, 4.0), factor=4.0, trained=8)
    short, long = scaling.frequencies(10_000.0, 4, torch.tensor([8, 9]))
    assert torch.allclose(short, torch.tensor([1.0, 0.01]))
    assert torch.allclose(long, torch.tensor([0.5, 0.0025]))
    assert scaling.strength == pytest.approx(math.sqrt(1 + math.log(4) / math.log(8)))


@pytest.mark.parametrize(
    ("name", "at_one"), [("gelu", 0.841345), ("gelu_new", 0.841192), ("gelu_fast", 0.841192), ("relu", 1.0)]
)
def test_activations_are_told_apart(name, at_one):
    assert float(activation(name)(torch.tensor(1.0))) == pytest.approx(at_one, abs=1e-6)


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
