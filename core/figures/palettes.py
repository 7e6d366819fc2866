"""Colour scales as rgb() stops: perceptually even, safe for colour-blind readers, and never rewritten by a page's
theme.

Stops of Viridis and Cividis follow their published tables (van der Walt and Smith 2015; Nuñez et al. 2018).
"""

from __future__ import annotations

from plotly.colors import get_colorscale, hex_to_rgb

INK = (
    *((241, 243, 250), (204, 213, 248), (169, 183, 242), (137, 153, 232), (109, 123, 217)),
    *((84, 93, 197), (63, 64, 173), (45, 35, 144), (28, 19, 97)),
)
BELOW_AND_ABOVE = ((26, 71, 128), (96, 147, 195), (247, 246, 242), (222, 138, 74), (153, 63, 14))

#: The same for a dark page: what is faint lies near the page's own colour, what is strong is luminous.
INK_AT_NIGHT = (
    *((21, 22, 31), (38, 40, 75), (56, 60, 121), (74, 82, 165), (94, 107, 204)),
    *((116, 135, 236), (143, 165, 255), (174, 197, 255), (210, 229, 255)),
)
BELOW_AND_ABOVE_AT_NIGHT = ((128, 190, 255), (47, 104, 171), (27, 28, 36), (176, 88, 28), (255, 172, 105))


def _stops(colours: tuple[tuple[int, int, int], ...]) -> list[list[float | str]]:
    last = len(colours) - 1
    return [[place / last, f"rgb({red}, {green}, {blue})"] for place, (red, green, blue) in enumerate(colours)]


def _named(name: str) -> list[list[float | str]]:
    found = get_colorscale(name)
    return [[place, colour if colour.startswith("rgb") else f"rgb{hex_to_rgb(colour)}"] for place, colour in found]


PALETTES = {
    "ink": _stops(INK),
    "viridis": _named("viridis"),
    "cividis": _named("cividis"),
    "magma": _named("magma"),
}

SIGNED = _stops(BELOW_AND_ABOVE)
