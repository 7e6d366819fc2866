"""A folder that a visitor brings along: opened by the real page, gone from the disk when the visit ends."""

import time

import pytest

from tests.conftest import serving
from tests.core.changed import FAMILIES

pytestmark = pytest.mark.browser

FILES = ("config.json", "model.safetensors", "tokenizer.json")


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def held(place):
    return sorted(path.name for path in place.glob("heads-up-*/upload/*"))


def wait_until_gone(place, seconds=20):
    end = time.monotonic() + seconds
    while held(place) and time.monotonic() < end:
        time.sleep(0.1)
    return held(place) == []


def bring(page, files):
    page.locator('input[type="file"]').set_input_files(files)
    page.get_by_role("button", name="Open", exact=True).click()


def test_a_visit_brings_a_folder_and_takes_it_along(new_page, tmp_path, place):
    log = tmp_path / "log"
    with serving(log, HEADS_UP_UPLOAD_MIB="8", TMPDIR=str(place)) as address:
        mine, other = new_page(), new_page()
        mine.goto(f"{address}/models")
        bring(mine, [FAMILIES / "bert_mlm" / name for name in FILES])
        mine.get_by_text("Brought along by you").wait_for()
        assert held(place) == [*FILES]
        other.goto(f"{address}/models")
        other.get_by_text("MiniLM-L6").first.wait_for()
        assert other.get_by_text("Brought along by you").count() == 0
        mine.close()
        assert wait_until_gone(place)
        bring(other, [FAMILIES / "bert_mlm" / "config.json"])
        other.get_by_text("has no weights that can be read").wait_for()
        assert held(place) == []
        bring(other, [FAMILIES / "llama_lm" / name for name in FILES])
        other.get_by_text("Brought along by you").wait_for()
    assert list(place.iterdir()) == []
    assert "Traceback" not in log.read_text(errors="replace")


def test_without_the_setting_there_is_no_box(page, server):
    page.goto(f"{server}/models")
    page.get_by_text("Families that open").wait_for()
    assert page.locator('input[type="file"]').count() == 0
