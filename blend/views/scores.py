"""``blend eval score``: the scores of a run as tables."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from blend.eval.scoring.scores import Score, Scores
from blend.views.safe import shown

_TABLES = ("overall", "region", "topic", "position", "culture", "language", "prompt")
"""Scopes that are printed; all others are in ``scores.json``."""


def score_tables(scores: Scores) -> list[Table]:
    """A table of the overall figures, and one per region, topic and the like."""
    title = f"{shown(scores.model)} on {shown(scores.release)}, {scores.task}, rule {scores.rule}"
    by_scope = {scope: [score for score in scores.scores if score.scope == scope] for scope in _TABLES}
    tables = [_table(title, "", by_scope.pop("overall"))]
    return tables + [_table(f"by {scope}", scope, rows) for scope, rows in by_scope.items() if rows]


def _table(title: str, scope: str, scores: Sequence[Score]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column("figure")
    if scope:
        table.add_column(scope)
    for column in ("value", "95 % interval", "n"):
        table.add_column(column, justify="right")
    for score in scores:
        name = score.metric if scope or score.key == "all" else f"{score.metric} ({score.key})"
        cells = [shown(name), *([shown(score.key)] if scope else []), _number(score.value)]
        interval = "" if score.low is None else f"{_number(score.low)} – {_number(score.high)}"
        table.add_row(*(Text(cell) for cell in (*cells, interval, f"{score.n:,}")))
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
