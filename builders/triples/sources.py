"""Food sources: the Wikidata snapshots that a recipe names, as tables of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blend.builders.parquet import Table
from blend.builders.stages import Stage, rows_by
from blend.builders.triples.tables import food_tables
from blend.loaders.files.pins import check_pin, file_infos
from blend.loaders.files.progress import Notify, silent
from blend.schemas.errors import InputError
from blend.schemas.manifest import SourceInfo
from blend.schemas.recipe import Recipe, Source


@dataclass(frozen=True, slots=True)
class FoodSource:
    """The tables from one snapshot and the account of them."""

    info: SourceInfo
    """The snapshot, with its digest."""
    tables: Sequence[Table]
    """Triples, aligned subset and templates, one table per language; rows are made when they are written."""
    stage: Stage
    """What was made and left out."""


def read_food_sources(
    recipe: Recipe, *, base: Path = Path(), places: Mapping[str, Path] | None = None, notify: Notify = silent
) -> list[FoodSource]:
    """Build the tables of the Wikidata snapshot that a recipe names; none where it names none.

    Args:
        recipe: Names the snapshot, and how to build from it.
        base: Folder to which the recipe's relative locations refer.
        places: Files by location, for snapshots that lie elsewhere than the recipe says.
        notify: Told about progress.

    Raises:
        InputError: If the snapshot is not there, is damaged or is another than the recipe pins, or if there
            are two, which would make the same configurations.
    """
    sources = [source for source in recipe.sources if source.kind == "wikidata"]
    if len(sources) > 1:
        raise InputError(
            f"the recipe has {len(sources)} sources of kind 'wikidata', which would make the same "
            "configurations; keep one, and build the others as releases of their own"
        )
    made = []
    for source in sources:
        notify("build from Wikidata", 0, 1)
        made.append(_read(source, recipe, base, places or {}))
        notify("build from Wikidata", 1, 1)
    return made


def _read(source: Source, recipe: Recipe, base: Path, places: Mapping[str, Path]) -> FoodSource:
    name = f"source wikidata {source.location}"
    path = places.get(source.location, base / source.location)
    if source.revision is not None:
        raise InputError(f"{name}: a snapshot has no revision; remove the key")
    if not path.is_file():
        raise InputError(f"{name}: no such file: {path}; take one with `blend wikidata snapshot --out {path}`")
    files = file_infos(path.parent, [path])
    # The file's own digest, as `snapshot.json` gives it: to pin a snapshot, copy it from there.
    digest = files[0].sha256
    check_pin(digest, source.sha256, where=name)
    made = food_tables(path, recipe.food)
    info = SourceInfo(kind=source.kind, location=source.location, revision=None, sha256=digest, files=files)
    notes: dict[str, int | str] = {
        "items": made.build.dishes["item"].n_unique(),
        "languages": len(made.build.languages),
    }
    stage = Stage(
        f"build {made.domain.name} from {source.location}",
        rows_by(made.build.index, "language"),
        made.findings(),
        notes,
    )
    return FoodSource(info=info, tables=tuple(made.tables()), stage=stage)
