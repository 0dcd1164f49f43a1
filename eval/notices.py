"""Notices: what a user should know about what was done all the same."""

import inspect
import warnings
from pathlib import Path

from blend.schemas.errors import BlendWarning

_PACKAGE = f"{Path(__file__).parent}/"


def warn(notice: str) -> None:
    """Say it as Python says warnings, at the line that called this package."""
    outside = (n for n, one in enumerate(inspect.stack(), 1) if not one.filename.startswith(_PACKAGE))
    warnings.warn(notice, BlendWarning, stacklevel=next(outside, 1))
