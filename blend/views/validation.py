"""A validation report for people: a line per check, then the problems, worst first."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from blend.builders.validate.report import CheckResult, Level, ValidationReport
from blend.schemas.text import counted

_STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def print_report(report: ValidationReport, console: Console, *, strict: bool = False) -> None:
    """Print the report, and in the last line whether the release passes."""
    console.print(checks_table(report))
    for level in Level:
        for result in report.checks:
            _print_problems(result, level, console)
    console.print()
    if any(result.errors or result.warnings or result.infos for result in report.checks):
        console.print("docs/validate.md explains the checks, docs/findings.md what a build found.", style="dim")
    console.print(_verdict(report, strict=strict))


def checks_table(report: ValidationReport) -> Table:
    """A row per check: what it looks at, and how many problems of each level it found."""
    table = Table(title=f"{report.name} {report.version}, {counted(report.rows, 'row')}", title_justify="left")
    table.add_column("check", no_wrap=True)
    table.add_column("what it looks at")
    for level, name in zip(Level, ("errors", "warnings", "infos"), strict=True):
        table.add_column(name, justify="right", min_width=len(name), style=_STYLES[level])
    for result in report.checks:
        counts = (result.errors, result.warnings, result.infos)
        table.add_row(result.check, escape(result.title), *(f"{count:,}" if count else "" for count in counts))
    return table


def _print_problems(result: CheckResult, level: Level, console: Console) -> None:
    shown = [problem for problem in result.examples if problem.level is level]
    count = dict(zip(Level, (result.errors, result.warnings, result.infos), strict=True))[level]
    if not count:
        return
    style = _STYLES[level]
    more = "" if count == len(shown) else f", the first {len(shown)}" if shown else ", none shown"
    console.print(f"\n[{style}]{level}[/] {result.check}: {count:,}{more}", highlight=False)
    for problem in shown:
        console.print(f"  {escape(str(problem))}", highlight=False)


def _verdict(report: ValidationReport, *, strict: bool) -> str:
    counts = f"{counted(report.errors, 'error')}, {counted(report.warnings, 'warning')}"
    if report.passes(strict=strict):
        return f"[bold green]valid[/]: {counts}"
    only_warnings = " (--strict fails on warnings)" if not report.errors else ""
    return f"[bold red]not valid[/]: {counts}{only_warnings}"
