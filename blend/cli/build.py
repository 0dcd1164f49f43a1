"""``blend build``: from a recipe, an upstream directory or the embedded sample to a release directory."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from blend.cli.build_options import (
    BlendData,
    DomainName,
    ManifestAsJson,
    McqMode,
    Out,
    Places,
    Previous,
    RecipeFile,
    Replace,
    Revision,
    Seed,
    Snapshot,
    Variants,
)
from blend.cli.wikidata import DomainFile
from blend.exit_codes import UsageError
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    from blend.builders.diff.version_step import VersionStep
    from blend.schemas.manifest import ReleaseManifest
    from blend.schemas.recipe import Recipe

DEFAULT_OUT = Path("release")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(build)


def build(
    recipe: RecipeFile = None,
    out: Out = DEFAULT_OUT,
    replace: Replace = False,
    blend_data: BlendData = None,
    food: Snapshot = None,
    place: Places = None,
    domain: DomainName = None,
    domain_file: DomainFile = None,
    revision: Revision = None,
    previous: Previous = None,
    mcq_mode: McqMode = None,
    variants: Variants = None,
    seed: Seed = None,
    as_json: ManifestAsJson = False,
) -> None:
    """Build a release directory that `datasets.load_dataset` reads.

    The directory appears complete or not at all. The same recipe and sources give the same bytes.

    - `blend build` builds the sample in the package.
    - `blend build recipe.toml --out release` builds your own data.
    - `blend build --blend path/to/BLEnD/data` builds the published data of 16 regions.
    - `blend build --food snapshot.nt.gz` builds dishes and ingredients from Wikidata.
    - `blend build release/recipe.toml --place collected=path/to/collected --out again` builds a release again.
    """
    _check_about_questions(food, mcq_mode, variants)
    used, base, places = _recipe(recipe, blend_data, revision, food, domain, domain_file)
    places |= _named_places(used, place or [])
    used = _with_options(used, mcq_mode=mcq_mode, variants=variants, seed=seed)
    used, places = _with_previous(used, previous, places)
    _build(used, out, base=base, places=places, replace=replace, as_json=as_json)


def _check_about_questions(food: Path | None, mcq_mode: str | None, variants: str | None) -> None:
    if food is not None and (mcq_mode is not None or variants is not None):
        raise UsageError(
            "--mcq-mode and --variants are about questions, and a snapshot given with --food holds none; leave "
            "them out"
        )


def _build(
    recipe: "Recipe", out: Path, *, base: Path, places: "dict[str, Path]", replace: bool, as_json: bool
) -> None:
    from blend.builders.release import build_release, step_since_previous
    from blend.loaders.releases.replacing import held_release
    from blend.views.progress import interruptible, shown_progress, unless_made

    before = held_release(out)
    if as_json:
        with interruptible(unless_made(out)):
            manifest = build_release(recipe, out, base=base, places=places, replace=replace)
        typer.echo(manifest.to_json(), nl=False)
        return
    with interruptible(unless_made(out)), shown_progress() as notify:
        manifest = build_release(recipe, out, base=base, places=places, replace=replace, notify=notify)
        step = step_since_previous(recipe, out, base=base, places=places)
    _print_summary(manifest, out, before)
    if step is not None:
        typer.echo(_followed(manifest.version, *step))


def _followed(version: str, before: str, step: "VersionStep") -> str:
    """Which versions may follow the one before, and whether this is one of them."""
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
    recipe = read_recipe(path) if path is not None else blend_recipe(blend_data or "", revision)
    base = path.parent if path is not None else Path()
    if blend_data is None or revision is not None:
        return recipe, base, {}
    return recipe, base, {blend_source(recipe).location: Path(blend_data)}


def _named_places(recipe: "Recipe", named: list[str]) -> "dict[str, Path]":
    """Where sources lie, by their location in the recipe."""
    locations = {source.location for source in recipe.sources if source.location}
    places: dict[str, Path] = {}
    for one in named:
        location, equals, path = one.partition("=")
        if not equals or not path:
            raise UsageError(f"--place {one}: expected LOCATION=PATH")
        if location not in locations:
            known = ", ".join(sorted(locations)) or "none"
            raise InputError(f"--place {one}: the recipe has no source at {location!r}; there are: {known}")
        if not Path(path).exists():
            raise InputError(f"--place {one}: nothing lies at {path}; correct the path")
        places[location] = Path(path)
    return places


def _with_options(
    recipe: "Recipe", *, mcq_mode: str | None, variants: str | None, seed: int | None
) -> "Recipe":
    from blend.schemas.recipe import McqOptions, Recipe

    changes: dict[str, object] = {}
    if mcq_mode is not None:
        changes["mode"] = mcq_mode
    if variants is not None:
        changes["variants"] = variants if variants == "all" else _number(variants)
    mcq = McqOptions.model_validate({**recipe.mcq.model_dump(), **changes})
    top = {} if seed is None else {"seed": seed}
    return Recipe.model_validate({**recipe.model_dump(), "mcq": mcq.model_dump(), **top})


def _number(variants: str) -> int:
    from blend.schemas.recipe import MOST_VARIANTS

    # Python refuses to read numbers of thousands of digits.
    number = int(variants) if variants.isdecimal() and len(variants) < 10 else 0
    if not 1 <= number <= MOST_VARIANTS:
        raise UsageError(f"--variants {variants[:20]}: expected a number from 1 to {MOST_VARIANTS:,}, or 'all'")
    return number


def _with_previous(
    recipe: "Recipe", previous: str | None, places: "dict[str, Path]"
) -> "tuple[Recipe, dict[str, Path]]":
    if previous is None:
        return recipe, places
    if not Path(previous).is_dir():
        return recipe.model_copy(update={"previous": previous}), places
    # Recorded by its name, like a source: where it lay on this machine means nothing to others.
    name = Path(previous).resolve().name
    return recipe.model_copy(update={"previous": name}), {**places, name: Path(previous)}


def _print_summary(manifest: "ReleaseManifest", out: Path, before: "ReleaseManifest | None") -> None:
    from blend.builders.mcq.none_made import why_none_made
    from blend.views.release import release_tables
    from blend.views.safe import SafeConsole

    console = SafeConsole()
    for table in release_tables(manifest):
        console.print(table)
    replaced = "" if before is None else f", in place of {before.name} {before.version}"
    first = manifest.tables[0].config
    why_none = why_none_made(manifest)
    for line in (
        *([] if why_none is None else [f"\n{why_none}"]),
        f"\nBuilt {manifest.name} {manifest.version} in {out}{replaced}. Look at it:",
        f"  blend show {out}",
        f'  python -c \'from datasets import load_dataset; print(load_dataset("{out}", "{first}"))\'',
    ):
        # A path may hold what looks like markup.
        console.print(line, highlight=False, markup=False, soft_wrap=True)
