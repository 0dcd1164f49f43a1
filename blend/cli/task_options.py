"""Options behind ``-T NAME=VALUE`` and ``-M NAME=VALUE``, which each task and kind of model has for itself."""

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from blend.eval.models.chosen import Local, Server
from blend.eval.registry import TASKS
from blend.eval.task import no_such_option, offered
from blend.eval.task_protocol import Task
from blend.exit_codes import UsageError

TaskValues = Annotated[
    list[str] | None,
    typer.Option(
        "-T",
        metavar="NAME=VALUE",
        help="Option of the task, such as style=texts, with commas between several values; can be repeated. "
        "The error about a name that is none lists them.",
    ),
]


HERE = tuple(name for name in Local.model_fields if name not in ("path", "revision"))
"""Fields that ``-M`` takes of a model on this machine."""
THERE = tuple(name for name in Server.model_fields if name not in ("name", "url"))
"""Those of a model on a server."""


def read_options(
    task: Task, kind: Literal["options", "scoring"], texts: Sequence[str] | None
) -> dict[str, Any]:
    """The options of a task that some texts name, for the library, which checks them.

    Args:
        task: The task.
        kind: Whether they are of asking or of scoring.
        texts: ``NAME=VALUE``; of files by name ``NAME=KEY=FILE``.

    Raises:
        ArgumentError: If a text is not of this form, or the task has no such option.
    """
    known = offered(getattr(task, kind))
    found: dict[str, Any] = {}
    for text in texts or ():
        name, value = named_value("-T", text, example="style=texts")
        if name not in known:
            raise UsageError(f"-T {text}: {no_such_option(getattr(task, kind), name, task=task.name)}")
        holds = _kind_of(known[name])
        if holds is Mapping:
            files = found.setdefault(name, {})
            key, path = _file(value)
            if key in files:
                raise UsageError(f"-T {text}: there is a file for {key or 'all'} already; name each once")
            files[key] = path
        elif name in found:
            raise UsageError(f"-T {text}: {name} is given twice; write several values with commas between them")
        else:
            found[name] = value.split(",") if holds is tuple else value
    return found


def named_value(flag: str, text: str, *, example: str) -> tuple[str, str]:
    """A name, as Python has it, and a value that are typed behind a flag."""
    name, sign, value = text.partition("=")
    if not (name and sign):
        raise UsageError(f"{flag} {text}: expected a name and a value, such as {example}")
    return name.replace("-", "_"), value


def option_names(kind: Literal["options", "scoring"]) -> set[str]:
    """Names of the options of asking or of scoring that any task has."""
    return {name for task in TASKS.values() for name in offered(getattr(task, kind))}


def _kind_of(holds: Any) -> Any:
    """What of an option's type matters: whether it holds several values, or files by name."""
    kinds = {typing.get_origin(one) or one for one in (holds, *typing.get_args(holds))}
    return Mapping if Mapping in kinds else tuple if tuple in kinds else str


def _file(value: str) -> tuple[str, Path]:
    """A file with its name, ``hofstede=FILE``; the name is empty where there is none."""
    key, sign, path = value.partition("=")
    # A path can hold the sign as well; no name holds a slash or a dot.
    is_named = bool(sign and key and path) and not set("/.") & set(key)
    return (key, Path(path)) if is_named else ("", Path(value))
