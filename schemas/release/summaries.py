"""Summaries: what a result says of itself in one line, and as a small table in a notebook."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from blend.schemas.language.text_comparison import escape_controls

NOTHING = "–"
"""Stands for null."""


class Summary(NamedTuple):
    """A line about a result, and a few of its figures."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Summarised:
    """A result with a short ``repr``, and with a table where a notebook shows it."""

    __slots__ = ()

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary().title}>"

    def _repr_html_(self) -> str:
        return html_table(*self._summary())


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows as a table of HTML; nothing in a text of others is markup, and figures stand to the right."""
    head = "".join(f"<th>{_text(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"<table><caption>{_text(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def written(value: Any, form: str | None = None) -> str:
    """A value as a table shows it: counts with commas, other numbers by a format or with two digits."""
    if value is None:
        return NOTHING
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return (form or ("{:,}" if isinstance(value, int) else "{:.2f}")).format(value)


def _cell(value: Any) -> str:
    side = ' style="text-align: right"' if isinstance(value, int | float) else ""
    return f"<td{side}>{_text(written(value))}</td>"


def _text(text: str) -> str:
    return escape(escape_controls(text))
