"""``blend plan``: what collecting would bring, cost and tell apart."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.options import AsJson
from blend.cli.printing import print_json, print_tables
from blend.exit_codes import UsageError


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(plan)


def plan(
    release: Annotated[
        Path | None,
        typer.Argument(help="Release directory of a pilot; what BLEnD's 16 regions brought when absent."),
    ] = None,
    locale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG",
            help="Plan like this region only; can be repeated. BLEnD's mean, or all of a pilot's.",
        ),
    ] = None,
    difference: Annotated[
        float, typer.Option(metavar="POINTS", help="Difference that two models shall be told apart by.")
    ] = 5,
    templates: Annotated[
        str, typer.Option(metavar="N,N", help="Numbers of templates asked in the region.")
    ] = "100,200,500",
    annotators: Annotated[
        str, typer.Option(metavar="N,N", help="Numbers of annotators of every question, 2 to 9.")
    ] = "3,5,7",
    price: Annotated[float | None, typer.Option(help="Price of one answer, in any currency.")] = None,
    as_json: AsJson = False,
) -> None:
    """Plan a collection: templates and annotators, what they cost, leave, and tell apart.

    - `blend plan --price 0.10` plans for a region like the mean of BLEnD's.
    - `blend plan --locale ha-NG --annotators 5 --difference 10` plans like one of them.
    - `blend plan pilot` plans by what a pilot has brought.
    """
    from blend.builders.stats.planning import mean_figures, plan_collection, release_figures
    from blend.loaders.files.progress import progress_if_watched
    from blend.loaders.responses.shipped import shipped_collections

    figures = shipped_collections()
    if release is not None:
        with progress_if_watched(transient=True) as on_progress:
            figures = release_figures(release, comparable=figures, on_progress=on_progress)
    elif not locale:
        figures = mean_figures(figures)
    found = plan_collection(
        figures,
        templates=_counts("--templates", templates),
        annotators=_counts("--annotators", annotators),
        difference=difference / 100,
        price=price,
        locales=locale,
    )
    if as_json:
        print_json(found.to_json())
        return
    print_tables(found.as_tables())


def _counts(option: str, text: str) -> list[int]:
    """Read numbers with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"{option} {text}: expected whole numbers with commas between, such as 100,200,500")
    return [int(part) for part in parts]
