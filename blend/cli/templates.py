"""``blend templates``: from natives' questions to templates, by way of a review sheet."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application
from blend.cli.options import LocaleFile, NewSheet
from blend.schemas.texts import pluralise

app = Application(
    no_args_is_help=True,
    help="Make question templates from questions that natives wrote. `docs/templates.md` walks through it.",
)


@app.command()
def propose(
    questions: Annotated[
        Path, typer.Argument(help="Questions as natives wrote them: id, topic, text, locale.")
    ],
    out: NewSheet = Path("sheet.csv"),
    locale_file: LocaleFile = None,
) -> None:
    """Make the review sheet: slots proposed, near-duplicates grouped, one-country questions flagged."""
    from blend.builders.templates import review_sheet
    from blend.loaders.files.new_files import write_sheet
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.returned_sheets import read_native_questions
    from blend.schemas.sheets import TEMPLATE_SHEET

    known = registry_with(locale_file)
    sheet = review_sheet(read_native_questions(questions, locales=known), locales=known)
    write_sheet(TEMPLATE_SHEET, sheet, out)
    flagged = sheet.filter(sheet["reasons"] != "").height
    typer.echo(f"{out}: {pluralise(len(sheet), 'question')}, {flagged} with something to look at.")
    typer.echo("Fill the column decision (keep, drop or merge-into), then: blend templates accept " + str(out))


@app.command()
def accept(
    sheet: Annotated[Path, typer.Argument(help="The review sheet with a decision in every row.")],
    out: NewSheet = Path("templates.csv"),
    locale_file: LocaleFile = None,
) -> None:
    """Turn the reviewed sheet into templates."""
    from blend.builders.templates import accept_sheet
    from blend.loaders.files.new_files import write_new_sheet
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.returned_sheets import read_review_sheet

    known = registry_with(locale_file)
    accepted = accept_sheet(read_review_sheet(sheet, locales=known))
    templates = accepted.templates.select("template_id", "topic", "source_locale", "text")
    write_new_sheet(out, templates)
    typer.echo(
        f"{out}: {pluralise(len(accepted.templates), 'template')}; "
        f"{pluralise(len(accepted.dropped), 'question')} dropped or merged."
    )


@app.command()
def localise(
    sheet: Annotated[Path, typer.Argument(help="The reviewed sheet.")],
    translations: Annotated[
        Path, typer.Argument(help="Translations: template_id, locale, question; perhaps en_question.")
    ],
    locale: Annotated[
        list[str] | None,
        typer.Option(help="Locale to make questions for; repeat it. All translated ones if absent."),
    ] = None,
    out: NewSheet = Path("questions.csv"),
    locale_file: LocaleFile = None,
) -> None:
    """Fill the slots for every locale and join the translations."""
    from blend.builders.templates import accept_sheet
    from blend.builders.templates.localise import localise as localised
    from blend.loaders.files.new_files import write_new_sheet
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.returned_sheets import read_review_sheet, read_translations

    known = registry_with(locale_file)
    translated = read_translations(translations, locales=known)
    tags = locale or sorted(set(translated["locale"]))
    templates = accept_sheet(read_review_sheet(sheet, locales=known)).templates
    made = localised(templates, [known.find(tag) for tag in tags], translated, known=known)
    questions = made.questions.select("template_id", "locale", "question", "en_question")
    write_new_sheet(out, questions)
    typer.echo(f"{out}: {pluralise(len(made.questions), 'question')} in {pluralise(len(tags), 'locale')}.")
    for row in made.dropped.iter_rows(named=True):
        typer.echo(f"{row['source']}: {row['kind']}: {row['detail']}", err=True)
