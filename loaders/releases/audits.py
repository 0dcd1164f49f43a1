"""The audit of a release: written once when it is built, read back for statistics and checks."""

from pathlib import Path

from pydantic import ValidationError

from blend.loaders.files.json_text import read_json_content
from blend.schemas.base.field_errors import first_reason
from blend.schemas.errors import RowError
from blend.schemas.release.audit_report import AuditReport
from blend.schemas.release.release_layout import AUDIT_NAME


def audit_json(report: AuditReport) -> str:
    """The audit as the text of its file."""
    return report.model_dump_json(indent=1) + "\n"


def read_audit(release: Path) -> AuditReport | None:
    """The audit of a release; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    path = release / AUDIT_NAME
    if not path.is_file():
        return None
    try:
        return AuditReport.model_validate(read_json_content(path))
    except (ValidationError, RowError) as error:
        reason = error.what if isinstance(error, RowError) else first_reason(error)
        fix = "copy or build the release again"
        raise RowError(f"is not an audit ({reason})", where=str(path), fix=fix) from None
