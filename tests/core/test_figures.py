"""Figures: the bytes for the map component, and charts whose labels survive Plotly."""

import json
import struct

import numpy as np
import pytest

import core
from core.figures import PALETTES, bars, frame, heatmap, map_bytes, marked
from core.figures.labels import literal, short

WORDS = {"title": "Layer 3", "query": "looks", "key": "is looked at", "share": "share"}


@pytest.fixture(scope="module")
def maps(minilm):
    return core.analysis.maps(core.trace(minilm, core.read(minilm, "the cat sat on the <b>mat</b>")))


def unpack(content):
    (length,) = struct.unpack_from("<I", content)
    assert (4 + length) % 4 == 0
    header = json.loads(content[4 : 4 + length])
    count = header["layers"] * header["heads"]
    maxima = np.frombuffer(content, "<f4", count, 4 + length)
    return header, maxima, content[4 + length + 4 * count :]


def test_a_frame_round_trips(maps):
    header, maxima, rest = unpack(frame(maps, url="/attn/x"))
    kind = "<f4" if header["type"] == "f4" else "u1"
    cells = np.frombuffer(rest, kind).reshape(header["layers"], header["heads"], *header["cells"])
    np.testing.assert_array_equal(cells, maps.cells)
    np.testing.assert_array_equal(maxima.reshape(6, 12), maps.maxima)
    assert header["rows"]["labels"][1] == "the"
    assert header["rows"]["labels"].count("the") == 2
    assert header["url"] == "/attn/x"


def test_a_frame_carries_the_exact_chosen_map_where_nothing_can_be_fetched(maps):
    header, _, rest = unpack(frame(maps, chosen=({"layer": 1, "heads": [2]}, b"12345678")))
    assert header["extra"] == {"layer": 1, "heads": [2], "bytes": 8}
    assert rest.endswith(b"12345678")


def test_a_frame_of_hostile_labels_is_ascii(minilm):
    sample = core.read(minilm, "\ud800 <img src=x> \u202e back")
    content = frame(core.analysis.maps(core.trace(minilm, sample)))
    (length,) = struct.unpack_from("<I", content)
    assert content[4 : 4 + length].isascii()


def test_large_maps_are_sent_in_255ths():
    small, large = np.eye(512, dtype=np.float32), np.eye(513, dtype=np.float32)
    assert map_bytes(small) == (small.tobytes(), "f4")
    content, kind = map_bytes(large)
    assert (kind, len(content)) == ("u1", 4 + 513 * 513)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("<b>", "&lt;b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("#000004", "&#35;000004"),
        ("$x$", "&#36;x&#36;"),
        ("a\nb", "a↵b"),
        (" ", "·"),
    ],
)
def test_labels_are_literal(given, shown):
    assert literal(given) == f"\u2068{shown}\u2069"


def test_an_empty_label_and_a_lone_surrogate_can_be_drawn():
    assert literal("") == "∅"
    literal("\ud800").encode("utf-8")


def test_a_heat_map_keeps_equal_labels_apart_and_row_0_on_top():
    figure = heatmap(
        np.eye(6, dtype=np.float32), ["the", "cat", "the", "1", "2024-01-01", "<s>"], list("abcdef"), WORDS
    )
    assert len(set(figure.data[0].y)) == 6
    assert figure.layout.yaxis.tickvals is None
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.yaxis.type == "category"
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.data[0].z.dtype == np.float32
    assert figure.data[0].y[2] == f"2 {literal('the')}"


def test_masked_cells_are_no_zeros_in_a_heat_map():
    rule = [(0, row + 1) for row in range(4)]
    drawn = heatmap(np.tril(np.ones((4, 4), np.float32)), list("abcd"), list("abcd"), WORDS, rule=rule).data[0].z
    np.testing.assert_array_equal(np.isnan(drawn), np.triu(np.ones((4, 4), bool), 1))


def test_the_colour_of_masked_cells_draws_no_frame_around_a_heat_map():
    whole, masked = (
        heatmap(np.eye(2, dtype=np.float32), ["a", "b"], ["a", "b"], WORDS, rule=rule)
        for rule in (None, [(0, 1), (0, 2)])
    )
    assert whole.layout.margin.pad == masked.layout.margin.pad == 0
    assert whole.layout.plot_bgcolor is None
    assert masked.layout.plot_bgcolor == "rgb(205, 202, 194)"


def test_a_map_with_more_keys_than_queries_is_not_stretched_to_a_square_and_marks_a_column():
    figure = heatmap(np.ones((2, 3), np.float32), list("ab"), list("abc"), WORDS, mark=2)
    assert figure.layout.yaxis.scaleanchor is None
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 2.5)


def test_long_labels_lose_their_middle():
    assert short("a" * 40) == "a" * 11 + "…" + "a" * 11


def test_scales_are_rgb_so_that_no_theme_rewrites_them():
    for stops in PALETTES.values():
        assert all(colour.startswith("rgb(") for _, colour in stops)
        assert [stops[0][0], stops[-1][0]] == [0, 1]


def test_bars_are_drawn_in_the_order_given():
    figure = bars([0.6, 0.1], ["animal", "<s>"], WORDS)
    assert list(figure.data[0].x) == [0.6, 0.1]
    assert figure.layout.yaxis.ticktext[1] == literal("<s>")


def test_labels_that_have_their_like_are_told_apart():
    assert marked(["the", "cat", "the", "1"]) == ["the₁", "cat", "the₂", "1"]
