"""What holds for every decoder: padding changes nothing, the future is not seen, half precision stays near."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from core import Sample, open_model, trace

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
WRITERS = sorted(
    path.parent.name
    for path in FAMILIES.glob("*/expected.json")
    if json.loads(path.read_text(encoding="utf-8"))["kind"] in ("causal", "mamba")
)
PROMPT = (17, 40, 3, 99, 41)

pytestmark = pytest.mark.parametrize("name", WRITERS)


@cache
def opened(name):
    return open_model(FAMILIES / name, dtype=torch.float32)


def looking(found):
    """The layers that have a softmax."""
    return found.looking() if found.attention else {}


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing(name, side):
    model = opened(name)
    long, short = Sample.from_ids(range(5, 17)), Sample.from_ids(PROMPT)
    together, alone = trace(model, Sample.batch([long, short], padding=side)).item(1), trace(model, short)
    assert np.allclose(together.logits(), alone.logits(), atol=1e-4)
    assert all(
        np.allclose(together.pattern(layer, head), alone.pattern(layer, head), atol=1e-5)
        for layer in looking(alone)
        for head in range(model.spec.heads.count)
    )


def test_the_future_does_not_reach_the_past(name):
    model = opened(name)
    whole, part = (trace(model, Sample.from_ids([*PROMPT, *rest])) for rest in ((), (8, 9)))
    assert np.allclose(whole.final, part.final[: len(PROMPT)], atol=1e-4)
    assert not any(np.triu(part.pattern(layer, 0), 1).any() for layer in looking(part))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_stays_finite_and_near(name, dtype):
    half, single = open_model(FAMILIES / name, dtype=dtype), opened(name)
    found, wanted = (trace(model, Sample.from_ids(PROMPT)) for model in (half, single))
    assert np.isfinite(found.final).all()
    assert np.isfinite(found.logits()).all()
    heads = range(half.spec.heads.count if 0 in looking(found) else 0)
    first = [np.abs(found.pattern(0, head) - wanted.pattern(0, head)).max() for head in heads]
    assert max(first, default=0) < 20 * torch.finfo(dtype).eps
