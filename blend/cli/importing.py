"""``blend responses import``: answers that somebody collected in another way."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application
from blend.cli.options import LocaleFile
from blend.schemas.texts import pluralise

app = Application(
    no_args_is_help=True,
    help="Bring in answers that were collected elsewhere. `docs/responses.md` explains it.",
)

MapFile = Annotated[
    Path,
    typer.Option(
        "--map", metavar="FILE", help="What the columns mean (TOML); a draft is written if it is absent."
    ),
]
Collected = Annotated[
    Path, typer.Option(help="Directory of raw responses with the questions that people answered.")
]


@app.command("import")
def import_answers(
    answers: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table of answers (.xlsx, CSV, tab-separated), or an export of Label Studio (JSON, or the "
            "folder of its cloud storage).",
        ),
    ],
    map_file: MapFile = Path("map.toml"),
    out: Collected = Path("collected"),
    locale_file: LocaleFile = None,
) -> None:
    """Make responses of a wide table (Google Forms), a long one, or an export, by a map that you complete.

    - `blend responses import form.xlsx --map map.toml --out collected` writes the map first; then the
      same imports.
    """
    from blend.builders.annotation.importing import import_file
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.import_map import read_answers
    from blend.views.terminal import shown

    rows, has_people = read_answers(answers)
    done = import_file(
        rows, answers.name, map_file, out, locales=registry_with(locale_file), has_people=has_people
    )
    if (draft := done.draft) is not None:
        by_row = f"locales in column {shown(draft.locale_column or '')}"
        locale = draft.locale or (by_row if draft.locale_column else "a locale that the table does not tell")
        what = (
            f"{pluralise(done.recognised, 'question')} of {locale}"
            if done.recognised
            else f"nothing in the table is recognised as a question of {out}, which are listed in it"
        )
        typer.echo(f"{map_file}: a draft: {what}. Nothing is imported yet.")
        if not (draft.locale or draft.locale_column):
            typer.echo("  to be written into it: locale, or locale_column")
        if draft.annotator is None:
            typer.echo("  to be written into it, unless every row is another person: annotator, who answered")
        if draft.question is not None and not draft.answers:
            typer.echo("  to be written into it: answers, the columns with answers, in their order")
        for name in (*draft.leave_out, *draft.leave_out_questions):
            typer.echo(f"  left out: {shown(name)}")
        again = f"blend responses import {answers} --map {map_file} --out {out}"
        if locale_file is not None:
            again += f" --locale-file {locale_file}"
        typer.echo(f"Complete it, then run the same again: {again}")
    for path, given in done.written.items():
        people = len({response.annotator for response in given})
        typer.echo(f"{path}: {pluralise(len(given), 'response')} of {pluralise(people, 'annotator')}.")
    if not done.names_people:
        typer.echo(
            f"Every row counts as another person (r2, r3, …), since {map_file} names no column as annotator; "
            "nobody can be recognised in a later table."
        )
    if done.blank:
        typer.echo(f"{pluralise(done.blank, 'question')} left blank, which are no responses.")
