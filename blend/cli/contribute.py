"""``blend contribute``: a collection to which many contribute, a folder each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from blend.cli.application import Application, with_options
from blend.cli.options import print_lines
from blend.exit_codes import REFUSED
from blend.schemas.texts import escape_controls_in_json

if TYPE_CHECKING:
    from blend.schemas.locales import Registry
    from blend.schemas.recipe import Recipe

app = Application(
    no_args_is_help=True,
    help="Collect with many contributors, a folder each. `docs/contributing-data.md` walks through it.",
)


@app.command()
def init(
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
    known, _ = _of_recipe(folder if (folder / FOLDER).is_dir() else folder.resolve().parent)
    written = write_contributor(folder, contributor, locale or [], locales=known)
    for path in written:
        typer.echo(folder / path)
    typer.echo("Fill them in with a spreadsheet and a text editor; then:")
    typer.echo(f"  blend contribute check {(folder / written[0]).parent}")


@app.command()
def check(
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
    from blend.views.releases import check_lines, verdict, workflow_commands

    known, recipe = _of_recipe(collection_of(folder)[0].parent)
    found = check_contributions(folder, locales=known, released=None if recipe is None else recipe.license)
    if output == "json":
        # Every problem, none of them grouped.
        typer.echo(escape_controls_in_json(with_options(found.model_dump_json(indent=2))))
    else:
        lines = check_lines(found) if output == "text" else [*workflow_commands(found), verdict(found)]
        print_lines(map(with_options, lines))
    if not found.passes:
        raise typer.Exit(REFUSED)


def _of_recipe(folder: Path) -> "tuple[Registry, Recipe | None]":
    """The locales of a collection and its recipe, if it has one."""
    from blend.loaders.recipes import RecipeInPlace, read_recipe
    from blend.schemas.locales import registry

    path = folder / "recipe.toml"
    if not path.is_file():
        return registry(), None
    recipe = read_recipe(path)
    return RecipeInPlace.of(recipe, folder).locales, recipe
