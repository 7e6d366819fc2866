"""The figures of a class, as docs/class.md tells them."""

import json
from typing import Any

from benchmarks._rows import RESULTS

PAGE = RESULTS.parents[1] / "docs" / "class.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def told(result: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [
        BEGIN,
        f"Made by `python -m benchmarks.load --save` on {result['date']}: {result['machine']}, which the server shares",
        "with the people.",
        "",
        "| class | measured | value | wanted |",
        "|---|---|---|---|",
    ]
    for each in result["rows"]:
        value = (
            each["ours"] if each["ratio"] is None else f"{each['ratio']} ({each['floor']} MB, then {each['ours']} MB)"
        )
        lines.append(f"| {each['setting']} | {each['measure']} | {value} | {each['wanted'] or ''} |")
    return "\n".join([*lines, END])


def tell() -> None:
    """Put the saved figures into the page."""
    text = PAGE.read_text(encoding="utf-8")
    made = told(json.loads((RESULTS / "load.json").read_text(encoding="utf-8")))
    PAGE.write_text(text.split(BEGIN)[0] + made + text.split(END)[1], encoding="utf-8")
