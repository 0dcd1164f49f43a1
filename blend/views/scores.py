"""``blend eval score``: the scores of a run as tables."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from blend.eval.report.scored_runs import ONE_BY_ONE, interval, number
from blend.eval.scores_json import FEW_MARK, Score, Scores
from blend.eval.task import Task
from blend.schemas.locales import registry
from blend.schemas.summaries import Table
from blend.views.frames import table_of
from blend.views.safe import shown

_TABLES = (
    "code",
    "region",
    "topic",
    "answer-spread",
    "position",
    "coverage",
    "culture",
    "country",
    "language",
    "template",
    "naming",
    "prompt",
    "length",
    "judge",
)
"""Scopes that are printed beside the overall figures; all others are in ``scores.json``."""


def score_tables(scores: Scores, task: Task) -> list[RenderableType]:
    """Show what was scored, a table of the overall figures, and one per region, topic and the like."""
    title = f"{shown(scores.model)} on {shown(scores.release)}, {scores.task}, rule {scores.rule}"
    tables: list[RenderableType] = [
        Text(title, style="bold"),
        Text(task.units),
    ]
    rows = _of_scope(scores, ONE_BY_ONE)
    tables += [
        overall_table([score for score in rows if score.key == key], task, title=key)
        for key in dict.fromkeys(score.key for score in rows)
    ]
    tables.append(overall_table(_leading(_of_scope(scores, "overall"), task), task))
    # A task whose figures are per split has its topics, hundreds of them, in the file alone.
    scopes = () if rows else _TABLES
    for scope in scopes:
        tables += [_by_key(scope, of, task) for of in _with_equal_counts(_of_scope(scores, scope))]
    if any(one.is_over_few and one.scope in ("overall", ONE_BY_ONE, *scopes) for one in scores.scores):
        tables.append(Text(FEW_NOTE))
    return tables


FEW_NOTE = f"{FEW_MARK} over two to nine templates, topics or the like: wide, since so few say little."
"""What the mark of intervals over few clusters means."""


def _of_scope(scores: Scores, scope: str) -> list[Score]:
    return [score for score in scores.scores if score.scope == scope]


def _leading(scores: Sequence[Score], task: Task) -> list[Score]:
    """The scores, first the mean over regions or the like, with which comparison and report lead as well."""
    means = [score.metric for score in scores if score.metric.endswith("-macro")]
    lead = task.headline if task.headline in means else next(iter(means), None)
    return sorted(scores, key=lambda score: score.metric != lead)


def overall_table(scores: Sequence[Score], task: Task, *, title: str = "") -> RenderableType:
    """One line per figure, with its interval and count."""
    rows = [
        (
            shown(score.metric if title or score.key == "all" else f"{score.metric} ({score.key})"),
            number(score, score.value, task),
            f"{interval(score, task)}{FEW_MARK if score.is_over_few else ''}",
            score.n,
        )
        for score in scores
    ]
    return table_of(Table.of(shown(title), ("figure", "value", "95 % interval", "n"), rows))


def _with_equal_counts(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores by figure, figures over the same items together: they can share a column of counts."""
    by_metric: dict[str, list[Score]] = {}
    for score in scores:
        by_metric.setdefault(score.metric, []).append(score)
    groups: dict[tuple[tuple[str, int], ...], list[Score]] = {}
    for rows in by_metric.values():
        groups.setdefault(tuple((score.key, score.n) for score in rows), []).extend(rows)
    return list(groups.values())


def _by_key(scope: str, scores: Sequence[Score], task: Task) -> RenderableType:
    """A row per key, a column per figure with its interval, and the number of items behind them."""
    metrics = list(dict.fromkeys(score.metric for score in scores))
    cells = {(score.key, score.metric): score for score in scores}
    rows = []
    for key in dict.fromkeys(score.key for score in scores):
        row = [cells[key, metric] for metric in metrics]
        rows.append((shown(_named(key)), *(_with_interval(score, task) for score in row), row[0].n))
    return table_of(Table.of("", (scope, *map(shown, metrics), "n"), rows))


def _named(key: str) -> str:
    """A region by name and code, any other key as it is."""
    names = {locale.split: locale.region_name for locale in registry()}
    return f"{names[key]} ({key})" if key in names else key


def _with_interval(score: Score, task: Task) -> str:
    """``61.3 [58.0, 64.5]``, as in the report."""
    ends = (
        "" if score.low is None else f" [{number(score, score.low, task)}, {number(score, score.high, task)}]"
    )
    return f"{number(score, score.value, task)}{ends}{FEW_MARK if score.is_over_few else ''}"
