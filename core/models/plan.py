"""A Plan: what a published config says, in our parts. No weights are needed to make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from core.blocks import ClassHead, SharedSpace
from core.mixers import Heads
from core.models.splits import Split
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk

Config = Mapping[str, Any]


class Side(nn.Module):
    """One stack of layers: embeddings in, hidden states out. `final` is the norm after the last layer, where there is
    one."""

    def __init__(
        self, name: str, *, embed: nn.Module, layers: Sequence[nn.Module], final: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.name, self.embed, self.layers = name, embed, nn.ModuleList(layers)
        self.final = final if final is not None else nn.Identity()

    def forward(self, walk: Walk) -> Hidden:
        """Walk up the layers; the tape is offered hidden(0) .. hidden(layers) and the final state."""
        hidden = walk.dropped(self.embed(walk))
        walk.tape.note("hidden", Place(self.name, 0), hidden)
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, walk, Place(self.name, number))
            walk.tape.note("hidden", Place(self.name, number + 1), hidden)
        final: Hidden = self.final(hidden)
        walk.tape.note("final", Place(self.name, 0), final)
        return final


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The numbers of a model that people ask for.

    `kind` is encoder, decoder or encoder-decoder; `positions` the most that it takes (0: no bound), `types` how many
    sentence types its embeddings know. `layers`, `heads` and `inner` are the encoder's where there are two sides, and
    `decoder_layers` the other's. `start` are the ids an answer begins with, `ends` those that close it, `never` those
    that are not written, `never_first` those that are not written first. `signal` is the shape of what goes in where
    that is no text ([bin, frame] for sound, [channel, row, column] for a picture), and `places` how many positions
    become of it; of a picture `grid` are rows and columns of patches, the last of these positions. `target_pieces` is
    the size of the decoder's vocabulary where it has one of its own.
    """

    family: str
    kind: str
    layers: int
    heads: Heads
    width: int
    inner: int
    pieces: int
    positions: int
    types: int = 0
    start: tuple[int, ...] = ()
    ends: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    never_first: frozenset[int] = frozenset()
    decoder_layers: int = 0
    signal: tuple[int, ...] = ()
    places: int = 0
    grid: tuple[int, int] = (0, 0)
    target_pieces: int = 0

    @property
    def written_pieces(self) -> int:
        """How many pieces there are to write with."""
        return self.target_pieces or self.pieces

    @property
    def depth(self) -> str:
        """The number of layers, of both sides where there are two."""
        return f"{self.layers} + {self.decoder_layers}" if self.decoder_layers else str(self.layers)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A model in parts (on the meta device), and how the file's tensor names become ours.

    `names` maps published names to ours, `{n}` standing for the layer; `splits` maps those whose tensors hold several
    parameters, or hold them turned over, to the function that takes them apart; `tied` maps a parameter to the one that
    it shares when the file holds only one of the two; `ignored` maps the beginning of a name to why it may be left out.
    `pictures` is the plan of a second model in the same file that takes pictures, where the first takes text; its
    parameters are under that name. `preparation` says whose way of preparing pictures is usual (ViT, DeiT, CLIP).
    """

    spec: Spec
    sides: tuple[Side, ...]
    output: nn.Module | None
    names: Mapping[str, str]
    splits: Mapping[str, Split] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()
    tied: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)
    pictures: Plan | None = None
    preparation: str = ""

    @property
    def pairs(self) -> bool:
        """Whether two texts may go in together: into an encoder alone, or where they are judged."""
        if self.spec.kind == "encoder":
            return not isinstance(self.output, SharedSpace)
        return self.spec.kind != "decoder" and isinstance(self.output, ClassHead)


@dataclass(frozen=True, kw_only=True)
class Family:
    """One published family: how its config becomes a Plan, and how its GGUF form becomes the published one.

    `plan(config, stored)` is given the names in the file, since a config does not say which heads were saved.
    `former` are names that its `model_type` had in the first folders. `gguf_architecture` is what GGUF calls the
    family, where it has a form of it; `gguf_changes` are by published name.
    """

    model_type: str
    plan: Callable[[Config, frozenset[str]], Plan]
    former: tuple[str, ...] = ()
    gguf_architecture: str | None = None
    gguf_config: Callable[[Config], Config] = dict
    gguf_names: Mapping[str, str] = field(default_factory=dict)
    gguf_changes: Mapping[str, Callable[[Tensor, Config], Tensor]] = field(default_factory=dict)
