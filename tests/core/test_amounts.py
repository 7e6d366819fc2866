"""Amounts: bars, bands and blocks are drawn to scale, and trees join each node to its parent."""

import numpy as np
import pytest

from core.figures import bands, blocks, lying_bars, tree
from core.figures.amounts import FREE, KEPT
from core.figures.drawing import COLOURS
from core.figures.trees import STRONG

BARS = {"title": "bytes", "x": "bytes"}
OVER = {"title": "slots", "x": "round", "y": "slots"}
BRANCHES = {"title": "branches", "x": "step"}


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


def test_bands_lie_on_one_another_from_nothing_up():
    chart = bands([0, 1, 2], {"used": [1, 2, 3], "kept": np.array([0, 0, 5])}, OVER)
    assert [tuple(one.y) for one in chart.data] == [(1, 2, 3), (0, 0, 5)]
    assert {one.stackgroup for one in chart.data} == {"all"}
    assert {one.line.shape for one in chart.data} == {"hv"}
    assert chart.layout.yaxis.rangemode == "tozero"


@pytest.fixture(scope="module")
def pool():
    owners, filled = np.array([0, -1, -2, 1, 0]), np.array([4, 3, 2, 1, 0])
    told = [f"block {number}" for number in range(5)]
    return blocks(owners, filled, told, {"title": "pool"}, size=4, across=3, marked=(3,))


def parts(chart, colour):
    return [shape for shape in chart.layout.shapes if shape.fillcolor == colour]


def wide(shape):
    return shape.x1 - shape.x0


def test_a_block_is_coloured_as_far_as_it_is_written(pool):
    whole = parts(pool, FREE)
    assert len(whole) == 5
    assert wide(parts(pool, COLOURS[0])[0]) == pytest.approx(wide(whole[0]))
    assert wide(parts(pool, COLOURS[1])[0]) == pytest.approx(wide(whole[3]) / 4)
    assert wide(parts(pool, KEPT)[0]) == pytest.approx(wide(whole[2]) / 2)
    assert len(pool.layout.shapes) == 5 + 3 + 1


def test_blocks_stand_in_rows_and_the_marked_one_has_a_frame(pool):
    trace = pool.data[0]
    assert tuple(trace.x) == (0.5, 1.5, 2.5, 0.5, 1.5)
    assert tuple(trace.y) == (0.5, 0.5, 0.5, 1.5, 1.5)
    (frame,) = [shape for shape in pool.layout.shapes if shape.fillcolor is None]
    assert (frame.x0 // 1, frame.y0 // 1) == (0, 1)
    assert tuple(pool.layout.yaxis.range) == (2, 0)


@pytest.fixture(scope="module")
def branches():
    parents, labels = [None, 0, 0, 1, None], ["a", "b", "c", "d", "<b>e</b>"]
    kinds = {"went on": [2, 4], "wins": [0, 1, 3]}
    return tree(parents, labels, labels, BRANCHES, kinds=kinds, strong="wins")


def nodes(chart):
    return {plain(one.name): one for one in chart.data if one.mode == "markers+text"}


def test_a_node_stands_one_step_after_its_parent_and_no_two_ends_share_a_row(branches):
    found = nodes(branches)
    assert tuple(found["wins"].x) == (0, 1, 2)
    assert tuple(found["went on"].x) == (1, 0)
    assert tuple(found["wins"].y) == (0, 0, 0)
    assert tuple(found["went on"].y) == (1, 2)


def test_every_node_but_the_first_is_joined_to_its_parent(branches):
    pale, bold = branches.data[:2]
    assert (len(pale.x), len(bold.x)) == (4, 8)
    assert [(pale.x[at], pale.y[at]) for at in (0, 2)] == [(0, 0), (1, 1)]
    assert [(bold.x[at], bold.y[at]) for at in (4, 6)] == [(1, 0), (2, 0)]
    assert bold.line.color == STRONG
    assert pale.line.color != STRONG


def test_the_winner_is_in_colour_and_labels_are_never_markup(branches):
    found = nodes(branches)
    assert found["wins"].marker.color == STRONG
    assert found["went on"].marker.color != STRONG
    assert "&lt;b&gt;e&lt;/b&gt;" in found["went on"].text[1]
    assert "<b>" not in "".join(found["went on"].hovertext)


def test_a_tree_of_nothing_is_drawn():
    assert len(nodes(tree([], [], [], BRANCHES, kinds={}))) == 0


def test_a_long_label_is_shortened_and_its_hover_is_not():
    chart = tree([None], ["x" * 60], ["x" * 60], BRANCHES, kinds={"one": [0]}, longest=40)
    (node,) = nodes(chart).values()
    assert len(plain(node.text[0])) <= 41
    assert plain(node.hovertext[0]) == "x" * 60


def test_an_edge_is_in_colour_only_where_both_of_its_ends_are():
    chart = tree([None, 0], ["a", "b"], ["a", "b"], BRANCHES, kinds={"went on": [0], "wins": [1]}, strong="wins")
    pale, bold = chart.data[:2]
    assert (len(pale.x), len(bold.x)) == (4, 0)


def test_the_names_of_a_tree_stand_below_its_axis():
    """From the lower edge up, in room that the axis leaves free: on a phone they take two lines."""
    chart = tree([None, 0], ["a", "b"], ["a", "b"], BRANCHES, kinds={"went on": [0], "wins": [1]})
    legend = chart.layout.legend
    assert (legend.yref, legend.y, legend.yanchor) == ("container", 0, "bottom")
    assert chart.layout.margin.b >= 80
