"""``blend init``: a folder to begin a dataset of one's own with."""

import typer

from blend.cli.options import NewFolder


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(init)


def init(
    folder: NewFolder,
) -> None:
    """Write recipe, questions, responses and locale file, with example rows that build as they are.

    - `blend init mine` makes the folder; `docs/tutorial.md` goes on from there.
    """
    from blend.loaders.starter import write_starter

    for path in write_starter(folder):
        typer.echo(folder / path)
    typer.echo("Replace the example rows by your own. As they are, they build:")
    typer.echo(f"  blend build {folder / 'recipe.toml'} --out {folder / 'release'}")
