"""Rendering: the package's Jinja templates filled with values, bars as pictures, and row models in words."""

import types
from collections.abc import Iterator, Sequence
from enum import Enum
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from blend.schemas.errors import DISTRIBUTION
from blend.schemas.models import field_sentences, packaged_templates
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
    templates = packaged_templates("blend.dataset_cards", autoescape=_is_picture, keep_trailing_newline=True)
    templates.filters |= {"cell": _cell, "markdown": markdown, "text": markdown_text}
    templates.globals["sdk"] = DISTRIBUTION
    return templates.get_template(template).render(values)


def _is_picture(name: str | None) -> bool:
    # Markdown is not HTML.
    return name is not None and name.endswith(".svg.j2")


def text_of(name: str) -> str:
    """A file of `blend.dataset_cards`."""
    return (files("blend.dataset_cards") / name).read_text(encoding="utf-8")


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


# Described fields: what row models say of themselves, for people and machines that never see the models.


class _DescribedField(NamedTuple):
    """A column, or a field inside one."""

    name: str
    """Published name; inside a column with the way to it, ``annotations[].count``."""
    type: str
    """``string``, ``int64``, ``struct`` and so on, with ``list of`` before a list's."""
    description: str
    """The sentence under the field, as it stands in the model."""


def described_fields(model: type[BaseModel], prefix: str = "") -> Iterator[_DescribedField]:
    """The published columns of a model in order, each followed by the fields inside it.

    Args:
        model: Row model.
        prefix: What stands before every name.
    """
    for name, info in model.model_fields.items():
        kind, is_list = kind_of(info.annotation)
        published = f"{prefix}{info.alias or name}"
        type_name = kind if isinstance(kind, str) else "struct"
        yield _DescribedField(
            published,
            f"list of {type_name}" if is_list else type_name,
            field_sentences(model).get(name, ""),
        )
        if not isinstance(kind, str):
            yield from described_fields(kind, f"{published}[]." if is_list else f"{published}.")


def kind_of(annotation: Any) -> tuple[str | type[BaseModel], bool]:
    """Name of an Arrow type, or a model, and whether the annotation is a list of such."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(args[0])
    if origin in (Union, types.UnionType):
        # Whether a value may be null is no part of its type here.
        return kind_of(next(arg for arg in args if arg is not type(None)))
    if origin in (list, tuple):
        return kind_of(args[0])[0], True
    assert isinstance(annotation, type)
    if issubclass(annotation, BaseModel):
        return annotation, False
    return ("string" if issubclass(annotation, Enum) else _SCALARS[annotation]), False


_SCALARS: dict[type, str] = {bool: "bool", int: "int64", float: "double", str: "string"}


def markdown(text: str) -> str:
    """A docstring as one line of Markdown: its double backticks become single ones."""
    return " ".join(text.split()).replace("``", "`")


def plain(text: str) -> str:
    """A docstring as one line of plain text: what stood in backticks stands in quotation marks."""
    return " ".join(text.split()).replace("``", '"')


# Charts: bars that people would rather look at than read, the same bytes for the same figures. They bring their
# own background, follow the reader's choice of light or dark, use the reader's fonts and no script.

_CHARACTER = 7.3
"""Width of a character in 13 px, in px: wide for most fonts, so that no name is cut."""
_FULL = 440
"""Px of the longest bar."""


class Chart(NamedTuple):
    """A picture of the card."""

    path: str
    """Place in the release, for example ``images/agreement.svg``."""
    alt: str
    """What it shows, for who cannot see it: one line without brackets."""
    svg: str
    """The picture."""


def bar_chart(
    path: str,
    title: str,
    subtitle: str,
    bars: Sequence[tuple[str, float | None]],
    *,
    are_shares: bool = True,
    beside: tuple[str, float] | None = None,
    nothing: str = "none",
) -> Chart:
    """Bars in the order given, each with its value behind it.

    Args:
        path: Place of the picture.
        title: What is drawn.
        subtitle: What exactly, in one line.
        bars: Name and value of each (null where there is none); at least one.
        are_shares: Whether values are fractions of what the longest bar would be, in percent; counts otherwise.
        beside: Name and value of a line to compare the bars with.
        nothing: What stands in the place of a bar without a value.
    """

    def write(value: float) -> str:
        return f"{100 * value:.1f} %" if are_shares else f"{value:,.0f}"

    known = [(name, value) for name, value in bars if value is not None]
    # The first and the last bar, or the only one.
    ends = [f"{name} {write(value)}" for name, value in (known[:1] + known[1:][-1:])]
    line = None if beside is None else f"{beside[0]} {write(beside[1])}"
    alt = f"Bar chart. {title}: {' to '.join(ends) or nothing}{'' if line is None else f'; {line}'}."
    texts = [None if value is None else write(value).replace(" ", "\N{NO-BREAK SPACE}") for _, value in bars]
    svg = render(
        "bars.svg.j2",
        title=title,
        subtitle=subtitle,
        description=alt,
        nothing=nothing,
        bars=[(name, value or 0, text) for (name, value), text in zip(bars, texts, strict=True)],
        # Never 0: the template divides by it.
        most=1 if are_shares else max((value for _, value in known), default=1) or 1,
        line=None if beside is None else (beside[1], line),
        full=_FULL,
        names=round(max(len(name) for name, _ in bars) * _CHARACTER),
        values=round(max((len(text) for text in texts if text is not None), default=0) * _CHARACTER),
    )
    return Chart(path, alt, svg)
