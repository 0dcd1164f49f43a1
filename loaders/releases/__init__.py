"""Releases: reading a release directory back into frames."""

from pathlib import Path
from typing import NamedTuple

import polars as pl
from pydantic import BaseModel, ValidationError

from blend.loaders.files.content import (
    instead_of_directory,
    is_directory,
    open_content,
    parquet_rows,
    read_content,
)
from blend.loaders.files.domains import known_domains
from blend.loaders.files.locales import read_locales
from blend.schemas import frames
from blend.schemas.arrow import frame_schema, published_names
from blend.schemas.configs import (
    ANNOTATIONS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_QUESTIONS,
    model_of,
)
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.domains import Domain
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import KEY
from blend.schemas.layout import DOMAINS_NAME, LOCALES_NAME, MANIFEST_NAME, leads_out
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.misfits import first_reason


class ReleaseTables(NamedTuple):
    """A release as frames; ``source`` names split and template."""

    questions: pl.DataFrame
    """`frames.QUESTIONS`."""
    annotations: pl.DataFrame
    """`frames.ANNOTATIONS`."""
    mcqs: pl.DataFrame | None
    """`frames.MCQ_ROWS`; null when the release has none."""


def read_manifest(release: Path | str) -> ReleaseManifest:
    """The manifest of a release directory; its paths can be followed.

    Raises:
        InputError: If there is none, if it is not one that this version reads, or if it names paths outside the
            release, or tables whose files have no digest.
    """
    manifest = parse_manifest(Path(release))
    _check_paths(manifest)
    return manifest


def parse_manifest(release: Path) -> ReleaseManifest:
    """The manifest of a release directory, wherever its paths may lead: for validation, which tells each.

    Raises:
        InputError: If there is none, or if it is not one that this version reads.
    """
    path = release / MANIFEST_NAME
    if not is_directory(release):
        raise InputError(f"{release}: {instead_of_directory(release)}; name the directory of a release")
    if not path.exists():
        raise InputError(
            f"{release}: no {MANIFEST_NAME} here, so it is not a release; "
            f"build one with `blend build --out {release}`"
        )
    try:
        return ReleaseManifest.from_json(read_content(path, what="manifest").decode())
    except (ValidationError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: not a manifest that this version of {DISTRIBUTION} reads ({first_reason(error)}); "
            "rebuild the release, or read it with the version that built it"
        ) from error


def _check_paths(manifest: ReleaseManifest) -> None:
    """Refuse what would make us read or write elsewhere: a manifest can come from anybody."""
    named = f"{MANIFEST_NAME} of {manifest.name} {manifest.version}"
    advice = "do not use it, and tell who publishes it"
    listed = {file.path for file in manifest.files}
    for path in (*listed, *(file for table in manifest.tables for file in table.files)):
        if leads_out(path):
            raise InputError(f"{named} names the path {path!r}, which leads out of the release; {advice}")
    for table in manifest.tables:
        for path in table.files:
            if path not in listed:
                raise InputError(
                    f"{named} names the file {path!r} for {table.config}/{table.split}, and no digest of it; "
                    f"{advice}"
                )


def release_locales(release: Path) -> Registry:
    """The locales that a release can hold: the packaged ones, and those that it brings along."""
    path = release / LOCALES_NAME
    return registry().extended(read_locales(path)) if path.is_file() else registry()


def release_domain(release: Path) -> Domain | None:
    """What a release's tables from Wikidata are about; null if neither it nor the package knows.

    Raises:
        BlendError: If it is not a release, or if its domain file is not as it must be.
    """
    path = release / DOMAINS_NAME
    known = known_domains(path if path.is_file() else None)
    return known.get(read_manifest(release).recipe.food.domain)


def read_config(release: Path | str, config: str) -> pl.DataFrame:
    """All splits of a configuration, in the manifest's order, columns named by the model's fields.

    Raises:
        UnknownNameError: If the release has no such configuration; lists those it has.
        InputError: If a file that the manifest names is missing.
    """
    folder, manifest = Path(release), read_manifest(release)
    tables = [table for table in manifest.tables if table.config == config]
    if not tables:
        held = {table.config for table in manifest.tables}
        raise UnknownNameError("configuration", config, held)
    model = model_of(config)
    return pl.concat([_read_table(folder, table, model) for table in tables])


def read_tables(release: Path | str) -> ReleaseTables:
    """The questions, annotations and multiple-choice questions of a release, as builders take them.

    Raises:
        InputError: If the directory is not a release.
    """
    annotated = read_config(release, ANNOTATIONS).with_columns(
        source=pl.format("data/annotations/{}:{}", "locale", "template_id")
    )
    questions = read_config(release, SHORT_ANSWER_QUESTIONS).join(
        annotated.select(*KEY, "source_locale", "source"), on=KEY, validate="1:1", maintain_order="left"
    )
    held = {table.config for table in read_manifest(release).tables}
    return ReleaseTables(
        questions=questions.select(list(frames.QUESTIONS)),
        annotations=annotated.select(list(frames.ANNOTATIONS)),
        mcqs=read_config(release, MULTIPLE_CHOICE_QUESTIONS) if MULTIPLE_CHOICE_QUESTIONS in held else None,
    )


def _read_table(release: Path, table: TableInfo, model: type[BaseModel]) -> pl.DataFrame:
    names = published_names(model)
    missing = [file for file in table.files if not (release / file).is_file()]
    if missing:
        raise InputError(
            f"{release}: {', '.join(missing)} of {MANIFEST_NAME} is missing; copy or build the release again"
        )
    rows = pl.concat([_file_rows(release, file) for file in table.files])
    return rows.rename({alias: name for name, alias in names.items()}).cast(frame_schema(model))


def _file_rows(release: Path, file: str) -> pl.DataFrame:
    where = str(release / file)
    with open_content(release / file, where=where, what="table") as content:
        return parquet_rows(content, where=where, fix="copy or build the release again")
