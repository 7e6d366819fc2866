"""The model of 2017: it computes what PyTorch's own does, has the sizes that the paper prints, and can be trained."""

import numpy as np
import pytest
import torch
from torch import nn

from core.changes import NoResidual
from core.errors import CoreError
from core.models import Model, Network
from core.models.fresh import fresh
from core.models.laying_out import laying_out
from core.models.table3 import TABLE3, configuration
from core.models.vaswani import VASWANI
from core.tape import Place, Tape
from core.walk import walk_over

SMALL = {"d_model": 32, "d_ff": 48, "heads": 4, "d_k": 8, "d_v": 8, "encoder_layers": 3, "decoder_layers": 2}
CONFIG = {**SMALL, "source_pieces": 40, "target_pieces": 50}
SOURCE = torch.tensor([[5, 9, 30, 7, 2], [6, 11, 2, 0, 0]])
TARGET = torch.tensor([[1, 4, 8, 40, 41, 3], [1, 9, 10, 11, 12, 13]])


def made(config=CONFIG, seed=0):
    plan, network = fresh(VASWANI, config, seed=seed)
    return Model(name="fresh", spec=plan.spec, network=network, reader=None, report=None)


def walked(**rest):
    everywhere = torch.ones_like(TARGET, dtype=torch.bool)
    return walk_over(SOURCE != 0, ids=SOURCE, **rest), walk_over(everywhere, ids=TARGET, **rest)


