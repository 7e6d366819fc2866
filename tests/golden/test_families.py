"""Tiny published models of each family: everything they compute, compared with an independent implementation."""

import json
import shutil
from functools import cache

import numpy as np
import pytest

import core
from tests.golden.fixtures import HERE, alone, distances, fixtures_in, places, problems, together

OWN, NAMED = places()
FIXTURES = [fixture for place in OWN + NAMED for fixture in fixtures_in(place)]

pytestmark = pytest.mark.golden
each = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
WRITERS = [fixture for fixture in FIXTURES if "greedy_ids" in fixture.tensors]


@cache
def opened(folder):
    return core.open_model(folder, device="cpu")


@each
def test_everything_a_family_computes(fixture):
    assert fixture.check() is None
    found = distances(fixture, alone(fixture, opened(fixture.folder)))
    assert found
    assert max(found.values()) <= 1, found


@each
@pytest.mark.parametrize("padding", ["left", "right"])
def test_a_sentence_in_a_batch_is_computed_as_if_alone(fixture, padding):
    found = distances(fixture, together(fixture, opened(fixture.folder), padding))
    assert max(found.values()) <= 1, found


@pytest.mark.parametrize("fixture", WRITERS, ids=lambda fixture: fixture.name)
def test_greedy_continuations(fixture):
    start, wanted = fixture.tensors["greedy_start"][0].tolist(), fixture.tensors["greedy_ids"][0].tolist()
    steps = core.generate(opened(fixture.folder), fixture.begun, limit=len(wanted) - len(start))
    assert [*start, *(step.ident for step in steps)] == wanted


@each
def test_the_tokenizer_gives_the_published_pieces(fixture):
    model = opened(fixture.folder)
    reader = getattr(model.reader, "text", model.reader)
    for case in fixture.told.get("tokenizer_cases", ()):
        if not case["ids"]:
            with pytest.raises(core.CoreError):
                reader.read(case["text"])
            continue
        sample = reader.read(case["text"])
        assert (sample.ids.tolist(), list(sample.pieces)) == (case["ids"], case["tokens"])
        spans = [(0, 0) if span is None else span for span in sample.spans]
        assert all(a <= start and end <= b for (start, end), (a, b) in zip(spans, case["offsets"], strict=True))


@each
def test_published_weights_leave_no_tensor_over(fixture):
    report = opened(fixture.folder).report
    assert report.tensors_read + len(report.ignored) == len(fixture.told["weight_keys"])


def test_folders_hold_fixtures_of_a_known_form():
    assert [said for place in OWN + NAMED for said in problems(place)] == []


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(HERE / "families" / "bert_mlm", tmp_path / "one" / "bert_mlm")
    return tmp_path / "one"


def test_golden_dirs_refuses_what_it_cannot_read(copied, tmp_path):
    assert problems(copied) == []
    assert problems(copied / "bert_mlm") == []
    (tmp_path / "empty").mkdir()
    assert problems(tmp_path / "empty")
    assert problems(tmp_path / "nowhere")
    (copied / "stray").mkdir()
    assert problems(copied)


@pytest.mark.parametrize(("key", "value"), [("kind", "poem"), ("kind", None)])
def test_an_unknown_form_is_a_problem(copied, key, value):
    path = copied / "bert_mlm" / "expected.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    assert problems(copied)


def test_an_unknown_family_fails(copied):
    path = copied / "bert_mlm" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_type": "foo"}))
    with pytest.raises(core.CoreError) as caught:
        core.open_model(copied / "bert_mlm")
    assert caught.value.key == "unknown_family"


def test_golden_dirs_takes_several_folders():
    own, named = places({"GOLDEN_DIRS": "/a:/b"})
    assert (own, [str(place) for place in named]) == ([HERE / "families"], ["/a", "/b"])


def test_numbers_that_are_not_numbers_are_no_match():
    fixture = FIXTURES[0]
    traces = alone(fixture, opened(fixture.folder))
    traces[0].finals["encoder"][0, 0, 0] = np.nan
    assert distances(fixture, traces)["hidden_states"] == np.inf
