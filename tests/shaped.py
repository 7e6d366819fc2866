"""Shapes are checked while tests run, for a third of what jaxtyping's own decorator takes.

That one binds every call, checks its arguments before it and once more after it, also where no shape is named: half the
time of a test. Here beartype checks arguments and result around the call itself, among axes of this one call; a
function that names no shape needs no axes.
"""

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Iterable

import jaxtyping
from beartype import BeartypeConf, beartype

THEIRS = jaxtyping.jaxtyped
AXES = THEIRS("context")
CHECKED = beartype(conf=BeartypeConf(violation_type=jaxtyping.TypeCheckError))


def check_shapes(modules: Iterable[str]) -> None:
    """Have what these modules define checked as it runs; to be called before anybody imports them."""
    jaxtyping.jaxtyped = lambda *, typechecker: _checked  # noqa: ARG005 - the import hook writes this before everything
    jaxtyping.install_import_hook(list(modules), "beartype.beartype")


def _checked(defined):
    if not inspect.isclass(defined):
        return _function(defined)
    if dataclasses.is_dataclass(defined) and "__init__" in vars(defined):
        defined.__init__ = _function(defined.__init__)
    return defined


def _function(function: Callable) -> Callable:
    if not _names_a_shape(function):
        return CHECKED(function)
    if inspect.isgeneratorfunction(function):  # its body runs after the call
        return THEIRS(function, typechecker=CHECKED)
    checked = CHECKED(function)

    @functools.wraps(function)
    def among_its_own_axes(*given, **named):
        with AXES:
            return checked(*given, **named)

    return among_its_own_axes


def _names_a_shape(function: Callable) -> bool:
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError:  # a class that comes further down
        return True
    return "jaxtyping" in repr(hints)
