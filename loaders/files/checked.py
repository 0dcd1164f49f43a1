"""Rows checked against their model: every field that does not fit becomes a problem at its place."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.schemas.base.field_errors import FieldError, field_errors
from blend.schemas.base.frozen_model import Row

R = TypeVar("R", bound=Row)


class Placed(NamedTuple, Generic[R]):
    """A valid row and the place it was read from."""

    location: str
    row: R


class Checked(NamedTuple, Generic[R]):
    """The valid rows of all files of one kind."""

    rows: list[Placed[R]]
    """In file order."""
    is_complete: bool
    """Whether every row was valid; otherwise nothing can be said to be missing."""


def checked(
    model: type[R], values: Mapping[str, Any], location: str, diagnostics: Diagnostics
) -> Placed[R] | None:
    """The row, or ``None`` when it is not what its model says; then every reason is noted as a problem."""
    try:
        return Placed(location, model.model_validate(values))
    except ValidationError as error:
        for field_error in field_errors(error):
            _note(field_error, location, diagnostics)
        return None


def _note(field_error: FieldError, location: str, diagnostics: Diagnostics) -> None:
    column = ".".join(str(part + 1) if isinstance(part, int) else part for part in field_error.path)
    where = f"{location}, column {column}" if column else location
    value, kind = field_error.value, field_error.kind
    if field_error.is_ours:
        what, fix = field_error.what_and_fix
        diagnostics.problem(what, where=where, fix=fix or "correct the row")
    elif kind == "enum":
        valid = field_error.context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        diagnostics.problems.append(unknown_name("value", str(value), valid, where=where))
    elif kind in _MEANINGS:
        what, fix = _MEANINGS[kind]
        diagnostics.problem(what.format(value=value), where=where, fix=fix)
    else:
        diagnostics.problem(f"{value!r} is not possible ({field_error.message})", where=where, fix="correct it")


_MEANINGS = {
    "missing": ("the value is missing", "add it"),
    "extra_forbidden": ("this column is not expected here", "remove it"),
    "string_too_short": ("the value is blank", "fill it in"),
    "string_pattern_mismatch": ("the value is blank", "fill it in"),
    "string_type": ("{value!r} is not text", "write text, in JSON in double quotes"),
    "tuple_type": ("{value!r} is not a list", "write a list of texts"),
    "model_type": ("{value!r} is not an object", 'write {{"answers": […], "en_answers": […]}}'),
    "too_short": ("the list is empty", "name at least one"),
}
"""What went wrong and what to do, by pydantic's name for it."""
