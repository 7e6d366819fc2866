"""What nothing in this project does."""

import ast
import re

import pytest

from tests.house.source import EVERYTHING, PRODUCT, called, files, name, tree

SEEN = (".py", ".js", ".mjs", ".html")
REFUSED = {
    "objects from files": (r"\bpickle\b|\btorch\.load\b|\bmarshal\b|\bshelve\b|allow_pickle\s*=\s*True", PRODUCT),
    "markup from strings": (
        r"unsafe_allow_html|unsafe_allow_javascript|innerHTML|outerHTML|insertAdjacentHTML|document\.write",
        EVERYTHING,
    ),
    "code from strings": (r"\beval\(|\bexec\(|new Function\(", (*PRODUCT, "assets")),
    "a model hub": (r"^\s*(?:import|from) (?:transformers|huggingface_hub)|from_pretrained|hf_hub_download", PRODUCT),
    "another host": (
        r"https?://(?!127\.0\.0\.1|localhost|www\.w3\.org/|git-lfs)",
        (*PRODUCT, "assets/components", "assets/style"),
    ),
    "random numbers on the screen": (
        r"np\.random|torch\.rand|\brandom\.",
        ("app.py", "pages", "core/figures", "core/analysis"),
    ),
    "work that was left": (r"\bTODO\b|\bFIXME\b|\bXXX\b|NotImplementedError|pragma: no cover", EVERYTHING),
}
OWN = {"", *(path.stem for path in files("pages/plumbing"))}
MARKDOWN = {
    "markdown",
    "write",
    "caption",
    "title",
    "header",
    "subheader",
    "info",
    "warning",
    "error",
    "success",
    "toast",
}


@pytest.mark.parametrize("thing", REFUSED)
def test_refused(thing):
    pattern, places = REFUSED[thing]
    found = [
        f"{name(path)}:{number} {line.strip()}"
        for path in files(*places, endings=SEEN)
        if not name(path).startswith("tests/house/")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert found == []


def test_only_catalogue_texts_are_read_as_markdown():
    """What a person typed, a token or a folder's name is never parsed as Markdown."""
    found = [
        f"{name(path)}:{node.lineno} {ast.unparse(node)}"
        for path in files("pages", "app.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and shows_markdown(node) and not all(map(from_the_catalogue, node.args))
    ]
    assert found == []


def shows_markdown(node):
    owner, _, method = called(node).rpartition(".")
    return owner not in OWN and method in MARKDOWN


def from_the_catalogue(node):
    if isinstance(node, ast.IfExp):
        return from_the_catalogue(node.body) and from_the_catalogue(node.orelse)
    return isinstance(node, ast.Call) and called(node) in {"t", "words.t"}
