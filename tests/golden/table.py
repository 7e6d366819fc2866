"""The table of families in docs/families.md, made from the fixtures: `python -m tests.golden.table` writes it anew."""

import sys
from pathlib import Path

import core
from tests.golden.fixtures import HERE, alone, computed, distances, fixtures_in

PAGE = HERE.parent.parent / "docs" / "families.md"
HEAD = """# Families

Every family below is a translation of the published config into shared parts ([adding.md](adding.md) says how). Each
line is a tiny model with seeded random weights, run by the library it was published with and by ours: `attentions` is
the largest absolute difference of any share in any head, `worst` the largest difference of anything compared (shares,
hidden states, logits), in tolerances of that fixture (1 is the limit; tests/golden says what a tolerance is). This
page is written by `python -m tests.golden.table`; a test holds it in step with the fixtures.

| family | fixture | parts | attentions | worst |
|---|---|---|---|---|
"""
EVERYWHERE = {"Network", "Side", "Linear"}


def rows():
    """Yield one line per fixture: family, fixture, parts, largest error of a share, worst distance in tolerances."""
    for fixture in fixtures_in(HERE / "families"):
        model = core.open_model(fixture.folder, device="cpu")
        traces = alone(fixture, model)
        yield fixture.told["model_type"], fixture.name, parts(model), shares(fixture, traces), worst(fixture, traces)


def parts(model):
    """Name the kinds of parts that a model is assembled from, in alphabetical order."""
    named = [part for part in model.network.modules() if type(part).__module__.startswith("core.")]
    schemes = [getattr(part, name, None) for part in named for name in ("positions", "relative")]
    found = {type(part).__name__ for part in [*named, *schemes] if type(part).__module__.startswith("core.")}
    return ", ".join(sorted(found - EVERYWHERE))


def shares(fixture, traces):
    """Return the largest absolute difference of any share."""
    groups = [group for group in fixture.groups if group.endswith("attentions")]
    pairs = (
        (mine, want)
        for group in groups
        for row, trace in enumerate(traces)
        for mine, want in zip(computed(trace, group), fixture.numbers(group, row), strict=True)
    )
    return max((float(abs(mine - want).max()) for mine, want in pairs), default=0.0)


def worst(fixture, traces):
    """Return the largest distance of any group in tolerances."""
    return max(distances(fixture, traces).values())


def line(family, fixture, used, attentions, far):
    """Spell one row."""
    return f"| {family} | `{fixture}` | {used} | {attentions:.1e} | {far:.2f} |\n"


def page():
    """Return the whole page."""
    return HEAD + "".join(line(*row) for row in sorted(rows()))


def cells(text):
    """Return the rows of a page's table, a list of cells each."""
    lines = [one for one in text.splitlines() if one.startswith("| ") and "`" in one]
    return [[cell.strip() for cell in one.strip("|").split("|")] for one in lines]


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE.write_text(page(), encoding='utf-8')} characters in {Path(PAGE).name}\n")
