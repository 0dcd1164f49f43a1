"""Option names: what the library calls its parameters, in the words of the command line.

A message of the library names a parameter as its caller in Python writes it, between backquotes: "choose
another `out`", "give `replace=True`", "leave `max_masks=7` out". Here, and nowhere else, this becomes what is
typed behind the command that runs: ``--out``, ``--replace``, ``--max-masks 7``. A parameter has one name in a
command and in the function that it calls; what is not a parameter of the command, such as a key of a recipe,
stays as it is.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from blend.schemas.errors import BlendError

_PARAMETER = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
_RUNNING: ContextVar[Sequence[Any]] = ContextVar("parameters of the command that runs", default=())


@contextmanager
def options_of(parameters: Sequence[Any]) -> Iterator[None]:
    """Let texts and errors of the library name these parameters of a command, as typer has them."""
    before = _RUNNING.set(parameters)
    try:
        yield
    except BlendError as error:
        error.args = (with_options(str(error)),)
        raise
    finally:
        _RUNNING.reset(before)


def with_options(text: str) -> str:
    """A text of the library with the options of the command that runs in place of parameters."""
    known = {parameter.name: parameter for parameter in _RUNNING.get()}
    return _PARAMETER.sub(
        lambda found: _typed(known[found[1]], found[2]) if found[1] in known else found[0], text
    )


def _typed(parameter: Any, value: str | None) -> str:
    """A parameter as it is typed, with its value unless it is a flag."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    off = parameter.secondary_opts if value == "False" else ()
    name: str = max(off or parameter.opts, key=len)
    return name if value is None or parameter.is_flag else f"{name} {value}"
