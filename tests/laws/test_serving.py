"""What holds for every decoder that a server can write with: through pages as without, and each operation counted."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core import Sample, generate, open_model, serving
from core.cache import Cache
from core.serving.reading import step

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
GROWING = {"llama_dynamic", "phi3_long"}  # whose positions turn otherwise in a longer text
WRITERS = sorted(
    path.parent.name
    for path in FAMILIES.glob("*/expected.json")
    if json.loads(path.read_text(encoding="utf-8"))["kind"] == "causal" and path.parent.name not in GROWING
)
PROMPT = (17, 40, 3, 99, 41, 7, 12)

pytestmark = pytest.mark.parametrize("name", WRITERS)


@cache
def opened(name):
    return open_model(FAMILIES / name)


@pytest.mark.parametrize("size", [1, 3, 16])
def test_pages_give_the_logits_of_the_ordinary_cache(name, size):
    model = opened(name)
    paged, plain = serving.PagedCache(serving.Pages(serving.Pool(blocks=32, size=size))), Cache()
    for ids in (PROMPT, (5,), (9, 8, 2), (4,)):
        one, other = step(model, ids, paged), step(model, ids, plain)
        assert np.abs(one - other).max() <= 1e-5


def test_many_at_once_write_what_each_writes_alone(name):
    model = opened(name)
    texts = [PROMPT, (*PROMPT[:5], 1, 2, 3), (8, *PROMPT), PROMPT]
    samples = [Sample.from_ids(ids) for ids in texts]
    replay = serving.replay(model, samples, block_size=3, blocks=9, limit=4)
    for served, sample in zip(replay.requests, samples, strict=True):
        alone = [found.ident for found in generate(model, sample, limit=4)]
        assert list(served.written) == alone[: len(served.written)]


def test_the_cache_takes_the_bytes_of_the_formula(name):
    model = opened(name)
    pages = serving.Pages(serving.Pool(blocks=2, size=8))
    step(model, PROMPT, serving.PagedCache(pages))
    keys = [layer for layer in serving.layers(model) if layer.kind in ("keys", "window")]
    assert pages.bytes == 16 * sum(layer.per_token for layer in keys)
