"""``blend init`` and ``blend build``: from a recipe, an upstream directory or the sample to a release."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from blend.cli.options import NewFolder
from blend.cli.recipe_argument import recipe_here, say_which
from blend.cli.wikidata import DomainFile
from blend.exit_codes import UsageError
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    from blend.builders.diff.version_step import VersionStep
    from blend.schemas.manifest import ReleaseManifest
    from blend.schemas.recipe import Recipe

DEFAULT_OUT = Path("release")
VERDICTS = "verdicts.tsv"
"""Where `blend questions accept` writes verdicts on options unless told otherwise."""

RecipeFile = Annotated[
    Path | None, typer.Argument(help="Recipe (TOML). Without one, recipe.toml here, or else the sample.")
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
        metavar="DIR|REPO@REV",
        help="Build from this directory, or org/name@commit on the Hub, in a layout of the public BLEnD data; "
        "with a recipe, take its BLEnD source from this directory.",
    ),
]
SemevalData = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Build from this directory of SemEval-2026 Task 7's files (docs/semeval.md) alone."
    ),
]
Rebalance = Annotated[
    bool,
    typer.Option(
        "--rebalance",
        help="Move the options of questions taken with them, so that every position is as frequent.",
    ),
]
Snapshot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Build from this snapshot of Wikidata (`blend wikidata snapshot`) alone."
    ),
]
SourcePaths = Annotated[
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
Seed = Annotated[int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of every random choice.")]
ManifestAsJson = Annotated[bool, typer.Option("--json", help="Print the manifest as JSON, and nothing else.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(init)
    app.command()(build)


def init(
    folder: NewFolder,
) -> None:
    """Write recipe, questions, prompts, responses and locale file, with example rows that build as they are.

    - `blend init mine` makes the folder; `docs/responses.md` explains every file.
    """
    from blend.loaders.starter import write_starter

    for path in write_starter(folder):
        typer.echo(folder / path)
    typer.echo("Replace the example rows by your own. As they are, they build:")
    typer.echo(f"  blend build {folder / 'recipe.toml'} --out {folder / 'release'}")


def build(
    recipe: RecipeFile = None,
    out: Out = DEFAULT_OUT,
    replace: Replace = False,
    blend_data: BlendData = None,
    semeval: SemevalData = None,
    food: Snapshot = None,
    source_path: SourcePaths = None,
    domain: DomainName = None,
    domain_file: DomainFile = None,
    revision: Revision = None,
    previous: Previous = None,
    mcq_mode: McqMode = None,
    rebalance: Rebalance = False,
    seed: Seed = None,
    as_json: ManifestAsJson = False,
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
    _check_about_questions(food, mcq_mode)
    is_named = any(one is not None for one in (recipe, blend_data, semeval, food))
    recipe = recipe if is_named else recipe_here()
    if semeval is None:
        used, base, source_paths = _recipe(recipe, blend_data, revision, food, domain, domain_file)
    else:
        used, base, source_paths = _semeval(semeval, recipe, blend_data, food)
    source_paths |= _named_locations(used, source_path or [])
    used = _with_options(used, mcq_mode=mcq_mode, rebalance=rebalance, seed=seed)
    used, source_paths = _with_previous(used, previous, source_paths)
    if not is_named:
        say_which(recipe)
    # Data given by an option have no recipe that a command could name.
    called = "RECIPE" if recipe is None and (blend_data or semeval) else str(recipe or "")
    _build(used, out, base=base, source_paths=source_paths, replace=replace, as_json=as_json, called=called)


def _check_about_questions(food: Path | None, mcq_mode: str | None) -> None:
    if food is not None and mcq_mode is not None:
        raise UsageError(
            "--mcq-mode is about questions, and a snapshot given with --food holds none; leave it out"
        )


def _build(
    recipe: "Recipe",
    out: Path,
    *,
    base: Path,
    source_paths: "dict[str, Path]",
    replace: bool,
    as_json: bool,
    called: str,
) -> None:
    from blend.builders.release import build_release, step_since_previous
    from blend.loaders.files.progress import shown_progress
    from blend.loaders.releases.replacing import held_release
    from blend.views.progress import interruptible, unless_made

    before = held_release(out)
    if as_json:
        with interruptible(unless_made(out)):
            manifest = build_release(recipe, out, base=base, source_paths=source_paths, replace=replace)
        typer.echo(manifest.to_json(), nl=False)
        return
    with interruptible(unless_made(out)), shown_progress() as on_progress:
        manifest = build_release(
            recipe, out, base=base, source_paths=source_paths, replace=replace, on_progress=on_progress
        )
        step = step_since_previous(recipe, out, base=base, source_paths=source_paths)
    _print_summary(manifest, out, before, called)
    if called and recipe.mcq.verdicts is None and (base / VERDICTS).is_file():
        typer.echo(
            f"\n{base / VERDICTS} lies beside the recipe and was not read: write verdicts = "
            f'"{VERDICTS}" below [mcq], and build again.'
        )
    if step is not None:
        typer.echo(_followed(manifest.version, *step))


def _followed(version: str, before: str, step: "VersionStep") -> str:
    """Tell which versions may follow the one before, and whether this is one of them."""
    from blend.builders.diff.version_step import accepted_versions

    accepted = accepted_versions(before, step.step)
    reasons = "; ".join(reason.text for reason in step.reasons if reason.step == step.step)
    found = f"Since {before}: {step.step}{f' ({reasons})' if reasons else ''}."
    if version in accepted:
        return f"{found} {version} follows."
    return f"{found} {version} does not follow: build it as {' or '.join(accepted)} before you publish it."


def _recipe(
    path: Path | None,
    blend_data: str | None,
    revision: str | None,
    food: Path | None,
    domain: str | None,
    domain_file: Path | None,
) -> "tuple[Recipe, Path, dict[str, Path]]":
    """The recipe to build, the folder that its locations refer to, and sources that lie elsewhere."""
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import blend_recipe, blend_source, food_recipe, sample_recipe
    from blend.schemas.recipe import licensed

    if blend_data is not None and revision is None and not Path(blend_data).exists() and "@" in blend_data:
        blend_data, _, revision = blend_data.partition("@")
    if revision is not None and blend_data is None:
        raise UsageError("--revision names a version of the repository given with --blend; give both")
    if path is not None and revision is not None:
        raise UsageError("--revision does not go with a recipe; write the revision into the recipe")
    if (domain is not None or domain_file is not None) and (food is None or path is not None):
        raise UsageError(
            "--domain and --domain-file say what a snapshot given with --food alone is about; a recipe has "
            "domain and domain_file in its table [food]"
        )
    if food is not None and (path is not None or blend_data is not None):
        raise UsageError(
            "--food builds from a snapshot alone; to join it with other sources, write all into a recipe"
        )
    if food is not None:
        return food_recipe(food, domain or "dish", domain_file), Path(), {food.name: food}
    if path is None and blend_data is None:
        return sample_recipe(), Path(), {}
    # A licence is looked at here already, where the error can name the file.
    recipe = (
        blend_recipe(blend_data or "", revision)
        if path is None
        else licensed(read_recipe(path), where=str(path))
    )
    base = path.parent if path is not None else Path()
    if blend_data is None or revision is not None:
        return recipe, base, {}
    return recipe, base, {blend_source(recipe).location: Path(blend_data)}


def _semeval(
    folder: Path, recipe: Path | None, blend_data: str | None, food: Path | None
) -> "tuple[Recipe, Path, dict[str, Path]]":
    from blend.loaders.recipes.ready import semeval_recipe

    if recipe is not None or blend_data is not None or food is not None:
        raise UsageError(
            "--semeval builds from the task's files alone; to join them with other sources, write all into a "
            "recipe"
        )
    used = semeval_recipe(folder)
    return used, Path(), {used.sources[0].location: folder}


def _named_locations(recipe: "Recipe", named: list[str]) -> "dict[str, Path]":
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


def _with_options(recipe: "Recipe", *, mcq_mode: str | None, rebalance: bool, seed: int | None) -> "Recipe":
    from blend.schemas.recipe import McqOptions, Recipe

    changes: dict[str, object] = {}
    if mcq_mode is not None:
        changes["mode"] = mcq_mode
    if rebalance:
        changes["rebalance"] = True
    mcq = McqOptions.model_validate({**recipe.mcq.model_dump(), **changes})
    top = {} if seed is None else {"seed": seed}
    return Recipe.model_validate({**recipe.model_dump(), "mcq": mcq.model_dump(), **top})


def _with_previous(
    recipe: "Recipe", previous: str | None, source_paths: "dict[str, Path]"
) -> "tuple[Recipe, dict[str, Path]]":
    if previous is None:
        return recipe, source_paths
    if not Path(previous).is_dir():
        return recipe.model_copy(update={"previous": previous}), source_paths
    # Recorded by its name, like a source: where it lay on this machine means nothing to others.
    name = Path(previous).resolve().name
    return recipe.model_copy(update={"previous": name}), {**source_paths, name: Path(previous)}


def _print_summary(
    manifest: "ReleaseManifest", out: Path, before: "ReleaseManifest | None", called: str
) -> None:
    from blend.builders.mcq.result import verdict_notes, why_none_made
    from blend.views.frames import show_tables
    from blend.views.releases import lines_to_read
    from blend.views.safe import SafeConsole
    from blend.views.tables import release_tables

    console = SafeConsole()
    show_tables(console, release_tables(manifest), everything=True)
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
