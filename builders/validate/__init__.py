"""Validation: whether a release is what its manifest says, holds what its models promise, and harms nobody.

A check is a function that takes the release and yields what it finds; ``CHECKS`` holds all of them by name, and
a caller may pass others. ``docs/cards.md`` describes each.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from blend import __version__
from blend.builders.validate.answers import check_options, check_questions
from blend.builders.validate.checked_release import CheckResult, Problem, Release, ValidationReport
from blend.builders.validate.files import (
    check_audit,
    check_files,
    check_ids,
    check_loading,
    check_rows,
    check_tables,
)
from blend.builders.validate.texts import (
    check_characters,
    check_personal_data,
    check_scripts,
    check_translations,
)
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import note_of_checks
from blend.loaders.releases.tables import release_locales
from blend.schemas.locales import Registry
from blend.schemas.models import first_line_of

Check = Callable[[Release], Iterable[Problem]]
"""Yields what it finds in a release; the first line of its docstring says what it looks at."""

CHECKS: dict[str, Check] = {
    "files": check_files,
    "tables": check_tables,
    "rows": check_rows,
    "ids": check_ids,
    "questions": check_questions,
    "options": check_options,
    "audit": check_audit,
    "characters": check_characters,
    "scripts": check_scripts,
    "translations": check_translations,
    "personal-data": check_personal_data,
    "loading": check_loading,
}
"""All checks by name, in the order in which they run."""

NEEDED = {name: check for name, check in CHECKS.items() if name != "loading"}
"""What a release has to pass to be published; loading takes longer than these, which see what makes it fail."""

EXAMPLES = 10
"""Problems that a report shows of each check and level."""


def validate_release(
    release: Path | str,
    *,
    checks: Mapping[str, Check] | None = None,
    examples: int = EXAMPLES,
    name: str | None = None,
    locales: Registry | None = None,
    on_progress: ProgressCallback = silent,
) -> ValidationReport:
    """Check a release.

    Args:
        release: Directory of the release; `loaders.releases.references.resolve_release` gives that of one
            on the Hub.
        checks: Checks by name, in the order in which they run; `CHECKS` when absent.
        examples: Problems to show of each check and level; all are counted.
        name: What to call the release in the report; the directory when absent.
        locales: The known locales; those of the package and of the release when absent.
        on_progress: Told about progress: check by check, and the rows that each has read.

    Returns:
        The report; ``report.passes()`` says whether there are no errors.

    Raises:
        BlendError: If the directory holds no ``release.json`` that this version reads; without it there is
            nothing to compare with.
    """
    chosen = CHECKS if checks is None else checks
    release = Path(release)
    checked = Release.open(release, release_locales(release) if locales is None else locales, on_progress)
    results: list[CheckResult] = []
    for done, (check, run) in enumerate(chosen.items()):
        on_progress("check the release", done, len(chosen))
        title = first_line_of(run).rstrip(".")
        results.append(CheckResult.of(check, title, run(checked), examples=examples))
    on_progress("check the release", len(chosen), len(chosen))
    report = ValidationReport(
        release=name or str(release),
        name=checked.manifest.name,
        version=checked.manifest.version,
        rows=sum(table.rows for table in checked.manifest.tables),
        sdk_version=__version__,
        checks=tuple(results),
    )
    if locales is None and chosen.items() >= NEEDED.items() and report.passes():
        note = note_of_checks(release)
        # A release whose note cannot be written is checked again before it is published.
        with suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            note.touch()
    return report
