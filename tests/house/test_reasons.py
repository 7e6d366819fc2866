"""Whatever a family leaves out of a file has its reason in words, in every language."""

import ast

import pytest

import core
from core.catalog.folders import open_folder
from core.catalog.opening import assemble
from core.settings import Settings
from tests.core.changed import FAMILIES
from tests.house.source import files, tree

FIXTURES = sorted(path for path in FAMILIES.iterdir() if (path / "config.json").is_file())


def said():
    """Every reason that is written anywhere in core/models: the word beside the beginning of a published name."""
    for path in files("core/models"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Dict):
                yield from (value for key, value in zip(node.keys, node.values, strict=True) if begins_a_name(key))
            if isinstance(node, ast.DictComp) and begins_a_name(node.key):
                yield node.value
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                yield from [node.value] if begins_a_name(node.targets[0].slice) else []


def begins_a_name(key):
    text = ast.unparse(key).strip("f'\"") if isinstance(key, ast.Constant | ast.JoinedStr) else ""
    return text.endswith((".", "_ids", "bias", "version", "inv_freq", "embed_positions")) and not text[0].isdigit()


def reasons():
    words = (node.value for node in said() if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {word for word in words if word.isalpha()}


def test_the_reasons_are_found():
    assert {"buffer", "pooler", "copy", "idle", "unused"} <= reasons()


@pytest.mark.parametrize("language", core.words.languages())
def test_every_reason_in_the_source_has_its_words(language):
    assert {f"report.ignored_{reason}" for reason in reasons()} <= core.words.catalogue(language).keys()


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_every_reason_of_a_plan_has_its_words(folder):
    plan, _ = assemble(open_folder(folder))
    known = core.words.catalogue("en")
    assert [why for why in plan.ignored.values() if f"report.ignored_{why}" not in known] == []


def test_no_fixture_is_listed_as_one_that_does_not_open():
    """What the Models page says of a folder before anything of its weights is read."""
    settings = Settings(device="cpu", models_root=FAMILIES.resolve())
    assert core.own_folders(FAMILIES.resolve()) == tuple(folder.name for folder in FIXTURES)
    assert {folder.name: str(why) for folder in FIXTURES if (why := core.refusal(folder.name, settings))} == {}
