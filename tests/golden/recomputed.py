"""How far the fused run is from the same layer in float64: `python -m tests.golden.recomputed` writes the table
anew."""

import sys

import core
from core.analysis.recomputing import recompute
from tests.golden.fixtures import HERE, alone, fixtures_in

PAGE = HERE.parent.parent / "docs" / "mathematics" / "inside.md"
HEAD = "| model | sides | layers | worst | where |\n|---|---|---|---|---|\n"
TEXT = "The animal didn't cross the street because it was too tired."


def rows():
    """Yield a line for both packaged models and for every fixture that is read from pieces."""
    for entry in core.catalog():
        if entry.kind in ("encoder", "decoder"):
            model = core.open_model(entry.name)
            yield entry.name, core.trace(model, core.read(model, TEXT))
    for fixture in fixtures_in(HERE / "families"):
        if "input_ids" in fixture.tensors:
            yield fixture.name, alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]


def line(name, trace):
    """Measure every layer of every side that has a softmax, and spell the worst one."""
    found = {
        (side, layer, part): error
        for side in trace.sides
        for layer, attention in enumerate(trace.layers(side))
        if attention is not None
        for part, error in recompute(trace, layer, 0, side).errors.items()
    }
    if not found:
        return ""
    worst = max(found, key=found.get)
    layers = len({(side, layer) for side, layer, _ in found})
    where = f"{worst[0]}, layer {worst[1]}, {worst[2]}"
    return f"| `{name}` | {', '.join(trace.sides)} | {layers} | {found[worst]:.1e} | {where} |\n"


def table():
    """Return the whole table."""
    return HEAD + "".join(line(*row) for row in rows())


def errors(text):
    """Return the worst error of every model in a table."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("| `")]
    return {row[0].strip("`"): float(row[3]) for row in cells}


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8").split(HEAD)[0]
    sys.stdout.write(f"{PAGE.write_text(before + table(), encoding='utf-8')} characters in {PAGE.name}\n")
