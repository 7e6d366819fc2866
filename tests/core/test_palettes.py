"""A figure to keep has the colours of the map beside it."""

import json
import re

from core.figures.palettes import INK, PALETTES
from tests.conftest import ROOT


def test_ink_is_the_ink_of_the_map():
    source = (ROOT / "assets" / "components" / "map" / "palette.mjs").read_text(encoding="utf-8")
    stops = json.loads(re.search(r"LIGHT_INK = (\[\[.*?\]\]);", source).group(1))
    assert [list(colour) for colour in INK] == stops
    assert [colour for _, colour in PALETTES["ink"]] == [f"rgb({r}, {g}, {b})" for r, g, b in stops]
