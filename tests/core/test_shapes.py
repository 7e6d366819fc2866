"""While tests run, every function that names a shape is held to it, and a tensor of another shape is refused."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import jaxtyping
import pytest
import torch
from jaxtyping import Float, TypeCheckError
from torch import Tensor

import core
from core.masks import Causal
from core.mixers.attention import by_head
from core.mixers.softmax import Attention

checked = jaxtyping.jaxtyped(typechecker=None)  # what stands before every function of a module that names a shape


@checked
def half(hidden: Float[Tensor, "position width"]) -> Float[Tensor, "position width"]:
    """Promise what it does not keep."""
    return hidden[:, ::2]


@checked
def numbered(count: int) -> int:
    return count


@checked
def weighed(hidden: Float[Tensor, "position width"], *, row: Float[Tensor, " width"]) -> Iterator[Tensor]:
    yield from hidden * row


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


def test_an_axis_is_equally_long_in_all_that_one_call_is_given():
    two, four = torch.zeros(1, 2, 3, 2), torch.zeros(1, 2, 3, 4)
    for rows in (two, four):
        assert Attention(queries=rows, keys=rows, values=two, scale=1.0, rule=Causal()).sharing == 1
    with pytest.raises(TypeCheckError, match="head_width"):
        Attention(queries=two, keys=four, values=two, scale=1.0, rule=Causal())


def test_a_result_has_the_shape_that_was_promised():
    assert half(torch.zeros(3, 1)).shape == (3, 1)
    with pytest.raises(TypeCheckError, match="width"):
        half(torch.zeros(3, 4))


def test_where_no_shape_is_named_the_other_annotations_are_held_to():
    assert numbered(3) == 3
    with pytest.raises(TypeCheckError):
        numbered("3")


def test_what_a_generator_is_given_is_checked_too():
    assert len(list(weighed(torch.zeros(3, 4), row=torch.zeros(4)))) == 3
    with pytest.raises(TypeCheckError, match="width"):
        list(weighed(torch.zeros(3, 4), row=torch.zeros(3)))
