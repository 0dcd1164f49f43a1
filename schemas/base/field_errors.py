"""Misfits: what pydantic says about values that are not what their model says, in words that messages use.

Everything that reads files asks here, so that nobody else needs to know how pydantic reports: which part of an
error is the sentence of one of our own validators, what its kinds are called, how a path is written.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from blend.schemas.errors import RowError


class FieldError(NamedTuple):
    """One value that is not what its model says."""

    path: tuple[int | str, ...]
    """Fields and positions in lists, from 0, that lead to the value; empty for the model as a whole."""
    kind: str
    """Pydantic's name for what is wrong, such as ``missing``; ``value_error`` for our own validators."""
    value: Any
    """What was given; for a missing field what it is missing from."""
    message: str
    """What is wrong: the whole sentence of our own validator, otherwise pydantic's."""
    context: Mapping[str, Any]
    """Limits and expected values, by pydantic's names."""

    @property
    def is_ours(self) -> bool:
        """Whether one of our own validators found it, so that the message says what to do as well."""
        return self.kind == "value_error"

    @property
    def location(self) -> str:
        """The path with dots, positions from 0."""
        return ".".join(map(str, self.path))

    @property
    def what_and_fix(self) -> tuple[str, str]:
        """The sentence of our own validator in its two parts: what is wrong, what to do (empty if unsaid)."""
        what, _, fix = self.message.partition("; ")
        return what, fix

    def given(self, shown: str | None = None) -> str:
        """Pydantic's message as part of a sentence, and what was given; ``shown`` stands for it, if given."""
        given = repr(self.value) if shown is None else shown
        return f"{self.message[:1].lower()}{self.message[1:]}, not {given}"


def field_errors(error: ValidationError) -> Iterator[FieldError]:
    """Everything that is wrong, in pydantic's order."""
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        ours = context.get("error") if detail["type"] == "value_error" else None
        message = detail["msg"] if ours is None else str(ours)
        yield FieldError(detail["loc"], detail["type"], detail["input"], message, context)


def entry_problems(error: ValidationError, model: type[BaseModel], location: str) -> Iterator[RowError]:
    """The problems of one entry of a TOML file that has an entry per thing, such as a locale or a domain."""
    for field_error in field_errors(error):
        where = f"{location}, field {field_error.location}" if field_error.path else location
        if field_error.kind == "missing":
            yield RowError("the field is missing", where=where, fix=f"add {field_error.location} = …")
        elif field_error.kind == "extra_forbidden":
            fix = f"choose from: {', '.join(model.model_fields)}"
            yield RowError("unknown field", where=where, fix=fix)
        elif field_error.is_ours:
            what, fix = field_error.what_and_fix
            yield RowError(what, where=where, fix=fix or _COMPARE)
        elif field_error.kind == "tuple_type" and isinstance(text := field_error.value, str):
            fix = f"write {field_error.location} = [{json.dumps(text, ensure_ascii=False)}]"
            yield RowError(f"{text!r} is not a list", where=where, fix=fix)
        else:
            yield RowError(field_error.given(), where=where, fix=_COMPARE)


_COMPARE = "compare with the packaged entries"


def first_reason(error: Exception) -> str:
    """Say in one line why a file is not what it must be.

    The first field error, or the first line of another error.
    """
    if isinstance(error, ValidationError):
        first = next(field_errors(error))
        return f"{first.location}: {first.message}" if first.path else first.message
    return str(error).partition("\n")[0]
