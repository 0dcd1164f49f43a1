"""The agreement of annotators in a release: written once when it is built, read back for statistics."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from blend.loaders.files.content import read_json_content
from blend.schemas.errors import RowError
from blend.schemas.frames import AGREEMENT, ANNOTATOR_GROUPS
from blend.schemas.manifest import AGREEMENT_NAME, ANNOTATOR_GROUPS_NAME


def agreement_json(agreement: pl.DataFrame, tags: Sequence[str]) -> str:
    """`AGREEMENT` or `ANNOTATOR_GROUPS` as the text of its file, locales in the order of ``tags``."""
    of_tag = agreement.partition_by("locale", as_dict=True, include_key=True)
    rows = [row for tag in tags if (tag,) in of_tag for row in of_tag[(tag,)].to_dicts()]
    return json.dumps(rows, indent=1) + "\n"


def read_agreement(release: Path) -> pl.DataFrame | None:
    """`frame_columns.AGREEMENT` of a release, in its order; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    return _read(release / AGREEMENT_NAME, AGREEMENT, "locale")


def read_annotator_groups(release: Path) -> pl.DataFrame | None:
    """`frame_columns.ANNOTATOR_GROUPS` of a release, in its order; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    return _read(release / ANNOTATOR_GROUPS_NAME, ANNOTATOR_GROUPS, "locale and group")


def _read(path: Path, schema: pl.Schema, per: str) -> pl.DataFrame | None:
    if not path.is_file():
        return None
    try:
        return pl.DataFrame(read_json_content(path), schema, orient="row")
    except (ValueError, TypeError, OverflowError, PolarsError) as error:
        what = error.what if isinstance(error, RowError) else f"is not a list of figures per {per}"
        raise RowError(what, where=str(path), fix="copy or build the release again") from None
