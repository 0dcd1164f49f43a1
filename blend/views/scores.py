"""``blend eval score``: the scores of a run as tables."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from blend.eval.scoring.scores import Score, Scores
from blend.schemas.locales import registry
from blend.views.safe import shown
from blend.views.texts import TASK as TEXTS
from blend.views.texts import text_score_tables

_TABLES = ("region", "topic", "position", "culture", "country", "language", "template", "naming", "prompt")
"""Scopes that are printed beside the overall figures; all others are in ``scores.json``."""


def score_tables(scores: Scores) -> list[RenderableType]:
    """What was scored, a table of the overall figures, and one per region, topic and the like."""
    if scores.task == TEXTS:
        return text_score_tables(scores)
    title = f"{shown(scores.model)} on {shown(scores.release)}, {scores.task}, rule {scores.rule}"
    units = "Shares are in percent, gaps in points, with 95 % intervals; docs/scores.md explains each figure."
    tables: list[RenderableType] = [
        Text(title, style="bold"),
        Text(units),
        overall_table(_of_scope(scores, "overall")),
    ]
    for scope in _TABLES:
        tables += [_by_key(scope, rows) for rows in _with_equal_counts(_of_scope(scores, scope))]
    return tables


def _of_scope(scores: Scores, scope: str) -> list[Score]:
    return [score for score in scores.scores if score.scope == scope]


def overall_table(scores: Sequence[Score]) -> Table:
    """One line per figure, with its interval and count."""
    table = Table()
    table.add_column("figure")
    for column in ("value", "95 % interval", "n"):
        table.add_column(column, justify="right")
    for score in scores:
        name = score.metric if score.key == "all" else f"{score.metric} ({score.key})"
        table.add_row(*map(Text, (shown(name), _number(score, score.value), _interval(score), f"{score.n:,}")))
    return table


def _with_equal_counts(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores by figure, figures over the same items together: they can share a column of counts."""
    by_metric: dict[str, list[Score]] = {}
    for score in scores:
        by_metric.setdefault(score.metric, []).append(score)
    groups: dict[tuple[tuple[str, int], ...], list[Score]] = {}
    for rows in by_metric.values():
        groups.setdefault(tuple((score.key, score.n) for score in rows), []).extend(rows)
    return list(groups.values())


def _by_key(scope: str, scores: Sequence[Score]) -> Table:
    """A row per key, a column per figure with its interval, and the number of items behind them."""
    metrics = list(dict.fromkeys(score.metric for score in scores))
    cells = {(score.key, score.metric): score for score in scores}
    table = Table()
    table.add_column(scope)
    for column in (*metrics, "n"):
        table.add_column(shown(column), justify="right")
    for key in dict.fromkeys(score.key for score in scores):
        row = [cells[key, metric] for metric in metrics]
        figures = [_with_interval(score) for score in row]
        table.add_row(*map(Text, (shown(_named(key)), *figures, f"{row[0].n:,}")))
    return table


def _named(key: str) -> str:
    """A region by name and code, any other key as it is."""
    names = {locale.split: locale.region_name for locale in registry()}
    return f"{names[key]} ({key})" if key in names else key


def _with_interval(score: Score) -> str:
    """``61.3 [58.0, 64.5]``, as in the report."""
    if score.low is None:
        return _number(score, score.value)
    return f"{_number(score, score.value)} [{_number(score, score.low)}, {_number(score, score.high)}]"


def _interval(score: Score) -> str:
    return "" if score.low is None else f"{_number(score, score.low)} – {_number(score, score.high)}"


def _number(score: Score, value: float | None) -> str:
    if value is None:
        return "–"
    # Cosines, correlations and agreement lie between -1 and 1, everything else is in percent or points.
    is_fraction = (
        score.metric.startswith("mWS") or score.metric.endswith("-alpha") or "correlation-" in score.metric
    )
    return f"{value:.3f}" if is_fraction else f"{value:.1f}"
