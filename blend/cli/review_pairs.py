"""``blend review-pairs``: which answers mean the same, decided in a spreadsheet."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application
from blend.cli.options import Encoding, NewSheet, ReturnedSheet, Reviewer
from blend.schemas.text import counted

app = Application(
    no_args_is_help=True,
    help="Decide in a spreadsheet which answers mean the same. `docs/judges.md` walks through it.",
)


@app.command()
def propose(
    recipe: Annotated[
        Path | None, typer.Argument(help="Recipe to be built. Without one, the sample in the package.")
    ] = None,
    out: NewSheet = Path("pairs.csv"),
    everything: Annotated[
        bool, typer.Option("--all", help="Every undecided pair that can meet, also where nothing is suspected.")
    ] = False,
) -> None:
    """Make the sheet: pairs of answers that may meet in a question and look alike, the most frequent first.

    - `blend review-pairs propose recipe.toml --out pairs.csv` writes what nobody has decided yet.
    """
    from blend.builders.release.reviewing import pairs_to_review
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import sample_recipe
    from blend.loaders.responses.pair_sheets import write_pair_sheet

    used = sample_recipe() if recipe is None else read_recipe(recipe)
    sheet = pairs_to_review(used, base=Path() if recipe is None else recipe.parent, everything=everything)
    write_pair_sheet(sheet, out)
    typer.echo(f"{out}: {counted(len(sheet), 'undecided pair')}.")
    typer.echo(
        "Write same or different into the column verdict, as far as you get, then: "
        f"blend review-pairs accept {out}"
    )


@app.command()
def accept(
    sheet: ReturnedSheet,
    out: Annotated[
        Path, typer.Option(help="File of decisions to add to, `decisions` in the recipe's [mcq.judge].")
    ] = Path("decisions.tsv"),
    reviewer: Reviewer = "reviewer",
    encoding: Encoding = None,
) -> None:
    """Add the verdicts of the sheet to the file of decisions that `blend build` reads.

    - `blend review-pairs accept pairs.csv --reviewer r7` leaves rows without a verdict open.
    """
    from datetime import UTC, datetime

    from blend.builders.judges import undecided
    from blend.loaders.responses.decisions import append_decisions, read_decisions
    from blend.loaders.responses.pair_sheets import read_pair_sheet

    earlier = read_decisions(out, missing_ok=True)
    decided = read_pair_sheet(sheet, who=reviewer, when=datetime.now(UTC).date(), encoding=encoding)
    new = undecided(decided, earlier)
    append_decisions(out, new)
    same = sum(decision.verdict == "same" for decision in new)
    known = f"; {len(decided) - len(new)} stood there already" if len(new) < len(decided) else ""
    typer.echo(
        f"{out}: {counted(len(new), 'decision')} added, {same} same, {len(new) - same} different{known}."
    )
