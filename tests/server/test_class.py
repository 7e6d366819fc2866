"""A class on one server: several visitors in one moment, large maps, equal pictures, a line of writers."""

import re
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import expect

from core import words
from tests.browser.looking import cells, look, settled, state, the_map
from tests.browser.test_cold import WATCH
from tests.conftest import ROOT, free_port, serving
from tests.server.visitor import raised, run_page

CELLS = 6 * 12 * 512 * 512
DRAWN = ("plotly_chart", "bidi_component")


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


@pytest.mark.parametrize("section", ["inside", "positions", "mixers", "cost"])
def test_charts_that_are_equal_are_all_drawn_each_by_a_name_of_its_own_h84(server, section):
    """H84: one token is one cell that holds everything, in every head and every mixer; the names stay the same for
    another text."""
    named = []
    for text in ("a", "b"):
        came = run_page(server, urlencode({"model": "smollm2", "text": text, "heads": "1,2", "layer": 2}), section)
        assert raised(came) == []
        elements = [message.delta.new_element for message in came if message.WhichOneof("type") == "delta"]
        found = [one.plotly_chart.id or one.bidi_component.id for one in elements if one.WhichOneof("type") in DRAWN]
        assert len(set(found)) == len(found) > 0
        named.append([identity.split("-", 2)[2] for identity in found])
    assert named[0] == named[1]
    assert "None" not in named[0]


@pytest.mark.browser
def test_two_heads_whose_maps_are_equal_are_both_drawn_h84(server, page):
    """H84: both maps are [[1]]; each has its tile, its name beside the large map and its share of the mixed colour."""
    found = {}
    for heads in ("1", "1,2"):
        look(page, server, model="smollm2", text="a", layer=2, heads=heads)
        assert state(page)["heads"] == heads
        found[heads] = cells(page, 1, 1)
    for head in ("1", "2"):
        expect(page.locator(f"#tile-2-{head}")).to_have_attribute("aria-selected", "true")
        out = words.say("en", "map.remove_head", name=f"layer 2 · head {head}")
        expect(the_map(page).get_by_role("button", name=out)).to_be_visible()
    assert np.abs(found["1"] - found["1,2"]).max() > 30
    page.get_by_text(words.say("en", "heads.keep")).click()
    expect(page.locator(".js-plotly-plot .ytick text")).to_have_count(1)
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.slow
def test_three_who_write_at_once_wait_their_turn_and_all_finish_h86(tmp_path):
    """H86: with one writer at a time, who comes later is told how many come first; all write their fifty tokens, and
    together they take three times the work of one."""
    port, models = free_port(), str(ROOT / "tests" / "golden" / "families")
    asked = {"generate.model": "llama_lm", "generate.limit": 50, "generate.stop": "never"}
    given = {"HEADS_UP_WRITERS": "1", "HEADS_UP_METRICS_PORT": str(port), "HEADS_UP_MODELS_ROOT": models}
    turns = []
    with serving(tmp_path / "log", **given) as server:
        for people in (1, 3):
            before = turns_of(port)
            queries = ({**asked, "generate.text": f"Hi {people + n}"} for n in range(people))
            came = visits(server, *queries, section="generate")
            turns.append(turns_of(port) - before)
            assert [raised(messages) for messages in came] == [[]] * people
    assert turns[0] > 50
    assert turns[1] == pytest.approx(3 * turns[0], rel=0.1)
    waited = [words.say("en", "generate.queue", ahead=ahead).encode() for ahead in (1, 2)]
    said = [b"".join(message.SerializeToString() for message in messages) for messages in came]
    assert sum(any(text in messages for text in waited) for messages in said) == 2


def turns_of(port):
    """How often the server has let somebody run a model."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        found = re.search(r'phase_seconds_count{phase="wait"} (\S+)', answer.read().decode())
    return float(found[1]) if found else 0.0


PALETTES = ("Ink", "Viridis", "Cividis", "Magma")
INK = "node => [getComputedStyle(node).fill, getComputedStyle(document.querySelector('.stApp')).backgroundColor]"


@pytest.mark.browser
def test_a_figure_to_keep_has_the_chosen_scale_and_can_be_read_in_light_and_dark_h92(server, page):
    """H92: the theme of the page changes neither the colours of the numbers nor whether their labels can be read."""
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        look(page, server, text="The cat sat.", layer=3, heads=1)
        page.get_by_text(words.say("en", "heads.keep")).click()
        label = page.locator(".js-plotly-plot .ytick text").first
        for palette in PALETTES:
            page.get_by_role("radio", name=palette).click()
            expect(page.get_by_role("radio", name=palette)).to_be_checked()
            settled(page)
            expect(label).to_be_visible()
            found[scheme, palette] = scale(page, {found[one] for one in found if one[0] == scheme})
            assert contrast(*label.evaluate(INK)) > 3, (scheme, palette)
    assert all(found["light", palette] == found["dark", palette] for palette in PALETTES)


def scale(page, before):
    """The colours of the numbers in a figure, once they are not those of another palette any more."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        now = str(page.locator(".js-plotly-plot").evaluate("node => node._fullData?.[0]?.colorscale ?? ''"))
        if now and now not in before:
            return now
        page.wait_for_timeout(50)
    raise AssertionError(before)


def contrast(*colours):
    """The ratio by which WCAG 2.1 tells whether one colour can be seen on another; 3 is asked of large letters."""
    shares = (np.array(re.findall(r"[\d.]+", colour)[:3], dtype=float) / 255 for colour in colours)
    linear = (np.where(one <= 0.04045, one / 12.92, ((one + 0.055) / 1.055) ** 2.4) for one in shares)
    dark, light = sorted(one @ [0.2126, 0.7152, 0.0722] + 0.05 for one in linear)
    return light / dark


@pytest.mark.parametrize(
    ("first", "then"), [("plotly", "core"), ("streamlit", "pages.plumbing.frame, pages.plumbing.drawn, core.figures")]
)
def test_what_is_imported_leaves_plotlys_defaults_alone_h92(first, then):
    """H92: what is exported from a notebook looks as Plotly has it; the page changes nothing that Streamlit has not."""
    told = "(p.templates.default, p.templates[p.templates.default].to_plotly_json(), p.renderers.default)"
    program = f"import {first}, plotly.io as p; before = {told}; import {then}; print(before == {told})"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n", done.stderr
