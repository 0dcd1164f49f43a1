"""``blend items``: which items of a release measure anything, by the answers of several models."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.options import TablesFolder, print_tables
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    from blend.eval.report.scored_runs import ScoredRun


def items(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="RUN RUN…", help="Directories of scored runs, of six models or more."),
    ],
    out: TablesFolder = None,
    suspects: Annotated[
        Path | None, typer.Option(help="Also list the suspects: .csv, .jsonl or .xlsx.")
    ] = None,
    compact: Annotated[
        Path | None,
        typer.Option(help="Also choose the few questions that keep scores and ranks: .csv, .jsonl or .xlsx."),
    ] = None,
    size: Annotated[float, typer.Option(help="Share of the questions to choose with --compact.")] = 0.1,
) -> None:
    """Say how difficult items are, what they tell apart, and which look as if their key were wrong.

    The runs must have asked the same questions in the same way: their signatures are equal, the model apart.

    - `blend items runs/*` prints tables.
    - `blend items runs/* --suspects suspects.csv` lists what people should read.
    - `blend items runs/* --compact compact.csv` writes what a recipe names as `compact` in [mcq].
    """
    from blend.builders.items.analysis import analyse_items
    from blend.eval.evaluation import read_scored
    from blend.eval.item_answers import item_answers
    from blend.loaders.files.new_files import write_frames, write_new_sheet
    from blend.stopping import interruptible

    with interruptible():
        runs = read_scored(directories)
        found = analyse_items(item_answers(runs), chance=runs[0].task.chance)
        chosen = None if compact is None else _write_compact(runs, compact, size)
        if suspects is not None:
            write_new_sheet(suspects, found.suspect_sheet())
        if out is not None:
            write_frames(found.frames(), found.to_json(), out, name="items.json", what="item analysis")
    print_tables(found.as_tables())
    if found.untold:
        typer.echo(f"Note: {found.untold}.")
    if suspects is not None:
        typer.echo(f"Have people read their options: blend questions options recipe.toml --suspects {suspects}")
    if chosen is not None:
        typer.echo(f"{compact}: {chosen:,} items.")
        typer.echo(
            f'A release has the configuration compact once [mcq] of its recipe says compact = "{compact}".'
        )


def _write_compact(runs: "Sequence[ScoredRun]", path: Path, size: float) -> int:
    """Write the questions that stand for all, each with a weight, and count them."""
    from blend.builders.items.analysis import select_compact
    from blend.eval.item_answers import item_answers
    from blend.loaders.files.new_files import write_new_sheet
    from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS

    asked = runs[0].run.description
    if asked.options.get("config") != MULTIPLE_CHOICE_QUESTIONS:
        what = asked.options.get("config", asked.task)
        raise InputError(f"compact is a choice of multiple-choice-questions, and these runs are of {what}")
    # What may be wanting of the models is told of the analysis.
    found = select_compact(item_answers(runs), size=size, chance=runs[0].task.chance)
    write_new_sheet(path, found)
    return found.height
