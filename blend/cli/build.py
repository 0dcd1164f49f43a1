"""``blend init`` and ``blend build``: from a recipe, an upstream directory or the sample to a release."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blend.cli.application import UsageError
from blend.cli.options import NewFolder, used_recipe
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    from blend.schemas.manifest import ReleaseManifest
    from blend.schemas.recipe import Recipe

DEFAULT_OUT = Path("release")
VERDICTS = "verdicts.tsv"
"""Where `blend questions accept` writes verdicts on options unless told otherwise."""


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(_init)
    app.command()(_build)


def _init(folder: NewFolder) -> None:
    """Write recipe, questions, prompts, responses and locale file, with example rows that build as they are.

    - `blend init mine` makes the folder; `docs/responses.md` explains every file.
    """
    from blend.loaders.packaged import write_starter

    for path in write_starter(folder):
        typer.echo(folder / path)
    typer.echo("Replace the example rows by your own. As they are, they build:")
    typer.echo(f"  blend build {folder / 'recipe.toml'} --out {folder / 'release'}")


_Recipe = Annotated[
    Path | None, typer.Argument(help="Recipe (TOML). Without one, recipe.toml here, or else the sample.")
]
_Out = Annotated[
    Path, typer.Option(help="Directory to make; an older release of the same dataset there is replaced.")
]
_Replace = Annotated[
    bool, typer.Option("--replace", help="Replace the release of another dataset in --out as well.")
]
_Blend = Annotated[
    str | None,
    typer.Option(
        "--blend",
        metavar="DIR|REPO@REV",
        help="Build the public BLEnD data alone, in any of its layouts: from this directory, or from "
        "org/name@commit on the Hub.",
    ),
]
_Semeval = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Build SemEval-2026 Task 7 alone, from the task's files (docs/semeval.md)."
    ),
]
_Food = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Build a snapshot of Wikidata alone (`blend wikidata snapshot`)."),
]
_SourcePaths = Annotated[
    list[str] | None,
    typer.Option(
        "--source-path",
        metavar="LOCATION=PATH",
        help="Where a source of the recipe lies, if not where it says: to build a release again from its own "
        "recipe. Repeat it.",
    ),
]
_McqMode = Annotated[
    Literal["default", "paper"] | None,
    typer.Option(help="How multiple-choice questions are made; 'paper' repeats the published procedure."),
]
_ManifestAsJson = Annotated[bool, typer.Option("--json", help="Print the manifest as JSON, and nothing else.")]


def _build(
    recipe: _Recipe = None,
    out: _Out = DEFAULT_OUT,
    replace: _Replace = False,
    blend_data: _Blend = None,
    semeval: _Semeval = None,
    food: _Food = None,
    source_paths: _SourcePaths = None,
    mcq_mode: _McqMode = None,
    as_json: _ManifestAsJson = False,
) -> None:
    """Build a release directory that `datasets.load_dataset` reads.

    The directory appears complete or not at all. The same recipe and sources give the same bytes.

    - `blend build` builds recipe.toml in this folder, or else the sample in the package.
    - `blend build recipe.toml --out release` builds your own data.
    - `blend build --blend path/to/BLEnD/data` builds the published data of 16 regions.
    - `blend build --semeval path/to/files` builds your copy of SemEval-2026 Task 7.
    - `blend build --food snapshot.nt.gz` builds dishes and ingredients from Wikidata.
    - `blend build release/recipe.toml --source-path collected=FOLDER --out again` builds a release again.
    """
    from blend.builders.release import build_release
    from blend.loaders.files.progress import shown_progress, silent
    from blend.loaders.releases.references import held_release
    from blend.stopping import interruptible, unless_made

    alone = {"blend": blend_data, "semeval": semeval, "food": food}
    used, path = _chosen(recipe, {kind: data for kind, data in alone.items() if data is not None}, mcq_mode)
    base = Path() if path is None else path.parent
    there, before = _named_locations(used, source_paths or []), held_release(out)
    with interruptible(unless_made(out)), nullcontext(silent) if as_json else shown_progress() as on_progress:
        manifest = build_release(
            used, out, base=base, source_paths=there, replace=replace, on_progress=on_progress
        )
    if as_json:
        typer.echo(manifest.to_json(), nl=False)
    else:
        # What commands call the recipe; data of an option have none that they could name.
        called = "RECIPE" if any(alone.values()) else str(path or "")
        _print_summary(manifest, out, before, called)
        if path is not None and used.mcq.verdicts is None and (base / VERDICTS).is_file():
            typer.echo(
                f"\n{base / VERDICTS} lies beside the recipe and was not read: write verdicts = "
                f'"{VERDICTS}" below [mcq], and build again.'
            )


def _chosen(
    path: Path | None, alone: Mapping[str, Any], mcq_mode: Literal["default", "paper"] | None
) -> tuple["Recipe", Path | None]:
    """The recipe that a command line names, or that stands in this folder, or else that of the sample.

    Args:
        path: The recipe's file.
        alone: Data that are built alone, by their kind.
        mcq_mode: How multiple-choice questions are made, if not as the recipe says.

    Returns:
        The recipe and its file; null for data that an option names, and for the sample.
    """
    from blend.loaders import recipes
    from blend.schemas.recipe import McqOptions, licensed

    if len(alone) + (path is not None) > 1:
        raise UsageError(
            "RECIPE, --blend, --semeval and --food each build their data alone; to join them, write all into "
            "a recipe"
        )
    makers: Mapping[str, Callable[[Any], Recipe]] = {
        "blend": recipes.blend_recipe,
        "semeval": recipes.semeval_recipe,
        "food": recipes.food_recipe,
    }
    for kind, data in alone.items():
        recipe = makers[kind](data)
    if not alone:
        recipe, path = used_recipe(path)
    # A licence is looked at here already, where the error can name the file.
    recipe = licensed(recipe, where=str(path or "recipe"))
    if mcq_mode is not None:
        if all(source.kind == "wikidata" for source in recipe.sources):
            raise UsageError(
                "--mcq-mode is about questions, and a snapshot of Wikidata holds none; leave it out"
            )
        mcq = McqOptions.model_validate({**recipe.mcq.model_dump(), "mode": mcq_mode})
        recipe = recipe.model_copy(update={"mcq": mcq})
    return recipe, path


def _named_locations(recipe: "Recipe", named: list[str]) -> dict[str, Path]:
    """Read where sources lie, by their location in the recipe."""
    locations = {source.location for source in recipe.sources if source.location}
    if recipe.previous is not None:
        locations.add(recipe.previous)
    source_paths: dict[str, Path] = {}
    for one in named:
        location, equals, path = one.partition("=")
        if not equals or not path:
            raise UsageError(f"--source-path {one}: expected LOCATION=PATH")
        if location not in locations:
            known = ", ".join(sorted(locations)) or "none"
            raise InputError(
                f"--source-path {one}: the recipe names nothing at {location!r}; there are: {known}"
            )
        if not Path(path).exists():
            raise InputError(f"--source-path {one}: nothing lies at {path}; correct the path")
        source_paths[location] = Path(path)
    return source_paths


def _print_summary(
    manifest: "ReleaseManifest", out: Path, before: "ReleaseManifest | None", called: str
) -> None:
    from blend.builders.mcq.result import verdict_notes, why_none_made
    from blend.cli.releases import lines_to_read
    from blend.cli.terminal import SafeConsole, show_tables

    console = SafeConsole()
    show_tables(manifest.as_tables(), everything=True)
    replaced = "" if before is None else f", in place of {before.name} {before.version}"
    first = manifest.tables[0].config
    why_none = why_none_made(manifest, called)
    for sentence in (
        *([] if why_none is None else [why_none]),
        *(f"{note}. {remedy}" for note, remedy in verdict_notes(manifest, called)),
    ):
        console.print()
        console.print(sentence, highlight=False, markup=False)
    for line in lines_to_read(out, manifest):
        if not line.startswith(" "):
            console.print()
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in (
        f"\nBuilt {manifest.name} {manifest.version} in {out}{replaced}. Look at it:",
        f"  blend show {out}",
        f'  python -c \'from datasets import load_dataset; print(load_dataset("{out}", "{first}"))\'',
    ):
        # A path may hold what looks like markup, and a line to copy stays in one.
        console.print(line, highlight=False, markup=False, soft_wrap=True)
