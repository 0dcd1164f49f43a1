"""The report on models that read options, read back for the checks."""

from pathlib import Path

from blend.loaders.releases.json_reports import read_report
from blend.schemas.manifest import MODEL_VERDICTS_NAME
from blend.schemas.reports import ModelReport


def read_model_report(release: Path) -> ModelReport | None:
    """The report of a release on models; see `json_reports.read_report`."""
    return read_report(release / MODEL_VERDICTS_NAME, ModelReport, "a report on models")
