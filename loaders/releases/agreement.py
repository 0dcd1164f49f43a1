"""The agreement of annotators in a release: written once when it is built, read back for statistics."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from blend.loaders.files.json_text import read_json_content
from blend.schemas.errors import RowError
from blend.schemas.release.release_layout import AGREEMENT_NAME
from blend.schemas.rows.frame_columns import AGREEMENT


def agreement_json(agreement: pl.DataFrame, tags: Sequence[str]) -> str:
    """The agreement as the text of its file, locales in the order of ``tags``."""
    rows = {row["locale"]: row for row in agreement.to_dicts()}
    return json.dumps([rows[tag] for tag in tags if tag in rows], indent=1) + "\n"


def read_agreement(release: Path) -> pl.DataFrame | None:
    """`frame_columns.AGREEMENT` of a release, in its order; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    path = release / AGREEMENT_NAME
    if not path.is_file():
        return None
    try:
        return pl.DataFrame(read_json_content(path), AGREEMENT, orient="row")
    except (ValueError, TypeError, OverflowError, PolarsError) as error:
        what = error.what if isinstance(error, RowError) else "is not a list of figures per locale"
        raise RowError(what, where=str(path), fix="copy or build the release again") from None
