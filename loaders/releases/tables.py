"""What a release directory holds, read back: its tables as frames, and the reports that it carries as JSON."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError
from pydantic import ValidationError

from blend.loaders.files.content import (
    check_tables,
    open_content,
    parquet_rows,
    parse_json,
    read_json,
    utf8_text,
)
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.toml import known_domains, registry_with
from blend.loaders.releases import check_complete, read_manifest
from blend.schemas.arrow_types import frame_schema, published_names
from blend.schemas.errors import RowError, UnknownNameError
from blend.schemas.frames import AGREEMENT, ANNOTATOR_GROUPS
from blend.schemas.locales import Registry
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    ANNOTATOR_GROUPS_NAME,
    AUDIT_NAME,
    DOMAINS_NAME,
    FINDINGS_NAME,
    LOCALES_NAME,
    TableInfo,
)
from blend.schemas.models import first_reason
from blend.schemas.recipe import Domain
from blend.schemas.reports import AuditReport
from blend.schemas.rows import (
    model_of,
)

_AGAIN = "copy or build the release again"


def release_locales(release: Path) -> Registry:
    """The locales that a release can hold: the packaged ones, and those that it brings along.

    Raises:
        RowError, RowErrors: If its locale file is none, or not as it must be.
    """
    path = release / LOCALES_NAME
    # Whatever has the name is read: what is no file is told, and not taken for none.
    return registry_with(path if os.path.lexists(path) else None)


def release_domain(release: Path) -> Domain | None:
    """Find the domain of a release's tables from Wikidata; null if neither it nor the package knows.

    Raises:
        BlendError: If it is not a release, or if its domain file is not as it must be.
    """
    path = release / DOMAINS_NAME
    known = known_domains(path if os.path.lexists(path) else None)
    return known.get(read_manifest(release).recipe.food.domain)


def read_config(release: Path | str, config: str, *, on_progress: ProgressCallback = silent) -> pl.DataFrame:
    """All splits of a configuration, in the manifest's order, columns named by the model's fields.

    Args:
        release: Directory of the release.
        config: Configuration, for example ``annotations``.
        on_progress: Told when the rows are being read, and when they are.

    Raises:
        UnknownNameError: If the release has no such configuration; lists those it has.
        InputError: If a file is missing, is not the one that the manifest names, or takes too much memory.
    """
    step = f"read rows of {config}"
    on_progress(step, 0, 1)
    rows = scan_config(release, config).collect()
    on_progress(step, 1, 1)
    return rows


def table_rows(release: Path, table: TableInfo) -> pl.DataFrame:
    """The rows of a table as they stand in its files, by their published columns, whatever these are.

    Raises:
        RowError: If a file cannot be read, or takes too much memory.
    """
    parts = []
    for path in (release / name for name in table.files):
        with open_content(path, what="table") as file:
            parts.append(parquet_rows(file, where=str(path), fix=_AGAIN))
    return pl.concat(parts)


def scan_config(release: Path | str, config: str) -> pl.LazyFrame:
    """All splits of a configuration as `read_config` reads them, when they are wanted."""
    folder, manifest = Path(release), read_manifest(release)
    tables = [table for table in manifest.tables if table.config == config]
    if not tables:
        raise UnknownNameError("configuration", config, {table.config for table in manifest.tables})
    names = [name for table in tables for name in table.files]
    check_complete(folder, names)
    check_tables([folder / name for name in names], fix=_AGAIN)
    model = model_of(config)
    fields = {alias: name for name, alias in published_names(model).items()}
    scanned = []
    for table in tables:
        try:
            rows = pl.concat([pl.scan_parquet(folder / file, glob=False) for file in table.files])
            scanned.append(rows.rename(fields).cast(frame_schema(model)))
            scanned[-1].collect_schema()  # nobody has looked at the files yet
        except pl.exceptions.PolarsError as error:
            reason = str(error).partition("\n")[0]
            raise RowError(
                f"not the columns of the configuration {config} ({reason})",
                where=str(folder / table.files[0]),
                fix=_AGAIN,
            ) from error
    return pl.concat(scanned)


# Reports, findings among them: written by a build, read back for checks.


def read_audit(release: Path) -> AuditReport | None:
    """The audit of a release; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    path = release / AUDIT_NAME
    if not path.is_file():
        return None
    try:
        return AuditReport.model_validate(read_json(path))
    except (ValidationError, RowError) as error:
        reason = error.what if isinstance(error, RowError) else first_reason(error)
        raise RowError(f"is not an audit ({reason})", where=str(path), fix=_AGAIN) from None


_FIGURES = {
    AGREEMENT_NAME: (AGREEMENT, "locale"),
    ANNOTATOR_GROUPS_NAME: (ANNOTATOR_GROUPS, "locale and group"),
}
"""Files of figures of people: the frame of each, and what has a row there."""


def figures_json(figures: pl.DataFrame, tags: Sequence[str]) -> str:
    """Figures of people as the text of their file, locales in the order of ``tags``."""
    of_tag = figures.partition_by("locale", as_dict=True, include_key=True)
    rows = [row for tag in tags if (tag,) in of_tag for row in of_tag[(tag,)].to_dicts()]
    return json.dumps(rows, indent=1) + "\n"


def read_figures(release: Path, name: str) -> pl.DataFrame | None:
    """The file `AGREEMENT_NAME` or `ANNOTATOR_GROUPS_NAME` of a release, in its order; null if it has none.

    Returns:
        `frames.AGREEMENT` or `frames.ANNOTATOR_GROUPS`.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    path, (schema, per) = release / name, _FIGURES[name]
    if not path.is_file():
        return None
    try:
        figures = pl.DataFrame(read_json(path), schema, orient="row")
    except (ValueError, TypeError, OverflowError, PolarsError) as error:
        what = error.what if isinstance(error, RowError) else f"is not a list of figures per {per}"
        raise RowError(what, where=str(path), fix=_AGAIN) from None
    if others := {*figures["locale"]} - {*release_locales(release).tags}:
        raise RowError(
            f"has figures of {others.pop()!r}, which the release does not know", where=str(path), fix=_AGAIN
        )
    return figures


def read_findings(path: Path) -> Iterator[dict[str, Any]]:
    """The findings in a file, each with the texts ``stage`` and ``kind``.

    Raises:
        RowError: If the file cannot be read; at the first line that is no finding.
    """
    with open_content(path) as lines:
        for number, line in enumerate(lines, start=1):
            where = f"{FINDINGS_NAME}:{number}"
            finding = parse_json(utf8_text(line, where), where, is_file=False)
            is_object = isinstance(finding, dict)
            if not is_object or not all(isinstance(finding.get(key), str) for key in ("stage", "kind")):
                raise RowError("not a JSON object with stage and kind", where=where, fix=_AGAIN)
            yield finding
