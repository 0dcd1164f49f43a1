"""Commands that look at releases and change nothing: show, stats, audit, diff; and items, at runs of them."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.options import (
    DEFAULT_OUT,
    AsJson,
    Release,
    TablesFolder,
    keep_tables,
    print_json,
    print_lines,
    print_result,
    print_tables,
    reporting,
)
from blend.loaders.files.progress import progress_if_watched
from blend.stopping import interruptible

_ReleaseFolder = Annotated[Path, typer.Argument(help="Release directory.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (_show, _stats, _audit, _diff, _items):
        app.command()(command)


def _show(
    release: _ReleaseFolder = DEFAULT_OUT,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE",
            help="Write a page instead on which every question can be looked through; one that blend wrote "
            "there is replaced.",
        ),
    ] = None,
) -> None:
    """Print what a release holds, and the first row of every configuration.

    - `blend show release --html release.html` shows what every region answers, votes and findings on
      one page that needs no network: look through it before publishing.
    """
    if html is not None:
        from blend.eval.report.pages import build_release_page
        from blend.loaders.files.atomic import PAGE_MARK, replace_own_file

        with interruptible():
            page = build_release_page(release)
            replace_own_file(html, page, mark=PAGE_MARK, what="a page", parameter="html")
        typer.echo(f"Wrote {html}: open it in a browser.")
        return
    from blend.cli.releases import show_release

    show_release(release)


def _stats(
    release: _ReleaseFolder = DEFAULT_OUT,
    out: TablesFolder = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all tables, not the first one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of a dataset: questions, votes, agreement, overlap; dishes, origins, ingredients.

    - `blend stats release` prints the counts, and which further tables there are.
    - `blend stats release --all` prints all of them.
    - `blend stats release --out figures` keeps all of them as files.
    """
    from blend.builders.stats.dataset import stats_of_release

    with progress_if_watched() as on_progress:
        figures = stats_of_release(release, on_progress=on_progress)
    keep_tables(figures, out, name="stats.json", what="statistics")
    print_result(figures, as_json=as_json, everything=everything)


def _audit(
    questions: Release = "release",
    out: TablesFolder = None,
    as_json: AsJson = False,
) -> None:
    """Answer multiple-choice questions by simple rules, and say what gives them away.

    - `blend audit release` audits a directory.
    - `blend audit release --json` prints the figures for a program.
    """
    from blend.builders.audit.release import audit_release
    from blend.loaders.releases.references import resolve_release

    with progress_if_watched() as on_progress:
        found = audit_release(resolve_release(questions), on_progress=on_progress)
    keep_tables(found, out, name="audit.json", what="audit")
    print_result(found, as_json=as_json)


def _diff(
    old: Annotated[str, typer.Argument(help="Release to compare with: a directory, or org/name@revision.")],
    new: Annotated[str, typer.Argument(help="Release to compare: a directory, or org/name@revision.")],
    examples: Annotated[
        int, typer.Option(min=0, help="Changed values per column and split to quote, at most.")
    ] = 3,
    as_json: AsJson = False,
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
    from blend.builders.diff import diff_releases
    from blend.builders.diff.model import difference_tables
    from blend.builders.diff.text import diff_json, verdict
    from blend.loaders.releases.references import resolve_release

    with interruptible(), progress_if_watched() as on_progress:
        folders = resolve_release(old), resolve_release(new)
        found = diff_releases(*folders, examples=examples, on_progress=on_progress)
    if as_json:
        print_json(diff_json(found))
    else:
        print_lines([verdict(found)])
        if not found.is_empty:
            print_tables(difference_tables(found, examples=examples))
    if exit_code and not found.is_empty:
        raise typer.Exit(3)


def _items(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="RUN RUN…", help="Directories of scored runs, of six models or more."),
    ],
    out: TablesFolder = None,
    suspects: Annotated[
        Path | None, typer.Option(help="Also list the suspects: .csv, .jsonl or .xlsx.")
    ] = None,
) -> None:
    """Say how difficult items are, what they tell apart, and which look as if their key were wrong.

    The runs must have asked the same questions in the same way: their signatures are equal, the model apart.

    - `blend items runs/*` prints tables.
    - `blend items runs/* --suspects suspects.csv` lists what people should read.
    """
    from blend.builders.items import analyse_items
    from blend.eval.evaluation import item_answers, read_scored
    from blend.loaders.files.new_files import write_new_sheet

    with reporting("nothing was changed"):
        runs = read_scored(directories)
        found = analyse_items(item_answers(runs), chance=runs[0].task.chance)
        if suspects is not None:
            write_new_sheet(suspects, found.suspect_sheet())
        keep_tables(found, out, name="items.json", what="item analysis")
    print_tables(found.as_tables())
    if found.untold:
        typer.echo(f"Note: {found.untold}.")
    if suspects is not None:
        typer.echo(f"Have people read their options: blend questions options recipe.toml --suspects {suspects}")
