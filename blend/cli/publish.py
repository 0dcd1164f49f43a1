"""Commands for what is published: ``blend validate``, ``blend publish`` and ``blend pull``."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from blend.cli.application import REFUSED, UsageError, check_known
from blend.cli.options import AsJson, DryRun, Release
from blend.loaders.files.progress import shown_progress, silent
from blend.schemas.texts import escape_controls_in_json, pluralise
from blend.stopping import ALL_OR_NOTHING, UNCHANGED, interruptible

if TYPE_CHECKING:
    from blend.builders.publish.plan import Publication, PublicationPlan
    from blend.builders.validate import Check
    from blend.builders.validate.checked_release import CheckResult, Level, ValidationReport
    from blend.cli.terminal import SafeConsole

_STOPPED = "interrupted; readers see no half release; run it again to finish"

_BuiltRelease = Annotated[Path, typer.Argument(help="Release directory, as `blend build` makes it.")]
Repository = Annotated[
    str, typer.Argument(metavar="ORG/NAME", help="Dataset repository; made if it is not there.")
]
_Private = Annotated[bool, typer.Option("--private", help="Only the owners may see it.")]
_ForceVersion = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Publish under a version that does not follow from the changes."),
]
_Despite = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Publish although validation finds errors; the changelog tells why."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(_validate)
    app.command()(_publish)
    app.command()(_pull)


def _validate(
    release: Release = "release",
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Run this check only; may be repeated.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Leave this check out; may be repeated.")
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Problems to show of each check and level; all are counted.")
    ] = 10,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings as well.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a release: files, rows, ids, answers, texts, card, and that it loads.

    Exit code 0 when there are no errors (with --strict: no warnings either), else 1.

    - `blend validate release` checks a directory.
    - `blend validate org/blend@v1.2.0 --json` checks a published version, for CI.
    - `blend validate release --skip loading` leaves out the slowest check.
    """
    from blend.builders.validate import validate_release
    from blend.loaders.releases.references import resolve_release

    chosen = _chosen(only, skip)
    with interruptible(), nullcontext(silent) if as_json else shown_progress() as on_progress:
        path = resolve_release(release)
        report = validate_release(path, checks=chosen, examples=examples, name=release, on_progress=on_progress)
    if as_json:
        typer.echo(escape_controls_in_json(report.to_json()), nl=False)
    else:
        _print_report(report, strict=strict)
    if not report.passes(strict=strict):
        raise typer.Exit(REFUSED)


def _chosen(only: list[str] | None, skip: list[str] | None) -> "dict[str, Check]":
    from blend.builders.validate import CHECKS

    for name in [*(only or ()), *(skip or ())]:
        check_known("check", name, CHECKS)
    chosen = {
        name: check for name, check in CHECKS.items() if (not only or name in only) and name not in (skip or ())
    }
    if not chosen:
        raise UsageError("--only and --skip leave no check; name other ones")
    return chosen


# A validation report for people: a line per check, then the problems, worst first.


_STYLES = {"error": "bold red", "warning": "yellow"}


def _print_report(report: "ValidationReport", *, strict: bool = False) -> None:
    """Print the report, and in the last line whether the release passes."""
    from blend.builders.validate.checked_release import Level
    from blend.cli.terminal import SafeConsole, show_tables

    console = SafeConsole()
    show_tables(report.as_tables(), everything=True, console=console)
    for level in Level:
        for result in report.checks:
            for line in _problem_lines(result, level):
                console.print(line, highlight=False)
    console.print()
    if any(result.level for result in report.checks):
        console.print("docs/cards.md explains the checks, reports/details.md what a build found.", style="dim")
    passes = report.passes(strict=strict)
    verdict = "[bold green]valid[/]" if passes else "[bold red]not valid[/]"
    only_warnings = "" if passes or report.errors else " (--strict fails on warnings)"
    counts = f"{pluralise(report.errors, 'error')}, {pluralise(report.warnings, 'warning')}"
    console.print(f"{verdict}: {counts}{only_warnings}")


