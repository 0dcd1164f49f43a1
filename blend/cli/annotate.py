"""``blend annotate``: people answer and review in Label Studio, and their work comes back as files."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application
from blend.cli.importing import Collected, MapFile, import_rows
from blend.cli.options import AsJson, DryRun, Encoding, LocaleFile, NewFolder
from blend.schemas.errors import InputError

app = Application(
    no_args_is_help=True,
    help="Collect and review answers with Label Studio. `docs/annotating.md` walks through it.",
)

ProjectPath = Annotated[
    Path, typer.Argument(metavar="PROJECT", help="Project file, as `docs/annotating.md` describes it.")
]
ReplaceEdited = Annotated[
    bool, typer.Option("--replace-edited", help="Replace labelling configurations that were edited by hand.")
]
Export = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Export of a project, as JSON, in place of the server; repeat it."),
]
Accounts = Annotated[
    Path | None,
    typer.Option(
        "--accounts",
        metavar="FILE",
        help="Table of accounts (id, email) for --export, where no server is asked.",
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write it as a page, with every question; one that blend wrote there is replaced.",
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no server: as of the last pull.")]
_STOPPED = "interrupted; run the same command again to go on"


@app.command()
def check(project: ProjectPath) -> None:
    """Find every mistake of a project file and of what it names; asks no server.

    - `blend annotate check project.toml` names file, line and key of each.
    """
    from blend.builders.annotation.check import check_project
    from blend.builders.annotation.server.readings import reworded_questions
    from blend.views.annotation import check_lines, reworded_lines

    checked = check_project(project)
    _say([*check_lines(checked), *reworded_lines(reworded_questions(checked.file))])


@app.command()
def push(project: ProjectPath, dry_run: DryRun = False, replace_edited: ReplaceEdited = False) -> None:
    """Bring projects and tasks to the server: whatever is missing there, and nothing twice.

    Annotations are never deleted. The same again changes nothing.

    - `blend annotate push project.toml --dry-run` shows what would change.
    """
    from blend.builders.annotation.check import check_project
    from blend.builders.annotation.server.pushing import push_project
    from blend.loaders.files.progress import shown_progress
    from blend.views.annotation import push_lines
    from blend.views.progress import interruptible

    with interruptible(_STOPPED), shown_progress() as on_progress:
        checked = check_project(project)
        plans = push_project(checked, dry_run=dry_run, replace_edited=replace_edited, on_progress=on_progress)
    _say(push_lines(plans, dry_run=dry_run))


@app.command()
def pull(project: ProjectPath, export: Export = None, accounts_file: Accounts = None) -> None:
    """Get the annotations and write raw responses and reviews; only what is new is asked for.

    What was edited or deleted on the server since the last pull is told, and kept in the pull folder.

    - `blend annotate pull project.toml --export export.json` takes a file that the page *Export* gave.
    """
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.server.pulling import pull_project
    from blend.loaders.files.progress import shown_progress
    from blend.views.annotation import pull_lines
    from blend.views.progress import interruptible

    with interruptible(_STOPPED), shown_progress() as on_progress:
        file = read_project(project)
        done = pull_project(file, exports=export or (), accounts_file=accounts_file, on_progress=on_progress)
    _say(pull_lines(done))


@app.command("top-up")
def top_up(project: ProjectPath, dry_run: DryRun = False) -> None:
    """Ask for more responses exactly where they are wanted, and drop questions that too many do not know.

    Counts what was pulled: `blend annotate sync` pulls first.

    - `blend annotate top-up project.toml --dry-run` shows where.
    """
    from blend.builders.annotation.check import check_project
    from blend.builders.annotation.server.topping_up import top_up_project
    from blend.loaders.files.progress import shown_progress
    from blend.views.annotation import top_up_lines
    from blend.views.progress import interruptible

    with interruptible(_STOPPED), shown_progress() as on_progress:
        done = top_up_project(check_project(project), dry_run=dry_run, on_progress=on_progress)
    _say(top_up_lines(done, dry_run=dry_run))


@app.command()
def sync(
    project: ProjectPath,
    accept_missing: Annotated[
        bool,
        typer.Option(
            "--accept-missing", help="Ask, and let go of what counts though the server has it no more."
        ),
    ] = False,
) -> None:
    """Pull, top up and push, one after the other: the command for every day.

    What is gone from the server goes on counting, and is told, until you accept it.

    - `blend annotate sync project.toml` may be stopped at any moment and run again.
    """
    from blend.builders.annotation.server.pulling import Pull
    from blend.builders.annotation.server.syncing import sync_project
    from blend.loaders.files.progress import shown_progress
    from blend.views.annotation import pull_lines, push_lines, top_up_lines
    from blend.views.progress import interruptible

    def agreed(pull: Pull) -> bool:
        _say(pull_lines(pull))
        return _agreed("Let go of them, so that they do not count any more?", fix="leave out --accept-missing")

    with interruptible(_STOPPED), shown_progress() as on_progress:
        done = sync_project(project, accept=agreed if accept_missing else None, on_progress=on_progress)
    _say(pull_lines(done.pull))
    _say(top_up_lines(done.top_up, dry_run=False))
    _say(push_lines(done.push, dry_run=False))


@app.command()
def status(
    project: ProjectPath,
    html: Page = None,
    offline: Offline = False,
    as_json: AsJson = False,
) -> None:
    """Show how far every locale and question is, who did how much, and when it will be done at this pace.

    Pulls first, unless told not to.

    - `blend annotate status project.toml --html status.html` writes a page for a browser.
    """
    from datetime import UTC, datetime

    from blend.builders.annotation.check import check_project
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.server.page import write_status_page
    from blend.builders.annotation.server.progress import project_status
    from blend.builders.annotation.server.pulling import pull_project
    from blend.builders.annotation.server.readings import readings, reworded_questions
    from blend.loaders.files.progress import shown_progress
    from blend.views.annotation import gone_lines, pull_lines, reworded_lines
    from blend.views.collection import project_json, project_tables
    from blend.views.progress import interruptible
    from blend.views.safe import SafeConsole

    if not offline:
        with interruptible(_STOPPED), shown_progress() as on_progress:
            pulled = pull_project(read_project(project), on_progress=on_progress)
        if not as_json:
            _say(pull_lines(pulled))
    found = project_status(check_project(project), today=datetime.now(UTC).date())
    if html is not None:
        write_status_page(found, html)
    if as_json:
        typer.echo(project_json(found))
        return
    if offline:
        file = read_project(project)
        gone = [(one.stage_locale.title, one.gone, None) for one in readings(file)]
        _say([*gone_lines(gone, project, file.project.server.url), *reworded_lines(reworded_questions(file))])
    console = SafeConsole()
    console.show(project_tables(found))
    if found.regions is not None:
        _say([f"{found.regions}."])


@app.command()
def pseudonym(
    project: ProjectPath,
    address: Annotated[list[str], typer.Argument(metavar="EMAIL...", help="Addresses of accounts.")],
) -> None:
    """Print the pseudonyms under which people appear in this project.

    - `blend annotate pseudonym project.toml mina@example.org` is for lists of annotators without addresses.
    """
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.pseudonyms import project_key
    from blend.builders.annotation.pseudonyms import pseudonym as pseudonym_of

    key = project_key(read_project(project))
    _say([pseudonym_of(one, key) for one in address])


@app.command()
def reliability(
    project: ProjectPath,
    html: Page = None,
    as_json: AsJson = False,
) -> None:
    """Show how far people agree, by what was pulled: per locale and person, and whose work is worth a look.

    Nothing is said of people with fewer than 20 questions.

    - `blend annotate reliability project.toml --html reliability.html` writes a page for a browser.
    """
    from blend.builders.annotation.check import check_project
    from blend.builders.annotation.server.relying import project_reliability, write_reliability_page
    from blend.views.collection import reliability_json, reliability_lines, reliability_tables
    from blend.views.safe import SafeConsole

    checked = check_project(project)
    found = project_reliability(checked)
    if html is not None:
        write_reliability_page(found, checked.file.project.name, html)
    if as_json:
        typer.echo(reliability_json(found))
        return
    console = SafeConsole()
    console.show(reliability_tables(found))
    _say(reliability_lines(found))


@app.command()
def forget(
    project: ProjectPath,
    person: Annotated[str, typer.Argument(metavar="PSEUDONYM|EMAIL", help="Who asks to be forgotten.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete on the server without being asked.")] = False,
) -> None:
    """Remove all that a person did for good, here and on the server, and list what is left to do.

    Asks before anything is deleted on the server. Releases that are published stay as they are.

    - `blend annotate forget project.toml p-1a2b3c4d5e6f` may be stopped and run again.
    """
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.server.erasing import forget_everywhere
    from blend.loaders.files.progress import shown_progress
    from blend.loaders.servers.server_errors import public_address
    from blend.views.annotation import forgotten_lines
    from blend.views.progress import interruptible

    file = read_project(project)
    if not yes:
        server = public_address(file.project.server.url)
        question = f"Delete everything that {person} did in {file.project.name}, here and on {server}?"
        if not _agreed(question, fix="say --yes"):
            raise InputError("nothing was changed")
    with interruptible(_STOPPED), shown_progress() as on_progress:
        done, erased = forget_everywhere(file, person, on_progress=on_progress)
    _say(list(forgotten_lines(file, done, erased)))


def _agreed(question: str, *, fix: str) -> bool:
    """Ask somebody at the terminal."""
    if not sys.stdin.isatty():
        raise InputError(f"{question} Nobody is there to answer, and nothing was changed; {fix}")
    return typer.confirm(question)


@app.command("import")
def import_export(
    export: Annotated[
        Path,
        typer.Argument(
            metavar="EXPORT",
            help="Export of any project: JSON, JSON-MIN, CSV, TSV, or a folder of annotations.",
        ),
    ],
    map_file: MapFile = Path("map.toml"),
    out: Collected = Path("collected"),
    locale_file: LocaleFile = None,
    encoding: Encoding = None,
) -> None:
    """Make responses of what people answered in a project that is not ours, by a map that you have checked.

    - `blend annotate import export.json --map map.toml` writes the map first; the same again imports.
    """
    from blend.loaders.label_studio.foreign import read_foreign_export

    rows = read_foreign_export(export, encoding=encoding)
    import_rows(rows, export, map_file, out, "annotate import", locale_file=locale_file)


@app.command()
def export(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PROJECT|DIR|REPO@REV",
            help="Project file; or a release, whose multiple-choice questions are reviewed anew.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to make; nothing in it is replaced.")] = Path("tasks"),
    locale: Annotated[
        list[str] | None, typer.Option(help="Only this locale; repeat it. All when absent.")
    ] = None,
) -> None:
    """Write tasks and labelling configurations for a Label Studio that is set up by hand; asks no server.

    - `blend annotate export project.toml --out tasks` writes two files per stage and locale.
    - `blend annotate export org/name@v1.0.0 --locale ko-KR` asks natives about a release's questions.
    """
    from blend.builders.annotation.server.exporting import projects_to_export, write_tasks

    projects = projects_to_export(source, tags=locale)
    for path in write_tasks(projects, out):
        typer.echo(str(out / path))
    for project in projects:
        if project.waits_until:
            typer.echo(f"note: {project.title}: left out until {project.waits_until}", err=True)
    typer.echo("Make a project for each: its labelling configuration is the .xml, its tasks are the .json.")


@app.command()
def init(
    folder: NewFolder,
    locale: Annotated[
        list[str], typer.Option(help="Locale to ask, like wo-SN; repeat it. Unknown ones get an entry.")
    ],
    name: Annotated[
        str | None, typer.Option(help="Short name of project and release; that of the folder when absent.")
    ] = None,
) -> None:
    """Begin a project: locale entry, project file, recipe, first questions, key, and a README that leads on.

    - `blend annotate init senegal --locale wo-SN` makes the folder; `docs/new-culture.md` goes on from there.
    """
    from blend.builders.annotation.starting import start_project, too_few_locales

    _say([*(str(folder / path) for path in start_project(folder, locale, name=name))])
    if note := too_few_locales(locale):
        _say([f"{note}."])
    _say([f"{folder / 'README.md'} says what to do next."])


def _say(lines: Sequence[str]) -> None:
    from blend.views.safe import SafeConsole

    console = SafeConsole()
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
