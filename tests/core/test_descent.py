"""Which idea came from which: each in its year, lines from older to younger ones, names letter by letter."""

from core import figures

IDEAS = {
    "old": (1990, "states", "A 1990"),
    "<b>new</b>": (2017, "looks", "B 2017"),
    "twin": (2017, "looks", "C 2017"),
}
LINKS = [("old", "<b>new</b>"), ("<b>new</b>", "twin")]
WORDS = {"title": "descent", "x": "year"}


def drawn():
    return figures.descent(IDEAS, LINKS, WORDS)


def test_every_idea_stands_in_its_year_and_in_a_row_of_its_own():
    figure = drawn()
    years = figure.layout.xaxis.ticktext
    places = {
        name.strip(" \u2068\u2069"): (years[x], y)
        for family in figure.data[1:]
        for name, x, y in zip(family.text, family.x, family.y, strict=True)
    }
    assert years == ("1990", "2017")
    assert [place[0] for place in places.values()] == ["1990", "2017", "2017"]
    assert [place[1] for place in places.values()] == [0, 1, 2]
    assert [family.name.strip("\u2068\u2069") for family in figure.data[1:]] == ["states", "looks"]


def test_lines_never_go_back_in_time():
    lines, pieces = drawn().data[0], [[]]
    for place in lines.x:
        pieces.append([]) if place is None else pieces[-1].append(place)
    assert [piece for piece in pieces if piece] == [[0, 0.5, 1], [1, 1, 1]]


def test_names_are_shown_letter_by_letter():
    assert "<b>" not in str(drawn().to_dict())


def test_names_of_close_points_stand_on_lines_of_their_own():
    points = {"few": (1.0, 0.1), "close": (1.5, 0.12), "closer": (1.6, 0.11), "far": (9.0, 0.1), "high": (99.0, 0.95)}
    notes = figures.dots(points, WORDS | {"y": "share"}).layout.annotations
    away = {note.text.strip("\u2068\u2069"): note.ay for note in notes}
    assert away["few"] == away["far"] == away["high"] < 0
    assert away["few"] > away["close"] > away["closer"]
