"""``blend annotate``: people answer and review in Label Studio, and their work comes back as files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application

app = Application(
    no_args_is_help=True,
    help="Collect and review answers with Label Studio. `docs/annotating.md` walks through it.",
)

ProjectPath = Annotated[
    Path, typer.Argument(metavar="PROJECT", help="Project file, as `docs/annotating.md` describes it.")
]
_STOPPED = "interrupted; run the same command again to go on"


@app.command()
def push(
    project: ProjectPath,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    replace_edited: Annotated[
        bool,
        typer.Option("--replace-edited", help="Replace labelling configurations that were edited by hand."),
    ] = False,
) -> None:
    """Bring projects and tasks to the server: whatever is missing there, and nothing twice.

    Annotations are never deleted. The same again changes nothing.

    - `blend annotate push project.toml --dry-run` shows what would change.
    """
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.server.pushing import push_project
    from blend.views.annotation import push_lines
    from blend.views.progress import interruptible, shown_progress

    with interruptible(_STOPPED), shown_progress() as notify:
        plans = push_project(
            read_project(project), dry_run=dry_run, replace_edited=replace_edited, notify=notify
        )
    _say(push_lines(plans, dry_run=dry_run))


@app.command()
def pull(
    project: ProjectPath,
    export: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Export of a project, as JSON, in place of the server; repeat it."),
    ] = None,
) -> None:
    """Get the annotations and write raw responses and reviews; only what is new is asked for.

    What was edited or deleted on the server since the last pull is told, and kept in the pull folder.

    - `blend annotate pull project.toml --export export.json` takes a file that the page *Export* gave.
    """
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.server.pulling import pull_project
    from blend.views.annotation import pull_lines
    from blend.views.progress import interruptible, shown_progress

    with interruptible(_STOPPED), shown_progress() as notify:
        done = pull_project(read_project(project), exports=export or (), notify=notify)
    _say(pull_lines(done))


def _say(lines: Sequence[str]) -> None:
    from blend.views.safe import SafeConsole

    console = SafeConsole()
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
