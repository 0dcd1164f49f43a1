"""``blend items``: which items of a release measure anything, by the answers of several models."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.eval_outcome import reporting
from blend.cli.options import TablesFolder, keep_tables, print_tables


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(items)


def items(
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
