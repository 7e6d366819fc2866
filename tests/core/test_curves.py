"""Curves, bands and maps of both signs: what is drawn is what was given."""

import numpy as np

from core.figures import band, curves, high, most, signed_map

MAP = {"title": "t", "rows": "r", "columns": "c", "value": "v"}
LINES = {"title": "t", "x": "x", "y": "y", "mark": "here", "mean": "m", "between": "b"}


def test_colours_are_even_around_zero_and_end_where_told():
    cells = np.array([[1.0, -3.0]], dtype=np.float32)
    assert (signed_map(cells, [0], [0, 1], MAP).data[0].zmin, signed_map(cells, [0], [0, 1], MAP).data[0].zmax) == (
        -3,
        3,
    )
    assert signed_map(cells, [0], [0, 1], MAP, top=1.0).data[0].zmax == 1
    assert signed_map(cells * 0, [0], [0, 1], MAP).data[0].zmax == 1
    assert signed_map(cells * np.nan, [0], [0, 1], MAP).data[0].zmax == 1
    np.testing.assert_array_equal(signed_map(cells, [0], [0, 1], MAP).data[0].z, cells)


def test_the_first_and_the_last_cell_are_whole_and_row_zero_is_on_top():
    figure = signed_map(np.zeros((3, 2), dtype=np.float32), [0, 10, 30], ["a", "a"], MAP, height=200)
    assert figure.layout.yaxis.range == (40, -5)
    assert figure.layout.xaxis.range == (-0.5, 1.5)
    assert len(set(figure.data[0].x)) == 2
    assert (figure.layout.height, figure.layout.margin.pad) == (200, 0)
    assert signed_map(np.zeros((1, 1), dtype=np.float32), [7], [0], MAP).layout.yaxis.range == (7.5, 6.5)


def test_frames_go_around_a_slice_of_columns_and_a_row():
    shapes = signed_map(np.zeros((3, 4), dtype=np.float32), [0, 1, 2], range(4), MAP, marked=slice(1, 3), row=2)
    columns, row = shapes.layout.shapes
    assert (columns.x0, columns.x1) == (0.5, 2.5)
    assert (row.y0, row.y1) == (1.5, 2.5)


def test_a_curve_ends_where_its_numbers_end():
    figure = curves([0, 1, 2], {"a": np.arange(2.0), "<b>": [1, 2, 3]}, LINES, mark=1, steps=True)
    assert [len(line.x) for line in figure.data] == [2, 3]
    assert {line.line.shape for line in figure.data} == {"hvh"}
    assert "<b>" not in figure.data[1].name
    assert figure.layout.shapes[0].x0 == 1
    assert curves([0, 1], {"a": [1, 10]}, LINES, tall=True).layout.yaxis.type == "log"


def test_a_band_lies_between_lowest_and_highest():
    figure = band([0, 1], [2.0, 3.0], [1.0, 2.0], [4.0, 5.0], LINES, reach=(0.0, 6.0))
    assert (figure.data[0].x, figure.data[0].y) == ((0, 1, 1, 0), (4, 5, 2, 1))
    assert figure.layout.yaxis.range == (0, 6)


def test_sizes():
    cells = np.ones(1000, dtype=np.float32)
    cells[0] = 100
    assert most(cells) == 1
    assert high(3) < high(8) < high(100) == high(1000)


def test_a_short_logarithmic_axis_spells_its_numbers_and_a_long_one_its_powers():
    words = {"title": "t", "x": "x", "y": "y"}
    short = curves(range(2), {"a": [0.3, 2.0]}, words, tall=True).layout.yaxis
    assert list(short.ticktext)[:5] == ["0.1", "0.2", "0.5", "1", "2"]
    assert (short.type, list(short.tickvals)[:3]) == ("log", [0.1, 0.2, 0.5])
    long = curves(range(2), {"a": [1e-9, 2.0]}, words, tall=True).layout.yaxis
    assert (long.exponentformat, long.ticktext) == ("power", None)
