"""Pictures in: numbers as published, patches called by row and column, refusals in words; texts against pictures."""

import io
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import core
from core.analysis import units_of
from core.models.vit import VIT
from tests.core.changed import FAMILIES, changed, opened, with_settings
from tests.golden.fixtures import Fixture

SEEING = ("vit_cls", "vit_wide", "deit_taught", "clip_both")


def pictures(name):
    return sorted((FAMILIES / name).glob("image*.png"))


def stripes(rows, columns, colours=3):
    return (np.indices((rows, columns, colours)).sum(0) * 7 % 256).astype(np.uint8)


def prepared(tmp_path, name, **settings):
    """A fixture whose preprocessor_config.json says something else; None takes a setting away."""
    shutil.copytree(FAMILIES / name, tmp_path / name)
    path = tmp_path / name / "preprocessor_config.json"
    given = {**json.loads(path.read_text()), **settings}
    path.write_text(json.dumps({key: value for key, value in given.items() if value is not None}))
    return core.open_model(tmp_path / name)


@pytest.mark.parametrize("name", SEEING)
def test_a_file_becomes_the_published_numbers(name):
    wanted = Fixture(FAMILIES / name).tensors["pixel_values"]
    for path, pixels in zip(pictures(name), wanted, strict=True):
        for given in (path, path.read_bytes(), Image.open(path), np.asarray(Image.open(path))):
            assert np.abs(core.read(opened(name), image=given).signal - pixels).max() < 1e-6


def test_from_a_file_to_the_published_maps():
    fixture, model = Fixture(FAMILIES / "deit_taught"), opened("deit_taught")
    trace = core.trace(model, core.read(model, image=pictures("deit_taught")[1]))
    assert np.abs(trace.pattern(2, 4) - fixture.tensors["attentions.2"][1, 4]).max() <= fixture.tolerance("attentions")


@pytest.mark.parametrize(("image", "patch", "length"), [(224, 16, 197), (224, 32, 50), ([32, 64], 16, 9)])
def test_as_many_positions_as_patches_and_one(image, patch, length):
    config = {"image_size": image, "patch_size": patch, "hidden_size": 12, "num_attention_heads": 3}
    spec = VIT.plan({**config, "num_hidden_layers": 1, "intermediate_size": 8}, frozenset()).spec
    assert (spec.places, spec.positions) == (length, length)


def test_positions_are_called_by_row_and_column_and_fold_back():
    model = opened("vit_wide")
    sample = core.read(model, image=stripes(32, 64))
    assert sample.labels == ("CLS", "(0,0)", "(0,1)", "(0,2)", "(0,3)", "(1,0)", "(1,1)", "(1,2)", "(1,3)")
    assert sample.kinds[:2] == ("special", "word")
    assert len(units_of(sample, "pieces", "hide")) == 8
    row = core.trace(model, sample).pattern(1, 2)[0]
    assert sample.folded(row).shape == (2, 4)
    assert sample.folded(row)[1, 2] == row[1 + 4 + 2]


def test_what_learned_from_a_teacher_is_no_patch():
    sample = core.read(opened("deit_taught"), image=stripes(28, 28))
    assert (sample.labels[:3], sample.kinds[:3]) == (("CLS", "DIST", "(0,0)"), ("special", "special", "word"))
    assert sample.folded(np.arange(18))[0, 0] == 2


def test_a_text_does_not_fold():
    with pytest.raises(core.CoreError) as caught:
        core.Sample.from_ids([1, 2]).folded(np.zeros(2))
    assert caught.value.key == "no_picture"


def test_a_note_says_what_became_of_the_picture():
    (note,) = core.read(opened("vit_wide"), image=stripes(50, 40)).notes
    assert (note.key, note.values) == ("picture", {"came": "40 × 50", "size": "64 × 32", "rows": 2, "columns": 4})
    assert core.read(opened("deit_taught"), image=stripes(50, 40)).notes[0].key == "picture_cropped"


