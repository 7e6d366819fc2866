"""Every law about mixers notices the fault that it guards against."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch

from core.masks import Causal, Everyone
from core.mixers import convolution, linear, recurrent, statespace
from core.mixers.mixer import Carrying, Influence
from tests.laws import test_mixers as laws

KINDS = {kind.name: kind for kind in laws.MIXERS}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is made wrong in which mixer, the law that must notice, and what else it is given."""

    plant: Callable
    mixer: str
    law: Callable
    rest: tuple = ()


def chunks_hand_nothing_on(patch, done=linear.in_chunks):
    def apart(*given):
        *parts, state = given
        pieces = zip(*(part.split(linear.CHUNK, dim=2) for part in parts), strict=True)
        return torch.cat([done(*piece, state)[0] for piece in pieces], dim=2), state

    patch.setattr(linear, "in_chunks", apart)


def learning_stops_at_each_piece(patch):
    whole = recurrent.LSTM.run

    def cut(part, hidden, state, _):
        read, state = whole(part, hidden[:, :8], state, None)
        rest, state = whole(part, hidden[:, 8:], tuple(one.detach() for one in state), None)
        return torch.cat((read, rest), 1), state

    patch.setattr(recurrent.LSTM, "run", cut)


def nothing_is_kept(patch):
    patch.setattr(Carrying, "forward", lambda part, given, walk, _: part.run(given, part.start(given), walk.keep)[0])


def the_order_is_forgotten(patch):
    patch.setattr(Causal, "at", Everyone.at)


def nobody_looks_ahead(patch):
    def back(part, hidden):
        return convolution.tap_by_tap(part.around, torch.nn.functional.pad(hidden, (0, 0, part.kernel - 1, 0)))

    patch.setattr(convolution.Around, "plain", back)


def padding_is_read(patch, through=convolution.LooksBack._through):
    def blind(part, hidden, state, _, convolved):
        return through(part, hidden, state, None, convolved)

    patch.setattr(convolution.LooksBack, "_through", blind)


def padding_is_stepped_through(patch, run=recurrent.Recurrent.run):
    patch.setattr(recurrent.Recurrent, "run", lambda part, hidden, state, _: run(part, hidden, state, None))


def influence_comes_from_the_future(patch):
    def both_ways(part, hidden):
        read, written, _ = part.features(hidden)
        return Influence(cells=(read @ written.mT).softmax(-1)[0], how="kernel")

    patch.setattr(linear.Linear, "influence", both_ways)


def influence_is_not_divided(patch):
    def raw(part, hidden):
        read, written, _ = part.features(hidden)
        return Influence(cells=(read @ written.mT).tril()[0], how="kernel")

    patch.setattr(linear.Linear, "influence", raw)


def steps_are_left_out(patch, matrix=statespace.Dual.matrix):
    def stepless(part, through, beside):
        return matrix(part, through, beside) / part.step_sizes(through, beside).mT[..., None, :]

    patch.setattr(statespace.Dual, "matrix", stepless)


def the_tape_is_told_of_a_pattern(patch, forward=Carrying.forward):
    def noting(part, hidden, walk, place):
        mixed = forward(part, hidden, walk, place)
        walk.tape.note("attention", place, "a pattern")
        return mixed

    patch.setattr(Carrying, "forward", noting)


def a_state_grows(patch, run=linear.Linear.run):
    def growing(part, hidden, _, keep):
        mixed, last = run(part, hidden, part.start(hidden), keep)
        return mixed, last.repeat(1, 1, 1, hidden.shape[1])

    patch.setattr(linear.Linear, "run", growing)


FAULTS = (
    Fault(plant=chunks_hand_nothing_on, mixer="linear", law=laws.test_the_fast_form_is_the_formula, rest=(131,)),
    Fault(
        plant=learning_stops_at_each_piece,
        mixer="lstm",
        law=laws.test_the_gradients_of_the_fast_form_are_those_of_the_formula,
        rest=(67,),
    ),
    Fault(plant=nothing_is_kept, mixer="gru", law=laws.test_one_at_a_time_equals_all_at_once),
    Fault(plant=nothing_is_kept, mixer="gated_delta", law=laws.test_a_text_in_two_parts_is_one_text, rest=(40,)),
    Fault(plant=the_order_is_forgotten, mixer="window", law=laws.test_the_future_never_reaches_the_past),
    Fault(plant=nobody_looks_ahead, mixer="around", law=laws.test_what_looks_ahead_is_noticed),
    Fault(plant=padding_is_read, mixer="dilated", law=laws.test_padding_changes_nothing, rest=("left",)),
    Fault(plant=padding_is_stepped_through, mixer="elman", law=laws.test_padding_changes_nothing, rest=("left",)),
    Fault(
        plant=influence_comes_from_the_future, mixer="linear", law=laws.test_influence_reaches_where_the_jacobian_does
    ),
    Fault(plant=influence_is_not_divided, mixer="linear", law=laws.test_influence_is_what_values_are_added_up_by),
    Fault(
        plant=the_tape_is_told_of_a_pattern,
        mixer="near",
        law=laws.test_the_tape_hears_of_a_pattern_only_where_there_is_one,
    ),
    Fault(plant=steps_are_left_out, mixer="mamba2", law=laws.test_the_effective_matrix_is_what_the_recurrence_does),
    Fault(plant=a_state_grows, mixer="linear", law=laws.test_what_is_carried_does_not_grow),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.plant.__name__}-{fault.mixer}")
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    fault.law(KINDS[fault.mixer], *fault.rest)
    fault.plant(monkeypatch)
    with pytest.raises(AssertionError):
        fault.law(KINDS[fault.mixer], *fault.rest)
