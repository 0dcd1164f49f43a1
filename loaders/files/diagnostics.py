"""What one reading pass noticed: problems that stop it, and findings that do not."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from blend.schemas.errors import RowError, RowErrors, UnknownNameError, raise_all
from blend.schemas.locales import Registry
from blend.schemas.models import FieldError, Row, field_errors

if TYPE_CHECKING:
    import polars as pl


Finding = tuple[str, str, str | None, str | None, str]
"""What was normalised or is odd, as a row of `frames.FINDINGS`."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Collects while the input is read; at the end the problems are raised together."""

    problems: list[RowError] = field(default_factory=list)
    """What the reader cannot go on with, in reading order."""
    findings: list[Finding] = field(default_factory=list)
    """What was normalised or is odd."""

    def add(self, found: Iterable[RowError | Finding]) -> None:
        """Note what a rule has found."""
        for one in found:
            if isinstance(one, RowError):
                self.problems.append(one)
            else:
                self.findings.append(one)

    def problem(self, what: str, *, where: str, fix: str) -> None:
        """Note what is wrong, where, and what to do about it."""
        self.problems.append(RowError(what, where=where, fix=fix))

    def finding(
        self,
        kind: str,
        source: str,
        detail: str,
        *,
        locale: str | None = None,
        template_id: str | None = None,
    ) -> None:
        """Note an oddity that does not stop the reader, and what was done about it."""
        self.findings.append((kind, source, locale, template_id, detail))

    def oddity(self, kind: str, placed: "Placed[Any]", detail: str) -> None:
        """Note an oddity of a row, with the locale and template that it is about, if any."""
        self.findings.append(about(kind, placed, detail))

    def unknown_locale(self, name: str, known: Registry, *, where: str) -> None:
        """Note a locale that is not known, once: a locale file that was forgotten is behind all rows of it."""
        error = unknown_locale(name, known, where=where)
        if all(problem.what != error.what for problem in self.problems):
            self.problems.append(error)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Turn the row errors of a block into problems, so that reading goes on with the next file."""
        try:
            yield
        except RowError as error:
            self.problems.append(error)
        except RowErrors as errors:
            self.problems.extend(errors.errors)

    def part(self) -> "Diagnostics":
        """Notes for a part of the pass: its findings are also these, its problems are its own."""
        return Diagnostics(findings=self.findings)

    def raise_problems(self) -> None:
        """Raise all problems at once, or return when there are none; see `schemas.errors.raise_all`."""
        raise_all(self.problems)

    def findings_frame(self) -> "pl.DataFrame":
        """The findings as rows of `frames.FINDINGS`, ordered by kind, place and detail."""
        # A command that only reads a key of a file has no need of frames.
        import polars as pl

        from blend.schemas.frames import FINDINGS

        rows = pl.DataFrame(self.findings, schema=FINDINGS, orient="row")
        return rows.sort("kind", "source", "locale", "template_id", "detail")


def unknown_name(kind: str, name: str, valid: Iterable[str], *, where: str) -> RowError:
    """The error for a name in a row that nobody registered; see `schemas.errors.UnknownNameError`."""
    return _in_row(UnknownNameError(kind, name, valid), where)


def unknown_locale(name: str, known: Registry, *, where: str) -> RowError:
    """The error for a locale in a row that is not known."""
    return _in_row(known.unknown(name), where)


def _in_row(error: UnknownNameError, where: str) -> RowError:
    what, _, fix = str(error).partition("; ")
    return RowError(what, where=where, fix=fix)


R = TypeVar("R", bound=Row)


class Placed(NamedTuple, Generic[R]):
    """A valid row and the place it was read from."""

    location: str
    row: R


def about(kind: str, placed: Placed[Any], detail: str) -> Finding:
    """A finding about a row, with its locale and template, if it has any."""
    location, row = placed
    return kind, location, getattr(row, "locale", None), getattr(row, "template_id", None), detail


def about_locale(kind: str, placed: Placed[Any], detail: str) -> Finding:
    """The same about several questions of a locale, of which a row is the first."""
    kind, location, locale, _, _ = about(kind, placed, detail)
    return kind, location, locale, None, detail


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
        diagnostics.problem(f"{value!r} is not {field_error.expected}", where=where, fix="correct it")


_MEANINGS = {
    "missing": ("the value is missing", "add it"),
    "extra_forbidden": ("this column is not expected here", "remove it"),
    **dict.fromkeys(("string_too_short", "string_pattern_mismatch"), ("the value is blank", "fill it in")),
    "string_type": ("{value!r} is not text", "write text, in JSON in double quotes"),
    "tuple_type": ("{value!r} is not a list", "write a list of texts"),
    "model_type": ("{value!r} is not an object", 'write {"answers": […], "en_answers": […]}'),
    "too_short": ("the list is empty", "name at least one"),
}
"""What went wrong and what to do, by pydantic's name for it."""
