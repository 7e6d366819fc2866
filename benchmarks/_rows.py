"""What a measurement leaves behind: rows of ours beside a named peer, and whether they are what was wanted."""

import datetime
import importlib.metadata
import json
import operator
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
FIELDS = ("setting", "measure", "ours", "peer", "floor", "ratio", "wanted", "holds")
COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq}
PACKAGES = ("torch", "transformers", "mambapy", "numpy", "tokenizers", "safetensors", "gguf", "streamlit", "plotly")


def holds(row: dict[str, Any]) -> bool | None:
    """Tell whether a row's ratio, or its own number if it has none, is what was wanted; None where nothing was."""
    if row["wanted"] is None:
        return None
    compare, limit = row["wanted"].split()
    return COMPARE[compare](row["ours"] if row["ratio"] is None else row["ratio"], float(limit))


def row(setting: str, measure: str, ours: float, **others: Any) -> dict[str, Any]:
    """Make one row from `peer`, `floor`, `ratio` and `wanted` (such as "<= 1.10"), as far as there are any."""
    made = {**dict.fromkeys(FIELDS), "setting": setting, "measure": measure, "ours": ours, **others}
    return {**made, "holds": holds(made)}


def digits(number: float | None) -> float | None:
    """Return a measured number with as many digits as it deserves: four."""
    return None if number is None else float(f"{number:.4g}")


def processor() -> str:
    """Return the processor's own name where the system tells it."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def show(rows: list[dict[str, Any]]) -> None:
    """Print rows, leaving out what they do not have."""
    for each in rows:
        print("  ".join(f"{key}={each[key]}" for key in FIELDS if each[key] is not None), flush=True)


def save(name: str, question: str, rows: list[dict[str, Any]], *, how: str = "") -> None:
    """Write results/<name>.json and show its rows; `how` adds to the machine what this measurement depends on."""
    versions = {package: importlib.metadata.version(package) for package in PACKAGES}
    versions["python"] = platform.python_version()
    result = {
        "question": question,
        "machine": ", ".join(filter(None, (f"{platform.system()} {processor()}", f"{os.cpu_count()} cores", how))),
        "versions": versions,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "rows": rows,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    show(rows)
