"""Two tabs that open a model at once on a cold server load it once."""

import os
import subprocess
import sys

import pytest

from tests.browser.looking import address, drawn
from tests.conftest import ROOT, serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Writes down every weight file that a process opens to load a model; how large one is may be looked up besides.
WATCH = """
import os, sys
book = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def callers(frame):
    while frame:
        yield frame.f_code.co_name
        frame = frame.f_back
def note(event, details):
    weights = event == "open" and str(details[0]).endswith((".gguf", ".safetensors"))
    if weights and "open_model" in callers(sys._getframe()):
        os.write(book, (str(details[0]) + "\\n").encode())
sys.addaudithook(note)
"""


def test_two_tabs_at_once_load_a_model_once(tmp_path, new_tab):
    """H78, with real tabs; five visitors at once are in tests/server."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    once, both = tmp_path / "once", tmp_path / "both"
    with serving(tmp_path / "log", PYTHONPATH=str(tmp_path), OPENED=str(both)) as server:
        pages = [new_tab(), new_tab()]
        for page, text in zip(pages, ("One tab.", "Another tab."), strict=True):
            page.goto(address(server, model="smollm2", text=text), wait_until="commit")
        for page in pages:
            drawn(page)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "OPENED": str(once)}
    program = "import core; core.open_model('smollm2')"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, timeout=60)
    assert len(once.read_text().splitlines()) == 1
    begun = both.read_text().splitlines()  # the model that a visit begins with is opened at the start
    assert [line for line in begun if "smollm2" in line] == once.read_text().splitlines()
