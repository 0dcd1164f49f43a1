"""A validation report for people: a line per check, then the problems, worst first."""

from collections.abc import Iterator

from rich.markup import escape

from blend.builders.validate.report import CheckResult, Level, ValidationReport
from blend.schemas.texts import pluralise
from blend.views.frames import show_tables
from blend.views.safe import SafeConsole

_STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def print_report(report: ValidationReport, console: SafeConsole, *, strict: bool = False) -> None:
    """Print the report, and in the last line whether the release passes."""
    show_tables(console, report.as_tables(), everything=True)
    for level in Level:
        for result in report.checks:
            for number, line in enumerate(problem_lines(result, level)):
                console.print(line if number == 0 else f"  {escape(line)}", highlight=False)
    console.print()
    if any(result.level for result in report.checks):
        console.print(
            "docs/validate.md explains the checks, the card (README.md) what a build found.", style="dim"
        )
    counts = f"{pluralise(report.errors, 'error')}, {pluralise(report.warnings, 'warning')}"
    only_warnings = "" if report.errors else " (--strict fails on warnings)"
    if report.passes(strict=strict):
        console.print(f"[bold green]valid[/]: {counts}")
    else:
        console.print(f"[bold red]not valid[/]: {counts}{only_warnings}")


def problem_lines(result: CheckResult, level: Level) -> Iterator[str]:
    """How many problems of a level a check found, those that are kept, and how many there are besides."""
    count = {Level.ERROR: result.errors, Level.WARNING: result.warnings, Level.INFO: result.infos}[level]
    if not count:
        return
    yield f"\n[{_STYLES[level]}]{level}[/] {result.check}: {count:,}"
    shown = [problem for problem in result.examples if problem.level is level]
    yield from map(str, shown)
    if count > len(shown):
        yield f"… and {count - len(shown):,} more (--examples)"