def positions(count, width):
    """Equations of section 3.5, one number at a time."""
    table = np.zeros((count, width))
    for place in range(count):
        for pair in range(width // 2):
            angle = place / 10_000 ** (2 * pair / width)
            table[place, 2 * pair : 2 * pair + 2] = np.sin(angle), np.cos(angle)
    return torch.tensor(table, dtype=torch.float32)


def copied(theirs, mixer):
    """Put one attention's four products into PyTorch's."""
    parts = (mixer.queries, mixer.keys, mixer.values)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.weight.copy_(mixer.output.weight)
    theirs.out_proj.bias.copy_(mixer.output.bias)


def norms(layer, crosses):
    return [layer.mixer_norm, *([layer.cross_norm] if crosses else []), layer.feed_norm]


@torch.no_grad()
def oracle(model):
    """PyTorch's nn.Transformer with our numbers in it, and without its two last norms, which the paper has not."""
    theirs = nn.Transformer(32, 4, 3, 2, 48, dropout=0.0, batch_first=True).eval()
    theirs.encoder.norm = theirs.decoder.norm = None
    for side, stack in (("encoder", theirs.encoder), ("decoder", theirs.decoder)):
        for mine, other in zip(model.side(side).layers, stack.layers, strict=True):
            crosses = side == "decoder"
            copied(other.self_attn, mine.mixer)
            if crosses:
                copied(other.multihead_attn, mine.cross)
            for one, norm in enumerate(norms(mine, crosses), 1):
                getattr(other, f"norm{one}").load_state_dict(norm.state_dict())
            other.linear1.load_state_dict(mine.feed_forward.up.state_dict())
            other.linear2.load_state_dict(mine.feed_forward.down.state_dict())
    return theirs


def jittered(model):
    """Make norms and biases other than ones and zeros, so that every one of them counts."""
    with torch.no_grad():
        for number, part in enumerate(model.network.parameters()):
            if part.ndim == 1:
                part.add_(0.3 * torch.randn(part.shape, generator=torch.Generator().manual_seed(number)))
    return model


def test_it_computes_what_torchs_own_transformer_computes():
    model = jittered(made())
    tables = [model.side(name).embed.words.weight for name in ("encoder", "decoder")]
    entering = [
        table[ids] * 32**0.5 + positions(ids.shape[1], 32) for table, ids in zip(tables, (SOURCE, TARGET), strict=True)
    ]
    hidden, ahead = SOURCE == 0, nn.Transformer.generate_square_subsequent_mask(TARGET.shape[1])
    wanted = oracle(model)(
        *entering,
        tgt_mask=ahead,
        src_key_padding_mask=hidden,
        memory_key_padding_mask=hidden,
        tgt_is_causal=True,
    )
    final = model.run(*walked())
    assert (final - wanted).abs().max() < 1e-5
    assert (model.logits(final) - wanted @ tables[1].T).abs().max() < 1e-5


def count(config):
    with laying_out():
        parts = dict(Network(VASWANI.plan(config, frozenset())).named_parameters())
    return sum(part.numel() for name, part in parts.items() if name != "output.pieces.weight") / 1e6


def test_the_base_model_has_the_parameters_that_its_parts_have():
    """512 x 37,000 rows, 6 layers of 4 and of 8 products with biases, two of 512 x 2,048, and norms."""
    assert count(configuration("base")) == 63.082_496


PRINTED = [name for name, row in TABLE3.items() if row.printed]
WIDER = {"C-1024-wide", "big"}


@pytest.mark.parametrize("name", [name for name in PRINTED if name not in WIDER])
def test_a_row_of_table_3_differs_from_the_base_as_the_paper_prints(name):
    ours = count(configuration(name)) - count(configuration("base"))
    assert abs(ours - (TABLE3[name].printed - TABLE3["base"].printed)) < 1


def test_the_sizes_that_are_printed_follow_from_a_few_more_pieces():
    """With 40,700 pieces, and not 37,000, all of rows (A) to (C) are within a million; the big model stays apart."""
    off = {name: count(configuration(name, pieces=40_700)) - TABLE3[name].printed for name in PRINTED}
    assert {name for name, difference in off.items() if abs(difference) >= 1} == {"big"}


@pytest.mark.parametrize("name", ["A-1", "A-4", "A-16", "A-32"])
def test_how_many_heads_there_are_does_not_change_the_size(name):
    assert count(configuration(name)) == count(configuration("base"))


def test_a_row_that_is_not_in_the_table_is_refused():
    with pytest.raises(CoreError) as caught:
        configuration("F")
    assert caught.value.key == "unknown_choice"


def test_heads_may_read_more_numbers_than_they_compare():
    """Row (B): narrower queries and keys, values as wide as before."""
    model, tape = made({**CONFIG, "d_k": 4}), Tape()
    source, target = walked(tape=tape)
    final = model.run(source, target)
    attention = tape.records["attention", Place("cross", 1)]
    assert (attention.queries.shape[-1], attention.values.shape[-1]) == (4, 8)
    assert final.shape == (2, 6, 32)


def test_learned_positions_are_rows_of_a_table():
    model = made({**CONFIG, "positions": "learned", "longest": 9})
    assert model.side("encoder").embed.positions.weight.shape == (9, 32)
    assert model.spec.positions == 9


@pytest.mark.parametrize("wrong", [{"positions": "rotary"}, {"positions": "learned"}])
def test_positions_that_the_paper_does_not_have_are_refused(wrong):
    with pytest.raises(CoreError) as caught:
        made({**CONFIG, **wrong})
    assert caught.value.key == "config_value"


def test_one_vocabulary_has_one_table_for_both_sides_and_the_output():
    model = made({**CONFIG, "target_pieces": 0})
    tables = {id(model.side(name).embed.words.weight) for name in ("encoder", "decoder")}
    assert tables == {id(model.network.output.pieces.weight)}


def test_the_output_has_the_rows_of_the_words_it_writes():
    model = made()
    assert model.network.output.pieces.weight is model.side("decoder").embed.words.weight
    assert model.side("encoder").embed.words.weight.shape == (40, 32)


def test_a_seed_is_one_model():
    one, same, other = (list(made(seed=seed).network.parameters()) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one, same, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_numbers_begin_where_their_outputs_keep_their_size():
    for name, part in made({**CONFIG, "source_pieces": 4000}).network.named_parameters():
        if name.endswith("words.weight"):
            assert part.std().item() == pytest.approx(32**-0.5, rel=0.1)
        elif part.ndim == 2:
            bound = (6 / sum(part.shape)) ** 0.5
            assert 0.9 * bound < part.abs().max() <= bound
        else:
            assert set(part.tolist()) == ({0.0} if name.endswith("bias") else {1.0})


def test_gradients_reach_every_parameter():
    model = made()
    model.logits(model.run(*walked())).square().mean().backward()
    idle = [name for name, part in model.network.named_parameters() if part.grad is None or not part.grad.any()]
    assert [name for name in idle if not name.endswith("keys.bias")] == []


def test_dropout_is_asked_for_and_nothing_else_is_left_to_chance():
    model = made()
    plain = [model.run(*walked()) for _ in range(2)]
    dropped = [model.run(*walked(dropout=0.1)) for _ in range(2)]
    assert torch.equal(*plain)
    assert not torch.equal(*dropped)
    assert not any(torch.equal(one, plain[0]) for one in dropped)


def test_dropout_spares_the_stream_and_scales_what_is_left():
    """Section 5.4: what a part adds, and what enters layer 0. Without a stream to add to, all of it is dropped."""
    torch.manual_seed(0)
    walk = walk_over(torch.ones(1, 1, dtype=torch.bool), dropout=0.25)
    left = walk.dropped(torch.ones(1, 1, 10_000))
    assert left.unique().tolist() == [0.0, pytest.approx(4 / 3)]
    assert abs((left == 0).float().mean() - 0.25) < 0.02
    layer = made().side("encoder").layers[0]
    stream, added = torch.ones(1, 1, 32), torch.ones(1, 1, 32)
    assert (layer.joined(stream, added, walk, Place("encoder", 0)) >= 1).all()
    tape = Tape()
    made().run(*walked(tape=tape, dropout=0.25))
    entering = [tape.records["hidden", Place(side, 0)] for side in ("encoder", "decoder")]
    assert all(0.1 < (state == 0).float().mean() < 0.4 for state in entering)
    alone = walk_over(walk.keep, dropout=0.25, changes=(NoResidual(),))
    assert (layer.joined(stream, added, alone, Place("encoder", 0)) == 0).any()
