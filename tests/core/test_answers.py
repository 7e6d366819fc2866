"""Encoder-decoders: three kinds of maps, what an answer begins and ends with, and T5's two heads."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import core
from core import Sample
from core.analysis import maps
from core.analysis.checking import check
from tests.core.changed import FAMILIES, changed, opened, with_settings
from tests.golden.fixtures import Fixture

ANSWERING = ["t5_relu_tied", "t5_gated_untied", "mt5_lm", "bart_lm", "mbart_lm", "marian_mt", "m2m_100_lm"]


def asked(model, text="Where is it?", target=None):
    return core.read(model, text, target=target)


def written(model, sample, limit=6):
    return [step.ident for step in core.generate(model, sample, limit=limit)]


@pytest.mark.parametrize("name", ANSWERING)
def test_encoder_decoder_and_cross_maps_are_told_apart(name):
    model = opened(name)
    sample = asked(model, target="She")
    trace, (source, target) = core.trace(model, sample), (len(sample), len(sample.target))
    assert trace.sides == ("encoder", "decoder", "cross")
    assert trace.pattern(0, 0, "encoder").shape == (source, source)
    assert trace.pattern(0, 0, "decoder").shape == (target, target)
    assert trace.pattern(0, 0, "cross").shape == (target, source)
    assert not np.triu(trace.pattern(0, 0, "decoder"), 1).any()
    drawn = maps(trace, side="cross")
    assert (drawn.rows.labels, drawn.columns.labels) == (sample.target.labels, sample.labels)
    assert all(law.holds for law in check(model, sample))


def test_a_decoder_alone_has_no_encoder():
    trace = core.trace(opened("gpt2_lm"), Sample.from_ids([5, 6, 7]))
    with pytest.raises(core.CoreError) as caught:
        trace.layers("cross")
    assert (caught.value.key, caught.value.values["allowed"]) == ("unknown_side", "decoder")


@pytest.mark.parametrize("name", ANSWERING)
def test_writing_with_the_cache_equals_one_pass_over_what_was_written(name):
    """Six pieces written after what an answer begins with; only those that were fed have rows."""
    model, sample = opened(name), Fixture(FAMILIES / name).sample(0)
    steps = list(core.generate(model, Sample.from_ids(sample.ids), limit=6))
    fed = [*model.spec.start, *(step.ident for step in steps[:-1])]
    trace = core.trace(model, replace(sample, target=Sample.from_ids(fed)))
    ends = range(len(model.spec.start) - 1, len(fed))
    assert trace.pattern(0, 0, "cross").shape == (len(fed), len(sample))
    assert np.abs(np.stack([step.logits for step in steps]) - trace.logits(ends)).max() <= 1e-4
    assert [step.position for step in steps] == list(range(len(model.spec.start), len(fed) + 1))


@pytest.mark.parametrize("padding", ["left", "right"])
@pytest.mark.parametrize("name", ANSWERING)
def test_padding_of_sources_and_of_answers_changes_nothing(name, padding):
    model = opened(name)
    pairs = [asked(model, "Where is it?", "She gave him"), asked(model, "a", "b")]
    batch = core.trace(model, Sample.batch(pairs, padding=padding))
    for number, sample in enumerate(pairs):
        alone, together = core.trace(model, sample), batch.item(number)
        assert np.abs(alone.logits() - together.logits()).max() <= 1e-4
        for side in alone.sides:
            assert np.abs(alone.pattern(0, 0, side) - together.pattern(0, 0, side)).max() <= 1e-5


def test_cross_rows_give_nothing_to_padding():
    model = opened("bart_lm")
    walks = core.tracing.tracing.walks_over(
        model, Sample.batch([asked(model, "Where is it?", "She gave"), asked(model, "a", "b")]), tape=core.tape.Tape()
    )
    with torch.no_grad():
        model.run(*walks)
        shares = core.mixers.softmax.pattern(walks[0].tape.read("attention", "cross")[1])
    kept = walks[0].keep[1], walks[1].keep[1]
    rows = shares[1][:, kept[1]]
    assert not rows[:, :, ~kept[0]].any()
    assert (rows.sum(-1) - 1).abs().max() <= 1e-5
    assert shares.isfinite().all()


def test_a_bart_begins_with_its_end_piece_and_the_forced_one_and_does_not_stop_there():
    model = opened("bart_lm")
    trace = core.trace(model, asked(model))
    assert trace.sample.target.pieces[:2] == ("</s>", "<s>")
    assert len(trace.sample.target) > 2
    assert trace.pattern(0, 0, "decoder").shape[0] == len(trace.sample.target)
    assert 298 in model.spec.ends


def test_an_answer_stops_before_its_end_piece(tmp_path):
    free = opened("bart_lm")
    first = written(free, asked(free))
    model = changed(tmp_path, "bart_lm", config=with_settings(eos_token_id=[first[3], 298]))
    end = first.index(first[3])
    assert core.trace(model, asked(model)).sample.target.ids.tolist() == [298, 296, *first[:end]]


def test_a_given_target_follows_what_answers_begin_with():
    model = opened("bart_lm")
    target = asked(model, target=" She").target
    assert target.pieces[:2] == ("</s>", "<s>")
    assert target.pieces[-1] != "</s>"
    assert "".join(target.surface(place) for place in range(len(target))).strip() == "She"


def test_a_language_at_the_beginning_of_a_target_is_written_in():
    model = opened("m2m_100_lm")
    sample = asked(model, target="fr_XX")
    assert sample.target.pieces == ("</s>", "fr_XX")
    assert sample.target.kinds == ("special", "special")
    assert len(written(model, sample)) == 6
    mbart = opened("mbart_lm")
    assert asked(mbart).pieces[-2:] == ("</s>", "en_XX")
    assert asked(mbart, target="en_XX She").target.pieces[:2] == ("fr_XX", "en_XX")
    assert asked(mbart, target="fr_XX She").target.pieces.count("fr_XX") == 1


def test_a_translator_that_names_no_first_piece_needs_one(tmp_path):
    model = changed(tmp_path, "mbart_lm", config=with_settings(decoder_start_token_id=None))
    with pytest.raises(core.CoreError) as caught:
        core.trace(model, asked(model))
    assert caught.value.key == "no_start"
    with pytest.raises(core.CoreError):
        asked(model, target="She")
    assert asked(model, target="fr_XX She").target.pieces[0] == "fr_XX"


def test_newer_folders_say_elsewhere_how_answers_begin(tmp_path):
    shutil.copytree(FAMILIES / "bart_lm", tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    said = {name: config.pop(name) for name in ("decoder_start_token_id", "forced_bos_token_id")}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "generation_config.json").write_text(json.dumps(said | {"suppress_tokens": None}))
    assert core.open_model(tmp_path).spec.start == (298, 296)


def test_pieces_that_may_not_be_written_are_not(tmp_path):
    """Marian's folders forbid the padding piece, which they begin with."""
    free = opened("marian_mt")
    best = written(free, asked(free))[0]
    model = changed(tmp_path, "marian_mt", config=with_settings(bad_words_ids=[[best], [3, 4]]))
    assert best not in written(model, asked(model))
    later = changed(tmp_path / "later", "marian_mt", config=with_settings(begin_suppress_tokens=[best]))
    assert written(later, asked(later))[0] == written(model, asked(model))[0]


