"""Every command: it explains itself, stands in the docs, and ends by one rule for exit codes."""

import functools
import inspect
import os
import re
import signal
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner

import blend.cli
from blend.cli.application import FAULT, INTERRUPTED, REFUSED, USAGE
from blend.schemas.errors import InputError
from blend.version import __version__

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
    assert CliRunner().invoke(blend.cli.app, ["--version"]).stdout == f"blend {__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=lambda path: " ".join(path) or "blend")
def test_help_explains_every_option_on_eighty_columns_without_markup(path: tuple[str, ...]):
    shown = CliRunner().invoke(blend.cli.app, [*path, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert "Usage:" in shown.stdout
    assert ALL[path].help
    assert [one.name for one in ALL[path].params if one.name != "help" and not one.help] == []
    assert "``" not in shown.stdout
    assert "bool" not in shown.stdout
    assert max(map(cell_len, shown.stdout.splitlines())) <= 80


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


def registered(app: typer.Typer, path: tuple[str, ...]) -> Any:
    """How a command is registered."""
    for group in app.registered_groups:
        if group.name == path[0] and len(path) > 1:
            return registered(group.typer_instance, path[1:])
    return next(command for command in app.registered_commands if command.name == path[-1])


@pytest.mark.sampled
@EVERY
def test_an_error_a_fault_and_an_interrupt_end_by_the_rule(
    ended: Callable, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
):
    def met(meet: Callable[[], object]) -> tuple[int, str]:
        """What a command ends with that meets something as soon as it begins."""
        info = registered(blend.cli.app, path)

        @functools.wraps(info.callback)
        def callback(*_: Any, **__: Any) -> None:
            meet()

        callback.__signature__ = inspect.signature(info.callback)  # type: ignore[attr-defined]
        with monkeypatch.context() as patch:
            patch.setattr(info, "callback", callback)
            return ended(*path, *required(path))

    def throw(error: Exception) -> Callable[[], object]:
        return lambda: (_ for _ in ()).throw(error).__next__()

    assert met(throw(InputError("x.csv:2: no; yes"))) == (REFUSED, "error: x.csv:2: no; yes\n")
    code, told = met(throw(KeyError("surprise")))
    assert code == FAULT
    assert re.fullmatch(r"error: this is a fault of blend .*\n", told)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code, told = met(lambda: os.kill(os.getpid(), signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (code, "Traceback" in told) == (INTERRUPTED, False)
