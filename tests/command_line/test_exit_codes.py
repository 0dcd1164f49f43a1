"""One rule for exit codes over all commands, and the page that states it."""

import functools
import inspect
import os
import re
import signal
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import blend.cli
from blend.exit_codes import EXIT_CODES, FAULT, INTERRUPTED, REFUSED, USAGE
from blend.schemas.errors import InputError


def walk(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command as typed after ``blend``, with how it is registered."""
    for command in app.registered_commands:
        yield (*path, command.name or command.callback.__name__.replace("_", "-")), command
    for group in app.registered_groups:
        yield from walk(group.typer_instance, (*path, group.name))


COMMANDS = dict(walk(blend.cli.app))
EVERY = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


@functools.cache
def click_command(path: tuple[str, ...]) -> Any:
    command: Any = typer.main.get_command(blend.cli.app)
    for name in path:
        command = command.commands[name]
    return command


def required(path: tuple[str, ...]) -> list[str]:
    """Words for everything that a command cannot do without."""
    annotations = inspect.signature(COMMANDS[path].callback).parameters
    words: list[str] = []
    for parameter in click_command(path).params:
        if parameter.required:
            kind = typing.get_args(annotations[parameter.name].annotation)[0]
            value = typing.get_args(kind)[0] if typing.get_origin(kind) is typing.Literal else "x"
            words += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
    return words


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable:
    """The exit code of a command, and what it wrote to standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("BLEND_TRACEBACK", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["blend", *words])
        code: Any = 0
        try:
            blend.cli.main()
        except SystemExit as stopped:
            code = stopped.code or 0
        return code, capfd.readouterr().err

    return run


def raising(monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...], error: Callable[[], None]) -> None:
    """Let a command meet an error as soon as it begins."""
    info = COMMANDS[path]

    @functools.wraps(info.callback)
    def callback(*arguments: Any, **options: Any) -> None:
        error()

    callback.__signature__ = inspect.signature(info.callback)  # type: ignore[attr-defined]
    monkeypatch.setattr(info, "callback", callback)


def thrown(error: BaseException) -> Callable[[], None]:
    def throw() -> None:
        raise error

    return throw


@pytest.mark.sampled
@EVERY
def test_an_option_that_does_not_exist(ended: Callable, path: tuple[str, ...]):
    code, words = ended(*path, *required(path), "--no-such-option")
    assert code == USAGE
    assert "--no-such-option" in words


@pytest.mark.sampled
@EVERY
def test_words_too_few_or_too_many(ended: Callable, path: tuple[str, ...]):
    if required(path):
        assert ended(*path)[0] == USAGE
    if all(parameter.nargs == 1 for parameter in click_command(path).params):
        n_arguments = sum(one.param_type_name == "argument" for one in click_command(path).params)
        assert ended(*path, *required(path), *["x"] * (n_arguments + 1))[0] == USAGE


@pytest.mark.nightly
@EVERY
def test_an_input_that_is_not_as_it_must_be(ended: Callable, monkeypatch, path: tuple[str, ...]):
    raising(monkeypatch, path, thrown(InputError("x.csv:2: no; yes")))
    assert ended(*path, *required(path)) == (REFUSED, "error: x.csv:2: no; yes\n")


@pytest.mark.sampled
@EVERY
def test_a_fault_of_ours(ended: Callable, monkeypatch, path: tuple[str, ...]):
    raising(monkeypatch, path, thrown(KeyError("surprise")))
    code, words = ended(*path, *required(path))
    assert code == FAULT
    assert words.startswith("error: this is a fault of blend")
    assert len(words.splitlines()) == 1


@pytest.mark.nightly
@EVERY
def test_an_interrupt(ended: Callable, monkeypatch, path: tuple[str, ...]):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        raising(monkeypatch, path, lambda: os.kill(os.getpid(), signal.SIGINT))
        code, words = ended(*path, *required(path))
    finally:
        signal.signal(signal.SIGINT, before)
    assert code == INTERRUPTED
    assert "Traceback" not in words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "--source-path", "x"], "--source-path x: expected LOCATION=PATH"),
        (
            ["validate", "a", "--only", "files", "--skip", "files"],
            "--only and --skip leave no check; name other ones",
        ),
    ],
)
def test_what_blend_itself_notices_about_a_command_line(ended: Callable, words: list[str], message: str):
    assert ended(*words) == (USAGE, f"error: {message}\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["schema", "nothing"], "unknown model 'nothing'; "),
        (["validate", "a", "--only", "nothing"], "unknown check 'nothing'; "),
        (["eval", "run", "a", "--task", "nothing"], "unknown task 'nothing'; "),
        (["eval", "score", "a", "--rule", "nothing"], "unknown rule 'nothing'; choose one of: byte, "),
        (["stats", "--json", "--table", "x"], "--table and --all choose what is printed for people"),
    ],
)
def test_names_that_are_none_of_a_fixed_list(ended: Callable, words: list[str], said: str):
    code, printed = ended(*words)
    assert code == USAGE
    assert printed.startswith(f"error: {said}")


@pytest.mark.parametrize(
    "words",
    [
        ["build", "nothere.toml"],
        ["show", "nothere"],
        ["stats", "nothere"],
        ["status", "nothere.toml"],
        ["diff", "nothere", "nothere"],
        ["validate", "nothere"],
        ["publish", "nothere", "org/x", "--dry-run"],
        ["pull", "nothere@v1", "out"],
        ["locales", "nowhere"],
        ["templates", "propose", "nothere.csv"],
        ["templates", "accept", "nothere.csv"],
        ["templates", "localise", "nothere.csv", "nothere.csv"],
        ["reviews", "propose", "nothere.toml"],
        ["reviews", "accept", "nothere.csv"],
        ["eval", "run", "nothere", "--answers", "nothere.csv"],
        ["eval", "score", "nothere"],
        ["eval", "compare", "nothere", "nothere"],
        ["eval", "report", "nothere"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_an_input_that_is_not_there(ended: Callable, words: list[str]):
    code, printed = ended(*words)
    assert code == REFUSED
    assert printed.splitlines()[-1].startswith("error: ")


def test_the_page_has_every_code(root: Path):
    page = (root / "docs" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == EXIT_CODES
