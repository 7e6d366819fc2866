"""While tests run, every function that names a shape is held to it, and a tensor of another shape is refused."""

import importlib
import pkgutil
from types import ModuleType

import pytest
import torch
from jaxtyping import TypeCheckError

import core
from core.mixers.attention import by_head


def _modules() -> list[ModuleType]:
    names = [
        found.name for found in pkgutil.walk_packages(core.__path__, "core.") if not found.name.endswith("__main__")
    ]
    return [importlib.import_module(name) for name in names]


def _names_a_shape(module: ModuleType) -> bool:
    return any(type(value).__module__.startswith("jaxtyping") for value in vars(module).values())


def test_every_module_that_names_a_shape_is_checked():
    shaped = [module for module in _modules() if _names_a_shape(module)]
    unchecked = [module.__name__ for module in shaped if "jaxtyping" not in type(module.__loader__).__module__]
    assert len(shaped) > 20
    assert unchecked == []


def test_a_tensor_of_another_shape_is_refused():
    assert by_head(torch.zeros(1, 3, 8), 2).shape == (1, 4, 3, 2)
    with pytest.raises(TypeCheckError):
        by_head(torch.zeros(3, 8), 2)
