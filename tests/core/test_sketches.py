"""Pictures that the page draws itself: their bytes have every number, and labels as they are."""

import json
import struct

import numpy as np

from core.figures import part_map, score_map, signed_bars, text_table, token_bars, token_map

BARS = {"title": "<b>m</b>", "x": "dimension", "y": "value"}
MAP = {"title": "shares", "query": "looks", "key": "is looked at", "share": "share"}


def opened(given: bytes):
    (length,) = struct.unpack_from("<I", given)
    return json.loads(given[4 : 4 + length]), np.frombuffer(given[4 + length :], dtype="<f4")


def test_numbers_begin_at_a_multiple_of_four_and_the_sheet_follows_what_is_drawn():
    sheet = {"n": [0, 1, 2], "of query": np.float32([4, 5, 6]), "twice": np.float64([7, 8, 9])}
    given = signed_bars([1.5, -2.0, 0.0], BARS).bytes(sheet, note="here")
    header, numbers = opened(given)
    assert len(given) % 4 == 0
    assert (header["title"], header["note"], header["drawn"]) == ("<b>m</b>", "here", 3)
    assert header["sheet"] == [["n", [0, 1, 2]], ["of query", 3], ["twice", 3]]
    assert numbers.tolist() == [1.5, -2, 0, 4, 5, 6, 7, 8, 9]


def test_a_frame_goes_around_the_marked_bars():
    assert signed_bars([1.0, 2.0, 3.0], BARS).header["marked"] is None
    assert signed_bars([1.0, 2.0, 3.0], BARS, marked=slice(1, 3)).header["marked"] == [1, 2]


def test_bars_of_tokens_have_one_row_of_numbers_per_series():
    sketch = token_bars(["the", "<i>", "the"], {"share": [0.1, 0.2, 0.7], "moved": [0.3, 0.3, 0.4]}, BARS)
    header, numbers = opened(sketch.bytes())
    assert (sketch.shape, header["names"], header["labels"]) == ((2, 3), ["share", "moved"], ["the", "<i>", "the"])
    np.testing.assert_allclose(numbers, [0.1, 0.2, 0.7, 0.3, 0.3, 0.4], rtol=1e-6)


def test_what_the_rule_forbids_is_no_number_in_a_map():
    shares = np.float32([[1, 0], [0.25, 0.75]])
    header, numbers = opened(token_map(shares, "ab", "ab", MAP, rule=[(0, 1), (0, 2)], mark=1).bytes())
    np.testing.assert_array_equal(numbers, np.float32([1, np.nan, 0.25, 0.75]))
    assert (header["cells"], header["square"], header["marked"], header["sheet"]) == ([2, 2], True, [1, 1], None)
    assert token_map(shares, "ab", "ab", MAP, top=None).header["ends"] == [0, 1]
    assert token_map(shares / 4, "ab", "ab", MAP, top=None).header["ends"] == [0, 0.25]
    assert token_map(shares * 0, "ab", "ab", MAP, top=None).header["ends"] == [0, 1]


def test_a_map_of_parts_has_an_even_scale_around_zero():
    words = {"title": "on its way", "rows": "part", "columns": "dimension", "value": "of its largest"}
    sketch = part_map(np.float32([[0.5, -1, 0]]), ["stream"], words)
    assert (sketch.header["ends"], sketch.header["columns"], sketch.header["rows"]) == ([-1, 1], None, ["stream"])
    assert part_map(np.float32([[3, -1]]), ["stream"], words, top=3.0).header["ends"] == [-3, 3]


def test_a_map_has_its_colours_for_a_light_and_for_a_dark_page():
    """What is faint lies near the page's own colour: light by day, dark at night; and what is strong does not."""
    shares, scores = (
        token_map(np.eye(2, dtype=np.float32), "ab", "ab", MAP),
        score_map(np.eye(2), "ab", "ab", MAP, top=1.0),
    )
    for sketch, faint, strong in ((shares, 0, -1), (scores, 2, 0), (scores, 2, -1)):
        day, night = sketch.header["colours"]
        assert sum(day[faint]) > 600 > 400 > sum(day[strong])
        assert sum(night[faint]) < 120 < 400 < sum(night[strong])


def test_scores_between_tokens_have_an_even_scale_and_no_number_where_the_mask_is():
    sketch = score_map(np.array([[1.0, np.nan], [-2.0, 0.5]]), "ab", "ab", MAP, top=2.0)
    header, numbers = opened(sketch.bytes())
    assert (header["ends"], header["square"], header["share"]) == ([-2, 2], True, "share")
    np.testing.assert_array_equal(numbers, np.float32([1, np.nan, -2, 0.5]))
    assert score_map(np.zeros((1, 1)), "a", "a", MAP, top=0.0).header["ends"] == [-1, 1]


def test_a_small_map_has_no_scale_beside_it():
    shares = np.eye(2, dtype=np.float32)
    small, large = (token_map(shares, "ab", "ab", MAP, small=one).header for one in (True, False))
    assert (small["scale"], large["scale"]) == (False, True)
    assert small["widest"] < large["widest"]


def test_a_table_has_its_texts_and_its_sheet_has_the_numbers():
    shown = {"token": ["0  a", "1  <i>"], "share": ["0.25", "0.75"]}
    header, numbers = opened(text_table(shown, marked=1).bytes({"share": np.float32([0.25, 0.75])}))
    assert (header["table"], header["marked"]) == ([["token", ["0  a", "1  <i>"]], ["share", ["0.25", "0.75"]]], 1)
    assert (header["drawn"], header["sheet"], numbers.tolist()) == (0, [["share", 2]], [0.25, 0.75])
    assert text_table(shown).header["marked"] is None
