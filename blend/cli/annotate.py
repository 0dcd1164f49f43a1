"""``blend annotate``: people answer and review in Label Studio, and their work comes back as files."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from blend.cli.application import ATTENTION, Application, UsageError
from blend.cli.options import AsJson, DryRun, NewFolder, print_lines, print_tables
from blend.schemas.errors import InputError

app = Application(
    no_args_is_help=True,
    help="Collect and review answers with Label Studio. `docs/annotating.md` walks through it.",
)

_ProjectPath = Annotated[
    Path, typer.Argument(metavar="PROJECT", help="Project file, as `docs/annotating.md` describes it.")
]
_STOPPED = "interrupted; run the same command again to go on"


@app.command()
def _init(
    folder: NewFolder,
    locale: Annotated[
        list[str], typer.Option(help="Locale to ask, like wo-SN; repeat it. Unknown ones get an entry.")
    ],
) -> None:
    """Begin a project: locale entry, project file, recipe, first questions, key, and a README that leads on.

    - `blend annotate init senegal --locale wo-SN` makes the folder; `docs/annotating.md` goes on from there.
    """
    from blend.builders.annotation.starting import start_project

    written = [str(folder / path) for path in start_project(folder, locale)]
    print_lines([*written, f"{folder / 'README.md'} says what to do next."])


@app.command()
def _check(project: _ProjectPath) -> None:
    """Find every mistake of a project file and of what it names; asks no server.

    - `blend annotate check project.toml` names file and key of each.
    """
    from blend.builders.annotation.starting import check_project
    from blend.cli.annotation_lines import check_lines

    print_lines(check_lines(check_project(project)))


@app.command()
def _sync(
    project: _ProjectPath,
    dry_run: DryRun = False,
    only: Annotated[
        Literal["pull", "push"] | None, typer.Option(help="Only get what people did, or only bring tasks.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write tasks and pages into a new folder, and ask no server."),
    ] = None,
    accept_missing: Annotated[
        bool,
        typer.Option(
            "--accept-missing", help="Ask, and let go of what counts though the server has it no more."
        ),
    ] = False,
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="End with 3 where something is gone from the server, or not sent."),
    ] = False,
) -> None:
    """Get what people did, ask for what is missing, and bring tasks to the server: the command for every day.

    Nothing is made twice, and no annotation deleted. What is gone from the server goes on counting, and is
    told, until you accept it. With --dry-run, what would be done there is told by what came last.

    - `blend annotate sync project.toml` may be stopped at any moment and run again.
    - `blend annotate sync project.toml --to tasks` is for a Label Studio that is set up by hand.
    """
    from blend.builders.annotation.pulling import Pull
    from blend.builders.annotation.syncing import sync_project, write_tasks
    from blend.cli.annotation_lines import pull_lines, sync_lines
    from blend.loaders.files.progress import shown_progress
    from blend.stopping import interruptible

    if to is not None:
        if dry_run or only or accept_missing:
            raise UsageError("--to asks no server, so that no other option goes with it; give it alone")
        written, waiting = write_tasks(project, to)
        notes = [f"Note: {line}." for line in waiting]
        what = "Make a project for each: its labelling configuration is the .xml, its tasks are the .json."
        print_lines([*(str(to / path) for path in written), *notes, what])
        return

    def agreed(pull: Pull) -> bool:
        bars.pause()
        print_lines(pull_lines(pull))
        return _agreed("Let go of them, so that they do not count any more?", fix="leave out --accept-missing")

    with interruptible(_STOPPED), shown_progress() as bars:
        accept = agreed if accept_missing else None
        done = sync_project(project, only=only, dry_run=dry_run, accept=accept, on_progress=bars)
    print_lines(sync_lines(done, dry_run=dry_run))
    if exit_code and done.needs_attention:
        raise typer.Exit(ATTENTION)


@app.command()
def _status(
    project: _ProjectPath,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page, with every question; one that blend wrote there is replaced."
        ),
    ] = None,
    payment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a table (CSV) of who did how much in how many seconds."),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no server: as of the last sync.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how far every locale is, who did how much, whose work to look at, and whom to remind of what.

    Pulls first, unless told not to. Names stand on the screen alone: pages, tables and JSON have pseudonyms.

    - `blend annotate status project.toml --html status.html` writes a page for a browser.
    """
    from datetime import UTC, datetime

    from blend.builders.annotation.starting import check_project
    from blend.builders.annotation.status import project_status, pulled_accounts
    from blend.cli.annotation_lines import (
        gone_lines,
        status_json,
        status_lines,
        status_tables,
        write_status_page,
    )
    from blend.loaders.files.progress import shown_progress
    from blend.stopping import interruptible

    accounts = None
    if not offline:
        with interruptible(_STOPPED), shown_progress() as on_progress:
            accounts = pulled_accounts(project, on_progress=on_progress)
    found = project_status(check_project(project), today=datetime.now(UTC).date(), accounts=accounts)
    if html is not None:
        write_status_page(found, html)
    if payment is not None:
        found.payment().write_csv(payment)
    if as_json:
        typer.echo(status_json(found))
        return
    print_lines(gone_lines(found.found, found.pages, project))
    print_tables(status_tables(found))
    print_lines(status_lines(found))


@app.command()
def _forget(
    project: _ProjectPath,
    person: Annotated[str, typer.Argument(metavar="PSEUDONYM|EMAIL", help="Who asks to be forgotten.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete on the server without being asked.")] = False,
) -> None:
    """Remove all that a person did for good, here and on the server, and list what is left to do.

    Asks before anything is deleted on the server. Releases that are published stay as they are.

    - `blend annotate forget project.toml p-1a2b3c4d5e6f` may be stopped and run again.
    """
    from blend.builders.annotation.forgetting import forget_person
    from blend.builders.annotation.project import read_project
    from blend.cli.annotation_lines import forgotten_lines
    from blend.loaders.files.progress import shown_progress
    from blend.stopping import interruptible

    file = read_project(project)
    if not yes:
        what = f"Delete everything that {person} did in {file.project.name}, here and on {file.server}"
        if not _agreed(f"{what}, also from the table of payment?", fix="say --yes"):
            raise InputError("nothing was changed")
    with interruptible(_STOPPED), shown_progress() as on_progress:
        done = forget_person(file, person, on_progress=on_progress)
    print_lines(list(forgotten_lines(file, done)))


def _agreed(question: str, *, fix: str) -> bool:
    """Ask somebody at the terminal."""
    if not sys.stdin.isatty():
        raise InputError(f"{question} Nobody is there to answer, and nothing was changed; {fix}")
    return typer.confirm(question)
