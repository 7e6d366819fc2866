"""Upright bars: every number is there, and labels are shown as they are."""

from core.figures import grouped_bars

WORDS = {"title": "<b>m</b>", "x": "dimension", "y": "value"}


def test_grouped_bars_keep_equal_tokens_apart_and_markup_literal():
    figure = grouped_bars(["the", "<i>", "the"], {"share": [0.1, 0.2, 0.7], "moved": [0.3, 0.3, 0.4]}, WORDS)
    assert len(figure.data) == 2
    assert len(set(figure.data[0].x)) == 3
    assert list(figure.data[1].y) == [0.3, 0.3, 0.4]
    assert not any("<i>" in text for text in figure.data[0].x)
