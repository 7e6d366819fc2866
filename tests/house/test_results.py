"""Saved measurements say what their own numbers say."""

import json

import pytest

from benchmarks._rows import FIELDS, holds, row
from tests.house.source import ROOT, name

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
