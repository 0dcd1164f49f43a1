"""``blend items``: which items of a release measure anything, by the answers of several models."""

from pathlib import Path
from typing import Annotated, Any

import typer

from blend.cli.application import Application, Group
from blend.cli.options import NewSheet, TablesFolder, print_tables
from blend.schemas.errors import InputError


class _AnalysesRuns(Group):
    """The group: behind it stand the runs to analyse, unless a command does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands behind ``blend items``."""
        is_runs = args and args[0] not in (*self.commands, "-h", "--help")
        return super().parse_args(ctx, ["analyse", *args] if is_runs else args)


app = Application(
    cls=_AnalysesRuns,
    no_args_is_help=True,
    help="Say which items tell models apart, and which may have a wrong key: `blend items RUN RUN …`.",
)

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN RUN…", help="Directories of scored runs, of six models or more.")
]


@app.command()
def analyse(
    directories: Runs,
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
    from blend.builders.items.analysis import analyse_items
    from blend.eval.evaluation import read_scored
    from blend.eval.item_answers import item_answers
    from blend.loaders.files.new_files import write_frames, write_new_sheet
    from blend.stopping import interruptible

    with interruptible():
        runs = read_scored(directories)
        found = analyse_items(item_answers(runs), chance=runs[0].task.chance)
        if suspects is not None:
            write_new_sheet(suspects, found.suspect_sheet())
        if out is not None:
            write_frames(found.frames(), found.to_json(), out, name="items.json", what="item analysis")
    print_tables(found.as_tables())
    if found.untold:
        typer.echo(f"Note: {found.untold}.")
    if suspects is not None:
        typer.echo(f"Have people read their options: blend questions options recipe.toml --suspects {suspects}")


@app.command()
def select(
    directories: Runs,
    size: Annotated[float, typer.Option(help="Share of the items to choose.")] = 0.1,
    out: NewSheet = Path("compact.csv"),
) -> None:
    """Choose the few questions that keep scores and ranks, each with a weight.

    - `blend items select runs/* --size 0.1` writes compact.csv, which a recipe names as `compact` in [mcq].
    """
    from blend.builders.items.analysis import select_compact
    from blend.cli.eval_outcome import print_warning
    from blend.eval.evaluation import read_scored
    from blend.eval.item_answers import item_answers
    from blend.loaders.files.new_files import write_new_sheet
    from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS
    from blend.stopping import interruptible

    with interruptible():
        runs = read_scored(directories)
        asked = runs[0].run.description
        if asked.options.get("config") != MULTIPLE_CHOICE_QUESTIONS:
            what = asked.options.get("config", asked.task)
            raise InputError(f"compact is a choice of multiple-choice-questions, and these runs are of {what}")
        chance = runs[0].task.chance
        found = select_compact(item_answers(runs), size=size, chance=chance, on_warning=print_warning)
        write_new_sheet(out, found)
    typer.echo(f"{out}: {found.height:,} items.")
    typer.echo(f'A release has the configuration compact once [mcq] of its recipe says compact = "{out}".')
