"""Commands that look and change nothing: ``show``, ``stats``, ``status``, ``schema``, ``locales``."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.build import DEFAULT_OUT
from blend.cli.options import AsJson, LocaleFile, RawRecipe, TablesFolder
from blend.exit_codes import UsageError, check_known
from blend.schemas.docstrings import first_line_of
from blend.schemas.errors import InputError
from blend.schemas.text import harmless_json

ReleaseFolder = Annotated[Path, typer.Argument(help="Release directory.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (show, stats, status, schema, locales):
        app.command()(command)


def show(
    release: ReleaseFolder = DEFAULT_OUT,
    config: Annotated[str | None, typer.Option(help="Only this configuration.")] = None,
    split: Annotated[str | None, typer.Option(help="Row of this split instead of the first one.")] = None,
) -> None:
    """Load a release with `datasets`, as its users will, and print what came back."""
    from blend.views.show import show_release

    show_release(release, config=config, split=split)


def stats(
    release: ReleaseFolder = DEFAULT_OUT,
    blend_data: Annotated[
        Path | None,
        typer.Option(
            "--blend", metavar="DIR", help="Read the published BLEnD data from this directory instead."
        ),
    ] = None,
    out: TablesFolder = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Print this table only; can be repeated. `docs/stats.md` lists their names, and so does an "
            "unknown one.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of a dataset: questions, votes, agreement, overlap; dishes, origins, ingredients.

    - `blend stats release --table overlap` prints one table.
    - `blend stats release --out figures` keeps all of them as files.
    """
    import json

    from blend.builders.stats.dataset import stats_of_blend, stats_of_release
    from blend.views.progress import reading_progress
    from blend.views.stats import chosen_tables, write_frames

    if table and as_json:
        raise UsageError(
            "--table chooses what is printed for people, and --json prints everything; leave one out"
        )

    with reading_progress() as notify:
        figures = stats_of_release(release, notify=notify) if blend_data is None else stats_of_blend(blend_data)
    if out is not None:
        write_frames(figures.frames(), figures.to_json(), out)
    tables = chosen_tables(figures, table)
    if as_json:
        typer.echo(harmless_json(json.dumps(figures.to_json(), ensure_ascii=False, indent=2)))
        return
    from blend.views.safe import SafeConsole

    console = SafeConsole()
    for number, figures_table in enumerate(tables):
        if number:
            console.print()
        console.print(figures_table)


def status(
    recipe: RawRecipe = None,
    as_json: AsJson = False,
) -> None:
    """Say which questions still need responses, per locale."""
    import json

    from blend.builders.release.inputs import known_locales, read_inputs
    from blend.builders.saq.collection import collection_status
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import sample_recipe

    used = sample_recipe() if recipe is None else read_recipe(recipe)
    base = Path() if recipe is None else recipe.parent
    inputs = read_inputs(used, base=base, locales=known_locales(used, base=base))
    if inputs.responses.is_empty():
        raise InputError(
            "the recipe has no raw responses, only finished annotations; "
            "add a source of kind 'responses' to follow a collection"
        )
    state = collection_status(inputs.questions, inputs.responses, inputs.reviews, used.saq)
    if as_json:
        typer.echo(harmless_json(json.dumps(state.questions.to_dicts(), ensure_ascii=False, indent=2)))
        return
    from blend.builders.mcq.regions import regions_asked, too_few_regions
    from blend.views.safe import SafeConsole
    from blend.views.status import status_tables

    console = SafeConsole()
    for table in status_tables(state):
        console.print(table)
    known = known_locales(used, base=base)
    if used.mcq.fillers is None and (note := too_few_regions(regions_asked(inputs.questions, known))):
        console.print(f"{note}.", highlight=False, markup=False, soft_wrap=True)


def schema(
    name: Annotated[str | None, typer.Argument(help="Model to print; without one, all are listed.")] = None,
) -> None:
    """Print the JSON Schema of a row, of a recipe or of a manifest."""
    import json

    from blend.views.models import MODELS

    if name is None:
        for known, model in MODELS.items():
            typer.echo(f"{known:<12} {first_line_of(model)}")
        return
    check_known("model", name, MODELS)
    # Descriptions are Markdown for most readers of JSON Schemas.
    text = json.dumps(MODELS[name].model_json_schema(), ensure_ascii=False, indent=2).replace("``", "`")
    typer.echo(text)


def locales(
    tag: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Tag, region code or any name of the region; all when absent."),
    ] = None,
    locale_file: LocaleFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the locale registry, or what a name in it stands for."""
    import json

    from blend.loaders.files.locales import registry_with

    known = registry_with(locale_file)
    chosen = list(known) if tag is None else known.called(tag)
    if as_json:
        typer.echo(
            json.dumps([locale.model_dump(mode="json") for locale in chosen], ensure_ascii=False, indent=2)
        )
        return
    from blend.views.locale import locale_details, locale_table
    from blend.views.safe import SafeConsole

    SafeConsole().print(locale_details(chosen[0]) if len(chosen) == 1 else locale_table(chosen))
