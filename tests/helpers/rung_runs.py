"""Runs of one model on every rung."""

from pathlib import Path
from typing import Any

import blend

RUNGS = ("multiple-choice", "true-false", "short-answer")


def run_each_rung(release: Path, model: Any, out: Path, **options: Any) -> dict[str, blend.Run]:
    """A run for each rung, in a directory of its name."""
    return {rung: blend.run_task(release, rung, model, out / rung, **options) for rung in RUNGS}
