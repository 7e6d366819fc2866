"""A model as the list of parts that cost something: what follows from its modules, without running it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from torch import nn

from core.analysis.mixing import mixed
from core.analysis.placing import at_scores, at_sides, turned
from core.blocks import Alone, FeedForward, Frames, GatedFeedForward, Patches
from core.blocks.computed import ComputedEmbeddings, CountedComputed
from core.blocks.convolution import Neighbours
from core.blocks.embeddings import Embeddings, Projected
from core.blocks.experts import Experts
from core.blocks.feed_forward import Activation, quick_gelu
from core.blocks.heads import Bend, ClassHead, LanguageHead, MaskedLanguageHead, SharedSpace, TaughtHead, mean
from core.blocks.layers import Layer
from core.blocks.norms import LayerNorm, RMSNorm
from core.blocks.shifted import ShiftedEmbeddings
from core.cost import Part, between
from core.masks import Both, Rule, Window
from core.mixers import Mixer, SelfAttention
from core.mixers.attention import CrossAttention
from core.mixers.disentangled import DisentangledAttention
from core.mixers.statespace import StateSpace
from core.models import Model
from core.models.plan import Side

Matrix = nn.Linear | nn.Conv1d | nn.Conv2d


def parts(model: Model, side: str) -> tuple[Part, ...]:
    """Return the parts of one side of a model, in the order in which they are met."""
    return tuple(_side(model.side(side)))


def head(model: Model) -> tuple[Part, ...]:
    """Return the parts of the output head, which meet the rows that it speaks of."""
    output = model.network.output
    return () if output is None else tuple(_head(output))


def kind_of(module: nn.Module) -> str:
    """Return for what the parameters of a module in a layer are there, as one of the kinds of parts."""
    if isinstance(module, SelfAttention):
        return "projections"
    if isinstance(module, StateSpace):
        return "state"
    return "stream" if isinstance(module, LayerNorm | RMSNorm) else "feed_forward"


def _side(side: Side) -> Iterator[Part]:
    yield from _front(side.embed)
    yield from at_sides(side)
    for number, layer in enumerate(side.layers):
        if isinstance(layer, Layer):
            yield _sums(layer, number)
        for child in layer.children():
            yield from _child(child, number)
    for last in side.final.modules():
        if isinstance(last, nn.Linear):
            yield _dense(last, "embedding")
        yield from _norm(last, "embedding", None)


def _front(embed: nn.Module) -> Iterator[Part]:
    """Yield what comes before the layers: sound is halved on the way, and a picture has rows that are no patches."""
    if isinstance(embed, Projected):
        yield from _front(embed.narrow)
        yield _dense(embed.widen, "embedding")
        yield from _norm(embed.norm, "embedding", None)
    elif isinstance(embed, Frames):
        yield from _frames(embed)
    elif isinstance(embed, Patches):
        yield Part(
            kind="embedding",
            matrix=_numbers(embed.cut),
            each=_biases(embed.cut),
            spared=1 if embed.taught is None else 2,
        )
        yield Part(kind="embedding", each=embed.cut.out_channels)
        yield from _norm(embed.norm, "embedding", None)
    elif isinstance(embed, Embeddings):
        yield from _looked_up(embed)


def _frames(embed: Frames) -> Iterator[Part]:
    """Yield two convolutions, the first of twice as many frames, each with its bias and its activation."""
    heard = embed.second.out_channels
    first = embed.first.out_channels * (1 + _bent(embed.act))
    yield Part(kind="embedding", matrix=2 * _numbers(embed.first), each=2 * first)
    yield Part(kind="embedding", matrix=_numbers(embed.second), each=heard * (1 + _bent(embed.act)))
    yield Part(kind="embedding", each=heard)


def _looked_up(embed: Embeddings) -> Iterator[Part]:
    """Yield rows that are looked up, each times a scale, and added; sines and cosines are computed."""
    widen = embed.widen if isinstance(embed, ShiftedEmbeddings) else nn.Identity()
    width = widen.out_features if isinstance(widen, nn.Linear) else embed.words.embedding_dim
    if isinstance(widen, nn.Linear):
        yield _dense(widen, "embedding")
    tables = 1 + sum(table is not None for table in (embed.types, embed.positions))
    yield Part(kind="embedding", each=tables * width)
    if isinstance(embed, ComputedEmbeddings):
        each, once = between.waves(width)
        added = width * (2 if isinstance(embed, CountedComputed) else 1)
        yield Part(kind="positions", each=each + added, once=once)
    yield from _norm(embed.norm, "embedding", None)


def _sums(layer: Layer, number: int) -> Part:
    """Return what is added to the stream: what comes out of every part of a layer, a number for each of its own."""
    count = 1 if isinstance(layer, Alone) else 2 + (layer.cross is not None)
    count += any(isinstance(child, Neighbours) for child in layer.children())
    return Part(kind="stream", layer=number, each=count * cast(Mixer, layer.mixer).width)


def _child(child: nn.Module, layer: int) -> Iterator[Part]:
    if isinstance(child, SelfAttention):
        yield from _attention(child, layer)
    elif isinstance(child, StateSpace):
        yield _state(child, layer)
    elif isinstance(child, Experts):
        yield from _experts(child, layer)
    elif isinstance(child, FeedForward | GatedFeedForward):
        yield from _thinking(child, layer)
    elif isinstance(child, Neighbours):
        each = child.kernel.in_channels + child.kernel.out_channels * (1 + _bent(child.act))
        yield Part(kind="feed_forward", layer=layer, matrix=_numbers(child.kernel), each=each)
    else:
        yield from _norm(child, "stream", layer)


def _attention(part: SelfAttention, layer: int) -> Iterator[Part]:
    heads, cross = part.heads, isinstance(part, CrossAttention)
    source = "source" if cross else "own"
    for name, rows in (("queries", "own"), ("keys", source), ("values", source), ("output", "own")):
        matrix = getattr(part, name)
        scaled = heads.count * heads.head_width if name == "queries" else 0
        yield _dense(matrix, "projections", layer, rows, more=scaled)
    if part.norms is not None:
        yield from _norm(part.norms.queries, "stream", layer, 1 if part.norms.whole else heads.count)
        yield from _norm(part.norms.keys, "stream", layer, 1 if part.norms.whole else heads.groups)
    yield from turned(part, layer)
    looking = Part(
        kind="looking",
        layer=layer,
        looking=heads.count * (heads.head_width + heads.read_width),
        shares=between.shares(heads.count, biased=_biased(part), capped=heads.cap is not None),
        columns=source,
        window=0 if cross else _window(part.rule),
        causal=not cross and part.causal,
    )
    yield looking
    yield from at_scores(part, looking)
    if isinstance(part, DisentangledAttention):
        yield from _by_distance(part, layer)


def _biased(part: SelfAttention) -> bool:
    return part.relative is not None or isinstance(part, DisentangledAttention)


def _by_distance(part: DisentangledAttention, layer: int) -> Iterator[Part]:
    """Yield the rows of distances, projected, and their products with queries and keys."""
    for kind, own, shared in (("c2p", part.row_keys, part.keys), ("p2c", part.row_queries, part.queries)):
        if kind in part.kinds:
            yield _dense(own or shared, "projections", layer, "distances")
            looking = part.heads.count * part.heads.head_width
            yield Part(kind="looking", layer=layer, looking=looking, columns="distances")


def _state(part: StateSpace, layer: int) -> Part:
    """Return a state: its products, and all else that each row computes on its way."""
    one, two = mixed(part, 1), mixed(part, 2)
    each = two.each - one.each
    return Part(kind="state", layer=layer, matrix=one.products // 2, each=each, once=one.each - each)


def _thinking(part: FeedForward | GatedFeedForward, layer: int) -> Iterator[Part]:
    """Yield a feed-forward part; what bends counts with the matrix before it, and what gates too."""
    inner, bent = part.up.out_features, _bent(part.act)
    if isinstance(part, GatedFeedForward):
        yield _dense(part.gate, "feed_forward", layer, more=bent * inner)
        yield _dense(part.up, "feed_forward", layer, more=inner)
    else:
        yield _dense(part.up, "feed_forward", layer, more=bent * inner)
    yield _dense(part.down, "feed_forward", layer)


def _experts(part: Experts, layer: int) -> Iterator[Part]:
    """Yield the router with its shares, and the experts that a row is sent to, whose answers are added by them."""
    width, count = part.router.in_features, len(part.experts)
    yield _dense(part.router, "feed_forward", layer, more=count if part.among_all else part.chosen)
    one = list(_child(part.experts[0], layer))
    matrix, each = sum(some.matrix for some in one), sum(some.each for some in one)
    yield Part(kind="feed_forward", layer=layer, matrix=part.chosen * matrix, each=part.chosen * (each + 2 * width))


def _head(output: nn.Module) -> Iterator[Part]:
    if isinstance(output, LanguageHead):
        pieces, scaled = output.pieces.out_features, 0 if output.scale == 1.0 else output.pieces.in_features
        yield _dense(output.pieces, "head", rows="judged", more=scaled + (3 * pieces if output.cap is not None else 0))
    elif isinstance(output, MaskedLanguageHead):
        yield from _bend(output)
        yield _dense(output.pieces, "head", rows="judged")
    elif isinstance(output, ClassHead):
        yield from _classes(output)
    elif isinstance(output, SharedSpace):
        yield _dense(output.project, "head", rows="judged", more=2 * output.project.out_features + 1)


def _classes(output: ClassHead) -> Iterator[Part]:
    if output.pick is mean:
        yield Part(kind="head", each=output.classes.in_features)
    if isinstance(output.before, Bend):
        yield from _bend(output.before)
    elif isinstance(output.before, Matrix):
        yield _dense(output.before, "head", rows="judged")
    more = 2 * output.classes.out_features if isinstance(output, TaughtHead) else 0
    yield _dense(output.classes, "head", rows="judged", more=more)
    if isinstance(output, TaughtHead):
        yield _dense(output.taught, "head", rows="judged")


def _bend(part: Bend | MaskedLanguageHead) -> Iterator[Part]:
    yield _dense(part.dense, "head", rows="judged", more=_bent(part.act) * part.dense.out_features)
    yield from _norm(part.norm, "head", None, rows="judged")


def _dense(matrix: nn.Module, kind: str, layer: int | None = None, rows: str = "own", *, more: int = 0) -> Part:
    """Return a matrix that every row meets, its bias, and what more is computed of each row around it."""
    return Part(kind=kind, layer=layer, rows=rows, matrix=_numbers(matrix), each=_biases(matrix) + more)


def _norm(norm: nn.Module | None, kind: str, layer: int | None, times: int = 1, *, rows: str = "own") -> Iterator[Part]:
    """Yield a norm that each row meets so many times; a gain that is the difference from one is added up once."""
    if isinstance(norm, LayerNorm):
        yield Part(kind=kind, layer=layer, rows=rows, each=times * norm.weight.numel())
    elif isinstance(norm, RMSNorm):
        width = norm.weight.numel()
        once = width if norm.offset else 0
        yield Part(kind=kind, layer=layer, rows=rows, each=times * between.root_mean_square(width), once=once)


def _numbers(part: nn.Module) -> int:
    """Return how many numbers of a matrix each row meets."""
    if isinstance(part, nn.Linear):
        return part.in_features * part.out_features
    return part.weight.numel() if isinstance(part, nn.Conv1d | nn.Conv2d) else 0


def _biases(part: nn.Module) -> int:
    return part.bias.numel() if isinstance(part, Matrix) and part.bias is not None else 0


def _bent(act: Activation) -> int:
    """Return how many operations an activation is for one number: one, or three where it is a sigmoid of a multiple."""
    return 3 if act is quick_gelu else 1


def _window(rule: Rule) -> int:
    """Return how many positions back a row looks, itself included; 0 where there is no window."""
    if isinstance(rule, Window):
        return rule.size
    return max(_window(rule.first), _window(rule.second)) if isinstance(rule, Both) else 0