def test_grey_and_see_through_pictures_are_read_in_colour():
    model = opened("vit_cls")
    grey = core.read(model, image=stripes(30, 30, 1)).signal
    assert np.array_equal(grey, core.read(model, image=stripes(30, 30, 1)[..., 0]).signal)
    assert np.array_equal(grey[0], grey[2])
    clear = np.dstack((stripes(30, 30), np.full((30, 30), 9, np.uint8)))
    assert np.array_equal(core.read(model, image=clear).signal, core.read(model, image=stripes(30, 30)).signal)


def test_a_photograph_from_a_file_is_turned_upright():
    file, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(stripes(20, 40)).save(file, "PNG", exif=exif)
    upright = np.rot90(stripes(20, 40), -1)
    model = opened("vit_cls")
    assert np.array_equal(core.read(model, image=file.getvalue()).signal, core.read(model, image=upright).signal)


def test_the_middle_of_a_picture_that_is_too_small_has_black_around_it(tmp_path):
    model = prepared(tmp_path, "deit_taught", do_resize=False, do_normalize=False)
    pixels = core.read(model, image=np.full((25, 30, 3), 255, np.uint8)).signal
    assert pixels.shape == (3, 28, 28)
    assert (pixels[0, :, 0] == [0, 0, *[1] * 25, 0]).all()


UNREADABLE = {
    "no picture": b"hello",
    "cut": pictures("vit_cls")[0].read_bytes()[:300],
    "nowhere": FAMILIES / "nowhere.png",
    "fractions": np.zeros((4, 4, 3)),
    "five colours": np.zeros((4, 4, 5), np.uint8),
    "one axis": np.zeros(4, np.uint8),
    "empty": np.zeros((0, 4, 3), np.uint8),
}


@pytest.mark.parametrize("given", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_picture_is_refused(given):
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("vit_cls"), image=given)
    assert caught.value.key == "picture_unreadable"
    assert str(FAMILIES) not in str(caught.value)


def test_an_enormous_picture_is_refused_before_it_is_made():
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("clip_both"), image=np.zeros((200_000, 1, 3), np.uint8))
    assert caught.value.key == "picture_unreadable"


def test_a_picture_that_becomes_another_size_is_refused(tmp_path):
    model = prepared(tmp_path, "vit_cls", do_resize=False)
    assert core.read(model, image=stripes(30, 30)).signal.shape == (3, 30, 30)
    with pytest.raises(core.CoreError) as caught:
        core.read(model, image=stripes(30, 31))
    assert (caught.value.key, caught.value.values) == ("picture_size", {"came": "31 × 30", "allowed": "30 × 30"})


@pytest.mark.parametrize(
    "settings",
    [
        {"size": 30},
        {"size": [30, 30]},
        {"image_processor_type": None, "feature_extractor_type": "ViTFeatureExtractor", "size": 30},
        {"image_processor_type": "ViTImageProcessorFast"},
        {"image_mean": 0.5, "image_std": 0.5},
    ],
)
def test_older_and_newer_settings_mean_the_same(tmp_path, settings):
    found = core.read(prepared(tmp_path, "vit_cls", **settings), image=pictures("vit_cls")[0]).signal
    assert np.array_equal(found, core.read(opened("vit_cls"), image=pictures("vit_cls")[0]).signal)


def test_settings_may_be_within_those_of_the_whole_processor_or_missing(tmp_path):
    shutil.copytree(FAMILIES / "vit_cls", tmp_path / "vit")
    path = tmp_path / "vit" / "preprocessor_config.json"
    wanted = core.read(opened("vit_cls"), image=pictures("vit_cls")[0]).signal
    given = {"image_processor": json.loads(path.read_text())}
    path.unlink()
    for settings in (None, given):
        if settings:
            (tmp_path / "vit" / "processor_config.json").write_text(json.dumps(settings))
        model = core.open_model(tmp_path / "vit")
        assert np.array_equal(core.read(model, image=pictures("vit_cls")[0]).signal, wanted)


@pytest.mark.parametrize(
    "settings",
    [
        {"image_processor_type": "ConvNextImageProcessor"},
        {"size": {"height": 32, "width": 30}},
        {"size": {"longest_edge": 30}},
        {"resample": 9},
        {"image_mean": [0.5, 0.5]},
    ],
)
def test_other_settings_are_refused(tmp_path, settings):
    with pytest.raises(core.CoreError) as caught:
        prepared(tmp_path, "vit_cls", **settings)
    assert caught.value.key == "config_value"


