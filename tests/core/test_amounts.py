"""Amounts: bars that lie are drawn to scale."""

from core.figures import lying_bars

BARS = {"title": "bytes", "x": "bytes"}


def plain(text):
    return text.strip("\u2068\u2069")


def test_bars_lie_one_below_the_other_and_their_parts_one_after_the_other():
    chart = lying_bars(["first", "second"], {"keys": [1, 3], "values": [2, 4]}, BARS, most=10.0)
    assert [plain(one.name) for one in chart.data] == ["keys", "values"]
    assert [tuple(one.x) for one in chart.data] == [(1, 3), (2, 4)]
    assert {one.orientation for one in chart.data} == {"h"}
    assert chart.layout.barmode == "stack"
    assert tuple(chart.layout.xaxis.range) == (0, 10)
    assert tuple(chart.layout.yaxis.range) == (1.5, -0.5)
    assert [plain(name) for name in chart.layout.yaxis.ticktext] == ["first", "second"]


def test_bars_of_equal_names_stay_apart():
    chart = lying_bars(["same", "same"], {"keys": [1, 3]}, BARS)
    assert tuple(chart.data[0].y) == (0, 1)
    assert chart.layout.xaxis.range is None
