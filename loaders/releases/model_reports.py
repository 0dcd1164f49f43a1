"""The report on models that read options: written once when a release is built, read back for the checks."""

from pathlib import Path

from pydantic import ValidationError

from blend.loaders.files.json_text import read_json_content
from blend.schemas.base.field_errors import first_reason
from blend.schemas.errors import RowError
from blend.schemas.release.model_report import ModelReport
from blend.schemas.release.release_layout import MODEL_VERDICTS_NAME


def model_report_json(report: ModelReport) -> str:
    """The report as the text of its file."""
    return report.model_dump_json(indent=1) + "\n"


def read_model_report(release: Path) -> ModelReport | None:
    """The report of a release; null for a release without.

    Raises:
        RowError: If the file is there and cannot be read.
    """
    path = release / MODEL_VERDICTS_NAME
    if not path.is_file():
        return None
    try:
        return ModelReport.model_validate(read_json_content(path))
    except (ValidationError, RowError) as error:
        reason = error.what if isinstance(error, RowError) else first_reason(error)
        fix = "copy or build the release again"
        raise RowError(f"is not a report on models ({reason})", where=str(path), fix=fix) from None
