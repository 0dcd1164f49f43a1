"""Commands for who collects answers: ``blend plan`` before, and ``blend status`` meanwhile."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import UsageError
from blend.cli.options import (
    AsJson,
    RawRecipe,
    print_json,
    print_lines,
    print_result,
    print_tables,
    used_recipe,
)
from blend.loaders.files.progress import progress_if_watched
from blend.schemas.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(_plan)
    app.command()(_status)


def _plan(
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
    from blend.loaders.responses.verdicts import shipped_collections

    figures = shipped_collections()
    if release is not None:
        with progress_if_watched() as on_progress:
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
    print_result(found, as_json=as_json)


def _counts(option: str, text: str) -> list[int]:
    """Read numbers with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"{option} {text}: expected whole numbers with commas between, such as 100,200,500")
    return [int(part) for part in parts]


def _status(
    recipe: RawRecipe = None,
    as_json: AsJson = False,
) -> None:
    """Say which questions still need responses, per locale."""
    from blend.builders.release.inputs import read_inputs
    from blend.builders.saq.ballots import collection_status
    from blend.loaders.recipes import RecipeInPlace
    from blend.schemas.frames import KEY

    chosen = used_recipe(recipe)
    used, base = chosen.recipe, chosen.base
    placed = RecipeInPlace.of(used, base)
    inputs = read_inputs(placed)
    if inputs.responses.is_empty():
        raise InputError(
            "the recipe has no raw responses, only finished annotations; "
            "add a source of kind 'responses' to follow a collection"
        )
    # What is finished already, as BLEnD's questions are, is not being collected.
    collected = inputs.questions.join(inputs.annotations, on=KEY, how="anti", maintain_order="left")
    state = collection_status(collected, inputs.responses, inputs.reviews, used.saq)
    if as_json:
        print_json(state.questions.to_dicts())
        return
    from blend.builders.mcq.result import too_few_regions
    from blend.cli.releases import RAW, odd_lines
    from blend.loaders.responses.verdicts import proposes_options

    print_tables(state.as_tables())
    own = [stage.findings for stage in inputs.stages if stage.name.startswith(RAW)]
    found = [row for findings in own for row in findings.to_dicts()]
    print_lines(odd_lines(found, "all among the findings of a build"))
    can_fill = used.mcq.verdicts is not None and proposes_options(base / used.mcq.verdicts)
    if not can_fill and (note := too_few_regions(inputs.questions, placed.locales)):
        print_lines([f"{note}."])