def test_an_answer_ends_where_the_positions_do():
    model = opened("marian_mt")
    assert 2 * 30 + 8 > model.spec.positions == 48
    assert len(core.trace(model, Sample.from_ids(range(5, 35))).sample.target) <= 48


def test_a_judging_bart_reads_its_text_once_more():
    model = opened("bart_classes")
    sample = core.read(model, "She gave", "him the key")
    trace = core.trace(model, sample)
    assert trace.sample.target.ids.tolist() == [298, *sample.ids[:-1].tolist()]
    assert trace.logits().shape == (1, 3)
    with pytest.raises(core.CoreError):
        core.generate(model, sample)


def test_only_encoder_decoders_take_targets():
    for name, allowed in (("gpt2_lm", False), ("bert_mlm", False), ("t5_relu_tied", True)):
        model = opened(name)
        if allowed:
            assert core.read(model, "She", target="").target.ids.tolist() == [0]
        else:
            with pytest.raises(core.CoreError) as caught:
                core.read(model, "She", target="him")
            assert caught.value.key == "target_not_taken"


def test_the_first_t5_scales_what_goes_into_its_head_and_later_ones_do_not(tmp_path):
    """0.0441942 at a width of 512."""
    assert opened("t5_relu_tied").network.output.scale == pytest.approx(30**-0.5)
    assert opened("t5_gated_untied").network.output.scale == 1
    assert opened("mt5_lm").network.output.scale == 1
    assert abs(512**-0.5 - 0.0441942) < 1e-7
    resaved = with_settings(tie_word_embeddings=True, scale_decoder_outputs=False)
    model = changed(tmp_path, "t5_gated_untied", config=resaved)
    sample = Fixture(FAMILIES / "t5_gated_untied").sample(0)
    assert np.array_equal(core.trace(model, sample).logits(), core.trace(opened("t5_gated_untied"), sample).logits())


