"""BERT's relatives: where positions start, what heads of classes say, which layers are one, what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from core import CoreError, Sample, open_model, read, trace
from core.analysis.checking import check
from core.positions.buckets import Ranges
from core.positions.disentangled import Distances
from core.walk import walk_over

FAMILIES = Path(__file__).parents[1] / "golden" / "families"


def opened(name):
    return open_model(FAMILIES / name)


def changed(folder, name, *, lost=(), tensors=None, **settings):
    """Open a copy of a fixture whose config and tensors are changed."""
    shutil.copytree(FAMILIES / name, folder, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **settings}))
    weights = {key: value for key, value in load_file(folder / "model.safetensors").items() if key not in lost}
    save_file({**weights, **(tensors or {})}, folder / "model.safetensors")
    return open_model(folder)


def longer(folder, name, rows):
    table = torch.randn(rows, opened(name).spec.width)
    tensors = {"roberta.embeddings.position_embeddings.weight": table}
    return changed(folder, name, tensors=tensors, max_position_embeddings=rows)


def places(model, ids):
    ids = torch.tensor([ids])
    return model.side("encoder").embed.places(walk_over(torch.ones_like(ids, dtype=torch.bool), ids=ids))[0].tolist()


@pytest.mark.parametrize(("name", "pad"), [("roberta_mlm", 1), ("xlm_roberta_mlm", 1), ("roberta_classes", 3)])
def test_positions_start_after_the_padding_id(name, pad):
    assert places(opened(name), [9, 8, 7]) == [pad + 1, pad + 2, pad + 3]


def test_a_typed_padding_piece_takes_the_row_of_padding_and_is_not_counted():
    assert places(opened("mpnet_mlm"), [9, 1, 7]) == [2, 1, 3]


@pytest.mark.parametrize(("name", "most"), [("roberta_mlm", 512), ("roberta_classes", 510)])
def test_a_table_of_514_rows_serves_as_many_pieces_as_lie_after_the_padding_id(tmp_path, name, most):
    model = longer(tmp_path, name, 514)
    assert np.isfinite(trace(model, Sample.from_ids([9] * most)).final).all()
    with pytest.raises(CoreError) as refused:
        trace(model, Sample.from_ids([9] * (most + 1)))
    assert refused.value.values == {"came": most + 1, "allowed": most}
    with pytest.raises(CoreError, match=str(most)):
        read(model, "no " * most)


@pytest.mark.parametrize(
    "name", ["roberta_mlm", "mpnet_mlm", "deberta_v2_classes", "deberta_v3_mlm", "modernbert_mlm", "albert_groups"]
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing(name, side):
    model = opened(name)
    long, short = Sample.from_ids(range(5, 25)), Sample.from_ids([30, 31, 32])
    together, alone = trace(model, Sample.batch([long, short], padding=side)).item(1), trace(model, short)
    assert np.allclose(together.final, alone.final, atol=1e-4)
    assert np.allclose(together.pattern(1, 1), alone.pattern(1, 1), atol=1e-5)
    assert np.allclose(together.logits(), alone.logits(), atol=1e-4)


@pytest.mark.parametrize("name", ["mpnet_mlm", "deberta_v3_mlm", "deberta_v2_classes", "modernbert_mlm"])
def test_every_law_holds(name):
    laws = check(opened(name), Sample.from_ids(range(5, 25)))
    assert [law for law in laws if not law.holds] == []


@pytest.mark.parametrize("name", ["bert_mlm", "roberta_mlm", "distilbert_mlm", "deberta_v3_mlm", "modernbert_mlm"])
def test_every_relative_takes_a_pair(name):
    model = opened(name)
    sample = read(model, "the cat", "the dog")
    assert trace(model, sample).pattern(0, 0).shape == (len(sample), len(sample))


@pytest.mark.parametrize(
    ("name", "classes"),
    [("roberta_classes", 4), ("distilbert_classes", 3), ("deberta_v2_classes", 3), ("modernbert_classes", 4)],
)
def test_a_head_of_the_whole_text_gives_one_row_whatever_is_asked(name, classes):
    found = trace(opened(name), Sample.from_ids([5, 6, 7, 8]))
    assert found.logits().shape == (1, classes)
    assert np.array_equal(found.logits([2, 3]), found.logits())


@pytest.mark.parametrize(("name", "classes"), [("bert_tags", 5), ("electra_replaced", 1)])
def test_a_head_of_pieces_gives_a_row_each(name, classes):
    assert trace(opened(name), Sample.from_ids([5, 6, 7, 8])).logits([1, 3]).shape == (2, classes)


@pytest.mark.parametrize("name", ["bert_tags", "roberta_classes", "distilbert_classes", "deberta_v2_classes"])
def test_without_architectures_the_tensors_say_which_head_it_is(tmp_path, name):
    model = changed(tmp_path, name, architectures=None)
    assert model.whole == opened(name).whole


def test_layers_of_a_group_are_one_and_are_counted_once():
    model = opened("albert_groups")
    layers = model.side("encoder").layers
    assert [layer is layers[0] for layer in layers] == [True, True, True, False, False]
    tensors = load_file(FAMILIES / "albert_groups" / "model.safetensors").values()
    assert model.report.parameters == sum(tensor.numel() for tensor in tensors)


def test_a_window_counts_half_of_the_config_to_each_side():
    found = trace(opened("modernbert_mlm"), Sample.from_ids(range(5, 25)))
    seen = (found.pattern(1, 0) > 0).sum(-1).tolist()
    assert seen == [5, 6, 7, 8, *[9] * 12, 8, 7, 6, 5]
    assert (found.pattern(0, 0) > 0).all()


def test_buckets_are_exact_near_and_shared_far():
    distances = torch.tensor([[0, -1, -7, -8, -20, -127, -500, 1, 7, 8, 500]])
    assert Ranges().of(distances)[0].tolist() == [0, 1, 7, 8, 10, 15, 15, 17, 23, 24, 31]
    assert Ranges(both=False).of(distances)[0].tolist() == [0, 1, 7, 8, 17, 31, 31, 0, 0, 0, 0]


def test_rows_of_distances_mirror_each_other():
    apart = torch.arange(1, 30)[None]
    for distances in (Distances(span=8), Distances(span=8, farthest=40)):
        ahead, behind = distances.of(-apart), distances.of(apart)
        assert ((ahead + behind == 16) | (behind == 15)).all()
        assert distances.of(torch.zeros(1, 1, dtype=torch.long)).item() == 8


@pytest.mark.parametrize("name", ["deberta_v3_mlm", "deberta_v2_classes", "mpnet_mlm"])
def test_a_bias_answers_for_any_cells_as_for_all(name):
    attention = trace(opened(name), Sample.from_ids(range(5, 25))).layer(1)
    every = torch.arange(20)
    whole = attention.bias.at(every, every)
    rows, columns = torch.tensor([3, 17, 4]), torch.tensor([19, 0, 7, 7])
    some = attention.bias.at(rows, columns)
    assert some.shape[-2:] == (3, 4)
    assert torch.allclose(some, whole[:, :, rows][..., columns], atol=1e-6)


REFUSED = [
    ("bert_mlm", {"position_embedding_type": "relative_key"}, "position_embedding_type"),
    ("roberta_mlm", {"is_decoder": True}, "is_decoder"),
    ("electra_generator", {"add_cross_attention": True}, "add_cross_attention"),
    ("bert_mlm", {"num_attention_heads": 5}, "num_attention_heads"),
    ("mpnet_mlm", {"relative_attention_num_buckets": 16}, "relative_attention_num_buckets"),
    ("deberta_v3_mlm", {"pos_att_type": "p2p|c2p"}, "pos_att_type"),
    ("deberta_v2_classes", {"conv_kernel_size": 4}, "conv_kernel_size"),
    ("modernbert_mlm", {"layer_types": ["full_attention", "chunked_attention", "full_attention"]}, "layer_types"),
    ("modernbert_mlm", {"layer_types": ["full_attention"]}, "layer_types"),
    ("modernbert_mlm", {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, "rope_parameters"),
    ("modernbert_classes", {"classifier_pooling": "max"}, "classifier_pooling"),
]


@pytest.mark.parametrize(("name", "settings", "named"), REFUSED, ids=lambda value: str(value)[:30])
def test_a_switch_that_is_not_known_is_refused_by_name(tmp_path, name, settings, named):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, name, **settings)
    assert (refused.value.key, refused.value.values["name"]) == ("config_value", named)


def test_a_head_that_is_not_tied_must_be_in_the_file(tmp_path):
    with pytest.raises(CoreError) as refused:
        changed(tmp_path, "roberta_mlm", tie_word_embeddings=False)
    assert (refused.value.key, refused.value.values["name"]) == ("tensor_missing", "output.pieces.weight")


def test_a_head_that_nothing_reads_is_left_out_with_a_reason(tmp_path):
    other = {"mask_predictions.dense.weight": torch.zeros(3, 3), "lm_predictions.lm_head.bias": torch.zeros(260)}
    model = changed(tmp_path, "deberta_v3_mlm", tensors=other)
    assert dict(model.report.ignored) == dict.fromkeys(other, "pooler")


def test_both_spellings_of_windows_and_bases_are_one_model(tmp_path):
    sample = Sample.from_ids(range(5, 25))
    kinds = ["full_attention", "sliding_attention", "full_attention"]
    bases = {"full_attention": {"rope_theta": 160000.0}, "sliding_attention": {"rope_theta": 10000.0}}
    later = changed(tmp_path, "modernbert_classes", layer_types=kinds, rope_parameters=bases)
    assert np.array_equal(trace(later, sample).final, trace(opened("modernbert_classes"), sample).final)
