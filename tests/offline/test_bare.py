"""With no model package installed and no network, the page begins with the translator and shows the main job."""

import json
import os
import subprocess
import sys

import pytest

import core
from tests.browser.looking import address, drawn, listen
from tests.conftest import ROOT, serving
from tests.offline.test_offline import WATCH, strangers, watched
from tests.server.visitor import raised, run_page

PACKAGES = tuple(entry.package for entry in (*core.catalog(), *core.catalog(installed=False)) if entry.package)
FAMOUS = "The animal didn't cross the street because it was too tired."
SAY = f"""
import json, core
found = {{"here": [entry.name for entry in core.catalog()]}}
found["absent"] = [entry.name for entry in core.catalog(installed=False)]
for name in found["absent"]:
    try: core.open_model(name)
    except core.CoreError as refused: found[name] = refused.key
model = core.open_model(found["here"][0])
found["said"] = core.trace(model, core.read(model, {FAMOUS!r})).sample.target.text
print(json.dumps(found))
"""


def bare(book):
    return {**watched(book), "ABSENT": " ".join(PACKAGES)}


@pytest.fixture
def book(tmp_path):
    return tmp_path / "addresses"


def test_the_packages_are_there_to_be_missed():
    assert len(PACKAGES) == 2
    assert WATCH.is_dir()


def test_what_can_be_opened_is_what_came_along(book):
    command = [sys.executable, "-c", SAY]
    environment = {**os.environ, **bare(book)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=120)
    found = json.loads(done.stdout)
    assert found["here"] == ["translator", "translator-guided"]
    assert {found[name] for name in found["absent"]} == {"model_not_installed"}
    assert found["said"] == "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_begins_with_the_translator(book, tmp_path, new_page):
    with serving(tmp_path / "log", **bare(book)) as server:
        for query in ("", "model=minilm", "text=猫追狗"):
            assert raised(run_page(server, query)) == []
        page = new_page()
        wire = listen(page)
        page.goto(address(server), wait_until="commit")
        drawn(page)
        assert page.get_by_label("Model").input_value() == "Translator"
        assert wire.holds("tired")
        assert "model=translator" in page.url
    assert strangers(book) == []
