"""Softmax attention: the formula as written, and its fused twin (Vaswani et al. 2017, section 3.2.1, equation 1).

pattern = softmax(scale * queries keys^T + bias, where the rule allows);  mixed = pattern values
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from core.changes import Change
from core.masks import Both, Causal, Everyone, Rule, Window
from core.positions.doors import Bias
from core.shapes import Indices, Keys, Pattern, Queries, Scores, Values

BLOCK, NEAR_BLOCK = 256, 64


@dataclass(frozen=True, kw_only=True, eq=False)
class Attention:
    """What one softmax was given: O(length) numbers from which every cell of every map follows.

    `start` is the position of the first query among the keys (not 0 only while writing with a cache).
    """

    queries: Queries
    keys: Keys
    values: Values
    scale: float
    rule: Rule
    bias: Bias | None = None
    cap: float | None = None
    start: int = 0
    changes: tuple[Change, ...] = ()

    @property
    def sharing(self) -> int:
        """How many query heads share one key/value head; query head h uses group h // sharing."""
        return self.queries.shape[1] // self.keys.shape[1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Heads, queries, keys."""
        return self.queries.shape[1], self.queries.shape[2], self.keys.shape[2]

    @property
    def bytes(self) -> int:
        """What keeping it costs."""
        kept = sum(part.numel() * part.element_size() for part in (self.queries, self.keys, self.values))
        return kept + getattr(self.bias, "bytes", 0)


def scores(attention: Attention, rows: Indices | None = None) -> Scores:
    """Return the scores of some queries against all keys: scaled, biased, capped, -inf where the rule forbids.

    Scores of half-precision queries and keys may not fit in half precision; like the fused kernel, this takes float32.
    """
    a, rows, columns = attention, _rows(attention, rows), _columns(attention)
    exact = torch.promote_types(a.queries.dtype, torch.float32)
    keys = a.keys.to(exact).repeat_interleave(a.sharing, dim=1)
    found = (a.scale * a.queries[:, :, rows].to(exact)) @ keys.transpose(-2, -1)
    if a.bias is not None:
        found = found + a.bias.at(rows + a.start, columns)
    if a.cap is not None:
        found = a.cap * torch.tanh(found / a.cap)
    for change in a.changes:
        found = change.on_scores(found)
    return found if isinstance(a.rule, Everyone) else found.masked_fill(~allowed(a, rows), -torch.inf)


def allowed(attention: Attention, rows: Indices | None = None) -> Tensor:
    """Return bool [1 or batch, 1, query, key]: the rule's answer for some queries and all keys."""
    rows = _rows(attention, rows)
    return attention.rule.at(rows + attention.start, _columns(attention))[:, None]


def pattern(attention: Attention, rows: Indices | None = None) -> Pattern:
    """Return the share that each key gets of each query's attention; every row sums to one."""
    shares = torch.softmax(scores(attention, rows), dim=-1)
    for change in attention.changes:
        shares = change.on_rows(shares, allowed(attention, rows), _rows(attention, rows) + attention.start)
    return shares


def plain(attention: Attention) -> Float[Tensor, "batch head query value_width"]:
    """Return the mixed values, pattern x values, a block of query rows at a time (the same formula, constant
    memory)."""
    values = attention.values.repeat_interleave(attention.sharing, dim=1)
    return torch.cat([pattern(attention, rows).to(values.dtype) @ values for rows in blocks(attention)], dim=2)


def fused(attention: Attention) -> Float[Tensor, "batch head query value_width"]:
    """Return the same as `plain` by the fused kernel, which never writes the pattern down.

    A rule that the kernel does not know goes in blocks of query rows, each with the keys that some of its queries may
    look at and a mask for these only: a window costs what it is wide, not what the text is long. What the kernel cannot
    compute at all (bias, cap, changes) takes the plain path.
    """
    a = attention
    if a.bias is not None or a.cap is not None or a.changes:
        return plain(a)
    rows, columns = a.queries.shape[2], a.keys.shape[2]
    if rows == 1 and _sees_all(a, columns):
        return one_row(a.queries, a.keys, a.values, a.scale)
    keys, values = (part.repeat_interleave(a.sharing, dim=1) if a.sharing > 1 else part for part in (a.keys, a.values))
    if isinstance(a.rule, Everyone):
        return scaled_dot_product_attention(a.queries, keys, values, scale=a.scale)
    if isinstance(a.rule, Causal) and rows == columns and not a.start:
        return scaled_dot_product_attention(a.queries, keys, values, scale=a.scale, is_causal=True)
    given, size = replace(a, keys=keys, values=values), NEAR_BLOCK if _looks_near(a) else BLOCK
    return torch.cat([_block(given, range(start, min(start + size, rows))) for start in range(0, rows, size)], dim=2)


