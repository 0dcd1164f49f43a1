"""Rows checked against their model: every field that does not fit becomes a problem at its place."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from blend.loaders.files.notes import Notes, unknown_name
from blend.schemas.misfits import Misfit, misfits
from blend.schemas.rows import Row

R = TypeVar("R", bound=Row)


class Placed(NamedTuple, Generic[R]):
    """A valid row and the place it was read from."""

    place: str
    row: R


class Checked(NamedTuple, Generic[R]):
    """The valid rows of all files of one kind."""

    rows: list[Placed[R]]
    """In file order."""
    whole: bool
    """Whether every row was valid; otherwise nothing can be said to be missing."""


def checked(model: type[R], values: Mapping[str, Any], place: str, notes: Notes) -> Placed[R] | None:
    """The row, or ``None`` when it is not what its model says; then every reason is noted as a problem."""
    try:
        return Placed(place, model.model_validate(values))
    except ValidationError as error:
        for misfit in misfits(error):
            _note(misfit, place, notes)
        return None


def _note(misfit: Misfit, place: str, notes: Notes) -> None:
    column = ".".join(str(part + 1) if isinstance(part, int) else part for part in misfit.path)
    where = f"{place}, column {column}" if column else place
    value, kind = misfit.value, misfit.kind
    if misfit.is_ours:
        what, fix = misfit.what_and_fix
        notes.problem(what, where=where, fix=fix or "correct the row")
    elif kind == "enum":
        valid = misfit.context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        notes.problems.append(unknown_name("value", str(value), valid, where=where))
    elif kind in _MEANINGS:
        what, fix = _MEANINGS[kind]
        notes.problem(what.format(value=value), where=where, fix=fix)
    else:
        notes.problem(f"{value!r} is not possible ({misfit.message})", where=where, fix="correct it")


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
