"""Sound in: mel frames as published, positions called by their time, silence told from sound."""

import io
import wave
from dataclasses import replace

import numpy as np
import pytest

import core
from core.analysis import units_of
from core.inputs import LogMel
from tests.core.changed import FAMILIES, changed, opened, with_settings
from tests.golden.fixtures import Fixture

FIXTURE = Fixture(FAMILIES / "whisper_asr")
AUDIO = FIXTURE.folder / "audio.wav"


def wav(samples, *, rate=16_000, channels=1, width=2):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(width)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())
    return file.getvalue()


def test_a_wav_file_becomes_the_published_frames():
    sample = core.read(opened("whisper_asr"), sound=AUDIO)
    assert sample.signal.shape == (80, 100)
    assert np.abs(sample.signal - FIXTURE.tensors["input_features"][0]).max() <= 2e-5


def test_from_a_wav_file_to_the_published_maps():
    model = opened("whisper_asr")
    sample = core.read(model, sound=AUDIO)
    found = core.Sample.from_ids(FIXTURE.tensors["decoder_input_ids"][0])
    trace = core.trace(model, replace(sample, target=found))
    assert np.abs(trace.pattern(1, 2, "cross") - FIXTURE.tensors["cross_attentions.1"][0, 2]).max() <= 1e-4


def test_positions_are_called_by_their_time_and_silence_is_told():
    sample = core.read(opened("whisper_asr"), sound=AUDIO)
    assert (len(sample), sample.labels[:3], sample.labels[-1]) == (50, ("0.00s", "0.02s", "0.04s"), "0.98s")
    assert sample.kinds == ("word",) * 35 + ("padding",) * 15
    assert len(units_of(sample, special="hide")) == 35
    assert sample.notes[0].values == {"seconds": "0.70", "whole": "1"}


def test_a_full_sized_whisper_hears_thirty_seconds_and_marks_one_as_sound(tmp_path):
    """One second is 50 of 1,500 positions; 128 bins come from the config."""
    import torch

    source = torch.Generator().manual_seed(0)
    tensors = {
        "model.encoder.embed_positions.weight": torch.randn(1500, 24, generator=source),
        "model.encoder.conv1.weight": torch.randn(24, 128, 3, generator=source) / 20,
    }
    model = changed(
        tmp_path, "whisper_asr", tensors=tensors, config=with_settings(num_mel_bins=128, max_source_positions=1500)
    )
    sample = core.read(model, sound=np.sin(np.arange(16_000) / 9), target="The cat")
    assert sample.signal.shape == (128, 3000)
    assert [sample.kinds.count(kind) for kind in ("word", "padding")] == [50, 1450]
    trace = core.trace(model, sample)
    assert trace.pattern(0, 0, "cross").shape == (len(sample.target), 1500)


def test_keys_have_no_bias_and_that_is_no_error():
    model = opened("whisper_asr")
    mixers = [layer.mixer for side in model.sides for layer in model.side(side).layers]
    assert all(mixer.keys.bias is None and mixer.queries.bias is not None for mixer in mixers)


def test_forced_pieces_begin_what_is_written_up_to_the_one_left_open(tmp_path):
    forced = [[1, 355], [2, 358], [3, 359]]
    model = changed(tmp_path, "whisper_asr", config=with_settings(forced_decoder_ids=forced))
    assert model.spec.start == (354, 355, 358, 359)
    target = core.read(model, sound=AUDIO, target="<|zh|><|translate|> The").target
    assert target.pieces[:3] == ("<|startoftranscript|>", "<|zh|>", "<|translate|>")
    found = core.trace(model, core.read(model, sound=AUDIO)).sample.target
    assert found.ids[:4].tolist() == [354, 355, 358, 359]
    found = changed(tmp_path / "open", "whisper_asr", config=with_settings(forced_decoder_ids=[[1, None], [2, 358]]))
    assert found.spec.start == (354,)


@pytest.mark.parametrize(
    "given",
    [
        wav((np.sin(np.arange(800) / 9) * 32767).astype("<i2")),
        wav(np.repeat((np.sin(np.arange(800) / 9) * 32767).astype("<i2"), 2), channels=2),
        wav((np.sin(np.arange(800) / 9) * 2147483647).astype("<i4"), width=4),
        np.sin(np.arange(800) / 9),
        (np.sin(np.arange(800) / 9) * 32767).astype(np.int16),
        np.stack([np.sin(np.arange(800) / 9)] * 2, axis=1).astype(np.float32),
    ],
    ids=["16 bits", "two channels", "32 bits", "floats", "whole numbers", "floats of two channels"],
)
def test_the_same_sound_in_another_form(given):
    model = opened("whisper_asr")
    wanted = core.read(model, sound=np.sin(np.arange(800) / 9)).signal
    assert np.abs(core.read(model, sound=given).signal - wanted).max() <= 2e-3


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (wav(np.zeros(80, "<i2"), rate=44_100), "sound_rate"),
        (np.zeros(16_001), "sound_too_long"),
        (np.zeros(0), "sound_unreadable"),
        (np.array([0.1, np.nan]), "sound_unreadable"),
        (np.array(["a"]), "sound_unreadable"),
        (np.zeros((2, 2, 2)), "sound_unreadable"),
        (b"RIFF....WAVE", "sound_unreadable"),
        (wav(np.zeros(0, "<i2")), "sound_unreadable"),
        ("no such file.wav", "sound_unreadable"),
    ],
)
def test_what_cannot_be_heard_is_refused(given, key):
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("whisper_asr"), sound=given)
    assert caught.value.key == key


@pytest.mark.parametrize("given", [{"text": "She"}, {"text": "She", "sound": AUDIO}, {}, {"image": 1}])
def test_a_model_that_hears_takes_sound_only(given):
    with pytest.raises(core.CoreError) as caught:
        core.read(opened("whisper_asr"), **given)
    assert (caught.value.key, caught.value.values["allowed"]) == ("input_kind", "sound")


def test_a_model_that_reads_takes_no_sound():
    with pytest.raises(core.CoreError):
        core.read(opened("bert_mlm"), sound=AUDIO)


def test_settings_of_sound_that_are_not_supported_are_refused(tmp_path):
    changed(tmp_path, "whisper_asr")
    (tmp_path / "preprocessor_config.json").write_text('{"dither": 0.1}')
    with pytest.raises(core.CoreError) as caught:
        core.open_model(tmp_path)
    assert caught.value.key == "config_value"


def test_bands_overlap_by_half_and_the_lowest_are_even():
    bands = LogMel(bins=80, frames=10).bands()
    assert bands.shape == (201, 80)
    assert (bands.sum(axis=0) > 0).all()
    peaks = bands.argmax(axis=0) * 40
    assert (np.diff(peaks) >= 0).all()
    assert peaks[-1] < 8000