def one_row(
    queries: Float[Tensor, "batch head 1 head_width"], keys: Keys, values: Values, scale: float
) -> Float[Tensor, "batch head 1 value_width"]:
    """Return the mixed values of a single query that sees every key: the query heads that share a key/value head are
    rows of one product with it, so that what is kept is read once and never copied."""
    batch, heads, _, width = queries.shape
    groups = keys.shape[1]
    mixed = scaled_dot_product_attention(
        queries.reshape(batch, groups, heads // groups, width), keys, values, scale=scale
    )
    return mixed.reshape(batch, heads, 1, values.shape[3])


def _sees_all(attention: Attention, columns: int) -> bool:
    """Whether nothing is forbidden to the last query."""
    a = attention
    if a.start != columns - 1:
        return isinstance(a.rule, Everyone)
    return isinstance(a.rule, Everyone | Causal) or near_only(a.rule) >= columns


def near_only(rule: Rule) -> int:
    """Return how many positions back, itself included, a position looks under a rule that asks for nothing but that and
    causality; 0 for every other rule.

    Where it is not 0, keys further back can be let go, and the others renumbered.
    """
    if not isinstance(rule, Both):
        return 0
    parts = (rule.first, rule.second)
    sizes = [part.size for part in parts if isinstance(part, Window)]
    return min(sizes) if sizes and all(isinstance(part, Window | Causal) for part in parts) else 0


def _looks_near(attention: Attention) -> bool:
    """Whether the keys that the last query may look at are few and lie side by side: then small blocks waste least,
    and copy nothing."""
    last, count = attention.queries.shape[2] - 1 + attention.start, attention.keys.shape[2]
    spans = attention.rule.spans(range(last, last + 1), count)
    return len(spans) == 1 and len(spans[0]) < min(2 * BLOCK + 1, count)


def _block(attention: Attention, rows: range) -> Float[Tensor, "batch head query head_width"]:
    """Return the mixed values of a block of query rows by the fused kernel, from the keys that the rule lets it see."""
    a, shifted = attention, range(rows.start + attention.start, rows.stop + attention.start)
    seen = near(a, shifted)
    spans = a.rule.spans(shifted, a.keys.shape[2])
    some = slice(spans[0].start, spans[0].stop) if len(spans) == 1 else seen
    here = torch.arange(shifted.start, shifted.stop, device=a.queries.device)
    return scaled_dot_product_attention(
        a.queries[:, :, rows.start : rows.stop],
        a.keys[:, :, some],
        a.values[:, :, some],
        attn_mask=a.rule.at(here, seen)[:, None],
        scale=a.scale,
    )


def near(attention: Attention, rows: range) -> Indices:
    """Return the keys that some of these neighbouring queries may look at; all, where that is none."""
    count, device = attention.keys.shape[2], attention.keys.device
    spans = attention.rule.spans(rows, count) or [range(count)]
    return torch.cat([torch.arange(some.start, some.stop, device=device) for some in spans])


def one_head(attention: Attention, head: int) -> Attention:
    """Return the attention of a single query head, with the key/value head that it uses.

    Changes and biases speak of the whole layer's heads, so a layer that has any must be asked as a whole.
    """
    group = head // attention.sharing
    return replace(
        attention,
        queries=attention.queries[:, head : head + 1],
        keys=attention.keys[:, group : group + 1],
        values=attention.values[:, group : group + 1],
    )


def within_reach(attention: Attention, last: int) -> Attention:
    """Return the attention without the keys that no query up to row `last` may look at: half the work of a causal
    map."""
    count = attention.rule.reach(last + attention.start, attention.keys.shape[2])
    return replace(attention, keys=attention.keys[:, :, :count], values=attention.values[:, :, :count])


def of_sentence(attention: Attention, sentence: int, queries: Tensor, keys: Tensor) -> Attention:
    """Return one sentence of a batch, cropped to the query and key places (bool masks) that are not padding."""
    if len(attention.queries) == 1 and bool(queries.all()) and bool(keys.all()):
        return attention
    return replace(
        attention,
        queries=attention.queries[sentence : sentence + 1, :, queries],
        keys=attention.keys[sentence : sentence + 1, :, keys],
        values=attention.values[sentence : sentence + 1, :, keys],
        rule=attention.rule.of(sentence, keys),
        bias=attention.bias.of(sentence, keys) if attention.bias is not None else None,
    )


def blocks(attention: Attention, size: int = BLOCK) -> Iterator[Indices]:
    """Yield the query rows in blocks."""
    count = attention.queries.shape[2]
    for start in range(0, count, size):
        yield torch.arange(start, min(start + size, count), device=attention.queries.device)


def _rows(attention: Attention, rows: Indices | None) -> Indices:
    return torch.arange(attention.queries.shape[2], device=attention.queries.device) if rows is None else rows


def _columns(attention: Attention) -> Indices:
    return torch.arange(attention.keys.shape[2], device=attention.keys.device)
