"""``blend reviews``: from typed answers to reviews, by way of a sheet that people fill in."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application
from blend.cli.options import Encoding, NewSheet, RawRecipe, ReturnedSheet, Reviewer
from blend.schemas.text import counted

app = Application(
    no_args_is_help=True,
    help="Review typed answers in a spreadsheet. `docs/reviews.md` walks through it.",
)


@app.command()
def propose(
    recipe: RawRecipe = None,
    out: NewSheet = Path("sheet.csv"),
    locale: Annotated[
        list[str] | None,
        typer.Option(help="Only answers in this locale; repeat it. All locales when absent."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Questions that are reviewed as well, as they were decided.")
    ] = False,
) -> None:
    """Make the sheet: a row for every answer, grouped by rules, with the English that is known.

    - `blend reviews propose recipe.toml --out sheet.csv` writes what nobody has reviewed yet.
    - `blend reviews propose recipe.toml --locale ko-KR --out korean.csv` writes a sheet for one reviewer.
    """
    from blend.builders.release.reviewing import answers_to_review
    from blend.builders.saq.answer_sheet import groups_without_english
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import sample_recipe
    from blend.loaders.responses.sheets import write_answer_sheet

    used = sample_recipe() if recipe is None else read_recipe(recipe)
    base = Path() if recipe is None else recipe.parent
    sheet = answers_to_review(used, base=base, tags=locale, everything=everything)
    write_answer_sheet(sheet, out)
    questions = sheet.select("template_id", "locale").n_unique()
    typer.echo(
        f"{out}: {counted(len(sheet), 'answer')} to {counted(questions, 'question')}; "
        f"{counted(groups_without_english(sheet), 'group')} without English."
    )
    typer.echo(f"Correct the columns group, english, invalid and reason, then: blend reviews accept {out}")


@app.command()
def accept(
    sheet: ReturnedSheet,
    out: Annotated[
        Path, typer.Option(help="Folder to write reviews to, one file per locale: `reviews` of raw responses.")
    ] = Path("reviews"),
    reviewer: Reviewer = "reviewer",
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Put the questions of the sheet into files that are there, and keep all others."
        ),
    ] = False,
    encoding: Encoding = None,
) -> None:
    """Turn the reviewed sheet into the reviews that `blend build` reads.

    - `blend reviews accept sheet.csv --out collected/reviews` puts them beside the responses.
    """
    from blend.builders.saq.reviews import reviews_of
    from blend.loaders.responses.sheets import read_answer_sheet, write_reviews

    accepted = reviews_of(read_answer_sheet(sheet, encoding=encoding), reviewer=reviewer)
    for written in write_reviews(accepted.reviews, out, update=update):
        kept = f", {written.kept} kept" if written.kept else ""
        typer.echo(
            f"{written.path}: {counted(written.questions, 'question')} reviewed{kept}; "
            f"{counted(written.groups, 'group')}, {counted(written.invalid, 'invalid answer')}."
        )
    if not (out.absolute().parent / "responses").is_dir():
        typer.echo(f"`blend build` reads them as the folder `reviews` beside `responses`: move {out} there.")
    for sentence in accepted.recognised:
        typer.echo(sentence, err=True)
