"""Reports that a release carries as JSON: written when it is built, read back for statistics and checks."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from blend.loaders.files.content import read_json_content
from blend.schemas.errors import RowError
from blend.schemas.models import first_reason

M = TypeVar("M", bound=BaseModel)


def report_json(report: BaseModel) -> str:
    """The report as the text of its file."""
    return report.model_dump_json(indent=1) + "\n"


def read_report(path: Path, model: type[M], what: str) -> M | None:
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
        return model.model_validate(read_json_content(path))
    except (ValidationError, RowError) as error:
        reason = error.what if isinstance(error, RowError) else first_reason(error)
        fix = "copy or build the release again"
        raise RowError(f"is not {what} ({reason})", where=str(path), fix=fix) from None
