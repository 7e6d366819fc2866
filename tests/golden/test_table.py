"""The table of families says what the fixtures say."""

import pytest

from tests.golden.table import PAGE, cells, page

pytestmark = pytest.mark.golden


def test_the_page_names_every_fixture_and_its_parts_and_its_errors_are_within_tolerance():
    written, now = cells(PAGE.read_text(encoding="utf-8")), cells(page())
    assert [row[:3] for row in written] == [row[:3] for row in now]
    assert all(float(row[4]) <= 1 for row in written)
    far = [row[1] for row, fresh in zip(written, now, strict=True) if float(row[4]) > 3 * float(fresh[4]) + 0.3]
    assert far == []
