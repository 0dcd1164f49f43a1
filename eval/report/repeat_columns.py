"""Repeats in the overview: what of a score's uncertainty comes from drawing answers."""

from blend.eval.report.report_sections import cell
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.scores_json import Score
from blend.schemas.summaries import NOTHING

BETWEEN_RUNS = "between runs, %"
"""Head of the column with the score and the interval that it would have in further runs."""


def repeat_columns(run: ScoredRun) -> dict[str, str]:
    """Cells of the overview about the figure that a task is about; none where questions were asked once."""
    for metric in run.task.repeated:
        for name in (f"{metric}-macro", metric):
            if (score := run.overall(f"{name}-between-runs")) is not None:
                items, repeats = (run.overall(f"{name}-stderr-{source}") for source in ("items", "repeats"))
                return {BETWEEN_RUNS: cell(score), "variance from repeats, %": _share(items, repeats)}
    return {}


def _share(items: Score | None, repeats: Score | None) -> str:
    """The repeats' share of the variance; unknown where one of both parts is."""
    if items is None or repeats is None or items.value is None or repeats.value is None:
        return NOTHING
    return f"{100 * repeats.value**2 / (items.value**2 + repeats.value**2):.0f}"
