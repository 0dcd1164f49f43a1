"""``blend reviews``, answers decided in a sheet; ``blend templates``, questions that natives wrote."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import Application, UsageError
from blend.cli.options import (
    LocaleFile,
    NewSheet,
    RawRecipe,
    ReturnedSheet,
    Reviewer,
    accept_verdicts,
    evenly,
    say_of_file,
    used_recipe,
)
from blend.schemas.texts import pluralise

_PAIRS = 10
"""Answers that are struck out, or have English, that are shown when reviews are taken in, at most."""

reviews = Application(
    no_args_is_help=True,
    help="Review typed answers, and pairs of them, in a spreadsheet. `docs/reviews.md` walks through it.",
)


@reviews.command()
def _propose(
    recipe: RawRecipe = None,
    out: NewSheet = Path("sheet.csv"),
    locales: Annotated[
        list[str] | None,
        typer.Option("--locale", help="Only answers in this locale; repeat it. All locales when absent."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what was decided; of pairs, also where nothing is suspected.")
    ] = False,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Instead, pairs of answers that may meet and look alike."),
    ] = False,
) -> None:
    """Make the sheet: a row for every answer, grouped by rules, with the English that is known.

    - `blend reviews propose recipe.toml --out sheet.csv` writes what nobody has reviewed yet.
    - `blend reviews propose recipe.toml --locale ko-KR --out korean.csv` writes a sheet for one reviewer.
    - `blend reviews propose recipe.toml --pairs --out pairs.csv` asks which answers mean the same.
    """
    if pairs:
        _propose_pairs(recipe, out, locales, everything=everything)
        return
    from blend.builders.release.reviewing import answers_to_review
    from blend.builders.saq.answer_sheet import groups_without_english
    from blend.loaders.files.new_files import write_sheet
    from blend.schemas.sheets import ANSWER_SHEET

    used = used_recipe(recipe)
    sheet, lost = answers_to_review(used.recipe, base=used.base, locales=locales, everything=everything)
    write_sheet(ANSWER_SHEET, sheet, out)
    questions = sheet.select("template_id", "locale").n_unique()
    typer.echo(
        f"{out}: {pluralise(len(sheet), 'answer')} to {pluralise(questions, 'question')}; "
        f"{pluralise(groups_without_english(sheet), 'group')} without English."
    )
    typer.echo(f"Correct the columns group, english, invalid and reason, then: blend reviews accept {out}")
    for one in lost:
        end = (
            "delete that review" if one.is_all else "accept the sheet with --update, which replaces that review"
        )
        answers = ", ".join(map(repr, one.answers))
        typer.echo(f"{one.source}: decides on {answers}, which nobody answers any more; {end}.", err=True)


@reviews.command()
def _accept(
    sheet: ReturnedSheet,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write reviews to, `reviews` of raw responses; of pairs, the file of verdicts to "
            "add to, `verdicts` in the recipe's [mcq]."
        ),
    ] = None,
    reviewer: Reviewer = "reviewer",
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Put the questions of the sheet into files that are there, and keep all others."
        ),
    ] = False,
) -> None:
    """Turn a reviewed sheet into the reviews that `blend build` reads; of pairs, into verdicts.

    - `blend reviews accept sheet.csv --out collected/reviews` puts them beside the responses.
    - `blend reviews accept pairs.csv --out verdicts.tsv --reviewer r7` leaves rows without a verdict open.
    """
    from blend.loaders.responses.returned_sheets import is_pair_sheet
    from blend.schemas.sheets import PAIR_SHEET

    if is_pair_sheet(sheet):
        accept_verdicts(PAIR_SHEET, sheet, out or Path("verdicts.tsv"), reviewer)
    else:
        _accept_answers(sheet, out or Path("reviews"), reviewer, update=update)


def _accept_answers(sheet: Path, out: Path, reviewer: str, *, update: bool) -> None:
    from blend.builders.saq.reviews import reviews_of
    from blend.cli.terminal import shown
    from blend.loaders.files.diagnostics import Diagnostics
    from blend.loaders.responses.response_rows import is_own
    from blend.loaders.responses.returned_sheets import read_answer_sheet, write_reviews

    diagnostics = Diagnostics()
    accepted = reviews_of(read_answer_sheet(sheet, diagnostics=diagnostics), reviewer=reviewer)
    for written in write_reviews(accepted.reviews, out, update=update):
        kept = f", {written.kept} kept" if written.kept else ""
        groups = [group for review in written.reviews for group in review["groups"]]
        n_without = sum(not group["en_answers"] for group in groups)
        without = f" ({n_without} without English)" if n_without else ""
        n_invalid = sum(len(review.get("invalid", ())) for review in written.reviews)
        typer.echo(
            f"{written.path}: {pluralise(len(written.reviews), 'question')} reviewed{kept}; "
            f"{pluralise(len(groups), 'group')}{without}, {pluralise(n_invalid, 'invalid answer')}."
        )
        if written.replaced:
            more = f" and {len(written.replaced) - _PAIRS:,} more" if len(written.replaced) > _PAIRS else ""
            listed = ", ".join(map(shown, written.replaced[:_PAIRS]))
            typer.echo(f"{written.path}: replaced the reviews of {listed}{more}.")
        if is_own(f"{written.path}:1"):
            typer.echo(
                f"{written.path}: stands beside what `blend annotate sync` writes; of two reviews of a "
                "question the one counts that decides on more of the answers given now, else the one here."
            )
    rows = accepted.reviews.to_dicts()
    groups = [group for review in rows for group in review["groups"]]
    # English that is the answer itself tells nothing; where a column was sorted alone, no pair fits.
    glossed = [one for one in groups if one["en_answers"] and one["en_answers"][0] not in one["answers"]]
    if pairs := evenly(glossed, _PAIRS):
        texts = [(group["answers"][0], group["en_answers"][0]) for group in pairs]
        listed = "; ".join(f"{shown(answer)} = {shown(english)}" for answer, english in texts)
        typer.echo(f"Look whether the English fits its answers, or one column was sorted alone: {listed}.")
    if struck := [(answer, review["template_id"]) for review in rows for answer in review["invalid"]]:
        listed = "; ".join(f"{shown(answer)} ({shown(template_id)})" for answer, template_id in struck[:_PAIRS])
        more = f"; and {len(struck) - _PAIRS:,} more" if len(struck) > _PAIRS else ""
        typer.echo(f"Look whether none of these is an answer, since they count no more: {listed}{more}.")
    if out.absolute().name != "reviews" or not (out.absolute().parent / "responses").is_dir():
        typer.echo(f"`blend build` reads them as the folder `reviews` beside `responses`: move {out} there.")
    say_of_file(diagnostics)
    for sentence in accepted.notes:
        typer.echo(sentence, err=True)


def _propose_pairs(recipe: Path | None, out: Path, locales: Sequence[str] | None, *, everything: bool) -> None:
    from blend.builders.release.reviewing import pairs_to_review
    from blend.loaders.files.new_files import write_sheet
    from blend.schemas.sheets import PAIR_SHEET

    if locales:
        raise UsageError("--locale makes no sense with --pairs: they may meet in any locale; leave it out")
    chosen = used_recipe(recipe)
    sheet = pairs_to_review(chosen.recipe, base=chosen.base, everything=everything)
    write_sheet(PAIR_SHEET, sheet, out)
    typer.echo(f"{out}: {pluralise(len(sheet), 'undecided pair')}.")
    typer.echo(
        f"Write same or different into the column verdict, as far as you get, then: blend reviews accept {out}"
    )


templates = Application(
    no_args_is_help=True,
    help="Make question templates from questions that natives wrote. `docs/templates.md` walks through it.",
)


@templates.command("propose")
def _propose_templates(
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
    typer.echo("Fill the column decision (keep or drop), then: blend templates accept " + str(out))


@templates.command("accept")
def _accept_templates(
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
    reviewed = read_review_sheet(sheet, locales=known)
    accepted = accept_sheet(reviewed)
    write_new_sheet(out, accepted.select("template_id", "topic", "source_locale", "text"))
    n_left_out = len(reviewed) - len(accepted)
    typer.echo(f"{out}: {pluralise(len(accepted), 'template')}; {pluralise(n_left_out, 'question')} dropped.")


@templates.command()
def _localise(
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
    from blend.builders.templates.localise import localise
    from blend.loaders.files.new_files import write_new_sheet
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.returned_sheets import read_review_sheet, read_translations

    known = registry_with(locale_file)
    translated = read_translations(translations, locales=known)
    tags = locale or sorted(set(translated["locale"]))
    accepted = accept_sheet(read_review_sheet(sheet, locales=known))
    made = localise(accepted, [known.find(tag) for tag in tags], translated, known=known)
    questions = made.questions.select("template_id", "locale", "question", "en_question")
    write_new_sheet(out, questions)
    typer.echo(f"{out}: {pluralise(len(made.questions), 'question')} in {pluralise(len(tags), 'locale')}.")
    for row in made.dropped.iter_rows(named=True):
        typer.echo(f"{row['source']}: {row['kind']}: {row['detail']}", err=True)
