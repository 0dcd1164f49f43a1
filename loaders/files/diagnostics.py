"""What one reading pass noticed: problems that stop it, and findings that do not."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import polars as pl

from blend.schemas.errors import RowError, RowErrors, UnknownNameError, raise_all
from blend.schemas.language.locales import Registry, registry
from blend.schemas.language.personal_data import tells_who
from blend.schemas.rows.frame_columns import FINDINGS


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Collects while the input is read; at the end the problems are raised together."""

    problems: list[RowError] = field(default_factory=list)
    """What the reader cannot go on with, in reading order."""
    findings: list[tuple[str, str, str | None, str | None, str]] = field(default_factory=list)
    """What was normalised or is odd, as rows of `frame_columns.FINDINGS`."""

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

    def check_own_words(self, text: str, *, where: str, of_answers: bool = True) -> None:
        """Note what in somebody's own words tells who a person is (`tells_who`): releases repeat such words."""
        for kind in tells_who(text, of_answers=of_answers):
            fix = "say why in other words: a release repeats them"
            self.problem(f"holds {kind} (not shown)", where=where, fix=fix)

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

    def findings_frame(self) -> pl.DataFrame:
        """The findings as rows of `frame_columns.FINDINGS`, ordered by kind, place and detail."""
        rows = pl.DataFrame(self.findings, schema=FINDINGS, orient="row")
        return rows.sort("kind", "source", "locale", "template_id", "detail")


def unknown_name(kind: str, name: str, valid: Iterable[str], *, where: str) -> RowError:
    """The error for a name in a row that nobody registered; see `schemas.errors.UnknownNameError`."""
    what, _, fix = str(UnknownNameError(kind, name, valid)).partition("; ")
    return RowError(what, where=where, fix=fix)


def unknown_locale(name: str, known: Registry, *, where: str) -> RowError:
    """The error for a locale in a row that is not known."""
    own = "a region that is not among them needs an entry in a locale file (`locale_file`, see docs/recipe.md)"
    meant = known.meant(name)
    what, _, fix = str(UnknownNameError("locale", name, known.tags, meant=meant)).partition("; ")
    # Where nothing can be meant, the nearest tags are strangers.
    fix = f"{fix}; {own}" if meant != "" else f"`blend locales` lists the {len(known.tags)} there are; {own}"
    if known.tags == registry().tags:
        fix += ", and no such file is named"
    return RowError(what, where=where, fix=fix)
