"""``blend eval judge-sheet`` and ``blend eval judged``: what people say of a model's predictions."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.eval_options import IntervalSeed
from blend.cli.options import AsJson, Encoding, NewSheet
from blend.schemas.language.text_comparison import pluralise


def register(app: typer.Typer) -> None:
    """Add the commands to ``blend eval``."""
    app.command("judge-sheet")(judge_sheet)
    app.command()(judged)


def judge_sheet(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Directory of a scored run of probing or free-listing.")
    ],
    out: NewSheet = Path("sheet.csv"),
    sample: Annotated[int, typer.Option(min=1, help="Dishes in the sheet.")] = 50,
    language: Annotated[
        str | None, typer.Option(metavar="TAG", help="Language of the dishes; the run's first one if absent.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed chooses other dishes.")] = 0,
) -> None:
    """Write a sheet in which people say which predicted ingredients are correct.

    It names neither the model nor what a release says, and its order says nothing. Copy it for each annotator,
    or make it a project of Label Studio (`predictions` in the project file of `blend annotate`).
    """
    from blend.eval.evaluation import read_scored
    from blend.eval.triples.prediction_sheet import make_sheet, write_sheet

    [scored] = read_scored([run])
    sheet = make_sheet(scored, sample=sample, language=language, seed=seed)
    write_sheet(sheet, out)
    typer.echo(
        f"Wrote {pluralise(sheet.height, 'row')} to {out}. Fill in the column correct_ingredients with what "
        f"belongs to the {scored.reword('dish')}: texts with | between them, their numbers, or none. Then:"
    )
    typer.echo(f"  blend eval judged {run} {out} …")


def judged(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run whose sheet it is.")],
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET…", help="Sheets that came back, one per annotator.")
    ],
    seed: IntervalSeed = 0,
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Say how far people agree, what they find right, and which measure goes along with them.

    Writes judged.json beside the scores. Tables with id, annotator, ingredient and correct, as a project of
    Label Studio gives them, can stand in place of sheets.
    """
    from blend.eval.evaluation import read_scored
    from blend.eval.triples.people_scores import score_by_people, write_judged
    from blend.views.progress import interruptible

    with interruptible():
        [scored] = read_scored([run])
        found = score_by_people(scored, sheets, seed=seed, encoding=encoding)
        write_judged(scored, found)
    if json:
        typer.echo(found.to_json(), nl=False)
        return
    from blend.views.safe import SafeConsole
    from blend.views.scores import overall_table

    console = SafeConsole()
    people = pluralise(len(found.annotators), "annotator")
    console.print(
        f"{people}, {scored.reword(pluralise(found.n_dishes, 'dish'))}", highlight=False, markup=False
    )
    console.print(overall_table([score for score in found.scores if score.scope == "overall"], scored.task))
