"""Settings of Llama and its relatives, in every spelling: what a value means, and what is refused."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

import core
from core.models.rotary_settings import rotary
from core.positions import Rotary

FAMILIES = Path(__file__).parent / "families"
IDS = range(20, 28)


@pytest.fixture
def changed(tmp_path):
    """Open a fixture with other settings; None takes one away."""

    def open_changed(name, **settings):
        folder = tmp_path / f"{name}{len(list(tmp_path.iterdir()))}"
        shutil.copytree(FAMILIES / name, folder)
        config = {**json.loads((folder / "config.json").read_text()), **settings}
        config = {key: value for key, value in config.items() if value != "absent"}
        (folder / "config.json").write_text(json.dumps(config))
        return core.open_model(folder)

    return open_changed


def seen(model, layer=0):
    """How many keys each of eight queries sees."""
    return (core.trace(model, core.Sample.from_ids(IDS)).pattern(layer, 0) > 0).sum(-1).tolist()


def maps(model):
    return core.trace(model, core.Sample.from_ids(IDS)).pattern(1, 1)


ALL = [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_window_counts_the_position_itself(changed):
    assert seen(changed("mistral_window", sliding_window=4)) == [1, 2, 3, 4, 4, 4, 4, 4]


@pytest.mark.parametrize("none", [None, 0, 8, 500])
def test_no_window_or_one_that_is_wide_enough_is_everything(changed, none):
    assert seen(changed("mistral_window", sliding_window=none)) == ALL


def test_a_window_that_is_not_used_is_none(changed):
    assert seen(changed("qwen2_lm", use_sliding_window=False, sliding_window=3, max_window_layers=0)) == ALL
    assert seen(changed("qwen2_window"), 0) == ALL
    assert seen(changed("qwen2_window"), 1) == [1, 2, 3, 4, 5, 5, 5, 5]


@pytest.mark.parametrize("size", [None, 0])
def test_gemma_without_windows(changed, size):
    assert seen(changed("gemma2_lm", sliding_window=size)) == ALL


def test_every_sixth_layer_of_gemma_3_sees_everything():
    from core.models.gemma import DEFAULTS_3, plan_3

    config = {"hidden_size": 8, "num_hidden_layers": 7, "num_attention_heads": 2, "intermediate_size": 8}
    with torch.device("meta"):
        plan = plan_3({**DEFAULTS_3, **config, "vocab_size": 9, "num_key_value_heads": 1}, frozenset())
    mixers = [layer.mixer for layer in plan.sides[0].layers]
    assert [mixer.positions.base for mixer in mixers] == [1e4] * 5 + [1e6, 1e4]
    assert ["Window" in repr(mixer.rule) for mixer in mixers] == [True] * 5 + [False, True]


def test_both_spellings_and_nesting_say_the_same(changed):
    new = {"rope_type": "default", "rope_theta": 1e6}
    one = maps(changed("llama_lm", rope_parameters=new))
    for spelling in (
        {"rope_parameters": "absent", "rope_theta": 1e6},
        {"rope_parameters": None, "rope_theta": 1e6, "rope_scaling": None},
        {"rope_parameters": {"full_attention": new}},
        {"rope_parameters": {"rope_type": "default"}, "rope_theta": 1e6},
    ):
        assert np.array_equal(maps(changed("llama_lm", **spelling)), one)
    assert not np.allclose(maps(changed("llama_lm")), one, atol=1e-3)


def test_the_second_frequency_follows_from_the_base():
    turned = rotary({"rope_parameters": {"rope_theta": 1e6}}, 8)
    assert turned.scaling.frequencies(turned.base, 8, torch.tensor([1]))[0, 1] == pytest.approx(0.0316228, abs=1e-7)


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"rope_parameters": {"some_layers": {"rope_theta": 1e6}}}, "config_value"),
        ({"rope_parameters": {"sliding_attention": {"rope_theta": 1e6}}}, "config_value"),
        ({"rope_parameters": [1e6]}, "config_value"),
        ({"rope_parameters": {"rope_type": "longest", "rope_theta": 1e6}}, "rotary_scaling"),
        ({"rope_parameters": {"rope_type": "linear", "factor": 2.0, "bend": 3}}, "config_value"),
        ({"rope_parameters": {"rope_type": "linear"}}, "config_lacks"),
        ({"num_key_value_heads": 3}, "config_value"),
        ({"hidden_act": "wobble"}, "unknown_activation"),
    ],
)
def test_what_is_not_understood_is_refused(changed, settings, key):
    with pytest.raises(core.CoreError) as caught:
        changed("llama_lm", **settings)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gemma3_lm", {"attn_logit_softcapping": 20.0}),
        ("gemma3_lm", {"use_bidirectional_attention": True}),
        ("gemma3_lm", {"rope_parameters": {"rope_theta": 1e6}}),
        ("gemma2_lm", {"layer_types": ["full_attention"]}),
        ("qwen3_lm", {"layer_types": ["chunked_attention"] * 3}),
        ("mistral_window", {"layer_types": ["full_attention", "sliding_attention", "full_attention"]}),
    ],
)
def test_switches_that_nobody_follows_are_refused(changed, name, settings):
    with pytest.raises(core.CoreError) as caught:
        changed(name, **settings)
    assert caught.value.key == "config_value"


def test_the_text_model_of_a_gemma_that_reads_pictures(changed, tmp_path):
    plain = json.loads((FAMILIES / "gemma3_lm" / "config.json").read_text())
    alone, folder = changed("gemma3_lm"), tmp_path / "pictures"
    shutil.copytree(FAMILIES / "gemma3_lm", folder)
    weights = load_file(folder / "model.safetensors")
    weights = {f"language_model.{name}": part for name, part in weights.items()}
    save_file({**weights, "vision_tower.weight": np.zeros(3, np.float32)}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "gemma3", "text_config": plain, "vision_config": {}}))
    both = core.open_model(folder)
    assert np.array_equal(maps(both), maps(alone))
    assert both.report.ignored == (("vision_tower.weight", "pictures"),)


@pytest.mark.parametrize("name", ["num_hidden_layers", "num_local_experts"])
def test_a_number_of_parts_that_nobody_has_is_refused(changed, name):
    with pytest.raises(core.CoreError) as caught:
        changed("mixtral_lm", **{name: 10**9})
    assert caught.value.key == "config_value"


def test_halves_of_a_head_are_paired():
    heads = torch.tensor([1.0, 0, 0, 0]).reshape(1, 1, 1, 4)
    turn = Rotary(head_width=4)
    turned = turn.turn(heads, turn.angles(torch.tensor([[1]])))[0, 0, 0]
    assert turned.tolist() == pytest.approx([0.5403, 0, 0.8415, 0], abs=1e-4)


def test_what_is_not_turned_stays_as_it_is():
    heads = torch.randn(1, 2, 5, 12, generator=torch.Generator().manual_seed(1))
    whole, part = Rotary(head_width=12), rotary({"rope_theta": 1e4, "partial_rotary_factor": 0.5}, 12)
    positions = torch.arange(5)[None]
    turned = part.turn(heads, part.angles(positions))
    assert torch.equal(turned[..., 6:], heads[..., 6:])
    narrow = Rotary(head_width=6)
    assert torch.equal(turned[..., :6], narrow.turn(heads[..., :6], narrow.angles(positions)))
    assert not torch.allclose(whole.turn(heads, whole.angles(positions)), turned)


def test_dynamic_scaling_begins_where_training_ended():
    config = {"rope_scaling": {"type": "dynamic", "factor": 4.0}, "max_position_embeddings": 16}
    scaling = rotary(config, 8).scaling
    short, long = scaling.frequencies(1e4, 8, torch.tensor([16, 32]))
    assert torch.allclose(short, 1e4 ** -(torch.arange(0, 8, 2) / 8))
    stretched = 1e4 * (4 * 32 / 16 - 3) ** (8 / 6)
    assert torch.allclose(long, stretched ** -(torch.arange(0, 8, 2) / 8))


def test_the_strength_of_yarn_grows_with_the_factor():
    settings = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
    given = rotary({"rope_scaling": settings, "max_position_embeddings": 64}, 8)
    assert given.scaling.strength == pytest.approx(0.1 * math.log(4) + 1)
    cosines, _ = given.angles(torch.tensor([[0]]))
    assert cosines.unique().tolist() == pytest.approx([given.scaling.strength])


def test_experts_mix_by_shares_of_the_chosen():
    from core.blocks import Experts

    class Times(torch.nn.Module):
        def __init__(self, by):
            super().__init__()
            self.by = by

        def forward(self, hidden):
            return hidden * self.by

    experts = Experts(2, [Times(1.0), Times(10.0), Times(100.0)], chosen=2)
    experts.router.weight.data = torch.tensor([[math.log(3.0), 0], [0.0, 0], [-9.0, 0]])
    mixed = experts(torch.tensor([[[1.0, 2.0]]]))
    assert mixed.tolist() == [[pytest.approx([0.75 + 2.5, 1.5 + 5.0])]]
