"""The validation report: what each check of a release found, how serious it is, where, and what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from pydantic import computed_field

from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.problem_groups import LINES_PER_CAUSE, cause_of
from blend.schemas.release.summaries import Summarised, Summary

REBUILD = "rebuild the release"
"""What to do where the build, not its input, is at fault."""

CORRECT_AND_REBUILD = "correct the source and rebuild the release"
"""What to do where the input is at fault."""


class Level(StrEnum):
    """Seriousness of a problem; the worst first."""

    ERROR = "error"
    """The release is not what it says it is, or would harm its users: it must not be published."""
    WARNING = "warning"
    """A person should look at it; known irregularities of the sources are warnings."""
    INFO = "info"
    """Worth knowing, nothing to do."""


class Problem(FrozenModel):
    """One thing that a check found."""

    level: Level
    """How serious it is."""
    where: str
    """Place: ``data/annotations/KR-00000.parquet:Al-en-01`` for a row, else a file or a part of one."""
    what: str
    """What was found there."""
    fix: str = ""
    """What to do about it; empty where there is nothing to do."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"; {self.fix}" if self.fix else "")


class Cause(FrozenModel):
    """Problems of one check and level that say the same of different rows."""

    level: Level
    """How serious they are."""
    what: str
    """What was found at the first of them."""
    fix: str
    """What to do about it."""
    problems: int
    """How many there are."""


class CheckResult(FrozenModel):
    """Problems that one check found."""

    check: str
    """Name of the check."""
    title: str
    """What it looks at, in a few words."""
    errors: int
    """Number of errors."""
    warnings: int
    """Number of warnings."""
    infos: int
    """Number of things worth knowing."""
    examples: tuple[Problem, ...]
    """Problems of every level, worst level first: the first ones, where there are many some of every cause."""
    applies: bool = True
    """Whether the release has any tables that the check looks at; nothing was checked otherwise."""
    causes: tuple[Cause, ...] = ()
    """The problems counted by cause, in the order of the levels and of the first problem; of each level as many
    causes as examples may be shown."""

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated properties
    @property
    def level(self) -> Level | None:
        """The worst level met; null when all is well."""
        counts = zip(Level, (self.errors, self.warnings, self.infos), strict=True)
        return next((level for level, count in counts if count), None)

    @classmethod
    def of(cls, check: str, title: str, problems: Iterable[Problem], *, examples: int) -> Self:
        """Count the problems of a check, and keep so many of each level that every cause is among them."""
        tallies = {level: _Tally(examples) for level in Level}
        for problem in problems:
            tallies[problem.level].add(problem)
        errors, warnings, infos = (tally.problems for tally in tallies.values())
        return cls(
            check=check,
            title=title,
            errors=errors,
            warnings=warnings,
            infos=infos,
            examples=tuple(problem for tally in tallies.values() for problem in tally.shown()),
            causes=tuple(cause for tally in tallies.values() for cause in tally.causes()),
        )


@dataclass(slots=True)
class _Tally:
    """The problems of a check and level, of which no more are held than are shown of each cause."""

    examples: int
    problems: int = 0
    first: list[Problem] = field(default_factory=list)
    of_cause: dict[tuple[str, str], tuple[list[Problem], list[int]]] = field(default_factory=dict)
    """By cause, some of its problems, and in a list of one how many there are."""

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it while there is room."""
        self.problems += 1
        if len(self.first) < self.examples:
            self.first.append(problem)
        cause = cause_of(problem.what, problem.fix)
        if cause in self.of_cause or len(self.of_cause) < self.examples:
            kept, count = self.of_cause.setdefault(cause, ([], [0]))
            count[0] += 1
            if len(kept) < LINES_PER_CAUSE:
                kept.append(problem)

    def shown(self) -> list[Problem]:
        """All, if they are few; else some of every cause, and the first ones while there is room."""
        if self.problems <= self.examples:
            return self.first
        some = [problem for kept, _ in self.of_cause.values() for problem in kept]
        # By identity: two problems at one place may say the same, and both count.
        held = {id(problem) for problem in some}
        rest = [problem for problem in self.first if id(problem) not in held]
        return [*some, *rest][: self.examples]

    def causes(self) -> Iterator[Cause]:
        """Every cause with the text of its first problem."""
        for kept, (count,) in self.of_cause.values():
            first = kept[0]
            yield Cause(level=first.level, what=first.what, fix=first.fix, problems=count)


class ValidationReport(Summarised, FrozenModel):
    """Everything that was checked about a release."""

    release: str
    """The release as it was named."""
    name: str
    """Name of the dataset."""
    version: str
    """Version of the release."""
    rows: int
    """Rows of all its tables, as its manifest says."""
    sdk_version: str
    """Version of the SDK that checked it."""
    checks: tuple[CheckResult, ...]
    """One result per check, in the order in which they ran."""

    def _summary(self) -> Summary:
        found = f"{pluralise(self.errors, 'error')}, {pluralise(self.warnings, 'warning')}"
        rows = [(check.check, check.errors, check.warnings, check.infos) for check in self.checks]
        return Summary(f"{self.name} {self.version}, {found}", ("check", "errors", "warnings", "infos"), rows)

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def errors(self) -> int:
        """Number of errors of all checks."""
        return sum(check.errors for check in self.checks)

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def warnings(self) -> int:
        """Number of warnings of all checks."""
        return sum(check.warnings for check in self.checks)

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def infos(self) -> int:
        """Number of things worth knowing of all checks."""
        return sum(check.infos for check in self.checks)

    def passes(self, *, strict: bool = False) -> bool:
        """Whether the release may be published: no errors, and with ``strict`` no warnings either."""
        return not self.errors and not (strict and self.warnings)

    def to_json(self) -> str:
        """The report as JSON text."""
        return self.model_dump_json(indent=2) + "\n"


def error(where: str, what: str, fix: str = "") -> Problem:
    """A problem that forbids publishing."""
    return Problem(level=Level.ERROR, where=where, what=what, fix=fix)


def warning(where: str, what: str, fix: str = "") -> Problem:
    """A problem that a person should look at."""
    return Problem(level=Level.WARNING, where=where, what=what, fix=fix)


def info(where: str, what: str, fix: str = "") -> Problem:
    """Something worth knowing."""
    return Problem(level=Level.INFO, where=where, what=what, fix=fix)
