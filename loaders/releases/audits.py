"""The audit of a release, read back for statistics and checks."""

from pathlib import Path

from blend.loaders.releases.json_reports import read_report
from blend.schemas.manifest import AUDIT_NAME
from blend.schemas.reports import AuditReport


def read_audit(release: Path) -> AuditReport | None:
    """The audit of a release; see `json_reports.read_report`."""
    return read_report(release / AUDIT_NAME, AuditReport, "an audit")
