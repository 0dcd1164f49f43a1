"""``blend validate``: whether a release may be published, for people and for CI."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.options import Release
from blend.exit_codes import REFUSED, UsageError, check_known
from blend.schemas.texts import escape_controls_in_json

if TYPE_CHECKING:
    from blend.builders.validate import Check


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(validate)


def validate(
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
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, and nothing else.")
    ] = False,
) -> None:
    """Check a release: files, rows, ids, answers, texts, card, and that it loads.

    Exit code 0 when there are no errors (with --strict: no warnings either), else 1.

    - `blend validate release` checks a directory.
    - `blend validate org/blend@v1.2.0 --json` checks a published version, for CI.
    - `blend validate release --skip loading` leaves out the slowest check.
    """
    from blend.builders.validate import validate_release
    from blend.loaders.files.progress import shown_progress, silent
    from blend.loaders.releases.references import resolve_release
    from blend.stopping import interruptible

    chosen = _chosen(only, skip)
    with interruptible(), nullcontext(silent) if as_json else shown_progress() as on_progress:
        path = resolve_release(release)
        report = validate_release(path, checks=chosen, examples=examples, name=release, on_progress=on_progress)
    if as_json:
        typer.echo(escape_controls_in_json(report.to_json()), nl=False)
    else:
        from blend.views.releases import print_report
        from blend.views.terminal import SafeConsole

        print_report(report, SafeConsole(), strict=strict)
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
