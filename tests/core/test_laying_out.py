"""Parts are laid out as shapes: nothing is allocated, nothing is filled, and no compiler is loaded for it."""

import subprocess
import sys

import torch
from torch import nn

from core.models.laying_out import laying_out


def test_parts_have_shapes_and_no_numbers():
    with laying_out():
        parts = [nn.Linear(3, 5), nn.Embedding(7, 2), nn.LayerNorm(4)]
    assert all(number.is_meta for part in parts for number in part.parameters())
    assert parts[0].weight.shape == (5, 3)


def test_outside_parts_are_filled_as_ever():
    with laying_out():
        pass
    torch.manual_seed(0)
    assert nn.Linear(3, 5).weight.abs().sum() > 0


def test_opening_a_model_loads_no_compiler():
    said = "import sys, core; core.open_model('minilm'); print('torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
