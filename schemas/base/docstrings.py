"""Docstrings at run time: what a model, a check or a command says of itself, for pages and ``--help``."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def docstring_of(thing: type | Callable[..., Any]) -> str:
    """The docstring of a class or function, without its indentation; empty if it has none."""
    return inspect.cleandoc(thing.__doc__ or "")


def first_line_of(thing: type | Callable[..., Any]) -> str:
    """The first line of the docstring; empty if there is none."""
    return docstring_of(thing).partition("\n")[0].rstrip()


@cache
def field_sentences(model: "type[BaseModel]") -> Mapping[str, str]:
    """Field of a model to the sentence under it, in the model's order; fields without one are left out.

    Pydantic reads these sentences when it makes a class (``use_attribute_docstrings``), which takes longer than
    all else about our models. Here they are read from the source for the few models that somebody asks about.
    """
    fields = model.model_fields
    sentences: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if fields.keys() & inspect.get_annotations(cls).keys():
            sentences.update(_sentences_in(cls))
    return {name: sentences[name] for name in fields if name in sentences}


def _sentences_in(cls: type) -> Iterator[tuple[str, str]]:
    """The sentences in the body of one class."""
    definition = _definition(cls)
    for field, below in pairwise(definition.body if definition is not None else ()):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            sentence = below.value if isinstance(below, ast.Expr) else None
            if isinstance(sentence, ast.Constant) and isinstance(sentence.value, str):
                yield field.target.id, inspect.cleandoc(sentence.value)


def _definition(cls: type) -> ast.ClassDef | None:
    """Find the definition of a class; null without its source."""
    found: ast.AST | None = _source_tree(cls.__module__)
    for name in cls.__qualname__.replace("<locals>.", "").split("."):
        inside = ast.iter_child_nodes(found) if found is not None else iter(())
        found = next((node for node in inside if getattr(node, "name", None) == name), None)
    return found if isinstance(found, ast.ClassDef) else None


@cache
def _source_tree(module: str) -> ast.Module | None:
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):  # built in, or made at run time
        return None
