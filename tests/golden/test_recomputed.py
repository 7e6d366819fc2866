"""The table of recomputation errors says what the fixtures say, and no error is larger than rounding."""

import pytest

from tests.golden.recomputed import PAGE, errors, table

pytestmark = pytest.mark.golden
ROUNDING = 1e-5


def test_every_model_of_the_page_is_measured_and_nothing_is_further_off_than_rounding():
    written, now = errors(PAGE.read_text(encoding="utf-8")), errors(table())
    assert {"minilm", "smollm2"} < set(written) <= set(now)
    assert max(now.values()) < ROUNDING
    assert max(written.values()) < ROUNDING
