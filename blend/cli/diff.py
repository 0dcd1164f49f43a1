"""``blend diff``: what a release changes, compared with an earlier one, and the version that follows."""

from typing import Annotated

import typer

from blend.cli.options import AsJson
from blend.exit_codes import UsageError
from blend.schemas.text import harmless_json


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(diff)


def diff(
    old: Annotated[str, typer.Argument(help="Release to compare with: a directory, or org/name@revision.")],
    new: Annotated[str, typer.Argument(help="Release to compare: a directory, or org/name@revision.")],
    examples: Annotated[
        int, typer.Option(min=0, help="Changed values per column and split to quote, at most.")
    ] = 3,
    as_json: AsJson = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the section for CHANGELOG.md, and nothing else.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 3 if the releases differ, with 0 if not.")
    ] = False,
) -> None:
    """Compare two releases, and say which version step follows.

    Rows are paired by their id; values are compared column by column. A revision is a tag or a commit.

    - `blend diff release-1.0.0 release` compares two directories.
    - `blend diff org/blend@v1.0.0 release` compares what was published with what was built.
    - `blend diff org/blend@v1.0.0 org/blend@v1.1.0` compares two published versions.
    """
    import json

    from blend.builders.diff import diff_releases
    from blend.builders.diff.text import changelog_entry, diff_json
    from blend.loaders.releases.references import resolve_release
    from blend.views.progress import interruptible, reading_progress

    if as_json and markdown:
        raise UsageError("--json and --markdown: choose one")
    with interruptible(), reading_progress() as notify:
        folders = resolve_release(old), resolve_release(new)
        found = diff_releases(*folders, examples=examples, notify=notify)
    if as_json:
        typer.echo(harmless_json(json.dumps(diff_json(found), ensure_ascii=False, indent=2)))
    elif markdown:
        typer.echo(changelog_entry(found, found.new.version), nl=False)
    else:
        from blend.views.diff import diff_views
        from blend.views.safe import SafeConsole

        console = SafeConsole()
        for number, part in enumerate(diff_views(found, examples=examples, width=console.width)):
            if number:
                console.print()
            console.print(part)
    if exit_code and not found.is_empty:
        raise typer.Exit(3)
