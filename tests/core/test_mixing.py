"""Small models of our own with any mixer in any layer: folders that open, and write with their cache."""

import json

import numpy as np
import pytest
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import core
from core.mixers import MIXERS
from core.models.mixing import MIXING, untrained

WORDS = ["?", *"abcdefgh"]


def folder(path, *mixers, **rest):
    config = {"model_type": "mixing", "width": 16, "pieces": len(WORDS), "mixers": list(mixers), **rest}
    config.setdefault("inner", [24] * len(mixers))
    _, network = untrained(config, seed=0)
    path.mkdir()
    save_file({name: part.detach() for name, part in network.named_parameters()}, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps(config))
    words = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="?"))
    words.pre_tokenizer = Whitespace()
    words.save(str(path / "tokenizer.json"))
    return path


def opened(path):
    return core.open_model(path, device="cpu")


CAUSAL = [kind.name for kind in MIXERS if kind.make(16).causal]


@pytest.mark.parametrize("name", CAUSAL)
def test_a_folder_with_any_mixer_opens_and_writes_the_same_with_and_without_its_cache(name, tmp_path):
    model = opened(folder(tmp_path / "own", "near", name, "full"))
    sample = core.read(model, text="a b c d a b")
    steps = list(core.generate(model, sample, limit=5))
    whole = core.Sample.from_ids(np.array([*sample.ids, *(step.ident for step in steps[:-1])]))
    logits = core.trace(model, whole).logits()
    assert np.allclose(logits[-1], steps[-1].logits, rtol=1e-4, atol=1e-4)


def test_a_hybrid_has_a_pattern_where_it_looks_and_says_where_it_does_not(tmp_path):
    trace = core.trace(opened(folder(tmp_path / "own", "lstm", "full")), core.Sample.from_ids(np.arange(5)))
    assert trace.pattern(1, 0).shape == (5, 5)
    with pytest.raises(core.CoreError) as refused:
        trace.pattern(0, 0)
    assert refused.value.key == "no_pattern"


def test_one_that_looks_ahead_is_an_encoder(tmp_path):
    model = opened(folder(tmp_path / "own", "around", "everyone"))
    assert (model.sides, model.spec.kind) == (("encoder",), "encoder")
    assert core.trace(model, core.Sample.from_ids(np.arange(5))).pattern(1, 3).shape == (5, 5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"mixers": ["elephant"]}, "elephant"),
        ({"mixers": []}, "0"),
        ({"inner": [3, 3]}, "2"),
        ({"width": 12}, "12"),
        ({"mixers": ["full"] * 65, "inner": [1] * 65}, "65"),
    ],
)
def test_what_a_config_cannot_mean_is_refused(changed, said):
    config = {"width": 16, "pieces": 9, "mixers": ["full"], "inner": [8], **changed}
    with pytest.raises(core.CoreError, match=said) as refused:
        MIXING.plan(config, frozenset())
    assert refused.value.key == "config_value"
