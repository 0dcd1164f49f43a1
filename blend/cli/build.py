"""``blend init`` and ``blend build``: from a recipe, an upstream directory or the sample to a release."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from blend.cli.application import UsageError
from blend.cli.options import DEFAULT_OUT, NewFolder, used_recipe

if TYPE_CHECKING:
    from blend.schemas.manifest import ReleaseManifest
    from blend.schemas.recipe import Recipe

_VERDICTS = ("verdicts.tsv", "decided/verdicts.jsonl")
"""Where `blend questions accept` and `blend annotate sync` write verdicts on options, unless told otherwise."""


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(_init)
    app.command()(_build)


def _init(folder: NewFolder) -> None:
    """Write recipe, questions, prompts, responses and locale file, with example rows that build as they are.

    - `blend init mine` makes the folder; `docs/responses.md` explains every file.
    """
    from blend.loaders.recipes import write_starter

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
    from blend.loaders.recipes import blend_recipe, food_recipe, semeval_recipe
    from blend.loaders.releases.references import held_release
    from blend.schemas.recipe import licensed
    from blend.stopping import ALL_OR_NOTHING, interruptible

    alone = [given for given in (blend_data, semeval, food) if given is not None]
    if len(alone) + (recipe is not None) > 1:
        raise UsageError(
            "RECIPE, --blend, --semeval and --food each build their data alone; to join them, write all into "
            "a recipe"
        )
    if blend_data is not None:
        used = blend_recipe(blend_data)
    elif semeval is not None:
        used = semeval_recipe(semeval)
    elif food is not None:
        used = food_recipe(food)
    else:
        used, recipe = used_recipe(recipe)
    # A licence is looked at here already, where the error can name the file.
    used = licensed(used, where=str(recipe or "recipe"))
    if mcq_mode is not None:
        used = _in_mode(used, mcq_mode)
    there = dict[str, Path]()
    for named in source_paths or []:
        location, _, path = named.partition("=")
        if not path:
            raise UsageError(f"--source-path {named}: expected LOCATION=PATH")
        there[location] = Path(path)
    base, before = Path() if recipe is None else recipe.parent, held_release(out)
    stopped, shown = ALL_OR_NOTHING.format(out=out), nullcontext(silent) if as_json else shown_progress()
    with interruptible(stopped), shown as on_progress:
        manifest = build_release(
            used, out, base=base, source_paths=there, replace=replace, on_progress=on_progress
        )
    if as_json:
        typer.echo(manifest.to_json(), nl=False)
    else:
        # What commands call the recipe; data of an option have none that they could name.
        _print_summary(manifest, out, before, "RECIPE" if alone else str(recipe or ""), recipe)


def _in_mode(recipe: "Recipe", mode: Literal["default", "paper"]) -> "Recipe":
    """The recipe with multiple-choice questions made in a mode."""
    from blend.schemas.recipe import McqOptions

    if all(source.kind == "wikidata" for source in recipe.sources):
        raise UsageError("--mcq-mode is about questions, and a snapshot of Wikidata holds none; leave it out")
    mcq = McqOptions.model_validate({**recipe.mcq.model_dump(), "mode": mode})
    return recipe.model_copy(update={"mcq": mcq})


def _print_summary(
    manifest: "ReleaseManifest", out: Path, before: "ReleaseManifest | None", called: str, path: Path | None
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
    for line in lines_to_read(out, manifest, called):
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
    if path is None or manifest.recipe.mcq.verdicts is not None:
        return
    for name in _VERDICTS:
        beside = path.parent / name
        if beside.is_file():
            typer.echo(
                f"\n{beside} lies beside the recipe and was not read: write verdicts = "
                f'"{name}" below [mcq], and build again.'
            )
