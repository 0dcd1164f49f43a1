"""How far a collection of answers is, as tables for a terminal."""

import polars as pl
from rich.table import Table

from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED, CollectionStatus
from blend.schemas.texts import pluralise
from blend.views.frames import frame_table

_SHOWN = 20
"""Questions without enough responses that are listed; all of them stand in the JSON output."""


def collection_tables(state: CollectionStatus) -> list[Table]:
    """Show how far every locale is by its raw responses, and which questions still need some."""
    waiting = state.questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED])).sort(
        "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
    )
    locales = frame_table(
        state.locales,
        "Collection by locale",
        "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
        "and those that a reviewer rejected.",
        heads={"locale": "locale", "questions": "questions", "complete": "complete", "needs_responses": "open"}
        | {"stopped_idk": "stopped", "valid": "valid", "idk": "idk", "rejected": "rejected"}
        | {"still_needed": "needed"},
    )
    questions = frame_table(
        waiting.head(_SHOWN),
        f"{pluralise(len(waiting), 'question')} without enough responses",
        f"The first {_SHOWN}; the same command with --json lists all." if len(waiting) > _SHOWN else "",
        heads={"locale": "locale", "template_id": "question", "state": "state", "valid": "valid"}
        | {"wanted": "of", "idk": "idk", "still_needed": "needed"},
        texts=("locale", "template_id", "state"),
    )
    return [locales, questions]
