"""A class on one server: several visitors in one moment, large maps, equal pictures, a line of writers."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from core import words
from tests.browser.test_cold import WATCH
from tests.conftest import ROOT, serving
from tests.server.visitor import raised, run_page

CELLS = 6 * 12 * 512 * 512


def visits(server, *queries, section=""):
    """What each of several visitors was sent who came in the same moment."""
    with ThreadPoolExecutor(len(queries)) as pool:
        return list(pool.map(lambda query: run_page(server, urlencode(query), section, seconds=150), queries))


def sizes(messages):
    return [message.ByteSize() for message in messages]


@pytest.mark.slow
def test_five_visitors_of_a_cold_server_load_a_model_once_h78(tmp_path):
    """H78: the weights are opened once, whoever of them comes first."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    book = tmp_path / "book"
    with serving(tmp_path / "log", PYTHONPATH=str(tmp_path), OPENED=str(book)) as server:
        came = visits(server, *({"model": "smollm2", "text": f"Visitor {number}."} for number in range(5)))
    assert [raised(messages) for messages in came] == [[]] * 5
    assert len([line for line in book.read_text().splitlines() if "smollm2" in line]) == 1


def test_of_seventy_two_large_maps_only_what_is_shown_is_sent_h82(server):
    """H82: all heads at 512 tokens are 19 million cells; what comes is thumbnails and one map, far below a message's
    limit."""
    came = run_page(server, urlencode({"text": "a " * 510, "layer": 3, "heads": 1}))
    assert raised(came) == []
    assert max(sizes(came)) < 2 << 20
    assert sum(sizes(came)) < CELLS / 8


@pytest.mark.parametrize("section", ["", "inside", "cost"])
def test_two_heads_whose_maps_are_equal_are_both_drawn_h84(server, section):
    """H84: one token is one cell that holds everything, in every head."""
    came = run_page(server, urlencode({"text": "a", "special": "hide", "heads": "1,2", "layer": 2}), section)
    assert raised(came) == []


@pytest.mark.slow
def test_three_who_write_at_once_wait_their_turn_and_all_finish_h86(tmp_path):
    """H86: with one writer at a time, who comes later is told how many come first."""
    asked = {"generate.limit": 12, "generate.seed": 1}
    with serving(tmp_path / "log", HEADS_UP_WRITERS="1") as server:
        came = visits(server, *({**asked, "generate.text": f"Visitor {n} says"} for n in range(3)), section="generate")
    assert [raised(messages) for messages in came] == [[]] * 3
    waited = [words.say("en", "generate.queue", ahead=ahead).encode() for ahead in (1, 2)]
    said = [b"".join(message.SerializeToString() for message in messages) for messages in came]
    assert sum(any(text in messages for text in waited) for messages in said) == 2


def test_the_core_leaves_plotlys_defaults_alone_h92():
    """H92: what is exported from a notebook looks as Plotly has it."""
    program = "import plotly.io as p; before = p.templates.default; import core; print(p.templates.default == before)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n"
