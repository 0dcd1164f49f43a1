"""The state of a collection as tables for a terminal."""

import polars as pl
from rich.table import Table

from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED, CollectionStatus
from blend.schemas.text import counted
from blend.views.tables import narrow_table

_SHOWN = 20
"""Questions listed; all of them stand in the JSON output."""


def status_tables(state: CollectionStatus) -> list[Table]:
    """How far every locale is, and which questions still need responses."""
    return [_locales(state.locales), _open_questions(state.questions)]


def _locales(locales: pl.DataFrame) -> Table:
    table = narrow_table(
        "Collection by locale",
        "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
        "and those that a reviewer rejected.",
        "locale",
        ("questions", "complete", "open", "stopped", "valid", "idk", "rejected", "needed"),
    )
    columns = (
        "questions",
        "complete",
        "needs_responses",
        "stopped_idk",
        "valid",
        "idk",
        "rejected",
        "still_needed",
    )
    for row in locales.iter_rows(named=True):
        table.add_row(row["locale"], *(f"{row[column]:,}" for column in columns))
    return table


def _open_questions(questions: pl.DataFrame) -> Table:
    wanting = questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED]))
    shown = wanting.sort(
        "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
    )
    table = Table(
        title=f"{counted(len(wanting), 'question')} without enough responses",
        title_justify="left",
        caption_justify="left",
    )
    if len(shown) > _SHOWN:
        table.caption = f"The first {_SHOWN}; `blend status --json` lists all."
    for heading in ("locale", "question", "state"):
        table.add_column(heading)
    for heading in ("valid", "of", "idk", "needed"):
        table.add_column(heading, justify="right")
    for row in shown.head(_SHOWN).iter_rows(named=True):
        figures = (row[column] for column in ("valid", "wanted", "idk", "still_needed"))
        table.add_row(row["locale"], row["template_id"], row["state"], *map(str, figures))
    return table