def _problem_lines(result: "CheckResult", level: "Level") -> Iterator[str]:
    """How many problems of a level a check found, those that are kept, and how many there are besides."""
    count = result.errors if level == "error" else result.warnings
    if count:
        yield f"\n[{_STYLES[level]}]{level}[/] {result.check}: {count:,}"
        kept = [problem for problem in result.examples if problem.level is level]
        yield from (f"  {escape(str(problem))}" for problem in kept)
        if count > len(kept):
            yield f"  … and {count - len(kept):,} more (--examples)"


def _publish(
    release: _BuiltRelease,
    repo: Repository,
    private: _Private = False,
    dry_run: DryRun = False,
    force_version: _ForceVersion = None,
    allow_errors: _Despite = None,
) -> None:
    """Publish a release on the Hub as one commit and the tag vX.Y.Z.

    Readers see the release whole or not at all. A published version never changes: the same content again does
    nothing, other content needs a new version. If it is interrupted, run it again.

    - `blend publish release org/blend --dry-run` shows what would change.
    - `hf auth login` (or HF_TOKEN) gives the token.
    """
    from blend.builders.publish import plan_publication, publish_release
    from blend.builders.publish.plan import PublicationPlan
    from blend.cli.terminal import SafeConsole

    with interruptible(UNCHANGED if dry_run else _STOPPED), shown_progress() as on_progress:
        # Both take the same arguments: a plan is what publishing would do.
        act = plan_publication if dry_run else publish_release
        done = act(
            release,
            repo,
            private=private,
            force_version=force_version,
            allow_errors=allow_errors,
            on_progress=on_progress,
            on_wait=lambda sentence: typer.echo(sentence, err=True),
        )
    if isinstance(done, PublicationPlan):
        _tell(done, None, SafeConsole())
    else:
        _tell(done.plan, done, SafeConsole())


def _pull(
    reference: Annotated[str, typer.Argument(metavar="ORG/NAME@REVISION", help="A tag or a commit.")],
    out: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Directory to make; a release of this dataset is replaced."),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the release of another dataset there as well.")
    ] = False,
) -> None:
    """Get a published release back as a directory, every file checked against its manifest.

    The directory appears complete or not at all, and holds what was published, byte for byte.

    - `blend pull org/blend@v1.2.0 release`
    """
    from blend.loaders.releases.references import pull_release

    with interruptible(ALL_OR_NOTHING.format(out=out)):
        manifest = pull_release(reference, out, replace=replace)
    files = pluralise(len(manifest.files) + 1, "file")
    typer.echo(f"{manifest.name} {manifest.version} is in {out}: {files}, all as published")


def _tell(plan: "PublicationPlan", done: "Publication | None", console: "SafeConsole") -> None:
    """Say what a plan would do, or what was done by it, and how to load the release."""
    from rich.table import Table

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    where, new = f"{plan.repo_id}, tag {plan.tag}", " (a new repository)"
    if plan.action == "nothing":
        say(f"Already published, with the same content: {where}, commit {plan.made}")
    elif plan.action == "tag":
        verb, commit = ("Would finish", plan.made) if done is None else ("Finished", done.commit)
        say(f"{verb} what a stopped run left: {where} on its commit {commit}")
    elif done is None:
        say(f"Would publish {where}{new if plan.creates else ''}")
    else:
        say(f"Published {where}{new if done.new_repository else ''}, commit {done.commit}")
    if plan.action == "publish":
        table = Table("on main", "files", "", box=None, pad_edge=False)
        for kind in ("added", "changed", "removed", "unchanged"):
            paths = getattr(plan.changes, kind)
            more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
            named = "" if kind == "unchanged" else ", ".join(paths[:_NAMED]) + more
            table.add_row(kind, str(len(paths)), named)
        console.print(table)
    for path in plan.edited:
        say(f"edited on the Hub since v{plan.previous}, and replaced: {path}")
    if done is not None:
        say("Load it:")
    elif plan.action != "nothing":
        if plan.creates:
            say(
                f"Whether your token may make a repository of {plan.repo_id.partition('/')[0]} shows only "
                "then; `hf auth whoami` lists its organisations."
            )
        say("Nothing was changed. Without --dry-run it would then load with:")
    say(f"  from datasets import load_dataset; {plan.load}")


_NAMED = 3
"""Paths of each kind that are named."""
