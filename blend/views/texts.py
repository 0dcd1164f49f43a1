"""``blend eval score`` of texts for readers of many nationalities: the figures of every kind of text."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from blend.eval.scoring.scores import Score, Scores
from blend.views.safe import shown

TASK = "cultural-prompts"

_SHARES = ("empty", "refusal", "other-language", "missing")
_COUNTS = ("texts", "topics")


def text_score_tables(scores: Scores) -> list[RenderableType]:
    """What was scored, and a table of each kind of text; those of topics and anchors are in ``scores.json``."""
    title = f"{shown(scores.model)} on {shown(scores.release)}, {scores.task}, rule {scores.rule}"
    units = (
        "Variances are halves of squared word edit distances (0 to 1), tau is between -1 and 1; empty, "
        "refusal, other-language and significant are in percent. docs/extrinsic.md explains each figure."
    )
    tables: list[RenderableType] = [Text(title, style="bold"), Text(units)]
    overall = [score for score in scores.scores if score.scope == "overall"]
    by_kind: dict[str, list[Score]] = {}
    for score in scores.scores:
        if score.scope == "split":
            by_kind.setdefault(score.key, []).append(score)
    for kind, rows in by_kind.items():
        tables.append(_figures(rows, title=kind))
    return [*tables, _figures(overall, title=None)]


def _figures(scores: Sequence[Score], *, title: str | None) -> Table:
    table = Table(title=None if title is None else shown(title), title_justify="left")
    table.add_column("figure")
    for column in ("value", "95 % interval", "n"):
        table.add_column(column, justify="right")
    for score in scores:
        interval = "" if score.low is None else f"{_number(score, score.low)} – {_number(score, score.high)}"
        cells = (shown(score.metric), _number(score, score.value), interval, f"{score.n:,}")
        table.add_row(*map(Text, cells))
    return table


def _number(score: Score, value: float | None) -> str:
    if value is None:
        return "–"
    if score.metric in _COUNTS:
        return f"{value:,.0f}"
    if score.metric in _SHARES or score.metric.endswith("-significant"):
        return f"{value:.1f}"
    if score.metric.startswith("anova-p"):
        return f"{value:.2g}"
    return f"{value:.2f}" if score.metric.startswith(("anova-f", "variance-ratio")) else f"{value:.4f}"
