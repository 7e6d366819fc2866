"""Mixers of ours beside published ones that compute with the very same parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from mambapy.mamba import MambaBlock
from mambapy.mamba import MambaConfig as BlockConfig
from torch import Tensor, nn
from torch.nn.functional import pad, silu
from transformers import LongformerConfig, MambaConfig
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention
from transformers.models.mamba.modeling_mamba import MambaMixer

from core.masks import Window
from core.mixers import Heads, Mixer, Selective, SelfAttention, Space
from core.mixers.linear import Linear, in_chunks, over_total
from core.tape import Place
from core.walk import walk_over

Run = Callable[[], Tensor]
PLACE = Place("decoder", 0)
MAMBA_WIDTH, LONG_WIDTH, LONG_HEADS, LONG_WINDOW, HEAD_WIDTH, CHUNK = 256, 768, 12, 512, 64, 64
MAMBA = {
    "in_proj.weight": "input.weight",
    "conv1d.weight": "near.weight",
    "conv1d.bias": "near.bias",
    "x_proj.weight": "select.weight",
    "dt_proj.weight": "steps.weight",
    "dt_proj.bias": "steps.bias",
    "A_log": "decay",
    "D": "skip",
    "out_proj.weight": "output.weight",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """One computation in several ways: `ours`, and others by their names."""

    setting: str
    ours: Run
    others: dict[str, Run]


def given(width: int, length: int) -> Tensor:
    """Return what goes in [1, length, width], always the same."""
    return torch.randn(1, length, width, generator=torch.Generator().manual_seed(length))


def running(mixer: Mixer, hidden: Tensor) -> Run:
    """Return how a mixer of ours runs over a whole sequence."""
    walk = walk_over(torch.ones(hidden.shape[:2], dtype=torch.bool))
    return lambda: mixer(hidden, walk, PLACE)


def selective_scan(length: int) -> Beside:
    """Mamba as published, 256 numbers a position, beside `mambapy` and the slow path of `transformers`."""
    width, rank = MAMBA_WIDTH, MAMBA_WIDTH // 16
    space = Space(inner=2 * width, state=16, kernel=4, rank=rank, biases=frozenset({"near"}))
    mixer = Selective(width, space, act=silu)
    mixer.begin(torch.Generator().manual_seed(0))
    parameters = dict(mixer.named_parameters())
    block = MambaBlock(BlockConfig(d_model=width, n_layers=1, d_state=16, dt_rank=rank, pscan=True))
    config = MambaConfig(hidden_size=width, state_size=16, num_hidden_layers=1, time_step_rank=rank, use_mambapy=False)
    slow = MambaMixer(config, 0)
    for peer in (block, slow):
        peer.load_state_dict({theirs: parameters[ours] for theirs, ours in MAMBA.items()}, assign=True)
    hidden = given(width, length)
    return Beside(
        setting=f"selective scan, width {width}, {length:,} positions",
        ours=running(mixer, hidden),
        others={"mambapy": lambda: block(hidden), "transformers, slow path": lambda: slow(hidden)},
    )


def sliding_window(length: int) -> Beside:
    """The attention of Longformer-base: 12 heads, 256 positions to either side."""
    names, side = ("queries", "keys", "values", "output"), LONG_WINDOW // 2
    scale = (LONG_WIDTH // LONG_HEADS) ** -0.5
    heads = Heads(
        count=LONG_HEADS,
        groups=LONG_HEADS,
        head_width=LONG_WIDTH // LONG_HEADS,
        scale=scale,
        biases=frozenset(names),
    )
    mixer, output = SelfAttention(LONG_WIDTH, heads, rule=Window(size=side + 1)), nn.Linear(LONG_WIDTH, LONG_WIDTH)
    config = LongformerConfig(
        hidden_size=LONG_WIDTH, num_attention_heads=LONG_HEADS, attention_window=[LONG_WINDOW], num_hidden_layers=1
    )
    peer = LongformerSelfAttention(config, 0).eval()
    theirs = (peer.query, peer.key, peer.value, output)
    for name, part in zip(names, theirs, strict=True):
        mixer.get_submodule(name).load_state_dict(part.state_dict())
    hidden, nobody = given(LONG_WIDTH, length), torch.zeros(1, length)
    flags = {name: nobody.bool() for name in ("is_index_masked", "is_index_global_attn")}

    def longformer() -> Tensor:
        found: Tensor = output(peer(hidden, attention_mask=nobody, is_global_attn=False, **flags)[0])
        return found

    setting = f"sliding window, width {LONG_WIDTH}, window {LONG_WINDOW}, {length:,} positions"
    return Beside(setting=setting, ours=running(mixer, hidden), others={"transformers, Longformer": longformer})


def linear_attention(length: int) -> Beside:
    """The sums of causal linear attention in chunks, beside products of matrices alone: the two of the form that sees
    everything, phi(Q) (phi(K)^T V), and the four that causality takes, two of them within chunks.

    The four skip what depends on one another, so neither of the others computes the same.
    """
    mixer = Linear(LONG_HEADS * HEAD_WIDTH, heads=LONG_HEADS)
    read, written, values = (part.contiguous() for part in mixer.features(given(mixer.width, length)))
    start, alone = mixer.start(given(mixer.width, length)), values[..., :-1].contiguous()
    chunks = [part.unflatten(2, (-1, CHUNK)) for part in (read, written, alone)]

    def two() -> Tensor:
        return read @ (written.mT @ alone)

    def four() -> Tensor:
        within = (chunks[0] @ chunks[1].mT) @ chunks[2]
        return within.flatten(2, 3) + two()

    return Beside(
        setting=f"linear attention, {LONG_HEADS} heads of {HEAD_WIDTH}, {length:,} positions",
        ours=lambda: over_total(in_chunks(read, written, pad(alone, (0, 1), value=1.0), start)[0]),
        others={"two products": two, "four products": four},
    )
