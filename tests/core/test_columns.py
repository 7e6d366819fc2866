"""Upright bars: every number is there, and labels are shown as they are."""

from core.figures import grouped_bars, signed_bars

WORDS = {"title": "<b>m</b>", "x": "dimension", "y": "value"}


def test_signed_bars_have_one_bar_per_number_in_the_colour_of_its_sign():
    figure = signed_bars([1.5, -2.0, 0.0], WORDS)
    assert list(figure.data[0].y) == [1.5, -2.0, 0.0]
    marker = figure.data[0].marker
    above, below, zero = (marker.colorscale[number][1] for number in marker.color)
    assert above == zero != below
    assert "<b>" not in figure.layout.title.text


def test_grouped_bars_keep_equal_tokens_apart_and_markup_literal():
    figure = grouped_bars(["the", "<i>", "the"], {"share": [0.1, 0.2, 0.7], "moved": [0.3, 0.3, 0.4]}, WORDS)
    assert len(figure.data) == 2
    assert len(set(figure.data[0].x)) == 3
    assert list(figure.data[1].y) == [0.3, 0.3, 0.4]
    assert not any("<i>" in text for text in figure.data[0].x)


def test_a_frame_goes_around_the_marked_bars():
    assert not signed_bars([1.0, 2.0, 3.0], WORDS).layout.shapes
    frame = signed_bars([1.0, 2.0, 3.0], WORDS, marked=slice(1, 3)).layout.shapes[0]
    assert (frame.x0, frame.x1) == (0.5, 2.5)
