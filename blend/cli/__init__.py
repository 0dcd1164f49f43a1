"""The ``blend`` command: parses, calls one function of the library, prints.

`application` says how it ends. With BLEND_TRACEBACK=1 in the environment, an error that no code foresaw is
shown with its traceback.
"""

import os
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from blend import __version__
from blend.cli.application import FAULT, REFUSED, USAGE, Application
from blend.loaders.files.atomic import is_disk_full
from blend.schemas.errors import ArgumentError, BlendError, without_passwords
from blend.schemas.texts import escape_controls
from blend.stopping import exit_code

_GROUPS = {
    "annotate": "annotate:app",
    "eval": "eval:app",
    "templates": "reviews:templates",
    "reviews": "reviews:reviews",
    "questions": "questions:app",
    "responses": "responses:responses",
    "contribute": "responses:contribute",
    "wikidata": "wikidata:app",
}
"""Groups of commands by their names: module, and the application in it."""

_SINGLE = ("build", "look", "collecting", "registry", "publish")
"""Modules of single commands."""

_ALONE = ("build", "validate", "publish", "pull")
"""Single commands that need no group beside them, and are used so often that its imports would be felt."""


@cache
def _application(first: str | None) -> Application:
    """All commands, or those that the first word behind ``blend`` needs: others take half a second."""
    app = Application(
        name="blend",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Make, publish, regenerate and score multilingual everyday-culture benchmarks.",
    )
    app.callback()(_blend)
    if first not in _GROUPS:
        for module in _SINGLE:
            import_module(f"blend.cli.{module}").register(app)
    if first not in _ALONE:
        for name in _GROUPS if first is None else (first,):
            module, _, application = _GROUPS[name].partition(":")
            app.add_typer(getattr(import_module(f"blend.cli.{module}"), application), name=name)
    return app


def __getattr__(name: str) -> Application:
    if name == "app":
        return _application(None)
    raise AttributeError(name)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"blend {__version__}")
        raise typer.Exit


def _blend(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and turn whatever goes wrong into one message and an exit code."""
    try:
        first = next(iter(sys.argv[1:]), None)
        _application(first if first in _GROUPS or first in _ALONE else None)()
    except ArgumentError as error:
        _end(str(error), USAGE)
    except BlendError as error:
        _end(str(error), REFUSED)
    except KeyboardInterrupt as stopped:
        typer.echo("interrupted", err=True)
        sys.exit(exit_code(stopped))
    except Exception as error:
        if os.environ.get("BLEND_TRACEBACK"):
            raise
        _end(*crash_report(error))


def _end(sentence: str, code: int) -> NoReturn:
    typer.echo(f"error: {escape_controls(without_passwords(sentence))}", err=True)
    sys.exit(code)


def crash_report(error: Exception) -> tuple[str, int]:
    """Say what to tell somebody whose command met an error that no code foresaw, and the exit code.

    Returns:
        For a full disk or an error of the operating system about a file, which the user can mend: the file
        and the reason.
        For anything else: that it is blend's fault, the version, and the file that holds the details.
    """
    if is_disk_full(error):
        name = getattr(error, "filename", None)
        where = "" if name is None else f"{os.fsdecode(name)}: "
        return f"{where}no space left on the disk; free some space and run the same again", REFUSED
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)
        return f"{name}: {error.strerror}; correct the path, or make it accessible", REFUSED
    if isinstance(error, MemoryError):
        return "not enough memory; use a machine with more, or build fewer locales at a time", REFUSED
    kind = type(error).__name__
    try:
        details = f"the details are in {_written(error)}; please report them"
    except OSError:
        details = "run it again with BLEND_TRACEBACK=1 for the details, and please report them"
    return f"this is a fault of blend {__version__}, not of your input ({kind}); {details}", FAULT


def _written(error: Exception) -> str:
    """The name of a new file with everything that a report needs."""
    command = f"blend {__version__}, Python {sys.version}\n{sys.argv!r}\n\n"
    with tempfile.NamedTemporaryFile(
        "w", prefix="blend-error-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(command + "".join(traceback.format_exception(error)))
    return file.name
