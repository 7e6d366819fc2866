"""GPT-2 as its file says: every product is x W + b with W as it lies in the file, input by output."""

import math

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core import trace
from tests.core.changed import EIGHT, FAMILIES, changed, with_settings


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
