"""The writer: runs a decoder over what is new, and keeps what it will need of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from core.cache import Cache
from core.changes import Change
from core.decoding.entering import encoding
from core.decoding.one_row import RowLayer, row_layers
from core.errors import CoreError
from core.inputs import Batch
from core.masks import Everyone, Rule
from core.mixers import SelfAttention
from core.mixers.softmax import near_only
from core.models import Model
from core.models.plan import Side
from core.shapes import Hidden, Ids, Keep
from core.tape import SILENT, Place, Tape
from core.walk import Walk, padding_rule

ATTENTION = frozenset({"attention"})


def windows(model: Model) -> dict[Place, int]:
    """Return how many positions each layer of a decoder keeps, for those that never look further back; a layer that is
    not named keeps everything."""
    if not model.settled:
        return {}
    layers = enumerate(model.side("decoder").layers)
    mixers = ((number, getattr(layer, "mixer", None)) for number, layer in layers)
    near = {n: near_only(mixer.rule) for n, mixer in mixers if isinstance(mixer, SelfAttention)}
    return {Place("decoder", number): size for number, size in near.items() if size}


class Writer:
    """Several texts of one length (padded on the left) that are written together, and what is kept of them.

    Where a text's earlier positions change while it grows (`model.settled`), nothing can be kept, and every step reads
    all of it again.
    """

    def __init__(self, model: Model, batch: Batch, changes: tuple[Change, ...] = (), tape: Tape = SILENT) -> None:
        self.model, self.settled = model, model.settled
        self.cache = Cache(windows=windows(model))
        self.ids = torch.empty(len(batch), 0, dtype=torch.long, device=model.device)
        self.keep: Keep | None = None
        self.source_keep: Tensor | None = None
        self.walk = Walk(positions=self.ids, changes=tuple(changes), tape=tape)
        if "encoder" in model.sides:
            with torch.inference_mode():
                entered, self.walk.source = encoding(model, batch, tuple(changes))
            self.source_keep = entered.keep

    @property
    def length(self) -> int:
        """How many places have been read, padding included."""
        return self.ids.shape[1]

    @torch.inference_mode()
    def read(self, ids: Ids, keep: Keep | None = None) -> Hidden:
        """Read new pieces after those before; return the final states of the new places [batch, position, width]."""
        before, past = self.length, self.keep
        self.ids = torch.cat((self.ids, ids), dim=1)
        if keep is not None or past is not None:
            new = torch.ones_like(ids, dtype=torch.bool) if keep is None else keep
            self.keep = new if past is None else torch.cat((past, new), dim=1)
        if self.settled:
            return self._run(before, past, self.cache)
        return self._run(0, None, Cache())[:, before:]

    def _run(self, start: int, past: Tensor | None, cache: Cache) -> Hidden:
        keep = None if self.keep is None else self.keep[:, start:]
        new = self.ids[:, start:]
        walk = replace(
            self.walk, ids=new, positions=self._positions(start), keep=keep, past=past, cache=cache, memory={}
        )
        walk.source_padding = self._padding(walk)
        side = self.model.side("decoder")
        final: Hidden = self._one_row(side, walk, cache) if self._is_one_row(walk) else side(walk)
        cache.length += final.shape[1]
        return final

    def _is_one_row(self, walk: Walk) -> bool:
        """Whether a single position of a single text is new, nothing is padded or changed, and all that is asked for is
        what its softmax was given."""
        plain = walk.keep is None and not walk.changes and walk.tape.wanted <= ATTENTION
        return plain and walk.positions.numel() == 1 and bool(self.rows)

    def _one_row(self, side: Side, walk: Walk, cache: Cache) -> Hidden:
        row = side.embed(walk)[0]
        for layer in self.rows:
            row = layer(row, walk, cache)
        final: Hidden = side.final(row[None])
        return final

    @cached_property
    def rows(self) -> tuple[RowLayer, ...]:
        """The decoder's layers as a single row goes through them, where they are of that kind."""
        return row_layers(self.model.side("decoder")) if self.settled else ()

    def _positions(self, start: int) -> Ids:
        if self.keep is None:
            return torch.arange(start, self.length, device=self.ids.device).expand(len(self.ids), -1)
        return (self.keep.long().cumsum(-1) - 1).clamp(min=0)[:, start:]

    def _padding(self, walk: Walk) -> Rule:
        """Return the rule that hides the padding of what is answered."""
        if self.source_keep is None:
            return Everyone()
        rows = torch.ones_like(self.ids, dtype=torch.bool) if walk.whole is None else walk.whole
        return padding_rule(self.source_keep, rows=rows)

    @torch.inference_mode()
    def logits(self, final: Float[Tensor, "batch width"]) -> Float[Tensor, "batch piece"]:
        """Return the logits after some final states.

        Raises:
            CoreError: `no_output` for a model that was published without a head.
        """
        found = self.model.logits(final[:, None])
        if found is None:
            raise CoreError("no_output", name=self.model.name)
        return found[:, 0]

    @torch.inference_mode()
    def allowed(self, logits: Float[Tensor, "batch piece"], *, first: bool) -> Float[Tensor, "batch piece"]:
        """Return the logits without those of pieces that are never written, or never first."""
        banned = self.model.spec.never | (self.model.spec.never_first if first else frozenset())
        if not banned:
            return logits
        places = torch.tensor(sorted(banned), dtype=torch.long, device=logits.device)
        return logits.index_fill(-1, places, -torch.inf)

    @torch.inference_mode()
    def take(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, in this order."""
        self.cache.take(rows)
        self.ids = self.ids[rows]
        self.keep = None if self.keep is None else self.keep[rows]
        if self.walk.source is not None:
            self.walk.source = self.walk.source[rows]
        if self.source_keep is not None:
            self.source_keep = self.source_keep[rows]
