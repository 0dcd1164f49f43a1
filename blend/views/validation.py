"""A validation report for people: a line per check, then the problems, worst first."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from blend.builders.validate.report import Cause, CheckResult, Level, Problem, ValidationReport
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.problem_groups import cause_of
from blend.schemas.release.summaries import NOTHING
from blend.views.frames import frame_table, rows_frame

_STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def print_report(report: ValidationReport, console: Console, *, strict: bool = False) -> None:
    """Print the report, and in the last line whether the release passes."""
    console.print(checks_table(report))
    for level in Level:
        for result in report.checks:
            _print_problems(result, level, console)
    console.print()
    if any(result.errors or result.warnings or result.infos for result in report.checks):
        console.print(
            "docs/validate.md explains the checks, the card (README.md) what a build found.", style="dim"
        )
    console.print(_verdict(report, strict=strict))


def checks_table(report: ValidationReport) -> Table:
    """A row per check: what it looks at, and how many problems of each level it found."""
    rows = []
    for result in report.checks:
        counts = (result.errors, result.warnings, result.infos)
        cells = (f"{count:,}" if count else "" for count in counts) if result.applies else (None, None, None)
        rows.append((result.check, result.title, *cells))
    caption = f"{NOTHING} does not apply: the release has no table that the check looks at"
    columns = ("check", "what it looks at", "errors", "warnings", "infos")
    return frame_table(
        rows_frame(columns, rows),
        f"{report.name} {report.version}, {pluralise(report.rows, 'row')}",
        "" if all(result.applies for result in report.checks) else caption,
        texts=columns[:2],
    )


def _print_problems(result: CheckResult, level: Level, console: Console) -> None:
    shown = [problem for problem in result.examples if problem.level is level]
    count = dict(zip(Level, (result.errors, result.warnings, result.infos), strict=True))[level]
    if not count:
        return
    style = _STYLES[level]
    more = "" if shown else ", none shown"
    console.print(f"\n[{style}]{level}[/] {result.check}: {count:,}{more}", highlight=False)
    for line in problem_lines(shown, [cause for cause in result.causes if cause.level is level], count):
        console.print(f"  {escape(line)}", highlight=False)


def problem_lines(shown: Sequence[Problem], causes: Sequence[Cause], count: int) -> Iterator[str]:
    """Problems of one level, cause by cause: what is said of several places is said once.

    Args:
        shown: Some of them.
        causes: Their causes, with the number of problems.
        count: Number of all.
    """
    if not shown:
        return
    of_cause: dict[tuple[str, str], list[Problem]] = {}
    for problem in shown:
        of_cause.setdefault(cause_of(problem.what, problem.fix), []).append(problem)
    totals = {cause_of(cause.what, cause.fix): cause.problems for cause in causes}
    for cause, problems in of_cause.items():
        yield from _lines_of_cause(problems, totals.get(cause, len(problems)) - len(problems))
    other = count - sum(totals.get(cause, len(problems)) for cause, problems in of_cause.items())
    if other:
        yield f"… and {other:,} with other causes"


def _lines_of_cause(problems: Sequence[Problem], n_more: int) -> Iterator[str]:
    by_text: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        by_text.setdefault((problem.what, problem.fix), []).append(problem)
    is_one = len(by_text) == 1
    for same in by_text.values():
        locations = _locations([problem.where for problem in same])
        more = f" and {n_more:,} more" if is_one and n_more else ""
        yield str(same[0].model_copy(update={"where": f"{locations}{more}"}))
    if n_more and not is_one:
        yield f"… and {n_more:,} more of this kind"


def _locations(locations: Sequence[str]) -> str:
    """Places in a list, the name of a file once before all of its rows."""
    rows: dict[str, list[str]] = {}
    for location in dict.fromkeys(locations):
        file, colon, row = location.partition(":")
        rows.setdefault(f"{file}{colon}", []).append(row)
    return ", ".join(f"{file}{', '.join(held)}" for file, held in rows.items())


def _verdict(report: ValidationReport, *, strict: bool) -> str:
    counts = f"{pluralise(report.errors, 'error')}, {pluralise(report.warnings, 'warning')}"
    if report.passes(strict=strict):
        return f"[bold green]valid[/]: {counts}"
    only_warnings = " (--strict fails on warnings)" if not report.errors else ""
    return f"[bold red]not valid[/]: {counts}{only_warnings}"
