"""Reports that a release carries as JSON, its findings among them: written by a build, read back for checks."""

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from polars.exceptions import PolarsError
from pydantic import BaseModel, ValidationError

from blend.loaders.files.content import open_content, parse_json, read_json, utf8_text
from blend.schemas.errors import RowError
from blend.schemas.frames import AGREEMENT, ANNOTATOR_GROUPS
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    ANNOTATOR_GROUPS_NAME,
    AUDIT_NAME,
    FINDINGS_NAME,
)
from blend.schemas.models import first_reason
from blend.schemas.reports import AuditReport

M = TypeVar("M", bound=BaseModel)


def report_json(report: BaseModel) -> str:
    """The report as the text of its file."""
    return report.model_dump_json(indent=1) + "\n"


def read_audit(release: Path) -> AuditReport | None:
    """The audit of a release; see `_read_report`."""
    return _read_report(release / AUDIT_NAME, AuditReport, "an audit")


def _read_report(path: Path, model: type[M], what: str) -> M | None:
    """A report of a release; null for a release without.

    Args:
        path: Its file.
        model: What it holds.
        what: What it is called in messages, ``an audit``.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    if not path.is_file():
        return None
    try:
        return model.model_validate(read_json(path))
    except (ValidationError, RowError) as error:
        reason = error.what if isinstance(error, RowError) else first_reason(error)
        fix = "copy or build the release again"
        raise RowError(f"is not {what} ({reason})", where=str(path), fix=fix) from None


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
    return _read_figures(release / AGREEMENT_NAME, AGREEMENT, "locale")


def read_annotator_groups(release: Path) -> pl.DataFrame | None:
    """`frame_columns.ANNOTATOR_GROUPS` of a release, in its order; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    return _read_figures(release / ANNOTATOR_GROUPS_NAME, ANNOTATOR_GROUPS, "locale and group")


def _read_figures(path: Path, schema: pl.Schema, per: str) -> pl.DataFrame | None:
    if not path.is_file():
        return None
    try:
        return pl.DataFrame(read_json(path), schema, orient="row")
    except (ValueError, TypeError, OverflowError, PolarsError) as error:
        what = error.what if isinstance(error, RowError) else f"is not a list of figures per {per}"
        raise RowError(what, where=str(path), fix="copy or build the release again") from None


LINE_BYTES = 1 << 20
"""Bytes of the longest line."""


def read_findings(
    path: Path, *, holding: Collection[str] = ()
) -> Iterator[tuple[str, dict[str, Any] | RowError]]:
    """The findings in a file, each with its place, or what is wrong with its line.

    Args:
        path: The file.
        holding: Kinds; lines in which none of them stands are left out. All when empty.

    Returns:
        Place and object, whose ``stage`` and ``kind`` are texts. Nothing behind a line that is too long.
    """
    with open_content(path) as lines:
        number = 0
        while line := lines.readline(LINE_BYTES + 1):
            number += 1
            where = f"{FINDINGS_NAME}:{number}"
            if len(line) > LINE_BYTES:
                what = f"a line of more than {LINE_BYTES:,} bytes, behind which nothing is read"
                yield where, RowError(what, where=where, fix="build the release again")
                return
            if not holding or any(kind.encode() in line for kind in holding):
                yield where, _finding(line, where)


def _finding(line: bytes, where: str) -> dict[str, Any] | RowError:
    try:
        finding = parse_json(utf8_text(line, where), where, is_file=False)
    except RowError as error:
        return error
    if isinstance(finding, dict) and all(isinstance(finding.get(key), str) for key in ("stage", "kind")):
        return finding
    return RowError("not a JSON object with stage and kind", where=where, fix="build the release again")
