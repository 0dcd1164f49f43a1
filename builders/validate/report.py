"""The validation report: what each check of a release found, how serious it is, where, and what to do."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self

from pydantic import computed_field

from blend.schemas.errors import LINES_PER_CAUSE, cause_of
from blend.schemas.models import FrozenModel
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import pluralise

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
    """Problems of every level, worst level first: all where they are few, else some of every cause."""

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated properties
    @property
    def level(self) -> Level | None:
        """The worst level met; null when all is well."""
        counts = zip(Level, (self.errors, self.warnings, self.infos), strict=True)
        return next((level for level, count in counts if count), None)

    @classmethod
    def of(cls, check: str, title: str, problems: Iterable[Problem], *, examples: int) -> Self:
        """Count the problems of a check, and keep some of each level as examples."""
        found: dict[Level, list[Problem]] = {level: [] for level in Level}
        for problem in problems:
            found[problem.level].append(problem)
        return cls(
            check=check,
            title=title,
            errors=len(found[Level.ERROR]),
            warnings=len(found[Level.WARNING]),
            infos=len(found[Level.INFO]),
            examples=tuple(problem for level in Level for problem in _examples(found[level], examples)),
        )


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

    def as_tables(self) -> list[Table]:
        """A row per check: what it looks at, and how many problems of each level it found."""
        rows = [
            (one.check, one.title, *(count or None for count in (one.errors, one.warnings, one.infos)))
            for one in self.checks
        ]
        columns = ("check", "what it looks at", "errors", "warnings", "infos")
        return [Table.of(f"{self.name} {self.version}, {pluralise(self.rows, 'row')}", columns, rows)]

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


def _examples(problems: Sequence[Problem], n: int) -> Sequence[Problem]:
    """All where they are few; else a few of every cause, and more of the first ones while there is room."""
    if len(problems) <= n:
        return problems
    met: Counter[tuple[str, str]] = Counter()
    few: list[Problem] = []
    more: list[Problem] = []
    for problem in problems:
        cause = cause_of(problem.what, problem.fix)
        met[cause] += 1
        (few if met[cause] <= LINES_PER_CAUSE else more).append(problem)
    return [*few, *more][:n]


def error(where: str, what: str, fix: str = "") -> Problem:
    """A problem that forbids publishing."""
    return Problem(level=Level.ERROR, where=where, what=what, fix=fix)


def warning(where: str, what: str, fix: str = "") -> Problem:
    """A problem that a person should look at."""
    return Problem(level=Level.WARNING, where=where, what=what, fix=fix)


def info(where: str, what: str, fix: str = "") -> Problem:
    """Something worth knowing."""
    return Problem(level=Level.INFO, where=where, what=what, fix=fix)
