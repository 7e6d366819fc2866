"""Mixers with a state instead of a look around: each position reads what those before have written into it.

They have no softmax and so no pattern. While writing, the state in the cache stands for everything before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import silu, softplus

from core.mixers.before import Before
from core.mixers.mixer import Influence, Mixer, drawn_taps
from core.mixers.recurrence import fading, in_chunks, scalar, selective, selective_in_blocks
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk

PIECE = 1024
Bend = Callable[[Tensor], Tensor]
State = Float[Tensor, "batch ..."]


@dataclass(frozen=True, kw_only=True)
class Space:
    """The sizes of a mixer with a state: `inner` numbers a position of which each has `state` numbers to remember with,
    and `kernel` positions that are convolved before.

    `biases` names what has one, of projections and near. Mamba: `rank` numbers make a position's steps. Mamba-2:
    `heads` share the inner numbers, and `groups` of heads write and read alike; steps stay within `limits`.
    """

    inner: int
    state: int
    kernel: int
    rank: int = 0
    heads: int = 0
    groups: int = 1
    biases: frozenset[str] = frozenset()
    limits: tuple[float, float] = (0.0, float("inf"))


class StateSpace(Mixer):
    """What both generations share: widen, convolve, bend, let a state pass along, narrow."""

    decay: nn.Parameter
    skip: nn.Parameter

    def __init__(self, width: int, space: Space, *, act: Bend, widened: int, near: int) -> None:
        super().__init__()
        self.width, self.space, self.act = width, space, act
        projected = "projections" in space.biases
        self.input = nn.Linear(width, widened, bias=projected)
        self.near = Before(near, space.kernel, bias="near" in space.biases)
        self.output = nn.Linear(space.inner, width, bias=projected)

    def begin(self, source: torch.Generator) -> None:
        """Begin with steps between 0.001 and 0.1, and with decays of every pace (Gu and Dao 2023, section 3.6)."""
        drawn_taps(self.near, source)
        with torch.no_grad():
            self.decay.copy_(self.paces())
            self.skip.fill_(1.0)
            steps = self.step_biases()
            sizes = 10 ** (2 * torch.rand(steps.shape, generator=source) - 3)
            steps.copy_(sizes + torch.log(-torch.expm1(-sizes)))

    @abstractmethod
    def paces(self) -> Tensor:
        """Return the logarithms of the paces at which a state fades."""

    @abstractmethod
    def step_biases(self) -> Tensor:
        """Return the parameter to which softplus^-1 of the usual step is given."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix the positions, in pieces whose numbers stay in the processor's own memory; padding writes nothing, and
        the tape is told that there is no softmax."""
        walk.tape.note("attention", place, None)
        carried = (None, None) if walk.cache is None else walk.cache.carried.get(place, (None, None))
        real, mixed = None if walk.keep is None else walk.places[..., None], []
        for start in range(0, hidden.shape[1], PIECE):
            some = slice(start, start + PIECE)
            one, carried = self._after(hidden[:, some], None if real is None else real[:, some], *carried)
            mixed.append(one)
        if walk.cache is not None:
            walk.cache.carried[place] = carried
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed, dim=1)

    def _after(
        self, hidden: Hidden, real: Tensor | None, earlier: Tensor | None, state: State | None
    ) -> tuple[Hidden, tuple[Tensor, State]]:
        """Return what is mixed of a piece, and what is carried on from it."""
        through, beside = self.widened(hidden)
        through, earlier = self.near(_real(through, real), earlier)
        read, state = self.passed(_real(self.act(through), real), beside, state)
        return self.output(read.to(hidden.dtype)), (earlier, state)

    def plain(self, hidden: Hidden) -> Hidden:
        """Let the state pass one position after another."""
        through, beside = self.widened(hidden)
        read, _ = self.passed(self.act(self.near(through, None)[0]), beside, None, plain=True)
        return self.output(read.to(hidden.dtype))

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return the effective matrix of each channel or head: the factor of what was written (after the convolution)
        in what is read, C(query) exp(sum of step A) step(key) B(key) (Dao and Gu 2024, section 3.2)."""
        through, beside = self.widened(hidden)
        return Influence(cells=self.matrix(self.act(self.near(through, None)[0]), beside)[0], how="matrix")

    def stepped(self, hidden: Hidden) -> Float[Tensor, "batch position channel"]:
        """Return how long a step each position makes, in every channel or head: a long one forgets what was before and
        takes in what is here, a short one passes over (Gu and Dao 2023, section 3.5.2)."""
        through, beside = self.widened(hidden)
        return self.step_sizes(self.act(self.near(through, None)[0]), beside)

    @abstractmethod
    def step_sizes(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch position channel"]:
        """Return the steps, given what was widened and convolved."""

    @abstractmethod
    def widened(self, hidden: Hidden) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return what is convolved [batch, position, near], and what goes beside it."""

    @abstractmethod
    def passed(
        self, through: Tensor, beside: tuple[Tensor, ...], state: State | None, *, plain: bool = False
    ) -> tuple[Tensor, State]:
        """Return what is read at each position [batch, position, inner], and the last state."""

    @abstractmethod
    def matrix(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch head query key"]:
        """Return the effective matrix of each head; where every channel has its own, a channel is a head."""


class SpaceNorms(nn.Module):
    """Norms on what makes the steps and on what writes and reads (Lieber et al. 2024, section 6.4)."""

    def __init__(self, make: Callable[[int], nn.Module], space: Space) -> None:
        super().__init__()
        self.steps, self.write, self.read = make(space.rank), make(space.state), make(space.state)


class Selective(StateSpace):
    """Mamba: how long a step is, what is written and what is read follow from the position itself (Gu and Dao 2023,
    sections 3.2 and 3.4)."""

    def __init__(self, width: int, space: Space, *, act: Bend, norms: SpaceNorms | None = None) -> None:
        super().__init__(width, space, act=act, widened=2 * space.inner, near=space.inner)
        self.select = nn.Linear(space.inner, space.rank + 2 * space.state, bias=False)
        self.steps = nn.Linear(space.rank, space.inner)
        self.decay = nn.Parameter(torch.empty(space.inner, space.state))
        self.skip = nn.Parameter(torch.empty(space.inner))
        self.norms = norms

    def widened(self, hidden: Hidden) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the channels, and their gate."""
        through, gate = self.input(hidden).chunk(2, dim=-1)
        return through, (gate,)

    def passed(
        self, through: Tensor, beside: tuple[Tensor, ...], state: State | None, *, plain: bool = False
    ) -> tuple[Tensor, State]:
        """Let the states of all channels pass; what is read is gated."""
        steps, write, read = self.selected(through)
        values = _exact(through)
        if state is None:
            state = values.new_zeros(len(values), self.space.inner, self.space.state)
        run = selective if plain else selective_in_blocks
        found, state = run(values, steps, -_exact(self.decay).exp(), write, read, state)
        return (found + values * self.skip) * silu(beside[0]), state

    def step_sizes(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch position channel"]:
        """Make them of the position itself."""
        return self.selected(through)[0]

    def paces(self) -> Tensor:
        """Return log 1, 2, .. for the numbers of each channel's state."""
        return torch.arange(1.0, self.space.state + 1).log().expand_as(self.decay)

    def step_biases(self) -> Tensor:
        """Return the bias of the projection that makes the steps."""
        return self.steps.bias

    def matrix(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch head query key"]:
        """Add up over the numbers of each channel's state."""
        steps, write, read = self.selected(through)
        found = torch.zeros(())
        for number, decay in enumerate(-_exact(self.decay).exp().T):
            held = fading((steps.double() * decay).mT).to(steps.dtype) * steps.mT[..., None, :]
            found = found + held * read[:, None, :, None, number] * write[:, None, None, :, number]
        return found

    def selected(self, through: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the steps [batch, position, inner], and B and C [batch, position, state]."""
        space, norms = self.space, self.norms
        parts = self.select(through).split((space.rank, space.state, space.state), dim=-1)
        if norms is not None:
            parts = (norms.steps(parts[0]), norms.write(parts[1]), norms.read(parts[2]))
        return softplus(_exact(self.steps(parts[0]))), _exact(parts[1]), _exact(parts[2])


class Dual(StateSpace):
    """Mamba-2: heads whose state decays by one number a head, so that chunks are products of matrices (Dao and Gu 2024,
    sections 5 and 7.1).

    `norm` is put on what is read once it is gated.
    """

    def __init__(self, width: int, space: Space, *, act: Bend, norm: nn.Module) -> None:
        near = space.inner + 2 * space.groups * space.state
        super().__init__(width, space, act=act, widened=space.inner + near + space.heads, near=near)
        self.steps, self.decay, self.skip = (nn.Parameter(torch.empty(space.heads)) for _ in range(3))
        self.norm = norm

    def widened(self, hidden: Hidden) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return what is written with what writes and reads it; and the gate, and the steps."""
        sizes = self.space.inner, self.near.in_channels, self.space.heads
        gate, through, steps = self.input(hidden).split(sizes, dim=-1)
        return through, (gate, steps)

    def passed(
        self, through: Tensor, beside: tuple[Tensor, ...], state: State | None, *, plain: bool = False
    ) -> tuple[Tensor, State]:
        """Let the states of all heads pass; what is read is gated and normed."""
        space, gate, steps = self.space, beside[0], self.step_sizes(through, beside)
        values, write, read = self._by_head(_exact(through))
        if state is None:
            state = values.new_zeros(len(values), space.heads, space.inner // space.heads, space.state)
        run = scalar if plain or values.shape[1] == 1 else in_chunks
        found, state = run(values, steps, -_exact(self.decay).exp(), write, read, state)
        found = (found + values * self.skip[:, None]).flatten(2)
        return self.norm(found * silu(_exact(gate))), state

    def paces(self) -> Tensor:
        """Return logarithms of 1 to 16, evenly over the heads."""
        return torch.linspace(1.0, 16.0, self.space.heads).log()

    def step_biases(self) -> Tensor:
        """Return what is added to the steps."""
        return self.steps

    def step_sizes(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch position channel"]:
        """Bend what goes beside the heads, and keep it within the limits."""
        return softplus(_exact(beside[1]) + self.steps).clamp(*self.space.limits)

    def matrix(self, through: Tensor, beside: tuple[Tensor, ...]) -> Float[Tensor, "batch head query key"]:
        """Multiply what is read with what is written, faded (the matrix L o C B^T of section 5.1)."""
        steps, (_, write, read) = self.step_sizes(through, beside), self._by_head(_exact(through))
        faded = fading((steps.double() * -_exact(self.decay).exp()).mT).to(steps.dtype)
        return faded * steps.mT[..., None, :] * torch.einsum("bqhs,bkhs->bhqk", read, write)

    def _by_head(self, through: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the values [batch, position, head, head_width], and B and C [batch, position, head, state]."""
        space, wide = self.space, self.space.groups * self.space.state
        values, *others = through.split((space.inner, wide, wide), dim=-1)
        each = space.heads // space.groups
        write, read = (part.unflatten(-1, (space.groups, -1)).repeat_interleave(each, dim=2) for part in others)
        return values.unflatten(-1, (space.heads, -1)), write, read


def _exact(tensor: Tensor) -> Tensor:
    """Return a tensor in float32 or wider: a state adds up over the whole text."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _real(hidden: Tensor, real: Tensor | None) -> Tensor:
    """Return what stands at real places, and nothing where there is padding."""
    return hidden if real is None else hidden * real
