"""Option names: what the library calls its parameters, in the words of the command line.

A message of the library names a parameter as its caller in Python writes it, between backquotes: "choose
another `out`", "give `replace=True`", "leave `max_masks=7` out". Here, and nowhere else, this becomes what is
typed behind the command that runs: ``--out``, ``--replace``, ``-T max_masks=7`` for an option of a task,
``-M dtype=float32`` for one of a model. A parameter has one name in a command and in the function that it
calls. One that only another command has is said with that command, since scores can ask for a model that writes
more: ``--max-tokens of `blend eval run```. What is no parameter, such as a key of a recipe, stays as it is.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from blend.cli.task_options import option_names
from blend.eval.models.chosen import Local, Server
from blend.schemas.errors import BlendError

HERE = tuple(name for name in Local.model_fields if name not in ("path", "revision"))
"""Fields that ``-M`` takes of a model on this machine."""
THERE = tuple(name for name in Server.model_fields if name not in ("name", "url"))
"""Those of a model on a server."""

_PARAMETER = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")


_Known = Mapping[str, tuple[Any, str | None]]
"""Parameters by name, each with the command that has it where that is another one than runs."""

_RUNNING: ContextVar[_Known] = ContextVar("parameters that texts can name", default=MappingProxyType({}))
_NO_OTHERS: Mapping[str, Sequence[Any]] = MappingProxyType({})


@contextmanager
def options_of(parameters: Sequence[Any], others: Mapping[str, Sequence[Any]] = _NO_OTHERS) -> Iterator[None]:
    """Let texts and errors of the library name parameters of commands, as typer has them.

    Args:
        parameters: Those of the command that runs.
        others: Those of commands that its texts may speak of as well, by command; the first that has it counts.
    """
    known: _Known = {
        name: (parameter, command)
        for command, of_it in [*reversed([*others.items()]), (None, parameters)]
        for parameter in sorted(of_it, key=lambda one: not _others_in(one))
        for name in (_others_in(parameter) or [parameter.name])
    }
    before = _RUNNING.set(known)
    try:
        yield
    except BlendError as error:
        error.args = (with_options(str(error)),)
        raise
    finally:
        _RUNNING.reset(before)


def with_options(text: str) -> str:
    """A text of the library with options in place of parameters."""
    known = _RUNNING.get()

    def typed(found: re.Match[str]) -> str:
        parameter, command = known.get(found[1], (None, None))
        if parameter is None:
            return found[0]
        name = _typed(parameter, found[1], found[2])
        return name if command is None else f"{name} of `{command}`"

    return _PARAMETER.sub(typed, text)


def _others_in(parameter: Any) -> Collection[str]:
    """Options of a task or a model that are typed behind a parameter, ``-T`` or ``-M``; none behind others."""
    if "-T" in parameter.opts:
        return option_names(parameter.name)
    return (*HERE, *THERE) if "-M" in parameter.opts else ()


def _typed(parameter: Any, named: str, value: str | None) -> str:
    """A parameter as it is typed, with its value unless it is a flag."""
    if _others_in(parameter):
        return f"{parameter.opts[0]} {named}" + ("" if value is None else f"={value}")
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    name: str = max(parameter.opts, key=len)
    return name if value is None or parameter.is_flag else f"{name} {value}"
