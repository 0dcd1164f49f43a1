"""Docstrings at run time: what a model, a check or a command says of itself, for pages and ``--help``.

Python drops docstrings when it is told to optimise (``-OO``, ``PYTHONOPTIMIZE=2``). The bytes of a release must
not depend on that, so they are then read from the source.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from blend.schemas.errors import InputError

T = TypeVar("T")


def docstring_of(thing: type | Callable[..., Any]) -> str:
    """The docstring of a class or function, without its indentation; empty if it has none."""
    if thing.__doc__ is not None:
        return inspect.cleandoc(thing.__doc__)
    try:
        source = textwrap.dedent(inspect.getsource(thing))
        (definition,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError):  # made at run time, without its source, or inside a line of it
        return ""
    if not isinstance(definition, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return ast.get_docstring(definition) or ""


def refuse_without_docstrings(purpose: str) -> None:
    """Raise where Python drops docstrings, before transformers is loaded, which cannot do without its own.

    Args:
        purpose: What needs transformers, for the message.

    Raises:
        InputError: If it does.
    """
    if sys.flags.optimize > 1:
        raise InputError(
            f"{purpose} needs transformers, which reads its own docstrings, and Python was told to drop them; "
            "unset PYTHONOPTIMIZE, or leave out -OO"
        )


def first_line_of(thing: type | Callable[..., Any]) -> str:
    """The first line of the docstring; empty if there is none."""
    return docstring_of(thing).partition("\n")[0].rstrip()


def described(cls: type[T]) -> type[T]:
    """Decorate a class whose docstring stands in a JSON Schema, so that it has one in any case."""
    if cls.__doc__ is None:
        cls.__doc__ = docstring_of(cls)
    return cls
