"""Reading the project's own files, for the tests of this folder."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("core", "pages", "server.py", "app.py")
EVERYTHING = (*PRODUCT, "assets", "deploy", "tests", "tools", "benchmarks")


def files(*places: str, endings: tuple[str, ...] = (".py",)) -> list[Path]:
    """Every file of those endings in those folders, or the files themselves."""
    found = []
    for place in places:
        path = ROOT / place
        found += [path] if path.is_file() else sorted(path.rglob("*"))
    return [path for path in found if path.suffix in endings and path.is_file() and "__pycache__" not in path.parts]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def docstring(node: ast.AST) -> ast.Expr | None:
    """The expression that is a node's docstring."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
        return None
    value = body[0].value
    return body[0] if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines a function has, its docstring not counted."""
    told = docstring(function)
    spared = told.end_lineno - told.lineno + 1 if told else 0
    return function.end_lineno - function.lineno + 1 - spared


def called(node: ast.AST) -> str:
    """The dotted name of what a call calls, or nothing."""
    parts = []
    target = node.func if isinstance(node, ast.Call) else node
    while isinstance(target, ast.Attribute):
        parts.append(target.attr)
        target = target.value
    return ".".join([target.id, *reversed(parts)]) if isinstance(target, ast.Name) else ""
