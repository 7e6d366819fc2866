"""The same model twice: ours, and the one of `transformers` computing with the very same parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel, LlamaConfig, LlamaModel

import core
from core.models import Model, Network, family
from core.models.llama import NAMES as LLAMA_NAMES
from core.weights.filling import ours

BERT_BASE = {
    "hidden_size": 768,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "vocab_size": 30_522,
    "max_position_embeddings": 2048,
    "type_vocab_size": 2,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Our model and how to make its peer with a kind of attention: "sdpa" (the floor) or "eager"."""

    name: str
    model: Model
    peer: Callable[[str], Callable[..., Any]]

    def sample(self, length: int) -> core.Sample:
        """Return a text of random pieces, always the same for a length."""
        chance = torch.Generator().manual_seed(length)
        return core.Sample.from_ids(torch.randint(5, self.model.spec.pieces, (length,), generator=chance).numpy())


def bert_base() -> Pair:
    """Return the shape of BERT-base with random parameters, stretched to 2048 positions."""
    with torch.device("meta"):
        plan = family("bert").plan(BERT_BASE, frozenset())
        network = Network(plan)
    parameters = random_parameters(network.to_empty(device="cpu"))

    def peer(attention: str) -> Callable[..., Any]:
        empty = BertModel(BertConfig(**BERT_BASE, attn_implementation=attention), add_pooling_layer=False)
        return given(empty, parameters, plan.names)

    reader = SimpleNamespace(takes=("text",))
    model = Model(name="BERT-base", spec=plan.spec, network=network, reader=reader, report=None)
    return Pair(name=model.name, model=model, peer=peer)


def smollm2() -> Pair:
    """Return SmolLM2 as published."""
    model = core.open_model("smollm2", device="cpu")
    parameters = dict(model.network.named_parameters())

    def peer(attention: str) -> Callable[..., Any]:
        config = llama_config(model, use_cache=False, attn_implementation=attention)
        return given(LlamaModel(config), parameters, LLAMA_NAMES)

    return Pair(name="SmolLM2", peer=peer, model=model)


def llama_config(model: Model, **how: Any) -> LlamaConfig:
    """Return the published config of a model of ours, as far as it says what is computed."""
    spec, decoder = model.spec, cast(Any, model.side("decoder"))
    return LlamaConfig(
        vocab_size=spec.pieces,
        hidden_size=spec.width,
        intermediate_size=spec.inner,
        num_hidden_layers=spec.layers,
        num_attention_heads=spec.heads.count,
        num_key_value_heads=spec.heads.groups,
        max_position_embeddings=spec.positions,
        rms_norm_eps=decoder.final.epsilon,
        rope_parameters={"rope_type": "default", "rope_theta": decoder.layers[0].mixer.positions.base},
        tie_word_embeddings=True,
        **how,
    )


PAIRS = {"BERT-base": bert_base, "SmolLM2": smollm2}


@torch.no_grad()
def random_parameters(network: nn.Module) -> dict[str, Tensor]:
    """Fill a network with the numbers that such a model begins training with, and return them by name."""
    torch.manual_seed(0)
    found = dict(network.named_parameters())
    for name, parameter in found.items():
        parameter.requires_grad_(False)
        if parameter.dim() > 1:
            parameter.normal_(std=0.02)
        else:
            parameter.fill_(1.0 if "norm.weight" in name else 0.0)
    return found


def given(peer: nn.Module, parameters: Mapping[str, Tensor], names: Mapping[str, str]) -> nn.Module:
    """Give the peer our own tensors in place of its own, so that both read the same memory."""
    wanted = {name: parameters[str(ours(name, names))] for name in peer.state_dict()}
    peer.load_state_dict(wanted, assign=True)
    return peer.eval()


def agree(pair: Pair, peer: Callable[..., Any], length: int = 32) -> float:
    """Return the largest difference between the two final states, over the largest value.

    Raises:
        SystemExit: when they differ by more than rounding; times of two different computations say nothing.
    """
    sample = pair.sample(length)
    mine = torch.from_numpy(core.trace(pair.model, sample).final)
    other = peer(torch.from_numpy(sample.ids)[None]).last_hidden_state[0]
    apart = float((mine - other).abs().max() / other.abs().max())
    if apart > 1e-4:
        raise SystemExit(f"{pair.name}: the two models disagree by {apart:.1e}; nothing is measured.")
    return apart
