"""Every command: it explains itself, stands in the docs, and ends by one rule for exit codes."""

import inspect
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len

import blend.cli
from blend import __version__
from blend.cli.application import USAGE, _Command
from helpers.in_process import run

WHOLE: Any = typer.main.get_command(blend.cli.app)


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group, as typed behind ``blend``."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))


ALL = dict(walk(WHOLE))
COMMANDS = {path: command for path, command in ALL.items() if not hasattr(command, "commands")}
EVERY = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


def test_the_version_is_printed():
    assert run("--version") == f"blend {__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=lambda path: " ".join(path) or "blend")
def test_help_explains_every_option_on_eighty_columns_without_markup(path: tuple[str, ...]):
    shown = run(*path, "--help", columns=80)
    assert "Usage:" in shown
    assert ALL[path].help
    assert [one.name for one in ALL[path].params if one.name != "help" and not one.help] == []
    assert "``" not in shown
    assert "bool" not in shown
    assert max(map(cell_len, shown.splitlines())) <= 80


@EVERY
def test_every_command_stands_in_the_docs(path: tuple[str, ...], root: Path):
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    assert any(f"blend {' '.join(path)}" in page.read_text(encoding="utf-8") for page in pages)


def required(path: tuple[str, ...]) -> list[str]:
    """Words for everything that a command cannot do without."""
    signature = inspect.signature(COMMANDS[path].callback).parameters
    words: list[str] = []
    for parameter in COMMANDS[path].params:
        if parameter.required:
            kind = typing.get_args(signature[parameter.name].annotation)[0]
            value = typing.get_args(kind)[0] if typing.get_origin(kind) is typing.Literal else "x"
            words += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
    return words


@pytest.mark.sampled
@EVERY
def test_a_command_line_that_is_wrong_ends_with_two(ended: Callable, path: tuple[str, ...]):
    code, told = ended(*path, *required(path), "--no-such-option")
    assert (code, "--no-such-option" in told) == (USAGE, True)
    if required(path):
        assert ended(*path)[0] == USAGE
    if all(parameter.nargs == 1 for parameter in COMMANDS[path].params):
        n_arguments = sum(one.param_type_name == "argument" for one in COMMANDS[path].params)
        assert ended(*path, *required(path), *["x"] * (n_arguments + 1))[0] == USAGE


@EVERY
def test_one_class_runs_every_command(path: tuple[str, ...]):
    # What an error, a fault and Ctrl-C end with is held in test_endings.py, whichever command meets them.
    assert type(COMMANDS[path]) is _Command