def test_an_untied_t5_without_its_head_is_refused(tmp_path):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, "t5_gated_untied", lost=("lm_head.weight",))
    assert (caught.value.key, caught.value.values["name"]) == ("tensor_missing", "output.pieces.weight")


def test_the_rows_of_pieces_are_the_shared_ones(tmp_path):
    other = {"encoder.embed_tokens.weight": torch.zeros(351, 30)}
    sample = Fixture(FAMILIES / "t5_relu_tied").sample(0)
    wanted = core.trace(opened("t5_relu_tied"), sample).logits()
    assert np.array_equal(core.trace(changed(tmp_path / "a", "t5_relu_tied", tensors=other), sample).logits(), wanted)
    lost = ("shared.weight", "encoder.embed_tokens.weight")
    assert np.array_equal(core.trace(changed(tmp_path / "b", "t5_relu_tied", lost=lost), sample).logits(), wanted)


def test_where_nothing_is_tied_each_side_has_its_own_rows(tmp_path):
    rows = load_file(FAMILIES / "bart_lm" / "model.safetensors")["model.shared.weight"]
    own = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
    tensors = {"model.shared.weight": torch.zeros_like(rows), **{name: rows.clone() for name in own}}
    model = changed(tmp_path, "bart_lm", tensors=tensors, config=with_settings(tie_word_embeddings=False))
    sample = Fixture(FAMILIES / "bart_lm").sample(0)
    assert np.array_equal(core.trace(model, sample).logits(), core.trace(opened("bart_lm"), sample).logits())
    assert model.report.ignored == (("model.shared.weight", "idle"),)


def test_a_t5_that_only_reads(tmp_path):
    tensors = Fixture(FAMILIES / "t5_relu_tied").told["weight_keys"]
    model = changed(tmp_path, "t5_relu_tied", lost=[name for name in tensors if name.startswith("decoder.")])
    assert (model.sides, model.spec.kind) == (("encoder",), "encoder")
    assert core.trace(model, core.read(model, "She")).sides == ("encoder",)


def test_marian_takes_its_positions_from_the_file_where_they_are(tmp_path):
    model = opened("marian_mt")
    rows = model.side("encoder").embed.scheme.rows(torch.arange(48))
    tables = {f"model.{side}.embed_positions.weight": rows.clone() for side in ("encoder", "decoder")}
    stored = changed(tmp_path, "marian_mt", tensors=tables)
    assert np.array_equal(core.trace(stored, asked(stored)).final, core.trace(model, asked(model)).final)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("bart_lm", {"normalize_before": True}),
        ("mbart_lm", {"add_final_layer_norm": False}),
        ("marian_mt", {"normalize_embedding": True}),
        ("marian_mt", {"decoder_vocab_size": 12}),
        ("t5_relu_tied", {"feed_forward_proj": "double-relu"}),
        ("whisper_asr", {"scale_embedding": True}),
        ("bart_lm", {"decoder_attention_heads": 4}),
    ],
)
def test_switches_that_mean_another_model_are_refused(tmp_path, name, settings):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, name, config=with_settings(**settings))
    assert caught.value.key == "config_value"


def test_a_t5_in_half_precision_is_computed_in_float32(tmp_path):
    """Its states grow beyond 65504, the largest number that half precision has."""
    grown = {"encoder.block.0.layer.1.DenseReluDense.wo.weight": torch.full((30, 40), 6e4, dtype=torch.float16)}
    model = changed(tmp_path, "t5_relu_tied", tensors=grown)
    sample = core.read(model, "the house is small " * 100, target="a")
    trace = core.trace(model, sample)
    assert model.report.computed == "float32"
    assert np.abs(trace.hidden(1, "encoder")).max() > 65504
    assert np.isfinite(trace.logits()).all()


def test_a_folder_with_sentencepiece_models_only_names_the_file_that_is_needed(tmp_path):
    shutil.copytree(FAMILIES / "marian_mt", tmp_path, dirs_exist_ok=True)
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "source.spm").write_bytes(b"")
    with pytest.raises(core.CoreError) as caught:
        core.open_model(tmp_path)
    assert caught.value.key == "tokenizer_sentencepiece"
    assert "tokenizer.json" in str(caught.value)