@pytest.mark.parametrize("given", [{"text": "hi"}, {"sound": np.zeros(9)}, {}])
def test_a_model_that_sees_takes_pictures_only(given):
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("vit_cls"), **given)
    assert (caught.value.key, caught.value.values) == ("input_kind", {"allowed": "image"})


def test_numbers_of_another_shape_are_refused():
    model = opened("vit_cls")
    sample = core.read(model, image=stripes(30, 30))
    with pytest.raises(core.CoreError) as caught:
        core.trace(model, replace(sample, signal=sample.signal[:, :24]))
    assert caught.value.values == {"allowed": "image 3 × 30 × 30"}


def test_a_patch_larger_than_the_picture_is_refused(tmp_path):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, "vit_cls", config=with_settings(patch_size=31))
    assert caught.value.key == "config_value"


def test_a_model_with_two_encoders_walks_the_one_for_what_it_is_given():
    model = opened("clip_both")
    assert (model.takes, model.sides, model.taking("image").sides) == (("text", "image"), ("encoder",), ("encoder",))
    text = core.trace(model, core.read(model, "the key"))
    seen = core.trace(model, core.read(model, image=pictures("clip_both")[0]))
    assert (text.sides, seen.sides) == (("encoder",), ("encoder",))
    assert (text.model.spec.heads.count, seen.model.spec.heads.count) == (3, 5)
    assert not np.triu(text.pattern(0, 0), 1).any()
    assert np.triu(seen.pattern(0, 0), 1).any()
    assert np.linalg.norm(text.logits()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("given", [{"text": "a", "image": stripes(24, 24)}, {"sound": np.zeros(9)}, {}])
def test_it_takes_one_of_them_at_a_time(given):
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("clip_both"), **given)
    assert (caught.value.key, caught.value.values) == ("input_kind", {"allowed": "text, image"})


def test_a_batch_is_of_one_kind():
    model = opened("clip_both")
    both = [core.read(model, "the key"), core.read(model, image=stripes(24, 24))]
    with pytest.raises(core.CoreError) as caught:
        core.trace(model, core.Sample.batch(both))
    assert caught.value.key == "input_kind"


def test_texts_are_matched_with_pictures_as_published():
    fixture, model = Fixture(FAMILIES / "clip_both"), opened("clip_both")
    texts = [core.trace(model, core.read(model, text)) for text in fixture.told["text"]]
    seen = [core.trace(model, core.read(model, image=path)) for path in pictures("clip_both")]
    found = core.analysis.matches(texts[0], pictures=seen, texts=texts[1:])
    assert np.abs(found - fixture.tensors["logits"]).max() <= fixture.tolerance("logits")


def test_a_model_that_compares_nothing_has_no_matches():
    model = opened("bert_mlm")
    trace = core.trace(model, core.Sample.from_ids([1, 2]))
    with pytest.raises(core.CoreError) as caught:
        core.analysis.matches(trace, pictures=[trace])
    assert caught.value.key == "no_output"


def test_a_text_is_judged_at_its_first_end(tmp_path):
    """A text that spells the end itself ends there; the first folders name a wrong end and mean the highest id."""
    model = opened("clip_both")
    ids = core.read(model, "the key").ids.tolist()
    twice = core.Sample.from_ids([*ids, *ids])
    assert np.allclose(
        core.trace(model, twice).logits(), core.trace(model, core.Sample.from_ids(ids)).logits(), atol=1e-5
    )

    def older(config):
        return {**config, "text_config": {**config["text_config"], "eos_token_id": 2}}

    same = changed(tmp_path, "clip_both", config=older)
    assert np.allclose(core.trace(same, twice).logits(), core.trace(model, twice).logits(), atol=1e-6)


def test_marks_of_the_end_of_a_word_are_not_shown():
    sample = core.read(opened("clip_both"), "The keys 刺")
    assert [piece for piece in sample.pieces if piece.endswith("</w>")]
    assert not [label for label in sample.labels if "</w>" in label]
    assert sample.labels[0] == "<|startoftext|>"
