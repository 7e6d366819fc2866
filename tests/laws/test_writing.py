"""What holds for every model that writes, decoders and those that answer: the cache, batches and padding change
nothing, and the maps of writing are those of one pass (A3, B13, I93)."""

import pytest

from core import Sample, generate, stitched
from tests.laws.writers import (
    AFTER,
    ANSWERING,
    LOGITS,
    LONG,
    PROMPT,
    SHARES,
    WRITERS,
    asked,
    begins,
    from_alone,
    from_one_map,
    from_whole_passes,
    opened,
)

SOUNDS = {name for name in ANSWERING if name.startswith("whisper")}  # all of one length
each = pytest.mark.parametrize("name", WRITERS)


@each
def test_writing_with_the_cache_equals_whole_passes_i93(name):
    assert from_whole_passes(opened(name), asked(name)) <= LOGITS


@pytest.mark.parametrize("name", ANSWERING)
def test_an_answer_from_its_own_beginning_equals_whole_passes_i93(name):
    assert from_whole_passes(opened(name), asked(name, ())) <= LOGITS


@each
def test_a_second_text_is_not_touched_by_the_first_i93(name):
    model, other = opened(name), asked(name, (5, 21, 77))
    fresh = [step.logits for step in generate(model, other, limit=4)]
    list(generate(model, asked(name), limit=4))
    again = [step.logits for step in generate(model, other, limit=4)]
    assert all((one == two).all() for one, two in zip(fresh, again, strict=True))


@each
def test_several_at_once_with_padding_on_the_left_write_what_each_writes_alone_b13(name):
    samples = [asked(name, ids) for ids in (PROMPT, (5,), LONG)]
    assert from_alone(opened(name), samples) <= LOGITS


@pytest.mark.parametrize("name", sorted({*ANSWERING} - SOUNDS))
def test_sources_of_several_lengths_are_answered_as_each_alone_b13(name):
    model, sample = opened(name), asked(name, ())
    short, long = Sample.from_ids(sample.ids[:2]), Sample.from_ids([*sample.ids[:4].tolist(), *sample.ids.tolist()])
    assert from_alone(model, [sample, short, long]) <= LOGITS


@each
def test_stitched_maps_are_those_of_one_pass_a3(name):
    assert from_one_map(opened(name), asked(name)) <= SHARES


@pytest.mark.parametrize("name", [name for name in AFTER if not name.startswith(("mamba", "jamba"))])
@pytest.mark.parametrize(("read", "written"), [(4, 2), (6, 4)])
def test_a_square_and_then_a_row_for_each_piece_a3(name, read, written):
    """4 and 2 pieces: 4x4, then 1x5, and 5 rows together; 6 and 4: 6x6, then 1x7, 1x8, 1x9, and 9 rows together."""
    steps = list(generate(opened(name), asked(name, LONG[:read]), limit=written, watch=True))
    shapes = [step.rows["decoder"].shape[2:] for step in steps]
    assert shapes == [(read, read), *((1, read + more) for more in range(1, written))]
    assert stitched(steps).shape[2:] == (read + written - 1,) * 2


@pytest.mark.parametrize("name", ANSWERING)
def test_of_an_answer_the_rows_of_the_source_are_stitched_too_a3(name):
    sample = asked(name)
    steps = list(generate(opened(name), sample, limit=4, watch=True))
    rows = len(begins(sample)) + 3
    assert stitched(steps).shape[2:] == (rows, rows)
    assert stitched(steps, "cross").shape[2] == rows
