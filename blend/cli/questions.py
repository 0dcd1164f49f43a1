"""``blend questions``: the options that questions may show, read by people in a sheet."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.application import Application
from blend.cli.options import (
    NewSheet,
    ReturnedSheet,
    Reviewer,
    VerdictFile,
    accept_verdicts,
    added_line,
    evenly,
    print_tables,
    say_how_to_name,
    used_recipe,
)
from blend.loaders.files.progress import shown_progress
from blend.schemas.texts import pluralise

if TYPE_CHECKING:
    from blend.loaders.responses.verdicts import GivenVerdict

app = Application(
    no_args_is_help=True,
    help="Have people read what questions may show. `docs/mcq.md` walks through it.",
)

_Recipe = Annotated[
    Path | None, typer.Argument(help="Recipe to be built. Without one, recipe.toml here, or else the sample.")
]
Locales = Annotated[
    list[str] | None,
    typer.Option("--locale", help="Only questions about this locale; repeat it. All locales when absent."),
]


_FEW = 5
"""Questions without options that are named; verdicts that may all be the same."""
_PAIRS = 40
"""Options with their verdicts that are shown when verdicts are taken in, at most."""


@app.command()
def _options(
    recipe: _Recipe = None,
    out: NewSheet = Path("options.csv"),
    locales: Locales = None,
    suspects: Annotated[Path | None, typer.Option(help="Only questions in this list of `blend items`.")] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Only options that nobody has read, or a model without being sure.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also options that verdicts leave out, to overrule a model's.")
    ] = False,
    blind: Annotated[
        bool, typer.Option("--blind", help="Leave the column read empty: what others said sways a reader.")
    ] = False,
) -> None:
    """Make the sheet: a row for every option that a build may show, with the question and where it is from.

    - `blend questions options recipe.toml --locale ko-KR --out korean.xlsx` writes a workbook for one reader.
    - `blend questions options recipe.toml --unread --out rest.csv` writes what nobody has read yet.
    """
    from blend.builders.release.reviewing import options_to_review
    from blend.loaders.files.new_files import write_sheet
    from blend.loaders.responses.returned_sheets import read_suspects
    from blend.schemas.sheets import OPTION_SHEET

    chosen = used_recipe(recipe)
    used, base = chosen.recipe, chosen.base
    only = None if suspects is None else read_suspects(suspects)
    sheet, without_options = options_to_review(
        used, base=base, locales=locales, only=only, unread=unread, everything=everything, blind=blind
    )
    write_sheet(OPTION_SHEET, sheet, out)
    questions = sheet.select("template_id", "locale").n_unique()
    read = "" if blind else f", {sheet.filter(sheet['read'] != '').height:,} of them with a verdict"
    typer.echo(f"{out}: {pluralise(len(sheet), 'option')} of {pluralise(questions, 'question')}{read}.")
    if without_options:
        few = ", ".join(f"{template_id} ({tag})" for template_id, tag in without_options[:_FEW])
        few += ", …" if len(without_options) > _FEW else ""
        number = pluralise(len(without_options), "question")
        typer.echo(f"No options, as findings of a build explain: {number}, {few}.")
    typer.echo(
        "Write ok, also_correct, silly or wrong into the column verdict, as far as you get, then: "
        f"blend questions accept {out} --reviewer PSEUDONYM (and --native for people of the region)"
    )


@app.command()
def _judge(
    model: Annotated[str, typer.Option(help="Name of the model as the server knows it.")],
    recipe: _Recipe = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Address of an OpenAI-compatible server; OPENAI_BASE_URL, or OpenAI's own, if absent."
        ),
    ] = None,
    out: VerdictFile = Path("verdicts.tsv"),
    locales: Locales = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Also options that were read or refused before, to compare the model with people."
        ),
    ] = False,
) -> None:
    """Have a model read what nobody has read: question, region and all options in one request.

    - `blend questions judge recipe.toml --model NAME --base-url http://localhost:8000/v1` adds to verdicts.tsv.
    - Stopped at any moment, the same command goes on and asks only the rest.
    """
    from blend.builders.release.reviewing import read_by_model

    chosen = used_recipe(recipe)
    used, base = chosen.recipe, chosen.base
    is_new = not out.exists()
    with shown_progress() as on_progress:
        by_verdict, n_unsure = read_by_model(
            used,
            out,
            model=model,
            base=base,
            base_url=base_url,
            locales=locales,
            everything=everything,
            on_progress=on_progress,
        )
    if not by_verdict:
        typer.echo(
            "Nothing to read: people or models have given a verdict on every option that questions may "
            f"show{'' if everything else '; --all adds what was read before and what verdicts leave out'}."
        )
        return
    unsure = f"; unsure of {n_unsure:,}, which are left to people" if n_unsure else ""
    typer.echo(f"{added_line(out, by_verdict)}{unsure}.")
    if is_new and used.mcq.verdicts is None:
        say_how_to_name(out)


@app.command()
def _accept(
    sheet: ReturnedSheet,
    out: VerdictFile = Path("verdicts.tsv"),
    reviewer: Reviewer = "reviewer",
    native: Annotated[
        bool, typer.Option("--native", help="The reviewer is a native of the region that the sheet asks about.")
    ] = False,
) -> None:
    """Add the verdicts of the sheet to the file of verdicts that `blend build` reads.

    - `blend questions accept korean.xlsx --reviewer r7 --native` leaves rows without a verdict open.
    """
    from blend.schemas.sheets import OPTION_SHEET

    _say_what_was_read(accept_verdicts(OPTION_SHEET, sheet, out, reviewer, native=native))


def _say_what_was_read(verdicts: "Sequence[GivenVerdict]") -> None:
    """List verdicts beside their options: where the column moved by a row, or was filled down, none fit."""
    from blend.cli.terminal import shown
    from blend.schemas.sheets import OK

    refusals = [one for one in verdicts if one.verdict != OK]
    if refusals:
        listed = "; ".join(f"{shown(one.option)} = {one.verdict}" for one in evenly(refusals, _PAIRS))
        typer.echo(f"Look whether each verdict fits its option, or the column moved by a row: {listed}.")
    elif len(verdicts) > _FEW:
        typer.echo(
            f"All {len(verdicts):,} verdicts are {OK}: was every option read, or the column filled down?"
        )


@app.command()
def _agreement(
    verdicts: Annotated[Path, typer.Argument(help="File of verdicts, as `blend questions accept` adds to.")],
) -> None:
    """Say how far readers agree on the same options.

    - `blend questions agreement verdicts.tsv` counts who has read what, and where several agree.
    """
    from blend.builders.release.verdict_agreement import agreement_table, verdict_agreement
    from blend.loaders.responses.verdicts import read_verdicts

    print_tables([agreement_table(verdict_agreement(read_verdicts(verdicts)))])
