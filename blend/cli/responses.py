"""``blend contribute``, a folder for each of many; ``blend responses``, answers collected elsewhere."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from blend.cli.application import REFUSED, Application, with_options
from blend.cli.options import LocaleFile, print_lines
from blend.schemas.errors import RowError, summarise
from blend.schemas.texts import escape_controls_in_json, pluralise

if TYPE_CHECKING:
    from blend.loaders.contributions import ContributionCheck
    from blend.loaders.recipes import RecipeInPlace


contribute = Application(
    no_args_is_help=True,
    help="Collect with many contributors, a folder each. `docs/contributing-data.md` walks through it.",
)


@contribute.command()
def _init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Collection to start, or to add a contributor's folder to.")
    ],
    contributor: Annotated[
        str | None, typer.Option(metavar="NAME", help="Write a folder of this name for a contributor.")
    ] = None,
    locale: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Locale that the contributor collects responses in; repeat it."),
    ] = None,
) -> None:
    """Start a collection, with a workflow that checks pull requests; or one contributor's folder in it.

    Nothing is ever replaced.

    - `blend contribute init everyday` writes recipe, consent, templates and workflow.
    - `blend contribute init everyday --contributor mina-ko --locale ko-KR` writes what Mina fills in.
    """
    from blend.loaders.contributions.contributors import FOLDER, write_collection, write_contributor

    if contributor is None:
        for path in write_collection(folder):
            typer.echo(folder / path)
        typer.echo("Edit CONSENT.md and templates.csv; then, for everybody who contributes:")
        typer.echo(f"  blend contribute init {folder} --contributor NAME --locale TAG")
        return
    beside = _recipe_in(folder if (folder / FOLDER).is_dir() else folder.resolve().parent)
    known = None if beside is None else beside.locales
    written = write_contributor(folder, contributor, locale or [], locales=known)
    for path in written:
        typer.echo(folder / path)
    typer.echo("Fill them in with a spreadsheet and a text editor; then:")
    typer.echo(f"  blend contribute check {(folder / written[0]).parent}")


@contribute.command()
def _check(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Collection, or one contributor's folder in it.")
    ] = Path(),
    output: Annotated[
        Literal["text", "json", "github"],
        typer.Option("--format", help="For people, for programs, or as annotations of a pull request."),
    ] = "text",
) -> None:
    """Say everything that is wrong with contributions, file by file and row by row.

    Exit code 0 when nothing keeps the collection from being built, else 1. Where `recipe.toml` lies beside the
    folder `contributions`, its licence and its own locales count.

    - `blend contribute check contributions/mina-ko` checks one folder, and how it fits with the others.
    - `blend contribute check . --format github` annotates a pull request.
    """
    from blend.loaders.contributions import check_contributions, collection_of

    beside = _recipe_in(collection_of(folder)[0].parent)
    known, released = (None, None) if beside is None else (beside.locales, beside.recipe.license)
    found = check_contributions(folder, locales=known, released=released)
    if output == "json":
        # Every problem, none of them grouped.
        typer.echo(escape_controls_in_json(with_options(found.model_dump_json(indent=2))))
    else:
        lines = _check_lines(found) if output == "text" else [*_workflow_commands(found), _verdict(found)]
        print_lines(map(with_options, lines))
    if not found.passes:
        raise typer.Exit(REFUSED)


def _recipe_in(folder: Path) -> "RecipeInPlace | None":
    """The recipe beside a collection, if it has one."""
    from blend.loaders.recipes import RecipeInPlace, read_recipe

    path = folder / "recipe.toml"
    return RecipeInPlace.of(read_recipe(path), folder) if path.is_file() else None


# A check of contributions: for people, and as annotations that a forge shows beside changed lines.

_TEXT = (".csv", ".tsv", ".txt", ".jsonl")
_SHARED = "for all contributors"
"""How the folder of all contributions is called in place of a contributor's name."""


def _check_lines(check: "ContributionCheck") -> Iterator[str]:
    """Tell what is wrong, folder by folder, and in the last line whether all is well.

    Of very many problems in a folder, every cause is told with a few of its places, and all are counted.
    """
    for contributor in ("", *check.contributors):
        problems = check.of(contributor)
        errors = [problem for problem in problems if problem.level == "error"]
        warnings = [problem for problem in problems if problem.level == "warning"]
        if contributor or problems:
            yield f"{contributor or _SHARED}: {_counts(len(errors), len(warnings))}"
        for level, listed in (("error", errors), ("warning", warnings)):
            told = summarise([RowError(one.what, where=one.where, fix=one.fix) for one in listed])
            yield from (f"  {level}: {line}" for line in told)
    yield _verdict(check)


def _verdict(check: "ContributionCheck") -> str:
    """Say in one line whether the contributions can become part of a release."""
    n_warnings = len(check.problems) - len(check.errors)
    counts = f"{pluralise(len(check.contributors), 'contributor')}: {_counts(len(check.errors), n_warnings)}"
    if check.passes:
        return counts
    more = "" if check.is_complete else ": more may appear once these are mended"
    return f"{counts}. Correct the files, then check them again{more}"


def _workflow_commands(check: "ContributionCheck") -> Iterator[str]:
    """Every problem as a command of GitHub's workflows.

    Files are relative to the working directory, which in a workflow is the root of the repository.

    References:
        https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    for problem in check.problems:
        path = os.path.relpath(check.folder / problem.file).replace(os.sep, "/")
        # A row is the line, but behind a cell that goes over several.
        is_text = problem.row is not None and problem.file.lower().endswith(_TEXT)
        properties = {"file": path} | ({"line": str(problem.row)} if is_text else {})
        listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        message = f"{problem.contributor or _SHARED}, {problem}"
        yield f"::{problem.level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _counts(n_errors: int, n_warnings: int) -> str:
    parts = [pluralise(n, word) for n, word in ((n_errors, "error"), (n_warnings, "warning")) if n]
    return ", ".join(parts) or "nothing is wrong"


responses = Application(
    no_args_is_help=True,
    help="Bring in answers that were collected elsewhere. `docs/responses.md` explains it.",
)


@responses.command()
def _import(
    answers: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table of answers (.xlsx, CSV, tab-separated), or an export of Label Studio in JSON.",
        ),
    ],
    map_file: Annotated[
        Path,
        typer.Option(
            "--map", metavar="FILE", help="What the columns mean (TOML); a draft is written if it is absent."
        ),
    ] = Path("map.toml"),
    out: Annotated[
        Path, typer.Option(help="Directory of raw responses with the questions that people answered.")
    ] = Path("collected"),
    locale_file: LocaleFile = None,
) -> None:
    """Make responses of a wide table (Google Forms), a long one, or an export, by a map that you complete.

    - `blend responses import form.xlsx --map map.toml --out collected` writes the map first; then the
      same imports.
    """
    from blend.builders.annotation.importing import import_file
    from blend.cli.terminal import shown
    from blend.loaders.files.toml import registry_with
    from blend.loaders.responses.import_map import read_answers

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
    if done.key_file is not None:
        typer.echo(f"Pseudonyms are by {done.key_file}: keep it for later tables, and give it to nobody.")
    for sentence in done.unmatched:
        typer.echo(f"{map_file}, {shown(sentence)}")
