"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Release = Annotated[
    str, typer.Argument(metavar="DIR|REPO@REV", help="Release directory, or org/name@v1.0.0 on the Hub.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Question templates per region at most; all when absent.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
LocaleFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Locales of your own (TOML), beside those of the package."),
]
