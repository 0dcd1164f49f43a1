"""Rendering: the package's Jinja templates filled with values."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.builders.cards.fields import markdown
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.summaries import markdown_text


def render(template: str, **values: Any) -> str:
    """A template of `blend.dataset_cards` as text.

    A value that the template names and nobody gave is an error. Values are escaped in ``.svg.j2`` templates; in
    Markdown they are not: the filter ``cell`` makes a value fit for the cell of a table, and ``text`` makes it
    be read as it was typed.

    Args:
        template: File name, for example ``README.md.j2``.
        values: What its names stand for.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    """One for all: it compiles each template once."""
    environment = Environment(
        loader=FunctionLoader(text_of),
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".svg.j2"),  # noqa: S701 - Markdown is not HTML
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cell": _cell, "markdown": markdown, "text": markdown_text}
    environment.globals["sdk"] = DISTRIBUTION
    return environment


def text_of(name: str) -> str:
    """A file of `blend.dataset_cards`."""
    return (files("blend.dataset_cards") / name).read_text(encoding="utf-8")


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
