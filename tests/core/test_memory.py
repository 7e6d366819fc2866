"""What memory holds, as the page draws it: rods, layers, blocks and trees have every number and every label."""

import json
import struct

import numpy as np
import pytest

from core.figures import blocks, layers, rods, tree

BARS = {"title": "bytes", "x": "bytes"}
OVER = {"title": "slots", "x": "round", "y": "slots"}
BRANCHES = {"title": "branches", "x": "step"}


def opened(sketch):
    given = sketch.bytes()
    (length,) = struct.unpack_from("<I", given)
    return json.loads(given[4 : 4 + length]), np.frombuffer(given[4 + length :], dtype="<f4").tolist()


def test_rods_have_their_parts_one_after_the_other_and_the_end_of_their_axis():
    header, numbers = opened(rods(["same", "same"], {"keys": [1, 3], "values": [2, 4]}, BARS, most=10.0))
    assert (header["labels"], header["names"], header["most"]) == (["same", "same"], ["keys", "values"], 10)
    assert numbers == [1, 3, 2, 4]
    assert opened(rods(["a"], {"keys": [1]}, BARS))[0]["most"] is None
    assert rods(["a"] * 60, {"keys": [1] * 60}, BARS).header["row"] == 15


@pytest.mark.parametrize("piled", [True, False])
def test_layers_have_the_place_of_every_amount(piled):
    given = layers([0, 4, 9], {"used": [1, 2, 3], "kept": np.array([0, 0, 5])}, OVER, steps=True, piled=piled)
    header, numbers = opened(given)
    assert (header["along"], header["names"]) == ([0, 4, 9], ["used", "kept"])
    assert (header["steps"], header["piled"]) == (True, piled)
    assert numbers == [1, 2, 3, 0, 0, 5]


def test_blocks_have_whose_they_are_and_how_full():
    owners, filled = np.array([0, -1, -2, 1]), np.array([4, 3, 2, 0], dtype=np.int16)
    said = blocks(owners, filled, ["<b>0</b>", "1", "2", "3"], {"title": "pool"}, size=4, marked=(np.int64(3),))
    header, numbers = opened(said)
    assert (header["owners"], header["size"], header["marked"]) == ([0, -1, -2, 1], 4, [3])
    assert header["told"][0] == "<b>0</b>"
    assert numbers == [4, 3, 2, 0]


def test_no_two_ends_of_a_tree_share_a_row_and_a_parent_stands_at_its_first_child():
    kinds = {"went on": ("pale", [2, 4]), "wins": ("strong", [0, 1, 3])}
    header, rows = opened(tree([None, 0, 0, 1, None], [*"abcd", "<b>e</b>"], list("abcde"), BRANCHES, kinds=kinds))
    assert rows == [0, 0, 1, 0, 2]
    assert header["node_looks"] == ["strong", "strong", "pale", "strong", "pale"]
    assert (header["names"], header["looks"]) == (["went on", "wins"], ["pale", "strong"])
    assert header["labels"][4] == "<b>e</b>"
    assert header["parents"] == [None, 0, 0, 1, None]


def test_a_tree_of_nothing_is_drawn():
    assert opened(tree([], [], [], BRANCHES, kinds={}))[1] == []
