"""The layering contracts hold, and each of them bites."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

FLOORS = "Each floor of the core leans on lower floors only"
DOOR = "Pages come in by the front door of the core"
PAGES = "Pages do not know each other and share the plumbing only"
STREAMLIT = "The core never hears of Streamlit"
TORCH = "Figures and pages never touch torch"
HUB = "Nothing loads code from files or asks a hub"
CIRCLES = "Siblings do not go in circles"

PLANTED = [
    (FLOORS, "core/shapes.py", "from core import tracing"),
    (FLOORS, "core/blocks/norms.py", "import core.models"),
    (FLOORS, "core/lost.py", ""),
    (DOOR, "pages/heads/heads.py", "from core.tracing import trace"),
    (DOOR, "pages/plumbing/doors.py", "import core.models.plan"),
    (PAGES, "pages/heads/heads.py", "import pages.models.models"),
    (PAGES, "pages/plumbing/words.py", "import pages.heads.heads"),
    (PAGES, "pages/lost/__init__.py", ""),
    (STREAMLIT, "core/words.py", "import streamlit"),
    (STREAMLIT, "core/engine/__init__.py", "import pages.plumbing.words"),
    (TORCH, "core/figures/__init__.py", "import torch"),
    (TORCH, "pages/plumbing/show.py", "import torch.nn"),
    (HUB, "core/weights/checksum.py", "import pickle"),
    (HUB, "core/inputs/text.py", "from transformers import AutoTokenizer"),
    (HUB, "pages/models/models.py", "import huggingface_hub"),
    (CIRCLES, "core/inputs/labels.py", "import core.inputs.text"),
]


def lint(folder: Path) -> subprocess.CompletedProcess:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def copy(folder: Path) -> Path:
    for place in ("core", "pages"):
        shutil.copytree(ROOT / place, folder / place, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_layers_hold():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(("contract", "file", "line"), PLANTED, ids=lambda value: value or "a file of no floor")
def test_a_planted_import_breaks_its_contract(tmp_path, contract, file, line):
    planted = copy(tmp_path) / file
    planted.parent.mkdir(exist_ok=True)
    before = planted.read_text(encoding="utf-8") if planted.exists() else ""
    planted.write_text(f"{before}\n{line}\n", encoding="utf-8")
    result = lint(tmp_path)
    assert result.returncode != 0
    assert f"{contract} BROKEN" in " ".join(result.stdout.split()), result.stdout + result.stderr
