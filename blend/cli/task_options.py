"""Options of a task on the command line, ``-T NAME=VALUE``: each task has its own, and says which."""

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from blend.eval.task import ScoringOptions, TaskOptions, offered
from blend.exit_codes import UsageError

TaskValues = Annotated[
    list[str] | None,
    typer.Option(
        "-T",
        metavar="NAME=VALUE",
        help="Option of the task, such as style=texts; commas between several values. docs/evaluation.md "
        "lists them; can be repeated.",
    ),
]


def read_options(kind: type[TaskOptions] | type[ScoringOptions], texts: Sequence[str] | None) -> dict[str, Any]:
    """The options of a task that some texts name, for the library, which checks them.

    Args:
        kind: The task's class of options.
        texts: ``NAME=VALUE``; of files by name ``NAME=KEY=FILE``.
    """
    known = offered(kind)
    found: dict[str, Any] = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        name = name.replace("-", "_")
        if not (name and sign):
            raise UsageError(f"-T {text}: expected a name and a value, such as style=texts")
        holds = _kind_of(known[name][1]) if name in known else str
        if holds is Mapping:
            key, path = _file(text, value, needs_name=not (known[name][0].metavar or "").startswith("["))
            found.setdefault(name, {})[key] = path
        elif name in found:
            raise UsageError(f"-T {text}: {name} is given twice; write several values with commas between them")
        else:
            found[name] = value.split(",") if holds is tuple else value
    return found


def _kind_of(holds: Any) -> Any:
    """What of an option's type matters: whether it holds several values, or files by name."""
    kinds = {typing.get_origin(one) or one for one in (holds, *typing.get_args(holds))}
    return Mapping if Mapping in kinds else tuple if tuple in kinds else str


def _file(text: str, value: str, *, needs_name: bool) -> tuple[str, Path]:
    """A file with its name, ``hofstede=FILE``; where none is needed, a text without one is for all."""
    key, sign, path = value.partition("=")
    # A path can hold the sign as well; no name holds a slash or a dot.
    is_named = bool(sign and key and path) and not set("/.") & set(key)
    if not value or (needs_name and not is_named):
        what = "a name and a file" if needs_name else "a file"
        raise UsageError(f"-T {text}: expected {what} behind the sign =")
    return (key, Path(path)) if is_named else ("", Path(value))
