"""A replay: the prompts of a person are served, and every event is kept to be looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence

from core import cost
from core.decoding.entering import begun
from core.errors import CoreError
from core.inputs import Sample, read
from core.models import Model
from core.serving.events import Replay, Served
from core.serving.reading import layers, only_keys, servable
from core.serving.turns import Setup, Turns, Work

MOST = {"prompts": 16, "block_size": 256, "blocks": 512, "limit": 128, "together": 16, "apart": 100}
MOST_PIECES = 4096


def replay(
    model: Model,
    prompts: Sequence[str | Sample],
    *,
    block_size: int = 16,
    blocks: int = 64,
    limit: int = 16,
    together: int = 4,
    apart: int = 1,
    sharing: bool = True,
) -> Replay:
    """Serve prompts as vLLM and SGLang do, on a real pool of blocks that the model reads through, and tell every event.

    A prompt arrives every `apart` rounds; at most `together` are in work, each writing up to `limit` pieces, the
    likeliest ones (Kwon et al. 2023, section 4; Zheng et al. 2024, section 3). Beginnings are shared only where keys
    and values are all that a text leaves behind.

    Raises:
        CoreError: `serving_value` for a number out of bounds; `pool_too_small` for a prompt that the pool cannot hold;
            `too_long`, `no_pieces` or `id_out_of_range` for a prompt; `not_a_writer`, `classes_only` or
            `not_paged` for a model.
    """
    setup = Setup(
        block_size=block_size,
        blocks=blocks,
        limit=limit,
        together=together,
        apart=apart,
        sharing=sharing and only_keys(model),
    )
    _bounded(setup, len(prompts))
    servable(model)
    samples = [read(model, prompt) if isinstance(prompt, str) else prompt for prompt in prompts]
    _fitting(model, samples, setup)
    turns = Turns(model, setup, tuple(tuple(sample.ids.tolist()) for sample in samples))
    turns.run()
    return Replay(
        events=tuple(turns.events),
        requests=tuple(_served(model, *pair) for pair in zip(samples, turns.all, strict=True)),
        block_size=block_size,
        blocks=blocks,
        together=together,
        per_token=cost.cache_per_token(layers(model)),
        sharing=setup.sharing,
    )


def _bounded(setup: Setup, prompts: int) -> None:
    """Refuse what would take too long or too much."""
    for name, most in MOST.items():
        came, least = prompts if name == "prompts" else getattr(setup, name), int(name != "apart")
        if not least <= came <= most:
            raise CoreError("serving_value", name=name, came=came, allowed=f"{least} … {most}")


def _fitting(model: Model, samples: Sequence[Sample], setup: Setup) -> None:
    """Refuse a prompt that could not be served even if it were alone."""
    for number, sample in enumerate(samples):
        longest = len(begun(model, sample)) + setup.limit
        if longest > (model.spec.positions or longest):
            raise CoreError("too_long", came=longest, allowed=model.spec.positions)
        needed = -(-(longest - 1) // setup.block_size)
        if needed > setup.blocks:
            raise CoreError("pool_too_small", number=number + 1, came=setup.blocks, needed=needed)
    total = sum(map(len, samples))
    if total > MOST_PIECES:
        raise CoreError("too_long", came=total, allowed=MOST_PIECES)


def _served(model: Model, sample: Sample, work: Work) -> Served:
    return Served(
        number=work.number,
        ids=work.prompt,
        labels=sample.labels,
        written=tuple(work.written),
        written_labels=model.reader.of_ids(work.written).labels,
        arrived=work.arrived,
        began=work.began,
        ended=work.ended,
        matched=work.matched,
        computed=work.computed,
        preemptions=work.preemptions,
        reason=work.reason,
    )
