"""Results of commands, for people and for programs."""

import json
from collections.abc import Iterable
from typing import Any

import typer

from blend.schemas.summaries import Table
from blend.schemas.texts import escape_controls_in_json


def print_json(value: Any) -> None:
    """Print a result for a program, and nothing that a terminal would obey."""
    typer.echo(escape_controls_in_json(json.dumps(value, ensure_ascii=False, indent=2)))


def print_tables(tables: Iterable[Table], *, everything: bool = True) -> None:
    """Print tables for people: all of all of them, or a first screen."""
    # Only here: a command that prints JSON loads nothing that draws.
    from blend.views.frames import show_tables
    from blend.views.safe import SafeConsole

    show_tables(SafeConsole(), list(tables), everything=everything)
