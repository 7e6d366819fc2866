"""Saved measurements say what their own numbers say."""

import json
import re

import pytest

from benchmarks._class import PAGE, told
from benchmarks._rows import FIELDS, holds, row
from tests.house.source import ROOT, files, name

RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


@pytest.mark.parametrize("file", RESULTS, ids=name)
def test_a_result_is_complete_and_recomputed(file):
    result = json.loads(file.read_text(encoding="utf-8"))
    assert set(result) == {"question", "machine", "versions", "date", "rows"}
    assert result["rows"]
    for each in result["rows"]:
        assert set(each) == set(FIELDS)
        assert each["holds"] == holds(each), each


@pytest.mark.parametrize("file", RESULTS, ids=name)
def test_a_result_has_its_question(file):
    assert (ROOT / "benchmarks" / f"{file.stem}.py").is_file()


def test_what_is_wanted_is_compared_with_the_ratio_or_with_our_number():
    assert row("512", "seconds", 1.2, peer=1.0, ratio=1.2, wanted="<= 1.10")["holds"] is False
    assert row("512", "seconds", 1.0, ratio=1.10, wanted="<= 1.10")["holds"] is True
    assert row("512", "milliseconds", 12.0, wanted="< 10")["holds"] is False
    assert row("512", "seconds", 1.0)["holds"] is None


def test_the_page_on_a_class_tells_the_saved_figures():
    saved = json.loads((ROOT / "benchmarks" / "results" / "load.json").read_text(encoding="utf-8"))
    assert told(saved) in PAGE.read_text(encoding="utf-8")


def test_every_fault_on_the_page_is_shown_by_a_test():
    named = re.findall(r"`(test_\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    written = "".join(file.read_text(encoding="utf-8") for file in files("tests"))
    assert len(named) > 10
    assert [test for test in named if f"def {test}(" not in written] == []
