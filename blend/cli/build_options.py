"""Options of ``blend build``: what is built, from what, and where to."""

from pathlib import Path
from typing import Annotated, Literal

import typer

RecipeFile = Annotated[
    Path | None, typer.Argument(help="Recipe (TOML). Without one, the sample in the package is built.")
]
Out = Annotated[
    Path, typer.Option(help="Directory to make; an older release of the same dataset there is replaced.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Replace the release of another dataset in --out as well.")
]
BlendData = Annotated[
    str | None,
    typer.Option(
        "--blend",
        metavar="DIR|REPO",
        help="Build from this directory or Hub repository in the layout of the public BLEnD data; with a "
        "recipe, take its BLEnD source from here.",
    ),
]
Snapshot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Build from this snapshot of Wikidata (`blend wikidata snapshot`) alone."
    ),
]
Places = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LOCATION=PATH",
        help="Where a source of the recipe lies, if not where it says: to build a release again from its "
        "own recipe. Repeat it.",
    ),
]
DomainName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What the snapshot given with --food is about; dishes when absent."),
]
Revision = Annotated[str | None, typer.Option(help="Commit or tag of the Hub repository given with --blend.")]
Previous = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|REPO@REV",
        help="Release that this one follows: what changed since then goes on top of its changelog.",
    ),
]
McqMode = Annotated[
    Literal["default", "paper"] | None,
    typer.Option(help="How multiple-choice questions are made; 'paper' repeats the published procedure."),
]
Variants = Annotated[
    str | None,
    typer.Option(metavar="N|all", help="Multiple-choice questions per question and region, at most."),
]
Seed = Annotated[int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of every random choice.")]
ManifestAsJson = Annotated[bool, typer.Option("--json", help="Print the manifest as JSON, and nothing else.")]
