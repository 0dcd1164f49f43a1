"""Results of commands as tables for a terminal, at most 80 columns wide."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from blend.builders.cards.rendering import plain
from blend.schemas.locales import Locale
from blend.schemas.models import field_sentences
from blend.schemas.summaries import Table
from blend.schemas.texts import pluralise

if TYPE_CHECKING:
    from blend.builders.saq.collection import CollectionStatus

_SHOWN = 20
"""Questions without enough responses that are listed; all of them stand in the JSON output."""


def collection_tables(state: "CollectionStatus") -> list[Table]:
    """Show how far every locale is by its raw responses, and which questions still need some."""
    from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED

    waiting = state.questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED])).sort(
        "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
    )
    counts = ("locale", "questions", "complete", "needs_responses", "stopped_idk", "valid", "idk", "rejected")
    locales = Table(
        "Collection by locale",
        state.locales.select(*counts, needed="still_needed").rename(
            {"needs_responses": "open", "stopped_idk": "stopped"}
        ),
        "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
        "and those that a reviewer rejected.",
    )
    questions = Table(
        f"{pluralise(len(waiting), 'question')} without enough responses",
        waiting.head(_SHOWN).select(
            "locale", "state", "valid", "idk", question="template_id", of="wanted", needed="still_needed"
        )["locale", "question", "state", "valid", "of", "idk", "needed"],
        f"The first {_SHOWN}; the same command with --json lists all." if len(waiting) > _SHOWN else "",
    )
    return [locales, questions]


def locale_table(locales: Sequence[Locale]) -> Table:
    """One line per locale, and the datasets that hold it."""
    columns = ("locale", "split", "language", "region", "in a question", "datasets")
    rows = [
        (
            *(locale.tag, locale.split, locale.language_name, locale.region_name, locale.prompt_name),
            " ".join(locale.collections),
        )
        for locale in locales
    ]
    return Table.of(pluralise(len(locales), "locale"), columns, rows)


def locale_details(locale: Locale) -> Table:
    """Every field of one locale with what it means."""
    rows = [
        (name, _in_words(getattr(locale, name)), plain(meaning))
        for name, meaning in field_sentences(Locale).items()
    ]
    return Table.of(locale.tag, ("field", "value", "meaning"), rows)


def _in_words(value: object) -> str:
    return ", ".join(value) if isinstance(value, Iterable) and not isinstance(value, str) else str(value or "")
