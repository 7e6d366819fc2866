"""The documents are in step with the project."""

import re
import tomllib
from dataclasses import fields
from functools import cache

import pytest

from core import families
from core.settings import Settings
from tests.house.source import ROOT, name

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LAYERS = "floors"


@cache
def makefile():
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def code(text):
    """Every line of code blocks and every `piece of code` of a document."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    pieces = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return [*(line for block in blocks for line in block.splitlines()), *pieces]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_commands_exist(document):
    targets = set(re.findall(r"^([a-z]+):", makefile(), re.MULTILINE))
    variables = set(re.findall(r"^([A-Z_]+)\s*\??:?=", makefile(), re.MULTILINE))
    for line in code(document.read_text(encoding="utf-8")):
        if line.startswith("make "):
            words = line.split("#")[0].split()[1:]
            assert {word for word in words if word.isalpha()} <= targets, line
            assert set(re.findall(r"\b([A-Z_]{4,})=", line)) <= variables, line


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere(document):
    links = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    lost = [link for link in links if "://" not in link and not (document.parent / link.split("#")[0]).exists()]
    assert lost == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_files_that_are_named_exist(document):
    named = re.findall(
        r"(?:core|pages|tests|assets|docs|tools)(?:/[\w.-]+)*/[\w-]+\.(?:py|toml|md|png)", document.read_text("utf-8")
    )
    assert [file for file in named if not (ROOT / file).exists()] == []


def test_the_map_shows_the_layers_that_are_checked():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == LAYERS)
    checked = [re.sub(r"[()]", "", layer) for layer in layers if "__main__" not in layer]
    drawn = (ROOT / "docs" / "map.md").read_text(encoding="utf-8").split("## The staircase")[1].split("```")[1]
    assert drawn.strip().splitlines() == checked


def test_every_setting_is_explained_with_its_value():
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `HEADS_UP_(\w+)` \| *`?([^|` ]*)`? *\|", text, re.MULTILINE))
    assert rows == {
        field.name.upper(): "" if field.default is None else str(field.default) for field in fields(Settings)
    }


def test_the_readme_names_the_pinned_torch():
    pinned = re.search(r"^torch==(.+)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    assert f"({pinned})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_licence_is_named_for_every_model_that_is_fetched():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    packages = re.findall(r"^([\w-]+)==", (ROOT / "requirements-models.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert [package for package in packages if package not in notice] == []


def test_the_project_speaks_only_of_itself():
    """No place of a machine it was made on, and no word of how it was made."""
    told = re.compile(r"/(?:work|farm|home/\w+|tmp)/[a-z]|\bsub-?agents?\b|\bsteering\b")
    files = [
        *DOCUMENTS,
        ROOT / "Makefile",
        ROOT / "pyproject.toml",
        *ROOT.glob(".ci/*"),
        *ROOT.glob("core/**/*.py"),
        *ROOT.glob("pages/**/*.py"),
    ]
    assert [name(file) for file in files if told.search(file.read_text(encoding="utf-8"))] == []


def test_the_readme_lists_every_family_that_opens():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    listed = re.search(r"in bold those that open from GGUF too\): (.+?)\. ", text).group(1)
    assert listed.split(", ") == [f"**{one.name}**" if one.gguf else one.name for one in families()]
