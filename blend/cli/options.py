"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from blend.exit_codes import UsageError


def _pseudonym(given: str) -> str:
    from blend.schemas.personal_data import pseudonym

    if not given.strip():
        raise UsageError("--reviewer is empty; write a pseudonym, for example r01")
    try:
        return pseudonym(given)
    except ValueError as error:
        raise UsageError(f"--reviewer: {error}") from None


Release = Annotated[
    str, typer.Argument(metavar="DIR|REPO@REV", help="Release directory, or org/name@v1.0.0 on the Hub.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Question templates per region at most; all when absent.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]
NewFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make; nothing in it is replaced.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
RawRecipe = Annotated[
    Path | None,
    typer.Argument(help="Recipe with raw responses. Without one, recipe.toml here, or else the sample."),
]
NewSheet = Annotated[
    Path,
    typer.Option(
        help="File to make: .csv, .jsonl, or .xlsx with lists to choose from; an existing one is never "
        "replaced."
    ),
]
ReturnedSheet = Annotated[
    Path, typer.Argument(help="The sheet as it came back: .xlsx, CSV, tab-separated or .jsonl.")
]


Reviewer = Annotated[
    str, typer.Option(callback=_pseudonym, help="Pseudonym of who decided; no name, no address.")
]
TablesFolder = Annotated[
    Path | None, typer.Option(help="Also write every table to this directory, as parquet and JSON.")
]
LocaleFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Locales of your own (TOML), beside those of the package."),
]
VerdictFile = Annotated[
    Path, typer.Option(help="File of verdicts to add to, `verdicts` in the recipe's [mcq].")
]


def say_how_to_name(location: str, what: str = "") -> None:
    """Say how a recipe names a new file of verdicts."""
    typer.echo(
        f'`blend build` reads them once the recipe names the file: verdicts = "{location}" in [mcq]'
        f"{what and f', {what}'}."
    )
